package packet

// ChunkFlags of a chunk.
type ChunkFlags uint8

const (
	ChunkVital  ChunkFlags = 1 // reliable: carries a sequence number
	ChunkResent ChunkFlags = 2 // sent before
)

// Chunk is one message of a packet.
type Chunk struct {
	Flags ChunkFlags
	// Seq is the sequence number of a vital chunk, 0..1023; otherwise 0.
	Seq int
	// Data is borrowed from the packet's payload.
	Data []byte
}

// ChunkReader iterates over the chunks of a payload, in order.
type ChunkReader struct {
	rest  []byte
	left  int
	split uint8 // bits of the size in a chunk's second byte: 6, or 4 in 0.6
	bad   bool
}

// Chunks returns an iterator over p's chunks. What follows the last promised
// chunk is ignored, as the original does.
func (p *Packet) Chunks() ChunkReader {
	return ChunkReader{rest: p.Payload, left: p.NumChunks, split: 6}
}

// Next reads the next chunk into c. It returns false at the end, and when the
// payload ends before the chunk does: then Err tells.
func (it *ChunkReader) Next(c *Chunk) bool {
	if it.left == 0 {
		return false
	}
	it.left--
	b := it.rest
	if len(b) < 2 {
		return it.fail()
	}
	c.Flags = ChunkFlags(b[0] >> 6)
	c.Seq = 0
	low := byte(1)<<it.split - 1
	size, head := int(b[0]&0x3f)<<it.split|int(b[1]&low), 2
	if c.Flags&ChunkVital != 0 {
		if len(b) < 3 {
			return it.fail()
		}
		c.Seq = int(b[1]&^low)<<2 | int(b[2])
		head = 3
	}
	if len(b)-head < size {
		return it.fail()
	}
	c.Data = b[head : head+size : head+size]
	it.rest = b[head+size:]
	return true
}

func (it *ChunkReader) fail() bool {
	it.left, it.bad = 0, true
	return false
}

// Err returns DropBadChunk if the payload ended within a chunk, otherwise nil.
func (it *ChunkReader) Err() error {
	if it.bad {
		return DropBadChunk
	}
	return nil
}

// Rest returns what follows the chunks read so far.
func (it *ChunkReader) Rest() []byte { return it.rest }

// AppendChunkHeader appends the header of a chunk of size bytes, 0..4095. seq is
// used by vital chunks only.
func AppendChunkHeader(dst []byte, flags ChunkFlags, seq, size int) []byte {
	b0, b1 := byte(flags&3)<<6|byte(size>>6&0x3f), byte(size&0x3f)
	if flags&ChunkVital == 0 {
		return append(dst, b0, b1)
	}
	return append(dst, b0, b1|byte(seq>>2)&0xc0, byte(seq))
}

// AppendChunk appends a chunk: its header and data of up to 4095 bytes.
func AppendChunk(dst []byte, flags ChunkFlags, seq int, data []byte) []byte {
	return append(AppendChunkHeader(dst, flags, seq, len(data)), data...)
}
