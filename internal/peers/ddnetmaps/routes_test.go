//go:build peers

package ddnetmaps

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	ddracemode "github.com/teeyard/teeyard/mods/ddrace"
)

// TestWaysAreOpen searches for ways through the DDRace maps in Debian's ddnet-data. It searches as
// far as a lone tee gets in a short search: over the start line and through the first parts.
func TestWaysAreOpen(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	for _, c := range []struct {
		name  string
		ticks int // ticks to simulate
		tiles int // least length of the way in tiles
	}{
		{"Tutorial", 500_000, 500},
		{"LearnToPlay", 300_000, 300},
		{"Tsunami", 300_000, 40},
		{"Gold Mine", 150_000, 100},
		{"Sunny Side Up", 300_000, 100},
	} {
		s := testenv.Must(route.NewSearch(route.Config{Terrain: peers.DDNetTerrain(t, c.name)}))
		s.Run(c.ticks)
		r := s.Route()
		t.Logf("%s: %d of %d tiles in %.1f s", c.name, r.Length-r.Left, r.Length, float64(r.Ticks)/50)
		testenv.Check(t, r.Length-r.Left >= c.tiles, "%s: %d tiles, not %d", c.name, r.Length-r.Left, c.tiles)
	}
}

// TestRunnersOnMaps lets runners follow the same ways for two minutes and logs how far they get.
// They run alone, and in a group of twelve that push each other. Without TEEYARD_FULL=1 it uses two
// maps only.
func TestRunnersOnMaps(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	names := []string{"Tsunami", "Gold Mine"}
	if os.Getenv("TEEYARD_FULL") != "" {
		names = append(names, "Tutorial", "LearnToPlay", "Sunny Side Up")
	}
	const ticks = 2 * 60 * game.TickRate
	for _, name := range names {
		cfg := route.Config{Terrain: peers.DDNetTerrain(t, name)}
		search := testenv.Must(route.NewSearch(cfg))
		search.Run(1_000_000)
		r := search.Route()
		way := testenv.Must(route.NewWay(cfg, &r))
		t.Logf("%s: a way of %d of %d tiles, %.1f s", name, r.Length-r.Left, r.Length, float64(r.Ticks)/game.TickRate)
		for _, runners := range []int{1, 12} {
			farthest, restarts := runTogether(t, cfg.Terrain, way, runners, ticks)
			slices.Sort(farthest)
			percent := func(i int) int { return 100 * farthest[i] / min(way.Ticks(), ticks) }
			least, middle, most := percent(0), percent(runners/2), percent(runners-1)
			t.Logf("%s: %d runners come along %d to %d %% of it, or of the time; in the middle %d %%; %d restarts", name, runners, least, most, middle,
				restarts)
			testenv.Check(t, middle >= 50 && most >= 95, "%s: %d runners come along %d %% of the way, in the middle %d %%", name, runners, most, middle)
		}
	}
}

// runTogether lets n runners run for some ticks. It returns how many ticks of the way each one got,
// and the number of restarts.
func runTogether(t *testing.T, terrain terrain.Terrain, way *route.Way, n, ticks int) (farthest []int, restarts int) {
	w := modtest.New(t, game.Config{Mode: ddracemode.New(), Terrain: terrain, Seed: 5})
	var cmds []game.Command
	runners := make([]*route.Runner, n)
	farthest = make([]int, n)
	for i := range runners {
		w.Play(game.PlayerID(i))
		runners[i] = route.NewRunner(uint64(i))
		runners[i].SetWay(way)
	}
	for range ticks {
		w.Game.Step(cmds)
		cmds = cmds[:0]
		for i, r := range runners {
			id := game.PlayerID(i)
			v := w.Game.View(id)
			in := r.NextInput(&v)
			cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: in}, game.Command{Kind: game.CmdInput, Player: id, Input: in})
			if r.WantsRestart() {
				cmds = append(cmds, game.Command{Kind: game.CmdKill, Player: id})
				restarts++
			}
			at, _ := r.Progress()
			farthest[i] = max(farthest[i], at)
		}
	}
	return farthest, restarts
}

// TestWayOnServers makes a client follow a way that a search found through the first parts of the
// Tutorial, on DDNet-Server and on our server. The client must be where the search predicted, and
// must get back to the way after a late input. A 0.7 client, which gets less information, must also
// reach the end.
func TestWayOnServers(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	cfg := route.Config{Terrain: peers.DDNetTerrain(t, "Tutorial")}
	search := testenv.Must(route.NewSearch(cfg))
	search.Run(150_000)
	r := search.Route()
	way := testenv.Must(route.NewWay(cfg, &r))
	const settings = "sv_map Tutorial"
	ddnet, ours := peers.StartDDNet06(t, settings), peers.StartTeeyard(t, settings+"; sv_gametype ddrace")
	for _, c := range []struct {
		name    string
		s       *peers.Server
		version client.Version
	}{
		{"DDNet-Server", ddnet, client.Version06}, {"ours", ours, client.Version06},
		{"DDNet-Server, 0.7", ddnet, client.Version07}, {"ours, 0.7", ours, client.Version07},
	} {
		name := c.name
		runner := route.NewRunner(1)
		runner.SetWay(way)
		var mu sync.Mutex
		var reached, exact, astray int
		swarm := peers.Join(t, c.s, load.Config{Clients: 1, Versions: []client.Version{c.version}, Configure: func(_ int, c *client.Config) {
			c.NoMap, c.Maps = false, client.NewMaps("-")
			c.Play = func(_ *client.Client, v *game.View) game.Input {
				in := runner.NextInput(v)
				mu.Lock()
				defer mu.Unlock()
				at, on := runner.Progress()
				if reached = max(reached, at); on {
					exact++
				} else if at > 0 {
					astray++
				}
				return in
			}
		}})
		want := min(way.Ticks(), 5*game.TickRate)
		peers.Eventually(t, time.Minute, name+": the client comes along its way", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return reached >= want
		})
		swarm.Stop()
		late := load.Total(swarm.Stats()).InputsLate
		t.Logf("%s: %d of %d ticks of the way, %d ticks exactly on it, %d not; %d inputs were late", name, reached, way.Ticks(), exact, astray, late)
	}
}

// TestTutorialIsFinished plays a route from the Tutorial's spawn to its finish, which a search of
// 60 million ticks found.
func TestTutorialIsFinished(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	f := testenv.Must(os.Open("testdata/tutorial-route.csv.gz"))
	defer f.Close()
	rows := testenv.Must(csv.NewReader(testenv.Must(gzip.NewReader(f))).ReadAll())
	terrain := peers.DDNetTerrain(t, "Tutorial")
	w := ddrace.New(ddrace.Config{Map: testenv.Must(ddrace.NewMap(&terrain, ddrace.DefaultSettings()))})
	w.Enter(0, false)
	for w.Tee(0) == nil {
		w.Step(nil)
	}
	begin, checkpoints, time := w.Tick(), 0, int32(0)
	fire := int32(0)
	for _, row := range rows {
		var n [8]int // ticks, direction, jump, hook, fire, target, weapon
		for i := range n {
			n[i] = testenv.Must(strconv.Atoi(row[i]))
		}
		step := route.Step{
			Direction: int8(n[1]), Jump: n[2] != 0, Hook: n[3] != 0, Fire: n[4] != 0, TargetX: int16(n[5]), TargetY: int16(n[6]), Weapon: uint8(n[7]),
		}
		for range n[0] {
			in := step.Input(fire)
			fire = in.Fire
			for _, e := range w.Step([]ddrace.PlayerInput{{Input: in}}) {
				switch e.Kind {
				case ddrace.EventCheckpoint:
					checkpoints++
				case ddrace.EventFinish:
					time = e.Value
				}
			}
		}
	}
	testenv.Check(t, time > 0, "the finish is not reached, after %d ticks and %d checkpoints", w.Tick()-begin, checkpoints)
	t.Logf("finished in %.2f s, with %d checkpoints", float64(time)/ddrace.TickRate, checkpoints)
}
