package demo

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Kind is the kind of a Chunk.
type Kind uint8

const (
	// KindTick is a tick marker: the snapshot and the messages after it belong to that tick. If no
	// snapshot follows, the previous one still applies.
	KindTick Kind = iota
	// KindSnapshot is a whole snapshot.
	KindSnapshot
	// KindDelta is a snapshot stored as the difference from the previous one.
	KindDelta
	// KindMessage is a message from the server.
	KindMessage
	// KindUnknown is a chunk of a type that the format does not define. Such a chunk counts as
	// broken.
	KindUnknown
)

// Chunk is one chunk of a demo.
type Chunk struct {
	Kind   Kind
	Offset int64 // offset in the file
	Size   int   // size in the file, in bytes
	// Tick is the tick of the last tick marker, -1 before the first one. Recorders write the
	// messages of a tick before its marker.
	Tick int32
	// Keyframe marks a tick whose snapshot is stored whole.
	Keyframe bool
	// Snapshot is the snapshot of KindSnapshot and KindDelta. Snapshot is nil if a delta's base is
	// missing or broken. A snapshot is valid until the next one is read.
	Snapshot *snapshot.Snapshot
	// Message is the message of KindMessage, with its id. Up to three zeros follow it, because its
	// exact length is not stored.
	Message []byte
}

// Reader reads a demo. The memory of a Reader is limited to the map and about a megabyte.
type Reader struct {
	h       Header
	mapData []byte
	sizes   *snapshot.ItemSizes
	r       *bufio.Reader
	offset  int64
	first   int32 // first tick, -1 before the first marker
	tick    int32
	hasBase bool
	damage  error // error about the map, for the first call of Next
	err     error // error about the file

	last, next         *snapshot.Snapshot
	builder            snapshot.Builder
	compressed, packed []byte
	ints               []int32
	message            []byte
}

// ReadHeader reads only the header of a demo.
func ReadHeader(r io.Reader) (*Header, error) {
	d := &Reader{r: bufio.NewReaderSize(r, 512)}
	_, err := d.readHeader()
	return &d.h, err
}

// NewReader reads the header and the map, and returns a Reader of the chunks.
func NewReader(r io.Reader) (*Reader, error) {
	d := &Reader{r: bufio.NewReaderSize(r, 64<<10), first: -1, tick: -1, last: new(snapshot.Snapshot), next: new(snapshot.Snapshot)}
	mapSize, err := d.readHeader()
	if err != nil {
		return nil, err
	}
	if err := d.readMap(int(mapSize)); err != nil {
		return nil, err
	}
	d.sizes = d.h.ItemSizes()
	d.damage = d.checkMap()
	return d, nil
}

// readHeader reads the header and returns the size of the map.
func (d *Reader) readHeader() (mapSize uint32, err error) {
	head := make([]byte, headerSize(VersionDDNet))
	const start = 8 // length of magic and version
	if n, err := io.ReadFull(d.r, head[:start]); err != nil {
		if n == 0 || !bytes.HasPrefix(magic, head[:min(n, len(magic))]) {
			return 0, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return 0, cutOff(err, int64(n), "the header")
	}
	if !bytes.Equal(head[:len(magic)], magic) {
		return 0, fmt.Errorf("%w: the file begins with %q", ErrFormat, head[:len(magic)])
	}
	if d.h.Version = int(head[7]); d.h.Version < oldest || d.h.Version > VersionDDNet {
		return 0, fmt.Errorf("%w: %d at byte 7; supported are %d to %d", ErrVersion, d.h.Version, oldest, VersionDDNet)
	}
	head = head[:headerSize(d.h.Version)]
	if n, err := io.ReadFull(d.r, head[start:]); err != nil {
		return 0, cutOff(err, int64(start+n), "the header")
	}
	if mapSize, err = d.h.parse(head); err != nil {
		return 0, err
	}
	d.offset = int64(len(head))
	if mapSize > MaxMapSize {
		return 0, fmt.Errorf("%w: map of %d bytes at byte %d; the limit is %d", ErrFormat, mapSize, d.offset, MaxMapSize)
	}
	return mapSize, nil
}

// readMap reads the map. The memory grows with the bytes present, and never exceeds the declared
// size.
func (d *Reader) readMap(size int) error {
	for len(d.mapData) < size {
		have := len(d.mapData)
		next := min(size, max(64<<10, 2*have))
		d.mapData = append(make([]byte, 0, next), d.mapData...)[:next]
		n, err := io.ReadFull(d.r, d.mapData[have:])
		if d.offset += int64(n); err != nil {
			return cutOff(err, d.offset, "the map")
		}
	}
	return nil
}

// checkMap returns an error if the map does not match the header.
func (d *Reader) checkMap() error {
	at := headerSize(d.h.Version)
	if crc := crc32.ChecksumIEEE(d.mapData); len(d.mapData) > 0 && crc != d.h.MapCRC {
		return fmt.Errorf("%w: the map from byte %d to %d has the CRC %08x instead of %08x", ErrChunk, at, d.offset, crc, d.h.MapCRC)
	}
	if sum := sha256.Sum256(d.mapData); len(d.mapData) > 0 && d.h.MapSHA256 != [32]byte{} && sum != d.h.MapSHA256 {
		return fmt.Errorf("%w: the map from byte %d to %d has the SHA-256 %x instead of %x", ErrChunk, at, d.offset, sum, d.h.MapSHA256)
	}
	return nil
}

// cutOff returns the error about a file that ends, or cannot be read, within the given part.
func cutOff(err error, offset int64, in string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: in %s, after byte %d", ErrCutOff, in, offset)
	}
	return fmt.Errorf("demo: after byte %d: %w", offset, err)
}

// Header returns the header.
func (d *Reader) Header() *Header { return &d.h }

// Map returns the map file. The map is empty if the demo was recorded without the map.
func (d *Reader) Map() []byte { return d.mapData }

// Next reads the next chunk into c. The Message of c is valid until the next call. At the end of a
// complete demo, Next returns io.EOF. The error wraps ErrCutOff if the file ends within a chunk, or
// before the length in its header. The error wraps ErrChunk for a broken chunk; reading can
// continue after it. The first call also returns such an error if the map does not match the
// header.
func (d *Reader) Next(c *Chunk) error {
	*c = Chunk{Offset: d.offset, Tick: d.tick}
	if err := d.damage; err != nil {
		c.Kind, d.damage = KindUnknown, nil
		c.Offset, c.Size = int64(headerSize(d.h.Version)), len(d.mapData)
		return err
	}
	if d.err != nil {
		return d.err
	}
	start := d.offset
	head, err := d.r.ReadByte()
	if err == io.EOF {
		d.err = d.end()
		return d.err
	} else if err != nil {
		d.err = cutOff(err, start, "a chunk")
		return d.err
	}
	d.offset++
	if head&flagTick != 0 {
		err = d.readTick(c, head)
	} else {
		err = d.readData(c, head)
	}
	c.Size = int(d.offset - start)
	if err != nil && d.err == nil {
		err = fmt.Errorf("%w at byte %d: %w", ErrChunk, start, err)
	}
	return err
}

// end returns the error about a file that ends after a chunk: io.EOF, unless the header shows that
// something is missing. If less than a second is missing, the header does not show it.
func (d *Reader) end() error {
	seconds := 0
	if d.first >= 0 {
		seconds = max(0, int(d.tick)-int(d.first)) / TickRate
	}
	switch {
	case d.h.Length > seconds:
		return fmt.Errorf("%w: after byte %d, with %d of %d seconds", ErrCutOff, d.offset, seconds, d.h.Length)
	case d.h.Length == 0 && seconds > 0 && d.h.Version >= withMarkers:
		return fmt.Errorf("%w: after byte %d, and its recorder did not complete it", ErrCutOff, d.offset)
	}
	return io.EOF
}

// read fills buf with the next bytes of a chunk.
func (d *Reader) read(buf []byte) error {
	n, err := io.ReadFull(d.r, buf)
	if d.offset += int64(n); err != nil {
		d.err = cutOff(err, d.offset, "a chunk")
	}
	return d.err
}

func (d *Reader) readTick(c *Chunk, head byte) error {
	c.Kind, c.Keyframe = KindTick, head&flagKeyframe != 0
	short := head & flagInline
	since := int64(head) & int64(maxInlineTicks(d.h.Version))
	if d.h.Version < withShortTicks {
		short = byte(since)
	}
	tick := int64(d.tick) + since
	if short == 0 {
		var b [4]byte
		if err := d.read(b[:]); err != nil {
			return err
		}
		tick = int64(int32(binary.BigEndian.Uint32(b[:])))
	} else if d.tick < 0 {
		return fmt.Errorf("%d ticks after an unknown tick", since)
	}
	if tick < 0 || tick > math.MaxInt32 {
		return fmt.Errorf("tick %d is out of range", tick)
	}
	before := d.tick
	d.tick, c.Tick = int32(tick), int32(tick)
	if d.first < 0 {
		d.first = d.tick
	}
	if d.tick < before { // one of the two is wrong
		return fmt.Errorf("tick %d after tick %d", tick, before)
	}
	return nil
}

func (d *Reader) readData(c *Chunk, head byte) error {
	typ, size := head>>5&3, int(head&0x1f)
	c.Kind = [...]Kind{KindUnknown, KindSnapshot, KindMessage, KindDelta}[typ]
	if size >= size8 {
		var b [2]byte
		if err := d.read(b[:size-size8+1]); err != nil {
			return err
		}
		size = int(binary.LittleEndian.Uint16(b[:]))
	}
	if cap(d.compressed) < size {
		d.compressed = make([]byte, size)
	}
	d.compressed = d.compressed[:size]
	if err := d.read(d.compressed); err != nil {
		return err
	}
	d.packed = d.packed[:0]
	if size > 0 {
		var err error
		if d.packed, err = huffman.AppendDecompress(d.packed, d.compressed, maxPacked); err != nil {
			d.hasBase = d.hasBase && (c.Kind == KindMessage || c.Kind == KindUnknown)
			return err
		}
	}
	switch c.Kind {
	case KindMessage:
		return d.readMessage(c)
	case KindSnapshot:
		return d.readSnapshot(c)
	case KindDelta:
		return d.readDelta(c)
	}
	return fmt.Errorf("unknown chunk type, %d bytes", size)
}

func (d *Reader) readMessage(c *Chunk) error {
	if err := d.unpack(); err != nil {
		return err
	}
	d.message = d.message[:0]
	for _, v := range d.ints {
		d.message = binary.LittleEndian.AppendUint32(d.message, uint32(v))
	}
	c.Message = d.message
	return nil
}

// unpack unpacks the integers of a chunk.
func (d *Reader) unpack() error {
	var u packer.Unpacker
	u.Reset(d.packed)
	d.ints = d.ints[:0]
	for u.Len() > 0 {
		if len(d.ints) == maxUnpacked/4 {
			return fmt.Errorf("the chunk has more than %d bytes", maxUnpacked)
		}
		d.ints = append(d.ints, u.Int())
	}
	return u.Err()
}

// readSnapshot reads a whole snapshot; see appendSnapshot.
func (d *Reader) readSnapshot(c *Chunk) error {
	d.hasBase = false
	if err := d.unpack(); err != nil {
		return err
	}
	if len(d.ints) < 2 {
		return fmt.Errorf("a snapshot has only %d integers", len(d.ints))
	}
	size, n := int(d.ints[0]), int(d.ints[1])
	if n < 0 || n > len(d.ints)-2 || size != 4*(len(d.ints)-2-n) {
		return fmt.Errorf("a snapshot of %d integers has %d items in %d bytes", len(d.ints), n, size)
	}
	offsets, items := d.ints[2:2+n], d.ints[2+n:]
	d.builder.Reset()
	for i, offset := range offsets {
		end := int32(size)
		if i+1 < n {
			end = offsets[i+1]
		}
		if offset < 0 || end > int32(size) || int64(end)-int64(offset) < 4 || (offset|end)&3 != 0 {
			return fmt.Errorf("item %d of %d is at bytes %d to %d of %d", i, n, offset, end, size)
		}
		item := items[offset/4 : end/4]
		key := snapshot.Key(item[0])
		data := d.builder.Add(key.Type(), key.ID(), len(item)-1)
		if data == nil {
			return snapshot.ErrTooLarge
		}
		copy(data, item[1:])
	}
	d.builder.Finish(d.last)
	d.hasBase = true
	c.Snapshot = d.last
	return nil
}

func (d *Reader) readDelta(c *Chunk) error {
	if !d.hasBase {
		return nil
	}
	if err := snapshot.ApplyDelta(d.next, d.last, d.packed, d.sizes); err != nil {
		d.hasBase = false
		return err
	}
	d.last, d.next = d.next, d.last
	c.Snapshot = d.last
	return nil
}
