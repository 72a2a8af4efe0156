package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/internal/testenv"
)

// spectator brings player 9 in as a spectator beside players 0 and 1.
func spectator(t *testing.T) *world {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Rules: rules(func(r *game.Rules) { r.SpamProtection = false })})
	w.enter(0, 1)
	cmds := join(9)
	cmds[0].AsSpectator = true
	w.Step(cmds)
	if s := w.state(9); s.Team != game.TeamSpectators || !s.Spectating || s.SpecMode != game.SpectateFree || s.SpectatorID != game.Nobody {
		t.Fatalf("state %+v", s)
	}
	return w
}

func spectate(mode game.SpectateMode, target game.PlayerID) game.Command {
	return game.Command{Kind: game.CmdSpectate, Player: 9, Spectate: mode, Target: target}
}

func TestFollowPlayer(t *testing.T) {
	w := spectator(t)
	w.do(spectate(game.SpectatePlayer, 1))
	s, c := w.state(9), w.char(1)
	testenv.Check(t, s.SpecMode == game.SpectatePlayer && s.SpectatorID == 1 && s.ViewX == c.X && s.ViewY == c.Y, "state %+v, character %+v", s, c)
	if v := w.View(9); v.VitalsOf != 1 || v.Pos != c.Pos {
		t.Errorf("view inside %d at %v", v.VitalsOf, v.Pos)
	}
	w.setRules(func(r *game.Rules) { r.StrictSpectate = true })
	if v := w.View(9); v.VitalsOf != game.Nobody {
		t.Errorf("strict: inside %d", v.VitalsOf)
	}
	if v := w.View(0); v.VitalsOf != 0 {
		t.Errorf("own tee: inside %d", v.VitalsOf)
	}
}

func TestInvalidSpectateRequests(t *testing.T) {
	w := spectator(t)
	for _, cmd := range []game.Command{
		spectate(game.SpectateFree, game.Nobody), // already in free view
		spectate(game.SpectatePlayer, 9),
		spectate(game.SpectatePlayer, 5),
		spectate(game.SpectatePlayer, game.Nobody),
		spectate(game.SpectatePlayer, 127),
		spectate(game.SpectatePlayer, -128),
		spectate(game.SpectateFlagRed, game.Nobody),
		spectate(game.SpectateFlagBlue, game.Nobody),
		{Kind: game.CmdSpectate, Player: 0, Spectate: game.SpectatePlayer, Target: 1}, // not a spectator
	} {
		evs := eventsOf(w.do(cmd), game.EvGameMsg)
		testenv.Check(t, len(evs) == 1 && evs[0].GameMsg == game.GameMsgSpecInvalidID && evs[0].To == game.MaskOne(cmd.Player), "%+v: %+v", cmd, evs)
	}
	if s := w.state(9); s.SpecMode != game.SpectateFree || s.SpectatorID != game.Nobody {
		t.Errorf("state %+v", s)
	}
}

func TestSilentSpectators(t *testing.T) {
	w := newWorld(t, game.Config{})
	cmds := join(0)
	cmds[0].AsSpectator = true
	if evs := eventsOf(w.do(cmds...), game.EvPlayerEntered); len(evs) != 1 || !evs[0].Flag {
		t.Errorf("entered %+v", evs)
	}
	if evs := eventsOf(w.do(game.Command{Kind: game.CmdLeave, Player: 0, Text: "bye"}), game.EvPlayerLeft); len(evs) != 1 || !evs[0].Flag ||
		evs[0].Text != "bye" {
		t.Errorf("left %+v", evs)
	}
	if evs := eventsOf(w.do(join(0)...), game.EvPlayerEntered); len(evs) != 1 || evs[0].Flag {
		t.Errorf("a player entered: %+v", evs)
	}
}

// TestFollowFlag follows a flag at its stand, carried, and dropped.
func TestFollowFlag(t *testing.T) {
	w := newWorld(t, game.Config{
		Mode: &flagMode{}, Rules: rules(func(r *game.Rules) { r.SpamProtection = false }),
		Terrain: bots.ParseMap(
			"####################",
			"#                  #",
			"#  R 2         1 B #",
			"####################",
		),
	})
	w.Step(join(0, 1, 9))
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 9, Team: game.TeamSpectators})
	w.steps(40)
	follows := func(when string, flag game.Team, watched game.PlayerID) {
		t.Helper()
		mode := game.SpectateFlagRed + game.SpectateMode(flag)
		s, at := w.state(9), w.Frame().Flags[flag]
		testenv.Check(t, s.SpecMode == mode && s.SpectatorID == watched && s.ViewX == at.X && s.ViewY == at.Y, "%s: state %+v, flag %+v", when, s, at)
	}
	w.do(spectate(game.SpectateFlagRed, game.Nobody))
	w.steps(1)
	follows("red at its stand", game.TeamRed, game.Nobody)
	w.do(spectate(game.SpectateFlagBlue, game.Nobody))
	w.steps(1)
	follows("blue at its stand", game.TeamBlue, game.Nobody)
	w.hold(0, game.Input{Direction: 1, TargetX: 1}, 20)
	testenv.Require(t, w.Frame().Game.FlagCarrier[1] == 0, "nobody carries it")
	follows("carried", game.TeamBlue, 0)
	w.do(game.Command{Kind: game.CmdKill, Player: 0})
	w.steps(1)
	follows("dropped", game.TeamBlue, game.Nobody)
}
