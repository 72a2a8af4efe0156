package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
)

// TestTalk: two clients find each other, talk, whisper, change and leave.
func TestTalk(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond})
	alice := tn.join(client.Config{Name: "alice", Clan: "A", Country: 276})
	bob := tn.join(client.Config{Name: "bob"})
	tn.until(time.Second, "seen", func() bool { return hasEvent[event.Joined](alice) && len(alice.Scoreboard()) == 2 })
	if p, ok := bob.FindPlayer("alice"); !ok || p.ID != alice.Self() || p.Clan != "A" {
		t.Errorf("bob finds %+v", p)
	}
	if info, ok := bob.PlayerInfo(alice.Self()); !ok || info.Profile.Country != 276 || info.Profile.Skin.PartNames[0] != "standard" {
		t.Errorf("bob knows %+v", info)
	}
	expect := func(who *player, want event.Chat) {
		t.Helper()
		tn.until(time.Second, "heard "+want.Text, func() bool {
			got, ok := lastEvent[event.Chat](who)
			return ok && got.Text == want.Text && got.Mode == want.Mode && got.From.Name == want.From.Name
		})
	}
	alice.Say("hello")
	expect(bob, event.Chat{From: event.Player{Name: "alice"}, Mode: game.ChatAll, Text: "hello"})
	bob.Whisper(alice.Self(), "psst")
	expect(alice, event.Chat{From: event.Player{Name: "bob"}, Mode: game.ChatWhisper, Text: "psst"})

	tn.run(6 * time.Second) // servers take a new skin every five seconds
	bob.SetSkin(game.Skin{PartNames: [game.NumSkinParts]string{"bear"}})
	tn.until(time.Second, "other skin", func() bool {
		e, ok := lastEvent[event.SkinChange](alice)
		info, _ := alice.PlayerInfo(bob.Self())
		return ok && e.Player.Name == "bob" && info.Profile.Skin.PartNames[0] == "bear"
	})
	bob.Emote(7)
	tn.until(time.Second, "emoticon", func() bool {
		e, ok := lastEvent[event.Emoticon](alice)
		return ok && e.Emoticon == 7 && e.Player.Name == "bob"
	})
	tn.run(3 * time.Second)
	bob.Kill()
	tn.until(time.Second, "dead", func() bool {
		e, ok := lastEvent[event.Kill](alice)
		return ok && e.Victim.Name == "bob" && e.Killer.Name == "bob" && e.Weapon == game.WeaponSelf
	})
	bob.SetTeam(game.TeamSpectators)
	tn.until(5*time.Second, "spectators", func() bool {
		e, ok := lastEvent[event.TeamChange](alice)
		return ok && e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators
	})
	bob.Spectate(game.SpectatePlayer, alice.Self())
	tn.until(5*time.Second, "watching", func() bool {
		inside := game.Nobody
		bob.WithView(func(v *game.View) { inside = v.VitalsOf })
		return inside == alice.Self()
	})
	bob.Ping()
	tn.until(time.Second, "pong", func() bool { return bob.Latency() >= 40*time.Millisecond })
	bob.Close()
	tn.until(time.Second, "gone", func() bool { e, ok := lastEvent[event.Left](alice); return ok && e.Player.Name == "bob" })
	if bob.Err() != nil || bob.State() != client.Offline || !hasEvent[event.Disconnected](bob) {
		t.Errorf("bob is %v with error %v", bob.State(), bob.Err())
	}
	if s := alice.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.NoBase != 0 {
		t.Errorf("alice: %+v", s)
	}
}

// TestWrongPassword: the reason for being refused is told.
func TestWrongPassword(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{}, "password secret")
	s := tn.dial(client.Config{Password: "wrong"})
	tn.until(time.Second, "refused", func() bool { return hasEvent[event.Disconnected](s) })
	if err := s.Err(); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(), "Wrong password") {
		t.Errorf("got %v", err)
	}
	tn.join(client.Config{Password: "secret"})
}

// TestReconnect: a client that was kicked comes back if it is to.
func TestReconnect(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond})
	s := tn.join(client.Config{Name: "stubborn", Reconnect: time.Second})
	admin := tn.join(client.Config{Name: "admin", RconPassword: "adminpw"})
	tn.until(time.Second, "rcon", func() bool { return hasEvent[event.RconAuth](admin) })
	s.events = nil
	admin.Rcon("kick 0 out")
	tn.until(time.Second, "kicked", func() bool {
		e, ok := lastEvent[event.Disconnected](s)
		return ok && errors.Is(e.Err, client.ErrClosed) && e.Again == time.Second && strings.Contains(e.Text, "out")
	})
	tn.until(3*time.Second, "back", func() bool { return hasEvent[event.Entered](s) })
}

// TestRcon: commands, their output, and the list of them.
func TestRcon(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond})
	s := tn.join(client.Config{Name: "admin"})
	if err := s.RconLogin("adminpw"); err != nil {
		t.Fatal(err)
	}
	tn.until(time.Second, "rcon", func() bool { e, ok := lastEvent[event.RconAuth](s); return ok && e.On })
	s.Rcon("status")
	tn.until(time.Second, "status", func() bool {
		e, ok := lastEvent[event.RconLine](s)
		return ok && strings.Contains(e.Text, "name='admin'")
	})
	tn.until(5*time.Second, "commands", func() bool {
		return slices.ContainsFunc(s.RconCommands(), func(c bridge.CommandInfo) bool { return c.Name == "shutdown" && c.Params == "?r[reason]" })
	})
	s.Rcon("logout")
	tn.until(time.Second, "out", func() bool { e, ok := lastEvent[event.RconAuth](s); return ok && !e.On })
	if len(s.RconCommands()) != 0 {
		t.Error("the commands stayed")
	}
}

// TestMapCache: a map is downloaded once, and again when the file was spoilt.
func TestMapCache(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond})
	dir := t.TempDir()
	join := func() (s *player, downloads int) {
		s = tn.join(client.Config{Maps: client.NewMaps(dir)})
		for _, e := range s.events {
			if d, ok := e.(event.Download); ok && d.Done == d.Size {
				downloads++
			}
		}
		return s, downloads
	}
	s, n := join()
	m := s.Map()
	if n != 1 || m == nil || len(m.File) == 0 || m.Terrain.Width == 0 {
		t.Fatalf("%d downloads, map %v", n, m)
	}
	first, ok := s.events[0].(event.Download)
	if !ok || first.Done != 0 || first.Size != len(m.File) {
		t.Errorf("the first event is %+v", s.events[0])
	}
	if b, err := os.ReadFile(m.Path); err != nil || len(b) != len(m.File) || filepath.Dir(m.Path) != dir {
		t.Errorf("%d bytes of %d in %s, %v", len(b), len(m.File), m.Path, err)
	}
	if s, n = join(); n != 0 || s.Map() == nil || s.Map().Path != m.Path {
		t.Errorf("%d downloads with the file there", n)
	}
	spoilt := slices.Clone(m.File)
	spoilt[len(spoilt)/2] ^= 1
	if err := os.WriteFile(m.Path, spoilt, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, n = join(); n != 1 {
		t.Errorf("%d downloads with a spoilt file", n)
	}
}

// TestMapChange: the world begins anew, and we are in it.
func TestMapChange(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond}, "sv_map teeyard1")
	s := tn.join(client.Config{Name: "traveller", RconPassword: "adminpw"})
	tn.until(time.Second, "rcon", func() bool { return hasEvent[event.RconAuth](s) })
	s.events = nil
	s.Rcon("sv_map testbox; reload")
	tn.until(5*time.Second, "another map", func() bool { e, ok := lastEvent[event.Entered](s); return ok && e.Map == "testbox" })
	tn.until(5*time.Second, "a tee", func() bool {
		tees := 0
		s.WithView(func(v *game.View) { tees = len(v.Characters) })
		return tees == 1
	})
	if s.Map().Name != "testbox" {
		t.Errorf("the map is %s", s.Map().Name)
	}
}
