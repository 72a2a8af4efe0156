package store

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// magic is the start of a file; its last byte is the version of the format.
const magic = "TEESTOR\x01"

// A record is a change, in the file its fields: numbers as varints, texts after their length.
type record struct {
	writer   uint64 // random for each Journal; 0 in a file that was made anew
	number   uint64 // ascending for each writer
	op       op
	space    string
	key      string // of a value, or of the table
	row      string // its name
	value    string // of the key or row
	score    int64
	lowFirst bool
}

// op is what a record does.
type op uint8

// The operations, with their numbers in the file.
const (
	opPut    op = iota + 1 // sets a value, "" deletes it
	opBest                 // puts a row if it is better
	opAdd                  // adds to a row
	opDrop                 // deletes a row
	opRow                  // sets a row; in files that were made anew
	opWriter               // says only that all records of the writer up to number count
	numOps
)

// maxRecord limits the body of a record.
const maxRecord = 2*game.MaxStoreValue + 4*game.MaxStoreName + 64

func (r *record) append(dst []byte) []byte {
	at := len(dst)
	dst = recordfile.Begin(dst)
	dst = binary.LittleEndian.AppendUint64(dst, r.writer)
	dst = binary.AppendUvarint(dst, r.number)
	dst = append(dst, byte(r.op))
	for _, s := range []string{r.space, r.key, r.row, r.value} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	dst = binary.AppendVarint(dst, r.score)
	low := byte(0)
	if r.lowFirst {
		low = 1
	}
	return recordfile.End(append(dst, low), at)
}

func (r *record) parse(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	r.writer, b = binary.LittleEndian.Uint64(b), b[8:]
	var n int
	if r.number, n = binary.Uvarint(b); n <= 0 || n == len(b) {
		return false
	}
	r.op, b = op(b[n]), b[n+1:]
	for _, s := range []*string{&r.space, &r.key, &r.row, &r.value} {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return false
		}
		b = b[n:]
		*s, b = string(b[:length]), b[length:]
	}
	if r.score, n = binary.Varint(b); n <= 0 || len(b) != n+1 || b[n] > 1 {
		return false
	}
	r.lowFirst = b[n] == 1
	return r.op > 0 && r.op < numOps && len(r.space) <= game.MaxStoreName && len(r.key) <= game.MaxStoreName &&
		len(r.row) <= game.MaxStoreName && len(r.value) <= game.MaxStoreValue
}
