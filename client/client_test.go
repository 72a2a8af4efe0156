package client_test

import (
	"errors"
	"fmt"
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

// TestPlayersMeet checks that two clients of any versions find each other, talk, whisper,
// change and leave.
func TestPlayersMeet(t *testing.T) {
	v7, v6 := client.Version07, client.Version06
	for _, versions := range [][2]client.Version{{v7, v7}, {v7, v6}, {v6, v7}, {v6, v6}} {
		t.Run(fmt.Sprint(versions), func(t *testing.T) { testPlayersMeet(t, versions[0], versions[1]) })
	}
}

func testPlayersMeet(t *testing.T, versionA, versionB client.Version) {
	tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond, Jitter: 3 * time.Millisecond}, "sv_map testbox")
	alice := tn.join(client.Config{Name: "alice", Clan: "A", Country: 276, Version: versionA})
	bob := tn.join(client.Config{Name: "bob", Version: versionB})
	if m := bob.Map(); bob.Version() != versionB || m == nil || m.Name != "testbox" || len(m.File) == 0 {
		t.Fatalf("bob speaks %v on map %+v", bob.Version(), m)
	}
	const limit = 2 * time.Second
	waitFor(alice, limit, func(e event.Joined) bool { return e.Player.Name == "bob" && !e.Known })
	if rows := alice.Scoreboard(); len(rows) != 2 {
		t.Errorf("alice's scoreboard is %+v", rows)
	}
	if p, ok := bob.FindPlayer("alice"); !ok || p.ID != alice.Self() || p.Clan != "A" {
		t.Errorf("bob finds %+v", p)
	}
	if info, ok := bob.PlayerInfo(alice.Self()); !ok || info.Profile.Country != 276 || versionB == client.Version07 && info.Profile.Skin.PartNames[0] != "standard" {
		t.Errorf("bob knows %+v", info)
	}
	hears := func(p *player, mode game.ChatMode, from, text string) {
		t.Helper()
		waitFor(p, limit, func(e event.Chat) bool { return e.Mode == mode && e.From.Name == from && e.Text == text })
	}
	alice.Say("hello")
	hears(bob, game.ChatAll, "alice", "hello")
	if err := bob.Whisper(alice.Self(), "psst"); err != nil {
		t.Fatal(err)
	}
	if versionA == client.Version07 { // 0.6 has no whispers of its own
		hears(alice, game.ChatWhisper, "bob", "psst")
	}

	if versionA == client.Version07 && versionB == client.Version07 { // 0.6 has other skins
		tn.run(6 * time.Second) // servers take a new skin every five seconds
		bob.SetSkin(game.Skin{PartNames: [game.NumSkinParts]string{"bear"}})
		waitFor(alice, limit, func(e event.SkinChange) bool { return e.Player.Name == "bob" })
		if info, _ := alice.PlayerInfo(bob.Self()); info.Profile.Skin.PartNames[0] != "bear" {
			t.Errorf("bob's skin is %+v", info.Profile.Skin)
		}
	}
	bob.Emote(7)
	waitFor(alice, limit, func(e event.Emoticon) bool { return e.Emoticon == 7 && e.Player.Name == "bob" })
	tn.run(3 * time.Second)
	bob.Kill()
	waitFor(alice, limit, func(e event.Kill) bool {
		return e.Victim.Name == "bob" && e.Killer.Name == "bob" && e.Weapon == game.WeaponSelf
	})
	bob.SetTeam(game.TeamSpectators)
	for _, p := range []*player{alice, bob} {
		waitFor(p, 5*time.Second, func(e event.TeamChange) bool {
			return e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators
		})
	}
	if err := bob.Spectate(game.SpectateFlagRed, 0); versionB == client.Version06 && err != client.ErrVersion {
		t.Errorf("spectating a flag: %v", err)
	}
	bob.Spectate(game.SpectatePlayer, alice.Self())
	tn.until(5*time.Second, "spectating alice", func() (ok bool) {
		bob.WithView(func(v *game.View) { ok = v.VitalsOf == alice.Self() })
		return ok
	})
	bob.Ping()
	tn.until(limit, "measuring the latency", func() bool { return bob.Latency() >= 40*time.Millisecond })
	bob.Close()
	waitFor(alice, limit, func(e event.Left) bool { return e.Player.Name == "bob" })
	if bob.Err() != nil || bob.State() != client.Offline || !hasEvent[event.Disconnected](bob) {
		t.Errorf("bob is %v with error %v", bob.State(), bob.Err())
	}
	for _, p := range []*player{alice, bob} {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.NoBase+s.UnknownMessages != 0 || s.Snapshots < 20 {
			t.Errorf("%+v", s)
		}
	}
}

func TestWrongPasswordIsReported(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{}, "password secret")
	p := tn.dial(client.Config{Password: "wrong"})
	waitFor(p, time.Second, func(event.Disconnected) bool { return true })
	if err := p.Err(); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(), "Wrong password") {
		t.Errorf("got %v", err)
	}
	tn.join(client.Config{Password: "secret"})
}

// TestReconnectAfterKick checks that a client connects again if its configuration says so.
func TestReconnectAfterKick(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond})
	p := tn.join(client.Config{Reconnect: time.Second})
	p.events = nil
	tn.srv.Execute("kick 0 out")
	waitFor(p, time.Second, func(e event.Disconnected) bool {
		return errors.Is(e.Err, client.ErrClosed) && e.Again == time.Second && strings.Contains(e.Text, "out")
	})
	waitFor(p, 3*time.Second, func(event.Entered) bool { return true })
}

func TestRcon(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond})
	p := tn.join(client.Config{Name: "admin"})
	if err := p.RconLogin("adminpw"); err != nil {
		t.Fatal(err)
	}
	waitFor(p, time.Second, func(e event.RconAuth) bool { return e.On })
	p.Rcon("status")
	waitFor(p, time.Second, func(e event.RconLine) bool { return strings.Contains(e.Text, "name='admin'") })
	tn.until(5*time.Second, "told of the commands", func() bool {
		return slices.ContainsFunc(p.RconCommands(), func(c bridge.CommandInfo) bool { return c.Name == "shutdown" && c.Params == "?r[reason]" })
	})
	p.Rcon("logout")
	waitFor(p, time.Second, func(e event.RconAuth) bool { return !e.On })
	if len(p.RconCommands()) != 0 {
		t.Error("the commands stayed")
	}
}

// TestMapIsDownloadedOnce checks that a map is downloaded again only when its file was
// damaged.
func TestMapIsDownloadedOnce(t *testing.T) {
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
	damaged := slices.Clone(m.File)
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(m.Path, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, n = join(); n != 1 {
		t.Errorf("%d downloads with a damaged file", n)
	}
}

// TestMapChange checks that the client follows the server to another map.
func TestMapChange(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond}, "sv_map teeyard1")
	p := tn.join(client.Config{})
	p.events = nil
	tn.srv.Execute("sv_map testbox")
	waitFor(p, 5*time.Second, func(e event.Entered) bool { return e.Map == "testbox" })
	tn.until(5*time.Second, "a tee", func() (ok bool) {
		p.WithView(func(v *game.View) { ok = len(v.Characters) == 1 })
		return ok
	})
	if p.Map().Name != "testbox" {
		t.Errorf("the map is %s", p.Map().Name)
	}
}
