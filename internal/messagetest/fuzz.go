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

// FuzzDecode decodes arbitrary bytes as a message. A message that was decoded must stay the same
// after appending and decoding, except that a string over its limit is cut once.
func (s *Suite[I, M, O]) FuzzDecode(f *testing.F, captures []string, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	for _, id := range s.IDs() {
		f.Add(reflect.New(s.messages[id]).Interface().(M).Append(nil))
		gen := rapid.Custom(func(t *rapid.T) []byte {
			rapid.Bool().Draw(t, "") // rapid requires a draw, even for messages without fields
			return s.DrawMessage(t, id).Append(nil)
		})
		for seed := range 4 {
			f.Add(gen.Example(seed))
		}
	}
	seen := map[I]int{}
	for _, capture := range captures {
		for _, p := range Payloads(f, capture) {
			if m, err := s.NewDecoder().Decode(bytes.Clone(p.B)); err == nil && seen[m.ID()] < 3 {
				seen[m.ID()]++
				f.Add(p.B)
			}
		}
	}
	first, second := s.NewDecoder(), s.NewDecoder() // both are kept, as in a server, to test their reuse
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := first.Decode(bytes.Clone(in))
		if err != nil {
			var fe *message.FieldError
			var ie *message.IDError
			if any(m) != nil || !errors.As(err, &fe) && !errors.As(err, &ie) || err.Error() == "" {
				t.Fatalf("%+v, %v", m, err)
			}
			return
		}
		var u packer.Unpacker
		u.Reset(in)
		if !s.ReadID(&u, m) {
			t.Fatalf("read %T from %x", m, in)
		}
		out := m.Append(nil)
		again, err := second.Decode(bytes.Clone(out))
		if err != nil {
			t.Fatalf("%+v was appended as %x: %v", m, out, err)
		}
		if stable := again.Append(nil); !bytes.Equal(out, stable) {
			t.Fatalf("%x was appended again as %x", out, stable)
		}
		fresh := reflect.New(s.messages[m.ID()]).Interface().(M)
		u.Reset(out)
		if !s.ReadID(&u, m) {
			t.Fatalf("%x does not have the id of %T", out, m)
		}
		if err := fresh.Unpack(&u); err != nil || !equal(fresh, again) {
			t.Fatalf("the same bytes give another result in a new message: %+v, want %+v, %v", fresh, again, err)
		}
	})
}

// FuzzObjects reads arbitrary integers as a snapshot object.
func (s *Suite[I, M, O]) FuzzObjects(f *testing.F, surplusAllowed func(typ int) bool) {
	for _, typ := range s.Types() {
		gen := rapid.Custom(func(t *rapid.T) []byte {
			o := s.DrawObject(t, typ)
			ints := make([]int32, o.ObjectSize())
			o.PutInts(ints)
			return packer.AppendInts(nil, ints)
		})
		for seed := range 3 {
			f.Add(typ, gen.Example(seed))
		}
	}
	d := s.NewObjectDecoder()
	f.Fuzz(func(t *testing.T, typ int, b []byte) {
		var u packer.Unpacker
		u.Reset(b)
		var ints []int32
		for u.Len() > 0 && len(ints) < 100 {
			ints = append(ints, u.Int())
		}
		o, err := d.Decode(typ, ints)
		if err != nil {
			var fe *message.FieldError
			if !errors.As(err, &fe) || any(o) != nil || err.Error() == "" {
				t.Fatalf("%+v, %v", o, err)
			}
			return
		}
		again := make([]int32, o.ObjectSize())
		o.PutInts(again)
		if surplusAllowed(typ) {
			ints = ints[:min(len(ints), s.ObjectSchema(typ).Size)]
		}
		if o.ObjectType() != typ || !slices.Equal(ints, again) {
			t.Fatalf("%T: read %v, wrote %v", o, ints, again)
		}
		if c, ok := any(o).(clamper); ok {
			if c.Clamp(); c.Clamp() != 0 {
				t.Fatalf("%v: clamped to %+v", ints, o)
			}
		}
	})
}
