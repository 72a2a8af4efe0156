package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/record"
)

// newRecorder creates the recorder of matches.
func (s *Server) newRecorder() *record.Recorder {
	cfg := record.Config{
		Host: recordHost{s}, Program: Program(),
		Replays: s.cfg.Replays, Teehistorians: s.cfg.Teehistorians, Demos: s.cfg.Demos,
	}
	if s.cfg.Broadcast != nil {
		cfg.Broadcast = s.cfg.Broadcast.Recorder
	}
	return record.New(cfg)
}

// beginRecording begins the recordings of a world that was created with cfg.
func (s *Server) beginRecording(cfg *game.Config) {
	m := s.maps.Played()
	s.record.Begin(record.Match{
		World: s.world, Map: &m.Map, Terrain: m.Terrain, GameType: s.mods.Played(), Mode: cfg.Mode, Mods: cfg.Mods, ModNames: s.mods.Names(),
		Rules: s.gameRules(), Tuning: s.tuning, Seed: cfg.Seed, Resumed: s.resume.from != nil,
		MapFor: func(f recorder.Format) (*bridge.Map, error) { return m.For(f) },
	})
}

// stepWorld runs a tick of the world and records it.
func (s *Server) stepWorld() []game.Event {
	s.record.BeforeTick(s.pendingCommands)
	alive := false
	defer func() {
		if !alive {
			s.record.Crash(s.mods.HookStops())
		}
	}()
	events := s.runWorld()
	alive = true
	s.record.AfterTick(s.pendingCommands, s.mods.HookStops(), events)
	return events
}

// runWorld runs a tick of the world.
func (s *Server) runWorld() []game.Event {
	s.watchdog.Begin(s.world.Tick() + 1)
	s.mods.Clock.Begin()
	events := s.world.Step(s.pendingCommands)
	s.mods.Clock.End()
	s.watchdog.End()
	return events
}

// recordHost is the server behind its recorder. It implements record.Host.
type recordHost struct{ s *Server }

// Print implements record.Host.
func (h recordHost) Print(who console.Caller, level int, system, line string) {
	h.s.printFor(who, level, system, line)
}

// Identity implements record.Host.
func (h recordHost) Identity() (name string, port int) {
	return h.s.listing.Settings.Name, int(h.s.Addr().Port())
}

// Client implements record.Host.
func (h recordHost) Client(id game.PlayerID) (c recorder.TeehistorianClient) {
	if p := h.s.sessions[id]; p != nil {
		if c.IsSeven = h.s.isSeven(p); !c.IsSeven {
			c.DDNetVersion, c.DDNet = p.clientVersion, p.ddnetClient
		}
		c.Login = p.historyLogin()
	}
	return c
}

// ShowLatencies implements record.Host.
func (h recordHost) ShowLatencies(r *recorder.Recorder) {
	for id, c := range h.s.sessions {
		r.Latency[id] = 0
		if c != nil {
			r.Latency[id] = c.latency.displayed
		}
	}
}

// Restart implements record.Host.
func (h recordHost) Restart() { h.s.maps.Restart() }
