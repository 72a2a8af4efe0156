package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestGates checks that DDNet's clients of each release get only the messages and items that the
// release knows, whichever way a message is sent. The expected table comes from the schema.
func TestGates(t *testing.T) {
	w := newWorld(t, &ddraceMode{}, "alice", "bob")
	f := w.Frame()
	f.Extended, f.Players[0].RaceStart = true, 5
	near := f.Characters[0].Pos
	f.Switches = []game.SwitchState{{Highest: 1, Active: [8]uint32{2}}}
	f.SpecTees = []game.SpecTee{{Player: 1}}
	f.Projectiles = []game.ProjectileState{{ID: 20, Pos: near, Start: near, Direction: vec.Vec2{X: 1}}}
	f.Lasers = []game.LaserState{
		{ID: 21, Pos: near, From: near, Kind: game.LaserShotgun},
		{ID: 22, Pos: near, From: near, Kind: game.LaserBeam, Entity: game.MapEntity{Kind: game.MapDoor, Switch: 1}},
	}
	test := bridgetest.GateTest{
		Schema: "msg6", World: w,
		NewProtocol: func() bridge.Protocol { return NewProtocol() },
		LogIn: func(release int32) [][]byte {
			return [][]byte{
				(&msg6.ClientVer{Version: release, Text: []byte("DDNet")}).Append(nil),
				(&msg6.Info{NetVersion: []byte(msg6.NetVersion)}).Append(nil),
			}
		},
		Decode: func(payload []byte) (string, any, error) {
			var d msg6.Decoder
			m, err := d.Decode(payload)
			if err != nil {
				return "", nil, err
			}
			return m.ID().String(), m, nil
		},
		Objects: func(s *snapshot.Snapshot) map[string][]any {
			objects := map[string][]any{}
			var r msg6.TypeRegistry
			for i := range s.Len() {
				key, ints := s.Item(i)
				if key.Type() == msg6.TypeEx {
					r.AddEx(key.ID(), ints)
					continue
				}
				var d msg6.ObjectDecoder
				typ := r.Type(key.Type())
				if o, err := d.Decode(typ, ints); err != nil {
					t.Error(err)
				} else {
					objects[msg6.ObjectName(typ)] = append(objects[msg6.ObjectName(typ)], o)
				}
			}
			return objects
		},
		NotSent: map[string]string{
			"RECONNECT":        "DDNet-Server 20.1 does not send it either",
			"DDRaceProjectile": "from VersionEntityEx on, with what else DDRace needs",
		},
	}
	test.Run(t)
}
