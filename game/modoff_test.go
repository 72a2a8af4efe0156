package game_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// owning is a mod that has one of everything, decides that no match ends, and panics on demand.
type owning struct {
	panics bool
	speed  int32
	deaths int
}

func (m *owning) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "own_speed", Value: &m.speed, Default: 3})
	run := func(*game.Ctx, *game.CommandCall) {}
	setup.ChatCommand(game.CommandSpec{Name: "own", Run: run})
	setup.ConsoleCommand(game.CommandSpec{Name: "own_reset", Run: run})
	menu := setup.Menu(func(*game.Ctx, game.PlayerID, int) {})
	vote := setup.Vote(func(*game.Ctx, bool) {})
	kind := setup.AddEntityKind(game.EntityKind{Draw: func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
		d.Laser(0, e.Pos, e.Pos.Add(vec.Vec2{X: 40}), game.MaskAll)
	}})
	setup.SpawnEntity(kind, game.Entity{Pos: vec.Vec2{X: 100, Y: 100}})
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "guard"}, Team: game.TeamRed})
	timer := setup.Timer(func(ctx *game.Ctx, id game.PlayerID) {
		for p := range ctx.Players() {
			p.ShowMenu(menu, "line")
			p.SetScreenText("text")
		}
		ctx.StartVote(vote, game.Nobody, "more?")
		ctx.AddNPC(game.NPC{})
	})
	setup.After(timer, 150, game.Nobody)
}

func (*owning) MinPlayers() int32                      { return 1 }
func (*owning) CheckWin(*game.Ctx) game.MatchResult    { return game.MatchContinues }
func (*owning) OnDamage(ctx *game.Ctx, _ *game.Damage) { ctx.Cancel() }
func (m *owning) OnDeath(ctx *game.Ctx, d *game.Death) { m.deaths++ }
func (m *owning) OnChat(ctx *game.Ctx, c *game.ChatMessage) {
	ctx.Cancel()
	ctx.Player(0).Kill(game.WeaponGame)
	if m.panics {
		var p *owning
		p.deaths++
	}
}

// has returns the things in a world that belong to a mod of type owning.
func (w *world) has() (all []string) {
	add := func(name string, is bool) {
		if is {
			all = append(all, name)
		}
	}
	lines, _ := w.MenuLines(1)
	_, vote := w.ModVote()
	asked, leave := w.NPCRequests()
	add("variable", len(w.Variables()) > 0)
	add("chat", len(w.ChatCommands()) > 0)
	add("console", len(w.ConsoleCommands()) > 0)
	add("menu", len(lines) > 0)
	add("text", w.ScreenText(1) != "")
	add("vote", vote)
	add("entity", len(w.Frame().Lasers) > 0)
	add("npc", !w.NPCs().Without(leave).IsEmpty())
	add("asked", asked > 0)
	return all
}

// TestModIsSwitchedOff lets a mod panic, and looks for remains of the mod in the world and in a
// world restored from its state.
func TestModIsSwitchedOff(t *testing.T) {
	m := &owning{}
	cfg := game.Config{Mods: []game.Mod{m}, Rules: rules(func(r *game.Rules) { r.ScoreLimit = 1 })}
	w := newWorld(t, cfg)
	w.enter(0, 1)
	w.Step(w.AppendNPCCommands(nil))
	w.steps(100)
	testenv.Check(t, len(w.has()) == 9 && !w.hasEnded(), "it has only %q", w.has())
	hash := w.Hash()
	m.panics, w.panics = true, true
	evs := w.do(say(1, "hello"))
	off := eventsOf(evs, game.EvModOff)
	if len(off) != 1 || off[0].Value != 0 {
		t.Fatalf("%+v", off)
	}
	lines := strings.Split(off[0].Text, "\n")
	testenv.Check(t, strings.HasPrefix(lines[0], "the mod *game_test.owning panicked in OnChat in tick ") &&
		strings.HasSuffix(lines[0], " and is switched off: runtime error: invalid memory address or nil pointer dereference") &&
		len(lines) == 2 && strings.HasPrefix(lines[1], "  game_test.(*owning).OnChat (modoff_test.go:"), "%q", lines)
	testenv.Check(t, len(w.chat(evs)) == 0 && m.deaths == 1, "what it did before is undone: %d deaths", m.deaths)
	w.Step(w.AppendNPCCommands(nil))
	testenv.Check(t, len(w.has()) == 0, "it still has %q", w.has())
	testenv.Check(t, w.Hash() != hash, "equal hashes")

	state := w.AppendState(nil)
	again := newRestored(t, cfg, state)
	testenv.Check(t, again.Hash() == w.Hash() && bytes.Equal(again.AppendState(nil), state), "another state")
	for _, w := range []*world{w, again} {
		testenv.Check(t, len(w.has()) == 0, "it has %q", w.has())
		w.do(game.SetVariable("own_speed", "5"), game.ChatCommand(1, "own"))
		w.steps(3 * game.TickRate)
		evs = w.do(say(1, "again"))
		testenv.Check(t, len(w.chat(evs)) == 1 && len(eventsOf(evs, game.EvModOff)) == 0, "%+v", evs)
	}
	testenv.Check(t, m.speed == 3 && m.deaths == 1, "speed %d, %d deaths", m.speed, m.deaths)
	testenv.Check(t, again.Hash() == w.Hash(), "they went on differently")

	// The mode's rules count again.
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).AddScore(1) })
	w.steps(1)
	testenv.Check(t, w.hasEnded(), "the match goes on")
}

func (w *world) hasEnded() bool { return w.Frame().Game.State&game.StateGameOver != 0 }

func (w *world) chat(evs []game.Event) []game.Event { return eventsOf(evs, game.EvChat) }

// newRestored is newWorld with a state.
func newRestored(t *testing.T, cfg game.Config, state []byte) *world {
	m, s := &owning{}, &script{}
	cfg.Terrain, cfg.Mode, cfg.Mods = bots.Arena(), dm.Mode{}, []game.Mod{m, s}
	return &world{testenv.Must(game.Restore(cfg, state)), t, s, cfg, false}
}

// frailMode panics at every death.
type frailMode struct{ dm.Mode }

func (frailMode) OnDeath(*game.Ctx, *game.Death) { panic("frail") }

// TestModeThatPanics kills a tee in a mod: it is the mode that panics then, and the match ends.
func TestModeThatPanics(t *testing.T) {
	w := newWorld(t, game.Config{Mode: frailMode{}})
	w.enter(0)
	defer func() {
		if p := recover(); p != "frail" {
			t.Errorf("the world panics with %v", p)
		}
	}()
	w.kill(0, game.WeaponGame)
}

// nested is a mod whose hooks call each other's.
type nested struct {
	id    game.PlayerID
	fails bool
	log   *[]string
}

func (nested) Start(*game.Setup) {}
func (n nested) OnTick(ctx *game.Ctx) {
	*n.log = append(*n.log, "tick")
	ctx.Player(n.id).Kill(game.WeaponGame)
	*n.log = append(*n.log, "after")
}
func (n nested) OnDeath(ctx *game.Ctx, d *game.Death) {
	*n.log = append(*n.log, "death")
	if n.fails && d.Victim == 1 {
		panic(ctx)
	}
}

// TestPanicInNestedHooks lets a mod panic that another mod has called, and calls it again.
func TestPanicInNestedHooks(t *testing.T) {
	var a, b []string
	w := newWorld(t, game.Config{Mods: []game.Mod{nested{1, false, &a}, nested{0, true, &b}}})
	w.panics = true
	w.enter(2)
	a, b = nil, nil
	w.Step(join(0, 1))
	w.steps(100)
	testenv.Check(t, len(b) > 4 && strings.HasSuffix(strings.Join(b, " "), "death") && strings.Count(strings.Join(b, " "), "death") <= 2, "%q", b)
	testenv.Check(t, len(a) > 200 && a[len(a)-1] == "after", "%q", a)
	w.script.tick = func(ctx *game.Ctx) { testenv.Check(t, ctx.Player(2).Alive(), "player 2 is dead") }
	w.steps(1)
}

// subset is a mod that ends no match while it has that hook.
type subset struct{ without bool }

func (*subset) Start(*game.Setup)                     {}
func (s *subset) UsesHook(method string) bool         { return !s.without }
func (s *subset) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }
func (s *subset) OnChat(ctx *game.Ctx, _ *game.ChatMessage) {
	s.without = true
	ctx.HooksChanged()
}

// TestHooksChanged lets a mod give up a rule.
func TestHooksChanged(t *testing.T) {
	w := newWorld(t, game.Config{Mods: []game.Mod{&subset{}}, Rules: rules(func(r *game.Rules) { r.ScoreLimit = 1 })})
	w.enter(0, 1)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).AddScore(1) })
	w.steps(5)
	testenv.Check(t, !w.hasEnded(), "the mode decides")
	w.do(say(0, "go"))
	testenv.Check(t, w.hasEnded(), "the mode does not decide")
}

// TestTextsAreLimited lets a mod send as many texts as it can in a tick, by each function.
func TestTextsAreLimited(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	for i, say := range []func(ctx *game.Ctx){
		func(ctx *game.Ctx) { ctx.Say("x") },
		func(ctx *game.Ctx) { ctx.Player(0).Say("x") },
		func(ctx *game.Ctx) { ctx.Broadcast("x") },
		func(ctx *game.Ctx) { ctx.Player(0).Broadcast("x") },
		func(ctx *game.Ctx) { ctx.Player(0).Motd("x") },
		func(ctx *game.Ctx) { ctx.Effects(game.MaskAll).KillFeed(0, 0, game.WeaponNinja) },
		func(ctx *game.Ctx) { ctx.Print("x") },
		func(ctx *game.Ctx) { ctx.Effects(game.MaskAll).GameMsg(game.GameMsgTeamSwap, 0, 0, 0) },
		func(ctx *game.Ctx) { ctx.Effects(game.MaskOne(0)).GameMsg(game.GameMsgTeamSwap, 0, 0, 0) },
	} {
		evs := w.inTick(func(ctx *game.Ctx) {
			for range 10000 {
				say(ctx)
			}
		})
		testenv.Check(t, len(evs) >= 4096 && len(evs) < 4200, "%d: %d events", i, len(evs))
	}
}
