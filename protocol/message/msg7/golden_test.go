package msg7

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestGoldenMessages decodes every message that the real programs sent and encodes it again. The
// bytes must be the same.
func TestGoldenMessages(t *testing.T) {
	for _, v := range []struct {
		name  string
		least map[ID]int // least number of occurrences of an id
	}{
		{golden.Join, map[ID]int{
			IDInfo: 1, IDMapChange: 1, IDReady: 1, IDConReady: 1, IDEnterGame: 1, IDServerInfo: 1, IDInput: 100, IDInputTiming: 100,
			IDSnapSingle: 50, IDSvMotd: 1, IDSvServerSettings: 1, IDClStartInfo: 1, IDSvVoteClearOptions: 1,
			IDSvTuneParams: 1, IDSvReadyToEnter: 1, IDSvGameInfo: 1, IDSvClientInfo: 1, IDClSay: 1, IDSvChat: 1,
		}},
		{golden.Server16, map[ID]int{IDSnapSingle: 1000, IDSvKillMsg: 1, IDSvClientInfo: 16, IDInputTiming: 100}},
		// From a test client whose INPUT lacks the last two integers.
		{golden.Client16, map[ID]int{IDInput: 1000, IDInfo: 1}},
	} {
		suite.Golden(t, v.name, v.least, func(m Message) error {
			in, ok := m.(*Input)
			if !ok {
				return nil
			}
			if in.Count() != SizePlayerInput {
				return fmt.Errorf("%d words", in.Count())
			}
			return in.Player(new(PlayerInput))
		})
	}
}

// TestGoldenObjects decodes every object of the captured snapshots and encodes it again. The
// integers must be the same.
func TestGoldenObjects(t *testing.T) {
	b, err := os.ReadFile("../../snapshot/testdata/tw16.snaps")
	if err != nil {
		t.Fatal(err)
	}
	sizes := snapshot.ItemSizes(Sizes)
	at := map[int32]*snapshot.Snapshot{-1: {}}
	seen := map[int]int{}
	var d ObjectDecoder
	for len(b) >= 16 {
		tick, base := int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
		crc, n := int32(binary.LittleEndian.Uint32(b[8:])), binary.LittleEndian.Uint32(b[12:])
		s := new(snapshot.Snapshot)
		if err := snapshot.ApplyDelta(s, at[base], b[16:16+n], &sizes); err != nil || s.CRC() != crc {
			t.Fatalf("tick %d: %v, CRC %d, want %d", tick, err, s.CRC(), crc)
		}
		at[tick] = s
		delete(at, tick-200)
		b = b[16+n:]
		for i := range s.Len() {
			key, ints := s.Item(i)
			suite.GoldenObject(t, &d, key.Type(), ints)
			seen[key.Type()]++
		}
	}
	for _, typ := range []int{TypeProjectile, TypePickup, TypeGameData, TypeCharacter, TypePlayerInfo, TypeEventSoundWorld, TypeEventDeath, TypeEventDamage} {
		if seen[typ] == 0 {
			t.Errorf("no %s was seen", ObjectName(typ))
		}
	}
}

// TestWorkedBytes compares messages with bytes worked out by hand.
func TestWorkedBytes(t *testing.T) {
	for _, v := range []struct {
		m    Message
		want string
	}{
		{&Info{NetVersion: []byte(NetVersion), ClientVersion: ClientVersion}, "\x03" + NetVersion + "\x00\x00\x85\x1c"},
		{&SvTeam{Team: TeamSpectators, CooldownTick: 3793}, "\x08\x00\x40\x00\x91\x3b"},
		{&SvGameMsg{Kind: GameMsgCTFCapture, Params: [3]int32{1, 7, 100}}, "\x2a\x09\x01\x07\xa4\x01"},
		{&SvGameMsg{Kind: GameMsgTeamSwap, Params: [3]int32{1, 7, 100}}, "\x2a\x00"},
		{&SnapEmpty{Tick: 10, DeltaTick: 2}, "\x0f\x0a\x02"},
		{&SnapSingle{Tick: 1, DeltaTick: 2, CRC: -1, Data: []byte{9, 8}}, "\x11\x01\x02\x40\x02\x09\x08"},
		{&SvVoteOptionListAdd{Descriptions: [][]byte{[]byte("a"), []byte("bc")}}, "\x18\x02a\x00bc\x00"},
		{&ClKill{}, "\x38"},
		{&ClSay{Mode: ChatAll, Target: -1, Message: []byte("hi")}, "\x30\x01\x40hi\x00"},
		{&ClCommand{Name: []byte("help")}, "\x8e\x01help\x00\x00"},
	} {
		if got := v.m.Append(nil); string(got) != v.want {
			t.Errorf("%T: %x, want %x", v.m, got, v.want)
		}
	}
	if b := (&SvClientInfo{Name: bytes.Repeat([]byte("é"), 20)}).Append(nil); !bytes.Contains(b, append(bytes.Repeat([]byte("é"), 7), 0, 0)) {
		t.Errorf("the name was not cut to 14 of %d bytes: %q", MaxName, b)
	}
}

// BenchmarkPacketToMessages parses captured packets into typed messages: header, decompression,
// chunks, fields.
func BenchmarkPacketToMessages(b *testing.B) {
	ds := golden.Datagrams(b, golden.Server16)
	size := 0
	for _, d := range ds {
		size += len(d.B)
	}
	var d Decoder
	var p packet.Packet
	var scratch packet.Scratch
	var plain []byte
	messages := 0
	b.SetBytes(int64(size / len(ds)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		dg := ds[i%len(ds)].B
		if len(dg) > 0 && packet.Flags(dg[0]>>2)&packet.FlagCompressed == 0 {
			// Reading sanitises in place, and the next round needs the original.
			plain = append(plain[:0], dg...)
			dg = plain
		}
		if err := p.Parse(dg, &scratch); err != nil {
			b.Fatal(err)
		}
		if p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		it := p.Chunks()
		var c packet.Chunk
		for it.Next(&c) {
			if _, err := d.Decode(c.Data); err != nil {
				b.Fatal(err)
			}
			messages++
		}
	}
	b.ReportMetric(float64(messages)/float64(b.N), "msgs/op")
}

func BenchmarkAppendClientInfo(b *testing.B) {
	m := SvClientInfo{ClientID: 3, Name: []byte("nameless tee"), Clan: []byte("clan"), Country: -1}
	for i := range m.Skin.Parts {
		m.Skin.Parts[i] = []byte("standard")
	}
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buf = m.Append(buf[:0])
	}
}

func BenchmarkCharacterReadInts(b *testing.B) {
	var o Character
	ints := make([]int32, SizeCharacter)
	o.PutInts(ints)
	b.ReportAllocs()
	for b.Loop() {
		if err := o.ReadInts(ints); err != nil {
			b.Fatal(err)
		}
	}
}
