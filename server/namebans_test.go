package server

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestNameBans checks that players with a banned name do not get in.
func TestNameBans(t *testing.T) {
	ts := newTestServer(t, nil, "name_ban boss 0 0 ask first")
	c := ts.connect(ip(1)).Join("boss")
	ts.step(2)
	testenv.Check(t, c.Closed && c.Reason == "Kicked (your name is banned: ask first)", "boss: closed %v, %q", c.Closed, c.Reason)
	ts.join(ip(2), "boss 2")
}
