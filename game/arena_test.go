package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// world is a World with helpers for tests.
type world struct {
	*game.World
	t      testing.TB
	script *script // a mod that runs after those of the test
	cfg    game.Config
	panics bool // mods may
}

func newWorld(t testing.TB, cfg game.Config) *world {
	t.Helper()
	if cfg.Terrain.Width == 0 {
		cfg.Terrain = bots.Arena()
	}
	if cfg.Mode == nil {
		cfg.Mode = dm.Mode{}
	}
	if cfg.Rules == (game.Rules{}) {
		cfg.Rules = rules(nil)
	}
	s := &script{}
	cfg.Mods = append(cfg.Mods[:len(cfg.Mods):len(cfg.Mods)], s)
	w := testenv.Must(game.New(cfg))
	return &world{w, t, s, cfg, false}
}

// Step runs a tick, in which mods must not panic: the world would only switch them off.
func (w *world) Step(cmds []game.Command) []game.Event {
	events := w.World.Step(cmds)
	for i := range events {
		if events[i].Kind == game.EvModOff && !w.panics {
			w.t.Error(events[i].Text)
		}
	}
	return events
}

// rules returns the default rules for 64 players, changed by edit.
func rules(edit func(*game.Rules)) game.Rules {
	r := game.DefaultRules()
	r.MaxClients, r.PlayerSlots = 64, 64
	if edit != nil {
		edit(&r)
	}
	return r
}

// join returns the commands that bring players into the game.
func join(ids ...game.PlayerID) []game.Command {
	var cmds []game.Command
	for _, id := range ids {
		cmds = append(cmds, bots.Join(id)...)
	}
	return cmds
}

// enter brings players into the game and waits until their characters stand still.
func (w *world) enter(ids ...game.PlayerID) {
	w.t.Helper()
	w.Step(join(ids...))
	w.steps(100)
	for _, id := range ids {
		if p, ok := w.Player(id); !ok || !p.Alive {
			w.t.Fatalf("player %d did not spawn: %+v", id, p)
		}
	}
}

// steps runs n ticks without commands and returns the events of all of them.
func (w *world) steps(n int) []game.Event {
	var all []game.Event
	for range n {
		all = append(all, w.Step(nil)...)
	}
	return all
}

// do runs a tick with commands.
func (w *world) do(cmds ...game.Command) []game.Event {
	return append([]game.Event(nil), w.Step(cmds)...)
}

// inTick runs a tick in which a mod calls f, and returns the tick's events.
func (w *world) inTick(f func(ctx *game.Ctx)) []game.Event {
	w.script.tick = f
	defer func() { w.script.tick = nil }()
	return w.do()
}

// kill runs a tick in which a mod kills a character.
func (w *world) kill(id game.PlayerID, weapon game.Weapon) []game.Event {
	return w.inTick(func(ctx *game.Ctx) { ctx.Player(id).Kill(weapon) })
}

// setRules runs a tick in which the operator changes the rules.
func (w *world) setRules(edit func(*game.Rules)) []game.Event {
	r := w.Rules()
	edit(&r)
	return w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
}

// hold runs n ticks with a player's input held, as direct and predicted input.
func (w *world) hold(id game.PlayerID, in game.Input, n int) []game.Event {
	var all []game.Event
	for range n {
		all = append(all, w.Step([]game.Command{
			{Kind: game.CmdDirectInput, Player: id, Input: in},
			{Kind: game.CmdInput, Player: id, Input: in},
		})...)
	}
	return all
}

// selectWeapon selects a player's weapon, aiming at x, y.
func (w *world) selectWeapon(id game.PlayerID, weapon game.Weapon, x, y int32) {
	w.t.Helper()
	w.hold(id, game.Input{TargetX: x, TargetY: y, WantedWeapon: int32(weapon) + 1}, 10)
	if got := w.char(id).Weapon; got != weapon {
		w.t.Fatalf("player %d holds weapon %d, not %d", id, got, weapon)
	}
}

// shoot presses fire once and returns the events of the given ticks.
func (w *world) shoot(id game.PlayerID, x, y int32, ticks int) []game.Event {
	evs := w.hold(id, game.Input{TargetX: x, TargetY: y, Fire: 1}, 1)
	return append(evs, w.hold(id, game.Input{TargetX: x, TargetY: y, Fire: 2}, ticks-1)...)
}

// char returns the character of a player.
func (w *world) char(id game.PlayerID) game.CharacterState {
	w.t.Helper()
	for _, c := range w.Frame().Characters {
		if c.Player == id {
			return c
		}
	}
	w.t.Fatalf("player %d has no character at tick %d", id, w.Tick())
	return game.CharacterState{}
}

// state returns the state of a player who is in the game.
func (w *world) state(id game.PlayerID) game.PlayerState {
	w.t.Helper()
	for _, p := range w.Frame().Players {
		if p.ID == id {
			return p
		}
	}
	w.t.Fatalf("player %d is not in the frame", id)
	return game.PlayerState{}
}

func (w *world) score(id game.PlayerID) int32 { return w.state(id).Score }

func (w *world) alive(id game.PlayerID) bool {
	p, ok := w.Player(id)
	return ok && p.Alive
}

// eventsOf returns the events of one kind.
func eventsOf(evs []game.Event, kind game.EventKind) []game.Event {
	var found []game.Event
	for _, e := range evs {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// sounds counts a sound.
func sounds(evs []game.Event, s game.Sound) int {
	n := 0
	for _, e := range eventsOf(evs, game.EvSound) {
		if e.Sound == s {
			n++
		}
	}
	return n
}

// script is a mod that calls the functions that are set.
type script struct {
	spawn func(ctx *game.Ctx, id game.PlayerID)
	tick  func(ctx *game.Ctx)
}

func (*script) Start(*game.Setup) {}

func (s *script) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	if s.spawn != nil {
		s.spawn(ctx, id)
	}
}

func (s *script) OnTick(ctx *game.Ctx) {
	if s.tick != nil {
		s.tick(ctx)
	}
}

// armed is a mod that gives all weapons to all players.
func armed() *script {
	return &script{spawn: func(ctx *game.Ctx, id game.PlayerID) {
		p := ctx.Player(id)
		p.GiveWeapon(game.WeaponShotgun, 10)
		p.GiveWeapon(game.WeaponGrenade, 10)
		p.GiveWeapon(game.WeaponLaser, 10)
	}}
}

// twoTeesMap returns a box with two spawn points side by side, the given number of tiles
// apart.
func twoTeesMap(apart int) game.Terrain {
	const width = 40
	floor, air, line := make([]byte, width), make([]byte, width), make([]byte, width)
	for i := range width {
		floor[i], air[i], line[i] = '#', ' ', ' '
	}
	air[0], air[width-1], line[0], line[width-1] = '#', '#', '#', '#'
	line[5], line[5+apart] = 'S', 'S'
	var rows []string
	rows = append(rows, string(floor))
	for range 12 {
		rows = append(rows, string(air))
	}
	rows = append(rows, string(line), string(floor))
	return bots.ParseMap(rows...)
}
