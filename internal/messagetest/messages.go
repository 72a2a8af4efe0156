package messagetest

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// KnownIDs checks that the package knows exactly the ids up to the last one of each layer, and that
// it cannot decode the reserved ones. maxWire is the highest id to try.
func (s *Suite[I, M, O]) KnownIDs(t *testing.T, lastSystem, lastGame int, maxWire int32, reserved ...string) {
	var seen []string
	for wire := range maxWire + 1 {
		id := I(wire)
		m, err := s.NewDecoder().Decode(packer.AppendInt(nil, wire))
		desc := id.Desc()
		known := id.System() && id.Number() <= lastSystem || !id.System() && id.Number() <= lastGame
		switch {
		case !known:
			if desc != nil || !errors.Is(err, message.ErrUnknown) {
				t.Errorf("%v: %v, %+v; want ErrUnknown", id, err, desc)
			}
		case desc.Reserved:
			seen = append(seen, desc.Name)
			if !errors.Is(err, message.ErrReserved) || s.messages[id] != nil {
				t.Errorf("%v: %v, want ErrReserved", id, err)
			}
		default:
			if errors.Is(err, message.ErrReserved) || errors.Is(err, message.ErrUnknown) || s.messages[id] == nil {
				t.Errorf("%v: %v, %v", id, m, err)
			}
			if desc.Doc == "" || desc.Name == "" {
				t.Errorf("%v has no description", id)
			}
		}
	}
	slices.Sort(seen)
	slices.Sort(reserved)
	if !slices.Equal(seen, reserved) {
		t.Errorf("reserved: %v, want %v", seen, reserved)
	}
	for _, wire := range []int32{-1, -2, maxWire + 1, 1 << 16, 1<<16 + 3, 1<<31 - 1} {
		if _, err := s.NewDecoder().Decode(packer.AppendInt(nil, wire)); !errors.Is(err, message.ErrUnknown) {
			t.Errorf("id %d: %v, want ErrUnknown", wire, err)
		}
	}
}

// RoundTrip appends random messages of each type and decodes them: whole, cut short and with extra
// bytes.
func (s *Suite[I, M, O]) RoundTrip(t *testing.T) {
	for _, id := range s.IDs() {
		t.Run(id.String(), func(t *testing.T) {
			d := s.NewDecoder()
			rapid.Check(t, func(t *rapid.T) {
				want := s.DrawMessage(t, id)
				b := want.Append(nil)
				got, err := d.Decode(bytes.Clone(b))
				if err != nil {
					t.Fatalf("%+v\n%x: %v", want, b, err)
				}
				if !equal(got, want) {
					t.Fatalf("%x\ngot  %+v\nwant %+v", b, got, want)
				}
				if again := got.Append(nil); !bytes.Equal(again, b) {
					t.Fatalf("appended again: %x, want %x", again, b)
				}
				if d.TrailingBytes() != 0 {
					t.Fatalf("%d bytes of %x were not read", d.TrailingBytes(), b)
				}
				cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
				if got, err = d.Decode(bytes.Clone(b[:cut])); err != nil {
					var fe *message.FieldError
					if any(got) != nil || !errors.As(err, &fe) || fe.Name == "" || fe.Field == "" {
						t.Fatalf("cut to %x: %+v, %#v", b[:cut], got, err)
					}
				}
				if s.takesRest(want) {
					return
				}
				got, err = d.Decode(append(bytes.Clone(b), "surplus"...))
				if err != nil || !equal(got, want) || d.TrailingBytes() != len("surplus") {
					t.Fatalf("a message with more bytes behind it: %+v, %v, %d bytes left", got, err, d.TrailingBytes())
				}
			})
		})
	}
}

// Short removes the last byte of a message of each type, except for types that end with a list of
// any length. Only the types in mayBeShort may still be decoded.
func (s *Suite[I, M, O]) Short(t *testing.T, mayBeShort ...I) {
	for _, m := range s.sorted {
		b := m.Append(nil)
		d := s.NewDecoder()
		if _, err := d.Decode(bytes.Clone(b)); err != nil {
			t.Errorf("%v: the empty message: %v", m.ID(), err)
		}
		if fields := s.fields[s.messages[m.ID()].Name()]; s.takesRest(m) && fields[0].Type != "uuid" {
			continue
		}
		_, err := d.Decode(b[:len(b)-1])
		if may := slices.Contains(mayBeShort, m.ID()); may != (err == nil) {
			t.Errorf("%v without its last byte: %v", m.ID(), err)
		}
	}
}

// Ranges checks that messages with a field out of its range are rejected.
func (s *Suite[I, M, O]) Ranges(t *testing.T) {
	s.outOfRange(func(m M, label string) {
		got, err := s.NewDecoder().Decode(m.Append(nil))
		var fe *message.FieldError
		if any(got) != nil || !errors.Is(err, message.ErrRange) || !errors.As(err, &fe) || fe.Field != label || fe.Name != m.ID().String() {
			t.Errorf("%+v: %v, want %s out of range", m, err, label)
		}
	})
}

// ErrorCase is a payload that cannot be decoded.
type ErrorCase = struct {
	Payload string
	Is      error
	Text    string
}

// Errors checks that each payload is rejected with the given error.
func (s *Suite[I, M, O]) Errors(t *testing.T, cases []ErrorCase) {
	for _, c := range cases {
		m, err := s.NewDecoder().Decode([]byte(c.Payload))
		if any(m) != nil || !errors.Is(err, c.Is) || err.Error() != c.Text {
			t.Errorf("%x: %v, %v; want %q", c.Payload, m, err, c.Text)
		}
	}
}

// InputCase is an INPUT message with a number of integers after its size. Count and Missing are the
// message's fields.
type InputCase = struct {
	Name           string
	Size           int32
	Ints           int
	Count, Missing int
}

// Inputs decodes INPUT messages with the AckTick -1, the IntendedTick 100 and the integers 1, 2, 3
// and so on. Each comes after a message of the largest size, and must be appended to the same
// bytes. want returns the expected message for a case and its integers.
func (s *Suite[I, M, O]) Inputs(t *testing.T, cases []InputCase, want func(c InputCase, ints []int32) M) {
	for _, c := range cases {
		var ints []int32
		for i := range c.Ints {
			ints = append(ints, int32(i+1))
		}
		m := want(c, ints)
		b := packer.AppendInts(nil, append([]int32{int32(m.ID()), -1, 100, c.Size}, ints...))
		d := s.NewDecoder()
		d.Decode(packer.AppendInts(nil, append([]int32{int32(m.ID()), 9, 9, 512}, slices.Repeat([]int32{9}, 129)...)))
		got, err := d.Decode(bytes.Clone(b))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: %+v, %v; want %+v", c.Name, got, err, m)
			continue
		}
		if n := any(got).(interface{ Count() int }).Count(); n != c.Count {
			t.Errorf("%s: %d words, want %d", c.Name, n, c.Count)
		}
		if out := got.Append(nil); !bytes.Equal(out, b) {
			t.Errorf("%s: wrote %x, want %x", c.Name, out, b)
		}
	}
}
