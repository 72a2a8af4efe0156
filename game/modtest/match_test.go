package modtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/tdm"
)

// busyMod uses most calls of the world and keeps all of its data in State.
type busyMod struct {
	state struct {
		Kills  game.PerPlayer[int32]
		Votes  int32
		Chosen int32
	}
	heal, limit int32
	title       string
	menu        game.Menu
	vote        game.Vote
	boom        game.Timer

	called map[string]int // calls of all instances, for the test
}

func (m *busyMod) State() any { return &m.state }

func (m *busyMod) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "heal", Value: &m.heal, Default: 1, Max: 5, Changed: func(ctx *game.Ctx) { m.called["variable"]++ }})
	setup.IntVar(game.IntVar{Name: "limit", Value: &m.limit})
	setup.TextVar(game.TextVar{Name: "title", Value: &m.title, MaxLen: 9})
	setup.ChatCommand(game.CommandSpec{Name: "heal", Params: "i[n] ?s[who]", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		p := ctx.Player(c.Player)
		m.called["chat"]++
		p.Heal(c.Int(0) + m.heal)
		p.ShowMenu(m.menu, "a", "b", c.Arg(1))
	}})
	setup.ConsoleCommand(game.CommandSpec{Name: "boom", Params: "?i[ticks]", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		m.called["console"]++
		ctx.After(m.boom, c.Int(0), c.Player)
		ctx.StartVote(m.vote, game.Nobody, m.title)
	}})
	m.menu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		m.called["menu"]++
		m.state.Chosen += int32(line)
	})
	m.vote = setup.Vote(func(ctx *game.Ctx, passed bool) {
		m.called["vote"]++
		if passed {
			m.state.Votes++
		}
	})
	m.boom = setup.Timer(func(ctx *game.Ctx, id game.PlayerID) {
		m.called["timer"]++
		ctx.Explode(ctx.Player(id).Pos(), id, game.WeaponGrenade, m.state.Votes+m.state.Chosen)
	})
}

func (m *busyMod) OnDeath(ctx *game.Ctx, d *game.Death) {
	if d.Killer >= 0 {
		m.state.Kills[d.Killer]++
		ctx.Player(d.Killer).SetScreenText(fmt.Sprint(m.state.Kills[d.Killer]))
	}
}

// fault is a mod that pushes a player every 100 ticks by the number that push returns.
type fault struct {
	forgotten int32
	push      func(m *fault) int32
}

// ticks counts the ticks of all worlds.
var ticks int32

func (m *fault) Start(*game.Setup) {}
func (m *fault) OnTick(ctx *game.Ctx) {
	ticks++
	m.forgotten++
	if ctx.Tick()%100 != 99 {
		return
	}
	for p := range ctx.Players() {
		p.TakeDamage(game.Damage{Attacker: game.Nobody, Amount: m.push(m)})
	}
}

func faulty(push func(m *fault) int32) []func() game.Mod {
	return []func() game.Mod{func() game.Mod { return &fault{push: push} }}
}

func TestVerifyReplay(t *testing.T) {
	called := map[string]int{}
	busy := func() game.Mod { return &busyMod{called: called} }
	Match{Mods: []func() game.Mod{busy}, Ticks: 3000}.VerifyReplay(t)
	for _, what := range []string{"variable", "chat", "console", "menu", "vote", "timer"} {
		if called[what] == 0 {
			t.Errorf("%s: never", what)
		}
	}
	Match{Mode: func() game.Mode { return lms.Mode{} }, Ticks: 1000, Players: 3, Seed: 7}.VerifyReplay(t)
	n := 0
	Match{Mode: func() game.Mode { return tdm.Mode{} }, Ticks: 500, Commands: func(w *game.World, dst []game.Command) []game.Command {
		n++
		return append(dst, game.Command{Kind: game.CmdShuffleTeams})
	}}.VerifyReplay(t)
	if n != 500 {
		t.Errorf("Commands was called %d times", n)
	}
}

func TestVerifyReplayFindsFaults(t *testing.T) {
	calls := int32(0)
	for name, test := range map[string]struct {
		push func(m *fault) int32
		want error
	}{
		"a variable of all":    {func(*fault) int32 { calls++; return calls % 7 }, errState},
		"a field not in State": {func(m *fault) int32 { return m.forgotten % 7 }, errState},
		// The first run has two worlds of 1000 ticks.
		"the number of runs": {func(*fault) int32 { return ticks / 2001 }, errLog},
		"nothing":            {func(*fault) int32 { return 1 }, nil},
	} {
		ticks = 0
		m := Match{Mods: faulty(test.push), Ticks: 1000}
		if err := m.verify(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := Match{Mods: []func() game.Mod{func() game.Mod { return badMod{} }}}
	if err := bad.verify(); !errors.Is(err, game.ErrDeclared) {
		t.Errorf("a mod that New refuses: %v", err)
	}
}

type badMod struct{}

func (badMod) Start(setup *game.Setup) { setup.Timer(nil) }

// forgetful has counters that are not in its State.
type forgetful struct {
	streak game.PerPlayer[int32]
	ticks  int
	points int32 // for three kills without a death
	speaks bool
}

func (m *forgetful) Start(*game.Setup) {}

func (m *forgetful) OnDeath(ctx *game.Ctx, d *game.Death) {
	m.streak[d.Victim] = 0
	if d.Killer < 0 || d.Killer == d.Victim {
		return
	}
	if m.streak[d.Killer]++; m.streak[d.Killer] == 3 {
		ctx.Player(d.Killer).AddScore(m.points)
	}
}

func (m *forgetful) OnTick(ctx *game.Ctx) {
	if m.ticks++; m.speaks && m.ticks%97 == 0 {
		ctx.Broadcast("still here")
	}
}

// TestVerifyReplayFindsForgottenKills checks that the players kill often enough to find counters
// of kills that are not saved, and that differences in texts alone are found.
func TestVerifyReplayFindsForgottenKills(t *testing.T) {
	for name, newMod := range map[string]func() game.Mod{
		"points": func() game.Mod { return &forgetful{points: 5} },
		"texts":  func() game.Mod { return &forgetful{speaks: true} },
	} {
		m := Match{Mods: []func() game.Mod{newMod}}
		if err := m.verify(); !errors.Is(err, errState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := Match{Mods: []func() game.Mod{func() game.Mod { return &forgetful{} }}, Ticks: 1500}
	if err := m.verify(); err != nil {
		t.Errorf("counters without an effect: %v", err)
	}
}
