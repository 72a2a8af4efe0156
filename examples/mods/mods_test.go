package mods

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// room is a map with armor in the middle.
var room = modtest.ParseMap(nil,
	"################",
	"#              #",
	"#              #",
	"# S    a     S #",
	"################",
)

// play starts a match of two players.
func play(t *testing.T, mod game.Mod) *modtest.World {
	t.Helper()
	w := modtest.New(t, game.Config{Mods: []game.Mod{mod}, Terrain: room})
	w.Play(0, 1)
	return w
}

// shootDead makes a player shoot another one dead.
func shootDead(w *modtest.World, id, at game.PlayerID) (events []game.Event) {
	w.T.Helper()
	for range 30 {
		events = append(events, w.Shoot(id, at, game.WeaponGun)...)
		if modtest.Count(events, game.EvKill) > 0 {
			return append(events, w.Run(200)...) // until the victim is back
		}
	}
	w.T.Fatalf("%d does not kill %d", id, at)
	return nil
}

func TestBounty(t *testing.T) {
	m := NewBounty().(*Bounty)
	w := play(t, m)
	shootDead(w, 0, 1)
	if m.state.Streak[0] != 1 {
		t.Fatalf("a streak of %d", m.state.Streak[0])
	}
	m.state.Streak[0] = 3
	before := w.Score(1)
	events := shootDead(w, 1, 0)
	if w.Score(1) != before+4 || !modtest.Told(events, 0, "player 1 gets 3 points for player 0") || m.state.Streak[0] != 0 {
		t.Errorf("the score is %d after %d", w.Score(1), before)
	}
}

func TestClasses(t *testing.T) {
	w := play(t, NewClasses())
	events := w.Run(1, game.ChooseLine(0, classes[2]))
	if !modtest.Told(events, 0, "Heavy") {
		t.Errorf("%+v", events)
	}
	shootDead(w, 1, 0)
	if tee := w.Tee(0); tee.Armor != 10 {
		t.Errorf("armor is %d", tee.Armor)
	}
}

func TestLottery(t *testing.T) {
	w := play(t, NewLottery())
	events := append(w.Run(1, game.ConsoleCommand(game.Nobody, "lottery_draw")), w.Run(2)...)
	if !modtest.Told(events, 0, " wins") || w.Tee(0).Armor+w.Tee(1).Armor != 10 {
		t.Errorf("%+v", events)
	}
	events = w.Run(1, game.ChatCommand(0, "winners", "2"))
	var id int32
	for _, e := range events {
		if e.Kind == game.EvStore {
			id = e.Store.ID
		}
	}
	answer := game.StoreAnswer{ID: id, Op: game.StoreTop, Space: "lottery", Key: "wins", Rows: []game.Row{{Name: "nameless tee", Score: 7}}}
	if events = w.Run(1, answer.Command()); id == 0 || !modtest.Told(events, 0, "1. nameless tee (7)") {
		t.Errorf("%d: %+v", id, events)
	}
}

func TestGuard(t *testing.T) {
	w := play(t, NewGuard())
	if modtest.Count(w.Run(200), game.EvDamage) == 0 {
		t.Error("the guard hits nobody")
	}
}

// TestMoon checks that a tee jumps higher above an unhookable floor.
func TestMoon(t *testing.T) {
	highest := func(floor string) float32 {
		air := "#          #"
		rows := []string{"############", air, air, air, air, air, air, air, air, air, "#S        S#", floor}
		w := modtest.New(t, game.Config{Mods: []game.Mod{NewMoon()}, Terrain: modtest.ParseMap(nil, rows...)})
		w.Play(0, 1)
		w.Hold(0, game.Input{Jump: true, TargetX: 1})
		y := w.Pos(0).Y
		w.Check = func() { y = min(y, w.Pos(0).Y) }
		w.Run(100)
		return y
	}
	if rock, moon := highest("############"), highest("------------"); moon > rock-1 {
		t.Errorf("a jump ends at %v, above the moon at %v", rock, moon)
	}
}

// track is a race from left to right.
var track = modtest.ParseMap(nil,
	"##############",
	"#   >    <   #",
	"#   >    <   #",
	"# S >    <   #",
	"##############",
)

func TestTrial(t *testing.T) {
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{NewTrial()}, Terrain: track})
	w.Run(1, game.SetVariable("trial_seconds", "1"))
	w.Play(0)
	if w.Tee(0).Flags&(game.CharacterFlagHasWeapon<<game.WeaponGrenade) == 0 {
		t.Error("no grenade launcher")
	}
	w.Hold(0, game.Input{Direction: 1, TargetX: 1})
	events := w.Run(60)
	if modtest.Count(events, game.EvRaceFinish) != 1 || !modtest.Told(events, 0, "player 0 is the fastest") {
		t.Errorf("no race that counts: %+v", events)
	}
	if events = w.Run(1, game.ChatCommand(0, "finishes")); !modtest.Told(events, 0, "1 times") {
		t.Errorf("%+v", events)
	}
	w.Run(1, game.Command{Kind: game.CmdKill, Player: 0})
	w.RunUntil("past the start", 100, func() bool { return w.Pos(0).X > 6*32 && w.Frame().Players[0].RaceStart != 0 })
	w.Hold(0, game.Input{TargetX: 1})
	if events = w.Run(120); !modtest.Told(events, 0, "Too slow!") {
		t.Errorf("there is time for ever: %+v", w.Pos(0))
	}
}

func TestReplay(t *testing.T) {
	modtest.Match{Mode: ddrace.New, Mods: []func() game.Mod{NewTrial}, Terrain: track, Ticks: 600}.VerifyReplay(t)
	for _, newMod := range []func() game.Mod{NewBounty, NewClasses, NewLottery, NewGuard, NewMoon} {
		t.Run(fmt.Sprintf("%T", newMod()), func(t *testing.T) {
			modtest.Match{Mods: []func() game.Mod{newMod}, Ticks: 600}.VerifyReplay(t)
		})
	}
}
