package msg6

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// sortedIDs are the ids of all messages, in order, so that failures repeat.
func sortedIDs() []ID {
	var ids []ID
	for id := range drawMessage {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func TestEveryIDIsThere(t *testing.T) {
	reserved := []string{"SNAPSMALL", "AUTH_CHALLANGE", "AUTH_RESULT", "AUTH_START", "AUTH_RESPONSE", "ERROR", "Unused"}
	var seen []string
	for wire := range int32(firstExtended << 1) {
		id := ID(wire)
		var d Decoder
		_, err := d.Decode(packer.AppendInt(nil, wire))
		desc := id.Desc()
		known := id.System() && id.Number() <= 26 || !id.System() && id.Number() <= 31
		switch {
		case !known:
			if desc != nil || !errors.Is(err, ErrUnknown) {
				t.Errorf("%v: %v, %+v; want ErrUnknown", id, err, desc)
			}
		case desc.Reserved:
			seen = append(seen, desc.Name)
			if !errors.Is(err, ErrReserved) || drawMessage[id] != nil {
				t.Errorf("%v: %v, want ErrReserved", id, err)
			}
		default:
			if errors.Is(err, ErrReserved) || errors.Is(err, ErrUnknown) || drawMessage[id] == nil {
				t.Errorf("%v: %v", id, err)
			}
			if desc.Doc == "" || desc.Name == "" {
				t.Errorf("%v has no description", id)
			}
			if m := newMessage[id](); m.ID() != id {
				t.Errorf("%T has id %v, want %v", m, m.ID(), id)
			}
		}
	}
	slices.Sort(seen)
	slices.Sort(reserved)
	if !slices.Equal(seen, reserved) {
		t.Errorf("reserved: %v, want %v", seen, reserved)
	}
	for _, wire := range []int32{-1, -2, 1 << 16, 1<<16 + 3, int32(IDWhatIs), int32(IDClShowOthers), 1<<31 - 1} {
		var d Decoder
		if _, err := d.Decode(packer.AppendInt(nil, wire)); !errors.Is(err, ErrUnknown) {
			t.Errorf("id %d: %v, want ErrUnknown", wire, err)
		}
	}
}

// TestMessagesRoundTrip writes any message of each type and reads it again, whole
// and cut short at every length.
func TestMessagesRoundTrip(t *testing.T) {
	for _, id := range sortedIDs() {
		t.Run(id.Name(), func(t *testing.T) {
			var d Decoder
			rapid.Check(t, func(t *rapid.T) {
				want := drawMessage[id](t)
				b := want.Append(nil)
				got, err := d.Decode(bytes.Clone(b))
				if err != nil {
					t.Fatalf("%+v\n%x: %v", want, b, err)
				}
				if !same(got, want) {
					t.Fatalf("%x\ngot  %+v\nwant %+v", b, got, want)
				}
				if again := got.Append(nil); !bytes.Equal(again, b) {
					t.Fatalf("written again: %x, want %x", again, b)
				}
				if d.TrailingBytes() != 0 {
					t.Fatalf("%d bytes of %x were not read", d.TrailingBytes(), b)
				}
				cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
				got, err = d.Decode(bytes.Clone(b[:cut]))
				if err != nil {
					var fe *FieldError
					if got != nil || !errors.As(err, &fe) || fe.Name == "" || fe.Field == "" {
						t.Fatalf("cut to %x: %+v, %#v", b[:cut], got, err)
					}
				}
				// What follows a message does not matter to it, unless it takes all
				// there is.
				if in, ok := want.(*Input); !takesAll[id] && !(ok && in.Missing > 0) {
					got, err = d.Decode(append(bytes.Clone(b), "surplus"...))
					if err != nil || !same(got, want) || d.TrailingBytes() != len("surplus") {
						t.Fatalf("with surplus: %+v, %v, %d left", got, err, d.TrailingBytes())
					}
				}
			})
		})
	}
}

// same compares two messages; a list without elements may or may not have its
// memory already.
func same(got, want Message) bool {
	return reflect.DeepEqual(withoutEmpty(got), withoutEmpty(want))
}

// withoutEmpty returns what m points to, with nil for each empty list of integers.
func withoutEmpty(m Message) any {
	v := reflect.New(reflect.TypeOf(m).Elem()).Elem()
	v.Set(reflect.ValueOf(m).Elem())
	for i := range v.NumField() {
		if f := v.Field(i); f.Type() == reflect.TypeFor[[]int32]() && f.Len() == 0 {
			f.SetZero()
		}
	}
	return v.Interface()
}

// takesAll are the messages whose last field goes to the end.
var takesAll = map[ID]bool{
	IDSystemEx: true, IDGameEx: true, IDSvExtraProjectile: true, IDSvTuneParams: true,
	IDSvTeamsState: true, IDSvTeamsStateLegacy: true, IDMaplistAdd: true,
}

// TestShortMessages cuts the last byte off a message of each type. Only what may
// be absent on the wire may be missing.
func TestShortMessages(t *testing.T) {
	for _, id := range sortedIDs() {
		m := newMessage[id]()
		switch m := m.(type) {
		case *Snap:
			m.Parts = 1
		case *Input:
			m.Size = 40
		case *SvVoteOptionListAdd:
			m.Count = 1
		}
		b := m.Append(nil)
		var d Decoder
		if _, err := d.Decode(bytes.Clone(b)); err != nil {
			t.Errorf("%v: the empty message: %v", id, err)
		}
		if takesAll[id] && id != IDSystemEx && id != IDGameEx {
			continue
		}
		_, err := d.Decode(b[:len(b)-1])
		switch id {
		case IDRconAuth, IDClIsDDNetLegacy, IDSvRaceFinish, IDInput:
			if err != nil {
				t.Errorf("%v without its last field: %v", id, err)
			}
		default:
			if err == nil {
				t.Errorf("%v was read from %x", id, b[:len(b)-1])
			}
		}
	}
}

// sortedTypes are the types of all objects, in order.
func sortedTypes() []int {
	var types []int
	for typ := range drawObject {
		types = append(types, typ)
	}
	slices.Sort(types)
	return types
}

// surplusAllowed says whether an object may have more integers than are known.
func surplusAllowed(typ int) bool { return typ == TypeEx || typ >= firstExtendedType }

func TestObjectsRoundTrip(t *testing.T) {
	var d ObjectDecoder
	for _, typ := range sortedTypes() {
		t.Run(ObjectName(typ), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := drawObject[typ](t)
				ints := make([]int32, want.ObjectSize())
				want.PutInts(ints)
				got, err := d.Decode(typ, ints)
				if err != nil {
					t.Fatalf("%+v\n%v: %v", want, ints, err)
				}
				if !reflect.DeepEqual(got, want) || got.ObjectType() != typ {
					t.Fatalf("%v\ngot  %+v\nwant %+v", ints, got, want)
				}
				again := make([]int32, len(ints))
				got.PutInts(again)
				if !slices.Equal(ints, again) {
					t.Fatalf("put again: %v, want %v", again, ints)
				}
				if n := got.Clamp(); n != 0 || !reflect.DeepEqual(got, want) {
					t.Fatalf("%d values of %+v were clamped to %+v", n, want, got)
				}
				if surplusAllowed(typ) {
					// More is ignored, behind an object that is complete.
					for len(ints) < sizeOf[typ] {
						ints = append(ints, rapid.Int32().Draw(t, "more"))
					}
					want, _ := d.Decode(typ, ints)
					whole := reflect.ValueOf(want).Elem().Interface()
					got, err := d.Decode(typ, append(ints, 1, 2, 3))
					if err != nil || !reflect.DeepEqual(reflect.ValueOf(got).Elem().Interface(), whole) {
						t.Fatalf("three integers more: %+v, %v; want %+v", got, err, whole)
					}
				} else if _, err := d.Decode(typ, append(ints, 0)); !errors.Is(err, ErrSize) {
					t.Fatalf("one integer more: %v", err)
				}
			})
		})
	}
	for _, typ := range []int{-1, 21, 0x7fff, firstExtendedType - 1, firstExtendedType + len(extendedTypes), 1 << 30} {
		if _, err := d.Decode(typ, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("type %d: %v", typ, err)
		}
		if ObjectName(typ) != "" {
			t.Errorf("type %d has the name %q", typ, ObjectName(typ))
		}
	}
}

// sizeOf holds the sizes of the objects, by type, and shortest those that may be
// shorter.
var (
	sizeOf   = map[int]int{}
	shortest = map[int]int{
		TypeDDNetCharacter: 0, TypeDDNetPlayer: 2, TypeGameInfoEx: 0, TypeDDNetLaser: 7, TypeDDNetPickup: 5,
		TypeSwitchState: 0, TypeDDNetSpectatorInfo: 4, TypeEnvelopeTrigger: 3,
	}
)

func init() {
	for _, v := range defaults {
		sizeOf[v.typ] = v.size
	}
}

func TestObjectSizes(t *testing.T) {
	var d ObjectDecoder
	for _, typ := range sortedTypes() {
		least, tolerant := shortest[typ]
		if !tolerant {
			least = sizeOf[typ]
		}
		for n := range sizeOf[typ] {
			o, err := d.Decode(typ, make([]int32, n))
			if n < least {
				if !errors.Is(err, ErrSize) {
					t.Errorf("%s of %d integers: %v", ObjectName(typ), n, err)
				}
				continue
			}
			if err != nil || o.ObjectSize() != n {
				t.Errorf("%s of %d integers: %+v, %v", ObjectName(typ), n, o, err)
			}
		}
	}
	// What is missing has its default, not what was there before.
	for _, v := range defaults {
		if _, tolerant := shortest[v.typ]; !tolerant {
			continue
		}
		ones := slices.Repeat([]int32{1}, v.size)
		if _, err := d.Decode(v.typ, ones); err != nil {
			t.Fatal(err)
		}
		o, err := d.Decode(v.typ, ones[:shortest[v.typ]])
		if err != nil {
			t.Fatal(err)
		}
		setMissing(o, 0)
		got := make([]int32, o.ObjectSize())
		o.PutInts(got)
		if want := append(ones[:shortest[v.typ]:shortest[v.typ]], v.ints[shortest[v.typ]:]...); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", ObjectName(v.typ), got, want)
		}
	}
}

// setMissing sets the field Missing of a tolerant object.
func setMissing(o Object, n int64) { reflect.ValueOf(o).Elem().FieldByName("Missing").SetInt(n) }

// TestMissingIsBounded writes objects with a nonsensical field Missing.
func TestMissingIsBounded(t *testing.T) {
	var d ObjectDecoder
	for typ, least := range shortest {
		o, err := d.Decode(typ, make([]int32, sizeOf[typ]))
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range map[int64]int{-5: sizeOf[typ], 1 << 40: least, 1: sizeOf[typ] - 1} {
			setMissing(o, n)
			if got := o.ObjectSize(); got != want {
				t.Errorf("%s without %d: %d integers, want %d", ObjectName(typ), n, got, want)
			}
			o.PutInts(make([]int32, want))
		}
	}
}

// TestClamp puts each value just outside its range.
func TestClamp(t *testing.T) {
	var d ObjectDecoder
	for _, v := range outOfRange {
		ints := make([]int32, v.size)
		o, err := d.Decode(v.typ, ints)
		if err != nil {
			t.Fatal(err)
		}
		o.Clamp()
		o.PutInts(ints) // in range, though perhaps not all zero
		inside := v.value - 1
		if v.value < 0 {
			inside = v.value + 1
		}
		ints[v.index] = v.value
		if _, err := d.Decode(v.typ, ints); err != nil {
			t.Fatalf("%s.%s = %d: %v", ObjectName(v.typ), v.field, v.value, err)
		}
		again := make([]int32, v.size)
		if o.PutInts(again); !slices.Equal(ints, again) {
			t.Errorf("%s.%s = %d does not survive: %v", ObjectName(v.typ), v.field, v.value, again)
		}
		if n := o.Clamp(); n != 1 {
			t.Errorf("%s.%s = %d: %d values clamped", ObjectName(v.typ), v.field, v.value, n)
		}
		ints[v.index] = inside
		if o.PutInts(again); !slices.Equal(ints, again) {
			t.Errorf("%s.%s = %d was clamped to %v, want %v", ObjectName(v.typ), v.field, v.value, again, ints)
		}
	}
	if len(outOfRange) < 60 {
		t.Errorf("only %d ranges", len(outOfRange))
	}
}

func TestMessageRanges(t *testing.T) {
	for _, v := range badMessages {
		if s, ok := v.m.(*Snap); ok && v.field == "Part" {
			s.Parts = 1
		}
		var d Decoder
		m, err := d.Decode(v.m.Append(nil))
		var fe *FieldError
		if m != nil || !errors.Is(err, ErrRange) || !errors.As(err, &fe) || fe.Field != v.field || fe.Name != v.m.ID().Name() {
			t.Errorf("%+v: %v, want %s out of range", v.m, err, v.field)
		}
	}
	// A Go bool cannot be out of range, its wire form can.
	for _, b := range []string{"\x22\x02hi\x00", "\x22\x40hi\x00"} {
		var d Decoder
		if _, err := d.Decode([]byte(b)); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "Cl_Say.Team") {
			t.Errorf("%x: %v", b, err)
		}
	}
}
