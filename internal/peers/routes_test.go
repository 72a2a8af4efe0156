package peers

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// ddnetTerrain returns the terrain of a map of Debian's ddnet-data.
func ddnetTerrain(t *testing.T, name string) terrain.Terrain {
	t.Helper()
	b := testenv.Must(os.ReadFile(filepath.Join("/usr/share/games/ddnet/data/maps", name+".map")))
	return testenv.Must(server.Terrain(testenv.Must(twmap.Parse(b))))
}

// TestWaysAreOpen searches for ways through the maps of DDRace in Debian's ddnet-data, as far as a tee
// comes alone in short: over the start line and through the first parts.
func TestWaysAreOpen(t *testing.T) {
	RequirePrograms(t, "DDNet-Server")
	for _, c := range []struct {
		name  string
		ticks int // to simulate
		tiles int // of the way, at least
	}{
		{"Tutorial", 500_000, 500},
		{"LearnToPlay", 300_000, 300},
		{"Tsunami", 300_000, 40},
		{"Gold Mine", 150_000, 100},
		{"Sunny Side Up", 300_000, 100},
	} {
		s := testenv.Must(route.NewSearch(route.Config{Terrain: ddnetTerrain(t, c.name)}))
		s.Run(c.ticks)
		r := s.Route()
		t.Logf("%s: %d of %d tiles in %.1f s", c.name, r.Length-r.Left, r.Length, float64(r.Ticks)/50)
		testenv.Check(t, r.Length-r.Left >= c.tiles, "%s: %d tiles, not %d", c.name, r.Length-r.Left, c.tiles)
	}
}

// TestWayOnServers lets a client run a way that was found through the first parts of the Tutorial, on
// DDNet-Server and on ours: it is where the search had it. Where an input came too late, it comes back.
func TestWayOnServers(t *testing.T) {
	RequirePrograms(t, "DDNet-Server")
	cfg := route.Config{Terrain: ddnetTerrain(t, "Tutorial")}
	search := testenv.Must(route.NewSearch(cfg))
	search.Run(150_000)
	r := search.Route()
	way := testenv.Must(route.NewWay(cfg, &r))
	const settings = "sv_map Tutorial"
	for name, s := range map[string]*Server{"DDNet-Server": StartDDNet06(t, settings), "ours": StartTeeyard(t, settings+"; sv_gametype ddrace")} {
		runner := route.NewRunner(1)
		runner.SetWay(way)
		var mu sync.Mutex
		var reached, exact, astray int
		swarm := Join(t, s, load.Config{Clients: 1, Versions: []client.Version{client.Version06}, Configure: func(_ int, c *client.Config) {
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
		Eventually(t, time.Minute, name+": the client comes along its way", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return reached >= want
		})
		swarm.Stop()
		late := load.Total(swarm.Stats()).InputsLate
		t.Logf("%s: %d of %d ticks of the way, %d ticks exactly on it, %d not; %d inputs were late", name, reached, way.Ticks(), exact, astray, late)
	}
}

// TestTutorialIsFinished plays a route that a search of 60 million ticks found, from the spawn of the
// Tutorial to its finish.
func TestTutorialIsFinished(t *testing.T) {
	RequirePrograms(t, "DDNet-Server")
	f := testenv.Must(os.Open("testdata/tutorial-route.csv.gz"))
	defer f.Close()
	rows := testenv.Must(csv.NewReader(testenv.Must(gzip.NewReader(f))).ReadAll())
	terrain := ddnetTerrain(t, "Tutorial")
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
