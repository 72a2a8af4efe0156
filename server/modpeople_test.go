package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// showMod shows what the commands say: a menu, a vote, texts.
type showMod struct {
	menu, other game.Menu
	vote        game.Vote
	ticking     int32
}

func (m *showMod) State() any { return &m.ticking }

func (m *showMod) Start(setup *game.Setup) {
	m.menu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		p := ctx.Player(id)
		p.Say(fmt.Sprint("chose ", line))
		if line == 0 {
			p.ShowMenu(m.other, "back", "slow")
		}
	})
	m.other = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) { m.showMenu(ctx, id) })
	m.vote = setup.Vote(func(ctx *game.Ctx, passed bool) { ctx.Say(fmt.Sprint("voted ", passed)) })
	for _, cmd := range []struct {
		name string
		run  func(ctx *game.Ctx, c *game.CommandCall)
	}{
		{"menu", func(ctx *game.Ctx, c *game.CommandCall) { m.showMenu(ctx, c.Player) }},
		{"hide", func(ctx *game.Ctx, c *game.CommandCall) { ctx.Player(c.Player).HideMenu() }},
		{"vote", func(ctx *game.Ctx, c *game.CommandCall) { ctx.StartVote(m.vote, c.Player, c.Arg(0)) }},
		{"server", func(ctx *game.Ctx, c *game.CommandCall) { ctx.StartVote(m.vote, game.Nobody, c.Arg(0)) }},
		{"stop", func(ctx *game.Ctx, c *game.CommandCall) { ctx.StopVote(m.vote) }},
		{"text", func(ctx *game.Ctx, c *game.CommandCall) { ctx.Player(c.Player).SetScreenText(c.Arg(0)) }},
		{"tick", func(ctx *game.Ctx, c *game.CommandCall) { m.ticking = c.Int(0) }},
		{"motd", func(ctx *game.Ctx, c *game.CommandCall) { ctx.Player(c.Player).Motd("two\nlines") }},
		{"cast", func(ctx *game.Ctx, c *game.CommandCall) { ctx.Player(c.Player).Broadcast(c.Arg(0)) }},
		{"feed", func(ctx *game.Ctx, c *game.CommandCall) {
			ctx.Effects(game.MaskOne(c.Player)).KillFeed(c.Player, c.Player, game.WeaponLaser)
		}},
	} {
		setup.ChatCommand(game.CommandSpec{Name: cmd.name, Params: "?r[text]", Run: cmd.run})
	}
}

func (m *showMod) showMenu(ctx *game.Ctx, id game.PlayerID) {
	ctx.Player(id).ShowMenu(m.menu, "more ...", "fast", "plain")
}

func (m *showMod) OnTick(ctx *game.Ctx) {
	if m.ticking == 0 {
		return
	}
	for p := range ctx.Players() {
		p.SetScreenText(fmt.Sprint("tick ", ctx.Tick()))
		p.ShowMenu(m.menu, fmt.Sprint("tick ", ctx.Tick()))
	}
}

// seen is what a player is shown.
type seen struct {
	options    []string
	broadcasts []string
	motd       string
	kills      int
	votes      []string
}

// watch records what a player is shown, of both versions.
func watch(p *player) *seen {
	s := &seen{}
	add := func(texts [][]byte) {
		for _, t := range texts {
			s.options = append(s.options, string(t))
		}
	}
	p.onMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.SvVoteClearOptions, *msg6.SvVoteClearOptions:
			s.options = nil
		case *msg7.SvVoteOptionListAdd:
			add(m.Descriptions)
		case *msg6.SvVoteOptionListAdd:
			for _, d := range m.Descriptions {
				if len(d) > 0 {
					add([][]byte{d})
				}
			}
		case *msg7.SvVoteOptionAdd:
			add([][]byte{m.Description})
		case *msg6.SvVoteOptionAdd:
			add([][]byte{m.Description})
		case *msg7.SvVoteOptionRemove:
			s.remove(string(m.Description))
		case *msg6.SvVoteOptionRemove:
			s.remove(string(m.Description))
		case *msg7.SvBroadcast:
			s.broadcasts = append(s.broadcasts, string(m.Message))
		case *msg6.SvBroadcast:
			s.broadcasts = append(s.broadcasts, string(m.Message))
		case *msg7.SvMotd:
			s.motd = string(m.Message)
		case *msg6.SvMotd:
			s.motd = string(m.Message)
		case *msg7.SvKillMsg:
			s.kills++
		case *msg6.SvKillMsg:
			s.kills++
		case *msg7.SvVoteSet:
			s.votes = append(s.votes, fmt.Sprintf("%d %v %s", m.ClientID, m.Timeout > 0, m.Description))
		case *msg6.SvVoteSet:
			s.votes = append(s.votes, fmt.Sprintf("%v %s", m.Timeout > 0, m.Description))
		}
	}
	return s
}

func (s *seen) remove(option string) {
	if i := slices.Index(s.options, option); i >= 0 {
		s.options = slices.Delete(s.options, i, i+1)
	}
}

func (p *player) say(text string) {
	p.command(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Text: text})
}

// choose calls a vote for an option.
func (p *player) choose(option string) {
	p.do(func(c bridge.ClientSide) { c.SendCallVote(event.VoteOption, option, "", false) })
}

func newShowMod() game.Mod { return &showMod{} }

// TestModMenus checks that players of all versions get menus above the options that operators have,
// that a choice reaches the mod without a vote, and that the log verifies.
func TestModMenus(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		var s servertest.Folder
		tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Replays: &s, Mods: []func() game.Mod{newShowMod}},
			"sv_replay 1; add_vote plain echo a; add_vote warm echo b")
		p := tn.dial(1, named(kind, "a"))
		view := watch(p)
		tn.untilPlaying(p)
		shows := func(what string, want ...string) {
			t.Helper()
			if !slices.Equal(view.options, want) {
				t.Errorf("%s: shows %q, not %q", what, view.options, want)
			}
		}
		says := func(what string, want ...string) {
			t.Helper()
			if got := p.chat[-1]; !slices.Equal(got, want) {
				t.Errorf("%s: says %q, not %q", what, got, want)
			}
			clear(p.chat)
		}
		shows("at first", "plain", "warm")
		tn.Wait(time.Second)
		clear(p.chat)
		p.say("/menu")
		shows("the menu", "more ...", "fast", "plain", "plain", "warm")
		p.choose("plain")
		says("plain", "chose 2")
		p.choose("more ...")
		says("more", "chose 0")
		shows("the other menu", "back", "slow", "plain", "warm")
		tn.Execute("remove_vote plain; add_vote back echo c")
		tn.Wait(time.Second)
		shows("after remove_vote", "back", "slow", "warm", "back")
		p.choose("back")
		shows("the first menu", "more ...", "fast", "plain", "warm", "back")
		if tn.Votes().Running != "" || len(view.votes) > 1 {
			t.Errorf("a vote: %q", view.votes)
		}
		tn.Execute("clear_votes; add_vote warm echo b")
		tn.Wait(time.Second)
		shows("after clear_votes", "more ...", "fast", "plain", "warm")
		p.say("/hide")
		shows("hidden", "warm")
		clear(p.chat)
		p.choose("fast")
		says("fast", "'fast' is not an option on this server")
		tn.Wait(10 * time.Second)
		p.choose("warm")
		if !slices.ContainsFunc(view.votes, func(v string) bool { return strings.HasSuffix(v, "true warm") }) {
			t.Errorf("the operator's option: %q", view.votes)
		}
		checkStats(t, p)
		tn.Shutdown(tn.Now(), "")
		if n := verify(t, &s, 1, newShowMod)[0].commands[game.CmdMenu]; n != 3 {
			t.Errorf("%d choices in the log", n)
		}
	})
}

// TestModVotes checks that a vote of a mod is held as others are, after them, and that the mod and
// the log get the result.
func TestModVotes(t *testing.T) {
	var s servertest.Folder
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Replays: &s, Mods: []func() game.Mod{newShowMod}},
		"sv_replay 1; sv_spamprotection 0; add_vote warm echo b")
	a, b := tn.join(1, "a"), tn.join(2, "b")
	other := tn.dial(3, named(player06, "c"))
	tn.untilPlaying(other)
	view := watch(b)
	said := func(what, want string) {
		t.Helper()
		if got := strings.Join(b.chat[-1], "|"); got != want {
			t.Errorf("%s: %q, not %q", what, got, want)
		}
		clear(b.chat)
	}
	vote := func(p *player, choice int32) { p.do(func(c bridge.ClientSide) { c.SendVote(choice) }) }
	clear(b.chat)
	a.say("/vote Sudden death?")
	if want := "0 true Sudden death?"; len(view.votes) != 1 || view.votes[0] != want {
		t.Errorf("votes %q", view.votes)
	}
	vote(b, 1)
	said("two of three", "voted true")
	a.say("/server Again?")
	vote(a, 1)
	vote(b, -1)
	said("one of two", "")
	vote(other, -1)
	said("two against", "voted false")
	if got := other.chat[-1]; !slices.Contains(got, "Vote failed") ||
		slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "admin") }) || slices.Contains(view.votes, "-1 false ") {
		t.Errorf("0.6 says %q, 0.7 gets %q", got, view.votes)
	}
	if want := "63 true Again?"; !slices.Contains(view.votes, want) {
		t.Errorf("votes %q", view.votes)
	}
	a.choose("warm")
	a.say("/vote After that")
	a.say("/vote Too many")
	if last := view.votes[len(view.votes)-1]; last != "0 true warm" {
		t.Errorf("votes %q", view.votes)
	}
	vote(b, 1)
	if last := view.votes[len(view.votes)-1]; last != "0 true After that" {
		t.Errorf("votes %q", view.votes)
	}
	tn.Execute("vote yes")
	tn.Wait(time.Second)
	said("forced", "voted true")
	a.say("/vote Nobody answers")
	tn.Wait(30 * time.Second)
	said("nobody", "voted false")
	a.say("/vote Given up")
	a.say("/stop")
	a.say("/server Another")
	if tn.Votes().Running != "Another" {
		t.Errorf("votes %q", view.votes)
	}
	vote(a, 1)
	vote(b, 1)
	said("another", "voted true")
	tn.Shutdown(tn.Now(), "")
	if n := verify(t, &s, 1, newShowMod)[0].commands[game.CmdVoteEnd]; n != 5 {
		t.Errorf("%d results in the log", n)
	}
}

// TestModTexts checks the texts that players of all versions see, that broadcasts and the text of a
// mod do not replace each other at once, and that a mod cannot flood clients.
func TestModTexts(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Mods: []func() game.Mod{newShowMod}}, "sv_spamprotection 0")
		p := tn.dial(1, named(kind, "a"))
		view := watch(p)
		tn.untilPlaying(p)
		tn.Wait(time.Second)
		const waiting = "Warmup: waiting for other players" // for which 0.7 has no broadcast
		shows := func(what string, want ...string) {
			t.Helper()
			view.broadcasts = slices.DeleteFunc(view.broadcasts, func(s string) bool { return s == waiting })
			if !slices.Equal(view.broadcasts, want) {
				t.Errorf("%s: shows %q, not %q", what, view.broadcasts, want)
			}
			view.broadcasts = nil
		}
		view.broadcasts = nil
		p.say("/motd")
		p.say("/feed")
		if view.motd != "two\nlines" || view.kills != 1 {
			t.Errorf("motd %q, %d kills", view.motd, view.kills)
		}
		tn.Execute("broadcast from the operator")
		tn.Wait(time.Second)
		p.say("/text lasting")
		shows("a broadcast", "from the operator")
		tn.Wait(9 * time.Second)
		shows("after it", "lasting")
		tn.Wait(5 * time.Second)
		shows("it stays", "lasting")
		p.say("/cast from the mod")
		tn.Wait(8 * time.Second)
		shows("a broadcast of the mod", "from the mod")
		tn.Wait(2 * time.Second)
		shows("after that", "lasting")
		p.say("/text")
		tn.Wait(20 * time.Second)
		shows("none", "")

		p.say("/tick 1")
		view.broadcasts = nil
		tn.Wait(10 * time.Second)
		if n := len(view.broadcasts); n < 45 || n > 55 || len(view.options) != 1 {
			t.Errorf("%d texts in 10 s, options %q", n, view.options)
		}
		p.say("/tick 0")
		p.say("/text lasting")
		tn.join(2, "b")
		tn.Execute("pause 8")
		tn.Wait(time.Second)
		view.broadcasts = nil
		tn.Wait(6 * time.Second)
		if p.Version() == client.Version06 && (len(view.broadcasts) != 6 || slices.Contains(view.broadcasts, "lasting")) {
			t.Errorf("in a pause: shows %q", view.broadcasts)
		}
		tn.Wait(10 * time.Second)
		if last := view.broadcasts[len(view.broadcasts)-1]; last != "lasting" {
			t.Errorf("after a pause: shows %q", view.broadcasts)
		}
		checkStats(t, p)
	})
}
