//go:build peers

package original

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// checkStats fails the test if a client could not decode a message of the server.
func checkStats(t *testing.T, name string, s client.Stats) {
	t.Helper()
	if s.CRCFailures+s.NoBase+s.BadDelta+s.BadMessage != 0 {
		t.Errorf("%s: %+v", name, s)
	}
}

// waitEvent waits for a matching event of a client.
func waitEvent[E event.Event](t *testing.T, c *client.Client, what string, match func(e E) bool) (e E) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	for ev := range c.Events(ctx) {
		if e, ok := ev.(E); ok && match(e) {
			return e
		}
	}
	t.Fatalf("no %s: %v", what, c.Err())
	return e
}

// clientSettings are the server settings that joinTwo needs.
const clientSettings = "sv_player_slots 16; sv_rcon_password adminpw; sv_motd hello; add_vote \"say it\" \"say voted\"; sv_vote_spectate 1; " +
	"sv_spectator_slots 0"

// joinTwo joins two clients, alice and bob, and exercises the features of every server: chat, the
// remote console, votes and teams. Afterwards alice is logged in to the console. The release is
// DDNet's, or 0 for other clients.
func joinTwo(t *testing.T, s *peers.Server, release int32) (alice, bob *client.Client) {
	t.Helper()
	alice = peers.Dial(t, s, client.Config{Name: "alice", Clan: "yard", Country: 276, DDNetVersion: release})
	waitEvent(t, alice, "message of the day", func(e event.Motd) bool { return e.Text == "hello" })
	bob = peers.Dial(t, s, client.Config{Name: "bob", DDNetVersion: release})
	waitEvent(t, alice, "bob", func(e event.Joined) bool { return e.Player.Name == "bob" && !e.Known })

	alice.Say("good day")
	waitEvent(t, bob, "chat", func(e event.Chat) bool { return e.From.Name == "alice" && e.Text == "good day" })
	if err := bob.Whisper(alice.Self(), "psst"); err != nil {
		t.Errorf("whisper: %v", err)
	}
	waitEvent(t, alice, "whisper", func(e event.Chat) bool {
		// A 0.6 client that is not DDNet's gets a whisper as a line of the server.
		plain := alice.Version() == client.Version06 && release == 0 && e.From.ID == game.Nobody
		return e.Mode == game.ChatWhisper && e.From.Name == "bob" && e.Text == "psst" ||
			plain && strings.Contains(e.Text, "bob") && strings.Contains(e.Text, "psst")
	})
	bob.Emote(3)
	waitEvent(t, alice, "emoticon", func(e event.Emoticon) bool { return e.Emoticon == 3 && e.Player.Name == "bob" })

	if _, err := alice.RconRun(t.Context(), "status"); !errors.Is(err, client.ErrRcon) {
		t.Errorf("a console without login: %v", err)
	}
	alice.RconLogin("wrong")
	waitEvent(t, alice, "refusal", func(e event.RconLine) bool { return strings.HasPrefix(e.Text, "Wrong password") })
	alice.RconLogin("adminpw")
	waitEvent(t, alice, "login", func(e event.RconAuth) bool { return e.On })
	if status := rconRun(t, alice, "status"); !strings.Contains(status, "alice") || !strings.Contains(status, "bob") {
		t.Errorf("status: %q", status)
	}
	if err := bob.VoteOption("say it", "why not"); err != nil {
		t.Error(err)
	}
	waitEvent(t, alice, "vote", func(e event.VoteStart) bool { return e.What == "say it" && e.Reason == "why not" })
	alice.Vote(true)
	waitEvent(t, bob, "end of the vote", func(e event.VoteEnd) bool { return e.Passed })

	alice.Ping()
	peers.Eventually(t, 5*time.Second, "an answer to a ping", func() bool { return alice.Latency() > 0 })
	bob.SetTeam(game.TeamSpectators)
	waitEvent(t, alice, "team", func(e event.TeamChange) bool { return e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators })
	return alice, bob
}

// kickBob has alice kick bob, after joinTwo.
func kickBob(t *testing.T, alice, bob *client.Client) {
	t.Helper()
	checkStats(t, "alice", alice.Stats())
	checkStats(t, "bob", bob.Stats())
	alice.Rcon(fmt.Sprintf("kick %d goodbye", bob.Self()))
	waitEvent(t, bob, "end", func(e event.Disconnected) bool { return strings.Contains(e.Text, "goodbye") })
	waitEvent(t, alice, "end", func(e event.Left) bool { return e.Player.Name == "bob" })
}

// rconRun runs a console command and returns its output.
func rconRun(t *testing.T, c *client.Client, line string) string {
	t.Helper()
	lines, err := c.RconRun(t.Context(), line)
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return strings.Join(lines, "\n")
}

// TestClientOnOriginal exercises our client on teeworlds-server 0.7.5.
func TestClientOnOriginal(t *testing.T) {
	t.Parallel()
	s := peers.StartOriginal(t, clientSettings)
	alice, bob := joinTwo(t, s, 0)
	m := alice.Map()
	if m == nil || m.Name != "dm1" || filepath.Dir(m.Path) == "." || m.Terrain.Width == 0 {
		t.Fatalf("the map is %+v", m)
	}
	peers.Eventually(t, 10*time.Second, "all commands and maps", func() bool {
		has := func(name string) bool {
			return slices.ContainsFunc(alice.RconCommands(), func(c bridge.CommandInfo) bool { return c.Name == name })
		}
		return has("add_vote") && has("tune") && has("sv_warmup") && slices.Contains(alice.MapList(), "ctf1")
	})
	if got := alice.VoteOptions(); !slices.Equal(got, []string{"say it"}) {
		t.Errorf("vote options %q", got)
	}

	// Visit every map in the mode it was made for. The server does not reload a map when only the
	// mode changes, so the map changes at every step.
	files, err := filepath.Glob(filepath.Join(peers.OriginalMaps, "*.map"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no maps: %v", err)
	}
	for _, mode := range []struct {
		name, maps string
		flags      game.GameFlags
	}{
		{"ctf", "ctf", game.GameFlagTeams | game.GameFlagFlags}, {"dm", "dm", 0}, {"lms", "lms", game.GameFlagSurvival},
		{"tdm", "dm", game.GameFlagTeams}, {"lts", "lms", game.GameFlagTeams | game.GameFlagSurvival},
	} {
		visited := 0
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".map")
			if strings.TrimRight(name, "0123456789") != mode.maps || name == "ctf8" {
				continue // the original rejects Debian's ctf8 as an invalid standard map
			}
			visited++
			alice.Rcon(fmt.Sprintf("sv_gametype %s; sv_map %s", mode.name, name))
			waitEvent(t, alice, name, func(e event.Entered) bool { return e.Map == name })
			peers.Eventually(t, 10*time.Second, "the flags of "+mode.name, func() (ok bool) {
				alice.WithView(func(v *game.View) { ok = v.Game.Flags == mode.flags })
				return ok
			})
		}
		if visited == 0 {
			t.Errorf("no map for %s", mode.name)
		}
	}

	rconRun(t, alice, "password secret")
	cfg := client.Config{Name: "mallory", Maps: client.NewMaps(t.TempDir())}
	if _, err := client.Dial(t.Context(), s.Addr.String(), cfg); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(), "Wrong password") {
		t.Errorf("without the password: %v", err)
	}
	peers.Dial(t, s, client.Config{Name: "carol", Password: "secret"})
	kickBob(t, alice, bob)
}

// TestClientDownloadsFromOriginal checks the progress that our client reports while it joins.
func TestClientDownloadsFromOriginal(t *testing.T) {
	t.Parallel()
	c := peers.Dial(t, peers.StartOriginal(t, ""), client.Config{Name: "alice"})
	if e := waitEvent(t, c, "download", func(e event.Download) bool { return e.Done == e.Size }); e.Size != len(c.Map().File) {
		t.Errorf("downloaded %d of %d bytes", e.Size, len(c.Map().File))
	}
	waitEvent(t, c, "server info", func(e event.ServerInfo) bool { return e.Map == "dm1" && e.GameType == "DM" })
}

// Test06ClientOnDDNet exercises our client on DDNet-Server 16.4 over 0.6, as a DDNet client and as
// another one.
func Test06ClientOnDDNet(t *testing.T) {
	t.Parallel()
	s := peers.StartDDNet06(t, clientSettings+"; sv_vote_delay 0; sv_join_vote_delay 0; sv_chat_initial_delay 0")
	file, err := os.ReadFile(filepath.Join(peers.DDNetMaps, "dm1.map"))
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []int32{0, peers.DDNetRelease} {
		t.Run(fmt.Sprint(release), func(t *testing.T) {
			alice, bob := joinTwo(t, s, release)
			if alice.Version() != client.Version06 {
				t.Errorf("the client detected %v", alice.Version())
			}
			if m := alice.Map(); m == nil || m.Name != "dm1" || m.SHA256 != sha256.Sum256(file) {
				t.Fatalf("map %v", m)
			}
			if status := rconRun(t, alice, "status"); !strings.Contains(status, "secure=yes") {
				t.Errorf("status: %q", status)
			}
			peers.Eventually(t, 10*time.Second, "commands", func() bool {
				return slices.ContainsFunc(alice.RconCommands(), func(c bridge.CommandInfo) bool { return c.Help != "" })
			})
			alice.ChatCommand("rules", "")
			waitEvent(t, alice, "rules", func(e event.Chat) bool { return e.From.ID == game.Nobody && strings.Contains(e.Text, "Be nice") })

			// alice walks, and bob sees it.
			self := alice.Self()
			bob.Spectate(game.SpectatePlayer, self)
			peers.Eventually(t, 10*time.Second, "bob follows alice", func() (ok bool) {
				bob.WithView(func(v *game.View) { ok = v.VitalsOf == self })
				return ok
			})
			position := func() (x float32, ok bool) {
				bob.WithView(func(v *game.View) {
					for i := range v.Characters {
						if v.Characters[i].Player == self {
							x, ok = v.Characters[i].Pos.X, true
						}
					}
				})
				return x, ok
			}
			from := float32(0)
			peers.Eventually(t, 10*time.Second, "bob sees alice", func() (ok bool) { from, ok = position(); return ok })
			for _, direction := range []int32{1, -1} { // one direction may be blocked by a wall
				alice.SetInput(game.Input{Direction: direction, TargetX: 1})
				peers.Within(2*time.Second, func() bool { x, ok := position(); return ok && max(x-from, from-x) > 60 })
			}
			if x, ok := position(); !ok || x == from {
				t.Errorf("seen at %v, then %v (%v)", from, x, ok)
			}
			if rows := alice.Scoreboard(); len(rows) != 2 {
				t.Errorf("scoreboard %+v", rows)
			}
			kickBob(t, alice, bob)
		})
	}
}

// Test06ClientWithoutTokens joins DDNet-Server in the way of 0.6 clients from before tokens.
func Test06ClientWithoutTokens(t *testing.T) {
	t.Parallel()
	s := peers.StartDDNet06(t, "sv_rcon_password adminpw")
	for legacy, want := range map[bool]string{false: "secure=yes", true: "secure=no"} {
		c := peers.Dial(t, s, client.Config{Name: "plain", Version: client.Version06, LegacyHandshake: legacy})
		c.RconLogin("adminpw")
		waitEvent(t, c, "login", func(e event.RconAuth) bool { return e.On })
		if status := rconRun(t, c, "status"); !strings.Contains(status, want) {
			t.Errorf("status: %q, want %s", status, want)
		}
		checkStats(t, "plain", c.Stats())
		c.Close()
	}
}

// TestBots runs 16 of our bots on each server, over 0.7 and over 0.6. Half of the 0.6 clients are
// DDNet's.
func TestBots(t *testing.T) {
	t.Parallel()
	t.Run("teeworlds-server", func(t *testing.T) {
		t.Parallel()
		if kills := playBots(t, peers.StartOriginal(t, "sv_player_slots 16"), client.Version07); kills == 0 {
			t.Error("no player was killed")
		}
	})
	t.Run("DDNet-Server", func(t *testing.T) { // the mode there does not allow kills
		t.Parallel()
		playBots(t, peers.StartDDNet06(t, ""), client.Version06)
	})
}

// playBots lets bots play for 20 s, or for a minute with TEEYARD_FULL=1.
func playBots(t *testing.T, s *peers.Server, version client.Version) (kills int) {
	seconds := 20
	if testenv.Full() {
		seconds = 60
	}
	const numBots = 16
	maps := client.NewMaps(t.TempDir())
	var mu sync.Mutex // guards the variables below
	var nav *bot.NavGraph
	players := 0
	newBot := func(c *client.Client, seed int) *bot.Bot {
		mu.Lock()
		defer mu.Unlock()
		if nav == nil {
			nav, _ = bot.NewNavGraph(c.Map().Terrain, nil)
		}
		b, _ := bot.New(bot.Config{Nav: nav, Seed: uint64(seed)})
		return b
	}
	swarm := peers.Join(t, s, load.Config{Clients: numBots, Versions: []client.Version{version}, Configure: func(i int, cfg *client.Config) {
		cfg.Maps, cfg.NoMap = maps, false
		if i%2 == 0 {
			cfg.DDNetVersion = 0
		}
		cfg.OnEvent = func(_ *client.Client, e event.Event) {
			if k, ok := e.(event.Kill); ok && i == 0 && k.Killer.ID != k.Victim.ID {
				mu.Lock()
				defer mu.Unlock()
				kills++
			}
		}
		var b *bot.Bot
		cfg.Play = func(c *client.Client, v *game.View) game.Input {
			if b == nil {
				b = newBot(c, i)
			}
			mu.Lock()
			players = max(players, len(v.Players))
			mu.Unlock()
			return b.NextInput(v)
		}
	}})
	defer swarm.Stop()
	time.Sleep(time.Duration(seconds) * time.Second)
	for i, st := range swarm.Stats() {
		checkStats(t, fmt.Sprint("bot ", i), st.Stats)
		if st.Err != nil || st.Version != version || version == client.Version06 && st.UnknownMessages != 0 || st.Snapshots < 10*seconds {
			t.Errorf("bot %d: %+v", i, st)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if players != numBots {
		t.Errorf("%d players", players)
	}
	return kills
}

// TestClientOnDDNet joins 0.7 clients to DDNet-Server 16.4, which orders snapshot items differently
// and adds its own.
func TestClientOnDDNet(t *testing.T) {
	t.Parallel()
	s := peers.StartDDNet(t, "sv_spectator_slots 0")
	defer peers.Join(t, s, load.Config{Clients: 4}).Stop()
	c := peers.Dial(t, s, client.Config{Name: "alice"})
	d := peers.Dial(t, s, client.Config{Name: "bob"})
	c.Say("hello")
	waitEvent(t, d, "chat", func(e event.Chat) bool { return e.Text == "hello" && e.From.Name == "alice" })
	peers.Eventually(t, 10*time.Second, "many snapshots with all players", func() bool {
		characters := 0
		c.WithView(func(v *game.View) { characters = len(v.Characters) })
		return c.Stats().Snapshots >= 100 && characters > 0 && len(c.Scoreboard()) == 6
	})
	checkStats(t, "alice", c.Stats())
	if c.Version() != client.Version06 || c.Err() != nil {
		t.Errorf("version %v, %v", c.Version(), c.Err())
	}
}
