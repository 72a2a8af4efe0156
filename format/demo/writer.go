package demo

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Writer writes a demo. After an error of the file, every later call returns that error.
type Writer struct {
	h       Header
	enc     *Encoder
	w       *bufio.Writer
	file    io.Writer
	buf     []byte
	first   int32 // first tick
	started bool
	err     error
}

// NewWriter writes the header and the map. Close completes the header's Length and Markers if w is
// an [io.WriterAt]; otherwise they stay as they are in h.
func NewWriter(w io.Writer, h Header, mapData []byte) (*Writer, error) {
	if v := h.version(); v < oldest || v > VersionDDNet {
		return nil, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	if len(mapData) > MaxMapSize {
		return nil, fmt.Errorf("demo: map of %d bytes; the limit is %d", len(mapData), MaxMapSize)
	}
	d := &Writer{h: h, enc: NewEncoder(&h), w: bufio.NewWriterSize(w, 32<<10), file: w}
	d.h.Markers = append([]int32(nil), h.Markers...)
	d.w.Write(h.Append(nil, len(mapData)))
	if _, err := d.w.Write(mapData); err != nil {
		return nil, err
	}
	return d, nil
}

// Encoder returns the encoder of the chunks. Use it, for instance, to request a keyframe.
func (d *Writer) Encoder() *Encoder { return d.enc }

// Snapshot writes the snapshot of a tick. Ticks must ascend.
func (d *Writer) Snapshot(tick int32, s *snapshot.Snapshot) error {
	if !d.started {
		d.started, d.first = true, tick
	}
	d.buf = d.enc.AppendSnapshot(d.buf[:0], tick, s)
	return d.write()
}

// Message writes a message from the server, with its id as on the wire. Clients that play the demo
// show it with the last snapshot written.
func (d *Writer) Message(msg []byte) error {
	d.buf = d.enc.AppendMessage(d.buf[:0], msg)
	return d.write()
}

func (d *Writer) write() error {
	if d.err == nil {
		_, d.err = d.w.Write(d.buf)
	}
	return d.err
}

// Marker marks a tick in the timeline of the demo. Marker returns false if the tick is too near to
// the last marker, or if there are too many markers.
func (d *Writer) Marker(tick int32) bool {
	n := len(d.h.Markers)
	if n >= MaxMarkers || n > 0 && int64(tick)-int64(d.h.Markers[n-1]) < MinMarkerDistance {
		return false
	}
	d.h.Markers = append(d.h.Markers, tick)
	return true
}

// Flush writes the buffered data, so that it survives the end of the process.
func (d *Writer) Flush() error {
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

// Close completes the demo. Close does not close the file.
func (d *Writer) Close() error {
	err := d.Flush()
	at, ok := d.file.(io.WriterAt)
	if err != nil || !ok {
		return err
	}
	d.h.Length = 0
	if d.started {
		d.h.Length = int(d.enc.lastTick-d.first) / TickRate
	}
	if _, err := at.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(d.h.Length)), lengthOffset); err != nil {
		return err
	}
	if d.h.version() >= withMarkers {
		_, err = at.WriteAt(d.h.appendMarkers(nil), baseSize)
	}
	return err
}
