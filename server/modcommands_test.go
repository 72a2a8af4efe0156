package server_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/servertest"
)

// speedMod has a variable, a text, and a command each for players and operators.
type speedMod struct {
	speed int32
	title string
}

func (m *speedMod) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "speed_of_all", Help: "How fast", Value: &m.speed, Default: 5, Max: 9, Changed: func(ctx *game.Ctx) {
		ctx.Say(fmt.Sprint("speed is ", m.speed))
	}})
	setup.TextVar(game.TextVar{Name: "speed_title", Help: "Its name", Value: &m.title, Default: "fast"})
	const params = "i[number] ?f[factor] ?r[text]"
	setup.ChatCommand(game.CommandSpec{Name: "double", Params: params, Help: "Doubles a number", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		c.Reply(ctx, fmt.Sprintf("%d %v %s %d, %s", c.Int(0)*2, c.Float(1), c.Arg(2), len(c.Args), m.title))
	}})
	setup.ConsoleCommand(game.CommandSpec{Name: "speed_report", Params: "?s[word]", Help: "Says how fast", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		c.Reply(ctx, fmt.Sprintf("player %d asks %q: %d", c.Player, c.Args, m.speed))
	}})
}

func (m *speedMod) State() any { return &m.speed }

func newSpeedMod() game.Mod { return &speedMod{} }

// speedConfig has the mod speed.
func speedConfig() server.Config {
	return server.Config{FindMod: func(name string) (func() game.Mod, error) {
		if name != "speed" {
			return nil, errors.New("no such mod")
		}
		return newSpeedMod, nil
	}}
}

// TestModCommands checks, with clients of all versions, that players and operators can use what
// a mod declares, and that the log of the match verifies.
func TestModCommands(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		var s servertest.Folder
		cfg := speedConfig()
		cfg.Replays = &s
		tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, cfg,
			"sv_mods speed; sv_replay 1; sv_spamprotection 0; speed_title slow; speed_of_all 12")
		p := tn.dial(1, named(kind, "a"))
		offered := offers(p)
		commands := map[string]string{}
		record := p.onMessage
		p.onMessage = func(m testclient.Message) {
			record(m)
			switch m := m.(type) {
			case *msg7.RconCmdAdd:
				commands[string(m.Name)] = string(m.Params) + "|" + string(m.Help)
			case *msg6.RconCmdAdd:
				commands[string(m.Name)] = string(m.Params) + "|" + string(m.Help)
			}
		}
		tn.untilPlaying(p)
		tn.Wait(time.Second)
		if want := "double|i[number] ?f[factor] ?r[text]|Doubles a number"; p.Version() == client.Version07 && !slices.Contains(*offered, want) {
			t.Errorf("offered %q", *offered)
		}
		for line, want := range map[string]string{
			"/double 4": "8 0  1, slow", `/DOUBLE 21 1.5 "some text" more`: "42 1.5 some text 3, slow",
			"/double word": "Usage: /double <number> [factor] [text]",
			"/double":      "Usage: /double <number> [factor] [text]", "/help double": "/double <number> [factor] [text]: Doubles a number",
		} {
			clear(p.chat)
			p.command(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Text: line})
			if got := p.chat[-1]; !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %q, not %q", line, got, want)
			}
		}
		p.login("adminpw")
		tn.Wait(5 * time.Second)
		for name, want := range map[string]string{"speed_of_all": "?i|How fast", "speed_title": "?r|Its name", "speed_report": "?s[word]|Says how fast"} {
			if commands[name] != want {
				t.Errorf("%s is listed as %q", name, commands[name])
			}
		}
		for _, test := range [][2]string{
			{"speed_of_all", "Value: 9"}, {"speed_of_all 3", ""}, {"speed_report", fmt.Sprintf("[mod]: player %d asks []: 3", p.id())},
			{`speed_report "a b"`, `asks ["a b"]: 3`}, {"speed_report; speed_of_all 4; speed_report", `asks []: 4`},
			{"toggle speed_of_all 4 7; speed_of_all", "Value: 7"}, {"speed_of_all 77", "77 is out of range (0 to 9); using 9"},
			{"speed_of_all x", "'x' is not a number"}, {"speed_title", "Value: slow"},
		} {
			if out := p.rcon(test[0]); !strings.Contains(out, test[1]) {
				t.Errorf("%s prints %q, not %q", test[0], out, test[1])
			}
		}
		if want := []string{"speed is 3", "speed is 4", "speed is 7", "speed is 9"}; !slices.Equal(p.chat[-1][1:], want) {
			t.Errorf("chat %q", p.chat[-1])
		}
		if cfg := string(tn.Language().AppendConfig(nil)); !strings.Contains(cfg, "speed_of_all 9\nspeed_title \"slow\"\n") {
			t.Errorf("saved:\n%s", cfg)
		}
		checkStats(t, p)
		tn.Shutdown(tn.Now(), "")
		logs := verify(t, &s, 1, newSpeedMod)
		if n := logs[0].commands; n[game.CmdChatCommand] != 2 || n[game.CmdConsoleCommand] != 4 || n[game.CmdSetVariable] != 4 || logs[0].HashesMatched < 10 {
			t.Errorf("log %+v", logs[0])
		}
	})
}

// TestModVariablesLast checks that the values of variables survive a change of the map and a time
// without the mod, and that the configuration may set them before the mod is there.
func TestModVariablesLast(t *testing.T) {
	cfg := speedConfig()
	cfg.Files = fstest.MapFS{"x.cfg": {Data: []byte("sv_name x\nspeed_of_all 8\nspeed_of_al 1\nadd_vote fast speed_of_all 9\n" +
		"add_vote slow \"speed_of_all 1\"\nadd_vote bad nonsense\nspeed_report now\n")}}
	ts := newTestServerWith(t, cfg, "exec x.cfg")
	if log := ts.Log.String(); !strings.Contains(log, "x.cfg:2: No such command: speed_of_all.") ||
		!strings.Contains(log, "x.cfg:3: No such command: speed_of_al.") ||
		!strings.Contains(log, "x.cfg:4: skipped invalid command") || !strings.Contains(log, "x.cfg:7: No such command: speed_report.") {
		t.Errorf("without the mod:\n%s", log)
	}
	next := func(line string) {
		t.Helper()
		ts.Execute(line)
		ts.Execute("reload")
		ts.Step(2)
	}
	inForce := func(want string) {
		t.Helper()
		got := "none"
		for _, v := range ts.World().Variables() {
			if v.Name == "speed_of_all" {
				got = v.Value
			}
		}
		if got != want || want != "none" && ts.Language().Value("speed_of_all") != want {
			t.Errorf("the world has %s and the console %q, not %s", got, ts.Language().Value("speed_of_all"), want)
		}
	}
	inForce("none")
	next("sv_mods speed")
	inForce("8")
	next("")
	inForce("8")
	ts.Execute("speed_of_all 2; mod_command speed_of_all 1")
	ts.Step(1)
	inForce("2")
	next("")
	inForce("2")
	if e, _ := ts.Language().Lookup("speed_of_all", console.Operator); e.Level != 1 {
		t.Error("moderators lose a variable with the map")
	}
	next("sv_mods \"\"")
	inForce("none")
	ts.Log.Reset()
	ts.Execute("speed_of_all 3")
	if !strings.Contains(ts.Log.String(), "No such command: speed_of_all.") {
		t.Errorf("without the mod:\n%s", ts.Log.String())
	}
	next("sv_mods speed")
	inForce("2")

	next("sv_mods \"\"")
	server.ReloadNow(ts.Server, console.ReadConfiguration(fstest.MapFS{"y.cfg": {Data: []byte("speed_of_all 6")}}, []string{"-f", "y.cfg"}))
	next("sv_mods speed")
	inForce("6")
	server.ReloadNow(ts.Server,
		console.ReadConfiguration(fstest.MapFS{"y.cfg": {Data: []byte("speed_of_all 7\nspeed_title again\nnonsense 5")}}, []string{"-f", "y.cfg"}))
	ts.Step(1)
	inForce("7")

	with := newTestServerWith(t, cfg, "sv_mods speed; mod_command speed_of_all 1; exec x.cfg")
	if e, _ := with.Language().Lookup("speed_of_all", console.Operator); e.Level != 1 {
		t.Error("moderators may not set what the configuration lets them")
	}
	if log := with.Log.String(); strings.Contains(log, "speed_of_all") && !strings.Contains(log, "added option") ||
		!strings.Contains(log, "x.cfg:3: No such command: speed_of_al.") ||
		!strings.Contains(log, "x.cfg:6: skipped invalid command 'nonsense'") {
		t.Errorf("with the mod:\n%s", log)
	}
	if got := with.Votes().Options; len(got) != 2 || got[0].Text != "fast" || got[1].Text != "slow" {
		t.Errorf("options %q", got)
	}
	with.Step(1)
	if log := with.Log.String(); !strings.Contains(log, `[mod]: player -1 asks ["now"]: 8`) {
		t.Errorf("a command of the configuration:\n%s", log)
	}
}

// TestModCommandsThatExist checks that a mod cannot add commands that the server already has.
func TestModCommandsThatExist(t *testing.T) {
	n := new(int32)
	run := func(*game.Ctx, *game.CommandCall) {}
	for want, start := range map[string]startMod{
		`chat command "help": the server already has one`:      func(s *game.Setup) { s.ChatCommand(game.CommandSpec{Name: "help", Run: run}) },
		`console command "status": the server already has one`: func(s *game.Setup) { s.ConsoleCommand(game.CommandSpec{Name: "status", Run: run}) },
		`variable "sv_name": the server already has one`:       func(s *game.Setup) { s.IntVar(game.IntVar{Name: "sv_name", Value: n}) },
		`variable "ec_port": the server already has one`:       func(s *game.Setup) { s.IntVar(game.IntVar{Name: "ec_port", Value: n}) },
		`console command "x": console: bad command`:            func(s *game.Setup) { s.ConsoleCommand(game.CommandSpec{Name: "x", Params: "q", Run: run}) },
		`chat command "x": console: bad command`:               func(s *game.Setup) { s.ChatCommand(game.CommandSpec{Name: "x", Params: "r s", Run: run}) },
		`chat command "x128": at most 128 can be declared`: func(setup *game.Setup) {
			for i := range 10000 {
				setup.ChatCommand(game.CommandSpec{Name: fmt.Sprint("x", i), Run: run})
			}
		},
	} {
		_, err := server.New(server.Config{Mods: []func() game.Mod{func() game.Mod { return start }}})
		if !errors.Is(err, game.ErrDeclared) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("have %v, want %s", err, want)
		}
	}
}

// startMod is a mod that is only its Start.
type startMod func(setup *game.Setup)

func (f startMod) Start(setup *game.Setup) { f(setup) }

// TestModListsChange checks that operators and players are told when a mod comes or goes with a
// map.
func TestModListsChange(t *testing.T) {
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, speedConfig())
	p := tn.join(1, "a")
	offered := offers(p)
	listed := map[string]bool{}
	record := p.onMessage
	p.onMessage = func(m testclient.Message) {
		record(m)
		switch m := m.(type) {
		case *msg7.RconCmdAdd:
			listed[string(m.Name)] = true
		case *msg7.RconCmdRem:
			delete(listed, string(m.Name))
		}
	}
	p.login("adminpw")
	tn.Wait(5 * time.Second)
	for _, mods := range []string{"speed", "", "speed"} {
		p.rcon("sv_mods \"" + mods + "\"")
		*offered = nil // as clients do with a new map
		p.rcon("reload")
		tn.Wait(5 * time.Second)
		with := mods != ""
		if chat := slices.ContainsFunc(*offered, func(s string) bool { return strings.HasPrefix(s, "double|") }); chat != with ||
			listed["speed_of_all"] != with || listed["speed_report"] != with || !listed["status"] {
			t.Errorf("sv_mods %q: offered %v, listed %v", mods, chat, listed["speed_of_all"])
		}
	}
}

// TestModCommandFlood checks that a player who floods commands of a mod gets few of them run.
func TestModCommandFlood(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServerWith(t, server.Config{Mods: []func() game.Mod{newSpeedMod}})
		c := ts.EnterAs(kind, ip(1), "a")
		ts.Idle(10, c)
		c.Chat = nil
		for range 50 {
			for range 10 {
				c.Say("/double 4")
			}
			ts.Idle(1, c)
		}
		if n := len(c.Chat); n < 3 || n > 5 {
			t.Errorf("%d of 500 commands in a second", n)
		}
	})
}

// TestModVariablesResume checks that a match that goes on after a crash has the values that
// operators gave variables of mods, and its menus, texts and votes.
func TestModVariablesResume(t *testing.T) {
	var store memoryStore
	start := func() *testServer {
		return newTestServerWith(t, server.Config{Resume: &store, Mods: []func() game.Mod{newSpeedMod, newShowMod}},
			"sv_resume 1; sv_warmup 0; sv_scorelimit 0; sv_spamprotection 0; speed_of_all 8; speed_title one")
	}
	ts := start()
	c := ts.Enter(ip(1), "dora")
	ts.Execute("speed_of_all 3")
	c.Say("/menu").Say("/text still here").Say("/server Again?")
	ts.Idle(250, c)
	next := start()
	back := next.Enter(ip(1), "dora")
	next.Idle(20, back)
	if v := next.World().Variables(); v[0].Value != "3" || next.Language().Value("speed_of_all") != "3" || v[1].Value != "one" {
		t.Errorf("variables %+v, in the console %q", v, next.Language().Value("speed_of_all"))
	}
	next.Execute("speed_of_all 5")
	next.Idle(1, back)
	if v := next.World().Variables(); v[0].Value != "5" {
		t.Errorf("set to 5: %+v", v)
	}
	id := next.ID(back)
	if text, menu := next.ModView(id, "fast"); text != "still here" || !menu || next.Votes().Running != "Again?" {
		t.Errorf("shows %q, the menu %v, a vote about %q", text, menu, next.Votes().Running)
	}
}
