package fill

import (
	"time"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
)

// waySlice is the work, in usual ticks, after which the search for a way rests. It rests for as
// long as it worked, so it takes at most half a processor.
const waySlice = 5_000

// waySearch is a search for a way through a map of DDRace, in a goroutine.
type waySearch struct {
	terrain *game.Terrain
	found   chan *route.Way // the newest way; closed at the end
	stop    chan struct{}   // closed when nothing needs the search
	way     *route.Way
}

// begin starts a search.
func (w *waySearch) begin(terrain *game.Terrain, cfg route.Config) {
	w.end()
	*w = waySearch{terrain: terrain, found: make(chan *route.Way, 1), stop: make(chan struct{})}
	go findWays(cfg, w.found, w.stop)
}

// end ends the search.
func (w *waySearch) end() {
	if w.stop != nil {
		close(w.stop)
	}
	*w = waySearch{}
}

// findWays sends ways that lead farther and farther.
func findWays(cfg route.Config, found chan *route.Way, stop chan struct{}) {
	defer close(found)
	f, err := route.NewFinder(cfg)
	if err != nil {
		return // impossible: the world has the same terrain
	}
	for {
		began := time.Now()
		way, over := f.Run(waySlice)
		if way != nil {
			select {
			case <-found: // an older way that was not taken
			default:
			}
			found <- way
		}
		if over {
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(time.Since(began)):
		}
	}
}

// hasWay reports whether there is a way for bots in a world of DDRace. If not, it begins to search
// one.
func (b *Bots) hasWay(m *Match) bool {
	w := &b.ways
	if w.terrain != m.Terrain {
		settings, _ := m.World.DDRaceSettings()
		w.begin(m.Terrain, route.Config{Terrain: *m.Terrain, Settings: &settings, Seed: b.cfg.Seed})
	}
	b.takeWay(m)
	return w.way != nil
}

// takeWay takes a new way and gives it to the bots. On another map, it ends the search.
func (b *Bots) takeWay(m *Match) {
	w := &b.ways
	if w.stop == nil {
		return
	}
	if w.terrain != m.Terrain {
		w.end()
		return
	}
	select {
	case way, ok := <-w.found:
		if !ok {
			w.found = nil // and this is never ready
			return
		}
		w.way = way
		for _, brain := range b.brains {
			if r, ok := brain.(*route.Runner); ok {
				r.SetWay(way)
			}
		}
	default:
	}
}
