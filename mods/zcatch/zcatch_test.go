package zcatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/zcatch"
)

var room = modtest.ParseMap(nil,
	"####################",
	"#                  #",
	"#                  #",
	"#        S         #",
	"###              ###",
	"#                  #",
	"#                  #",
	"####################",
)

// placed is zCatch with fixed spawns, from which each player sees all others.
type placed struct{ *zcatch.Mode }

func (placed) PickSpawn(_ *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	tiles := [...]vec.Vec2{{X: 2, Y: 3}, {X: 17, Y: 3}, {X: 7, Y: 6}, {X: 12, Y: 6}, {X: 10, Y: 6}}
	return tiles[id].Mul(32).Add(vec.Vec2{X: 16, Y: 16}), true
}

func newPlaced() game.Mode { return placed{zcatch.New().(*zcatch.Mode)} }

const laser = game.WeaponLaser

// play starts a match with players.
func play(t *testing.T, variables map[string]string, players ...game.PlayerID) *modtest.World {
	t.Helper()
	w := modtest.New(t, game.Config{Mode: newPlaced(), Terrain: room, Variables: variables, Seed: 7})
	w.Play(players...)
	return w
}

// kill makes a player kill another one, and waits until both could respawn.
func kill(w *modtest.World, killer, victim game.PlayerID) []game.Event {
	w.T.Helper()
	events := w.Shoot(killer, victim, laser)
	for _, e := range events {
		if e.Kind == game.EvKill && e.Player == killer && e.Target == victim {
			return append(events, w.Run(60)...)
		}
	}
	w.T.Fatalf("%d did not kill %d: tees %+v", killer, victim, w.Frame().Characters)
	return nil
}

// waitOut runs ticks in which players press fire, as players who want to respawn do.
func waitOut(w *modtest.World, ids ...game.PlayerID) {
	w.T.Helper()
	for range 5 {
		for _, id := range ids {
			w.Fire(id, 20)
		}
	}
}

func want(w *modtest.World, what string, alive ...bool) {
	w.T.Helper()
	for id, want := range alive {
		if w.Alive(game.PlayerID(id)) != want {
			w.T.Fatalf("%s: player %d alive: %v", what, id, !want)
		}
	}
}

// told reports whether a player got a text.
func told(events []game.Event, id game.PlayerID, text string) bool {
	for _, e := range events {
		if e.Kind == game.EvChat && e.To.Has(id) && strings.Contains(e.Text, text) {
			return true
		}
	}
	return false
}

func TestCaughtUntilTheCatcherDies(t *testing.T) {
	w := play(t, nil, 0, 1, 2, 3)
	events := kill(w, 0, 1)
	testenv.Check(t, told(events, 1, "until player 0 dies"), "1 is not told")
	waitOut(w, 1)
	want(w, "caught", true, false, true, true)
	kill(w, 0, 2)
	testenv.Check(t, w.Score(0) == 2, "score %d", w.Score(0))
	events = kill(w, 3, 0)
	testenv.Check(t, told(events, 1, "player 0 died") && told(events, 2, "player 0 died"), "they are not told")
	waitOut(w, 0)
	want(w, "the catcher died", false, true, true, true)
	// The second point is for a victim who had caught a player.
	testenv.Check(t, w.Score(3) == 2 && w.Score(0) == 2, "scores %d and %d", w.Score(3), w.Score(0))
}

func TestLastOneWins(t *testing.T) {
	w := play(t, map[string]string{"sv_bonus": "7"}, 0, 1, 2)
	kill(w, 0, 1)
	events := kill(w, 0, 2)
	testenv.Check(t, w.Score(0) == 9 && told(events, 1, "player 0 wins the round"), "score %d", w.Score(0))
	testenv.Check(t, modtest.Count(events, game.EvMatchEnd) == 1, "the match goes on")
	w.RunUntil("in the next match", 1000, func() bool { return w.Frame().Game.State == 0 && w.Alive(1) && w.Alive(2) })
	testenv.Check(t, w.Score(0) == 0, "score %d", w.Score(0))
}

func TestSuicideReleases(t *testing.T) {
	w := play(t, nil, 0, 1, 2)
	w.Run(1, game.Command{Kind: game.CmdKill, Player: 2})
	w.RunUntil("alive again", 300, func() bool { return w.Alive(2) })
	testenv.Check(t, w.Score(2) == -3, "score %d", w.Score(2))
}

func TestLeavingReleases(t *testing.T) {
	w := play(t, nil, 0, 1, 2, 3)
	kill(w, 0, 1)
	w.Run(1, game.Command{Kind: game.CmdLeave, Player: 0})
	w.Run(30)
	want(w, "the catcher left", false, true, true, true)

	kill(w, 2, 1)
	w.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	w.Run(30)
	want(w, "the catcher is a spectator", false, true, false, true)
}

func TestNewcomers(t *testing.T) {
	w := play(t, nil, 0, 1, 2)
	w.Enter(3)
	w.Run(60)
	want(w, "before the first kill", true, true, true, true)
	kill(w, 0, 1)
	w.Enter(4)
	waitOut(w, 4)
	want(w, "after it", true, false, true, true, false)
	w.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamSpectators})
	w.Run(200)
	w.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamRed})
	waitOut(w, 1)
	want(w, "a spectator comes back", true, false, true, true, false)
	kill(w, 2, 0)
	want(w, "the leader died", false, true, true, true, true)
}

func TestLetGo(t *testing.T) {
	w := play(t, nil, 0, 1, 2, 3)
	kill(w, 0, 2)
	kill(w, 0, 1)
	letGo := func() {
		w.Run(150)
		w.Run(1, game.Command{Kind: game.CmdKill, Player: 0})
		w.Run(10)
	}
	letGo()
	want(w, "let one go", true, true, false, true)
	letGo()
	want(w, "let both go", true, true, true, true)
	letGo()
	want(w, "nobody is left", false, true, true, true)
}

func TestTooFewAreNotCaught(t *testing.T) {
	w := modtest.New(t, game.Config{Mode: newPlaced(), Terrain: room, Seed: 7})
	w.Enter(0, 1)
	w.Run(60)
	kill(w, 0, 1)
	waitOut(w, 1)
	want(w, "two players", true, true)
	w.Enter(2)
	w.RunUntil("in a match", 400, func() bool { return w.Frame().Game.State == 0 && w.Alive(1) })
	w.Run(60)
	kill(w, 0, 1)
	waitOut(w, 1)
	want(w, "three players", true, false, true)
}

func TestColors(t *testing.T) {
	color := func(w *modtest.World, id game.PlayerID) int32 {
		p, _ := w.Player(id)
		if !p.Profile.Skin.UseCustomColors[0] {
			return -1
		}
		return p.Profile.Skin.PartColors[0]
	}
	w := play(t, nil, 0, 1, 2)
	testenv.Check(t, color(w, 0) == 160<<16|0xff57, "%x at first", color(w, 0))
	kill(w, 0, 1)
	testenv.Check(t, color(w, 0) == 150<<16|0xff57, "%x after a kill", color(w, 0))
	w.Run(1, game.SetVariable("sv_zcatch_colors", "off"))
	testenv.Check(t, color(w, 0) == -1, "%x when off", color(w, 0))
}

func TestWeapon(t *testing.T) {
	w := play(t, map[string]string{"sv_spawn_weapons": "grenade"}, 0, 1, 2)
	testenv.Check(t, w.Tee(0).Weapon == game.WeaponGrenade, "weapon %d", w.Tee(0).Weapon)
	w.Run(1, game.SetVariable("sv_spawn_weapons", "laser"))
	w.Hold(0, game.Input{TargetX: 1, WantedWeapon: int32(game.WeaponGrenade) + 1})
	w.Run(10)
	testenv.Check(t, w.Tee(0).Weapon == laser, "weapon %d after a change", w.Tee(0).Weapon)
}

// TestBotsPlay lets bots play for ten minutes. The last player left must win each match.
func TestBotsPlay(t *testing.T) {
	w := modtest.New(t, game.Config{Mode: newPlaced(), Terrain: room, Seed: 7})
	w.Bots(4)
	n := w.RunMatches(10*60*game.TickRate, func(events []game.Event) {
		for id := range game.PlayerID(4) {
			if won := modtest.Told(events, 0, fmt.Sprintf("player %d wins the round", id)); won != w.Alive(id) {
				t.Errorf("player %d won: %v, alive: %v", id, won, w.Alive(id))
			}
		}
	})
	testenv.Check(t, n >= 5, "%d matches", n)
}

func TestReplay(t *testing.T) {
	modtest.Match{Mode: zcatch.New, Ticks: 3000, Players: 6}.VerifyReplay(t)
}
