package msg6

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/protocol/packer"
)

var (
	// ErrUnknown means that the protocol has no such message or object.
	ErrUnknown = errors.New("unknown")
	// ErrReserved means that the original names the message but never sends it.
	ErrReserved = errors.New("reserved")
	// ErrRange means that a value of a message is outside the range of its field.
	ErrRange = errors.New("out of range")
	// ErrSize means that a snapshot object has the wrong number of integers.
	ErrSize = errors.New("wrong size")
)

// IDError reports a message that cannot be read because of its id.
type IDError struct {
	ID  int32 // as read, number×2 + system
	Err error // ErrUnknown or ErrReserved
}

// Error names the message.
func (e *IDError) Error() string {
	layer := "game"
	if e.ID&1 != 0 {
		layer = "system"
	}
	s := fmt.Sprintf("msg6: %s message %d", layer, e.ID>>1)
	if e.ID >= 0 && e.ID <= maxID {
		if d := ID(e.ID).Desc(); d != nil {
			s += " (" + d.Name + ")"
		}
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *IDError) Unwrap() error { return e.Err }

func idError(id int32) error {
	if id >= 0 && id <= maxID {
		if d := ID(id).Desc(); d != nil && d.Reserved {
			return &IDError{ID: id, Err: ErrReserved}
		}
	}
	return &IDError{ID: id, Err: ErrUnknown}
}

// FieldError reports a field of a message or object that cannot be accepted.
type FieldError struct {
	Name  string // of the message or object in the original
	Field string // Go name, with the enclosing field before a dot; "" for the size
	Value int32  // the value, if it is one that is out of range
	Err   error  // ErrRange, ErrSize, ErrUnknown or an error of package packer
}

// Error names message and field.
func (e *FieldError) Error() string {
	s := "msg6: " + e.Name
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

// fieldError makes the error of a field whose reading from u failed, or whose
// value v is out of range.
func fieldError(name, field string, v int32, u *packer.Unpacker) error {
	if err := u.Err(); err != nil {
		return &FieldError{Name: name, Field: field, Err: err}
	}
	return rangeError(name, field, v)
}

func rangeError(name, field string, v int32) error {
	return &FieldError{Name: name, Field: field, Value: v, Err: ErrRange}
}

func sizeError(name string, got, want int) error {
	return &FieldError{Name: name, Value: int32(got), Err: fmt.Errorf("%w, want %d integers", ErrSize, want)}
}

func shortError(name string, got, want int) error {
	return &FieldError{Name: name, Value: int32(got), Err: fmt.Errorf("%w, want %d integers or more", ErrSize, want)}
}

func typeError(typ int) error {
	return &FieldError{Name: fmt.Sprintf("object type %d", typ), Err: ErrUnknown}
}
