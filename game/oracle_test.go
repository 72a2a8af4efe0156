package game_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// oracleRun is a match that the original's rules and ours play identically.
type oracleRun struct {
	name    string
	seed    uint64
	ticks   int
	players int
	mode    game.Mode
	chaos   bool
	terrain func() game.Terrain
}

var oracleRuns = []oracleRun{
	{name: "fray", seed: 1, ticks: 3000, players: 12, mode: dm.Mode{}, terrain: weaponMap},
	{name: "chaos", seed: 2, ticks: 3000, players: 9, mode: dm.Mode{}, chaos: true, terrain: weaponMap},
	{name: "teams", seed: 3, ticks: 3000, players: 10, mode: tdm{}, chaos: true, terrain: weaponMap},
	{name: "arena", seed: 4, ticks: 3000, players: 16, mode: dm.Mode{}, chaos: true, terrain: bots.Arena},
	{name: "rounds", seed: 5, ticks: 3000, players: 6, mode: lms{}, chaos: true, terrain: singleSpawnMap},
	{name: "tuned", seed: 6, ticks: 3000, players: 8, mode: mod{}, chaos: true, terrain: weaponMap},
}

// play plays the run in a world of this package.
func (o *oracleRun) play(t *testing.T) (reports []report, script []byte) {
	t.Helper()
	p := &play{rand: bots.Rand(o.seed), players: o.players, mode: o.mode, chaos: o.chaos}
	w := testenv.Must(p.start(o.terrain()))
	for range o.ticks {
		reports = append(reports, describe(w, w.Step(p.tick(w))))
	}
	return reports, p.script.Bytes()
}

func (o *oracleRun) golden() string { return filepath.Join("testdata", "oracle", o.name+".crc") }

// checksums returns a line per tick.
func checksums(reports []report) string {
	var b strings.Builder
	for _, r := range reports {
		fmt.Fprintf(&b, "%08x\n", crc32.ChecksumIEEE([]byte(strings.Join(r, "\n"))))
	}
	return b.String()
}

// TestOriginalGolden compares every tick with checksums of the original's messages and
// snapshots. The matches cover movement, weapons, damage, pickups, teams, spectators
// and most commands, to the tick and the point; the other tests are for what they do
// not contain.
func TestOriginalGolden(t *testing.T) {
	for _, o := range oracleRuns {
		t.Run(o.name, func(t *testing.T) {
			want := testenv.Must(os.ReadFile(o.golden()))
			reports, _ := o.play(t)
			got, all := strings.Fields(checksums(reports)), strings.Fields(string(want))
			if len(got) != len(all) {
				t.Fatalf("%d ticks, recorded are %d", len(got), len(all))
			}
			for i := range got {
				if got[i] != all[i] {
					t.Fatalf("differs from the original in tick %d:\n%s", i+1, strings.Join(reports[i], "\n"))
				}
			}
		})
	}
}
