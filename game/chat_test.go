package game_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
)

func say(id game.PlayerID, text string) game.Command {
	return game.Command{Kind: game.CmdSay, Player: id, Chat: game.ChatAll, Text: text}
}

func (w *world) hears(cmd game.Command) []game.Event { return of(w.do(cmd), game.EvChat) }

func TestChatLimits(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	if len(w.hears(say(0, "hello"))) != 1 {
		t.Fatal("not heard")
	}
	w.steps(48)
	if len(w.hears(say(0, "too soon"))) != 0 {
		t.Error("heard after 49 ticks")
	}
	if len(w.hears(say(0, "in time"))) != 1 {
		t.Error("not heard after 50 ticks")
	}
	w.steps(98)
	if len(w.hears(say(0, strings.Repeat("x", 40)))) != 0 {
		t.Error("40 characters heard after 99 ticks")
	}
	if len(w.hears(say(0, strings.Repeat("x", 40)))) != 1 {
		t.Error("40 characters not heard after 100 ticks")
	}

	r := w.Rules()
	r.SpamProtection = false
	w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
	for range 3 {
		if len(w.hears(say(0, strings.Repeat("x", 100)))) != 1 {
			t.Error("not heard without spam protection")
		}
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
		evs := w.hears(say(0, tt.say))
		got := ""
		if len(evs) > 0 {
			got = evs[0].Text
		}
		if got != tt.want || (tt.want == "") != (len(evs) == 0) {
			t.Errorf("%q: heard %q in %d events, want %q", tt.say, got, len(evs), tt.want)
		}
	}
}

func TestChatModes(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.SpamProtection = false })})
	w.enter(0, 1, 2)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	line := func(id game.PlayerID, mode game.ChatMode, to game.PlayerID) *game.Event {
		evs := w.hears(game.Command{Kind: game.CmdSay, Player: id, Chat: mode, Target: to, Text: "x"})
		if len(evs) == 0 {
			return nil
		}
		return &evs[0]
	}
	if line(0, game.ChatNone, 0) != nil {
		t.Error("mode none is heard")
	}
	if e := line(0, game.ChatAll, 0); e == nil || e.To != game.MaskAll || e.Target != game.Nobody {
		t.Errorf("all: %+v", e)
	}
	if e := line(0, game.ChatTeam, 0); e == nil || e.To != game.MaskOne(0)|game.MaskOne(1) {
		t.Errorf("team: %+v", e)
	}
	if e := line(0, game.ChatWhisper, 2); e == nil || e.To != game.MaskOne(0)|game.MaskOne(2) || e.Target != 2 {
		t.Errorf("whisper: %+v", e)
	}
	for _, nobody := range []game.PlayerID{game.Nobody, 7, 64, -128, 127} {
		if e := line(0, game.ChatWhisper, nobody); e != nil {
			t.Errorf("whisper to %d: %+v", nobody, e)
		}
	}
	if e := line(game.Nobody, game.ChatAll, 0); e == nil || e.Player != game.Nobody || e.To != game.MaskAll {
		t.Errorf("server: %+v", e)
	}
	if e := line(game.Nobody, game.ChatWhisper, 1); e == nil || e.Chat != game.ChatAll || e.To != game.MaskOne(1) {
		t.Errorf("server to one: %+v", e)
	}

	r := w.Rules()
	r.TournamentMode = 2
	w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
	if e := line(2, game.ChatAll, 0); e == nil || e.Chat != game.ChatTeam || e.To != game.MaskOne(2) {
		t.Errorf("tournament, a spectator: %+v", e)
	}
	if e := line(2, game.ChatWhisper, 0); e != nil {
		t.Errorf("tournament, a spectator to a player: %+v", e)
	}
	if e := line(0, game.ChatAll, 0); e == nil || e.Chat != game.ChatAll {
		t.Errorf("tournament, a player: %+v", e)
	}
	w.do(game.Command{Kind: game.CmdPlayerFlags, Player: 2, Value: int32(game.PlayerFlagAdmin)})
	if e := line(2, game.ChatAll, 0); e == nil || e.Chat != game.ChatAll {
		t.Errorf("tournament, an admin: %+v", e)
	}
}

func TestEmoticonLimit(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	emote := func(n int32) int {
		return len(of(w.do(game.Command{Kind: game.CmdEmoticon, Player: 0, Value: n}), game.EvEmoticon))
	}
	if emote(16) != 0 || emote(-1) != 0 {
		t.Error("emoticon out of range")
	}
	if emote(15) != 1 {
		t.Error("not shown")
	}
	w.steps(148)
	if emote(1) != 0 {
		t.Error("shown after 149 ticks")
	}
	if emote(1) != 1 {
		t.Error("not shown after 150 ticks")
	}
}

func TestSkinLimit(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.steps(10) // a timer set at tick 0 counts as never set
	w.Step(join(0))
	pr := &game.Profile{Name: "other", Skin: game.Skin{PartNames: [6]string{"a name of more than 23 bytes"}}}
	skin := func() int {
		return len(of(w.do(game.Command{Kind: game.CmdSkinChange, Player: 0, Profile: pr}), game.EvSkinChange))
	}
	w.steps(248)
	if skin() != 0 {
		t.Error("changed 249 ticks after the profile was told")
	}
	if skin() != 1 {
		t.Error("not changed after 250 ticks")
	}
	p, _ := w.Player(0)
	if got := p.Profile.Skin.PartNames[0]; got != "a name of more than 23 " {
		t.Errorf("part %q", got)
	}
	if p.Profile.Name != "bot 0" {
		t.Errorf("name %q", p.Profile.Name)
	}
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
		if !ok || p.Profile.Name != tt.want || p.Profile.Clan != "12345678901" {
			t.Errorf("%q: %+v", tt.name, p.Profile)
		}
	}
}
