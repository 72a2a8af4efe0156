package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// TestDDRaceRange checks the range within which the server sends things, in DDRace and in other
// games.
func TestDDRaceRange(t *testing.T) {
	v := game.View{Viewer: 0, Pos: vec.Vec2{X: 1000, Y: 1000}, Range: game.DDRaceRange}
	at := func(x, y float32) vec.Vec2 { return vec.Vec2{X: 1000 + x, Y: 1000 + y} }
	for _, tt := range []struct {
		p    vec.Vec2
		sees bool
	}{{at(1200, 800), true}, {at(-1200, -800), true}, {at(1201, 0), false}, {at(0, 801), false}} {
		if v.Sees(tt.p) != tt.sees || v.Hears(tt.p) != tt.sees {
			t.Errorf("%v: %v, %v", tt.p, v.Sees(tt.p), v.Hears(tt.p))
		}
	}
	for _, tt := range []struct {
		a, b vec.Vec2
		sees bool
	}{
		{at(0, 1200), at(0, 1200), true}, // further down than things without hooks
		{at(0, 1201), at(0, 1201), false},
		{at(-3000, 100), at(3000, 100), true}, // through the view
		{at(1300, 0), at(5000, 0), false},
		{at(5000, 0), at(1100, 0), true},
	} {
		if v.SeesLine(tt.a, tt.b) != tt.sees {
			t.Errorf("%v to %v: %v", tt.a, tt.b, !tt.sees)
		}
	}
	all := game.View{ShowAll: true}
	if !all.SeesLine(at(9999, 0), at(9999, 0)) {
		t.Error("a view of all does not show all")
	}
	v.Range = vec.Vec2{}
	if v.Sees(at(1050, 0)) || !v.Hears(at(1400, 0)) {
		t.Error("a view of another game has the range of DDRace")
	}
}

// TestViewSwitches checks whose switches a view has.
func TestViewSwitches(t *testing.T) {
	f := &game.Frame{
		Game:     game.GameState{Flags: game.GameFlagDDRace},
		Switches: []game.SwitchState{{Team: 0, Highest: 40, Active: [8]uint32{0, 1 << 8}}, {Team: 3, Highest: 40}},
		Players: []game.PlayerState{
			{ID: 0, SpectatorID: game.Nobody}, {ID: 1, DDRaceTeam: 3, SpectatorID: game.Nobody}, {ID: 2, DDRaceTeam: game.TeamSuper, SpectatorID: game.Nobody},
			{ID: 3, Spectating: true, SpectatorID: 1}, {ID: 4, DDRaceTeam: 9, SpectatorID: game.Nobody},
		},
	}
	for viewer, team := range map[game.PlayerID]int32{0: 0, 1: 3, 2: game.TeamSuper, 3: 3, 4: -1, game.Nobody: 0} {
		v := game.View{Frame: f, Viewer: viewer}
		switch s := v.Switches(); {
		case s == nil && team >= 0, s != nil && s.Team != team:
			t.Errorf("player %d has the switches %+v", viewer, s)
		}
	}
	s := &f.Switches[0]
	if !s.IsActive(40) || s.IsActive(39) || !s.IsActive(41) {
		t.Error("switches 39 to 41 are", s.IsActive(39), s.IsActive(40), s.IsActive(41))
	}
	if (&game.View{}).Switches() != nil {
		t.Error("a view without a frame has switches")
	}
}
