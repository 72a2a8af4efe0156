// Package msg7 contains the messages and snapshot objects of Teeworlds 0.7 as Go types,
// exactly as they are on the wire: decoding and encoding gives the same bytes.
//
// Messages are read with a [Decoder], or with the Unpack method of their type, and
// written with Append. Snapshot objects are read with ReadInts and written with PutInts.
// Reading checks the range of every field and drops the whole message or object if one is
// wrong, as the original programs do. Writing does not check: the peer drops a message
// with a wrong value.
//
// Strings are []byte and borrowed from the buffer they were read from, in which they were
// sanitised in place.
//
// Most of the package is generated from protocol/message/schema. The files without _gen
// in their name contain what does not follow the common rules.
package msg7

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// version makes the errors of this package.
const version = message.Version("msg7")

// Message is a system or game message.
type Message interface {
	// ID returns the id of the message's type.
	ID() ID
	// Append appends the message as it is on the wire, its id first, and returns
	// the extended slice. Strings longer than their limit are cut.
	Append(dst []byte) []byte
	// Unpack reads the message from u, which must stand behind the id. Strings
	// are borrowed from u's buffer. After an error, which is a *NewFieldError, the
	// message is in an undefined state.
	Unpack(u *packer.Unpacker) error
}

// ID identifies a type of message like the first integer on the wire: the number
// within its layer times two, plus 1 for system messages. The constants are ID and
// the name of the Go type.
type ID uint16

// System reports whether it is a system message, which belongs to the connection and
// not to the game.
func (id ID) System() bool { return id&1 != 0 }

// Number returns the number of the message within its layer, system or game.
func (id ID) Number() int { return int(id >> 1) }

// Desc returns the description of the message, or nil for an unknown one. It is
// shared and must not be changed.
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

// String returns the name of the message in the original, such as SNAPSINGLE or
// Sv_Chat.
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
	// ObjectSize returns the number of integers it has.
	ObjectSize() int
	// PutInts writes them to dst, which must have room for ObjectSize of them.
	PutInts(dst []int32)
	// ReadInts reads them from src. It fails if their number or a value is wrong, and
	// then leaves the object as it is. The error is a *NewFieldError.
	ReadInts(src []int32) error
}

// ObjectName returns the name of a type of snapshot object in the original, or "" for
// unknown types.
func ObjectName(typ int) string {
	if typ < 0 || typ >= len(objectNames) {
		return ""
	}
	return objectNames[typ]
}

// Decode reads the message in payload, the data of a chunk. The payload is borrowed,
// and its strings are sanitised in place.
//
// The error is a *message.IDError, which wraps message.ErrUnknown or
// message.ErrReserved, or a *message.FieldError, which wraps message.ErrRange or the
// error of the Unpacker. No message is returned then.
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

// maxID is the largest id that fits an ID. It is far above all known ids.
const maxID = 1<<16 - 1

// TrailingBytes returns how many bytes after the last message were not read.
// Receivers ignore them.
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
