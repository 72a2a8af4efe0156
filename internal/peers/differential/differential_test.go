package differential

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// matches are what is played: in CI 1,500 ticks of each, and with
// TEEYARD_FULL=1 10,000.
var matches = map[string]setup{
	"one on dm1":       {mapName: "dm1", players: 1},
	"one on teeyard1":  {mapName: "teeyard1", players: 1},
	"one on testbox":   {mapName: "testbox", players: 1},
	"one on dm7":       {mapName: "dm7", players: 1},
	"one on ctf5":      {mapName: "ctf5", players: 1, style: style{spectate: true}},
	"one in the pit":   {mapName: "pit", players: 1, style: style{peaceful: true}},
	"two on dm1":       {mapName: "dm1", players: 2},
	"two on testbox":   {mapName: "testbox", players: 2, style: style{peaceful: true}},
	"two in the pit":   {mapName: "pit", players: 2, style: style{peaceful: true}, settings: []string{"sv_scorelimit 2"}},
	"four in the pit":  {mapName: "pit", players: 4, style: style{peaceful: true}},
	"four on testbox":  {mapName: "testbox", players: 4, style: style{spectate: true}},
	"four on teeyard1": {mapName: "teeyard1", players: 4, style: style{spectate: true}},
	"four commanded":   {mapName: "pit", players: 4, style: style{spectate: true, admin: true, ready: true}},
	"eight on dm7":     {mapName: "dm7", players: 8},
	"eight in the pit": {mapName: "pit", players: 8, style: style{peaceful: true}},
}

func TestMatches(t *testing.T) {
	for name, s := range matches {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.seed, s.ticks = 1, 1500
			if testenv.Full() {
				s.ticks = 10_000
			}
			if seed, err := strconv.ParseUint(os.Getenv("TEEYARD_SEED"), 10, 64); err == nil {
				s.seed = seed
			}
			check(t, s)
		})
	}
}

// check plays on the original and replays on ours.
func check(t *testing.T, s setup) {
	t.Helper()
	rec := play(t, s)
	r := compare(rec, again(t, rec))
	t.Logf("%d of %d rounds the same (%.3f %%), %d of %d objects, %d messages; first difference %d; %v",
		r.same, r.ticks, 100*float64(r.same)/float64(max(r.ticks, 1)), r.alike, r.objects, r.messages, r.first, r.kinds)
	if r.ticks == 0 {
		t.Error("nothing was compared")
	}
	for _, d := range r.differences {
		t.Error(d)
	}
	if testing.Verbose() {
		t.Log(account(rec))
	}
}

// account tells what happened in a match.
func account(rec *record) string {
	n := map[string]int{}
	for i := range rec.seen[0] {
		for _, it := range rec.seen[0][i].items {
			n[msg7.ObjectName(it.key.Type())]++
			var c msg7.Character
			if it.key.Type() == msg7.TypeCharacter && c.ReadInts(it.ints) == nil {
				n[fmt.Sprint(c.Weapon, " held")]++
			}
		}
	}
	var keys []string
	for k := range n {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := ""
	for _, k := range keys {
		out += fmt.Sprintf("%s:%d ", k, n[k])
	}
	return out
}
