package server_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestWhenEmpty checks that the settings for an empty server act when the last player leaves, and
// not before the first player joins.
func TestWhenEmpty(t *testing.T) {
	ts := newTestServer(t, nil, "sv_reload_when_empty 1")
	world := ts.World()
	visit := func() {
		p := ts.Enter(local(1), "p")
		other := ts.Enter(local(2), "other")
		other.Close("")
		ts.Idle(60, p)
		p.Close("")
		ts.Step(60)
	}
	ts.Step(100)
	testenv.Check(t, ts.World() == world, "the map is read again before anybody has come")
	visit()
	testenv.Check(t, ts.World() != world && value(ts, "sv_reload_when_empty") == "0", "sv_reload_when_empty 1 has no effect, or does not end")
	world = ts.World()
	visit()
	testenv.Check(t, ts.World() == world, "sv_reload_when_empty 1 has an effect twice")
	ts.Execute("sv_reload_when_empty 2")
	for range 2 {
		world = ts.World()
		visit()
		testenv.Check(t, ts.World() != world && value(ts, "sv_reload_when_empty") == "2", "sv_reload_when_empty 2 has no effect, or ends")
	}
	testenv.Check(t, !ended(ts), "the server shuts down")
	ts.Execute("sv_shutdown_when_empty 1")
	ts.Step(100)
	testenv.Check(t, !ended(ts), "the server shuts down before anybody has come")
	visit()
	testenv.Check(t, ended(ts), "sv_shutdown_when_empty has no effect")
}

// TestClientSuggestions checks that each kind of client gets its own suggestion.
func TestClientSuggestions(t *testing.T) {
	ts := newTestServer(t, nil, `sv_client_suggestion new\nclient; sv_client_suggestion_old old; sv_client_suggestion_bot bot`)
	for i, c := range []struct {
		name    string
		kind    testclient.Config
		version int32
		want    string
	}{
		{"0.7", client07, 0, "new\nclient"}, {"0.6", client06, 0, "new\nclient"}, {"old DDNet", client06DDNet, 706, "old"},
		{"DDNet", client06DDNet, 16040, ""}, {"a bot", client06DDNet, 15, "bot"}, {"a bot", client06DDNet, 502, "bot"},
	} {
		var got string
		suggested := func(text []byte) {
			if !strings.HasPrefix(string(text), "Warmup") {
				got = string(text)
			}
		}
		c.kind.Release = c.version
		c.kind.OnMessage = func(m testclient.Message) {
			switch m := m.(type) {
			case *msg6.SvBroadcast:
				suggested(m.Message)
			case *msg7.SvBroadcast:
				suggested(m.Message)
			}
		}
		p := ts.EnterAs(c.kind, local(i+1), "p")
		ts.Idle(10, p)
		testenv.Check(t, got == c.want, "%s is suggested %q, want %q", c.name, got, c.want)
		p.Close("")
		ts.Step(2)
	}
}
