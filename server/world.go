package server

import (
	"fmt"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// newWorld creates a world, or restores the world of a match that is resumed.
func (s *Server) newWorld(cfg game.Config) (*game.World, error) {
	s.watchdog.Begin(0)
	defer s.watchdog.End()
	if saved := s.resume.from; saved != nil {
		return game.Restore(cfg, saved.World)
	}
	return game.New(cfg)
}

// startWorld creates a world on a map.
func (s *Server) startWorld(m *gamemap.Map) error {
	made := s.mods.Make(&m.Rules, m.Setting)
	isDDRace := made.Mode.Flags()&game.GameFlagDDRace != 0
	s.beginDDRace(m, isDDRace)
	s.cfg.Seed = s.cfg.Seed*6364136223846793005 + 1442695040888963407
	cfg := game.Config{
		Terrain: m.Terrain, Collision: m.Collision, Mode: made.Mode, Mods: made.Mods,
		Rules: s.rules.For(m.Rules.Played(), isDDRace, s.maps.Settings.Rotation != ""), Tuning: &s.tuning, Seed: s.cfg.Seed,
		Variables: s.mods.Values(),
	}
	w, err := s.newWorld(cfg)
	if err == nil {
		err = s.mods.Check(w)
	}
	if err != nil {
		return fmt.Errorf("sv_map %q: %w", m.Setting, err)
	}
	if pure := physics.DefaultTuning(); w.Rules().PureTuning && s.tuning != pure {
		s.print(console.Warning, "server", impureTuning)
		s.tuning = pure
	}
	s.reportOverruled(m, w)
	s.maps.Report(m, w)
	s.mods.Begin(w, made, s.resume.from != nil)
	s.record.End()
	s.maps.Begin(m)
	s.world = w
	s.votes.Begin(w)
	s.storage.Begin(s.resume.gameID())
	s.beginRecording(&cfg)
	clear(s.pendingCommands)
	s.pendingCommands = s.pendingCommands[:0]
	s.lines.lose("the map has changed")
	s.mods.Offer()
	s.seats.leaving, s.seats.quiet = game.PlayerMask{}, game.PlayerMask{}
	for id := range s.seats.farewells {
		s.logFarewell(game.PlayerID(id))
	}
	for _, d := range s.versions {
		d.EndSnapshots()
	}
	s.observe(event.MapChange{Map: m.Name, GameType: w.ModeName()})
	s.beginBroadcast()
	return nil
}

// switchMap starts the game on a map and makes all clients load it.
func (s *Server) switchMap(now conn.Time, m *gamemap.Map) error {
	s.votes.AnnounceResults() // of the vote for this map
	var spectators game.PlayerMask
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if c == nil {
			continue
		}
		if p, seated := s.world.Player(pid); seated && c.state >= stateReady {
			if p.Team == game.TeamSpectators {
				spectators.Add(pid)
			}
		} else if c.wasSpectator { // still loading the previous map
			spectators.Add(pid)
		}
	}
	if err := s.startWorld(m); err != nil {
		return err
	}
	s.clock.reset(now)
	for id, c := range s.sessions {
		if c == nil || c.state == stateAuth {
			continue
		}
		if c.isHeld() { // the player is not in the new world
			c.setState(stateAuth)
			c.drop(conn.ReasonTimeout)
			continue
		}
		c.wasSpectator = spectators.Has(game.PlayerID(id))
		c.setState(stateConnecting)
		c.hasProfile, c.canEnter = false, false
		c.resetForMap()
		c.sendMapChange()
	}
	return nil
}
