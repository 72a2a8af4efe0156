// Package examples holds example programs, each in a folder of its own. Its test runs them all
// against servers on the loopback network.
package examples

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// limit is how long a test waits for an event that should happen in a second or two.
const limit = 30 * time.Second

// bin is the folder with the compiled programs.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "teeyard-examples"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	args := []string{"build", "-ldflags=-s -w", "-o", bin} // the flags save a third of the time
	if testenv.InCI() {
		args = append(args, "./...")
	} else {
		for _, name := range quick {
			args = append(args, "./"+name)
		}
	}
	build := exec.Command("go", args...)
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return 1
	}
	testenv.AtOnce(4)
	return m.Run()
}

// quick are the programs that are built outside of CI: a client, and a server. To link one takes
// a processor a second.
var quick = []string{"echo", "laserdoor"}

// program returns the path of a program. It skips the test if the program is not built.
func program(t *testing.T, name string) string {
	t.Helper()
	if !testenv.InCI() && !slices.Contains(quick, name) {
		t.Skip("needs another program; -tags peers builds it")
	}
	return filepath.Join(bin, name)
}

// serve runs a server and returns its address.
func serve(t *testing.T, cfg server.Config) string {
	t.Helper()
	cfg.Commands = append([]string{"sv_map testbox"}, cfg.Commands...)
	return servertest.Start(t, cfg).Addr().String()
}

// start runs a program until the test ends. If the test fails, it shows the output of the program.
func start(t *testing.T, name string, args ...string) *testenv.Buffer {
	t.Helper()
	out := new(testenv.Buffer)
	cmd := exec.Command(program(t, name), args...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s printed:\n%s", name, out)
		}
	})
	return out
}

// join plays on a server until the test ends.
func join(t *testing.T, host string, cfg client.Config) *client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cfg.Maps = client.NewMaps("-")
	c, err := client.Dial(ctx, host, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wait waits for an event of type E for which is returns true.
func wait[E event.Event](t *testing.T, c *client.Client, what string, is func(e E) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for e := range c.Events(ctx) {
		if e, ok := e.(E); ok && is(e) {
			return
		}
	}
	t.Fatalf("no %s", what)
}

func joined(name string) func(e event.Joined) bool {
	return func(e event.Joined) bool { return e.Player.Name == name }
}

func TestEcho(t *testing.T) {
	t.Parallel()
	host := serve(t, server.Config{})
	c := join(t, host, client.Config{Name: "alice"})
	start(t, "echo", host)
	wait(t, c, "echo", joined("echo"))
	c.Say("hello")
	wait(t, c, "answer", func(e event.Chat) bool { return e.From.Name == "echo" && e.Text == "alice says: hello" })
	echo, _ := c.FindPlayer("echo")
	c.Whisper(echo.ID, "psst")
	wait(t, c, "whisper", func(e event.Chat) bool {
		return e.Mode == game.ChatWhisper && e.From.Name == "echo" && e.Text == "psst"
	})
}

func TestBridge(t *testing.T) {
	t.Parallel()
	here, there := serve(t, server.Config{}), serve(t, server.Config{})
	a, b := join(t, here, client.Config{Name: "alice"}), join(t, there, client.Config{Name: "bob"})
	start(t, "bridge", here, there)
	wait(t, a, "bridge", joined("bridge"))
	wait(t, b, "bridge", joined("bridge"))
	a.Say("hello")
	wait(t, b, "line from the other side", func(e event.Chat) bool { return e.From.Name == "bridge" && e.Text == "<alice> hello" })
	b.Say("hi")
	wait(t, a, "line from the other side", func(e event.Chat) bool { return e.From.Name == "bridge" && e.Text == "<bob> hi" })
	join(t, there, client.Config{Name: "carol"})
	wait(t, a, "word of carol", func(e event.Chat) bool { return e.Text == "carol joined over there" })

	// After a kick, it comes back and watches as before.
	a.RconLogin("adminpw")
	wait(t, a, "remote console", func(e event.RconAuth) bool { return e.On })
	bridge, _ := a.FindPlayer("bridge")
	a.Rcon(fmt.Sprint("kick ", bridge.ID))
	wait(t, a, "end of the bridge", func(e event.Left) bool { return e.Player.Name == "bridge" })
	wait(t, a, "bridge that watches", func(e event.TeamChange) bool {
		return e.Player.Name == "bridge" && e.Player.Team == game.TeamSpectators
	})
}

// place returns the position of a player's tee.
func place(c *client.Client, name string) (at vec.Vec2, ok bool) {
	p, _ := c.FindPlayer(name)
	c.WithView(func(v *game.View) {
		for i := range v.Characters {
			if v.Characters[i].Player == p.ID {
				at, ok = v.Characters[i].Pos, true
			}
		}
	})
	return at, ok
}

// TestFollower checks that the follower comes near alice wherever she runs.
func TestFollower(t *testing.T) {
	t.Parallel()
	host := serve(t, server.Config{})
	c := join(t, host, client.Config{Name: "alice"})
	start(t, "follower", host)
	wait(t, c, "follower", joined("follower"))
	var from vec.Vec2
	testenv.Eventually(t, "alive", func() (ok bool) { from, ok = place(c, "alice"); return ok })
	in := game.Input{Direction: 1, TargetX: 1}
	if from.X > 20*32 { // towards the middle of the box
		in.Direction = -1
	}
	polls := 0
	testenv.Eventually(t, "away", func() bool {
		polls++
		in.Jump = polls%60 < 20 // over a tee in the way
		c.SetInput(in)
		at, ok := place(c, "alice")
		return ok && vec.Distance(at, from) > 250
	})
	c.SetInput(game.Input{TargetX: 1})
	testenv.Eventually(t, "followed", func() bool {
		a, here := place(c, "alice")
		b, there := place(c, "follower")
		return here && there && vec.Distance(a, b) < 80
	})
}

// TestRacer checks that the racer finishes a course with a wall. The course has no freeze, so that
// late inputs do no harm.
func TestRacer(t *testing.T) {
	t.Parallel()
	rows := []string{
		"##############################",
		"#    |                    !  #",
		"#    |           #        !  #",
		"# S  |           #        !  #",
		"##############################",
	}
	g := twmap.NewGameLayer(len(rows[0]), len(rows))
	tiles := map[rune]uint8{'#': 1, '|': 33, '!': 34, 'S': twmap.Spawn}
	for y, row := range rows {
		for x, c := range row {
			g.Set(x, y, tiles[c], 0)
		}
	}
	course := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}}
	host := serve(t, server.Config{
		Files:    fstest.MapFS{"maps/race.map": {Data: testenv.Must(course.Bytes())}},
		Modes:    append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
		Commands: []string{"sv_map race; sv_gametype ddrace"},
	})
	out := start(t, "racer", host)
	testenv.Eventually(t, "finished", func() bool { return strings.Contains(out.String(), "racer finished in: ") })
}

func TestMapget(t *testing.T) {
	t.Parallel()
	host := serve(t, server.Config{})
	dir := t.TempDir()
	cmd := exec.Command(program(t, "mapget"), host)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "testbox_*.map"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v in the folder, %v\n%s", files, err, out)
	}
	m, _ := maps.Find("testbox")
	if got, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(got, m.Data) {
		t.Errorf("%d bytes instead of %d, %v", len(got), len(m.Data), err)
	}
	if !strings.Contains(string(out), "testbox is ") || !strings.Contains(string(out), filepath.Base(files[0])) {
		t.Errorf("printed %q", out)
	}
}

func TestRcon(t *testing.T) {
	t.Parallel()
	host := serve(t, server.Config{})
	c := join(t, host, client.Config{Name: "alice"})
	cmd := exec.Command(program(t, "rcon"), host, "status", "say good day", "sv_name")
	cmd.Env = append(os.Environ(), "RCON_PASSWORD=adminpw")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "alice") || !strings.Contains(string(out), "unnamed server") {
		t.Errorf("printed %q", out)
	}
	wait(t, c, "line of the server", func(e event.Chat) bool { return e.From.ID == game.Nobody && e.Text == "good day" })
}

// TestVampires checks that alice heals by shooting bob, who shoots her.
func TestVampires(t *testing.T) {
	t.Parallel()
	port, err := peers.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	host := fmt.Sprintf("127.0.0.1:%d", port)
	start(t, "vampires", "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", fmt.Sprintf("sv_port %d", port),
		"sv_map testbox; sv_bots 0; sv_max_clients_per_ip 4")

	var mu sync.Mutex
	shooter := "bob"
	var healths []int32 // of alice, at each change while she shoots
	duel := func(name string) client.Config {
		return client.Config{Name: name, Play: func(c *client.Client, v *game.View) game.Input {
			mu.Lock()
			defer mu.Unlock()
			var own, other *game.CharacterState
			for i := range v.Characters {
				if v.Characters[i].Player == v.Viewer {
					own = &v.Characters[i]
				} else {
					other = &v.Characters[i]
				}
			}
			if own == nil || other == nil {
				return game.Input{}
			}
			if name == "alice" {
				if shooter == "bob" && own.Health > 2 && own.Health <= 7 {
					shooter = "alice"
				}
				if n := len(healths); shooter == "alice" && (n == 0 || healths[n-1] != own.Health) {
					healths = append(healths, own.Health)
				}
			}
			dx, dy := int32(other.Pos.X-own.Pos.X), int32(other.Pos.Y-own.Pos.Y)
			in := game.Input{TargetX: dx, TargetY: dy, WantedWeapon: int32(game.WeaponGun) + 1}
			switch {
			case shooter != name: // bob stands still
			case name == "bob" && max(dx, -dx) > 150: // closer, because shots fall
				in.Direction = 1
				if dx < 0 {
					in.Direction = -1
				}
			default:
				in.Fire = v.Tick / 5 & 63
			}
			return in
		}}
	}
	waitForServer(t, host)
	join(t, host, duel("alice"))
	join(t, host, duel("bob"))
	testenv.Eventually(t, "healed", func() bool {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for i := 1; i < len(healths); i++ {
			if healths[i] == healths[i-1]+1 {
				n++
			}
		}
		return n >= 2
	})
}

// waitForServer waits until a server answers.
func waitForServer(t *testing.T, host string) {
	t.Helper()
	testenv.Eventually(t, "there", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err := client.Dial(ctx, host, client.Config{NoMap: true})
		if err != nil {
			return false
		}
		c.Close()
		<-c.Done()
		return true
	})
}

// TestLaserDoor checks that a beam moves.
func TestLaserDoor(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	port, err := peers.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	host := fmt.Sprintf("127.0.0.1:%d", port)
	start(t, "laserdoor", "bindaddr 127.0.0.1", fmt.Sprintf("sv_port %d", port), "sv_map testbox; sv_max_clients_per_ip 4; sv_register 0")
	waitForServer(t, host)
	var mu sync.Mutex
	places := map[uint16]map[int32]bool{} // positions of beams, by id
	join(t, host, client.Config{Name: "alice", Play: func(c *client.Client, v *game.View) game.Input {
		mu.Lock()
		defer mu.Unlock()
		for _, l := range v.Lasers {
			if places[l.ID] == nil {
				places[l.ID] = map[int32]bool{}
			}
			places[l.ID][l.X] = true
		}
		return game.Input{}
	}})
	testenv.Eventually(t, "a beam in many places", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, xs := range places {
			if len(xs) > 20 {
				return true
			}
		}
		return false
	})
}
