package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/console"
)

// TestNamesAreVisible checks that no name looks empty, or controls a terminal or page that shows
// it.
func TestNamesAreVisible(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		for i, c := range []struct{ sent, want string }{
			{"", "(1)"},
			{"   ", "(2)"},
			{"\u00a0\u00a0", "(3)"},
			{"\u2800\u2800", "(4)"},
			{"\u3164", "(5)"},
			{"\u115f\uffa0", "(6)"},
			{"\u200b\u202e", "(7)"},
			{"\u00ad\ufe0f", "(8)"},
			{" \u3164name\u2800 ", "name"},
			{"a\u202eb\u200bc", "abc"},
			{"a\u009bb\x7f", "a b"},
			{"it's plain", "it's plain"},
			{"한글 日本 ❤\ufe0f", "한글 日本"},
		} {
			p := ts.EnterAs(kind, local(1000+i), c.sent)
			info, _ := ts.World().Player(ts.ID(p))
			if info.Profile.Name != c.want {
				t.Errorf("%q is called %q, want %q", c.sent, info.Profile.Name, c.want)
			}
		}
	})
}

// TestLogFieldsCannotBeForged checks that neither a name nor the reason of a vote can make a
// log line look like another one.
func TestLogFieldsCannotBeForged(t *testing.T) {
	// lines returns the log lines about a player who calls votes, dies and leaves.
	lines := func(name, reason string) []string {
		ts := newTestServer(t, nil, "console_output_level 2; sv_spamprotection 0; add_vote fun \"echo fun\"")
		p := ts.Enter(local(1), name)
		ts.Enter(local(2), "other")
		ts.Log.Reset()
		ts.Execute("status")
		p.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("fun"), Reason: []byte(reason)})
		ts.Step(1)
		p.Send(&msg7.ClVote{Vote: -1})
		ts.Step(1)
		p.Send(&msg7.ClCallVote{Type: []byte("kick"), Value: []byte("1"), Reason: []byte(reason)})
		ts.Idle(200, p)
		p.Send(&msg7.ClKill{})
		ts.Step(1)
		p.Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
		ts.Step(1)
		ts.Execute("kick 0 " + console.Quote(reason))
		ts.Step(2)
		return strings.Split(strings.TrimSpace(ts.Log.String()), "\n")
	}
	plain := lines("plain", "reason")
	if n := strings.Count(fmt.Sprint(plain), "plain"); n < 6 {
		t.Fatalf("the name is in %d lines of %q: the test tests nothing", n, plain)
	}
	const reason = "x' force=1\n[2024-02-03 04:05:06][server]: client dropped. cid=1 addr=192.0.2.1:5 reason='y"
	forged := lines("a' team='b", reason)
	if len(forged) != len(plain) {
		t.Fatalf("%d lines instead of %d: %q", len(forged), len(plain), forged)
	}
	for i := range plain {
		if want, got := strings.Count(plain[i], "'"), strings.Count(forged[i], "'"); got != want {
			t.Errorf("%d quotation marks instead of %d:\n%s\n%s", got, want, plain[i], forged[i])
		}
	}
	want := "[server]: '0:a\u2019 team=\u2019b' voted option 'fun' reason='x\u2019 force=1 [202' cmd='echo fun' force=0"
	if !strings.Contains(strings.Join(forged, "\n"), want) {
		t.Errorf("no %q in %q", want, forged)
	}
}
