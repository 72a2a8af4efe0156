package ws

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/transport"
)

// Parts of a frame's header; see RFC 6455, section 5.2.
const (
	frameFinal    = 0x80
	frameReserved = 0x70
	frameKind     = 0x0f
	frameMasked   = 0x80
	frameLength16 = 126
	frameLength64 = 127
	maxHeader     = 14
	maxControl    = 125 // bytes of a control frame
)

// Kinds of frames.
const (
	kindNone   = -1 // of an incomplete frame
	kindMore   = 0  // continues a message
	kindText   = 1
	kindBinary = 2
	kindClose  = 8
	kindPing   = 9
	kindPong   = 10
)

// maxMessage is the size in bytes of the longest message.
const maxMessage = numberSize + transport.MaxDatagram

// appendFrame appends a frame with a payload in parts. Clients must mask their frames.
func appendFrame(dst []byte, masked bool, kind byte, number []byte, data []byte) []byte {
	start, size := len(dst), len(number)+len(data)
	if size < frameLength16 {
		dst = append(dst, frameFinal|kind, byte(size))
	} else {
		dst = append(dst, frameFinal|kind, frameLength16, byte(size>>8), byte(size))
	}
	var key [4]byte
	if masked {
		binary.NativeEndian.PutUint32(key[:], rand.Uint32())
		dst[start+1] |= frameMasked
		dst = append(dst, key[:]...)
	}
	payload := len(dst)
	dst = append(append(dst, number...), data...)
	if masked {
		mask(dst[payload:], key)
	}
	return dst
}

// frameSize returns the size of the first frame of b, one of appendFrame's.
func frameSize(b []byte) int {
	size, n := 2, int(b[1]&^frameMasked)
	if n == frameLength16 {
		size, n = 4, int(binary.BigEndian.Uint16(b[2:]))
	}
	if b[1]&frameMasked != 0 {
		size += 4
	}
	return size + n
}

func mask(b []byte, key [4]byte) {
	for i := range b {
		b[i] ^= key[i%len(key)]
	}
}

// closeError is a reason to end a connection that the peer is told.
type closeError struct {
	code websocket.StatusCode
	text string
}

func (e *closeError) Error() string { return e.text }

// payload returns the payload of a frame that ends the connection.
func (e *closeError) payload() []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(e.code)), e.text...)
}

var (
	errText      = &closeError{websocket.StatusUnsupportedData, "send datagrams as binary messages"}
	errTooLong   = &closeError{websocket.StatusMessageTooBig, "the message is longer than a datagram"}
	errProtocol  = &closeError{websocket.StatusProtocolError, "the frame is invalid"}
	errGoing     = &closeError{websocket.StatusGoingAway, ""}
	errNormal    = &closeError{websocket.StatusNormalClosure, ""}
	errNoMessage = errors.New("too many frames without a message")
)

// maxWithoutMessage is the maximum number of bytes between two messages. A datagram needs less even
// if each byte is in a frame of its own, but a message may contain any number of empty frames.
const maxWithoutMessage = 64 << 10

// input parses the frames of a client.
type input struct {
	buf            [4096]byte // longer than any frame
	parsed, filled int        // the bytes of buf that are not parsed
	message        []byte     // from the frames of an incomplete message
	begun          bool       // a message is incomplete
	unheard        int        // bytes since the last message
}

// space returns the memory for more bytes. It is empty only if next returns a frame.
func (in *input) space() []byte {
	in.filled = copy(in.buf[:], in.buf[in.parsed:in.filled])
	in.parsed = 0
	return in.buf[in.filled:]
}

// add adds n bytes, which are in the memory from space.
func (in *input) add(n int) {
	in.filled += n
	in.unheard += n
}

// next returns the next message or control frame, or kindNone if it is incomplete. The payload is
// valid until the next call of a method. The client chooses every byte.
func (in *input) next() (kind int, payload []byte, err error) {
	for {
		b := in.buf[in.parsed:in.filled]
		if in.unheard > maxWithoutMessage {
			return kindNone, nil, errNoMessage
		}
		if len(b) < 2 {
			return kindNone, nil, nil
		}
		head, size := 2, int(b[1]&^frameMasked)
		switch size {
		case frameLength16:
			head = 4
		case frameLength64:
			head = 10
		}
		if len(b) < head {
			return kindNone, nil, nil
		}
		switch size {
		case frameLength16:
			size = int(binary.BigEndian.Uint16(b[2:]))
		case frameLength64:
			size = int(min(binary.BigEndian.Uint64(b[2:]), maxMessage+1))
		}
		kind, final := int(b[0]&frameKind), b[0]&frameFinal != 0
		if err := in.check(kind, size, final); err != nil {
			return kindNone, nil, err
		}
		if b[0]&frameReserved != 0 || b[1]&frameMasked == 0 {
			return kindNone, nil, errProtocol
		}
		if len(b) < head+4+size {
			return kindNone, nil, nil
		}
		payload := b[head+4:][:size]
		mask(payload, [4]byte(b[head:]))
		in.parsed += head + 4 + size
		if kind > kindBinary || final && !in.begun {
			return kind, payload, nil
		}
		in.message = append(in.message, payload...)
		if in.begun = !final; final {
			payload, in.message = in.message, in.message[:0]
			return kindBinary, payload, nil
		}
	}
}

// check returns an error if a frame must not follow the ones before it, or is too long.
func (in *input) check(kind, size int, final bool) error {
	switch kind {
	case kindText:
		return errText
	case kindMore, kindBinary:
		if (kind == kindMore) != in.begun {
			return errProtocol
		}
		if len(in.message)+size > maxMessage {
			return errTooLong
		}
	case kindClose, kindPing, kindPong:
		if !final || size > maxControl {
			return errProtocol
		}
	default:
		return errProtocol
	}
	return nil
}
