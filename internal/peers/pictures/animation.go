// Package pictures makes the pictures of the pages in docs/images. scripts/pictures runs it.
package pictures

import (
	"encoding/binary"
	"errors"
	"time"
)

// errFrame means that a frame is not a lossy WebP without transparency.
var errFrame = errors.New("pictures: the frame is not a lossy WebP picture")

// Animate joins WebP pictures of one size, in pixels, to an animation that repeats without end.
// Each frame is shown for the time each, in whole ms. Format: RFC 9649, section 2.7.
func Animate(frames [][]byte, width, height int, each time.Duration) ([]byte, error) {
	canvas := make([]byte, 10)
	canvas[0] = 1 << 1 // it is an animation
	put24(canvas[4:], width-1)
	put24(canvas[7:], height-1)
	body := append([]byte("WEBP"), chunk("VP8X", canvas)...)
	body = append(body, chunk("ANIM", make([]byte, 6))...)
	for _, f := range frames {
		picture, ok := find(f, "VP8 ")
		if !ok {
			return nil, errFrame
		}
		head := make([]byte, 16)
		put24(head[6:], width-1)
		put24(head[9:], height-1)
		put24(head[12:], int(each.Milliseconds()))
		head[15] = 1 << 1 // it replaces the frame before
		body = append(body, chunk("ANMF", append(head, chunk("VP8 ", picture)...))...)
	}
	return chunk("RIFF", body), nil
}

// find returns the content of the first chunk of a kind.
func find(file []byte, kind string) (content []byte, ok bool) {
	const head = 12 // RIFF, size, WEBP
	for at := head; at+8 <= len(file); {
		size := int(binary.LittleEndian.Uint32(file[at+4:]))
		if size > len(file)-at-8 {
			break
		}
		if string(file[at:at+4]) == kind {
			return file[at+8:][:size], true
		}
		at += 8 + size + size&1
	}
	return nil, false
}

func chunk(kind string, content []byte) []byte {
	b := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(content)))...)
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func put24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }
