// Package msg7 contains the messages and snapshot objects of Teeworlds 0.7 as Go types. The types
// represent the wire format exactly: decoding and encoding gives the same bytes.
//
// Messages are read with a [Decoder], or with the Unpack method of their type, and written with
// Append. Snapshot objects are read with ReadInts and written with PutInts. Reading checks the
// range of every field and rejects the whole message or object if one is wrong, as the original
// programs do. Writing does not check: the peer drops a message with a wrong value.
//
// Strings are []byte, borrowed from the buffer they were read from and sanitised in place.
//
// Most of the package is generated from protocol/message/schema. The files without _gen in their
// names contain the exceptions to the common rules.
package msg7

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// version creates the errors of this package.
const version = message.Version("msg7")

// Message is a system or game message.
type Message interface {
	// ID returns the id of the message's type.
	ID() ID
	// Append appends the message in its wire form, id first, and returns the extended slice.
	// Strings longer than their limit are cut.
	Append(dst []byte) []byte
	// Unpack reads the message from u. The position of u must be after the id. Strings are borrowed
	// from u's buffer. The error is a *message.FieldError; the contents of the message are then
	// undefined.
	Unpack(u *packer.Unpacker) error
}

// ID identifies a type of message by the first integer on the wire: the number within its layer
// times two, plus 1 for system messages. The constants are named ID plus the name of the Go type.
type ID uint16

// System reports whether the message is a system message. System messages belong to the connection,
// game messages to the game.
func (id ID) System() bool { return id&1 != 0 }

// Number returns the number of the message within its layer, system or game.
func (id ID) Number() int { return int(id >> 1) }

// Desc returns the description of the message, or nil for an unknown one. The description is shared
// and must not be modified.
func (id ID) Desc() *message.Desc {
	table := gameDescs[:]
	if id.System() {
		table = systemDescs[:]
	}
	if n := id.Number(); n < len(table) {
		return &table[n]
	}
	return nil
}

// String returns the original's name of the message, such as SNAPSINGLE or Sv_Chat.
func (id ID) String() string {
	if d := id.Desc(); d != nil {
		return d.Name
	}
	if id.System() {
		return fmt.Sprintf("system message %d", id.Number())
	}
	return fmt.Sprintf("game message %d", id.Number())
}

// Object is an item of a snapshot.
type Object interface {
	// ObjectType returns the type of the item.
	ObjectType() int
	// ObjectSize returns the number of integers in the item.
	ObjectSize() int
	// PutInts writes the integers to dst. dst must have room for ObjectSize of them.
	PutInts(dst []int32)
	// ReadInts reads the item from src. If the number of integers or a value is wrong, it leaves
	// the item unchanged and returns a *message.FieldError.
	ReadInts(src []int32) error
}

// ObjectName returns the original's name of a type of snapshot object, or "" for unknown types.
func ObjectName(typ int) string {
	if typ < 0 || typ >= len(objectNames) {
		return ""
	}
	return objectNames[typ]
}

// Decode reads the message in payload, the data of a chunk. The payload is borrowed, and its
// strings are sanitised in place.
//
// The error is a *message.IDError that wraps message.ErrUnknown or message.ErrReserved, or a
// *message.FieldError that wraps message.ErrRange or an error of the Unpacker. Decode returns no
// message with an error.
func (d *Decoder) Decode(payload []byte) (Message, error) {
	d.u.Reset(payload)
	id := d.u.Int()
	if err := d.u.Err(); err != nil {
		return nil, &message.FieldError{Version: version, Name: "message", Field: "id", Err: err}
	}
	if id < 0 || id > maxID {
		return nil, version.NewIDError(id, nil)
	}
	return d.decode(ID(id))
}

// maxID is the largest number that fits an ID. maxID is far above all known ids.
const maxID = 1<<16 - 1

// TrailingBytes returns the number of unread bytes after the last message. Receivers ignore them.
func (d *Decoder) TrailingBytes() int { return d.u.Len() }

func appendBool(dst []byte, b bool) []byte {
	return append(dst, byte(bit(b)))
}

func bit(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
