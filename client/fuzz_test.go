package client_test

import (
	"testing"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// FuzzServer sends a playing client any messages: each a byte whose lowest bit
// makes it vital, a byte with its length, and as many bytes.
func FuzzServer(f *testing.F) {
	seed := func(vital byte, ms ...msg7.Message) {
		var b []byte
		for _, m := range ms {
			if p := m.Append(nil); len(p) < 256 {
				b = append(append(b, vital, byte(len(p))), p...)
			}
		}
		f.Add(b)
	}
	seed(1, &msg7.SvClientInfo{ClientID: 3, Name: []byte("x")}, &msg7.SvChat{Mode: 1, ClientID: 3, TargetID: -1, Message: []byte("\x1bhello")},
		&msg7.SvTeam{ClientID: 3}, &msg7.SvKillMsg{Killer: -2, Victim: 3}, &msg7.SvEmoticon{ClientID: 3, Emoticon: 2}, &msg7.SvClientDrop{ClientID: 3})
	seed(1, &msg7.SvTuneParams{}, &msg7.SvGameInfo{GameFlags: 3}, &msg7.SvServerSettings{}, &msg7.SvMotd{Message: []byte("a\\nb")},
		&msg7.SvGameMsg{Kind: msg7.GameMsgCTFCapture, Params: [3]int32{7, 99, -1}}, &msg7.SvVoteSet{ClientID: -1, Type: 2, Timeout: 9}, &msg7.SvVoteStatus{})
	seed(1, &msg7.RconAuthOn{}, &msg7.RconLine{Line: []byte("l")}, &msg7.RconCmdAdd{Name: []byte("n")}, &msg7.MaplistEntryAdd{Name: []byte("n")},
		&msg7.SvCommandInfo{Name: []byte("n")}, &msg7.SvVoteOptionListAdd{Descriptions: [][]byte{[]byte("v")}}, &msg7.SvWeaponPickup{Weapon: 3}, &msg7.ServerInfo{})
	seed(1, &msg7.MapChange{Name: []byte("m"), Size: 10, ChunksPerRequest: 1, ChunkSize: 5}, &msg7.MapData{Data: []byte("12345")}, &msg7.SvReadyToEnter{}, &msg7.ConReady{})
	seed(0, &msg7.SnapEmpty{Tick: 20, DeltaTick: 12}, &msg7.Snap{Tick: 22, DeltaTick: 23, Parts: 2, Part: 1, Data: []byte{1}}, &msg7.InputTiming{IntendedTick: 9, TimeLeft: -80}, &msg7.Ping{})
	for _, r := range corpus(f, "tw16.snaps")[:40] {
		seed(0, &msg7.SnapSingle{Tick: r.tick, DeltaTick: r.tick - r.base, CRC: r.crc, Data: r.delta})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := newVillain(t, client.Config{NoMap: true, Play: func(*client.Client, *game.View) game.Input { return game.Input{} }})
		v.welcome()
		for len(data) > 2 {
			vital, n := data[0]&1 != 0, min(int(data[1]), len(data)-2)
			if n == 0 {
				break
			}
			v.queue(data[2:2+n], vital)
			data = data[2+n:]
		}
		v.run(60 * time.Millisecond)
		v.c.WithPredictedView(func(*game.View) {})
		for _, row := range v.c.Scoreboard() {
			for _, r := range row.Name {
				if unicode.IsControl(r) {
					t.Errorf("a name has %U", r)
				}
			}
		}
		for _, e := range v.events {
			if chat, ok := e.(event.Chat); ok {
				for _, r := range chat.Text {
					if unicode.IsControl(r) {
						t.Errorf("a line has %U", r)
					}
				}
			}
		}
		v.c.VoteOptions()
		v.c.Close()
	})
}
