package server

import (
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/recorder"
)

// Broadcast shows the match to viewers outside of the server. It is also an [Observer], and the
// rules of Observer hold for all its methods.
type Broadcast interface {
	Observer
	// Attach is called once, before the other methods. Any goroutine may call wake; the server then
	// calls IsWatched.
	Attach(wake func())
	// BeginMatch is called when a match begins, on a new map or on the same one. The map does not
	// change during the match.
	BeginMatch(w *game.World, m *bridge.Map)
	// Recorder returns the recorder of the match, or nil. It gets the messages to all clients.
	Recorder() *recorder.Recorder
	// IsWatched reports whether the broadcast has viewers. The bots of sv_bots then play.
	IsWatched() bool
}

// beginBroadcast tells the broadcast that a match begins.
func (s *Server) beginBroadcast() {
	if s.cfg.Broadcast != nil {
		s.cfg.Broadcast.BeginMatch(s.world, s.maps.Played().Modern())
	}
}

// isBroadcastWatched reports whether the broadcast has viewers.
func (s *Server) isBroadcastWatched() bool {
	return s.cfg.Broadcast != nil && s.cfg.Broadcast.IsWatched()
}

// preludeTicks is the number of ticks that are played at once when bots join for viewers of the
// broadcast. Viewers get the match in pieces of two seconds, and should not wait for the first
// ones.
const preludeTicks = 12 * game.TickRate

// preludeStep is the number of these ticks in one pass of the loop.
const preludeStep = 100

// beginPrelude lets some seconds of the match be played at once, if only viewers are there.
func (s *Server) beginPrelude() {
	if s.isDeserted() && s.isBroadcastWatched() {
		s.prelude = preludeTicks
	}
}

// isDeserted reports whether no client is there, and none is expected back.
func (s *Server) isDeserted() bool {
	return len(s.sessionByPeer) == 0 && !slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil })
}

// playPrelude returns the number of ticks to play at once, and moves the clock by them. It is 0
// from the first client on.
func (s *Server) playPrelude() int {
	if s.prelude == 0 {
		return 0
	}
	if !s.isDeserted() {
		s.prelude = 0
	}
	n := min(s.prelude, preludeStep)
	s.prelude -= n
	s.clock.forward(n)
	return n
}

// NeedsPassword reports whether clients need a password to join.
func (t *Tick) NeedsPassword() bool {
	return t.server != nil && t.server.access.Settings.Password != ""
}

// People returns the number of players and spectators in the game who are not bots.
func (t *Tick) People() int {
	n := len(t.World.Frame().Players)
	if t.server != nil {
		n -= t.server.bots.Count()
	}
	return max(n, 0)
}
