// Package uuid makes UUIDs as text (RFC 9562).
package uuid

import (
	"crypto/rand"
	"fmt"
	"time"
)

// Random returns a random UUID, version 4.
func Random() string { return format(4) }

// At returns a UUID that begins with a time, version 7. Such UUIDs sort by time, in milliseconds.
func At(t time.Time) string {
	ms := t.UnixMilli()
	return format(7, byte(ms>>40), byte(ms>>32), byte(ms>>24), byte(ms>>16), byte(ms>>8), byte(ms))
}

// format returns a UUID of a version. It begins with some bytes, and the rest is random.
func format(version byte, begin ...byte) string {
	var b [16]byte
	rand.Read(b[copy(b[:], begin):]) // never fails
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
