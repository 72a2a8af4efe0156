package msg7

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
	reserved := []string{"NULL", "SNAPSMALL", "AUTH_CHALLANGE", "AUTH_RESULT", "AUTH_START", "AUTH_RESPONSE", "ERROR", "INVALID", "Sv_ExtraProjectile"}
	var seen []string
	for wire := range int32(100 << 1) {
		id := ID(wire)
		var d Decoder
		_, err := d.Decode(packer.AppendInt(nil, wire))
		desc := id.Desc()
		known := id.System() && id.Number() <= 30 || !id.System() && id.Number() <= 39
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
	for _, wire := range []int32{-1, -2, 1 << 16, 1<<16 + 3, 1<<31 - 1} {
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
				if in, ok := want.(*Input); id != IDMapData && !(ok && in.Missing > 0) {
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
	g, ok := got.(*SvVoteOptionListAdd)
	if w, both := want.(*SvVoteOptionListAdd); ok && both {
		return slices.EqualFunc(g.Descriptions, w.Descriptions, bytes.Equal)
	}
	return reflect.DeepEqual(got, want)
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
		}
		b := m.Append(nil)
		var d Decoder
		if _, err := d.Decode(bytes.Clone(b)); err != nil {
			t.Errorf("%v: the empty message: %v", id, err)
		}
		if id == IDMapData {
			continue
		}
		_, err := d.Decode(b[:len(b)-1])
		switch id {
		case IDInfo, IDSvRaceFinish, IDInput:
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

func TestObjectsRoundTrip(t *testing.T) {
	var d ObjectDecoder
	for typ, draw := range drawObject {
		if draw == nil {
			continue
		}
		t.Run(ObjectName(typ), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := draw(t)
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
				if _, err := d.Decode(typ, ints[:len(ints)-1]); !errors.Is(err, ErrSize) {
					t.Fatalf("one integer less: %v", err)
				}
				if _, err := d.Decode(typ, append(ints, 0)); !errors.Is(err, ErrSize) {
					t.Fatalf("one integer more: %v", err)
				}
			})
		})
	}
	for _, typ := range []int{-1, 0, len(drawObject), 1 << 20} {
		if _, err := d.Decode(typ, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("type %d: %v", typ, err)
		}
		if ObjectName(typ) != "" {
			t.Errorf("type %d has the name %q", typ, ObjectName(typ))
		}
	}
}

func TestObjectRanges(t *testing.T) {
	var d ObjectDecoder
	for _, v := range outOfRange {
		o, err := d.Decode(v.typ, make([]int32, v.size))
		if err != nil {
			t.Fatalf("%s of zeros: %v", ObjectName(v.typ), err)
		}
		ints := make([]int32, o.ObjectSize())
		ints[v.index] = v.value
		_, err = d.Decode(v.typ, ints)
		var fe *FieldError
		if !errors.Is(err, ErrRange) || !errors.As(err, &fe) || fe.Field != v.field || fe.Name != ObjectName(v.typ) || fe.Value != v.value {
			t.Errorf("%s.%s = %d: %v", ObjectName(v.typ), v.field, v.value, err)
		}
		after := make([]int32, len(ints))
		o.PutInts(after)
		if slices.ContainsFunc(after, func(v int32) bool { return v != 0 }) {
			t.Errorf("%s was changed by a Take that failed", ObjectName(v.typ))
		}
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
	for _, b := range []string{"\x08\x00\x00\x02\x00", "\x08\x00\x00\x40\x00"} {
		var d Decoder
		if _, err := d.Decode([]byte(b)); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "Sv_Team.Silent") {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// TestInfoRoundTrip covers the body of the browser's answer inf3.
func TestInfoRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record, client := drawInfoRecord(t), drawInfoClient(t)
		b := client.Append(record.Append(nil))
		var u packer.Unpacker
		u.Reset(bytes.Clone(b))
		var gotRecord InfoRecord
		var gotClient InfoClient
		if err := gotRecord.Unpack(&u); err != nil {
			t.Fatalf("%+v: %v", record, err)
		}
		if err := gotClient.Unpack(&u); err != nil || u.Len() != 0 {
			t.Fatalf("%+v: %v, %d bytes left", client, err, u.Len())
		}
		if !reflect.DeepEqual(gotRecord, record) || !reflect.DeepEqual(gotClient, client) {
			t.Fatalf("%+v, %+v; want %+v, %+v", gotRecord, gotClient, record, client)
		}
		u.Reset(b[:len(b)-1])
		gotRecord.Unpack(&u)
		if err := gotClient.Unpack(&u); !errors.Is(err, packer.ErrShort) {
			t.Fatalf("cut short: %v", err)
		}
	})
}
