package bridge6_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// entitiesOf returns the items of map entities, that is, of objects without a player, as DDNet's
// clients receive them. entitiesOf ignores item ids.
func entitiesOf(s *snapshot.Snapshot) map[string]bool {
	items := bridge6.DDRaceItems(s, map[int]bool{})
	entities := map[string]bool{}
	for name, ints := range items {
		kind, id, _ := strings.Cut(name, " ")
		of, told := items["EntityEx "+id]
		const data, noOwner = 3, 256
		if kind == "Laser" && told || kind == "Pickup" || kind == "DDRaceProjectile" && ints[data]&noOwner != 0 {
			entities[fmt.Sprint(kind, ints, of)] = true
		}
	}
	return entities
}

// TestDDRaceWorld compares the sent map entities with those that DDNet-Server sent in each tick, up
// to the tick where tees change them.
func TestDDRaceWorld(t *testing.T) {
	m := testenv.Must(twmap.Parse(golden.File(t, golden.DDRaceMap)))
	terrain := testenv.Must(m.Terrain())
	rules := game.DefaultRules()
	w := testenv.Must(game.New(game.Config{Terrain: terrain, Mode: ddrace.New(), Rules: rules, Seed: 1}))
	seen := map[string]int{}
	bridge6.ReadGolden(t, golden.DDRace, 16040, func(s *snapshot.Snapshot, shown *game.View) {
		const begun = 430 // the tick at which the race begins
		if shown.Tick > begun {
			return
		}
		for w.Tick() < shown.Tick {
			w.Step(nil)
		}
		v := w.View(game.Nobody)
		got := entitiesOf(bridge6.BuildSnapshot(&v, 16040))
		for e := range entitiesOf(s) {
			if !got[e] {
				t.Fatalf("tick %d: %s is not in %v", v.Tick, e, got)
			}
			seen[e[:strings.IndexByte(e, '[')]]++
		}
	})
	if seen["Laser"] < 100 || seen["Pickup"] < 100 || seen["DDRaceProjectile"] < 100 {
		t.Errorf("compared %v", seen)
	}
	t.Log(seen)
}
