package client_test

import (
	"bytes"
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
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// TestPlayersMeet checks that two clients of any two versions see each other, chat, whisper, change
// teams and leave.
func TestPlayersMeet(t *testing.T) {
	v7, v6 := client.Version07, client.Version06
	for _, versions := range [][2]client.Version{{v7, v7}, {v7, v6}, {v6, v7}, {v6, v6}} {
		t.Run(fmt.Sprint(versions), func(t *testing.T) { testPlayersMeet(t, versions[0], versions[1]) })
	}
}

func testPlayersMeet(t *testing.T, versionA, versionB client.Version) {
	tn := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond, Jitter: 3 * time.Millisecond}, server.Config{}, "sv_map testbox")
	alice := tn.JoinAs(client.Config{Name: "alice", Clan: "A", Country: 276, Version: versionA})
	bob := tn.JoinAs(client.Config{Name: "bob", Version: versionB})
	if m := bob.Map(); bob.Version() != versionB || m == nil || m.Name != "testbox" || len(m.File) == 0 {
		t.Fatalf("bob speaks %v on map %+v", bob.Version(), m)
	}
	const limit = 2 * time.Second
	servertest.WaitFor(alice, limit, func(e event.Joined) bool { return e.Player.Name == "bob" && !e.Known })
	if rows := alice.Scoreboard(); len(rows) != 2 {
		t.Errorf("alice's scoreboard is %+v", rows)
	}
	if p, ok := bob.FindPlayer("alice"); !ok || p.ID != alice.Self() || p.Clan != "A" {
		t.Errorf("bob finds %+v", p)
	}
	if info, ok := bob.PlayerInfo(alice.Self()); !ok || info.Profile.Country != 276 ||
		versionB == client.Version07 && info.Profile.Skin.PartNames[0] != "standard" {
		t.Errorf("bob knows %+v", info)
	}
	hears := func(p *servertest.Player, mode game.ChatMode, from, text string) {
		t.Helper()
		servertest.WaitFor(p, limit, func(e event.Chat) bool { return e.Mode == mode && e.From.Name == from && e.Text == text })
	}
	alice.Say("hello")
	hears(bob, game.ChatAll, "alice", "hello")
	testenv.NoError(t, bob.Whisper(alice.Self(), "psst"))
	if versionA == client.Version07 { // 0.6 has no whispers of its own
		hears(alice, game.ChatWhisper, "bob", "psst")
	}

	if versionA == client.Version07 && versionB == client.Version07 { // 0.6 has other skins
		tn.Wait(6 * time.Second) // servers accept a new skin every five seconds
		bob.SetSkin(game.Skin{PartNames: [game.NumSkinParts]string{"bear"}})
		servertest.WaitFor(alice, limit, func(e event.SkinChange) bool { return e.Player.Name == "bob" })
		if info, _ := alice.PlayerInfo(bob.Self()); info.Profile.Skin.PartNames[0] != "bear" {
			t.Errorf("bob's skin is %+v", info.Profile.Skin)
		}
	}
	bob.Emote(7)
	servertest.WaitFor(alice, limit, func(e event.Emoticon) bool { return e.Emoticon == 7 && e.Player.Name == "bob" })
	tn.Wait(3 * time.Second)
	bob.Kill()
	servertest.WaitFor(alice, limit, func(e event.Kill) bool {
		return e.Victim.Name == "bob" && e.Killer.Name == "bob" && e.Weapon == game.WeaponSelf
	})
	bob.SetTeam(game.TeamSpectators)
	for _, p := range []*servertest.Player{alice, bob} {
		servertest.WaitFor(p, 5*time.Second, func(e event.TeamChange) bool {
			return e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators
		})
	}
	if err := bob.Spectate(game.SpectateFlagRed, 0); versionB == client.Version06 && err != client.ErrVersion {
		t.Errorf("spectating a flag: %v", err)
	}
	bob.Spectate(game.SpectatePlayer, alice.Self())
	tn.WaitUntil(5*time.Second, "spectating alice", func() (ok bool) {
		bob.WithView(func(v *game.View) { ok = v.VitalsOf == alice.Self() })
		return ok
	})
	bob.Ping()
	tn.WaitUntil(limit, "measuring the latency", func() bool { return bob.Latency() >= 40*time.Millisecond })
	bob.Close()
	servertest.WaitFor(alice, limit, func(e event.Left) bool { return e.Player.Name == "bob" })
	if bob.Err() != nil || bob.State() != client.Offline || !hasEvent[event.Disconnected](bob) {
		t.Errorf("bob is %v with error %v", bob.State(), bob.Err())
	}
	for _, p := range []*servertest.Player{alice, bob} {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.NoBase+s.UnknownMessages != 0 || s.Snapshots < 20 {
			t.Errorf("%+v", s)
		}
	}
}

func TestWrongPasswordIsReported(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{}, server.Config{}, "password secret")
	p := tn.Dial(client.Config{Password: "wrong"})
	servertest.WaitFor(p, time.Second, func(event.Disconnected) bool { return true })
	if err := p.Err(); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(), "Wrong password") {
		t.Errorf("got %v", err)
	}
	tn.JoinAs(client.Config{Password: "secret"})
}

// TestReconnectAfterKick checks that a client reconnects if its configuration says so.
func TestReconnectAfterKick(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 5 * time.Millisecond}, server.Config{})
	p := tn.JoinAs(client.Config{Reconnect: time.Second})
	p.Events = nil
	tn.Execute("kick 0 out")
	servertest.WaitFor(p, time.Second, func(e event.Disconnected) bool {
		return errors.Is(e.Err, client.ErrClosed) && e.Again == time.Second && strings.Contains(e.Text, "out")
	})
	servertest.WaitFor(p, 3*time.Second, func(event.Entered) bool { return true })
}

func TestRcon(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 5 * time.Millisecond}, server.Config{})
	p := tn.JoinAs(client.Config{Name: "admin"})
	testenv.NoError(t, p.RconLogin("adminpw"))
	servertest.WaitFor(p, time.Second, func(e event.RconAuth) bool { return e.On })
	p.Rcon("status")
	servertest.WaitFor(p, time.Second, func(e event.RconLine) bool { return strings.Contains(e.Text, "name='admin'") })
	tn.WaitUntil(5*time.Second, "told of the commands", func() bool {
		return slices.ContainsFunc(p.RconCommands(), func(c bridge.CommandInfo) bool { return c.Name == "shutdown" && c.Params == "?r[reason]" })
	})
	p.Rcon("logout")
	servertest.WaitFor(p, time.Second, func(e event.RconAuth) bool { return !e.On })
	if len(p.RconCommands()) != 0 {
		t.Error("the commands stayed")
	}
}

// TestMapIsDownloadedOnce checks that a map is downloaded again only if its file is damaged.
func TestMapIsDownloadedOnce(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 5 * time.Millisecond}, server.Config{})
	dir := t.TempDir()
	join := func() (s *servertest.Player, downloads int) {
		s = tn.JoinAs(client.Config{Maps: client.NewMaps(dir)})
		for _, e := range s.Events {
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
	announced, ok := s.Events[0].(event.MapAnnounced)
	if !ok || announced.Size != len(m.File) {
		t.Errorf("the first event is %+v", s.Events[0])
	}
	first, ok := s.Events[1].(event.Download)
	if !ok || first.Done != 0 || first.Size != len(m.File) {
		t.Errorf("the second event is %+v", s.Events[1])
	}
	if b, err := os.ReadFile(m.Path); err != nil || len(b) != len(m.File) || filepath.Dir(m.Path) != dir {
		t.Errorf("%d bytes of %d in %s, %v", len(b), len(m.File), m.Path, err)
	}
	if s, n = join(); n != 0 || s.Map() == nil || s.Map().Path != m.Path {
		t.Errorf("%d downloads with the file there", n)
	}
	damaged := slices.Clone(m.File)
	damaged[len(damaged)/2] ^= 1
	testenv.NoError(t, os.WriteFile(m.Path, damaged, 0o644))
	if _, n = join(); n != 1 {
		t.Errorf("%d downloads with a damaged file", n)
	}
}

// TestMapChange checks that the client follows the server to another map.
func TestMapChange(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 5 * time.Millisecond}, server.Config{}, "sv_map teeyard1")
	p := tn.JoinAs(client.Config{})
	p.Events = nil
	tn.Execute("sv_map testbox")
	servertest.WaitFor(p, 5*time.Second, func(e event.Entered) bool { return e.Map == "testbox" })
	tn.WaitUntil(5*time.Second, "a tee", func() (ok bool) {
		p.WithView(func(v *game.View) { ok = len(v.Characters) == 1 })
		return ok
	})
	if p.Map().Name != "testbox" {
		t.Errorf("the map is %s", p.Map().Name)
	}
}

// TestLegacyHandshake checks that a client without a token joins the game and loads the first
// announced map, whether or not it has to prove its address.
func TestLegacyHandshake(t *testing.T) {
	for _, setting := range []string{"sv_vanilla_antispoof 0", "sv_vanilla_antispoof 1"} {
		for _, noMap := range []bool{false, true} {
			tn := servertest.Over(
				t,
				servertest.Link{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.03, Duplicate: 0.02},
				server.Config{},
				"sv_map teeyard1",
				setting,
			)
			p := tn.Dial(client.Config{Name: "plain", Version: client.Version06, LegacyHandshake: true, NoMap: noMap, Maps: client.NewMaps("-")})
			servertest.WaitFor(p, 20*time.Second, func(event.Entered) bool { return true })
			if m := p.Map(); m == nil || m.Name != "teeyard1" {
				t.Errorf("%s: map %+v", setting, m)
			}
			tn.Wait(2 * time.Second)
			if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage != 0 || st.Snapshots < 30 {
				t.Errorf("%s: %+v", setting, st)
			}
		}
	}
}

// TestVersionIsDetected checks that a client speaks the version in which the server answers, and
// 0.7 if it answers in both.
func TestVersionIsDetected(t *testing.T) {
	dropAllOf := func(older bool) func([]byte) bool {
		return func(b []byte) bool { return packet.IsClearly6(b) == older }
	}
	for name, c := range map[string]struct {
		drop func(b []byte) bool // drops datagrams of the client
		want client.Version
	}{
		"both":           {func([]byte) bool { return false }, client.Version07},
		"newer only":     {dropAllOf(true), client.Version07},
		"older only":     {func(b []byte) bool { return packet.IsClearly7(b) }, client.Version06},
		"newer is slow":  {dropFirst(3, func(b []byte) bool { return packet.IsClearly7(b) }), client.Version06},
		"older is first": {dropFirst(0, dropAllOf(true)), client.Version07},
	} {
		tn := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond}, server.Config{})
		tn.Lose = c.drop
		p := tn.Dial(client.Config{NoMap: true})
		servertest.WaitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		if got := p.Version(); got != c.want {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
		// The next connection detects the version again.
		tn.Lose = dropAllOf(true)
		tn.Wait(2 * time.Second) // leaving earlier gets the address banned
		p.Events = nil
		p.Close()
		tn.Wait(11 * time.Second)
		testenv.NoError(t, p.Connect(tn.Now()))
		servertest.WaitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		if got := p.Version(); got != client.Version07 {
			t.Errorf("%s, again: %v", name, got)
		}
	}
}

// TestVersionForDDNet checks that a client that may speak any version speaks 0.6 where the game
// type is DDNet's and 0.6 is answered, in whatever order the answers arrive.
func TestVersionForDDNet(t *testing.T) {
	isInfo := func(b []byte) bool { _, ok := query.ParseRequest6(b); return ok }
	for name, c := range map[string]struct {
		mode, version string
		drop          func(b []byte) bool // drops datagrams of the client
		want          client.Version
	}{
		"all answers":   {"ddracenetwork", "0.6.4, 16.4", func([]byte) bool { return false }, client.Version06},
		"names 0.7":     {"ddracenetwork", "0.6↔0.7.5", func([]byte) bool { return false }, client.Version07},
		"other mode":    {"ctf", "0.6.4, 16.4", func([]byte) bool { return false }, client.Version07},
		"no info":       {"ddracenetwork", "0.6.4, 16.4", isInfo, client.Version07},
		"older is late": {"ddracenetwork", "0.6.4, 16.4", dropFirst(1, packet.IsClearly6), client.Version06},
		"no older":      {"ddracenetwork", "0.6.4, 16.4", packet.IsClearly6, client.Version07},
		"no newer":      {"ddracenetwork", "0.6.4, 16.4", packet.IsClearly7, client.Version06},
	} {
		for _, jitter := range []time.Duration{0, 30 * time.Millisecond} {
			tn := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond, Jitter: jitter}, server.Config{
				Modes: append(builtin.Modes(), mode.Named{Name: "ddracenetwork", New: ddrace.New}),
			}, "sv_gametype "+c.mode)
			tn.Lose = c.drop
			deliver := tn.Deliver
			tn.Deliver = func(to transport.Peer, b []byte) { // as DDNet's server
				deliver(to, bytes.ReplaceAll(b, []byte("0.6↔0.7.5"), []byte(c.version)))
			}
			p := tn.Dial(client.Config{NoMap: true})
			servertest.WaitFor(p, 8*time.Second, func(event.Entered) bool { return true })
			if got := p.Version(); got != c.want {
				t.Errorf("%s, jitter %v: %v instead of %v", name, jitter, got, c.want)
			}
		}
	}
}

// dropFirst returns a function that drops the first n datagrams that match.
func dropFirst(n int, is func(b []byte) bool) func([]byte) bool {
	return func(b []byte) bool {
		if n > 0 && is(b) {
			n--
			return true
		}
		return false
	}
}

// TestServerRefusesAVersion checks that a client tries 0.6 on a server that rejects 0.7, and
// reports the rejection if the server does not answer in 0.6.
func TestServerRefusesAVersion(t *testing.T) {
	for _, c := range []struct {
		older bool
		want  client.Version
	}{{true, client.Version06}, {false, client.Version07}} {
		tn := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond}, server.Config{})
		var p *servertest.Player
		tn.Lose = func(b []byte) bool {
			if packet.IsClearly7(b) && len(b) >= packet.HeaderSize+5 && b[packet.HeaderSize] == byte(packet.ControlConnect) {
				closing := append([]byte{b[0], 0, 0}, b[packet.HeaderSize+1:packet.HeaderSize+5]...)
				tn.Net.Send(servertest.Addr, p.Peer, append(append(closing, byte(packet.ControlClose)), "not here\x00"...))
				return true
			}
			return !c.older && packet.IsClearly6(b)
		}
		p = tn.Dial(client.Config{NoMap: true})
		if c.older {
			servertest.WaitFor(p, 8*time.Second, func(event.Entered) bool { return true })
		} else {
			tn.WaitUntil(2*time.Second, "refused", func() bool { return hasEvent[event.Disconnected](p) })
			if d, _ := servertest.LastEvent[event.Disconnected](p); d.Text != "client: disconnected: not here" {
				t.Errorf("refused with %q", d.Text)
			}
		}
		if got := p.Version(); got != c.want {
			t.Errorf("%v instead of %v", got, c.want)
		}
	}
}

// TestNoAnswer checks that an address without a server and a closed connection have different
// errors.
func TestNoAnswer(t *testing.T) {
	for _, v := range []client.Version{client.AnyVersion, client.Version07, client.Version06} {
		c := testenv.Must(client.New(client.Config{Send: func([]byte) {}, NoMap: true, Version: v}))
		now := conn.Time(time.Hour)
		testenv.NoError(t, c.Connect(now))
		for end := now.Add(20 * time.Second); now < end && c.Err() == nil; now = now.Add(100 * time.Millisecond) {
			c.Step(now)
		}
		if err := c.Err(); !errors.Is(err, client.ErrNoAnswer) || !errors.Is(err, client.ErrClosed) {
			t.Errorf("%q: %v", v, err)
		}
	}
	hs := newHostileServer(t, client.Config{NoMap: true})
	hs.letIn()
	hs.conn.Close(hs.now, conn.ReasonUnreachable)
	hs.exchange()
	if err := hs.client.Err(); !errors.Is(err, client.ErrClosed) || errors.Is(err, client.ErrNoAnswer) {
		t.Errorf("a server that says so itself: %v", err)
	}
}

// TestConsoleOnly checks that an operator runs commands without other players seeing a player join,
// also after a map change, and that the client can join later.
func TestConsoleOnly(t *testing.T) {
	for _, version := range []client.Version{client.Version07, client.Version06, client.AnyVersion} {
		t.Run(string(version), func(t *testing.T) {
			tn := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond}, server.Config{}, "sv_map testbox")
			alice := tn.JoinAs(client.Config{Name: "alice"})
			alice.Events = nil
			boss := tn.Dial(client.Config{Name: "boss", Version: version, RconPassword: "adminpw", ConsoleOnly: true})
			const limit = 2 * time.Second
			servertest.WaitFor(boss, limit, func(e event.RconAuth) bool { return e.On })
			run := func(line, answer string) {
				t.Helper()
				testenv.NoError(t, boss.Rcon(line))
				servertest.WaitFor(boss, limit, func(e event.RconLine) bool { return strings.HasSuffix(e.Text, "][Console]: "+answer) })
			}
			run("echo one; sv_map teeyard1", "one")
			tn.Wait(10 * time.Second)
			run("echo two", "two")
			for _, e := range alice.Events {
				joined, isJoined := e.(event.Joined)
				switch e.(type) {
				case event.Joined, event.Left, event.Chat:
					if !isJoined || joined.Player.Name != "alice" {
						t.Errorf("alice is told %T %+v", e, e)
					}
				}
			}
			if got := len(alice.Scoreboard()); got != 1 {
				t.Errorf("alice sees %d players", got)
			}
			if _, entered := servertest.LastEvent[event.Entered](boss); entered || boss.State() != client.Loading {
				t.Errorf("the operator is in state %v", boss.State())
			}
			testenv.NoError(t, boss.Join())
			servertest.WaitFor(boss, limit, func(event.Entered) bool { return true })
			servertest.WaitFor(alice, limit, func(e event.Joined) bool { return e.Player.Name == "boss" && !e.Known })
			run("echo three", "three")
		})
	}
}

// TestForcedVote checks that a forced vote passes at once and that its end names no caller.
func TestForcedVote(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 5 * time.Millisecond}, server.Config{}, "add_vote more sv_scorelimit 5")
	tn.JoinAs(client.Config{Name: "other"})
	p := tn.JoinAs(client.Config{Name: "boss", RconPassword: "adminpw"})
	servertest.WaitFor(p, time.Second, func(e event.RconAuth) bool { return e.On && e.Commands })
	p.Events = nil
	testenv.NoError(t, p.CallVote(client.VoteCall{Kind: event.VoteOption, Option: "more", Reason: "now", Force: true}))
	servertest.WaitFor(p, time.Second, func(e event.GameInfo) bool { return e.ScoreLimit == 5 })
	if hasEvent[event.VoteStart](p) {
		t.Errorf("others are asked: %+v", p.Events)
	}
}
