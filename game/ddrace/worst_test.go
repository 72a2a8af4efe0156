package ddrace

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// dragged is a world with as many draggers as there can be, which reach everywhere, and 64 tees in as many teams.
func dragged(t testing.TB) *World {
	d := room(200, 40)
	for i := range maxSeeing {
		d.game(2+i%190, 2+2*(i/190), tileEntities-1+uint8(EntityDraggerThrough)+uint8(i%3), 0)
	}
	d.game(100, 37, tileEntities, 0)
	d.Settings = []string{"sv_dragger_range 99999", "sv_plasma_range 99999"}
	w := New(Config{Map: d.load(t)})
	for id := range MaxTees {
		w.Enter(id, false)
	}
	w.Step(nil)
	for id := range MaxTees {
		w.SetTeam(id, uint8(id))
	}
	return w
}

// TestWorstMap checks that the looks of entities in a tick are limited, and that draggers let go of all tees at
// once.
func TestWorstMap(t *testing.T) {
	w := dragged(t)
	most, beams := 0, 0
	for range 20 {
		w.Step(nil)
		most, beams = max(most, w.looks), max(beams, len(w.entities.beams))
	}
	testenv.Check(t, most > maxLooks, "%d looks: the map is not the worst", most)
	testenv.Check(t, beams > 0 && beams <= maxLooks, "%d beams", beams)

	w = dragged(t)
	solo := func(solo bool) int {
		for id := range MaxTees {
			w.SetTeam(id, 0)
			w.SetSolo(id, solo)
		}
		for i := range w.entities.draggers {
			for team := range w.entities.draggers[i].targets {
				w.entities.draggers[i].targets[team] = noTee
			}
		}
		for range 20 {
			w.Step(nil)
		}
		return len(w.entities.beams)
	}
	testenv.Check(t, solo(true) > maxSeeing, "%d beams to tees in solo", len(w.entities.beams))
	testenv.Check(t, solo(false) <= maxSeeing, "%d beams to one team", len(w.entities.beams)) // one of each dragger
	for i := range w.entities.beams {
		b := &w.entities.beams[i]
		testenv.Check(t, w.entities.draggers[b.of].beams>>b.target&1 == 1, "a beam of dragger %d to tee %d is left", b.of, b.target)
	}
}

// BenchmarkWorstMap runs ticks of that world.
func BenchmarkWorstMap(b *testing.B) {
	w := dragged(b)
	for b.Loop() {
		w.Step(nil)
	}
}
