package server_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestOperatorsLogIn checks that guesses of passwords over the web and in the game share one limit.
func TestOperatorsLogIn(t *testing.T) {
	ts := newTestServer(t, nil, "sv_rcon_mod_password modpw; mod_command status 1")
	from := func(a string) *server.Operator {
		return &server.Operator{Via: "http", Addr: netip.MustParseAddrPort(a)}
	}
	boss, mod := from("10.0.1.1:1"), from("10.0.1.2:1")
	if err := ts.LogIn(boss, "adminpw"); err != nil || boss.Level != console.LevelAdmin {
		t.Fatal(err, boss)
	}
	if err := ts.LogIn(mod, "modpw"); err != nil || mod.Level != console.LevelMod {
		t.Fatal(err, mod)
	}
	var out []string
	print := func(line string) { out = append(out, line) }
	ts.RunFor(mod, "sv_scorelimit 3; status", print, nil)
	if value(ts, "sv_scorelimit") == "3" || !strings.Contains(strings.Join(out, "\n"), "Access for command sv_scorelimit denied") {
		t.Errorf("a moderator sets sv_scorelimit to %s: %q", value(ts, "sv_scorelimit"), out)
	}
	if ts.RunFor(boss, "sv_scorelimit 3", nil, nil); value(ts, "sv_scorelimit") != "3" {
		t.Error("an administrator cannot set sv_scorelimit")
	}
	guesser := ts.Enter(ip(7), "guesser")
	ts.Idle(20, guesser.Login("guess"), guesser)
	ts.Idle(60, guesser.Login("guess"), guesser)
	at := from(ip(7).Addr().String() + ":80")
	if err := ts.LogIn(at, "guess"); !errors.Is(err, server.ErrLogin) {
		t.Error(err)
	}
	if err := ts.LogIn(at, "adminpw"); !errors.Is(err, server.ErrLoginBanned) || !strings.Contains(err.Error(), access.TooManyTries) {
		t.Errorf("after three wrong passwords: %v", err)
	}
	for i := range 400 {
		ts.LogIn(from(netip.AddrFrom4([4]byte{20, byte(i), 0, 1}).String()+":1"), "guess")
	}
	for addr, want := range map[string]error{"30.0.0.1:1": server.ErrLoginLater, "127.0.0.1:9": nil} {
		at := from(addr)
		at.Local = want == nil
		if err := ts.LogIn(at, "adminpw"); !errors.Is(err, want) {
			t.Errorf("%s among many who guess: %v, want %v", addr, err, want)
		}
	}
	if err := ts.LogIn(from("10.0.1.1:9"), "adminpw"); err != nil {
		t.Errorf("from a new network among many who guess: %v", err)
	}
	if err := ts.LogIn(from("127.0.0.1:9"), "adminpw"); !errors.Is(err, server.ErrLoginLater) {
		t.Errorf("through a proxy among many who guess: %v", err)
	}
	ts.Execute(`sv_rcon_password ""; sv_rcon_mod_password ""`)
	if err := ts.LogIn(from("127.0.0.1:9"), ""); !errors.Is(err, server.ErrNoRconPassword) {
		t.Error(err)
	}
}

// TestMutes checks that other players do not hear a muted player, also after a reconnect, and that
// the muted player reads the reason. The mute ends after its time.
func TestMutes(t *testing.T) {
	ts := newTestServer(t, nil)
	loud, pal := ts.Enter(ip(1), "loud"), ts.Enter(ip(2), "pal")
	heard := func(c *testclient.Client) []string {
		var all []string
		c.OnMessage = func(m testclient.Message) {
			if chat, ok := m.(*msg7.SvChat); ok {
				all = append(all, string(chat.Message))
			}
		}
		ts.Idle(60, loud, pal)
		return all
	}
	ts.Execute("muteid 0 10 spam")
	clients := ts.Clients(nil)
	if len(clients) != 2 || clients[0].Muted != 10*time.Second || clients[1].Muted != 0 || clients[0].Name != "loud" ||
		clients[0].State != server.ClientInGame {
		t.Errorf("%+v", clients)
	}
	loud.Say("hello")
	if got := heard(loud); !slices.Equal(got, []string{"You are not permitted to talk for the next 10 seconds. (spam)"}) {
		t.Errorf("who is muted hears %q", got)
	}
	loud.Say("hello")
	pal.Say("hey")
	if got := heard(pal); !slices.Equal(got, []string{"hey"}) {
		t.Errorf("the others hear %q", got)
	}
	loud.Close("")
	ts.Step(1)
	loud = ts.Enter(ip(1), "loud again")
	loud.Say("hello")
	if got := heard(pal); len(got) != 0 {
		t.Errorf("after a reconnect the others hear %q", got)
	}
	ts.Idle(500, loud, pal)
	loud.Say("sorry")
	if got := heard(pal); !slices.Equal(got, []string{"sorry"}) {
		t.Errorf("later the others hear %q", got)
	}
	for i := range access.MaxMutes + 50 {
		ts.Execute("muteip " + netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 1}).String() + " 1000")
	}
	if n := strings.Count(ts.Console("mutes"), "\n"); n != access.MaxMutes {
		t.Errorf("%d mutes", n)
	}
	ts.Log.Reset()
	ts.Execute("unmuteip 20.1.49.1; unmuteip 20.1.49.1; muteip nobody 3; muteid 63 4; muteip 20.0.0.1 0; unmuteid 9")
	const want = `[mutes]: unmuted addr=20.1.49.1
[mutes]: no player from 20.1.49.1 is muted
[mutes]: 'nobody' is not an address
[mutes]: invalid client id to mute
[mutes]: a mute lasts 1 to 2592000 seconds
[mutes]: invalid client id to unmute
`
	if ts.Log.String() != want {
		t.Errorf("%s", ts.Log.String())
	}
}

// TestOperatorsAreReplayed checks that the log of a match contains the commands that operators run
// from outside of the game, and that the log replays exactly.
func TestOperatorsAreReplayed(t *testing.T) {
	s := &servertest.Folder{}
	ts := newTestServerWith(t, server.Config{Replays: s})
	a, b := ts.Enter(ip(1), "alice"), ts.Enter(ip(2), "bob")
	o := &server.Operator{Level: console.LevelAdmin, Via: "http", Addr: netip.MustParseAddrPort("127.0.0.1:1")}
	for _, line := range []string{"set_team 0 -1", "sv_scorelimit 3", "say hello", "muteid 1 10", "restart 1", "kick 1 enough", "pause"} {
		ts.Idle(30, a, b)
		ts.RunFor(o, line, nil, func(warning string) {
			if warning != "" {
				t.Errorf("%s: %s", line, warning)
			}
		})
	}
	first := "none"
	ts.RunFor(o, "kick 1; sv_scorelimit 5000", nil, func(warning string) { first = warning })
	if first != "invalid client id to kick" {
		t.Errorf("the first warning is %q", first)
	}
	ts.Idle(60, a)
	ts.Shutdown(ts.Now(), "")
	// The kicked player leaves, and the other one at the end.
	if l := verify(t, s, 1)[0]; l.commands[game.CmdForceTeam] != 1 || l.commands[game.CmdLeave] != 2 ||
		l.commands[game.CmdSay] != 1 || l.commands[game.CmdPause] != 1 {
		t.Errorf("the log has %v", l.commands)
	}
}
