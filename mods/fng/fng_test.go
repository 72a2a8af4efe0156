package fng_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/fng"
)

var tiles = map[byte]uint8{'o': 7, 'n': 8, 'r': 9, 'b': 10, 'g': 14, 'p': 15}

const laser = game.WeaponLaser

// placed is FNG with fixed spawns: players 2, 0 and 3 to the left of the spikes, player 1 to the
// right.
type placed struct{ *fng.Mode }

func (placed) PickSpawn(_ *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	return vec.Vec2{X: [...]float32{4, 14, 2, 7}[id]*32 + 16, Y: 3*32 + 16}, true
}

// play starts a match on a map with a spike between players 0 and 1, unless spike is empty. Players
// 0 and 2 are red, 1 and 3 are blue.
func play(t *testing.T, spike string, weapon game.Weapon, teams bool, variables map[string]string, players ...game.PlayerID) *modtest.World {
	t.Helper()
	terrain := modtest.ParseMap(tiles,
		"####################",
		"#                  #",
		"#                  #",
		"#         "+spike+strings.Repeat(" ", 9-len(spike))+"#",
		"####################",
	)
	w := modtest.New(t, game.Config{Mode: placed{fng.New(weapon, teams).(*fng.Mode)}, Terrain: terrain, Variables: variables, Seed: 7})
	w.Play(players...)
	return w
}

// freeze makes a player freeze another one with the laser.
func freeze(w *modtest.World, by, id game.PlayerID) []game.Event {
	w.T.Helper()
	events := w.Shoot(by, id, laser)
	if w.Tee(id).FreezeEnd == 0 {
		w.T.Fatalf("%d did not freeze %d", by, id)
	}
	return events
}

// pull makes a player hook another one until that one is dead.
func pull(w *modtest.World, by, id game.PlayerID) []game.Event {
	w.T.Helper()
	var all []game.Event
	for range 200 {
		if !w.Alive(id) {
			w.Hold(by, game.Input{})
			return all
		}
		in := game.Input{Hook: w.Now()%50 != 0}
		w.Hold(by, in)
		w.Aim(by, id)
		all = append(all, w.Run(1)...)
	}
	w.T.Fatalf("%d is still alive at %v", id, w.Pos(id))
	return nil
}

func said(events []game.Event, text string) bool {
	for _, e := range events {
		if e.Kind == game.EvChat && strings.Contains(e.Text, text) {
			return true
		}
	}
	return false
}

func TestHitsFreeze(t *testing.T) {
	w := play(t, " ", laser, true, map[string]string{"sv_hit_freeze_delay": "3"}, 0, 1)
	events := freeze(w, 0, 1)
	testenv.Check(t, w.Score(0) == 1 && w.TeamScore(game.TeamRed) == 1, "score %d", w.Score(0))
	testenv.Check(t, modtest.Count(events, game.EvKillFeed) == 1 && modtest.Count(events, game.EvKill) == 0, "not in the feed, or dead")
	at := w.Pos(1)
	w.Hold(1, game.Input{Direction: 1, Jump: true})
	for i := range 3 {
		w.Fire(1, 30)
		testenv.Check(t, i == 2 || w.Pos(1) == at && w.Tee(0).FreezeEnd == 0, "a frozen tee moves or shoots")
		if i < 2 {
			w.Shoot(0, 1, laser)
		}
	}
	testenv.Check(t, w.Score(0) == 1, "score %d for hits on a frozen tee", w.Score(0))
	w.Run(30)
	testenv.Check(t, w.Pos(1) != at, "still frozen after three seconds")
}

func TestSpikes(t *testing.T) {
	for spike, want := range map[string][2]int32{"n": {3, 5}, "o": {8, 12}, "g": {6, 15}, "p": {10, 18}, "r": {5, 10}} {
		for _, teams := range []bool{true, false} {
			w := play(t, spike, laser, teams, nil, 0, 1)
			freeze(w, 0, 1)
			events := pull(w, 0, 1)
			testenv.Check(t, w.Score(0) == 1+want[0], "%s: score %d", spike, w.Score(0))
			if teams {
				testenv.Check(t, w.TeamScore(game.TeamRed) == 1+want[1], "%s: team %d", spike, w.TeamScore(game.TeamRed))
			}
			kill := game.Event{}
			for _, e := range events {
				if e.Kind == game.EvKill {
					kill = e
				}
			}
			testenv.Check(t, kill.Player == 0 && kill.Target == 1, "%s: kill %+v", spike, kill)
			testenv.Check(t, w.Score(1) == 0, "%s: the victim has %d", spike, w.Score(1))
		}
	}
	w := play(t, "o", laser, false, map[string]string{"sv_player_score_gold": "50"}, 0, 1)
	freeze(w, 0, 1)
	pull(w, 0, 1)
	testenv.Check(t, w.Score(0) == 51, "a setting: score %d", w.Score(0))
}

func TestSpikesOfTheOpponents(t *testing.T) {
	w := play(t, "b", laser, true, nil, 0, 1)
	freeze(w, 0, 1)
	pull(w, 0, 1)
	testenv.Check(t, w.Score(0) == 1-5 && w.TeamScore(game.TeamRed) == 1 && w.TeamScore(game.TeamBlue) == 0, "score %d, team %d", w.Score(0),
		w.TeamScore(game.TeamRed))
	testenv.Check(t, w.Tee(0).FreezeEnd > w.Now()+400, "not frozen")
	w = play(t, "b", laser, false, nil, 0, 1)
	freeze(w, 0, 1)
	pull(w, 0, 1)
	testenv.Check(t, w.Score(0) == 6 && w.Tee(0).FreezeEnd == 0, "without teams: score %d", w.Score(0))
}

func TestWhoIsNotFrozenDies(t *testing.T) {
	w := play(t, "o", laser, true, nil, 0, 1)
	w.Hold(0, game.Input{Direction: 1})
	w.RunUntil("dead", 100, func() bool { return !w.Alive(0) })
	testenv.Check(t, w.Score(0) == -1 && w.Score(1) == 0, "scores %d and %d", w.Score(0), w.Score(1))
}

func TestTeamMatesMelt(t *testing.T) {
	w := play(t, " ", laser, true, map[string]string{"sv_hit_freeze_delay": "5"}, 0, 1, 2)
	freeze(w, 1, 0)
	w.Hold(2, game.Input{Direction: 1, WantedWeapon: int32(game.WeaponHammer) + 1})
	w.RunUntil("beside", 100, func() bool { return w.Pos(2).X > w.Pos(0).X-45 })
	w.Hold(2, game.Input{WantedWeapon: int32(game.WeaponHammer) + 1})
	left := w.Tee(0).FreezeEnd - w.Now()
	w.Shoot(2, 0, game.WeaponHammer)
	testenv.Check(t, w.Tee(0).FreezeEnd == w.Now()+left-32-150, "%d ticks left after the first, %d before", w.Tee(0).FreezeEnd-w.Now(), left)
	testenv.Check(t, w.Score(2) == 0, "score %d after the first", w.Score(2))
	w.Shoot(2, 0, game.WeaponHammer)
	testenv.Check(t, w.Tee(0).FreezeEnd == 0 && w.Score(2) == 1, "score %d after the second", w.Score(2))
}

// TestTeamMatesTakeTheBlame lets a teammate hook a frozen tee into spikes.
func TestTeamMatesTakeTheBlame(t *testing.T) {
	w := play(t, "o", laser, true, nil, 0, 1, 2, 3)
	w.Hold(3, game.Input{Jump: true}) // over the beam
	w.Run(8)
	freeze(w, 0, 1)
	w.Hold(3, game.Input{})
	w.Run(20)
	pull(w, 3, 1)
	testenv.Check(t, w.Score(0) == 1 && w.Score(1) == -1 && w.Score(3) == 0, "scores %d, %d and %d", w.Score(0), w.Score(1), w.Score(3))
}

func TestStealsAreTold(t *testing.T) {
	w := play(t, "o", laser, true, nil, 0, 1, 2)
	w.Hold(0, game.Input{Jump: true}) // over the beam
	w.Run(8)
	w.Hold(0, game.Input{})
	freeze(w, 2, 1)
	w.Run(20)
	events := pull(w, 0, 1)
	testenv.Check(t, said(events, "player 0 took the frozen tee of player 2"), "it is not said; 0 has %d", w.Score(0))
	testenv.Check(t, w.Score(0) == 8 && w.Score(2) == 1, "scores %d and %d", w.Score(0), w.Score(2))
}

func TestHammersPush(t *testing.T) {
	push := func(scales string) float32 {
		w := play(t, " ", laser, true, map[string]string{"sv_fng_hammer": scales}, 0, 1)
		w.Hold(1, game.Input{Direction: -1})
		w.RunUntil("beside", 200, func() bool { return w.Pos(1).X < w.Pos(0).X+50 })
		w.Hold(1, game.Input{})
		w.Hold(0, game.Input{WantedWeapon: int32(game.WeaponHammer) + 1})
		w.Aim(0, 1)
		w.Run(10)
		at := w.Pos(1)
		w.Fire(0, 4)
		testenv.Check(t, w.Alive(1) && w.Tee(1).Health == 10, "a hammer hurts")
		return w.Pos(1).Sub(at).Len()
	}
	weak, strong := push("0"), push("1")
	testenv.Check(t, weak > 10 && strong > 1.5*weak, "pushed by %v and %v units", weak, strong)
}

func TestFrozenTeesCannotFlee(t *testing.T) {
	w := play(t, " ", laser, true, nil, 0, 1)
	freeze(w, 0, 1)
	events := w.Run(1, game.Command{Kind: game.CmdKill, Player: 1}, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamSpectators})
	testenv.Check(t, w.Alive(1) && said(events, "cannot kill yourself") && said(events, "cannot change teams"), "alive %v, %+v", w.Alive(1), events)
}

func TestWhoLeftIsNotToBlame(t *testing.T) {
	w := play(t, "ooo", laser, false, nil, 0, 1)
	w.Hold(1, game.Input{Direction: -1, Jump: true})
	w.Run(6)
	w.Aim(0, 1)
	w.Fire(0, 1) // the push carries the tee towards the spikes
	w.Run(1, game.Command{Kind: game.CmdLeave, Player: 0})
	w.Enter(0)
	frozen := false
	w.RunUntil("dead", 100, func() bool {
		if !w.Alive(1) {
			return true
		}
		frozen = w.Tee(1).FreezeEnd > 0
		return false
	})
	testenv.Check(t, frozen && w.Score(0) == 0 && w.Score(1) == -1, "frozen %v, scores %d and %d", frozen, w.Score(0), w.Score(1))
}

func TestGrenades(t *testing.T) {
	w := play(t, " ", game.WeaponGrenade, true, nil, 0, 1)
	testenv.Check(t, w.Game.ModeName() == "boomfng", "%s", w.Game.ModeName())
	w.Hold(0, game.Input{TargetY: 1})
	w.Fire(0, 30)
	testenv.Check(t, w.Alive(0) && w.Tee(0).FreezeEnd == 0 && w.Tee(0).Health == 10, "a grenade of one's own")
	w.Hold(1, game.Input{Direction: -1})
	w.RunUntil("near", 200, func() bool { return w.Pos(1).X < w.Pos(0).X+150 })
	w.Hold(1, game.Input{})
	w.Run(20)
	w.Shoot(0, 1, game.WeaponGrenade)
	testenv.Check(t, w.Tee(1).FreezeEnd > 0 && w.Score(0) == 1, "not frozen")
	at := w.Pos(1)
	w.Shoot(0, 1, game.WeaponGrenade)
	testenv.Check(t, w.Pos(1) != at && w.Score(0) == 1, "frozen tees are not pushed")
}

// pit is a map with all kinds of spikes.
var pit = modtest.ParseMap(tiles,
	"##############################",
	"#            oo              #",
	"#  R                      B  #",
	"#  ###    ###  ###    ###### #",
	"#          g      p          #",
	"#  R   r            b     B  #",
	"##########nn####nn############",
	"##############################",
)

func TestBotsPlay(t *testing.T) {
	rules := modtest.Rules()
	rules.ScoreLimit = 60
	w := modtest.New(t, game.Config{Mode: fng.New(laser, true), Terrain: pit, Rules: rules, Seed: 7})
	w.Bots(6)
	frozen, sacrifices, falls := 0, 0, 0
	for _, e := range w.Run(3000) {
		switch {
		case e.Kind == game.EvKillFeed:
			frozen++
		case e.Kind == game.EvKill && e.Weapon == game.WeaponNinja:
			sacrifices++
		case e.Kind == game.EvKill && e.Weapon == game.WeaponWorld:
			falls++
		}
	}
	t.Logf("%d frozen, %d sacrificed, %d fell", frozen, sacrifices, falls)
	testenv.Check(t, frozen >= 10 && sacrifices >= 3, "%d frozen, %d sacrificed, %d fell", frozen, sacrifices, falls)
	n := w.RunMatches(10*60*game.TickRate, func([]game.Event) {
		if red, blue := w.TeamScore(game.TeamRed), w.TeamScore(game.TeamBlue); max(red, blue) < rules.ScoreLimit || red == blue {
			t.Errorf("a match ends at %d to %d", red, blue)
		}
	})
	testenv.Check(t, n >= 3, "%d matches in ten minutes", n)
}

func TestReplay(t *testing.T) {
	for _, teams := range []bool{true, false} {
		for _, weapon := range []game.Weapon{laser, game.WeaponGrenade} {
			modtest.Match{Mode: func() game.Mode { return fng.New(weapon, teams) }, Terrain: pit, Ticks: 600}.VerifyReplay(t)
		}
	}
}

func TestTicksAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := play(t, " ", laser, true, nil, 0, 1, 2)
	freeze(w, 0, 1)
	if n := testing.AllocsPerRun(100, func() { w.Game.Step(nil) }); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}
