package msg6

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestGoldenMessages decodes every message that DDNet's programs sent and encodes it again. The
// bytes must be the same.
func TestGoldenMessages(t *testing.T) {
	least := map[ID]int{ // least number of occurrences of an id
		IDClientVer: 1, IDInfo: 1, IDRconType: 1, IDCapabilities: 1, IDMapDetails: 1, IDMapChange: 1, IDReady: 1, IDSvMotd: 1, IDConReady: 1,
		IDClStartInfo: 1, IDRconCmd: 1, IDSvVoteClearOptions: 1, IDSvTuneParams: 1, IDSvReadyToEnter: 1, IDEnterGame: 1, IDSvChat: 4,
		IDSvTeamsState: 1, IDSvRecord: 1, IDSvVoteOptionListAdd: 1, IDClIsDDNetLegacy: 1, IDClShowOthers: 1, IDClShowDistance: 1,
		IDPingEx: 1, IDPongEx: 1, IDClSay: 2, IDInput: 100, IDInputTiming: 100, IDSnapSingle: 100,
	}
	suite.Golden(t, golden.Join6, least, func(m Message) error {
		switch m := m.(type) {
		case *Input:
			var in PlayerInput
			m.Player(&in)
			if n := in.Clamp(); n != 0 || m.Count() != SizePlayerInput || m.Missing != 0 {
				return fmt.Errorf("%d words, %d missing, %d out of range", m.Count(), m.Missing, n)
			}
		case *SystemEx, *GameEx:
			return fmt.Errorf("unknown message %+v", m)
		}
		return nil
	})
}

// TestGoldenValues checks values in some of the captured messages.
func TestGoldenValues(t *testing.T) {
	var d Decoder
	got := map[ID]string{}
	for _, p := range messagetest.Payloads(t, golden.Join6) {
		m, err := d.Decode(p.B)
		if err != nil {
			t.Fatal(err)
		}
		if got[m.ID()] != "" {
			continue
		}
		switch m := m.(type) {
		case *ClientVer:
			got[m.ID()] = fmt.Sprintf("%d %s", m.Version, m.Text)
		case *Info:
			got[m.ID()] = fmt.Sprintf("%s, %q", m.NetVersion, m.Password)
		case *Capabilities:
			got[m.ID()] = fmt.Sprintf("%d %v", m.Version, m.Flags)
		case *MapDetails:
			got[m.ID()] = fmt.Sprintf("%s %x %d %d %q", m.Name, m.SHA256[:4], m.CRC, m.Size, m.URL)
		case *MapChange:
			got[m.ID()] = fmt.Sprintf("%s %d %d", m.Name, m.CRC, m.Size)
		case *RconCmd:
			got[m.ID()] = string(m.Command)
		case *ClStartInfo:
			got[m.ID()] = fmt.Sprintf("%s %q %d %s %v", m.Profile.Name, m.Profile.Clan, m.Profile.Country, m.Profile.Skin, m.Profile.UseCustomColor)
		case *SvTuneParams:
			got[m.ID()] = fmt.Sprintf("%d: %v %d", len(m.Params), m.Params[:3], m.Params[30])
		case *SvTeamsState:
			got[m.ID()] = fmt.Sprint(len(m.Teams))
		case *ClIsDDNetLegacy:
			got[m.ID()] = fmt.Sprint(m.Version)
		case *ClShowDistance:
			got[m.ID()] = fmt.Sprint(m.X, m.Y)
		}
	}
	for id, want := range map[ID]string{
		IDClientVer:       "16040 DDNet 16.4",
		IDInfo:            NetVersion + `, ""`,
		IDCapabilities:    "5 DDNet|ChatTimeoutCode|AnyPlayerFlag|PingEx|AllowDummy|SyncWeaponInput",
		IDMapDetails:      `dm1 0b0c481d -233464210 5805 ""`,
		IDMapChange:       "dm1 -233464210 5805",
		IDRconCmd:         CrashmePlx,
		IDClStartInfo:     `capture "" -1 default false`,
		IDSvTuneParams:    "45: [1000 200 50] 500",
		IDSvTeamsState:    "64",
		IDClIsDDNetLegacy: "16040",
		IDClShowDistance:  "1238 928",
	} {
		if got[id] != want {
			t.Errorf("%v: %s, want %s", id, got[id], want)
		}
	}
}

// walk calls f with every captured snapshot, in order.
func walk(tb testing.TB, f func(tick int32, s *snapshot.Snapshot)) {
	tb.Helper()
	sizes := snapshot.ItemSizes(Sizes)
	at := map[int32]*snapshot.Snapshot{-1: {}}
	var d Decoder
	var parts []byte
	next := int32(0)
	apply := func(tick, back, crc int32, delta []byte) {
		s := new(snapshot.Snapshot)
		base := at[tick-back]
		if base == nil {
			tb.Fatalf("tick %d: no base %d", tick, tick-back)
		}
		if err := snapshot.ApplyDelta(s, base, delta, &sizes); err != nil || s.CRC() != crc {
			tb.Fatalf("tick %d: %v, CRC %d, want %d", tick, err, s.CRC(), crc)
		}
		at[tick] = s
		f(tick, s)
	}
	for _, p := range messagetest.Payloads(tb, golden.Join6) {
		m, err := d.Decode(p.B)
		if err != nil {
			tb.Fatal(err)
		}
		switch m := m.(type) {
		case *SnapSingle:
			apply(m.Tick, m.DeltaTick, m.CRC, m.Data)
		case *SnapEmpty:
			at[m.Tick] = at[m.Tick-m.DeltaTick]
			f(m.Tick, at[m.Tick])
		case *Snap:
			if m.Part != next {
				tb.Fatalf("tick %d: part %d, want %d", m.Tick, m.Part, next)
			}
			parts = append(parts, m.Data...)
			if next++; next == m.Parts {
				apply(m.Tick, m.DeltaTick, m.CRC, parts)
				parts, next = nil, 0
			}
		}
	}
}

// TestGoldenObjects decodes every object of the captured snapshots and encodes it again. The
// integers must be the same.
func TestGoldenObjects(t *testing.T) {
	seen := map[int]int{}
	undescribed := 0
	var d ObjectDecoder
	var r TypeRegistry
	clamped := map[int]int{}
	snaps := 0
	walk(t, func(tick int32, s *snapshot.Snapshot) {
		snaps++
		r.Reset()
		for i := range s.Len() {
			key, ints := s.Item(i)
			if key.Type() == TypeEx {
				r.AddEx(key.ID(), ints)
			}
			typ := r.Type(key.Type())
			if typ == TypeUnknown {
				undescribed++
				continue
			}
			o := suite.GoldenObject(t, &d, typ, ints)
			seen[typ]++
			clamped[typ] += o.Clamp()
		}
	})
	for _, typ := range []int{TypeEx, TypePickup, TypeGameInfo, TypeCharacter, TypePlayerInfo, TypeClientInfo, TypeEventSoundWorld,
		TypeDDNetCharacter, TypeDDNetPlayer, TypeGameInfoEx} {
		if seen[typ] == 0 {
			t.Errorf("no %s was seen", ObjectName(typ))
		}
	}
	for typ, n := range clamped {
		if n != 0 {
			t.Errorf("%d values of %s are out of range", n, ObjectName(typ))
		}
	}
	// DDNet-Server omits the Ex of a type in the first snapshot that uses the type.
	if snaps != 580 || undescribed != 5 {
		t.Errorf("%d snapshots, %d items without Ex", snaps, undescribed)
	}
}

// BenchmarkObjects reads the objects of the last captured snapshot.
func BenchmarkObjects(b *testing.B) {
	var last *snapshot.Snapshot
	walk(b, func(_ int32, s *snapshot.Snapshot) { last = s })
	var d ObjectDecoder
	var r TypeRegistry
	b.ReportAllocs()
	for b.Loop() {
		r.Reset()
		for i := range last.Len() {
			key, ints := last.Item(i)
			if key.Type() == TypeEx {
				r.AddEx(key.ID(), ints)
			}
			if typ := r.Type(key.Type()); typ != TypeUnknown {
				if _, err := d.Decode(typ, ints); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(last.Len()), "items")
}
