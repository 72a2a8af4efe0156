package modhost_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// host is a server without clients.
type host struct {
	queued  []game.Command
	printed strings.Builder
	offered []string // names, with a minus for those that are withdrawn
	chat    map[string]bool
}

func (h *host) Queue(cmd game.Command)                     { h.queued = append(h.queued, cmd) }
func (h *host) Ask(_ *console.Call, cmd game.Command)      { h.Queue(cmd) }
func (h *host) Print(_ int, system, line string)           { fmt.Fprintf(&h.printed, "[%s]: %s\n", system, line) }
func (h *host) Offered(e console.Entry)                    { h.offered = append(h.offered, e.Name) }
func (h *host) Withdrawn(e console.Entry)                  { h.offered = append(h.offered, "-"+e.Name) }
func (h *host) VariableSet(name, value string)             {}
func (h *host) Has(name string) bool                       { return name == "help" }
func (h *host) Add(cmd game.CommandSpec) error             { h.chat[cmd.Name] = true; return nil }
func (h *host) Remove(name string)                         { delete(h.chat, name) }
func (h *host) print(_ console.Caller, _ int, s, l string) { h.Print(0, s, l) }

// speedMod has a variable and two commands.
type speedMod struct{ speed int32 }

func (m *speedMod) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "speed", Help: "How fast", Value: &m.speed, Default: 5, Max: 9})
	setup.ConsoleCommand(game.CommandSpec{Name: "speed_report", Help: "Says how fast", Run: func(*game.Ctx, *game.CommandCall) {}})
	setup.ChatCommand(game.CommandSpec{Name: "double", Help: "Doubles", Run: func(*game.Ctx, *game.CommandCall) {}})
}

// scriptMod is a mod that is made of a source.
type scriptMod struct{ source string }

func (scriptMod) Start(*game.Setup) {}
func (m scriptMod) Source() []byte  { return []byte(m.source) }

type server struct {
	*modhost.Mods
	host    *host
	console *console.Console
}

func newServer(t *testing.T, cfg modhost.Config, lines ...string) *server {
	t.Helper()
	h := &host{chat: map[string]bool{}}
	cfg.Host, cfg.Chat, cfg.Modes = h, h, builtin.Modes()
	cfg.Now, cfg.Background, cfg.Wake = func() conn.Time { return 0 }, later.Now, func() {}
	s := &server{modhost.New(cfg), h, testenv.Must(console.New(console.Config{Output: h.print, KeepUnknown: true}))}
	testenv.NoError(t, s.Register(s.console))
	testenv.NoError(t, s.console.ExecuteArgs(lines))
	return s
}

// play begins a world with the game type and the mods that the settings name.
func (s *server) play(t *testing.T) *game.World {
	t.Helper()
	terrain := game.Terrain{Width: 20, Height: 20, Tiles: make([]uint8, 400)}
	r, err := s.Find(s.Wanted(), &terrain)
	testenv.NoError(t, err)
	made := s.Make(&r, "yard")
	w, err := game.New(game.Config{Terrain: terrain, Mode: made.Mode, Mods: made.Mods, Rules: game.DefaultRules(), Variables: s.Values()})
	testenv.NoError(t, err)
	testenv.NoError(t, s.Check(w))
	s.Begin(w, made, false)
	s.Offer()
	return w
}

func findSpeed(name string) (func() game.Mod, error) {
	if name != "speed" {
		return nil, errors.New("no such mod")
	}
	return func() game.Mod { return &speedMod{} }, nil
}

// TestDeclarationsComeAndGo plays a mod on one map and not on the next. A value of the operator
// outlasts that.
func TestDeclarationsComeAndGo(t *testing.T) {
	s := newServer(t, modhost.Config{FindMod: findSpeed}, "sv_mods speed; speed 7")
	w := s.play(t)
	offered := func(want string, chat bool) {
		t.Helper()
		got := strings.Join(s.host.offered, " ")
		testenv.Check(t, got == want && s.host.chat["double"] == chat, "offered %s, chat %v", got, s.host.chat)
		s.host.offered = nil
	}
	offered("speed speed_report", true)
	testenv.Check(t, w.Variables()[0].Value == "7" && s.HasCommand("speed_report"), "%+v", w.Variables())
	testenv.Check(t, len(s.host.queued) == 0, "the world gets %+v, although it began with it", s.host.queued)
	s.console.Start()
	s.console.Execute("speed 3; speed_report", console.Operator)
	testenv.Require(t, len(s.host.queued) == 2, "queued %+v", s.host.queued)
	s.console.Execute("sv_mods \"\"", console.Operator)
	s.play(t)
	offered("-speed -speed_report", false)
	s.console.Execute("sv_mods speed", console.Operator)
	w = s.play(t)
	offered("speed speed_report", true)
	testenv.Check(t, w.Variables()[0].Value == "3", "%+v", w.Variables())
}

// TestWhatCannotBePlayed checks the problems with sv_gametype and sv_mods.
func TestWhatCannotBePlayed(t *testing.T) {
	findMode := func(name string) (func() game.Mode, error) {
		if name == "broken" {
			return nil, errors.New("broken.lua:1: no such hook")
		}
		return nil, fs.ErrNotExist
	}
	s := newServer(t, modhost.Config{FindMod: findSpeed, FindMode: findMode}, "sv_gametype nothing")
	const exist = "(game types: dm, tdm, ctf, lms, lts, race, mod)"
	s.play(t)
	problem := func(want string) {
		t.Helper()
		testenv.Check(t, s.Problem() == want, "the problem is %q", s.Problem())
	}
	problem("sv_gametype 'nothing' does not exist: dm is played instead " + exist)
	testenv.Check(t, s.Played() == "dm" && s.console.Value("sv_gametype") == "dm", "%s is played", s.Played())
	s.console.Execute("sv_gametype broken", console.Operator)
	problem("sv_gametype 'broken': the next map will play dm: broken.lua:1: no such hook")
	testenv.Check(t, strings.Count(s.host.printed.String(), s.Problem()) == 1, "printed:\n%s", &s.host.printed)
	s.console.Execute("sv_gametype TDM", console.Operator)
	s.play(t)
	problem("")
	testenv.Check(t, s.Played() == "TDM", "%s is played", s.Played())

	for setting, want := range map[string]string{
		"speed; speed": `sv_mods names "speed" twice`,
		"speed nine":   `sv_mods "nine": no such mod`,
	} {
		_, err := s.Find(modhost.Choice{Mods: setting}, &game.Terrain{})
		testenv.Check(t, err != nil && err.Error() == want, "%s: %v", setting, err)
	}
}

// TestMapChoosesTheMode checks that a map chooses the game type unless the operator has set one.
func TestMapChoosesTheMode(t *testing.T) {
	choose := func(*game.Terrain) (string, string) { return "ctf", "flags" }
	s := newServer(t, modhost.Config{ChooseMode: choose})
	testenv.Check(t, s.MayDeclare(true) && !s.MayDeclare(false), "whether the map chooses does not count")
	s.play(t)
	const said = "[server]: sv_gametype is not set, and map 'yard' has flags, so the game type is ctf\n"
	testenv.Check(t, s.Played() == "ctf" && s.host.printed.String() == said, "%s is played:\n%s", s.Played(), &s.host.printed)
	s.console.Execute("sv_gametype dm", console.Operator)
	s.play(t)
	testenv.Check(t, s.Played() == "dm" && s.IsGameTypeSet(), "%s is played", s.Played())
}

// TestChangedSourceIsReloaded changes the source of a mod. The world gets it once.
func TestChangedSourceIsReloaded(t *testing.T) {
	source := "one"
	find := func(string) (func() game.Mod, error) { return func() game.Mod { return scriptMod{source} }, nil }
	s := newServer(t, modhost.Config{Mods: []func() game.Mod{func() game.Mod { return &speedMod{} }}, FindMod: find}, "sv_mods script")
	s.play(t)
	for i, c := range []struct {
		source, want string
	}{{"one", ""}, {"two", "two"}, {"two", ""}, {"", ""}, {"three", "three"}} {
		source, s.host.queued = c.source, nil
		now := conn.Time(i) * conn.Time(2e9)
		s.Update(now)
		s.Update(now) // takes the source
		got := ""
		for _, cmd := range s.host.queued {
			got += cmd.Text
			testenv.Check(t, cmd.Kind == game.CmdReload && cmd.Value == game.ReloadMode+2, "%+v", cmd)
		}
		testenv.Check(t, got == c.want, "%d: the world gets %q", i, got)
	}
	testenv.Check(t, strings.Contains(s.host.printed.String(), "[mod]: script is not reloaded: the file is empty\n"), "printed:\n%s", &s.host.printed)
}
