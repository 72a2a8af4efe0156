package chat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/chat"
)

// host is a server that notes the calls of its methods.
type host struct{ notes []string }

func (h *host) Reply(id game.PlayerID, line string) {
	h.notes = append(h.notes, fmt.Sprint(id, ": ", line))
}

func (h *host) Request(cmd game.Command) {
	h.notes = append(h.notes, fmt.Sprint(cmd.Player, " requests ", cmd.Value))
}

func (h *host) MayShow(id game.PlayerID) bool { return id != 1 }

func (h *host) Announce(c *chat.Command, offered bool) {
	h.notes = append(h.notes, fmt.Sprint(c.Name, " ", offered))
}

func TestBadCommands(t *testing.T) {
	c := chat.New(new(host))
	run := func(*chat.Call) {}
	if err := c.Add(chat.Command{Name: "help", Run: run}); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []chat.Command{
		{Run: run}, {Name: "Big", Run: run}, {Name: "a b", Run: run}, {Name: "sixteen_letters_", Run: run}, {Name: "help", Run: run},
		{Name: "x"}, {Name: "x", Params: "q", Run: run}, {Name: "x", Params: "r[a] s[b]", Run: run},
		{Name: "x", Params: strings.Repeat("s", 64), Run: run}, {Name: "x", Help: strings.Repeat("s", 64), Run: run},
	} {
		if err := c.Add(cmd); !errors.Is(err, chat.ErrCommand) {
			t.Errorf("%+v: %v", cmd, err)
		}
	}
	if err := c.Add(chat.Command{Name: "fifteen_letters", Params: strings.Repeat("s", 63), Help: strings.Repeat("s", 63), Run: run}); err != nil {
		t.Error(err)
	}
}

func TestCommands(t *testing.T) {
	h := new(host)
	c := chat.New(h)
	add := func(cmd chat.Command) {
		t.Helper()
		if err := c.Add(cmd); err != nil {
			t.Fatal(err)
		}
	}
	add(chat.Command{Name: "eyes", Params: "s[kind] ?i[seconds]", Replaceable: true, Run: func(c *chat.Call) {
		c.Reply("%s for %d", c.Arg(0), len(c.Args))
		c.Request(game.Command{Value: 7})
	}})
	add(chat.Command{Name: "say", Unlisted: true, Unparsed: true, Private: true, Run: func(c *chat.Call) { c.Reply("%q", c.Text) }})
	for _, line := range []string{"/eyes happy 3", "/EYES sad", "/eyes", "/say  a b", "/say " + strings.Repeat("x", chat.MaxLine), "/none"} {
		if found := c.Run(0, line); found != (line != "/none") {
			t.Errorf("%.20s: %v", line, found)
		}
	}
	c.Run(1, "/eyes 5") // no text
	c.Run(1, "/eyes happy")
	add(chat.Command{Name: "eyes", Run: func(c *chat.Call) { c.Reply("others") }})
	c.Run(0, "/eyes")
	c.Remove("eyes")
	c.List("say", true)
	c.List("say", true)
	c.Remove("eyes")
	c.Remove("eyes")
	want := []string{
		"eyes true", "say false",
		"0: happy for 2", "0 requests 7", "0: sad for 1", "0 requests 7", "0: Usage: /eyes <kind> [seconds]", `0: "a b"`,
		"0: Your line has 513 bytes; at most 508 are allowed",
		"1: 5 for 1", "1 requests 7",
		"eyes false", "eyes true", "0: others",
		"eyes false", "eyes true", "say true", "eyes false",
	}
	if !slices.Equal(h.notes, want) {
		t.Errorf("%q", h.notes)
	}
	if _, found := c.Find("eyes"); found {
		t.Error("a removed command is found")
	}
}

func TestSpeech(t *testing.T) {
	var s chat.Speech
	var none chat.Limits
	if s.TooSoon(&none, 1, true) || s.TooMuch(&none, 1) {
		t.Error("the first text is too much")
	}
	if !s.TellName(1, 2) || s.TellName(50, 2) || !s.TellName(101, 2) {
		t.Error("a player is told at the wrong times that another name is not possible")
	}
}
