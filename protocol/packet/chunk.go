package packet

// ChunkFlags are the flags of a chunk.
type ChunkFlags uint8

const (
	ChunkVital  ChunkFlags = 1 // reliable: has a sequence number
	ChunkResent ChunkFlags = 2 // sent before
)

// Chunk is one message in a packet.
type Chunk struct {
	Flags ChunkFlags
	// Seq is the sequence number of a vital chunk, 0..1023; otherwise 0.
	Seq int
	// Data is borrowed from the packet's payload.
	Data []byte
}

// ChunkReader reads the chunks of a payload in order.
type ChunkReader struct {
	rest      []byte
	left      int   // number of chunks left
	sizeBits  uint8 // bits of the size in a chunk's second byte: 6, or 4 in 0.6
	truncated bool
}

// Chunks returns a reader of p's chunks. Like the original, it ignores bytes after the last chunk.
func (p *Packet) Chunks() ChunkReader {
	return ChunkReader{rest: p.Payload, left: p.NumChunks, sizeBits: 6}
}

// Next reads the next chunk into c. Next returns false at the end of the chunks, or if the payload
// ends within a chunk; Err then returns an error.
func (r *ChunkReader) Next(c *Chunk) bool {
	if r.left == 0 {
		return false
	}
	r.left--
	b := r.rest
	if len(b) < 2 {
		return r.fail()
	}
	c.Flags = ChunkFlags(b[0] >> 6)
	c.Seq = 0
	low := byte(1)<<r.sizeBits - 1
	size, headerSize := int(b[0]&0x3f)<<r.sizeBits|int(b[1]&low), 2
	if c.Flags&ChunkVital != 0 {
		if len(b) < 3 {
			return r.fail()
		}
		c.Seq = int(b[1]&^low)<<2 | int(b[2])
		headerSize = 3
	}
	if len(b)-headerSize < size {
		return r.fail()
	}
	c.Data = b[headerSize : headerSize+size : headerSize+size]
	r.rest = b[headerSize+size:]
	return true
}

func (r *ChunkReader) fail() bool {
	r.left, r.truncated = 0, true
	return false
}

// Err returns DropBadChunk if the payload ended within a chunk, otherwise nil.
func (r *ChunkReader) Err() error {
	if r.truncated {
		return DropBadChunk
	}
	return nil
}

// Rest returns the bytes after the chunks read so far.
func (r *ChunkReader) Rest() []byte { return r.rest }

// AppendChunkHeader appends the header of a chunk of size bytes, 0..4095. seq is used only for
// vital chunks.
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
