package server

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
)

// TestWorldAnswersOperators checks that the output of a mode's commands reaches the operator who
// ran the line, and that the line ends after it. Errors are warnings, as of other commands.
func TestWorldAnswersOperators(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(),
		"sv_map race; sv_gametype ddrace; sv_rcon_mod_password modpw; mod_command tune 1; mod_command echo 1; mod_command "+
			"kick 1; mod_command status 1; sv_hl_rcon 1")
	o := &Operator{Level: console.LevelAdmin, Via: "http", Addr: netip.MustParseAddrPort("127.0.0.1:1")}
	run := func(line string) (out []string, warning string, early bool) {
		ended := false
		ts.srv.RunFor(o, line, func(line string) { out = append(out, line) }, func(w string) { warning, ended = w, true })
		early = ended
		ts.step(1)
		testenv.Check(t, ended, "%s has not ended after a tick", line)
		return out, warning, early
	}
	for _, c := range []struct {
		line, out, warning string
		early              bool
	}{
		{line: "tune gravity", out: "gravity 0.50"},
		{line: "tune gravity 0.25; echo hi; tune gravity", out: "hi|gravity changed to 0.25|gravity 0.25"},
		{line: "tune nothing", out: "No such tuning parameter: nothing", warning: "No such tuning parameter: nothing"},
		{line: "nonsense; tune gravity", out: "No such command: nonsense.|gravity 0.25", warning: "No such command: nonsense."},
		{line: "tune_zone 256 gravity 0", out: "needs a zone from 0 to 255, a parameter and a value",
			warning: "needs a zone from 0 to 255, a parameter and a value"},
		{line: "super", out: "sv_test_cmds is 0", warning: "sv_test_cmds is 0"},
		{line: "echo hi", out: "hi", early: true},
		{line: "sv_hit 0"},
	} {
		out, warning, early := run(c.line)
		if got := strings.Join(out, "|"); got != c.out || warning != c.warning || early != c.early {
			t.Errorf("%s: %q, warning %q, at once %v", c.line, got, warning, early)
		}
	}
	if out, _, _ := run("tunes"); len(out) != 45 {
		t.Errorf("tunes prints %d lines", len(out))
	}

	mod, boss := ts.join(local(1), "mod"), ts.join(local(2), "boss")
	mod.Login("modpw")
	boss.Login("adminpw")
	ts.idle(300, mod, boss)
	mod.RconLines, boss.RconLines = nil, nil
	const mark = "end-0123456789abcdef"
	mod.Rcon("tune gravity")
	mod.Rcon(mark)
	ts.idle(4, mod, boss)
	if l := mod.RconLines; len(l) != 2 || !strings.HasSuffix(l[0], "[mod]: gravity 0.25") || l[1] != mark {
		t.Errorf("a moderator gets %q", l)
	}
	if l := boss.RconLines; len(l) != 1 || !strings.HasSuffix(l[0], "[mod]: gravity 0.25") {
		t.Errorf("the administrator sees %q", l)
	}

	// Programs that ask for the end are told of a warning in the last line, and of no other.
	for _, c := range []struct{ lines, want string }{
		{"tune nothing|" + mark, "refused: No such tuning parameter: nothing|" + mark},
		{"echo hi|" + mark, mark},
		{"tune nothing|tune gravity|" + mark, "[mod]: gravity 0.25|" + mark},
		{"kick 99|status|" + mark + "|" + mark, mark + "|" + mark},
		{"kick 99|" + mark, "refused: invalid client id to kick|" + mark},
	} {
		mod.RconLines = nil
		for line := range strings.SplitSeq(c.lines, "|") {
			mod.Rcon(line)
		}
		ts.idle(4, mod, boss)
		if got := strings.Join(mod.RconLines, "|"); !strings.HasSuffix(got, c.want) || strings.Count(got, "refused: ") != strings.Count(c.want, "refused: ") {
			t.Errorf("%s: %q", c.lines, got)
		}
	}

	// A command without a next tick is lost, with a warning.
	warning := "none"
	ts.srv.RunFor(o, "tune gravity", nil, func(w string) { warning = w })
	testenv.NoError(t, ts.srv.switchMap(ts.now, ts.srv.maps.Played()))
	ts.step(1)
	testenv.Check(t, warning == "tune did not run: the map has changed", "%q", warning)
	ts.srv.RunFor(o, "tune gravity", nil, func(w string) { warning = w })
	ts.srv.Shutdown(ts.now, "")
	testenv.Check(t, warning == "" || warning == "tune did not run: the server shuts down", "%q", warning)
}

// TestWorldAnswersHalfLife checks the same for the remote console of Half-Life.
func TestWorldAnswersHalfLife(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace; sv_hl 1; sv_hl_rcon 1")
	k := hlClient{ts, public(1)}
	challenge, got := k.challenge(), ""
	drops := ts.srv.Drops()
	ts.send = func(_ transport.Peer, b []byte) {
		text, err := wire.ParsePrint(b)
		testenv.NoError(t, err)
		got += string(text)
	}
	ts.feed(k.peer, testenv.Must(wire.AppendRcon(nil, challenge, "adminpw", "tune gravity; tune gravity 1")))
	testenv.Check(t, got == "", "before the tick: %q", got)
	ts.step(1)
	testenv.Check(t, got == "gravity 0.50\ngravity changed to 1.00\n", "%q", got)
	got = ""
	ts.feed(k.peer, testenv.Must(wire.AppendRcon(nil, challenge, "adminpw", "tune nothing; tune gravity")))
	ts.step(1)
	testenv.Check(t, got == "No such tuning parameter: nothing\ngravity 1.00\nrefused: No such tuning parameter: nothing\n", "%q", got)
	testenv.Check(t, maps.Equal(ts.srv.Drops(), drops), "drops %v, before %v", ts.srv.Drops(), drops)
}

// TestWorldAnswersEcon: the same for the external console.
func TestWorldAnswersEcon(t *testing.T) {
	cfg := ddraceConfig()
	inEconTestWith(t, cfg, "sv_map race; sv_gametype ddrace", func(et *econTest) {
		c := et.connect("127.0.0.1")
		c.say("hello\n")
		const mark = "end-0123456789abcdef"
		got := c.say("tune gravity\necho " + mark + "\n")
		if !strings.HasSuffix(got, "[][mod]: gravity 0.50\n\x00\x00[][Console]: "+mark+"\n\x00\x00") {
			t.Errorf("%q", got)
		}
		got = c.say("tune nothing\necho " + mark + "\n")
		if !strings.HasSuffix(got,
			"[][mod]: No such tuning parameter: nothing\n\x00\x00refused: No such tuning parameter: nothing\n\x00\x00[][Console]: "+mark+"\n\x00\x00") {
			t.Errorf("%q", got)
		}
		if got = c.say("echo " + mark + "\n"); strings.Contains(got, "refused") {
			t.Errorf("once more: %q", got)
		}
	})
}

// TestPlayersHearOfVotesWithoutEffect: who has voted for a map that is not there, or for a command
// that fails, is told that it did, after the vote has passed.
func TestPlayersHearOfVotesWithoutEffect(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace; sv_spamprotection 0; sv_vote_delay 0",
		`add_vote change "change_map nowhere"`, `add_vote map "sv_map nowhere"`, `add_vote tune "tune nothing 1"`, `add_vote good "tune gravity 1"`)
	p := ts.join(local(1), "p")
	ts.idle(60, p)
	for option, without := range map[string]bool{"change": true, "map": true, "tune": true, "good": false} {
		var got []string
		p.OnMessage = func(m testclient.Message) {
			switch m := m.(type) {
			case *msg7.SvVoteSet:
				if m.Type == msg7.VoteEndPass {
					got = append(got, "passed")
				}
			case *msg7.SvChat:
				got = append(got, string(m.Message))
			}
		}
		p.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte(option)})
		ts.idle(60, p)
		want := []string{"passed"}
		if without {
			want = append(want, "The vote passed without effect. Operators find the reason in the server's log")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", option, got)
		}
	}
}

// TestGameTypeTellsOfCheats checks that server lists mark servers where operators can cheat, as
// with DDNet-Server.
func TestGameTypeTellsOfCheats(t *testing.T) {
	for commands, want := range map[string]string{"sv_test_cmds 1": "TestDDraceNetwork", "sv_test_cmds 0": "DDraceNetwork"} {
		ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace; "+commands)
		testenv.Check(t, ts.srv.world.ModeName() == want, "%s: %s", commands, ts.srv.world.ModeName())
	}
}

// TestInactiveKickOfDDNet checks that a server in the place of DDNet-Server has its numbers: one
// less.
func TestInactiveKickOfDDNet(t *testing.T) {
	for _, c := range []struct {
		ddnet bool
		line  string
		want  int32
	}{{true, "sv_inactivekick 0", 1}, {true, "sv_inactivekick 2", 3}, {true, "sv_inactivekick 3", 3}, {true, "", 1},
		{false, "sv_inactivekick 1", 1}, {false, "", 2}} {
		ts := newTestServerWith(t, Config{DDNet: c.ddnet}, c.line)
		got := ts.srv.world.Rules().InactiveAction
		testenv.Check(t, got == c.want, "%+v: %d", c, got)
		r := ts.srv.gameRules()
		ts.srv.rules.Rules = r
		testenv.Check(t, ts.srv.gameRules().InactiveAction == c.want, "%+v: set again it is %d", c, ts.srv.gameRules().InactiveAction)
	}
}

// TestHelpInDDRace: /help is short, as on DDNet-Server, since there are more commands than lines on
// a screen.
func TestHelpInDDRace(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace")
	p := ts.join(local(1), "p")
	n := 0
	p.OnMessage = func(m testclient.Message) {
		if _, ok := m.(*msg7.SvChat); ok {
			n++
		}
	}
	say := func(text string) {
		ts.session(p).OnCommand(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Target: game.Nobody, Text: text})
		ts.idle(20, p)
	}
	say("/help")
	testenv.Check(t, n == 3, "/help has %d lines", n)
	say("/help kill")
	testenv.Check(t, n == 4, "/help kill has %d lines", n-3)
}
