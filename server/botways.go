package server

import (
	"time"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/gamemap"
)

// waySlice is how much work, in usual ticks, is done before the search for a way rests for as long, so that it takes half
// a processor at most.
const waySlice = 5_000

// waySearch is a search for a way through a map of DDRace, in a goroutine, for the bots.
type waySearch struct {
	gameMap *gamemap.Map
	found   chan *route.Way // the newest way; closed at the end
	stop    chan struct{}   // closed when nobody needs it any more
	way     *route.Way
}

// begin starts a search.
func (w *waySearch) begin(m *gamemap.Map, cfg route.Config) {
	w.end()
	*w = waySearch{gameMap: m, found: make(chan *route.Way, 1), stop: make(chan struct{})}
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
			case <-found: // the older one was not taken
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

// hasWay reports whether there is a way for bots to run, in worlds of DDRace. If not, it has one searched.
func (s *Server) hasWay() bool {
	w := &s.bots.ways
	if w.gameMap != s.maps.Played() {
		settings, _ := s.world.DDRaceSettings()
		w.begin(s.maps.Played(), route.Config{Terrain: s.maps.Played().Terrain, Settings: &settings, Seed: s.cfg.Seed})
	}
	s.takeWay()
	return w.way != nil
}

// takeWay takes a new way and gives it to the bots.
func (s *Server) takeWay() {
	w := &s.bots.ways
	if w.stop == nil {
		return
	}
	if w.gameMap != s.maps.Played() {
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
		for _, b := range s.bots.brains {
			if r, ok := b.(*route.Runner); ok {
				r.SetWay(way)
			}
		}
	default:
	}
}

// newRunner returns the brain of a bot that runs the way.
func (s *Server) newRunner() *route.Runner {
	r := route.NewRunner(s.cfg.Seed + s.bots.serial)
	r.SetWay(s.bots.ways.way)
	return r
}

// restartBot lets a bot begin anew that wants to.
func (s *Server) restartBot(id game.PlayerID, b brain) {
	if r, ok := b.(*route.Runner); ok && r.WantsRestart() {
		s.queueCommand(game.Command{Kind: game.CmdKill, Player: id, Target: game.Nobody})
	}
}
