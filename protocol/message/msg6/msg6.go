// Package msg6 contains the messages and snapshot objects of Teeworlds 0.6 and of its extension
// DDNet as Go types. The types represent the wire format exactly: decoding and encoding gives the
// same bytes. The package is complete for 0.6.5 and DDNet 16.4. From later DDNet releases it
// contains additions that did not change existing messages.
//
// Messages are read with a [Decoder], or with the Unpack method of their type, and written with
// Append. Reading checks the range of every field and rejects the whole message if one is wrong, as
// the original programs do. Writing does not check: the peer drops a message with a wrong value.
//
// Snapshot objects are read with ReadInts and written with PutInts. 0.6 does not reject objects for
// their values, so ReadInts fails only for a wrong number of integers. Call Clamp before you use
// the values: it moves them into their range, as DDNet does.
//
// DDNet's own messages and objects have a UUID instead of a number. The [ID] of such a message has
// a meaning only in this package; unknown messages are read as [SystemEx] or [GameEx]. The Type of
// such an object is larger than all types on the wire; a [TypeRegistry] maps it to the type that a
// snapshot uses.
//
// Strings are []byte, borrowed from the buffer they were read from and sanitised in place.
//
// Most of the package is generated from protocol/message/schema. The files without _gen in their
// names contain the exceptions to the common rules.
package msg6

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// version creates the errors of this package.
const version = message.Version("msg6")

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
// Messages with a UUID have the number 0 on the wire. Here they have higher numbers, in the order
// of the schema.
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
	n := id.Number()
	if n >= firstExtended {
		table, n = extendedDescs[:], n-firstExtended
		if n < len(table) && extendedIDs[extendedUUIDs[n]] != id {
			return nil // the number belongs to the other layer
		}
	}
	if n < len(table) {
		return &table[n]
	}
	return nil
}

// Extended reports whether the message has a UUID on the wire.
func (id ID) Extended() bool { return id.Number() >= firstExtended }

// UUID returns the UUID of a message that has one; ok is false for others.
func (id ID) UUID() (u UUID, ok bool) {
	if d := id.Desc(); d == nil || d.Extension == "" {
		return UUID{}, false
	}
	return extendedUUIDs[id.Number()-firstExtended], true
}

// ExtendedID returns the id of the message with UUID u. ok is false if the UUID is unknown or
// belongs to the other layer.
func ExtendedID(u UUID, system bool) (id ID, ok bool) {
	id, ok = extendedIDs[u]
	return id, ok && id.System() == system
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
	// ObjectType returns the type of the item, one of the Type constants. For objects with a UUID,
	// it is not the number on the wire.
	ObjectType() int
	// ObjectSize returns the number of integers that PutInts writes.
	ObjectSize() int
	// PutInts writes the integers to dst. dst must have room for ObjectSize of them.
	PutInts(dst []int32)
	// ReadInts reads the item from src, whatever its values. If the number of integers is wrong, it
	// leaves the item unchanged and returns a *message.FieldError.
	ReadInts(src []int32) error
	// Clamp moves values that are out of range into it and returns their number. DDNet does this
	// with every object that it receives. Teeworlds 0.6 only counts such values.
	Clamp() int
}

// ObjectName returns the original's name of a type of snapshot object, or "" for unknown types.
func ObjectName(typ int) string {
	if i := typ - firstExtendedType; i >= 0 && i < len(extendedTypes) {
		return extendedTypes[i].name
	}
	if typ < 0 || typ >= len(objectNames) {
		return ""
	}
	return objectNames[typ]
}

// Decode reads the message in payload, the data of a chunk. The payload is borrowed, and its
// strings are sanitised in place.
//
// A message with an unknown UUID is returned as *SystemEx or *GameEx, without an error. The error
// is a *message.IDError that wraps message.ErrUnknown or message.ErrReserved, or a
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
	if ID(id).Number() == 0 && d.u.Len() >= len(UUID{}) {
		ext, ok := ExtendedID(UUID(d.u.Raw(len(UUID{}))), ID(id).System())
		if ok {
			return d.decode(ext)
		}
		d.u.Reset(payload)
		d.u.Int()
	}
	return d.decode(ID(id))
}

// maxID is the largest id that can be on the wire. maxID is far above all known ids, and below the
// ids of messages with a UUID.
const maxID = firstExtended<<1 - 1

// TrailingBytes returns the number of unread bytes after the last message. Receivers ignore them.
func (d *Decoder) TrailingBytes() int { return d.u.Len() }

// appendExtended appends the beginning of a message with a UUID: its id and UUID.
func appendExtended(dst []byte, id ID) []byte {
	dst = append(dst, byte(id&1)) // number 0 and the layer
	return append(dst, extendedUUIDs[id.Number()-firstExtended][:]...)
}

// appendInts appends the integers up to the end of the message, but at most limit of them. Like the
// original, it ignores a truncated last integer.
func appendInts(dst []int32, u *packer.Unpacker, limit int) []int32 {
	for len(dst) < limit && u.Len() > 0 {
		v := u.Int()
		if u.Err() != nil {
			break
		}
		dst = append(dst, v)
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

const maxInt = 1<<31 - 1

// clamp limits *v to lo..hi and returns 1 if it was outside, else 0.
func clamp[T ~int32](v *T, lo, hi T) int {
	c := min(max(*v, lo), hi)
	if c == *v {
		return 0
	}
	*v = c
	return 1
}
