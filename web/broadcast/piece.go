package broadcast

import (
	"bytes"
	"io"
)

// piece is a part of a demo: bytes, or a part of the match's file.
type piece struct {
	data         []byte
	zipped       []byte // gzipped data; nil for none
	offset, size int64
}

// reader returns a reader of the piece, in memory or in the file.
func (p *piece) reader(file io.ReaderAt) io.ReadSeeker {
	if p.data != nil {
		return bytes.NewReader(p.data)
	}
	return io.NewSectionReader(file, p.offset, p.size)
}

func (p *piece) length() int64 {
	if p.data != nil {
		return int64(len(p.data))
	}
	return p.size
}

// totalSize returns the size of pieces in bytes.
func totalSize(pieces []piece) (size int64) {
	for i := range pieces {
		size += pieces[i].length()
	}
	return size
}

// joined returns a reader of pieces one after another, and their total size.
func joined(pieces []piece, file io.ReaderAt) (io.Reader, int64) {
	readers := make([]io.Reader, len(pieces))
	for i := range pieces {
		readers[i] = pieces[i].reader(file)
	}
	return io.MultiReader(readers...), totalSize(pieces)
}
