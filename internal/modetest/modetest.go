// Package modetest is for tests of game modes: a world with scripted players on a drawn map.
package modetest

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// World is a world of a test.
type World struct {
	*game.World
	T testing.TB

	input [game.MaxPlayers]game.Input
}

// ParseMap returns the terrain of a drawing: # is solid, x deadly, S, R and B are spawn
// points of all, red and blue, 1 and 2 flag stands, l a laser; the others are in tiles.
func ParseMap(tiles map[byte]uint8, rows ...string) game.Terrain {
	t := game.Terrain{Width: len(rows[0]), Height: len(rows)}
	usual := map[byte]uint8{'#': 1, 'x': 2, 'S': 192, 'R': 193, 'B': 194, '1': 195, '2': 196, 'l': 202}
	for _, row := range rows {
		if len(row) != t.Width {
			panic(fmt.Sprintf("row %q is %d wide, not %d", row, len(row), t.Width))
		}
		for _, c := range []byte(row) {
			tile, ok := tiles[c]
			if !ok {
				tile = usual[c]
			}
			t.Tiles = append(t.Tiles, tile)
		}
	}
	return t
}

// New returns a world with a mode. The variables are set as by the configuration; rules can
// be changed by edit.
func New(t testing.TB, mode game.Mode, terrain game.Terrain, variables map[string]string, edit func(*game.Rules)) *World {
	t.Helper()
	r := game.DefaultRules()
	r.MaxClients, r.PlayerSlots, r.SpamProtection = game.MaxPlayers, game.MaxPlayers, false
	if edit != nil {
		edit(&r)
	}
	w, err := game.New(game.Config{Mode: mode, Terrain: terrain, Rules: r, Variables: variables, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return &World{World: w, T: t}
}

// Do runs a tick with commands, after the inputs of the players.
func (w *World) Do(cmds ...game.Command) []game.Event {
	for id, in := range w.input {
		if in != (game.Input{}) {
			cmds = append(cmds,
				game.Command{Kind: game.CmdDirectInput, Player: game.PlayerID(id), Input: in},
				game.Command{Kind: game.CmdInput, Player: game.PlayerID(id), Input: in})
		}
	}
	return append([]game.Event(nil), w.Step(cmds)...)
}

// Run runs ticks and returns the events of all.
func (w *World) Run(ticks int) []game.Event {
	w.T.Helper()
	var all []game.Event
	for range ticks {
		all = append(all, w.Do()...)
	}
	return all
}

// RunUntil runs ticks until something is so, at most so many.
func (w *World) RunUntil(what string, ticks int, is func() bool) []game.Event {
	w.T.Helper()
	var all []game.Event
	for range ticks {
		if is() {
			return all
		}
		all = append(all, w.Do()...)
	}
	w.T.Fatalf("after %d ticks: not %s", ticks, what)
	return nil
}

// Enter brings players into the game, without waiting for anything.
func (w *World) Enter(ids ...game.PlayerID) {
	w.T.Helper()
	var cmds []game.Command
	for _, id := range ids {
		cmds = append(cmds,
			game.Command{Kind: game.CmdJoin, Player: id, AddrHash: uint64(id)},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: fmt.Sprintf("player %d", id), Country: -1}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	w.Do(cmds...)
}

// Play brings players into the game and waits until the match runs and they stand.
func (w *World) Play(ids ...game.PlayerID) {
	w.T.Helper()
	w.Enter(ids...)
	w.RunUntil("in a running match", 400, func() bool {
		for _, id := range ids {
			if !w.Alive(id) {
				return false
			}
		}
		return w.Frame().Game.State == 0
	})
	w.Run(60)
}

// Hold lets a player hold an input until the next call; the zero value is none.
func (w *World) Hold(id game.PlayerID, in game.Input) {
	in.Fire = w.input[id].Fire
	w.input[id] = in
}

// Aim lets a player aim at the tee of another.
func (w *World) Aim(id, at game.PlayerID) {
	w.T.Helper()
	d := w.Pos(at).Sub(w.Pos(id))
	w.input[id].TargetX, w.input[id].TargetY = int32(d.X), int32(d.Y)
}

// Shoot lets a player aim at the tee of another, select a weapon and press fire, and returns the
// events of the next 30 ticks.
func (w *World) Shoot(id, at game.PlayerID, weapon game.Weapon) []game.Event {
	w.T.Helper()
	w.Aim(id, at)
	w.input[id].WantedWeapon = int32(weapon) + 1
	w.Run(2)
	return w.Fire(id, 30)
}

// Fire lets a player press and release fire, and returns the events of the next ticks.
func (w *World) Fire(id game.PlayerID, ticks int) []game.Event {
	w.T.Helper()
	w.input[id].Fire++
	all := w.Do()
	w.input[id].Fire = (w.input[id].Fire + 1) & 63
	return append(all, w.Run(ticks-1)...)
}

// Alive reports whether a player has a living tee.
func (w *World) Alive(id game.PlayerID) bool { return w.player(id).Alive }

// Score returns a player's score.
func (w *World) Score(id game.PlayerID) int32 { return w.player(id).Score }

func (w *World) player(id game.PlayerID) game.PlayerInfo {
	p, _ := w.Player(id)
	return p
}

// TeamScore returns the score of a team.
func (w *World) TeamScore(t game.Team) int32 { return w.Frame().Game.TeamScore[t] }

// Tee returns the tee of a player.
func (w *World) Tee(id game.PlayerID) game.CharacterState {
	w.T.Helper()
	for _, c := range w.Frame().Characters {
		if c.Player == id {
			return c
		}
	}
	w.T.Fatalf("tick %d: player %d has no tee", w.Tick(), id)
	return game.CharacterState{}
}

// Pos returns where the tee of a player is.
func (w *World) Pos(id game.PlayerID) vec.Vec2 {
	w.T.Helper()
	return w.Tee(id).Pos
}

// Count counts the events of a kind.
func Count(events []game.Event, kind game.EventKind) (n int) {
	for i := range events {
		if events[i].Kind == kind {
			n++
		}
	}
	return n
}
