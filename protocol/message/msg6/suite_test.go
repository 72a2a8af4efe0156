package msg6

import (
	"errors"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

var suite = (&messagetest.Suite[ID, Message, Object]{
	Version:          "msg6",
	NewDecoder:       func() messagetest.Decoder[Message] { return new(Decoder) },
	NewObjectDecoder: func() messagetest.ObjectDecoder[Object] { return new(ObjectDecoder) },
	ObjectName:       ObjectName,
	Custom: map[string]func(*rapid.T) any{
		"Input": func(t *rapid.T) any {
			m := Input{
				AckTick:      rapid.Int32().Draw(t, "ack"),
				IntendedTick: rapid.Int32().Draw(t, "intended"),
				Size:         rapid.OneOf(rapid.Just[int32](40), rapid.Int32Range(-5, 515), rapid.Int32Max(0)).Draw(t, "size"),
			}
			m.Missing = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, m.Count())).Draw(t, "missing")
			for i := range m.Count() - m.Missing {
				m.Words[i] = rapid.Int32().Draw(t, "word")
			}
			return m
		},
		"Ex": func(t *rapid.T) any {
			return Ex{UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))}
		},
	},
	Fix: map[string]func(any){"Snap": func(ptr any) { m := ptr.(*Snap); m.Part %= m.Parts }},
	Prepare: func(m Message) {
		switch m := m.(type) {
		case *Snap:
			m.Parts = 1
		case *Input:
			m.Size = 40
		case *SvVoteOptionListAdd:
			m.Count = 1
		}
	},
	ReadID: func(u *packer.Unpacker, m Message) bool {
		wire := u.Int()
		if uuid, ok := m.ID().UUID(); ok {
			return wire == int32(m.ID()&1) && UUID(u.Raw(16)) == uuid
		}
		return wire == int32(m.ID())
	},
	Capture: golden.Join6,
}).Init()

// surplusAllowed reports whether an object may have more integers than this package knows.
func surplusAllowed(typ int) bool { return typ == TypeEx || typ >= firstExtendedType }

func TestEveryIDIsThere(t *testing.T) {
	suite.KnownIDs(t, 26, 31, firstExtended<<1-1, "SNAPSMALL", "AUTH_CHALLANGE", "AUTH_RESULT", "AUTH_START", "AUTH_RESPONSE", "ERROR", "Unused")
	// Messages with a UUID have no id on the wire.
	for _, id := range []ID{IDWhatIs, IDClShowOthers} {
		if _, err := new(Decoder).Decode(packer.AppendInt(nil, int32(id))); !errors.Is(err, message.ErrUnknown) {
			t.Errorf("%v: %v, want message.ErrUnknown", id, err)
		}
	}
}

func TestMessagesRoundTrip(t *testing.T) { suite.RoundTrip(t) }

func TestShortMessages(t *testing.T) {
	suite.Short(t, IDRconAuth, IDClIsDDNetLegacy, IDSvRaceFinish, IDInput)
}

func TestMessageRanges(t *testing.T) { suite.Ranges(t) }

func TestObjectsRoundTrip(t *testing.T) {
	unknown := []int{-1, 21, 0x7fff, firstExtendedType - 1, firstExtendedType + len(extendedTypes), 1 << 30}
	suite.ObjectsRoundTrip(t, surplusAllowed, unknown...)
}

func TestObjectSizes(t *testing.T) {
	suite.ObjectSizes(t)
	shortest := map[int]int{
		TypeDDNetCharacter: 0, TypeDDNetPlayer: 2, TypeGameInfoEx: 0, TypeDDNetLaser: 7, TypeDDNetPickup: 5,
		TypeSwitchState: 0, TypeDDNetSpectatorInfo: 4, TypeEnvelopeTrigger: 3,
	}
	for _, typ := range suite.Types() {
		least, may := shortest[typ]
		if o := suite.ObjectSchema(typ); may != (o.Min != nil) || may && *o.Min != least {
			t.Errorf("%s may not be as short as expected", o.Name)
		}
	}
}

func TestClamp(t *testing.T) { suite.ObjectRanges(t, 100) }

func TestBitFlips(t *testing.T) { suite.FlipEachBit(t, 20, 10_000) }

func TestDecodeDoesNotAllocate(t *testing.T) {
	suite.NoAllocs(t, golden.Join6, &SvTeamsStateLegacy{Teams: make([]int32, 128)})
}

func TestObjectsDoNotAllocate(t *testing.T) {
	testenv.RequireExactAllocs(t)
	types := suite.Types()
	zeros := make([]int32, 64)
	var d ObjectDecoder
	var w, r TypeRegistry
	n := testing.AllocsPerRun(20, func() {
		w.BeginSnapshot()
		r.Reset()
		for _, typ := range types {
			o, err := d.Decode(typ, zeros[:suite.ObjectSchema(typ).Size])
			if err != nil {
				t.Fatal(err)
			}
			o.Clamp()
			o.PutInts(zeros)
			clear(zeros)
			number, _ := w.WireType(typ)
			r.AddEx(number, zeros[:SizeEx])
			r.Type(number)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecode(b *testing.B) { suite.BenchmarkDecode(b, golden.Join6) }

func FuzzDecode(f *testing.F) {
	suite.FuzzDecode(f, []string{golden.Join6}, slices.Concat([]byte{1}, []byte("a UUID of nothing, and more")))
}

func FuzzObjects(f *testing.F) { suite.FuzzObjects(f, surplusAllowed) }
