package bridge7

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestPauseMakesSpectators checks the message that makes a pausing player a spectator in DDRace,
// where the player looks around. Only that player's own client gets the message, and gets it once.
func TestPauseMakesSpectators(t *testing.T) {
	w := newWorld(t)
	p := NewProtocol()
	c := bridgetest.Connect(t, p, NewClientSide)
	c.Server.SendClientInfo(w, 0, true, false)
	c.Server.SendClientInfo(w, 1, false, false)
	c.ServerMessages.Take()
	frame := *w.Frame()
	frame.Game.Flags |= game.GameFlagDDRace
	frame.Players = append([]game.PlayerState(nil), frame.Players...)
	view := game.View{Frame: &frame, Viewer: 0}
	show := func(own, other game.PauseKind, race bool) {
		frame.Players[0].Pause, frame.Players[1].Pause = own, other
		if frame.Game.Flags &^= game.GameFlagDDRace; race {
			frame.Game.Flags |= game.GameFlagDDRace
		}
		p.BeginSnapshots(w)
		var b snapshot.Builder
		c.Server.BuildSnapshot(&b, &view, &[game.MaxPlayers]int32{})
		p.EndSnapshots()
	}
	told := func(team game.Team) {
		t.Helper()
		c.ServerMessages.Expect(t, "pause", call("Event", game.Event{Kind: game.EvTeamChange, Target: game.Nobody, Team: team, Flag: true, Tick: frame.Tick}))
	}
	show(game.NotPaused, game.PauseInPlace, true)
	show(game.PauseVanished, game.NotPaused, false)
	c.ServerMessages.Expect(t, "others, and other games")
	show(game.PauseInPlace, game.NotPaused, true)
	told(game.TeamSpectators)
	show(game.PauseVanished, game.NotPaused, true)
	c.ServerMessages.Expect(t, "told once")
	show(game.NotPaused, game.NotPaused, true)
	told(game.TeamRed)
}
