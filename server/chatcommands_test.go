package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/servertest"
)

// chatTest is a test network whose players write commands into the chat.
type chatTest struct {
	*testNetwork
	a, b, quoted *player // of which a writes
}

// newChatTest starts a server with a player of a kind, and others of 0.7.
func newChatTest(t *testing.T, kind client.SessionConfig, commands ...string) *chatTest {
	tn := newTestNetwork(t, servertest.Link{Delay: time.Millisecond}, 1, append([]string{"sv_spamprotection 0"}, commands...)...)
	ct := &chatTest{testNetwork: tn, a: tn.dial(1, named(kind, "a"))}
	tn.untilPlaying(ct.a)
	ct.b, ct.quoted = tn.join(2, "b"), tn.join(3, `q"o\t`)
	tn.Wait(4 * time.Second) // teams may be changed then
	return ct
}

// write has a write a line. It returns the lines that a receives, and those for the rest.
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
	ct.Wait(100 * time.Millisecond)
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
		const usage = "Write /w NAME TEXT to whisper. Put a name with spaces in quotation marks"
		for _, c := range []struct{ line, want string }{
			{"/hlep", "No such command: /hlep. Try /help"},
			{"/login secret", "No such command: /login. Try /help"},
			{"/", "No such command: /. Try /help"},
			{"//", "No such command: //. Try /help"},
			{"/ready", "This server does not wait for players to be ready"},
			{"/timeout U5E72ARPGZqkk8fH", ""},
			{"/mc;timeout U5E72;emote angry", ""},
			{"/c hello", "You do not have an ongoing conversation. Whisper to someone to start one"},
			{"/w nobody hi", `No player with name "nobody" found`},
			{"/w nobody_with_this_name hi", `No player with name "nobody_with_this_name" found`},
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
		ct.Wait(5 * time.Second) // replies have a limit
		own, others := ct.write("/HELP", false)
		want := []string{
			"/c <text>: Whispers to the same player again", "/emote [kind] [seconds]: Changes the eyes of your tee",
			"/help [command]: Lists the commands, or explains one", "/info: Shows the name, mode and version of this server",
			"/pause: Makes you a spectator, or a player again", "/w <name> <text>: Whispers to one player",
		}
		if others != nil || !slices.Equal(own, want) {
			t.Errorf("help is %q, others read %q", own, others)
		}
		for line, want := range map[string][]string{
			"/help /Emote": {want[1]}, "/help converse": {"/converse <text>: Whispers to the same player again"},
			"/help nothing": {"No such command: /nothing. Try /help"},
			"/info":         {"unnamed server: DM on teeyard1", "This is a teeyard " + server.Version() + " server. Write /help for the commands"},
			"/c":            {"Usage: /c <text>"},
		} {
			if own, others := ct.write(line, false); others != nil || !slices.Equal(own, want) {
				t.Errorf("%q: reply %q, others read %q", line, own, others)
			}
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
	for name, want := range map[string]string{"hlep": "No such command: /hlep. Try /help",
		"c": "You do not have an ongoing conversation. Whisper to someone to start one"} {
		clear(ct.a.chat)
		clear(ct.b.chat)
		ct.a.send(&msg7.ClCommand{Name: []byte(name), Arguments: []byte("some text")})
		ct.Wait(100 * time.Millisecond)
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

// TestWhisperPartnerLeaves checks that a reply to a player who has left does not reach the next
// client in that seat.
func TestWhisperPartnerLeaves(t *testing.T) {
	const nobody = "You do not have an ongoing conversation. Whisper to someone to start one"
	ts := newTestServer(t, nil, "sv_spamprotection 0; dbg_dummies 1")
	a, b := ts.Enter(ip(1), "a"), ts.Enter(ip(2), "b")
	seat := ts.ID(b)
	a.Say("/w b hello")
	ts.Idle(2, a, b)
	if !slices.Contains(b.Chat, "hello") {
		t.Fatalf("b reads %q", b.Chat)
	}
	b.Close("")
	ts.Advance(ts.Now())
	a.Chat = nil
	a.Say("/w b too late").Say("/c too late") // before the tick in which b leaves
	ts.Idle(2, a)
	c := ts.Enter(ip(3), "c")
	a.Say("/c secret").Say("/converse secret")
	ts.Idle(2, a, c)
	if ts.ID(c) != seat || len(c.Chat) != 0 {
		t.Errorf("c in seat %d reads %q", ts.ID(c), c.Chat)
	}
	if want := []string{`No player with name "b" found`, nobody, nobody, nobody}; !slices.Equal(chatFromServer(a), want) {
		t.Errorf("a reads %q", a.Chat)
	}
	// A dummy.
	a.Say("/w \"dummy 63\" hello")
	a.Chat = nil
	a.Say("/c again")
	ts.Idle(2, a, c)
	if slices.Contains(chatFromServer(a), nobody) {
		t.Error("a cannot whisper to the dummy again")
	}
	ts.Execute("dbg_dummies 0")
	ts.Idle(2, a, c)
	a.Say("/c again")
	ts.Idle(2, a, c)
	if !slices.Contains(chatFromServer(a), nobody) {
		t.Error("the dummy is still remembered")
	}
	// d is a player whose seat is kept.
	d := joinWithCode(ts, ip(4), "d", timeoutCode)
	d.Say("/w a hello")
	a.Say("/w d hello")
	ts.Idle(2, a, c, d)
	ts.Idle(11*50, a, c)
	back := ts.EnterAs(client06DDNet, ip(5), "d")
	back.Say("/timeout " + timeoutCode)
	ts.Idle(2, a, c, back)
	a.Chat, back.Chat = nil, nil
	a.Say("/c again")
	back.Say("/c too")
	ts.Idle(2, a, c, back)
	if !slices.Contains(back.Chat, "again") || !slices.Contains(a.Chat, "too") {
		t.Errorf("a reads %q, the one who is back %q", a.Chat, back.Chat)
	}
}

// chatFromServer returns the lines that the server answered a client.
func chatFromServer(c *testclient.Client) (lines []string) {
	for _, line := range c.Chat {
		if strings.Contains(line, "onversation") || strings.HasPrefix(line, "No player") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestPauseCommand checks that /pause, a line of DDNet's menu, moves a player to the spectators and
// back. Otherwise the reply names the reason.
func TestPauseCommand(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		ct := newChatTest(t, kind)
		team := func() game.Team { return teamOf(ct.Server, ct.a.id()) }
		if ct.write("/pause", false); team() != game.TeamSpectators {
			t.Errorf("/pause leaves the player in team %d", team())
		}
		own, _ := ct.write("/pause", false)
		if want := "Time to wait before changing team: 00:02"; !slices.Equal(own, []string{want}) || team() != game.TeamSpectators {
			t.Errorf("at once: reply %q, team %d", own, team())
		}
		ct.Wait(4 * time.Second)
		if ct.write("/spec", false); team() != game.TeamRed {
			t.Errorf("/spec leaves the player in team %d", team())
		}
		ct.Wait(4 * time.Second)
		ct.write("/pause", false)
		ct.Execute("lock_teams")
		ct.Wait(4 * time.Second)
		if own, _ = ct.write("/pause", false); !slices.Equal(own, []string{"Teams are locked"}) {
			t.Errorf("with locked teams: reply %q", own)
		}
	})
}

// TestReadyCommand checks that /ready is the message that 0.7 has.
func TestReadyCommand(t *testing.T) {
	ct := newChatTest(t, player06DDNet, "sv_player_ready_mode 1")
	before, _ := ct.World().Player(ct.a.id())
	if own, _ := ct.write("/ready", false); !slices.Equal(own, []string{"'a' initiated a pause"}) {
		t.Errorf("reply %q", own)
	}
	if after, _ := ct.World().Player(ct.a.id()); after.Ready == before.Ready {
		t.Errorf("ready stays %v", after.Ready)
	}
}

// offers returns the commands that a player's client shows, in order, as it hears of them.
func offers(p *player) *[]string {
	list := new([]string)
	add := func(name, params, help []byte) {
		*list = append(*list, string(name)+"|"+string(params)+"|"+string(help))
	}
	remove := func(name []byte) {
		*list = slices.DeleteFunc(*list, func(s string) bool { return strings.HasPrefix(s, string(name)+"|") })
	}
	p.onMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.SvCommandInfo:
			add(m.Name, m.ArgsFormat, m.HelpText)
		case *msg6.SvCommandInfo:
			add(m.Name, m.ArgsFormat, m.HelpText)
		case *msg7.SvCommandInfoRemove:
			remove(m.Name)
		case *msg6.SvCommandInfoRemove:
			remove(m.Name)
		}
	}
	return list
}

// TestOfferedChatCommands checks which commands clients are told of, that they hear of
// changes, and that programs can add commands with arguments.
func TestOfferedChatCommands(t *testing.T) {
	var calls []string
	double := chat.Command{Name: "double", Params: "i[number] ?f[factor] ?r[text]", Help: "Doubles a number", Run: func(c *chat.Call) {
		calls = append(calls, fmt.Sprintf("%d %d %v %s %d", c.Player, c.Int(0)*2, c.Float(1), c.Arg(2), len(c.Args)))
		c.Reply("%d", c.Args.Int(0)*2)
	}}
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{ChatCommands: []chat.Command{double}}, "sv_spamprotection 0")
	common := []string{
		"c|r[text]|Whispers to the same player again", "double|i[number] ?f[factor] ?r[text]|Doubles a number",
		"emote|?s[kind] ?i[seconds]|Changes the eyes of your tee", "help|?s[command]|Lists the commands, or explains one",
		"info||Shows the name, mode and version of this server", "pause||Makes you a spectator, or a player again",
	}
	want := map[string][]string{
		"0.7":   common, // has /w itself
		"DDNet": append(slices.Clone(common), "w|s[name] r[text]|Whispers to one player"),
		"0.6":   nil,
	}
	seen := map[string]*[]string{}
	for i, kind := range []client.SessionConfig{named(player07, "0.7"),
		{Version: client.Version06, DDNetVersion: 18000, Name: "DDNet"}, named(player06, "0.6")} {
		p := tn.dial(i+1, kind)
		seen[p.name] = offers(p)
		tn.untilPlaying(p)
	}
	check := func(when string, ready bool) {
		t.Helper()
		tn.Wait(200 * time.Millisecond)
		for name, list := range seen {
			want := slices.Clone(want[name])
			if ready && name != "0.6" {
				want = append(want, "ready||Marks you as ready, or as not ready")
			}
			if !slices.Equal(*list, want) {
				t.Errorf("%s: %s is offered\n%q, not\n%q", when, name, *list, want)
			}
		}
	}
	check("at first", false)
	tn.Execute("sv_player_ready_mode 1")
	check("in ready mode", true)
	tn.Execute("sv_player_ready_mode 0")
	check("after it", false)
	for _, list := range seen {
		*list = nil // as clients do with a new map
	}
	tn.Execute("sv_map testbox")
	tn.WaitUntil(time.Minute, "the other map", func() bool { return tn.Map().Name == "testbox" && allPlay(tn.players) })
	check("on another map", false)

	for i, p := range tn.players {
		clear(p.chat)
		p.Request(tn.Now(), func(c bridge.ClientSide) { c.SendChatCommand("double", ` 21 1.5 "some text" more`) })
		p.Request(tn.Now(), func(c bridge.ClientSide) { c.SendChatCommand("double", "word") })
		tn.Wait(200 * time.Millisecond)
		if got, want := calls, []string{fmt.Sprint(i, " 42 1.5 some text 3")}; !slices.Equal(got, want) {
			t.Errorf("%s: calls %q, not %q", p.name, got, want)
		}
		if got := p.chat[-1]; !slices.Equal(got, []string{"42", "Usage: /double <number> [factor] [text]"}) {
			t.Errorf("%s: replies %q", p.name, got)
		}
		calls = nil
	}
	tn.Server.Chat().List("double", true)
	tn.Server.Chat().List("nothing", true)
	check("listed again", false)
	tn.RemoveChatCommand("double")
	tn.RemoveChatCommand("nothing")
	for name := range want {
		want[name] = slices.DeleteFunc(want[name], func(s string) bool { return strings.HasPrefix(s, "double|") })
	}
	check("without double", false)
	checkStats(t, tn.players...)
}

// TestEmoteCommand checks that others see the eyes that a player chose, in all versions,
// and that the log of the match has it.
func TestEmoteCommand(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		var s servertest.Folder
		tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Replays: &s}, "sv_spamprotection 0; sv_replay 1")
		a := tn.dial(1, named(kind, "a"))
		tn.untilPlaying(a)
		watchers := []*player{tn.dial(2, named(player07, "b")), tn.dial(3, named(player06DDNet, "c")), tn.dial(4, named(player06, "d"))}
		for _, p := range watchers {
			p.views = map[int32]game.View{}
		}
		tn.untilPlaying(watchers...)
		tn.Wait(4 * time.Second)
		for _, p := range watchers {
			p.command(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
			p.command(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: a.id()})
		}
		ct := &chatTest{testNetwork: tn, a: a}
		sees := func(p *player) game.Emote {
			for _, c := range p.lastView(t).Characters {
				if c.Player == a.id() {
					return c.Emote
				}
			}
			return 255
		}
		usage := []string{"Emotes are: surprise, blink, close, angry, happy, pain, normal", "Write /emote surprise 10 for 10 seconds, or /emote surprise for 1"}
		for _, c := range []struct {
			line  string
			want  game.Emote
			reply []string
		}{
			{"/emote happy 3", game.EmoteHappy, nil},
			{"/emote SURPRISE", game.EmoteSurprise, nil},
			{"/emote", game.EmoteSurprise, usage},
			{"/emote grumpy", game.EmoteSurprise, usage},
			{"/emote angry x", game.EmoteSurprise, []string{"Usage: /emote [kind] [seconds]"}},
			{"/emote angry -5", game.EmoteAngry, nil},
			{"/emote close 99999999999", game.EmoteBlink, nil},
			{"/emote pain 2", game.EmotePain, nil},
		} {
			own, _ := ct.write(c.line, false)
			if !slices.Equal(own, c.reply) {
				t.Errorf("%s: reply %q", c.line, own)
			}
			for _, p := range watchers {
				if got := sees(p); got != c.want {
					t.Errorf("%s: %s sees emote %d", c.line, p.name, got)
				}
			}
		}
		tn.Wait(2100 * time.Millisecond)
		for _, p := range watchers {
			if got := sees(p); got == game.EmotePain {
				t.Errorf("%s sees the pain for ever", p.name)
			}
		}
		tn.Shutdown(tn.Now(), "")
		verify(t, &s, 1)
	})
}

// TestRepliesAreLimited checks that who writes commands without end gets no replies without
// end, and that chat goes on.
func TestRepliesAreLimited(t *testing.T) {
	ts := newTestServer(t, nil, "sv_spamprotection 0")
	c := ts.Enter(ip(1), "flooder")
	lines := 0
	c.OnMessage = func(m testclient.Message) {
		if chat, ok := m.(*msg7.SvChat); ok && chat.ClientID < 0 {
			lines++
		}
	}
	const seconds = 20
	for range 50 * seconds {
		for range 4 {
			c.Send(&msg7.ClCommand{Name: []byte("help")})
		}
		ts.Idle(1, c)
	}
	limit := int(server.ReplyRate.Burst + seconds*server.ReplyRate.PerSecond)
	if lines < limit/2 || lines > limit+1 || ts.Drops()["flood"] == 0 {
		t.Errorf("%d lines for %d commands, at most %d; drops %v", lines, 4*50*seconds, limit, ts.Drops())
	}
	if ts.State(c) == "" {
		t.Error("the flooder is out")
	}
}

// FuzzChatCommands writes any line into the chat. The replies are safe to show, fit into messages,
// and reach the caller only. The match goes on.
func FuzzChatCommands(f *testing.F) {
	ts := newTestServer(f, nil, "sv_spamprotection 0; sv_inactivekick_time 0") // the inputs are one long match
	c, other := ts.Enter(local(1), "a"), ts.Enter(local(2), "b")
	for _, line := range []string{
		"help", "help \x01\u202e", "emote happy 1e9", `w "b" hi`, `w "\\`, "c \xff", "pause", "info x",
		"double -9 nan", "help " + strings.Repeat("x", 1200), "help " + strings.Repeat("x", 256) + strings.Repeat("\xd9", 300), "ready", "/", " ",
	} {
		f.Add(line)
	}
	calls := 0
	ts.AddChatCommand(chat.Command{Name: "double", Params: "i[number] ?f[factor] ?r[text]", Run: func(c *chat.Call) {
		calls++
		c.Reply("%d %v %s", c.Int(0), c.Float(1), c.Arg(2))
	}})
	var t *testing.T
	c.OnMessage = func(m testclient.Message) {
		if chat, ok := m.(*msg7.SvChat); ok && chat.ClientID < 0 &&
			(safetext.Line(chat.Message) != string(chat.Message) || len(chat.Message) > server.MaxReply) {
			t.Errorf("reply %q", chat.Message)
		}
	}
	other.OnMessage = func(m testclient.Message) {
		if chat, ok := m.(*msg7.SvChat); ok && chat.Mode != msg7.ChatWhisper {
			t.Errorf("somebody else reads %q", chat.Message)
		}
	}
	f.Fuzz(func(tt *testing.T, line string) {
		t = tt
		if name, _, _ := strings.Cut(line, " "); safetext.Line(name) != name {
			return // the world repeats the name of an unknown command to its writer as it is
		}
		c.Say("/" + line)
		ts.Idle(2, c, other)
		if ts.State(c) == "" || ts.State(other) == "" {
			t.Fatal("a client is out")
		}
	})
}

// TestChatCommandWhileAClientConnects checks that a client that is not in the game yet is offered
// each command once, with the list.
func TestChatCommandWhileAClientConnects(t *testing.T) {
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{})
	p := tn.dial(1, named(player07, "a"))
	offered := offers(p)
	tn.WaitUntil(time.Minute, "a session", func() bool { return len(tn.Clients(nil)) == 1 })
	testenv.Check(t, tn.Clients(nil)[0].State == server.ClientConnecting, "the client is in the game at once")
	testenv.NoError(t, tn.AddChatCommand(chat.Command{Name: "late", Help: "Comes late", Run: func(*chat.Call) {}}))
	tn.untilPlaying(p)
	tn.Wait(time.Second)
	n := 0
	for _, o := range *offered {
		if o == "late||Comes late" {
			n++
		}
	}
	testenv.Check(t, n == 1, "offered %d times: %q", n, *offered)
}
