package client_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/packet"
)

// TestLegacyHandshake checks that a client without a token gets into the game, whether or
// not it has to prove its address, and has the map that it is told of first.
func TestLegacyHandshake(t *testing.T) {
	for _, setting := range []string{"sv_vanilla_antispoof 0", "sv_vanilla_antispoof 1"} {
		for _, noMap := range []bool{false, true} {
			tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.03, Duplicate: 0.02}, "sv_map teeyard1", setting)
			p := tn.dial(client.Config{Name: "plain", Version: client.Version06, LegacyHandshake: true, NoMap: noMap, Maps: client.NewMaps("-")})
			waitFor(p, 20*time.Second, func(event.Entered) bool { return true })
			if m := p.Map(); m == nil || m.Name != "teeyard1" {
				t.Errorf("%s: map %+v", setting, m)
			}
			tn.run(2 * time.Second)
			if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage != 0 || st.Snapshots < 30 {
				t.Errorf("%s: %+v", setting, st)
			}
		}
	}
}

// TestVersionIsDetected checks that a client speaks the version that the server answers
// to, and 0.7 if it answers to both.
func TestVersionIsDetected(t *testing.T) {
	dropAllOf := func(older bool) func([]byte) bool {
		return func(b []byte) bool { return packet.IsClearly6(b) == older }
	}
	for name, c := range map[string]struct {
		drop func(b []byte) bool // of what the client sends
		want client.Version
	}{
		"both":           {func([]byte) bool { return false }, client.Version07},
		"newer only":     {dropAllOf(true), client.Version07},
		"older only":     {func(b []byte) bool { return packet.IsClearly7(b) }, client.Version06},
		"newer is slow":  {dropFirst(3, func(b []byte) bool { return packet.IsClearly7(b) }), client.Version06},
		"older is first": {dropFirst(0, dropAllOf(true)), client.Version07},
	} {
		tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond})
		tn.drop = c.drop
		p := tn.dial(client.Config{NoMap: true})
		waitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		if got := p.Version(); got != c.want {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
		// The next connection detects it anew.
		tn.drop = dropAllOf(true)
		tn.run(2 * time.Second) // leaving earlier gets the address banned
		p.events = nil
		p.Close()
		tn.run(11 * time.Second)
		tn.connect(p)
		waitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		if got := p.Version(); got != client.Version07 {
			t.Errorf("%s, again: %v", name, got)
		}
	}
}

// dropFirst returns a function that drops the first n datagrams of a kind.
func dropFirst(n int, is func(b []byte) bool) func([]byte) bool {
	return func(b []byte) bool {
		if n > 0 && is(b) {
			n--
			return true
		}
		return false
	}
}

// TestServerRefusesAVersion checks that a client tries 0.6 on a server that refuses 0.7, and
// reports the refusal if the server does not answer in 0.6.
func TestServerRefusesAVersion(t *testing.T) {
	for _, c := range []struct {
		older bool
		want  client.Version
	}{{true, client.Version06}, {false, client.Version07}} {
		tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond})
		tn.drop = func(b []byte) bool {
			if packet.IsClearly7(b) && len(b) >= packet.HeaderSize+5 && b[packet.HeaderSize] == byte(packet.ControlConnect) {
				closing := append([]byte{b[0], 0, 0}, b[packet.HeaderSize+1:packet.HeaderSize+5]...)
				tn.net.Send(tn.addr, tn.lastPeer, append(append(closing, byte(packet.ControlClose)), "not here\x00"...))
				return true
			}
			return !c.older && packet.IsClearly6(b)
		}
		p := tn.dial(client.Config{NoMap: true})
		if c.older {
			waitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		} else {
			tn.until(2*time.Second, "refused", func() bool { return hasEvent[event.Disconnected](p) })
			if d, _ := lastEvent[event.Disconnected](p); d.Text != "client: disconnected: not here" {
				t.Errorf("refused with %q", d.Text)
			}
		}
		if got := p.Version(); got != c.want {
			t.Errorf("%v instead of %v", got, c.want)
		}
	}
}
