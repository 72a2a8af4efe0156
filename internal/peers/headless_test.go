package peers

import (
	"context"
	"errors"
	"fmt"
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
)

// clean fails the test if anything a server sent was not understood.
func clean(t *testing.T, who string, s client.Stats) {
	t.Helper()
	if s.CRCFailures+s.NoBase+s.BadDelta+s.BadMessage != 0 {
		t.Errorf("%s: %+v", who, s)
	}
}

// wait waits for an event.
func wait[E event.Event](t *testing.T, ctx context.Context, c *client.Client, what string, is func(e E) bool) (e E) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for ev := range c.Events(ctx) {
		if e, ok := ev.(E); ok && is(e) {
			return e
		}
	}
	t.Fatalf("no %s: %v", what, c.Err())
	return e
}

func whatever[E event.Event](E) bool { return true }

// TestClientOnOriginal takes our client through what teeworlds-server 0.7.5
// offers.
func TestClientOnOriginal(t *testing.T) {
	t.Parallel()
	s := startOriginal(t, "sv_player_slots 16; sv_rcon_password adminpw; sv_motd hello; add_vote \"say it\" say voted; sv_vote_spectate 1")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	host := s.addr.String()
	maps := client.NewMaps(t.TempDir())
	dial := func(cfg client.Config) *client.Client {
		t.Helper()
		cfg.Maps = maps
		c, err := client.Dial(ctx, host, cfg)
		if err != nil {
			t.Fatalf("%s: %v\n%s", cfg.Name, err, tail(s.Output(), 2000))
		}
		t.Cleanup(c.Close)
		return c
	}
	alice := dial(client.Config{Name: "alice", Clan: "yard", Country: 276})
	m := alice.Map()
	if m == nil || m.Name != "dm1" || filepath.Dir(m.Path) == "." || m.Terrain.Width == 0 {
		t.Fatalf("the map is %+v", m)
	}
	if e := wait(t, ctx, alice, "download", func(e event.Download) bool { return e.Done == e.Size }); e.Size != len(m.File) {
		t.Errorf("downloaded %d of %d bytes", e.Size, len(m.File))
	}
	wait(t, ctx, alice, "message of the day", func(e event.Motd) bool { return e.Text == "hello" })
	wait(t, ctx, alice, "server info", func(e event.ServerInfo) bool { return e.Map == "dm1" && e.GameType == "DM" })
	bob := dial(client.Config{Name: "bob"})
	wait(t, ctx, alice, "bob", func(e event.Joined) bool { return e.Player.Name == "bob" && !e.Known })

	alice.Say("good day")
	wait(t, ctx, bob, "chat", func(e event.Chat) bool { return e.From.Name == "alice" && e.Text == "good day" })
	bob.Whisper(alice.Self(), "psst")
	wait(t, ctx, alice, "whisper", func(e event.Chat) bool { return e.Mode == game.ChatWhisper && e.Text == "psst" })
	bob.Emote(3)
	wait(t, ctx, alice, "emoticon", func(e event.Emoticon) bool { return e.Emoticon == 3 })

	// The remote console.
	if _, err := alice.RconRun(ctx, "status"); !errors.Is(err, client.ErrRcon) {
		t.Errorf("a console without login: %v", err)
	}
	alice.RconLogin("wrong")
	wait(t, ctx, alice, "refusal", func(e event.RconLine) bool { return strings.HasPrefix(e.Text, "Wrong password") })
	alice.RconLogin("adminpw")
	wait(t, ctx, alice, "login", func(e event.RconAuth) bool { return e.On })
	lines, err := alice.RconRun(ctx, "status")
	if err != nil || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "name='bob'") }) {
		t.Errorf("status: %q, %v", lines, err)
	}
	Eventually(t, 10*time.Second, "all commands and maps", func() bool {
		has := func(name string) bool {
			return slices.ContainsFunc(alice.RconCommands(), func(c bridge.CommandInfo) bool { return c.Name == name })
		}
		return has("add_vote") && has("tune") && has("sv_warmup") && slices.Contains(alice.MapList(), "ctf1")
	})

	// A vote.
	if got := alice.VoteOptions(); !slices.Equal(got, []string{"say it"}) {
		t.Errorf("votes on %q", got)
	}
	bob.VoteOption("say it", "why not")
	v := wait(t, ctx, alice, "vote", whatever[event.VoteStart])
	if v.By.Name != "bob" || v.What != "say it" || v.Reason != "why not" {
		t.Errorf("the vote is %+v", v)
	}
	alice.Vote(true)
	wait(t, ctx, bob, "end of the vote", func(e event.VoteEnd) bool { return e.Passed })

	alice.Ping()
	Eventually(t, 5*time.Second, "an answer to a ping", func() bool { return alice.Latency() > 0 })
	bob.SetTeam(game.TeamSpectators)
	wait(t, ctx, alice, "team", func(e event.TeamChange) bool { return e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators })

	// All maps, in the modes they are made for. A change of the mode alone loads
	// nothing anew, so that no map comes twice in a row.
	files, err := filepath.Glob(filepath.Join(originalMaps, "*.map"))
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
				continue // its own server calls Debian's ctf8 an invalid standard map
			}
			visited++
			alice.Rcon(fmt.Sprintf("sv_gametype %s; sv_map %s", mode.name, name))
			wait(t, ctx, alice, name, func(e event.Entered) bool { return e.Map == name })
			Eventually(t, 10*time.Second, "the flags of "+mode.name, func() bool {
				ok := false
				alice.WithView(func(v *game.View) { ok = v.Game.Flags == mode.flags })
				return ok
			})
		}
		if visited == 0 {
			t.Errorf("no map for %s", mode.name)
		}
	}

	// A password for the next, and the way out.
	alice.Rcon("password secret")
	time.Sleep(100 * time.Millisecond)
	if _, err := client.Dial(ctx, host, client.Config{Name: "mallory", Maps: maps}); !errors.Is(err, client.ErrClosed) || !strings.Contains(err.Error(), "Wrong password") {
		t.Errorf("without the password: %v", err)
	}
	dial(client.Config{Name: "carol", Password: "secret"})
	clean(t, "alice", alice.Stats())
	clean(t, "bob", bob.Stats())
	alice.Rcon("kick " + fmt.Sprint(bob.Self()) + " goodbye")
	d := wait(t, ctx, bob, "end", whatever[event.Disconnected])
	if !strings.Contains(d.Text, "goodbye") {
		t.Errorf("bob was told %q", d.Text)
	}
}

// TestBotsOnOriginal lets 16 of our bots fight for a minute on teeworlds-server
// 0.7.5.
func TestBotsOnOriginal(t *testing.T) {
	t.Parallel()
	s := startOriginal(t, "sv_player_slots 16")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	maps := client.NewMaps(t.TempDir())
	var once sync.Once
	var nav *bot.NavGraph
	var wait sync.WaitGroup
	var mu sync.Mutex
	kills, snapshots, late, timings := map[game.Weapon]int{}, 0, 0, 0
	for i := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var brain *bot.Bot
			c, err := client.Dial(ctx, s.addr.String(), client.Config{
				Name: fmt.Sprintf("bot %d", i), Maps: maps,
				OnInputTiming: func(_, left int32) {
					mu.Lock()
					defer mu.Unlock()
					timings++
				},
				OnEvent: func(c *client.Client, e event.Event) {
					if k, ok := e.(event.Kill); ok && i == 0 && k.Killer.ID != k.Victim.ID {
						mu.Lock()
						defer mu.Unlock()
						kills[k.Weapon]++
					}
				},
				Play: func(c *client.Client, v *game.View) game.Input {
					once.Do(func() { nav, _ = bot.NewNavGraph(c.Map().Terrain, nil) })
					if brain == nil {
						brain, _ = bot.New(bot.Config{Nav: nav, Seed: uint64(i)})
					}
					return brain.NextInput(v)
				},
			})
			if err != nil {
				t.Errorf("bot %d: %v", i, err)
				return
			}
			select {
			case <-ctx.Done():
			case <-c.Done():
				t.Errorf("bot %d: %v", i, c.Err())
			}
			st := c.Stats()
			c.Close()
			<-c.Done()
			clean(t, fmt.Sprint("bot ", i), st)
			mu.Lock()
			defer mu.Unlock()
			snapshots, late = snapshots+st.Snapshots, late+st.InputsLate
		}()
	}
	wait.Wait()
	t.Logf("%d snapshots, kills by weapon %v, %d of %d inputs late", snapshots, kills, late, timings)
	if snapshots < 16*500 {
		t.Errorf("only %d snapshots", snapshots)
	}
	n := 0
	for _, k := range kills {
		n += k
	}
	if n == 0 {
		t.Error("nobody was killed")
	}
}

// TestClientOnDDNet lets a few clients walk about on DDNet-Server 16.4, which sends
// snapshots in another order and objects of its own.
func TestClientOnDDNet(t *testing.T) {
	t.Parallel()
	s := startDDNet(t, "sv_spectator_slots 0")
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	maps := client.NewMaps(t.TempDir())
	var all []*client.Client
	for i := range 4 {
		c, err := client.Dial(ctx, s.addr.String(), client.Config{
			Name: fmt.Sprint("walker ", i), Maps: maps,
			Play: func(_ *client.Client, v *game.View) game.Input {
				return game.Input{Direction: (v.Tick/40+int32(i))%3 - 1, Jump: v.Tick%60 < 3, Fire: v.Tick / 10 & 63, TargetX: 100}
			},
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, tail(s.Output(), 2000))
		}
		t.Cleanup(c.Close)
		all = append(all, c)
	}
	all[0].Say("hello")
	wait(t, ctx, all[1], "chat", func(e event.Chat) bool { return e.Text == "hello" && e.From.Name == "walker 0" })
	<-ctx.Done()
	for i, c := range all {
		st := c.Stats()
		clean(t, fmt.Sprint("walker ", i), st)
		tees := 0
		c.WithView(func(v *game.View) { tees = len(v.Characters) })
		if c.Version() != client.Version07 {
			t.Errorf("walker %d found out %v", i, c.Version())
		}
		if c.Err() != nil || st.Snapshots < 50 || tees == 0 || len(c.Scoreboard()) != 4 {
			t.Errorf("walker %d: %d snapshots, %d tees, %d players, %v", i, st.Snapshots, tees, len(c.Scoreboard()), c.Err())
		}
	}
}
