package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// chatTest is a test network whose players write commands into the chat.
type chatTest struct {
	*testNetwork
	a, b, quoted *player // of which a writes
}

// newChatTest starts a server with a player of a kind, and others of 0.7.
func newChatTest(t *testing.T, kind client.SessionConfig, commands ...string) *chatTest {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 1, append([]string{"sv_spamprotection 0"}, commands...)...)
	ct := &chatTest{testNetwork: tn, a: tn.dial(1, named(kind, "a"))}
	tn.untilPlaying(ct.a)
	ct.b, ct.quoted = tn.join(2, "b"), tn.join(3, `q"o\t`)
	tn.run(4 * time.Second) // teams may be changed then
	return ct
}

// write has a write a line and returns what a gets to read, and what others do.
func (ct *chatTest) write(line string, team bool) (own, others []string) {
	for _, p := range ct.players {
		clear(p.chat)
	}
	if ct.a.Version() == client.Version06 {
		ct.a.send(&msg6.ClSay{Team: team, Message: []byte(line)})
	} else {
		mode := msg7.ChatAll
		if team {
			mode = msg7.ChatTeam
		}
		ct.a.send(&msg7.ClSay{Mode: mode, Target: -1, Message: []byte(line)})
	}
	ct.run(100 * time.Millisecond)
	for _, p := range ct.players {
		for _, lines := range p.chat {
			if p == ct.a {
				own = append(own, lines...)
			} else {
				others = append(others, lines...)
			}
		}
	}
	return own, others
}

// eachVersion runs a test with each kind of players.
func eachVersion(t *testing.T, test func(t *testing.T, kind client.SessionConfig)) {
	for name, kind := range map[string]client.SessionConfig{"0.7": player07, "DDNet": player06DDNet, "0.6": player06} {
		t.Run(name, func(t *testing.T) { test(t, kind) })
	}
}

// TestChatCommands checks that commands in the chat do something or say why not, and that
// no one else reads them.
func TestChatCommands(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		ct := newChatTest(t, kind)
		const usage = "Write /w NAME TEXT to whisper, with a name that has spaces in quotation marks"
		for _, c := range []struct{ line, want string }{
			{"/hlep", "No such command: /hlep. Try /help"},
			{"/login secret", "No such command: /login. Try /help"},
			{"/", "No such command: /. Try /help"},
			{"//", "No such command: //. Try /help"},
			{"/ready", "This server does not wait until players are ready"},
			{"/timeout U5E72ARPGZqkk8fH", ""},
			{"/mc;timeout U5E72;emote angry", ""},
			{"/c hello", "You do not have an ongoing conversation. Whisper to someone to start one"},
			{"/w nobody hi", `No player with name "nobody" found`},
			{"/w nobody", usage},
			{"/w", usage},
			{`/w "b`, usage},
			{`/w "b"`, usage},
			{`/w "" hi`, usage},
		} {
			for _, team := range []bool{false, true} {
				own, others := ct.write(c.line, team)
				if strings.Join(own, "\n") != c.want || others != nil {
					t.Errorf("%q, team %v: reply %q, others read %q", c.line, team, own, others)
				}
			}
		}
		own, others := ct.write("/HELP", false)
		if others != nil || len(own) < 4 || !strings.HasPrefix(own[0], "/help: ") || !slices.ContainsFunc(own, func(s string) bool { return strings.HasPrefix(s, "/pause: ") }) {
			t.Errorf("help is %q, others read %q", own, others)
		}
		if _, others = ct.write("try /help", false); !slices.Equal(others, []string{"try /help", "try /help"}) {
			t.Errorf("others read %q of a line with a slash in it", others)
		}
		checkStats(t, ct.players...)
	})
}

// TestChatCommandMessage checks the message that 0.7 has for commands of the chat.
func TestChatCommandMessage(t *testing.T) {
	ct := newChatTest(t, player07)
	for name, want := range map[string]string{"hlep": "No such command: /hlep. Try /help", "c": "You do not have an ongoing conversation. Whisper to someone to start one"} {
		clear(ct.a.chat)
		clear(ct.b.chat)
		ct.a.send(&msg7.ClCommand{Name: []byte(name), Arguments: []byte("some text")})
		ct.run(100 * time.Millisecond)
		if !slices.Equal(ct.a.chat[-1], []string{want}) || len(ct.b.chat) != 0 {
			t.Errorf("/%s: reply %q, b reads %q", name, ct.a.chat, ct.b.chat)
		}
	}
}

// TestChatWhispers checks whom whispers in the chat reach.
func TestChatWhispers(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		ct := newChatTest(t, kind)
		for _, c := range []struct {
			line string
			to   *player
			want string
		}{
			{"/w b hello you", ct.b, "hello you"},
			{"/c and you", ct.b, "and you"},
			{`/w "q\"o\\t" hi`, ct.quoted, "hi"},
			{"/CONVERSE there", ct.quoted, "there"},
			{`/whisper q"o\t hi`, ct.quoted, "hi"},
			{`/w "b"  hi`, ct.b, "hi"},
		} {
			_, others := ct.write(c.line, false)
			if !slices.Equal(others, []string{c.want}) || len(c.to.chat[int32(ct.a.id())]) != 1 {
				t.Errorf("%q: others read %q", c.line, others)
			}
		}
		if t.Name() == "TestChatWhispers/0.6" {
			return // our client whispers to no server that may not be DDNet's
		}
		ct.a.command(game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: ct.quoted.id(), Text: "from our client"})
		if !ct.quoted.heard("from our client") || ct.b.heard("from our client") {
			t.Errorf("our client: %q", ct.quoted.chat)
		}
		checkStats(t, ct.players...)
	})
}

// TestPauseCommand checks that /pause, which DDNet's menu writes, moves a player to the
// spectators and back, and says what hinders it.
func TestPauseCommand(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		ct := newChatTest(t, kind)
		team := func() game.Team { return ct.srv.teamOf(ct.a.id()) }
		if ct.write("/pause", false); team() != game.TeamSpectators {
			t.Errorf("/pause leaves the player in team %d", team())
		}
		own, _ := ct.write("/pause", false)
		if want := "Time to wait before changing team: 00:02"; !slices.Equal(own, []string{want}) || team() != game.TeamSpectators {
			t.Errorf("at once: reply %q, team %d", own, team())
		}
		ct.run(4 * time.Second)
		if ct.write("/spec", false); team() != game.TeamRed {
			t.Errorf("/spec leaves the player in team %d", team())
		}
		ct.run(4 * time.Second)
		ct.write("/pause", false)
		ct.srv.Execute("lock_teams")
		ct.run(4 * time.Second)
		if own, _ = ct.write("/pause", false); !slices.Equal(own, []string{"Teams are locked"}) {
			t.Errorf("with locked teams: reply %q", own)
		}
	})
}

// TestReadyCommand checks that /ready is the message that 0.7 has.
func TestReadyCommand(t *testing.T) {
	ct := newChatTest(t, player06DDNet, "sv_player_ready_mode 1")
	before, _ := ct.srv.world.Player(ct.a.id())
	if own, _ := ct.write("/ready", false); !slices.Equal(own, []string{"'a' initiated a pause"}) {
		t.Errorf("reply %q", own)
	}
	if after, _ := ct.srv.world.Player(ct.a.id()); after.Ready == before.Ready {
		t.Errorf("ready stays %v", after.Ready)
	}
}
