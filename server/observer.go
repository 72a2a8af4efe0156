package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/query"
)

// Observer observes a server, for example to record or count events. It must not change anything; a
// [game.Mod] may.
type Observer interface {
	// ObserveTick is called after every tick on the server's goroutine. The game waits until it
	// returns. The tick and its contents are valid only during the call.
	ObserveTick(t *Tick)
}

// ObserverFunc is a function that is an [Observer].
type ObserverFunc func(t *Tick)

// ObserveTick implements [Observer].
func (f ObserverFunc) ObserveTick(t *Tick) { f(t) }

// Tick is one tick of the game as an [Observer] sees it.
type Tick struct {
	// World is the world after the tick. World.Frame lists its contents.
	World *game.World
	// Events are the events of the tick, and of the server since the tick before, in order. They
	// include the events for each client and the events of a server alone.
	Events []event.Event
	// GameEvents are the results of World.Step, including effects.
	GameEvents []game.Event

	server *Server // for Status
}

// Draining reports whether the server admits no new clients because it is about to end.
func (t *Tick) Draining() bool { return t.server != nil && t.server.drain.active }

// Before returns how long the tick before this one took.
func (t *Tick) Before() time.Duration {
	if t.server == nil {
		return 0
	}
	return t.server.tickTimes.clock.Last
}

// Info fills in the description of the server for server browsers. It reuses the list of clients.
func (t *Tick) Info(dst *query.Info) {
	if t.server != nil {
		t.server.listing.FillInfo(dst)
	}
}

// Maps returns the files of the map: one for clients that read compressed tile layers, and one for
// all others, which may be the same. Their contents never change.
func (t *Tick) Maps() (modern, compatible bridge.Map) {
	if t.server == nil {
		return modern, compatible
	}
	m := t.server.maps.Played()
	return *m.Modern(), *m.Compatible()
}

// observers are the observers of a server.
type observers struct {
	list   []Observer
	events []event.Event // since the last tick that they saw
	tick   Tick          // that they see
}

// observe adds an event to the next tick that observers see.
func (s *Server) observe(e event.Event) {
	if len(s.observers.list) > 0 {
		s.observers.events = append(s.observers.events, e)
	}
}

// observeGame is observe for an event of the game.
func (s *Server) observeGame(ev *game.Event) {
	if len(s.observers.list) == 0 {
		return
	}
	safe := *ev
	if ev.Kind == game.EvBroadcast {
		safe.Text = safetext.Lines(ev.Text)
	} else {
		safe.Text = safetext.Line(ev.Text)
	}
	if e := event.FromGame(&safe, eventSource{s}); e != nil {
		s.observers.events = append(s.observers.events, e)
	}
}

// notifyObservers ends a tick for the observers.
func (s *Server) notifyObservers(gameEvents []game.Event) {
	if len(s.observers.list) == 0 {
		return
	}
	o := &s.observers
	t := &o.tick
	*t = Tick{World: s.world, Events: o.events, GameEvents: gameEvents, server: s}
	for _, each := range o.list {
		each.ObserveTick(t)
	}
	clear(o.events)
	o.events = o.events[:0]
}

// eventSource implements event.Source.
type eventSource struct{ *Server }

// EventPlayer implements event.Source.
func (s eventSource) EventPlayer(id game.PlayerID) event.Player {
	if id < 0 || id >= game.MaxPlayers {
		return event.Player{ID: game.Nobody}
	}
	p, seated := s.world.Player(id)
	if !seated {
		p.Profile.Clan, p.Team = s.seats.clans[id], s.seats.teams[id]
	}
	return event.Player{ID: id, Name: safetext.Line(s.playerName(id)), Clan: safetext.Line(p.Profile.Clan), Team: p.Team}
}

// EventProfile implements event.Source.
func (s eventSource) EventProfile(id game.PlayerID) game.Profile {
	info, _ := s.world.Player(id)
	p := info.Profile
	p.Name, p.Clan = safetext.Line(p.Name), safetext.Line(p.Clan)
	for i, part := range p.Skin.PartNames {
		p.Skin.PartNames[i] = safetext.Line(part)
	}
	return p
}

// EventSelf implements event.Source.
func (eventSource) EventSelf() game.PlayerID { return game.Nobody }

// EventSettings implements event.Source.
func (s eventSource) EventSettings() event.Settings {
	r := s.world.Rules()
	return event.SettingsOf(&r, s.world.TeamsLocked())
}

// EventTuning implements event.Source.
func (s eventSource) EventTuning() event.Tuning {
	t := event.Tuning{Params: s.world.Tuning()}
	t.DDRace, t.NumDDRace = s.world.DDRaceTuning(game.Nobody)
	return t
}

// GameInfo implements event.Source.
func (s eventSource) GameInfo() game.GameState { return s.world.Frame().Game }
