package server

import (
	"bytes"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/transport"
)

// FuzzHalfLife lets strangers from afar say anything in the Half-Life protocol: none
// gets more than 1.2 times what he sent, a player keeps his seat, and nobody is
// banned.
func FuzzHalfLife(f *testing.F) {
	for kind := halflife.RequestPing; kind <= halflife.RequestA2SChallenge; kind++ {
		f.Add(halflife.AppendTextRequest(nil, kind))
		f.Add(halflife.AppendA2SRequest(nil, kind, 5))
	}
	rcon, _ := halflife.AppendRcon(nil, 123456789, "adminpw", "status")
	f.Add(rcon)
	f.Add(halflife.AppendMasterChallenge(nil, 5, 0))
	ts := newTestServer(f, nil, "sv_hl_master 198.51.7.7:27010", "sv_inactivekick_time 0")
	player := ts.join(ip(1), "player")
	n := 0
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.HasPrefix(b, []byte("\xff\xff\xff\xff")) || len(b) > transport.MaxDatagram || !halflife.IsDatagram(b) {
			return
		}
		ts.tb = t
		n++
		out := 0
		before := ts.send
		ts.send = func(_ transport.Peer, b []byte) { out += len(b) }
		ts.now = ts.now.Add(time.Millisecond)
		ts.srv.Feed(ts.now, public(1+n%60000), bytes.Clone(b))
		ts.send = before
		if 5*out > 6*len(b) {
			t.Errorf("%d bytes for %d: %q", out, len(b), b)
		}
		if n%100 == 0 {
			player.KeepAlive()
			ts.step(1)
		}
		if ts.session(player) == nil || len(ts.srv.bans.store.All()) != 0 {
			t.Fatalf("the player is gone or somebody is banned after %q", b)
		}
	})
}
