package msg6

import "github.com/teeyard/teeyard/protocol/message"

const version = message.Version("msg6")

// What errors wrap, the same in all versions.
var (
	// ErrUnknown means that the protocol has no such message or object.
	ErrUnknown = message.ErrUnknown
	// ErrReserved means that the original names the message but never sends it.
	ErrReserved = message.ErrReserved
	// ErrRange means that a value is outside the range of its field.
	ErrRange = message.ErrRange
	// ErrSize means that a snapshot object has the wrong number of integers.
	ErrSize = message.ErrSize
)

// IDError reports a message that cannot be read because of its id.
type IDError = message.IDError

// NewFieldError reports a field of a message or object that cannot be accepted.
type FieldError = message.FieldError
