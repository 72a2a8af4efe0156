package game_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// modFunc is a mod that is only its Start.
type modFunc func(setup *game.Setup)

func (f modFunc) Start(setup *game.Setup) { f(setup) }

func newDeclareWorld(t *testing.T, values map[string]string, mods ...game.Mod) *game.World {
	t.Helper()
	w, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Mods: mods, Rules: game.DefaultRules(), Variables: values})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// texts returns the texts of the events of a kind.
func texts(events []game.Event, kind game.EventKind) (all []string) {
	for i := range events {
		if events[i].Kind == kind && events[i].Text != "" {
			all = append(all, fmt.Sprintf("%d %s", int64(events[i].To.Low), events[i].Text))
		}
	}
	return all
}

func TestDeclareErrors(t *testing.T) {
	n, s := new(int32), new(string)
	run := func(*game.Ctx, *game.CommandCall) {}
	command := func(name string) game.CommandSpec { return game.CommandSpec{Name: name, Run: run} }
	many := func(count int, declare func(setup *game.Setup, name string)) func(setup *game.Setup) {
		return func(setup *game.Setup) {
			for i := range count {
				declare(setup, fmt.Sprint("x", i))
			}
		}
	}
	addChat := func(setup *game.Setup, name string) { setup.ChatCommand(command(name)) }
	addConsole := func(setup *game.Setup, name string) { setup.ConsoleCommand(command(name)) }
	addInt := func(setup *game.Setup, name string) { setup.IntVar(game.IntVar{Name: name, Value: n}) }
	addTimer := func(setup *game.Setup, _ string) { setup.Timer(func(*game.Ctx, game.PlayerID) {}) }
	for want, start := range map[string]func(setup *game.Setup){
		`chat command "x128": at most 128 can be declared`:    many(10000, addChat),
		`console command "x128": at most 128 can be declared`: many(10000, addConsole),
		`variable "x128": at most 128 can be declared`:        many(10000, addInt),
		`timer "65": at most 64 can be declared`:              many(10000, addTimer),
		`chat command "Big": the name must have 1 to 15 of`:   func(setup *game.Setup) { addChat(setup, "Big") },
		`chat command "": the name must`:                      func(setup *game.Setup) { addChat(setup, "") },
		`chat command "sixteen_letters_": the name must`:      func(setup *game.Setup) { addChat(setup, "sixteen_letters_") },
		`console command "a b": the name must have 1 to 31`:   func(setup *game.Setup) { addConsole(setup, "a b") },
		`chat command "x": the name is already declared`:      func(setup *game.Setup) { addChat(setup, "x"); addChat(setup, "x") },
		`console command "x": the name is already declared`:   func(setup *game.Setup) { addInt(setup, "x"); addConsole(setup, "x") },
		`variable "x": the name is already declared`:          func(setup *game.Setup) { addConsole(setup, "x"); addInt(setup, "x") },
		`chat command "x": Run is nil`:                        func(setup *game.Setup) { setup.ChatCommand(game.CommandSpec{Name: "x"}) },
		`chat command "x": the parameters must have at most 63`: func(setup *game.Setup) {
			setup.ChatCommand(game.CommandSpec{Name: "x", Params: strings.Repeat("s", 64), Run: run})
		},
		`chat command "x": the help text must have at most 63`: func(setup *game.Setup) {
			setup.ChatCommand(game.CommandSpec{Name: "x", Help: strings.Repeat("s", 64), Run: run})
		},
		`variable "x": Value is nil`:             func(setup *game.Setup) { setup.IntVar(game.IntVar{Name: "x"}) },
		`variable "y": Value is nil`:             func(setup *game.Setup) { setup.TextVar(game.TextVar{Name: "y"}) },
		`variable "x": the default 9 is outside`: func(setup *game.Setup) { setup.IntVar(game.IntVar{Name: "x", Value: n, Default: 9, Max: 8}) },
		`variable "x": the default is longer`:    func(setup *game.Setup) { setup.TextVar(game.TextVar{Name: "x", Value: s, Default: "long", MaxLen: 3}) },
		`variable "x": MaxLen must be`:           func(setup *game.Setup) { setup.TextVar(game.TextVar{Name: "x", Value: s, MaxLen: 256}) },
		`timer "1": the function is nil`:         func(setup *game.Setup) { setup.Timer(nil) },
	} {
		_, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Mods: []game.Mod{modFunc(start)}, Rules: game.DefaultRules()})
		if !errors.Is(err, game.ErrDeclared) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("have %v, want %s", err, want)
		}
	}
}

// lateMod keeps its Setup, and declares a command when a player enters.
type lateMod struct{ setup *game.Setup }

func (m *lateMod) Start(setup *game.Setup) { m.setup = setup }

func (m *lateMod) OnEnter(*game.Ctx, game.PlayerID) {
	m.setup.ChatCommand(game.CommandSpec{Name: "late"})
}

func TestDeclareTooLate(t *testing.T) {
	w := newDeclareWorld(t, nil, &lateMod{})
	off := eventsOf(w.Step(bots.Join(0)), game.EvModOff)
	if len(off) != 1 || !strings.Contains(off[0].Text, "switched off: game: ChatCommand was called outside Start\n") {
		t.Errorf("%+v", off)
	}
}

func TestVariablesOfMods(t *testing.T) {
	var speed, other int32
	var title, seen string
	mod := modFunc(func(setup *game.Setup) {
		setup.IntVar(game.IntVar{Name: "speed", Help: "how fast", Value: &speed, Default: 5, Min: 1, Max: 9, Changed: func(ctx *game.Ctx) {
			ctx.Print(fmt.Sprint("speed ", speed))
		}})
		setup.TextVar(game.TextVar{Name: "title", Value: &title, Default: "none", MaxLen: 6})
		setup.IntVar(game.IntVar{Name: "other", Value: &other, Default: 3})
		seen = fmt.Sprint(speed, title, other)
	})
	w := newDeclareWorld(t, map[string]string{"speed": "12", "title": "éééé", "other": "word", "unknown": "1"}, mod)
	if seen != "9ééé3" {
		t.Errorf("Start sees %q", seen)
	}
	want := []game.Variable{
		{Name: "speed", Help: "how fast", Value: "9", Default: "5", Min: 1, Max: 9},
		{Name: "title", Value: "ééé", Default: "none", MaxLen: 6},
		{Name: "other", Value: "3", Default: "3"},
	}
	if got := w.Variables(); !slices.Equal(got, want) {
		t.Errorf("variables %+v", got)
	}
	for _, test := range []struct{ name, value, speed, title string }{
		{"speed", "7", "7", "ééé"}, {"speed", "-3", "1", "ééé"}, {"speed", "99999999999", "9", "ééé"}, {"speed", "x", "9", "ééé"},
		{"title", "a\x00b", "9", "a"}, {"nothing", "1", "9", "a"}, {"", "", "9", "a"},
	} {
		before, values := w.Hash(), w.Variables()
		events := w.Step([]game.Command{game.SetVariable(test.name, test.value)})
		if w.Hash() == before && !slices.Equal(values, w.Variables()) {
			t.Errorf("%s %q: the hash does not have it", test.name, test.value)
		}
		if v := w.Variables(); v[0].Value != test.speed || v[1].Value != test.title {
			t.Errorf("%s %q: %+v", test.name, test.value, v)
		}
		if said := texts(events, game.EvConsole); strings.HasPrefix(test.name, "speed") != slices.Equal(said, []string{"0 speed " + test.speed}) {
			t.Errorf("%s %q: prints %q", test.name, test.value, said)
		}
	}
}

func TestCommandsOfMods(t *testing.T) {
	mod := modFunc(func(setup *game.Setup) {
		setup.ChatCommand(game.CommandSpec{Name: "give", Params: "s[what] ?i[n] ?f[x]", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			c.Reply(ctx, fmt.Sprintf("%d gets %s %d %v of %d", c.Player, c.Arg(0), c.Int(1), c.Float(2), len(c.Args)))
		}})
		setup.ConsoleCommand(game.CommandSpec{Name: "give", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			c.Reply(ctx, fmt.Sprintf("operator %d gives %q", c.Player, c.Args))
		}})
	})
	w := newDeclareWorld(t, nil, mod)
	w.Step(append(bots.Join(0), bots.Join(1)...))
	for i, test := range []struct {
		cmd  game.Command
		kind game.EventKind
		want string
	}{
		{game.ChatCommand(0, "give", "gun", " 7 ", "1.5"), game.EvChat, "1 0 gets gun 7 1.5 of 3"},
		{game.ChatCommand(1, "give", "a b"), game.EvChat, "2 1 gets a b 0 0 of 1"},
		{game.ChatCommand(0, "give", "x\x00y", "99999999999", "NaN"), game.EvChat, "1 0 gets x 2147483647 0 of 3"},
		{game.ChatCommand(0, "give", "x", "x", "-1e999"), game.EvChat, "1 0 gets x 0 -3.4028235e+38 of 3"},
		{game.ChatCommand(2, "give"), game.EvChat, ""},
		{game.ChatCommand(0, "giv"), game.EvChat, ""},
		{game.ConsoleCommand(1, "give", "a", ""), game.EvConsole, `0 operator 1 gives ["a" ""]`},
		{game.ConsoleCommand(5, "give"), game.EvConsole, `0 operator -1 gives []`},
		{game.Command{Kind: game.CmdConsoleCommand, Player: -100}, game.EvConsole, ""},
		{game.Command{Kind: game.CmdChatCommand, Player: 100, Text: "give"}, game.EvChat, ""},
	} {
		for range game.TickRate {
			w.Step(nil)
		}
		if got := strings.Join(texts(w.Step([]game.Command{test.cmd}), test.kind), "|"); got != test.want {
			t.Errorf("%d: %q, not %q", i, got, test.want)
		}
	}
	answers := 0
	for range game.TickRate {
		cmds := slices.Repeat([]game.Command{game.ChatCommand(0, "give", "x")}, 100)
		answers += len(texts(w.Step(cmds), game.EvChat))
	}
	if answers > 5 || answers < 4 {
		t.Errorf("%d of 5000 commands in a second", answers)
	}
}

// timerMod has two timers.
type timerMod struct {
	boom, ring game.Timer
	fired      []string
}

func (m *timerMod) Start(setup *game.Setup) {
	fire := func(name string) func(ctx *game.Ctx, id game.PlayerID) {
		return func(ctx *game.Ctx, id game.PlayerID) {
			m.fired = append(m.fired, fmt.Sprint(name, id, "@", ctx.Tick()))
			if name == "ring" && ctx.Tick() < 100 {
				ctx.After(m.ring, 0, id)
			}
		}
	}
	m.boom, m.ring = setup.Timer(fire("boom")), setup.Timer(fire("ring"))
	setup.After(m.ring, 98, game.Nobody)
	setup.After(m.ring, 98, 5) // has no effect
	setup.ChatCommand(game.CommandSpec{Name: "boom", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		if c.Int(0) < 0 {
			ctx.StopTimer(m.boom, c.Player)
		} else {
			ctx.After(m.boom, c.Int(0), c.Player)
		}
		if left := ctx.TicksLeft(m.boom, c.Player); left != max(c.Int(0), 0) {
			m.fired = append(m.fired, fmt.Sprint("left ", left))
		}
	}})
}

func TestTimers(t *testing.T) {
	m := &timerMod{}
	w := newDeclareWorld(t, nil, m)
	at := map[int32][]game.Command{
		1:  append(append(bots.Join(0), bots.Join(1)...), bots.Join(2)...),
		10: {game.ChatCommand(0, "boom", "50"), game.ChatCommand(1, "boom", "20"), game.ChatCommand(2, "boom", "60")},
		25: {game.ChatCommand(2, "boom", "-1")},
		20: {{Kind: game.CmdLeave, Player: 1}},
		30: {game.ChatCommand(0, "boom", "50")},               // again
		40: {{Kind: game.CmdPause, Value: 1}},                 // a second
		41: append(bots.Join(1), game.ChatCommand(5, "boom")), // nobody
	}
	paused := int32(0)
	for tick := int32(1); tick <= 200; tick++ {
		w.Step(at[tick])
		if w.Frame().Game.State&game.StatePaused != 0 {
			paused++
		}
	}
	want := []string{fmt.Sprint("ring-1@", 98+paused), fmt.Sprint("boom0@", 79+paused)}
	slices.Sort(m.fired)
	slices.Sort(want)
	if !slices.Equal(m.fired, want) {
		t.Errorf("fired %q, not %q", m.fired, want)
	}
	if n := testing.AllocsPerRun(100, func() { w.Step(nil) }); n != 0 {
		t.Errorf("a tick with timers allocates %v times", n)
	}
}

// perPlayerMod counts the players who entered.
type perPlayerMod struct {
	State_ struct {
		Total int32
		In    struct {
			Entered game.PerPlayer[struct{ Times, Tick int32 }]
		}
	}
}

func (m *perPlayerMod) Start(*game.Setup) {}
func (m *perPlayerMod) State() any        { return &m.State_ }
func (m *perPlayerMod) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	m.State_.Total++
	m.State_.In.Entered[id].Times++
	m.State_.In.Entered[id].Tick = ctx.Tick()
}
func (m *perPlayerMod) OnLeave(_ *game.Ctx, id game.PlayerID) {
	if m.State_.In.Entered[id].Times != 1 {
		panic("zeroed before OnLeave")
	}
}

// wholeState has the state s.
type wholeState struct {
	modFunc
	s any
}

func (m wholeState) State() any { return m.s }

func TestPerPlayer(t *testing.T) {
	m := &perPlayerMod{}
	whole := new(game.PerPlayer[int32])
	w := newDeclareWorld(t, nil, m, wholeState{func(*game.Setup) {}, whole})
	w.Step(append(bots.Join(3), bots.Join(4)...))
	whole[3], whole[4] = 30, 40
	w.Step([]game.Command{{Kind: game.CmdLeave, Player: 3}})
	if in := &m.State_.In.Entered; in[3].Times != 0 || in[3].Tick != 0 || in[4].Times != 1 || m.State_.Total != 2 || whole[3] != 0 || whole[4] != 40 {
		t.Errorf("%+v, %v", in[3:5], whole[3:5])
	}
	hidden := &struct{ players game.PerPlayer[int32] }{}
	nothing := func(*game.Setup) {}
	_, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Mods: []game.Mod{wholeState{nothing, hidden}}, Rules: game.DefaultRules()})
	if !errors.Is(err, game.ErrState) || !strings.Contains(fmt.Sprint(err), "players of") {
		t.Errorf("a field that is not exported: %v", err)
	}
}

// lateThings declares two variables, and a timer that prints them. The command late starts the
// timer again.
func lateThings() game.Mod {
	var n int32
	var s string
	return modFunc(func(setup *game.Setup) {
		setup.IntVar(game.IntVar{Name: "n", Value: &n, Max: 8})
		setup.TextVar(game.TextVar{Name: "s", Value: &s})
		late := setup.Timer(func(ctx *game.Ctx, id game.PlayerID) { ctx.Print(fmt.Sprint("over for ", id, n, s)) })
		setup.After(late, 200, game.Nobody)
		run := func(ctx *game.Ctx, c *game.CommandCall) { ctx.After(late, c.Int(0), c.Player) }
		setup.ChatCommand(game.CommandSpec{Name: "late", Params: "i[ticks]", Run: run})
		setup.ConsoleCommand(game.CommandSpec{Name: "late", Params: "i[ticks]", Run: run})
	})
}

// TestDeclaredIsSaved changes variables, timers and the time of the last command. It checks that
// the hash has each of them, and that a restored world goes on with them.
func TestDeclaredIsSaved(t *testing.T) {
	config := func() game.Config {
		return game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: game.DefaultRules(), Mods: []game.Mod{lateThings()}}
	}
	run := func(at map[int32]game.Command, restoreAt int32) (hash uint64, said []string) {
		w, err := game.New(config())
		if err != nil {
			t.Fatal(err)
		}
		for tick := int32(1); tick <= 300; tick++ {
			var cmds []game.Command
			if tick == 1 {
				cmds = append(bots.Join(0), bots.Join(1)...)
			}
			if c, ok := at[tick]; ok {
				cmds = append(cmds, c)
			}
			said = append(said, texts(w.Step(cmds), game.EvConsole)...)
			if tick == restoreAt {
				hash = w.Hash()
				if w, err = game.Restore(config(), w.AppendState(nil)); err != nil {
					t.Fatal(err)
				}
				if w.Hash() != hash {
					t.Error("a restored world has another hash")
				}
			}
		}
		return hash, said
	}
	hashes := map[uint64]string{}
	for name, at := range map[string]map[int32]game.Command{
		"nothing": {}, "number": {50: game.SetVariable("n", "3")}, "text": {50: game.SetVariable("s", "x")},
		"timer": {50: game.ChatCommand(0, "late", "100")}, "of another": {50: game.ChatCommand(1, "late", "100")},
		"earlier": {49: game.ChatCommand(0, "late", "101")},
	} {
		hash, said := run(at, 100)
		if hashes[hash] != "" {
			t.Errorf("%s and %s have the same hash", name, hashes[hash])
		}
		hashes[hash] = name
		if _, want := run(at, 0); !slices.Equal(said, want) || len(said) == 0 {
			t.Errorf("%s: a restored world prints %q, not %q", name, said, want)
		}
	}
	state := testenv.Must(game.New(config())).AppendState(nil)
	cfg := config()
	cfg.Mods = []game.Mod{modFunc(func(*game.Setup) {})}
	if _, err := game.Restore(cfg, state); !errors.Is(err, game.ErrSavedState) {
		t.Errorf("the state of another mod: %v", err)
	}
}

// shownThings shows every player a menu and a text, and starts a vote.
type shownThings struct{}

func (shownThings) Start(setup *game.Setup) {
	menu := setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) { ctx.Player(id).Say(fmt.Sprint("line ", line)) })
	vote := setup.Vote(func(ctx *game.Ctx, passed bool) { ctx.Say(fmt.Sprint("passed ", passed)) })
	timer := setup.Timer(func(ctx *game.Ctx, _ game.PlayerID) {
		for p := range ctx.Players() {
			p.ShowMenu(menu, "one", "", "one", strings.Repeat("é", 40))
			p.SetScreenText("text")
		}
		ctx.StartVote(vote, 1, "more")
		ctx.StartVote(vote, 0, "again") // has no effect: there is one at a time
	})
	setup.After(timer, 10, game.Nobody)
	setup.ChatCommand(game.CommandSpec{Name: "hide", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		p := ctx.Player(c.Player)
		p.HideMenu()
		p.SetScreenText("")
		ctx.StopVote(vote)
	}})
}

func TestMenusAndVotesOfMods(t *testing.T) {
	w := newDeclareWorld(t, nil, shownThings{})
	if _, ok := w.ModVote(); ok {
		t.Error("a vote before there is one")
	}
	w.Step(append(bots.Join(0), bots.Join(1)...))
	for range 20 {
		w.Step(nil)
	}
	wantLines := []string{"one", " ", "one", strings.Repeat("é", 31)}
	if lines, version := w.MenuLines(1); !slices.Equal(lines, wantLines) || version == 0 || w.ScreenText(1) != "text" || w.ScreenText(2) != "" {
		t.Errorf("%q version %d, %q", lines, version, w.ScreenText(1))
	}
	vote, ok := w.ModVote()
	if want := (game.ModVote{Caller: 1, Text: "more", Number: vote.Number}); !ok || vote != want || vote.Number == 0 {
		t.Errorf("vote %+v", vote)
	}
	other := vote
	other.Number++
	for i, test := range []struct {
		cmd  game.Command
		want string
	}{
		{game.ChooseLine(1, "one"), "2 line 0"}, {game.ChooseLine(1, " "), "2 line 1"}, {game.ChooseLine(0, wantLines[3]), "1 line 3"},
		{game.ChooseLine(0, "two"), ""}, {game.ChooseLine(5, "one"), ""}, {game.ChooseLine(-9, "one"), ""},
		{game.EndVote(other, true), ""}, {game.EndVote(game.ModVote{}, true), ""},
		{game.EndVote(vote, true), "-1 passed true"}, {game.EndVote(vote, true), ""},
		{game.ChatCommand(1, "hide"), ""}, {game.ChooseLine(1, "one"), ""}, {game.ChooseLine(0, "one"), "1 line 0"},
		{game.Command{Kind: game.CmdLeave, Player: 0}, ""}, {game.Command{Kind: game.CmdJoin, Player: 0}, ""}, {game.ChooseLine(0, "one"), ""},
	} {
		for range game.TickRate {
			w.Step(nil)
		}
		if got := strings.Join(texts(w.Step([]game.Command{test.cmd}), game.EvChat), "|"); got != test.want {
			t.Errorf("%d: %q, not %q", i, got, test.want)
		}
	}
	if lines, version := w.MenuLines(1); len(lines) != 0 || version == 0 || w.ScreenText(1) != "" {
		t.Errorf("hidden: %q, %d, %q", lines, version, w.ScreenText(1))
	}
}

// sayMod runs do for each line of chat, and cancels the line.
type sayMod struct {
	do func(ctx *game.Ctx, id game.PlayerID)
}

func (sayMod) Start(*game.Setup) {}
func (m sayMod) OnChat(ctx *game.Ctx, c *game.ChatMessage) {
	m.do(ctx, c.From)
	ctx.Cancel()
}

func TestTextsOfMods(t *testing.T) {
	w := newDeclareWorld(t, nil, sayMod{func(ctx *game.Ctx, id game.PlayerID) {
		for _, to := range []game.PlayerID{id, 9, -5} {
			ctx.Player(to).Motd("motd")
			ctx.Player(to).Broadcast("broadcast")
			ctx.Effects(game.MaskOne(id)).KillFeed(to, id, game.WeaponLaser)
			ctx.Effects(game.MaskAll).KillFeed(id, to, game.WeaponNinja)
			ctx.Player(to).SetScreenText("text")
			ctx.Player(to).HideMenu()
		}
		ctx.Effects(game.MaskAll).KillFeed(game.Nobody, id, game.WeaponWorld)
		ctx.Effects(game.MaskAll).KillFeed(id, id, 99)
		ctx.Effects(game.MaskOne(id)).GameMsg(game.GameMsgTeamAll, 1, game.Nobody, 0)
	}})
	w.Step(append(bots.Join(0), bots.Join(1)...))
	var got []string
	for _, e := range w.Step([]game.Command{{Kind: game.CmdSay, Player: 1, Chat: game.ChatAll, Text: "go"}}) {
		switch e.Kind {
		case game.EvMotd, game.EvBroadcast, game.EvKillFeed, game.EvGameMsg:
			got = append(got, fmt.Sprintf("%v %d %q %d %d %d", e.Kind == game.EvKillFeed, int64(e.To.Low), e.Text, e.Player, e.Target, e.Weapon))
		}
	}
	want := []string{`false 2 "motd" -1 -1 0`, `false 2 "broadcast" 0 0 0`, `true 2 "" 1 1 4`, `true -1 "" 1 1 5`, `true -1 "" -1 1 -1`, `false 2 "" -1 0 0`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not\n%q", got, want)
	}
}

// TestLateVariables checks that a mod with a variable that was added later reads states and has the
// hashes of the mod without it, as long as the variable has its default.
func TestLateVariables(t *testing.T) {
	config := func(late *int32, values map[string]string) game.Config {
		var n int32
		return game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: game.DefaultRules(), Variables: values,
			Mods: []game.Mod{modFunc(func(setup *game.Setup) {
				setup.IntVar(game.IntVar{Name: "early", Value: &n})
				if late != nil {
					setup.IntVar(game.IntVar{Name: "late", Value: late, Default: 2, Max: 8, Late: true})
				}
			})}}
	}
	var value int32
	without, with := testenv.Must(game.New(config(nil, nil))), testenv.Must(game.New(config(&value, nil)))
	for range 3 {
		without.Step(nil)
		with.Step(nil)
	}
	testenv.Check(t, with.Hash() == without.Hash(), "the default is in the hash")
	old := testenv.Must(game.Restore(config(&value, map[string]string{"late": "5"}), without.AppendState(nil)))
	testenv.Check(t, value == 2 && old.Hash() == without.Hash(), "%d after an old state", value)

	with = testenv.Must(game.New(config(&value, nil)))
	with.Step([]game.Command{game.SetVariable("late", "7")})
	without = testenv.Must(game.New(config(nil, nil)))
	without.Step(nil)
	testenv.Check(t, with.Hash() != without.Hash(), "the hash does not have another value than the default")
	state, hash := with.AppendState(nil), with.Hash()
	restored := testenv.Must(game.Restore(config(&value, nil), state))
	testenv.Check(t, value == 7 && restored.Hash() == hash, "%d after a restart", value)
	_, err := game.Restore(config(nil, nil), state)
	testenv.Check(t, errors.Is(err, game.ErrSavedState), "without the variable: %v", err)
}
