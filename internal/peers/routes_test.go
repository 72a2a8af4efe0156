package peers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/terrain"
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
