package peers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
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
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/transport"
)

// ddnetMaps is where DDNet keeps the maps it came with. They are not those of the
// original, though some have their names.
const ddnetMaps = "/usr/share/games/ddnet/data/maps"

// startDDNetAlone runs DDNet-Server without maps for 0.7, which turns that off.
func startDDNetAlone(t testing.TB, settings string) *gameServer {
	t.Helper()
	path := Need(t, "DDNet-Server")[0]
	home := t.TempDir()
	addr := freePort(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share")}
	p := Start(t, home, env, path, common, local, "sv_ipv4only 1", "sv_connlimit 200", port(addr), "sv_map dm1", settings)
	Eventually(t, 10*time.Second, "DDNet-Server listens", func() bool { return strings.Contains(p.Output(), "server name is") })
	return &gameServer{p, addr}
}

// TestOlderClientOnDDNet takes our client through what DDNet-Server 16.4 offers to
// clients of 0.6, as one of DDNet and as another.
func TestOlderClientOnDDNet(t *testing.T) {
	t.Parallel()
	s := startDDNetAlone(t, "sv_rcon_password adminpw; sv_motd hello; add_vote \"say it\" \"say voted\"; sv_vote_delay 0; sv_join_vote_delay 0; sv_chat_initial_delay 0")
	file, err := os.ReadFile(filepath.Join(ddnetMaps, "dm1.map"))
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []int32{0, 16040} {
		t.Run(fmt.Sprint(release), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			dial := func(cfg client.Config) *client.Client {
				t.Helper()
				cfg.Maps, cfg.DDNetVersion = client.NewMaps(t.TempDir()), release
				c, err := client.Dial(ctx, s.addr.String(), cfg)
				if err != nil {
					t.Fatalf("%s: %v\n%s", cfg.Name, err, tail(s.Output(), 2000))
				}
				t.Cleanup(c.Close)
				return c
			}
			alice := dial(client.Config{Name: "alice", Clan: "yard", Country: 276})
			if alice.Version() != client.Version06 {
				t.Errorf("it found out %v", alice.Version())
			}
			if m := alice.Map(); m == nil || m.Name != "dm1" || m.SHA256 != sha256.Sum256(file) {
				t.Fatalf("map %v", m)
			}
			wait(t, ctx, alice, "message of the day", func(e event.Motd) bool { return e.Text == "hello" })
			bob := dial(client.Config{Name: "bob"})
			wait(t, ctx, alice, "bob", func(e event.Joined) bool { return e.Player.Name == "bob" && !e.Known && e.Quiet })
			wait(t, ctx, bob, "alice", func(e event.Joined) bool { return e.Player.Name == "alice" && e.Player.Clan == "yard" })
			alice.Say("good day")
			wait(t, ctx, bob, "chat", func(e event.Chat) bool { return e.From.Name == "alice" && e.Text == "good day" })
			if err := bob.Whisper(alice.Self(), "psst"); err != nil {
				t.Errorf("whisper: %v", err)
			}
			wait(t, ctx, alice, "whisper", func(e event.Chat) bool {
				return e.Mode == game.ChatWhisper && e.From.Name == "bob" && e.Text == "psst" ||
					release == 0 && e.From.ID == game.Nobody && strings.Contains(e.Text, "bob") && strings.Contains(e.Text, "psst")
			})
			bob.Emote(3)
			wait(t, ctx, alice, "emoticon", func(e event.Emoticon) bool { return e.Emoticon == 3 && e.Player.Name == "bob" })
			alice.ChatCommand("rules", "")
			wait(t, ctx, alice, "rules", func(e event.Chat) bool { return e.From.ID == game.Nobody && strings.Contains(e.Text, "Be nice") })

			alice.RconLogin("wrong")
			wait(t, ctx, alice, "refusal", func(e event.RconLine) bool { return strings.HasPrefix(e.Text, "Wrong password") })
			alice.RconLogin("adminpw")
			wait(t, ctx, alice, "login", func(e event.RconAuth) bool { return e.On })
			lines, err := alice.RconRun(ctx, "status")
			if all := strings.Join(lines, "\n"); err != nil || !strings.Contains(all, "alice") || !strings.Contains(all, "bob") || !strings.Contains(all, "secure=yes") {
				t.Errorf("status: %q, %v", lines, err)
			}
			Eventually(t, 10*time.Second, "commands", func() bool {
				return slices.ContainsFunc(alice.RconCommands(), func(c bridge.CommandInfo) bool { return c.Help != "" })
			})
			if err := alice.VoteOption("say it", "why not"); err != nil {
				t.Error(err)
			}
			wait(t, ctx, bob, "vote", func(e event.VoteStart) bool { return e.What == "say it" && e.Reason == "why not" })
			bob.Vote(true)
			wait(t, ctx, alice, "end of the vote", func(e event.VoteEnd) bool { return e.Passed })

			bob.SetTeam(game.TeamSpectators)
			wait(t, ctx, alice, "team", func(e event.TeamChange) bool { return e.Player.Name == "bob" && e.Player.Team == game.TeamSpectators })
			me := alice.Self()
			bob.Spectate(game.SpectatePlayer, me)
			Eventually(t, 10*time.Second, "watching", func() (ok bool) {
				bob.WithView(func(v *game.View) { ok = v.VitalsOf == me })
				return ok
			})
			// One walks, and the other sees it.
			from := float32(0)
			seen := func() (x float32, ok bool) {
				bob.WithView(func(v *game.View) {
					for i := range v.Characters {
						if v.Characters[i].Player == me {
							x, ok = v.Characters[i].Pos.X, true
						}
					}
				})
				return x, ok
			}
			Eventually(t, 10*time.Second, "seen", func() (ok bool) { from, ok = seen(); return ok })
			for _, d := range []int32{1, -1} { // there may be a wall
				alice.SetInput(game.Input{Direction: d, TargetX: 1})
				for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
					if x, ok := seen(); ok && max(x-from, from-x) > 60 {
						break
					}
				}
			}
			if x, ok := seen(); !ok || x == from {
				t.Errorf("seen at %v, then %v (%v)", from, x, ok)
			}
			alice.Ping()
			Eventually(t, 5*time.Second, "pong", func() bool { return alice.Latency() > 0 })
			if rows := alice.Scoreboard(); len(rows) != 2 {
				t.Errorf("scoreboard %+v", rows)
			}
			alice.Rcon(fmt.Sprintf("kick %d enough", bob.Self()))
			if d := wait(t, ctx, bob, "end", whatever[event.Disconnected]); !strings.Contains(d.Text, "enough") {
				t.Errorf("kicked with %q", d.Text)
			}
			wait(t, ctx, alice, "end", func(e event.Left) bool { return e.Player.Name == "bob" })
			clean(t, "alice", alice.Stats())
		})
	}
}

// TestPlainOnDDNet joins DDNet-Server as clients did before there were tokens.
func TestPlainOnDDNet(t *testing.T) {
	t.Parallel()
	s := startDDNetAlone(t, "sv_rcon_password adminpw")
	for _, plain := range []bool{false, true} {
		sock, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(s.addr.AddrPort))
		if err != nil {
			t.Fatal(err)
		}
		defer sock.Close()
		var status []string
		size := 0
		c, err := client.NewSession(client.SessionConfig{
			Name: "plain", Version: client.Version06, LegacyHandshake: plain, Send: func(b []byte) { sock.Write(b) },
			OnMap: func(_ string, file []byte) { size = len(file) }, GameHandler: &listener{lines: &status},
		})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		now := func() conn.Time { return conn.Time(time.Since(begin) + time.Second) }
		if err := c.Dial(now()); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, transport.MaxDatagram)
		asked := false
		want := fmt.Sprintf("secure=%s", map[bool]string{true: "no", false: "yes"}[plain])
		Eventually(t, 10*time.Second, want, func() bool {
			for range 20 {
				sock.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
				if n, err := sock.Read(buf); err == nil {
					c.Feed(now(), buf[:n])
				}
				c.Step(now())
			}
			if err := c.Err(); err != nil {
				t.Fatal(err)
			}
			if !asked && c.Stats().Snapshots > 5 {
				asked = true
				c.Request(now(), func(g bridge.ClientSide) { g.SendRconAuth("", "adminpw"); g.SendRconCmd("status") })
			}
			return slices.ContainsFunc(status, func(line string) bool { return strings.Contains(line, want) })
		})
		if st := c.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.UnknownMessages != 0 || size == 0 {
			t.Errorf("%+v, map of %d bytes", st, size)
		}
		c.Close(now())
	}
}

// listener keeps lines of the remote console.
type listener struct {
	bridge.GameHandler
	lines *[]string
}

func (l *listener) OnRconLine(line string) { *l.lines = append(*l.lines, line) }

func (*listener) OnEvent(*game.Event)               {}
func (*listener) OnMotd(string)                     {}
func (*listener) OnRconAuthStatus(bool)             {}
func (*listener) OnRconCommand(*bridge.CommandInfo) {}
func (*listener) OnVoteOptions([]string, bool)      {}

// TestBotsOnDDNet lets 16 of our bots of 0.6 loose on DDNet-Server for a minute, half
// of them as DDNet's clients.
func TestBotsOnDDNet(t *testing.T) {
	t.Parallel()
	s := startDDNetAlone(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	maps := client.NewMaps(t.TempDir())
	var once sync.Once
	var nav *bot.NavGraph
	var wait sync.WaitGroup
	var mu sync.Mutex
	snapshots, late, players := 0, 0, 0
	for i := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var brain *bot.Bot
			cfg := client.Config{
				Name: fmt.Sprintf("bot %d", i), Maps: maps, OnEvent: func(*client.Client, event.Event) {},
				Play: func(c *client.Client, v *game.View) game.Input {
					once.Do(func() { nav, _ = bot.NewNavGraph(c.Map().Terrain, nil) })
					if brain == nil {
						brain, _ = bot.New(bot.Config{Nav: nav, Seed: uint64(i)})
					}
					return brain.NextInput(v)
				},
			}
			if i%2 == 0 {
				cfg.DDNetVersion = 16040
			}
			c, err := client.Dial(ctx, s.addr.String(), cfg)
			if err != nil {
				t.Errorf("bot %d: %v", i, err)
				return
			}
			select {
			case <-ctx.Done():
			case <-c.Done():
				t.Errorf("bot %d: %v", i, c.Err())
			}
			st, rows := c.Stats(), c.Scoreboard()
			if c.Version() != client.Version06 || st.UnknownMessages != 0 {
				t.Errorf("bot %d: version %v, %+v", i, c.Version(), st)
			}
			clean(t, fmt.Sprint("bot ", i), st)
			mu.Lock()
			defer mu.Unlock()
			snapshots, late, players = snapshots+st.Snapshots, late+st.InputsLate, max(players, len(rows))
			defer c.Close()
		}()
	}
	wait.Wait()
	t.Logf("%d snapshots, %d inputs late, %d players", snapshots, late, players)
	if snapshots < 16*500 || players != 16 {
		t.Errorf("only %d snapshots, %d players", snapshots, players)
	}
}
