package datafile

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// storedBlock returns the bytes of block i as stored in the file.
func (f *File) storedBlock(i int) []byte {
	end := len(f.data)
	if i+1 < len(f.offsets) {
		end = int(f.offsets[i+1])
	}
	return f.data[f.offsets[i]:end]
}

// BlockSize returns the declared size of block i after decompression, in bytes, or 0 if there is no
// such block. In version 4 files it is unverified until Block is called, so do not allocate memory
// by it.
func (f *File) BlockSize(i int) int {
	switch {
	case i < 0 || i >= len(f.offsets):
		return 0
	case f.sizes != nil:
		return int(f.sizes[i])
	}
	return len(f.storedBlock(i))
}

// maxDeflateRatio is the maximum compression of a deflate stream: 258 bytes from two bits, and a
// little less in practice. A larger declared size must be wrong.
const maxDeflateRatio = 1032

// Block returns the content of block i, at most limit bytes.
//
// A block of a version 3 file points into the file's memory. For version 4, every call decompresses
// into new memory. The memory grows with the actual length of the stream, and that length must
// equal the declared size.
func (f *File) Block(i, limit int) ([]byte, error) {
	if i < 0 || i >= len(f.offsets) {
		return nil, fmt.Errorf("%w: %d; the file has %d", ErrNoBlock, i, len(f.offsets))
	}
	in := f.storedBlock(i)
	size := f.BlockSize(i)
	if size > limit {
		return nil, fmt.Errorf("%w: block %d declares %d bytes; the limit is %d", ErrLimit, i, size, limit)
	}
	if f.sizes == nil {
		return in, nil
	}
	if int64(size) > int64(len(in))*maxDeflateRatio {
		return nil, fmt.Errorf("%w: block %d declares %d bytes; its %d compressed bytes are too few for that", ErrFormat, i, size, len(in))
	}
	zr := inflaters.Get().(*inflater)
	defer inflaters.Put(zr)
	if err := zr.reset(in); err != nil {
		return nil, fmt.Errorf("%w: block %d: %w", ErrFormat, i, err)
	}
	out, err := readExactly(zr.z, size, 8*len(in)+512)
	if err != nil {
		return nil, fmt.Errorf("%w: block %d declares %d bytes; after %d bytes: %w", ErrFormat, i, size, len(out), err)
	}
	return out, nil
}

// inflater is a reusable zlib reader. A new one costs 40 KB, too much for a file with many small
// blocks.
type inflater struct {
	src bytes.Reader
	z   io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

func (r *inflater) reset(in []byte) (err error) {
	r.src.Reset(in)
	if r.z == nil {
		r.z, err = zlib.NewReader(&r.src)
		return err
	}
	return r.z.(zlib.Resetter).Reset(&r.src, nil)
}

var errTrailingData = errors.New("the compressed data continues")

// readExactly reads exactly size bytes and the end of the stream with its checksum. The buffer
// starts with first bytes and doubles.
func readExactly(r io.Reader, size, first int) ([]byte, error) {
	out := make([]byte, 0, min(size, first))
	for len(out) < size {
		if len(out) == cap(out) {
			out = slices.Grow(out, min(size, 2*cap(out))-len(out))
		}
		n, err := io.ReadFull(r, out[len(out):min(cap(out), size)])
		out = out[:len(out)+n]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return out, err
		}
	}
	var one [1]byte
	switch n, err := r.Read(one[:]); {
	case n > 0:
		return out, errTrailingData
	case err != io.EOF:
		return out, err
	}
	return out, nil
}
