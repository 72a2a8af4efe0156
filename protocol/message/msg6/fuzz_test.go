package msg6

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// FuzzDecode reads anything as a message. What can be read can be written, and is
// then the same for good: strings over their limit are cut once.
func FuzzDecode(f *testing.F) {
	for _, id := range sortedIDs() {
		f.Add(newMessage[id]().Append(nil))
		gen := rapid.Custom(func(t *rapid.T) []byte {
			rapid.Bool().Draw(t, "") // rapid wants something drawn, also for messages without fields
			return drawMessage[id](t).Append(nil)
		})
		for seed := range 4 {
			f.Add(gen.Example(seed))
		}
	}
	seen := map[ID]int{}
	for _, p := range payloads(f) {
		var d Decoder
		if m, err := d.Decode(bytes.Clone(p.b)); err == nil && seen[m.ID()] < 3 {
			seen[m.ID()]++
			f.Add(p.b)
		}
	}
	f.Add(append([]byte{1}, "a UUID of nothing, and more"...))
	var first, second Decoder // kept, as a server would, so that reuse is seen
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := first.Decode(bytes.Clone(in))
		if err != nil {
			var fe *FieldError
			var ie *IDError
			if m != nil || !errors.As(err, &fe) && !errors.As(err, &ie) || err.Error() == "" {
				t.Fatalf("%+v, %v", m, err)
			}
			return
		}
		var u packer.Unpacker
		u.Reset(in)
		wire := u.Int()
		if id, ok := m.ID().UUID(); ok {
			if got := UUID(u.Raw(16)); got != id || wire != int32(m.ID()&1) {
				t.Fatalf("read %T from id %d, UUID %v", m, wire, got)
			}
		} else if wire != int32(m.ID()) {
			t.Fatalf("read %T from id %d", m, wire)
		}
		out := m.Append(nil)
		again, err := second.Decode(bytes.Clone(out))
		if err != nil {
			t.Fatalf("%+v was written as %x: %v", m, out, err)
		}
		stable := again.Append(nil)
		if !bytes.Equal(out, stable) {
			t.Fatalf("%x was written again as %x", out, stable)
		}
		fresh := newMessage[m.ID()]()
		u.Reset(out)
		u.Int()
		if m.ID().Extended() {
			u.Raw(16)
		}
		err = fresh.Unpack(&u)
		if err != nil || !same(fresh, again) {
			t.Fatalf("a fresh message reads differently: %+v, %+v, %v", fresh, again, err)
		}
	})
}

// FuzzTake reads anything as a snapshot object.
func FuzzTake(f *testing.F) {
	for _, typ := range sortedTypes() {
		gen := rapid.Custom(func(t *rapid.T) []byte {
			o := drawObject[typ](t)
			ints := make([]int32, o.ObjectSize())
			o.PutInts(ints)
			return packer.AppendInts(nil, ints)
		})
		for seed := range 3 {
			f.Add(typ, gen.Example(seed))
		}
	}
	var d ObjectDecoder
	f.Fuzz(func(t *testing.T, typ int, b []byte) {
		var u packer.Unpacker
		u.Reset(b)
		var ints []int32
		for u.Len() > 0 && len(ints) < 100 {
			ints = append(ints, u.Int())
		}
		o, err := d.Decode(typ, ints)
		if err != nil {
			var fe *FieldError
			if !errors.As(err, &fe) || o != nil || err.Error() == "" {
				t.Fatalf("%+v, %v", o, err)
			}
			return
		}
		again := make([]int32, o.ObjectSize())
		o.PutInts(again)
		if surplusAllowed(typ) {
			ints = ints[:min(len(ints), sizeOf[typ])]
		}
		if o.ObjectType() != typ || !slices.Equal(ints, again) {
			t.Fatalf("%T: read %v, wrote %v", o, ints, again)
		}
		if o.Clamp(); o.Clamp() != 0 {
			t.Fatalf("%v: clamped to %+v", ints, o)
		}
	})
}
