package message

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/protocol/packer"
)

var (
	// ErrUnknown means that the protocol does not define the message or object.
	ErrUnknown = errors.New("unknown")
	// ErrReserved means that the original names the message but never sends it.
	ErrReserved = errors.New("reserved")
	// ErrRange means that a value is outside the range of its field.
	ErrRange = errors.New("out of range")
	// ErrSize means that a snapshot object has the wrong number of integers.
	ErrSize = errors.New("wrong size")
)

// IDError is the error for a message that cannot be read because of its id.
type IDError struct {
	Version Version
	ID      int32  // as read: number×2, plus 1 for system messages
	Name    string // the original's name of the message, "" if unknown
	Err     error  // ErrUnknown or ErrReserved
}

// Error describes the message by its name or number.
func (e *IDError) Error() string {
	layer := "game"
	if e.ID&1 != 0 {
		layer = "system"
	}
	s := fmt.Sprintf("%s: %s message %d", e.Version, layer, e.ID>>1)
	if e.Name != "" {
		s += " (" + e.Name + ")"
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *IDError) Unwrap() error { return e.Err }

// FieldError is the error for a field of a message or object that is rejected.
type FieldError struct {
	Version Version
	Name    string // the original's name of the message or object
	Field   string // Go name, with the enclosing field before a dot; "" for the size
	Value   int32  // the value, if it is out of range
	Err     error  // ErrRange, ErrSize, ErrUnknown or an error of package packer
}

// Error names the message and the field.
func (e *FieldError) Error() string {
	s := string(e.Version) + ": " + e.Name
	if e.Field != "" {
		s += "." + e.Field
	}
	if errors.Is(e.Err, ErrRange) || errors.Is(e.Err, ErrSize) {
		return fmt.Sprintf("%s = %d: %v", s, e.Value, e.Err)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *FieldError) Unwrap() error { return e.Err }

// Version is the name of the package of a protocol version, msg6 or msg7. The methods of Version
// create the errors of that package.
type Version string

// NewIDError returns the error for a message with the given id. d is its description, or nil.
func (v Version) NewIDError(id int32, d *Desc) error {
	e := &IDError{Version: v, ID: id, Err: ErrUnknown}
	if d != nil {
		e.Name = d.Name
		if d.Reserved {
			e.Err = ErrReserved
		}
	}
	return e
}

// NewFieldError returns the error for a field that could not be read from u, or whose value is out
// of range.
func (v Version) NewFieldError(name, field string, value int32, u *packer.Unpacker) error {
	if err := u.Err(); err != nil {
		return &FieldError{Version: v, Name: name, Field: field, Err: err}
	}
	return v.NewRangeError(name, field, value)
}

// NewRangeError returns the error for a field whose value is out of range.
func (v Version) NewRangeError(name, field string, value int32) error {
	return &FieldError{Version: v, Name: name, Field: field, Value: value, Err: ErrRange}
}

// NewSizeError returns the error for an object with a wrong number of integers.
func (v Version) NewSizeError(name string, got, want int) error {
	return &FieldError{Version: v, Name: name, Value: int32(got), Err: fmt.Errorf("%w, want %d integers", ErrSize, want)}
}

// NewShortError returns the error for an object with too few integers.
func (v Version) NewShortError(name string, got, want int) error {
	return &FieldError{Version: v, Name: name, Value: int32(got), Err: fmt.Errorf("%w, want %d integers or more", ErrSize, want)}
}

// NewTypeError returns the error for an object of an unknown type.
func (v Version) NewTypeError(typ int) error {
	return &FieldError{Version: v, Name: fmt.Sprintf("object type %d", typ), Err: ErrUnknown}
}
