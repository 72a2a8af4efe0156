package bridge7

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestGates checks that clients of each release get only the messages and fields that the release
// knows, whichever way a message is sent. The expected table comes from the schema.
func TestGates(t *testing.T) {
	w, _ := bridgetest.NewWorld(t, "testbox", &race.Mode{}, nil)
	w.Step(append(bridgetest.Join(0, game.Profile{Name: "alice"}), bridgetest.Join(1, game.Profile{Name: "bob"})...))
	for range 60 {
		w.Step(nil)
	}
	w.Frame().Players[0].RaceStart = 5
	test := bridgetest.GateTest{
		Schema: "msg7", World: w,
		NewProtocol: func() bridge.Protocol { return NewProtocol() },
		LogIn: func(release int32) [][]byte {
			return [][]byte{(&msg7.Info{NetVersion: []byte(msg7.NetVersion), ClientVersion: release}).Append(nil)}
		},
		Decode: func(payload []byte) (string, any, error) {
			var d msg7.Decoder
			m, err := d.Decode(payload)
			if err != nil {
				return "", nil, err
			}
			return m.ID().String(), m, nil
		},
		Objects: func(s *snapshot.Snapshot) map[string][]any {
			objects := map[string][]any{}
			for i := range s.Len() {
				var d msg7.ObjectDecoder
				key, ints := s.Item(i)
				if o, err := d.Decode(key.Type(), ints); err != nil {
					t.Error(err)
				} else {
					name := msg7.ObjectName(key.Type())
					objects[name] = append(objects[name], o)
				}
			}
			return objects
		},
		IsNew: map[string]func(m any) bool{"Sv_KillMsg": func(m any) bool { return m.(*msg7.SvKillMsg).Killer < 0 }},
	}
	test.Run(t)
}

// TestKillOfOneWhoLeft checks a kill whose killer has left. Releases before 0.7.4 have no number
// for such a killer, so they are sent player 0 and the world as weapon.
func TestKillOfOneWhoLeft(t *testing.T) {
	for release, want := range map[int32]msg7.SvKillMsg{
		0x0703: {Killer: 0, Victim: 1, Weapon: msg7.WeaponWorld, ModeSpecial: 1},
		0x0704: {Killer: -2, Victim: 1, Weapon: msg7.WeaponGrenade, ModeSpecial: 1},
	} {
		var got msg7.SvKillMsg
		s := NewProtocol().NewServerSide(offline.Session{Sender: sendFunc(func(b []byte) {
			var d msg7.Decoder
			m, err := d.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			got = *m.(*msg7.SvKillMsg)
		})}).(*serverSide)
		s.release = release
		s.SendEvent(nil, &game.Event{Kind: game.EvKill, Player: -2 - game.PlayerID(game.TeamBlue), Target: 1, Weapon: game.WeaponGrenade, Value: 1})
		if got != want {
			t.Errorf("release %x: %+v, want %+v", release, got, want)
		}
	}
}

// sendFunc is a Sender.
type sendFunc func(payload []byte)

func (f sendFunc) Queue(payload []byte, _ bool) { f(payload) }
func (sendFunc) FlushSoon()                     {}
