package modtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// T is the part of *testing.T that this package uses.
type T interface {
	// Helper marks the caller as a test helper, so that failures name the line that called it.
	Helper()
	// Logf logs a line.
	Logf(format string, args ...any)
	// Error and Errorf fail the test, and the test continues.
	Error(args ...any)
	// Errorf is Error with a format.
	Errorf(format string, args ...any)
	// Fatal and Fatalf fail the test and end it.
	Fatal(args ...any)
	// Fatalf is Fatal with a format.
	Fatalf(format string, args ...any)
}

// World is a world with players whom a test controls. Run, RunUntil and RunMatches run its ticks.
// So do the methods that need ticks to take effect, such as Enter and Fire. All other methods read
// the world or set the next inputs of players.
type World struct {
	// Game is the world itself, for reading. Its Step runs a tick without the inputs of the
	// players.
	Game *game.World
	T    T
	// Seen, if set, is called with the events of every tick. They are valid only during the call.
	// Check, if set, is called after it.
	Seen  func(events []game.Event)
	Check func()
	// Store, if set, answers requests to the storage. The mode and mods receive the answer in the
	// next tick.
	Store func(r *game.StoreRequest) (a game.StoreAnswer, ok bool)

	cfg     game.Config
	log     *matchLog // nil before Record
	bots    map[game.PlayerID]*bot.Bot
	entered []game.PlayerID
	input   [game.MaxPlayers]game.Input
	answers []game.Command // of Store, for the next tick
}

// ParseMap returns the terrain of a drawing. Each string is a row of tiles, with these characters:
//
//	# solid      - or = unhookable   x deadly   . or a space: air
//	S spawn point of all             R of red   B of blue
//	1 flag of red                    2 of blue
//	h health     a armor             s shotgun  g grenade launcher   l laser   n ninja
//	> start      < finish            c and d checkpoints of a race
//
// tiles can be nil; it maps other characters to the indexes of tiles. ParseMap panics if a
// character is unknown or the rows differ in length.
func ParseMap(tiles map[byte]uint8, rows ...string) game.Terrain {
	return bots.ParseMapWith(tiles, rows...)
}

// Rules returns the default rules for 64 players, without spam protection and without a score
// limit.
func Rules() game.Rules {
	r := bots.Rules()
	r.SpamProtection = false
	return r
}

// New returns a world. For missing fields of cfg it uses deathmatch, a small map, and the rules of
// [Rules].
func New(t T, cfg game.Config) *World {
	t.Helper()
	if cfg.Mode == nil {
		cfg.Mode = dm.Mode{}
	}
	if cfg.Terrain.Width == 0 {
		cfg.Terrain = bots.Arena()
	}
	if cfg.Rules == (game.Rules{}) {
		cfg.Rules = Rules()
	}
	w, err := game.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &World{Game: w, T: t, cfg: cfg}
}

// Run runs ticks and returns all their events. The first tick begins with cmds; the inputs of the
// players follow them. If a mod panics, the test fails.
func (w *World) Run(ticks int, cmds ...game.Command) []game.Event {
	w.T.Helper()
	var all []game.Event
	for range ticks {
		all = append(all, w.step(cmds)...)
		cmds = nil
	}
	return all
}

// step runs a tick. The events belong to the world and are valid until the next tick.
func (w *World) step(cmds []game.Command) []game.Event {
	w.T.Helper()
	cmds = slices.Concat(w.answers, cmds)
	w.answers = nil
	for _, id := range w.entered {
		if b := w.bots[id]; b != nil {
			v := w.Game.View(id)
			w.input[id] = b.NextInput(&v)
		}
		in := w.input[id]
		cmds = append(cmds,
			game.Command{Kind: game.CmdDirectInput, Player: id, Input: in},
			game.Command{Kind: game.CmdInput, Player: id, Input: in})
	}
	cmds = w.Game.AppendNPCCommands(cmds)
	events := w.Game.Step(cmds)
	if w.log != nil {
		if err := w.log.tick(cmds, w.Game.Hash()); err != nil {
			w.T.Fatal(err)
		}
	}
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == game.EvModOff:
			w.T.Error(e.Text)
		case e.Kind == game.EvStore && w.Store != nil:
			if a, ok := w.Store(e.Store); ok {
				w.answers = append(w.answers, a.Command())
			}
		}
	}
	if w.Seen != nil {
		w.Seen(events)
	}
	if w.Check != nil {
		w.Check()
	}
	return events
}

// RunUntil runs ticks until is returns true, and returns all their events. The test fails after the
// given number of ticks; what names the goal in the message.
func (w *World) RunUntil(what string, ticks int, is func() bool) []game.Event {
	w.T.Helper()
	var all []game.Event
	for range ticks {
		if is() {
			return all
		}
		all = append(all, w.step(nil)...)
	}
	w.T.Fatalf("not reached after %d ticks: %s", ticks, what)
	return nil
}

// Enter lets players join. Their names are "player 0" and so on. It does not wait for their tees.
func (w *World) Enter(ids ...game.PlayerID) {
	w.T.Helper()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = fmt.Sprintf("player %d", id)
	}
	w.EnterAs(names, ids...)
}

// EnterAs is Enter with names.
func (w *World) EnterAs(names []string, ids ...game.PlayerID) {
	w.T.Helper()
	var cmds []game.Command
	for i, id := range ids {
		join := bots.Join(id)
		join[1].Profile.Name = names[i]
		cmds = append(cmds, join...)
	}
	w.step(cmds)
	w.entered = append(w.entered, ids...)
}

// Leave disconnects a player.
func (w *World) Leave(id game.PlayerID) {
	w.T.Helper()
	w.entered = slices.DeleteFunc(w.entered, func(other game.PlayerID) bool { return other == id })
	w.input[id] = game.Input{}
	delete(w.bots, id)
	w.step([]game.Command{{Kind: game.CmdLeave, Player: id, Text: "modtest"}})
}

// Bots adds n bots of the highest skill, with the ids from 0 on. They play in all following ticks.
func (w *World) Bots(n int) {
	w.T.Helper()
	nav, err := navGraph(w.cfg.Terrain)
	if err != nil {
		w.T.Fatal(err)
	}
	if w.bots == nil {
		w.bots = map[game.PlayerID]*bot.Bot{}
	}
	for id := range game.PlayerID(n) {
		if w.bots[id], err = bot.New(bot.Config{Nav: nav, Skill: bot.MaxSkill, Seed: uint64(id)}); err != nil {
			w.T.Fatal(err)
		}
		w.Enter(id)
	}
}

// Play lets players join, and waits until the match runs and their tees stand on the ground.
func (w *World) Play(ids ...game.PlayerID) {
	w.T.Helper()
	w.Enter(ids...)
	w.RunUntil("in a running match", 400, func() bool {
		for _, id := range ids {
			if !w.Alive(id) {
				return false
			}
		}
		return w.Game.Frame().Game.State == 0
	})
	w.Run(60)
}

// RunMatches runs ticks and returns the number of matches that ended. It calls over after each of
// them.
func (w *World) RunMatches(ticks int, over func(events []game.Event)) (n int) {
	w.T.Helper()
	for range ticks {
		if events := w.Run(1); Count(events, game.EvMatchEnd) > 0 {
			n++
			over(events)
		}
	}
	return n
}

// Hold sets the input that a player holds until the next call. The zero value releases everything.
func (w *World) Hold(id game.PlayerID, in game.Input) {
	in.Fire = w.input[id].Fire
	w.input[id] = in
}

// Press makes a player press or release fire.
func (w *World) Press(id game.PlayerID, fire bool) {
	if fire != (w.input[id].Fire&1 != 0) {
		w.input[id].Fire = (w.input[id].Fire + 1) & 63
	}
}

// Aim makes a player aim at the tee of another player.
func (w *World) Aim(id, at game.PlayerID) {
	w.T.Helper()
	d := w.Pos(at).Sub(w.Pos(id))
	w.input[id].TargetX, w.input[id].TargetY = int32(d.X), int32(d.Y)
}

// hammerReach is the distance of two tees, in units, from which a hammer no longer hits.
const hammerReach = 63

// Shoot makes a player aim at the tee of another player, select a weapon and press fire. It returns
// the events of the next 30 ticks. If the shot does not hit, because a wall is between the two tees
// or the other tee is 63 units away or more from a hammer, Shoot logs that.
func (w *World) Shoot(id, at game.PlayerID, weapon game.Weapon) []game.Event {
	w.T.Helper()
	from, to := w.Pos(id), w.Pos(at)
	why := ""
	if distance := vec.Distance(from, to); weapon == game.WeaponHammer && distance >= hammerReach {
		why = fmt.Sprintf("it is %.0f units away, and a hammer reaches less than %d", distance, hammerReach)
	} else if c, err := physics.NewCollision(w.cfg.Terrain.Width, w.cfg.Terrain.Height, w.cfg.Terrain.Tiles); err == nil {
		if _, _, wall := c.IntersectLine(from, to); wall != 0 {
			why = "a wall is between them"
		}
	}
	w.Aim(id, at)
	w.input[id].WantedWeapon = int32(weapon) + 1
	w.Run(2)
	events := w.Fire(id, 30)
	if hit := func(e game.Event) bool { return e.Kind == game.EvDamage && e.Player == at && e.Target == id }; why != "" && !slices.ContainsFunc(events, hit) {
		w.T.Logf("%s shoots at %s and does not hit: %s", w.player(id).Profile.Name, w.player(at).Profile.Name, why)
	}
	return events
}

// Fire makes a player press and release fire, and returns the events of the next ticks.
func (w *World) Fire(id game.PlayerID, ticks int) []game.Event {
	w.T.Helper()
	w.input[id].Fire++
	all := w.Run(1)
	w.input[id].Fire = (w.input[id].Fire + 1) & 63
	return append(all, w.Run(ticks-1)...)
}

// Now returns the number of the current tick, without running any.
func (w *World) Now() int32 { return w.Game.Tick() }

// Frame returns everything that clients can see in the world; see [game.World.Frame].
func (w *World) Frame() *game.Frame { return w.Game.Frame() }

// Player returns the public data of a player; see [game.World.Player].
func (w *World) Player(id game.PlayerID) (game.PlayerInfo, bool) { return w.Game.Player(id) }

// Alive reports whether a player has a living tee.
func (w *World) Alive(id game.PlayerID) bool { return w.player(id).Alive }

// Score returns a player's score.
func (w *World) Score(id game.PlayerID) int32 { return w.player(id).Score }

func (w *World) player(id game.PlayerID) game.PlayerInfo {
	p, _ := w.Game.Player(id)
	return p
}

// TeamScore returns the score of a team.
func (w *World) TeamScore(t game.Team) int32 { return w.Game.Frame().Game.TeamScore[t] }

// Tee returns the tee of a player.
func (w *World) Tee(id game.PlayerID) game.CharacterState {
	w.T.Helper()
	for _, c := range w.Game.Frame().Characters {
		if c.Player == id {
			return c
		}
	}
	w.T.Fatalf("tick %d: player %d has no tee", w.Now(), id)
	return game.CharacterState{}
}

// Pos returns the position of a player's tee, in units.
func (w *World) Pos(id game.PlayerID) vec.Vec2 {
	w.T.Helper()
	return w.Tee(id).Pos
}

// Count returns the number of events of a kind.
func Count(events []game.Event, kind game.EventKind) (n int) {
	for i := range events {
		if events[i].Kind == kind {
			n++
		}
	}
	return n
}

// Told reports whether an event shows a player a text that contains the given text. It looks at
// chat lines, broadcasts and messages of the day.
func Told(events []game.Event, id game.PlayerID, text string) bool {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case game.EvChat, game.EvBroadcast, game.EvMotd:
			if e.To.Has(id) && strings.Contains(e.Text, text) {
				return true
			}
		}
	}
	return false
}
