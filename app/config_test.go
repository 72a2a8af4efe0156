package app

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// testMod is a mod of the program hearts.
type testMod struct{}

func (testMod) Start(*game.Setup) {}

func (testMod) OnSpawn(ctx *game.Ctx, id game.PlayerID) { ctx.Player(id).GiveArmor(3) }

// hearts is a program with its own mod and mode.
func hearts() {
	Main(Config{
		Mods:  []Mod{{Name: "hearts", New: func() game.Mod { return testMod{} }}, {Name: "more", New: func() game.Mod { return testMod{} }}},
		Modes: []Mode{{Name: "hearts_dm", New: func() game.Mode { return dm.Mode{Title: "HEARTS"} }}},
	})
}

// stuckMod never returns from one line of chat, and panics at another.
type stuckMod struct{}

func (stuckMod) Start(*game.Setup) {}

// OnChat never returns for some lines. Inlined functions are not always named in a stack, so it
// must not be inlined. It leaves the processor to other tests; package watchdog has a hook that
// spins.
//
//go:noinline
func (stuckMod) OnChat(_ *game.Ctx, c *game.ChatMessage) {
	for strings.HasPrefix(c.Text, "stuck") {
		time.Sleep(10 * time.Millisecond)
	}
	if c.Text == "boom" {
		panic(c.Text)
	}
}

// stuck is a program with stuckMod.
func stuck() {
	Main(Config{Mods: []Mod{{Name: "stuck", New: func() game.Mod { return stuckMod{} }}}})
}

// TestConfig checks which configurations a program may have.
func TestConfig(t *testing.T) {
	newMod := func() game.Mod { return testMod{} }
	newMode := func() game.Mode { return dm.Mode{Title: "OWN"} }
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Mods: []Mod{{"a", newMod}, {"b", newMod}}, Modes: []Mode{{Name: "c", New: newMode}}}, ""},
		{Config{Mods: []Mod{{"a b", newMod}}}, `"a b" is not a valid name`},
		{Config{Mods: []Mod{{"", newMod}}}, `"" is not a valid name`},
		{Config{Mods: []Mod{{"a", newMod}, {"a", newMod}}}, `Mods: "a" is listed twice`},
		{Config{Mods: []Mod{{"a", nil}}}, `"a" has no function New`},
		{Config{Modes: []Mode{{Name: "a", New: newMode}, {Name: "A", New: newMode}}}, `Modes: "A" is listed twice`},
		{Config{Modes: []Mode{{Name: "a"}}}, `"a" has no function New`},
	} {
		_, err := newProgram(c.cfg)
		testenv.Check(t, c.want == "" && err == nil || err != nil && strings.Contains(err.Error(), c.want), "%v, want %q", err, c.want)
	}
	// A mode may replace a built-in mode of the same name.
	p := testenv.Must(newProgram(Config{Modes: []Mode{{Name: "ctf", New: newMode}}}))
	m, ok := p.modes.New("ctf")
	testenv.Check(t, ok && m.Name() == "OWN", "ctf is %v", m)
	_, ok = p.modes.New("fng")
	testenv.Check(t, ok, "fng is gone")
}

// TestHelpNamesTheProgram checks that examples in the help of a program with mods name that
// program.
func TestHelpNamesTheProgram(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	p.name = "hearts"
	examples := 0
	var check func(n *kong.Node)
	check = func(n *kong.Node) {
		if strings.Contains(n.Detail, "teeyard ") {
			t.Errorf("%s: %s", n.Name, n.Detail)
		}
		examples += strings.Count(n.Detail, "hearts ")
		for _, c := range n.Children {
			check(c)
		}
	}
	for _, n := range newParser(p).Model.Children {
		check(n)
	}
	testenv.Check(t, examples > 20, "%d examples", examples)
}
