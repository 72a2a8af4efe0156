package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/teeyard/teeyard/game"
)

// magic is the start of a file; its last byte is the version of the format.
const magic = "TEESTOR\x01"

// A record is a change. In the file it has a head of 4 bytes with the length of its body and 4 with
// the CRC-32C of both, little endian. The body is the record's fields: numbers as varints, texts
// after their length.
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

const (
	headSize = 8
	// maxRecord limits the body of a record.
	maxRecord = 2*game.MaxStoreValue + 4*game.MaxStoreName + 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (r *record) append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, headSize)...)
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
	dst = append(dst, low)
	head := dst[at : at+headSize]
	binary.LittleEndian.PutUint32(head, uint32(len(dst)-at-headSize))
	binary.LittleEndian.PutUint32(head[4:], checksum(head[:4], dst[at+headSize:]))
	return dst
}

func checksum(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// parseRecord reads the record at the start of b. It returns a size of 0 if there is none.
func parseRecord(b []byte) (r record, size int) {
	if len(b) < headSize {
		return r, 0
	}
	n := binary.LittleEndian.Uint32(b)
	if n > maxRecord || int(n) > len(b)-headSize {
		return r, 0
	}
	body := b[headSize : headSize+int(n)]
	if checksum(b[:4], body) != binary.LittleEndian.Uint32(b[4:]) || !r.parse(body) {
		return record{}, 0
	}
	return r, headSize + int(n)
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

// parseRecords calls found for the records in b. It returns the end of the last one, and how many
// bytes before it are none: what follows after the end is the beginning of a record that was
// not written to its end, and what is damaged in between is skipped.
func parseRecords(b []byte, found func(*record)) (end, damaged int) {
	// After a crash, some file systems have zeros in place of what was written last.
	zeros := len(bytes.TrimRight(b, "\x00"))
	// What looks like a record costs as much as one, so the search has to end.
	work := 8*len(b) + maxRecord
	for at := 0; at < len(b) && work > 0; {
		r, size := parseRecord(b[at:])
		if size == 0 {
			if at >= zeros {
				break
			}
			if rest := len(b) - at - headSize; rest >= 0 {
				if n := binary.LittleEndian.Uint32(b[at:]); n <= maxRecord && int(n) <= rest {
					work -= int(n)
				}
			}
			at++
			continue
		}
		found(&r)
		damaged += at - end
		at += size
		end = at
	}
	if work <= 0 {
		damaged += len(b) - end // or so; nobody looked at all of it
	}
	return end, damaged
}
