package game_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

func say(id game.PlayerID, text string) game.Command {
	return game.Command{Kind: game.CmdSay, Player: id, Chat: game.ChatAll, Text: text}
}

func (w *world) chatEvents(cmd game.Command) []game.Event { return eventsOf(w.do(cmd), game.EvChat) }

func TestChatLimits(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	testenv.Require(t, len(w.chatEvents(say(0, "hello"))) == 1, "not heard")
	w.steps(48)
	testenv.Check(t, len(w.chatEvents(say(0, "too soon"))) == 0, "heard after 49 ticks")
	testenv.Check(t, len(w.chatEvents(say(0, "in time"))) == 1, "not heard after 50 ticks")
	w.steps(98)
	testenv.Check(t, len(w.chatEvents(say(0, strings.Repeat("x", 40)))) == 0, "40 characters heard after 99 ticks")
	testenv.Check(t, len(w.chatEvents(say(0, strings.Repeat("x", 40)))) == 1, "40 characters not heard after 100 ticks")

	w.setRules(func(r *game.Rules) { r.SpamProtection = false })
	for range 3 {
		testenv.Check(t, len(w.chatEvents(say(0, strings.Repeat("x", 100)))) == 1, "not heard without spam protection")
	}
}

func TestChatText(t *testing.T) {
	for _, tt := range []struct{ say, want string }{
		{"hi  \t", "hi"},
		{"a\u3000\u200b", "a"},
		{strings.Repeat("ä", 200), strings.Repeat("ä", 127)},
		{strings.Repeat("x", 126) + "  y", strings.Repeat("x", 126)},
		{"cut\x00here", "cut"},
		{" \u00a0 ", ""},
		{"", ""},
		{"bad \xff", "bad"},
	} {
		w := newWorld(t, game.Config{})
		w.enter(0)
		evs := w.chatEvents(say(0, tt.say))
		got := ""
		if len(evs) > 0 {
			got = evs[0].Text
		}
		testenv.Check(t, got == tt.want && (tt.want == "") == (len(evs) == 0), "%q: heard %q in %d events, want %q", tt.say, got, len(evs), tt.want)
	}
}

func TestChatModes(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.SpamProtection = false })})
	w.enter(0, 1, 2)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	zeroAndTwo := game.MaskOne(0).Or(game.MaskOne(2))
	for _, tt := range []struct {
		name         string
		tournament   int32
		from, target game.PlayerID
		mode, want   game.ChatMode // want is ChatNone for a line that nobody hears
		to           game.PlayerMask
	}{
		{"none", 0, 0, 0, game.ChatNone, game.ChatNone, game.PlayerMask{}},
		{"all", 0, 0, 0, game.ChatAll, game.ChatAll, game.MaskAll},
		{"team", 0, 0, 0, game.ChatTeam, game.ChatTeam, game.MaskOne(0).Or(game.MaskOne(1))},
		{"whisper", 0, 0, 2, game.ChatWhisper, game.ChatWhisper, zeroAndTwo},
		{"whisper to nobody", 0, 0, game.Nobody, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"whisper to a free id", 0, 0, 7, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"whisper to 64", 0, 0, 64, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"whisper to -128", 0, 0, -128, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"whisper to 127", 0, 0, 127, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"server", 0, game.Nobody, 0, game.ChatAll, game.ChatAll, game.MaskAll},
		{"server to one", 0, game.Nobody, 1, game.ChatWhisper, game.ChatAll, game.MaskOne(1)},
		{"tournament, a spectator", 2, 2, 0, game.ChatAll, game.ChatTeam, game.MaskOne(2)},
		{"tournament, a spectator to a player", 2, 2, 0, game.ChatWhisper, game.ChatNone, game.PlayerMask{}},
		{"tournament, a player", 2, 0, 0, game.ChatAll, game.ChatAll, game.MaskAll},
	} {
		w.setRules(func(r *game.Rules) { r.TournamentMode = tt.tournament })
		evs := w.chatEvents(game.Command{Kind: game.CmdSay, Player: tt.from, Chat: tt.mode, Target: tt.target, Text: "x"})
		if tt.want == game.ChatNone {
			testenv.Check(t, len(evs) == 0, "%s: heard %+v", tt.name, evs)
			continue
		}
		target := game.Nobody
		if tt.want == game.ChatWhisper {
			target = tt.target
		}
		testenv.Require(t, len(evs) == 1, "%s: heard %+v", tt.name, evs)
		e := evs[0]
		testenv.Check(t, e.Player == tt.from && e.Chat == tt.want && e.To == tt.to && e.Target == target, "%s: heard %+v", tt.name, e)
	}
	w.do(game.Command{Kind: game.CmdPlayerFlags, Player: 2, Value: int32(game.PlayerFlagAdmin)})
	w.setRules(func(r *game.Rules) { r.TournamentMode = 2 })
	evs := w.chatEvents(game.Command{Kind: game.CmdSay, Player: 2, Chat: game.ChatAll, Text: "x"})
	testenv.Check(t, len(evs) == 1 && evs[0].Chat == game.ChatAll, "tournament, an admin: %+v", evs)
}

func TestSkinLimit(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.steps(10) // a timer set at tick 0 counts as unset
	w.Step(join(0))
	pr := &game.Profile{Name: "other", Skin: game.Skin{PartNames: [6]string{"a name of more than 23 bytes"}}}
	skin := func() int {
		return len(eventsOf(w.do(game.Command{Kind: game.CmdSkinChange, Player: 0, Profile: pr}), game.EvSkinChange))
	}
	w.steps(248)
	testenv.Check(t, skin() == 0, "changed 249 ticks after the profile was told")
	testenv.Check(t, skin() == 1, "not changed after 250 ticks")
	p, _ := w.Player(0)
	if got := p.Profile.Skin.PartNames[0]; got != "a name of more than 23 " {
		t.Errorf("part %q", got)
	}
	testenv.Check(t, p.Profile.Name == "bot 0", "name %q", p.Profile.Name)

	w.setRules(func(r *game.Rules) { r.InfoChangeDelay = 1 })
	w.steps(47)
	testenv.Check(t, skin() == 0 && skin() == 1, "not changed after a second")
	w.setRules(func(r *game.Rules) { r.InfoChangeDelay = 0 })
	testenv.Check(t, skin() == 1, "not changed at once")
}

func TestProfileIsBounded(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"", "(1)"},
		{" \u200b ", "(1)"},
		{"  x", "x"},
		{"1234567890123456", "123456789012345"},
		{"12345678901234ä", "12345678901234"},
		{"a\x00b", "a"},
	} {
		w := newWorld(t, game.Config{})
		w.do(game.Command{Kind: game.CmdJoin, Player: 5},
			game.Command{Kind: game.CmdProfile, Player: 5, Profile: &game.Profile{Name: tt.name, Clan: "123456789012"}})
		p, ok := w.Player(5)
		testenv.Check(t, ok && p.Profile.Name == tt.want && p.Profile.Clan == "12345678901", "%q: %+v", tt.name, p.Profile)
	}
}

// TestUnknownChatCommands sends lines with a slash that no command handles. Only the author gets an
// answer, and the other players do not see the line.
func TestUnknownChatCommands(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.SpamProtection = false })})
	w.enter(0, 1)
	for _, mode := range []game.ChatMode{game.ChatAll, game.ChatTeam} {
		cmd := say(0, "/login secret")
		cmd.Chat = mode
		evs := w.chatEvents(cmd)
		testenv.Check(t, len(evs) == 1 && evs[0].To == game.MaskOne(0) && evs[0].Player == game.Nobody && evs[0].Text == "No such command: /login. Try /help",
			"mode %d: events %+v", mode, evs)
	}
	whisper := say(0, "/hi")
	whisper.Chat, whisper.Target = game.ChatWhisper, 1
	evs := w.chatEvents(whisper)
	testenv.Check(t, len(evs) == 1 && evs[0].Text == "/hi", "a whisper: %+v", evs)
}
