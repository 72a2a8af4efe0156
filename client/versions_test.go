package client_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/packet"
)

// TestOlderVersion: a client of 0.6 does on our server what one of 0.7 does.
func TestOlderVersion(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 30 * time.Millisecond, Jitter: 3 * time.Millisecond}, "sv_map testbox; sv_motd hi")
	old := tn.join(client.Config{Name: "old", Clan: "clan", Version: client.Version06, Maps: client.NewMaps(t.TempDir()), RconPassword: "adminpw"})
	young := tn.join(client.Config{Name: "young", Version: client.Version07})
	if old.Version() != client.Version06 || young.Version() != client.Version07 {
		t.Fatalf("they speak %v and %v", old.Version(), young.Version())
	}
	if m := old.Map(); m == nil || m.Name != "testbox" || len(m.File) == 0 {
		t.Fatalf("map %+v", m)
	}
	tn.until(2*time.Second, "logged in", func() bool { _, ok := lastEvent[event.RconAuth](old); return ok })
	heard := func(s *player, is func(e event.Event) bool) func() bool {
		return func() bool {
			for _, e := range s.events {
				if is(e) {
					return true
				}
			}
			return false
		}
	}
	said := func(name, text string) func(e event.Event) bool {
		return func(e event.Event) bool {
			c, ok := e.(event.Chat)
			return ok && c.From.Name == name && c.Text == text
		}
	}
	tn.until(2*time.Second, "seen by the other", heard(old, func(e event.Event) bool {
		j, ok := e.(event.Joined)
		return ok && j.Player.Name == "young" && !j.Known
	}))
	old.Say("hello")
	young.Say("hi")
	tn.until(2*time.Second, "heard", heard(young, said("old", "hello")))
	tn.until(2*time.Second, "heard", heard(old, said("young", "hi")))
	if err := old.Whisper(young.Self(), "psst"); err != nil {
		t.Fatal(err)
	}
	tn.until(2*time.Second, "whispered", heard(young, func(e event.Event) bool {
		c, ok := e.(event.Chat)
		return ok && c.Mode == game.ChatWhisper && c.Text == "psst"
	}))
	old.Emote(3)
	tn.until(2*time.Second, "shown", heard(young, func(e event.Event) bool { x, ok := e.(event.Emoticon); return ok && x.Emoticon == 3 }))
	old.SetTeam(game.TeamSpectators)
	tn.until(5*time.Second, "a spectator", heard(old, func(e event.Event) bool {
		x, ok := e.(event.TeamChange)
		return ok && x.Player.Name == "old" && x.Player.Team == game.TeamSpectators
	}))
	if err := old.Spectate(game.SpectateFlagRed, 0); err != client.ErrVersion {
		t.Errorf("watching a flag: %v", err)
	}
	old.Spectate(game.SpectatePlayer, young.Self())
	tn.until(2*time.Second, "watching", func() (ok bool) {
		old.WithView(func(v *game.View) { ok = v.VitalsOf == young.Self() })
		return ok
	})
	if rows := old.Scoreboard(); len(rows) != 2 {
		t.Errorf("scoreboard %+v", rows)
	}
	young.Close()
	tn.until(2*time.Second, "gone", heard(old, func(e event.Event) bool { x, ok := e.(event.Left); return ok && x.Player.Name == "young" }))
	if st := old.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.UnknownMessages != 0 || st.Snapshots < 20 {
		t.Errorf("%+v", st)
	}
}

// TestPlain: a client without a token gets into the game, whether or not it has to
// prove its address, and whether or not it has the map that it is told of first.
func TestPlain(t *testing.T) {
	for _, setting := range []string{"sv_vanilla_antispoof 0", "sv_vanilla_antispoof 1"} {
		for _, noMap := range []bool{false, true} {
			tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond, Loss: 0.03}, "sv_map testbox", setting)
			s := tn.dial(client.Config{Name: "plain", Version: client.Version06, LegacyHandshake: true, NoMap: noMap, Maps: client.NewMaps("-")})
			tn.until(20*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
			if m := s.Map(); m == nil || m.Name != "testbox" {
				t.Errorf("%s: map %+v", setting, m)
			}
			tn.run(2 * time.Second)
			if st := s.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage != 0 || st.Snapshots < 30 {
				t.Errorf("%s: %+v", setting, st)
			}
		}
	}
}

// TestDownloadByNumber: a map comes in whole over a bad network, chunk by chunk.
func TestDownloadByNumber(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Duplicate: 0.02}, "sv_map teeyard1")
	begin := tn.net.Now()
	s := tn.dial(client.Config{Version: client.Version06, Maps: client.NewMaps("-")})
	tn.until(60*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
	want, _ := maps.Find("teeyard1")
	if m := s.Map(); m == nil || m.Name != "teeyard1" || m.Terrain.Width == 0 {
		t.Fatalf("map %+v", m)
	}
	t.Logf("%d bytes of %d in %v", len(s.Map().File), len(want.Data), time.Duration(tn.net.Now()-begin))
}

// TestAnyVersion: the version is what the server answers to, and the newer if it
// answers to both.
func TestAnyVersion(t *testing.T) {
	mute := func(older bool) func([]byte) bool {
		return func(b []byte) bool { return packet.IsClearly6(b) == older }
	}
	for name, c := range map[string]struct {
		drop func(b []byte) bool // of what the client sends
		want client.Version
	}{
		"both":           {func([]byte) bool { return false }, client.Version07},
		"newer only":     {mute(true), client.Version07},
		"older only":     {func(b []byte) bool { return packet.IsClearly7(b) }, client.Version06},
		"newer is slow":  {slow(3, func(b []byte) bool { return packet.IsClearly7(b) }), client.Version06},
		"older is first": {slow(0, mute(true)), client.Version07},
	} {
		tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond})
		tn.drop = c.drop
		s := tn.dial(client.Config{NoMap: true})
		tn.until(8*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
		if got := s.Version(); got != c.want {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
		// And again, which must not remember the last time.
		tn.drop = mute(true)
		tn.run(2 * time.Second) // else it would be taken for an attack
		s.events = nil
		s.Close()
		tn.run(11 * time.Second)
		tn.connect(s)
		tn.until(8*time.Second, "in the game again", func() bool { return hasEvent[event.Entered](s) })
		if got := s.Version(); got != client.Version07 {
			t.Errorf("%s, again: %v", name, got)
		}
	}
}

// slow drops the first few datagrams of a kind.
func slow(n int, is func(b []byte) bool) func([]byte) bool {
	return func(b []byte) bool {
		if n > 0 && is(b) {
			n--
			return true
		}
		return false
	}
}

// TestVersionSwitchedOff: a server that answers to the newer version only to refuse
// it is spoken to in the older one; what refuses both is believed.
func TestVersionSwitchedOff(t *testing.T) {
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
		s := tn.dial(client.Config{NoMap: true})
		if c.older {
			tn.until(8*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
		} else {
			tn.until(2*time.Second, "refused", func() bool { return hasEvent[event.Disconnected](s) })
			if d, _ := lastEvent[event.Disconnected](s); d.Text != "client: disconnected: not here" {
				t.Errorf("refused with %q", d.Text)
			}
		}
		if got := s.Version(); got != c.want {
			t.Errorf("%v instead of %v", got, c.want)
		}
	}
}
