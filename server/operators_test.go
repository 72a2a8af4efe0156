package server

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
)

// TestOperatorsLogIn: passwords that come over the web are checked as those of players, with the
// same counts, so that nobody can try three here and three there.
func TestOperatorsLogIn(t *testing.T) {
	ts := newTestServer(t, nil, "sv_rcon_mod_password modpw; mod_command status 1")
	from := func(a string) *Operator { return &Operator{Via: "http", Addr: netip.MustParseAddrPort(a)} }
	boss, mod := from("10.0.1.1:1"), from("10.0.1.2:1")
	if err := ts.srv.LogIn(boss, "adminpw"); err != nil || boss.Level != console.LevelAdmin {
		t.Fatal(err, boss)
	}
	if err := ts.srv.LogIn(mod, "modpw"); err != nil || mod.Level != console.LevelMod {
		t.Fatal(err, mod)
	}
	var out []string
	print := func(line string) { out = append(out, line) }
	ts.srv.RunFor(mod, "sv_scorelimit 3; status", print, nil)
	if ts.srv.rules.ScoreLimit == 3 || !strings.Contains(strings.Join(out, "\n"), "Access for command sv_scorelimit denied") {
		t.Errorf("a moderator sets sv_scorelimit to %d: %q", ts.srv.rules.ScoreLimit, out)
	}
	if ts.srv.RunFor(boss, "sv_scorelimit 3", nil, nil); ts.srv.rules.ScoreLimit != 3 {
		t.Error("an administrator cannot set sv_scorelimit")
	}
	guesser := ts.join(ip(7), "guesser")
	ts.idle(20, guesser.Login("guess"), guesser)
	ts.idle(60, guesser.Login("guess"), guesser)
	at := from(ip(7).Addr().String() + ":80")
	if err := ts.srv.LogIn(at, "guess"); !errors.Is(err, ErrLogin) {
		t.Error(err)
	}
	if err := ts.srv.LogIn(at, "adminpw"); !errors.Is(err, ErrLoginBanned) || !strings.Contains(err.Error(), access.TooManyTries) {
		t.Errorf("after three wrong passwords: %v", err)
	}
	for i := range 400 {
		ts.srv.LogIn(from(netip.AddrFrom4([4]byte{20, byte(i), 0, 1}).String()+":1"), "guess")
	}
	for addr, want := range map[string]error{"30.0.0.1:1": ErrLoginLater, "127.0.0.1:9": nil} {
		at := from(addr)
		at.Local = want == nil
		if err := ts.srv.LogIn(at, "adminpw"); !errors.Is(err, want) {
			t.Errorf("%s among many who guess: %v, want %v", addr, err, want)
		}
	}
	if err := ts.srv.LogIn(from("10.0.1.1:9"), "adminpw"); err != nil {
		t.Errorf("from a new network among many who guess: %v", err)
	}
	if err := ts.srv.LogIn(from("127.0.0.1:9"), "adminpw"); !errors.Is(err, ErrLoginLater) {
		t.Errorf("through a proxy among many who guess: %v", err)
	}
	ts.srv.Execute(`sv_rcon_password ""; sv_rcon_mod_password ""`)
	if err := ts.srv.LogIn(from("127.0.0.1:9"), ""); !errors.Is(err, ErrNoRconPassword) {
		t.Error(err)
	}
}

// TestMutes: a muted player is not heard in any chat, nor after a reconnect, and is told why;
// others are heard, and in the end they are, too.
func TestMutes(t *testing.T) {
	ts := newTestServer(t, nil)
	loud, pal := ts.join(ip(1), "loud"), ts.join(ip(2), "pal")
	heard := func(c *testclient.Client) []string {
		var all []string
		c.OnMessage = func(m testclient.Message) {
			if chat, ok := m.(*msg7.SvChat); ok {
				all = append(all, string(chat.Message))
			}
		}
		ts.idle(60, loud, pal)
		return all
	}
	say := func(c *testclient.Client, text string) {
		ts.session(c).OnCommand(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Target: game.Nobody, Text: text})
	}
	ts.srv.Execute("muteid 0 10 spam")
	clients := ts.srv.Clients(nil)
	if len(clients) != 2 || clients[0].Muted != 10*time.Second || clients[1].Muted != 0 || clients[0].Name != "loud" || clients[0].State != ClientInGame {
		t.Errorf("%+v", clients)
	}
	say(loud, "hello")
	if got := heard(loud); !slices.Equal(got, []string{"You are not permitted to talk for the next 10 seconds. (spam)"}) {
		t.Errorf("who is muted hears %q", got)
	}
	say(loud, "hello")
	say(pal, "hey")
	if got := heard(pal); !slices.Equal(got, []string{"hey"}) {
		t.Errorf("the others hear %q", got)
	}
	loud.Close("")
	ts.step(1)
	loud = ts.join(ip(1), "loud again")
	say(loud, "hello")
	if got := heard(pal); len(got) != 0 {
		t.Errorf("after a reconnect the others hear %q", got)
	}
	ts.idle(500, loud, pal)
	say(loud, "sorry")
	if got := heard(pal); !slices.Equal(got, []string{"sorry"}) {
		t.Errorf("later the others hear %q", got)
	}
	for i := range access.MaxMutes + 50 {
		ts.srv.Execute("muteip " + netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 1}).String() + " 1000")
	}
	if len(ts.srv.access.Mutes.All(ts.srv.now)) != access.MaxMutes {
		t.Errorf("%d mutes", len(ts.srv.access.Mutes.All(ts.srv.now)))
	}
	ts.log.Reset()
	ts.srv.Execute("unmuteip 20.1.49.1; unmuteip 20.1.49.1; muteip nobody 3; muteid 63 4; muteip 20.0.0.1 0; unmuteid 9")
	const want = `[mutes]: unmuted addr=20.1.49.1
[mutes]: no player from 20.1.49.1 is muted
[mutes]: 'nobody' is not an address
[mutes]: invalid client id to mute
[mutes]: a mute lasts 1 to 2592000 seconds
[mutes]: invalid client id to unmute
`
	if ts.log.String() != want {
		t.Errorf("%s", ts.log.String())
	}
}

// TestOperatorsAreReplayed: what operators do from outside of the game is in the log of the match,
// which runs again as it was.
func TestOperatorsAreReplayed(t *testing.T) {
	s := &memoryReplays{}
	ts := newTestServerWith(t, Config{Replays: s})
	a, b := ts.join(ip(1), "alice"), ts.join(ip(2), "bob")
	o := &Operator{Level: console.LevelAdmin, Via: "http", Addr: netip.MustParseAddrPort("127.0.0.1:1")}
	for _, line := range []string{"set_team 0 -1", "sv_scorelimit 3", "say hello", "muteid 1 10", "restart 1", "kick 1 enough", "pause"} {
		ts.idle(30, a, b)
		ts.srv.RunFor(o, line, nil, func(warning string) {
			if warning != "" {
				t.Errorf("%s: %s", line, warning)
			}
		})
	}
	first := "none"
	ts.srv.RunFor(o, "kick 1; sv_scorelimit 5000", nil, func(warning string) { first = warning })
	if first != "invalid client id to kick" {
		t.Errorf("the first warning is %q", first)
	}
	ts.idle(60, a)
	ts.srv.record.Close(replay.EndShutdown)
	if l := s.verify(t, 1)[0]; l.commands[game.CmdForceTeam] != 1 || l.commands[game.CmdLeave] != 1 || l.commands[game.CmdSay] != 1 || l.commands[game.CmdPause] != 1 {
		t.Errorf("the log has %v", l.commands)
	}
}
