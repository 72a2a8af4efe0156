package server_test

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestNameBans checks that players with a banned name do not get in.
func TestNameBans(t *testing.T) {
	ts := newTestServer(t, nil, "name_ban boss 0 0 ask first")
	c := ts.Connect(ip(1)).Join("boss")
	ts.Step(2)
	testenv.Check(t, c.Closed && c.Reason == "Kicked (your name is banned: ask first)", "boss: closed %v, %q", c.Closed, c.Reason)
	ts.Enter(ip(2), "boss 2")
}
