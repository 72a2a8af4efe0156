package msg7

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

var suite = (&messagetest.Suite[ID, Message, Object]{
	Version:          "msg7",
	NewDecoder:       func() messagetest.Decoder[Message] { return new(Decoder) },
	NewObjectDecoder: func() messagetest.ObjectDecoder[Object] { return new(ObjectDecoder) },
	ObjectName:       ObjectName,
	Custom: map[string]func(*rapid.T) any{
		"MapHash": func(t *rapid.T) any {
			var h MapHash
			if h.Present = rapid.Bool().Draw(t, "hash"); h.Present {
				copy(h.Sum[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "sum"))
			}
			return h
		},
		"Input": func(t *rapid.T) any {
			m := Input{
				AckTick:      rapid.Int32().Draw(t, "ack"),
				IntendedTick: rapid.Int32().Draw(t, "intended"),
				Size:         rapid.OneOf(rapid.Just[int32](40), rapid.Int32Range(-5, 515), rapid.Int32Max(0)).Draw(t, "size"),
			}
			m.Missing = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, m.Count()+1)).Draw(t, "missing")
			for i := range min(m.Count(), m.Count()+1-m.Missing) {
				m.Words[i] = rapid.Int32().Draw(t, "word")
			}
			if m.Missing == 0 {
				m.PingCorrection = rapid.Int32().Draw(t, "ping")
			}
			return m
		},
		"SvGameMsg": func(t *rapid.T) any {
			m := SvGameMsg{Kind: GameMsgKind(rapid.Int32Range(0, 10).Draw(t, "kind"))}
			for i := range m.Kind.Params() {
				m.Params[i] = rapid.Int32().Draw(t, "param")
			}
			return m
		},
		"SvVoteOptionListAdd": func(t *rapid.T) any {
			m := SvVoteOptionListAdd{}
			for range rapid.IntRange(0, 21).Draw(t, "options") {
				m.Descriptions = append(m.Descriptions, messagetest.DrawString(t, "description", "cc", maxVoteOptionBytes))
			}
			return m
		},
	},
	Fix: map[string]func(any){
		"InfoRecord": func(ptr any) { // the numbers must be in order
			m := ptr.(*InfoRecord)
			m.Clients = min(m.Clients, m.MaxClients)
			m.Players = min(m.Players, m.Clients)
			m.PlayerSlots = min(max(m.PlayerSlots, m.Players), m.MaxClients)
			if standardMode(m.GameType) {
				m.GameType = []byte("mod")
			}
		},
		"Snap": func(ptr any) { m := ptr.(*Snap); m.Part %= m.Parts },
	},
	Prepare: func(m Message) {
		switch m := m.(type) {
		case *Snap:
			m.Parts = 1
		case *Input:
			m.Size = 40
		}
	},
	ReadID:  func(u *packer.Unpacker, m Message) bool { return u.Int() == int32(m.ID()) },
	Capture: golden.Join,
}).Init()

func noSurplus(int) bool { return false }

func TestEveryIDIsThere(t *testing.T) {
	suite.KnownIDs(t, 30, 39, 200, "NULL", "SNAPSMALL", "AUTH_CHALLANGE", "AUTH_RESULT", "AUTH_START",
		"AUTH_RESPONSE", "ERROR", "INVALID", "Sv_ExtraProjectile")
}

func TestMessagesRoundTrip(t *testing.T) { suite.RoundTrip(t) }

func TestShortMessages(t *testing.T) { suite.Short(t, IDInfo, IDSvRaceFinish, IDInput) }

func TestMessageRanges(t *testing.T) { suite.Ranges(t) }

func TestObjectsRoundTrip(t *testing.T) {
	unknown := []int{-1, 0, len(objectNames), 1 << 20}
	suite.ObjectsRoundTrip(t, noSurplus, unknown...)
}

func TestObjectSizes(t *testing.T) { suite.ObjectSizes(t) }

func TestObjectRanges(t *testing.T) { suite.ObjectRanges(t, 90) }

func TestBitFlips(t *testing.T) { suite.FlipEachBit(t, 1<<30, 50_000) }

func TestDecodeDoesNotAllocate(t *testing.T) {
	options := &SvVoteOptionListAdd{Descriptions: bytes.Fields(bytes.Repeat([]byte("option "), VoteOptionsPerMessage))}
	suite.NoAllocs(t, golden.Join, options)
	suite.NoAllocs(t, golden.Server16)
}

func BenchmarkDecode(b *testing.B) { suite.BenchmarkDecode(b, golden.Server16) }

func FuzzDecode(f *testing.F) { suite.FuzzDecode(f, []string{golden.Join, golden.Server16}) }

func FuzzObjects(f *testing.F) { suite.FuzzObjects(f, noSurplus) }

// TestInfoRoundTrip covers the body of inf3, the answer to a server browser.
func TestInfoRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := suite.Draw(t, reflect.TypeFor[InfoRecord]()).Interface().(*InfoRecord)
		client := suite.Draw(t, reflect.TypeFor[InfoClient]()).Interface().(*InfoClient)
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
		if !reflect.DeepEqual(&gotRecord, record) || !reflect.DeepEqual(&gotClient, client) {
			t.Fatalf("%+v, %+v; want %+v, %+v", gotRecord, gotClient, record, client)
		}
		u.Reset(b[:len(b)-1])
		gotRecord.Unpack(&u)
		if err := gotClient.Unpack(&u); !errors.Is(err, packer.ErrShort) {
			t.Fatalf("cut short: %v", err)
		}
	})
}
