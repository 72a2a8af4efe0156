package store

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// magic begins a file. Its last byte is the version of the format.
const magic = "TEESTOR\x01"

// record is a change. The file contains its fields: numbers as varints, texts after their length.
type record struct {
	writer   uint64 // random for each Journal; 0 in a rewritten file
	number   uint64 // ascending for each writer
	op       op
	space    string
	key      string // of the value or the table
	row      string // name of the row
	value    string // of the key or row
	score    int64
	lowFirst bool
}

// op is the operation of a record.
type op uint8

// The operations with their numbers in the file.
const (
	opPut    op = iota + 1 // sets a value; an empty one deletes it
	opBest                 // sets a row if the score is better
	opAdd                  // adds to the score of a row
	opDrop                 // deletes a row
	opRow                  // sets a row; only in rewritten files
	opWriter               // states that all records of the writer up to number are included
	numOps
)

// maxRecord limits the bytes of the body of a record.
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
