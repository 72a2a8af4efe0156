package msg7

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
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
	for _, name := range []string{golden.Join, golden.Server16} {
		for _, p := range payloads(f, name) {
			var d Decoder
			if m, err := d.Decode(bytes.Clone(p.b)); err == nil && seen[m.ID()] < 3 {
				seen[m.ID()]++
				f.Add(p.b)
			}
		}
	}
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
		if wire := u.Int(); wire != int32(m.ID()) {
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
		err = fresh.Unpack(&u)
		if list, ok := fresh.(*SvVoteOptionListAdd); ok && len(list.Descriptions) == 0 {
			// Whether an empty list is nil depends on what was reused.
			list.Descriptions = again.(*SvVoteOptionListAdd).Descriptions[:0]
		}
		if err != nil || !reflect.DeepEqual(fresh, again) {
			t.Fatalf("a fresh message reads differently: %+v, %+v, %v", fresh, again, err)
		}
	})
}

// FuzzTake reads anything as a snapshot object.
func FuzzTake(f *testing.F) {
	for typ, draw := range drawObject {
		if draw == nil {
			continue
		}
		gen := rapid.Custom(func(t *rapid.T) []byte {
			o := draw(t)
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
		if o.ObjectType() != typ || !reflect.DeepEqual(ints, again) {
			t.Fatalf("%T: read %v, wrote %v", o, ints, again)
		}
	})
}
