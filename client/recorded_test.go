package client_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// recordedSnapshot is a snapshot as a real client received it.
type recordedSnapshot struct {
	tick, base, crc int32
	delta           []byte
}

// recordedSnapshots07 reads test data of package snapshot, which describes the format.
func recordedSnapshots07(t testing.TB, name string) (all []recordedSnapshot) {
	t.Helper()
	b := testenv.Must(os.ReadFile("../protocol/snapshot/testdata/" + name))
	for len(b) >= 16 {
		le := binary.LittleEndian
		n := int(le.Uint32(b[12:]))
		all = append(all, recordedSnapshot{int32(le.Uint32(b)), int32(le.Uint32(b[4:])), int32(le.Uint32(b[8:])), b[16 : 16+n]})
		b = b[16+n:]
	}
	return all
}

// recordedMessages06 returns the messages that a DDNet server sent in one session.
func recordedMessages06(t testing.TB) (all [][]byte) {
	var scratch packet.Scratch
	for _, d := range golden.Datagrams(t, golden.Join6) {
		var p packet.Packet6
		if d.ToServer || p.Parse(d.B, &scratch) != nil || p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		var c packet.Chunk
		for it := p.Chunks(); it.Next(&c); {
			all = append(all, bytes.Clone(c.Data))
		}
	}
	return all
}

// recordedSnapshots06 returns the snapshots in recordedMessages06 that need no base, with new tick
// numbers.
func recordedSnapshots06(t testing.TB) (all []recordedSnapshot) {
	var d msg6.Decoder
	for _, b := range recordedMessages06(t) {
		if m, err := d.Decode(b); err == nil {
			if m, ok := m.(*msg6.SnapSingle); ok && m.DeltaTick == m.Tick+1 {
				all = append(all, recordedSnapshot{10 + 2*int32(len(all)), -1, m.CRC, bytes.Clone(m.Data)})
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no snapshot needs no other one")
	}
	return all
}

// replayingServer sends recorded snapshots to a client that uses all its features: it loads the
// map, predicts all tees and computes an input for every tick.
type replayingServer struct {
	*hostileServer
	snapshots []recordedSnapshot
	next      int
	shift     int32 // added to ticks; grows with each round through the snapshots
	inputs    int
}

func newReplayingServer(t testing.TB, version client.Version, snapshots []recordedSnapshot) *replayingServer {
	rs := &replayingServer{snapshots: snapshots}
	rs.hostileServer = newHostileServer(t, client.Config{
		Version: version, PredictAll: true,
		Play: func(_ *client.Client, v *game.View) game.Input {
			rs.inputs++
			return game.Input{Direction: v.Tick/25%3 - 1, Fire: v.Tick / 5 & 63, TargetX: v.Tick}
		},
		OnSnapshot: func(*client.Client, *game.View, []game.Event) {},
	})
	rs.onInfo = func() { rs.announceMap("recorded", nil) }
	rs.connect()
	return rs
}

// step sends a snapshot and lets its 40 ms pass.
func (rs *replayingServer) step() {
	s := &rs.snapshots[rs.next]
	base := s.base
	if base >= 0 {
		base += rs.shift
	}
	rs.snapshotDelta(s.tick+rs.shift, base, s.crc, s.delta)
	if rs.next++; rs.next == len(rs.snapshots) {
		rs.next = 0
		rs.shift += rs.snapshots[len(rs.snapshots)-1].tick - rs.snapshots[0].tick + 2
	}
	rs.acks = rs.acks[:0]
	rs.run(40 * time.Millisecond)
}

// TestRecordedSnapshots checks that the client reads snapshots of real servers and, in the steady
// state, allocates nothing.
func TestRecordedSnapshots(t *testing.T) {
	testenv.OneGoroutine(t)
	for name, rs := range map[string]*replayingServer{
		"16 players":    newReplayingServer(t, client.Version07, recordedSnapshots07(t, "tw16.snaps")),
		"64 players":    newReplayingServer(t, client.Version07, recordedSnapshots07(t, "dd64.snaps")),
		"DDNet, in 0.6": newReplayingServer(t, client.Version06, recordedSnapshots06(t)),
	} {
		steps := max(2*len(rs.snapshots), 400) // a second round begins without a base, like the first
		for range steps {
			rs.step()
		}
		if s := rs.client.Stats(); s.CRCFailures+s.NoBase+s.BadDelta+s.BadMessage != 0 || s.Snapshots != steps || rs.inputs < steps/2 {
			t.Errorf("%s: %+v, %d inputs in %d steps", name, s, rs.inputs, steps)
		}
		tees := 0
		rs.client.WithView(func(v *game.View) { tees = len(v.Characters) })
		if tees == 0 {
			t.Errorf("%s: no tees in sight", name)
		}
		if n := testing.AllocsPerRun(max(len(rs.snapshots)-1, 50), rs.step); n != 0 && !testenv.Race {
			t.Errorf("%s: %v allocations per snapshot and its inputs", name, n)
		}
	}
}

// BenchmarkClient measures one snapshot with its two predictions and inputs. It includes the
// server's end of the connection.
func BenchmarkClient(b *testing.B) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		b.Run(name, func(b *testing.B) {
			rs := newReplayingServer(b, client.Version07, recordedSnapshots07(b, name))
			for range rs.snapshots {
				rs.step()
			}
			b.ReportAllocs()
			for b.Loop() {
				rs.step()
			}
		})
	}
}

// FuzzMessages sends arbitrary messages to a playing client of either version. Each is a byte whose
// lowest bit makes the message vital, a byte with its length, and as many bytes.
func FuzzMessages(f *testing.F) {
	add := func(older bool, vital byte, messages ...[]byte) {
		var b []byte
		for _, m := range messages {
			if len(m) < 256 {
				b = append(append(b, vital, byte(len(m))), m...)
			}
		}
		f.Add(older, b)
	}
	add07 := func(vital byte, ms ...testclient.Message) {
		var messages [][]byte
		for _, m := range ms {
			messages = append(messages, m.Append(nil))
		}
		add(false, vital, messages...)
	}
	add07(1, &msg7.SvClientInfo{ClientID: 3, Name: []byte("x")}, &msg7.SvChat{Mode: 1, ClientID: 3, TargetID: -1, Message: []byte("\x1bhello")},
		&msg7.SvTeam{ClientID: 3}, &msg7.SvKillMsg{Killer: -2, Victim: 3}, &msg7.SvEmoticon{ClientID: 3, Emoticon: 2}, &msg7.SvClientDrop{ClientID: 3})
	add07(1, &msg7.SvTuneParams{}, &msg7.SvGameInfo{GameFlags: 3}, &msg7.SvServerSettings{}, &msg7.SvMotd{Message: []byte("a\\nb")},
		&msg7.SvGameMsg{Kind: msg7.GameMsgCTFCapture, Params: [3]int32{7, 99, -1}}, &msg7.SvVoteSet{ClientID: -1, Type: 2, Timeout: 9}, &msg7.SvVoteStatus{})
	add07(
		1,
		&msg7.RconAuthOn{},
		&msg7.RconLine{Line: []byte("l")},
		&msg7.RconCmdAdd{Name: []byte("n")},
		&msg7.MaplistEntryAdd{Name: []byte("n")},
		&msg7.SvCommandInfo{
			Name: []byte("n"),
		},
		&msg7.SvVoteOptionListAdd{Descriptions: [][]byte{[]byte("v")}},
		&msg7.SvWeaponPickup{Weapon: 3},
		&msg7.ServerInfo{},
	)
	add07(
		1,
		&msg7.MapChange{Name: []byte("m"), Size: 10, ChunksPerRequest: 1, ChunkSize: 5},
		&msg7.MapData{Data: []byte("12345")},
		&msg7.SvReadyToEnter{},
		&msg7.ConReady{},
	)
	add07(
		0,
		&msg7.SnapEmpty{Tick: 20, DeltaTick: 12},
		&msg7.Snap{Tick: 22, DeltaTick: 23, Parts: 2, Part: 1, Data: []byte{1}},
		&msg7.InputTiming{IntendedTick: 9, TimeLeft: -80},
		&msg7.Ping{},
	)
	for _, s := range recordedSnapshots07(f, "tw16.snaps")[:40] {
		add07(0, &msg7.SnapSingle{Tick: s.tick, DeltaTick: s.tick - s.base, CRC: s.crc, Data: s.delta})
	}
	for i, m := range recordedMessages06(f) {
		add(true, byte(i&1), m)
	}
	f.Fuzz(func(t *testing.T, older bool, data []byte) {
		version := client.Version07
		if older {
			version = client.Version06
		}
		hs := newHostileServer(t, client.Config{Version: version, NoMap: true, Play: func(*client.Client, *game.View) game.Input { return game.Input{} }})
		hs.letIn()
		for len(data) > 2 {
			vital, n := data[0]&1 != 0, min(int(data[1]), len(data)-2)
			if n == 0 || vital && hs.conn.FreeResendBuffer() < n {
				break
			}
			hs.queue(data[2:2+n], vital)
			data = data[2+n:]
		}
		hs.run(60 * time.Millisecond)
		hs.client.WithPredictedView(func(*game.View) {})
		check := func(text string) {
			if i := bytes.IndexFunc([]byte(text), unicode.IsControl); i >= 0 {
				t.Errorf("%q has a control character", text)
			}
		}
		for _, row := range hs.client.Scoreboard() {
			check(row.Name)
		}
		for _, e := range hs.events {
			if chat, ok := e.(event.Chat); ok {
				check(chat.Text)
			}
		}
		hs.client.VoteOptions()
		hs.client.Close()
	})
}
