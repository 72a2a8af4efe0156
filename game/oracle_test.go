package game_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/tdm"
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
	until   int // tick from which nobody does anything, 0 for never
	terrain func() game.Terrain
}

var oracleRuns = []oracleRun{
	{name: "fray", seed: 1, ticks: 3000, players: 12, mode: dm.Mode{}, terrain: weaponMap},
	{name: "chaos", seed: 2, ticks: 3000, players: 9, mode: dm.Mode{}, chaos: true, terrain: weaponMap},
	{name: "teams", seed: 131, ticks: 3000, players: 10, mode: tdm.Mode{}, chaos: true, terrain: weaponMap},
	{name: "arena", seed: 4, ticks: 3000, players: 16, mode: dm.Mode{}, chaos: true, terrain: bots.Arena},
	{name: "rounds", seed: 113, ticks: 3000, players: 6, mode: lms.Mode{}, chaos: true, terrain: survivalMap},
	{name: "tuned", seed: 6, ticks: 3000, players: 8, mode: mod{}, chaos: true, terrain: weaponMap},
	{name: "flags", seed: 144, ticks: 4500, players: 8, mode: ctf.Mode{}, terrain: flagMap},
	{name: "captures", seed: 105, ticks: 4500, players: 3, mode: ctf.Mode{}, chaos: true, terrain: flagMap},
	{name: "oneflag", seed: 112, ticks: 3000, players: 4, mode: ctf.Mode{}, chaos: true, terrain: redFlagMap},
	{name: "lost", seed: 8, ticks: 2700, players: 6, mode: ctf.Mode{}, until: 1100, terrain: flagMap},
	{name: "standing", seed: 127, ticks: 3000, players: 8, mode: lts.Mode{}, chaos: true, terrain: survivalMap},
}

// play plays the run in a world of this package. It saves and restores the world on the way.
func (o *oracleRun) play(t *testing.T) (reports []report, script []byte) {
	t.Helper()
	p := &play{rand: bots.Rand(o.seed), players: o.players, mode: o.mode, chaos: o.chaos}
	w := testenv.Must(p.start(o.terrain()))
	for tick := range o.ticks {
		p.idle = o.until > 0 && tick >= o.until
		reports = append(reports, describe(w, w.Step(p.tick(w))))
		if testenv.Full() && tick%25 == 0 || tick%250 == 0 {
			w = testenv.Must(game.Restore(p.cfg, w.AppendState(nil)))
		}
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

// oracleCoverage are lines that the runs must contain, for rare things in a match.
var oracleCoverage = []string{
	// An asterisk stands for anything.
	"KILL * 1]", "KILL * 2]", "KILL * 3]", // the victim carried a flag, the killer does, both
	"NOTICE -1 [0]", "NOTICE -1 [2]", "NOTICE -1 [3]", "NOTICE * [7 *]", // teams swapped, shuffled, balanced
	"NOTICE -1 [4]", "NOTICE -1 [5]", "NOTICE -1 [8 0]", "NOTICE -1 [8 1]", // flags dropped, returned, grabbed
	"NOTICE -1 [9 0 *]", "NOTICE -1 [9 1 *]", // and captured
	"NOTICE -1 [10 *]", "NOTICE * [1]",
	"I 06 00000 * 2 *", "I 06 00000 * 4 *", "I 06 00000 * 8 *", // sudden death, end of a round, end of a match
}

// TestOriginalGolden compares every tick with checksums of the original's messages and snapshots.
// The matches cover movement, weapons, damage, pickups, teams, spectators and most commands, to the
// tick and the point. The other tests cover the rest. A third of the matches runs outside of CI.
func TestOriginalGolden(t *testing.T) {
	covered := make([]bool, len(oracleCoverage))
	late, early := 0, 0
	for i, o := range oracleRuns {
		if i%testenv.Amount(3, 1) != 0 {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			want := testenv.Must(os.ReadFile(o.golden()))
			reports, _ := o.play(t)
			if o.mode.Flags()&game.GameFlagFlags != 0 {
				l, e := flagReturns(reports)
				late, early = late+l, early+e
			}
			for i, pattern := range oracleCoverage {
				parts := strings.Split(pattern, "*")
				covered[i] = covered[i] || slices.ContainsFunc(reports, func(r report) bool { return r.has(parts) })
			}
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
	if !testenv.InCI() {
		return
	}
	testenv.Check(t, late > 0 && early > 0, "%d flags returned after 30 s and %d from death tiles", late, early)
	for i, ok := range covered {
		testenv.Check(t, ok, "no run has %s", oracleCoverage[i])
	}
}

// flagReturns counts the dropped flags that returned although no player got a point for it:
// after 30 s, or before that.
func flagReturns(reports []report) (late, early int) {
	var carriers, drops [2]int
	scores := ""
	for tick, r := range reports {
		before, dropped, pointsBefore := carriers, drops, scores
		scores = ""
		for _, line := range r {
			switch {
			case strings.HasPrefix(line, "I 08"):
				fmt.Sscanf(line, "I 08 00000 %d %d %d %d", &carriers[0], &carriers[1], &drops[0], &drops[1])
			case strings.HasPrefix(line, "I 11"):
				scores += line[strings.LastIndex(line, " "):]
			}
		}
		for i := range carriers {
			switch {
			case before[i] != -1 || carriers[i] != -2 || scores != pointsBefore:
			case tick+1 > dropped[i]+1500:
				late++
			default:
				early++
			}
		}
	}
	return late, early
}

// has reports whether a line begins with the first part and has the others after it.
func (r report) has(parts []string) bool {
	return slices.ContainsFunc(r, func(line string) bool {
		if !strings.HasPrefix(line, parts[0]) {
			return false
		}
		for _, part := range parts {
			_, rest, found := strings.Cut(line, part)
			if !found {
				return false
			}
			line = rest
		}
		return true
	})
}
