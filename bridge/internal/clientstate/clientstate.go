// Package clientstate keeps what a client knows of the game, for the ClientSide of every version.
package clientstate

import (
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
)

// State is a client's knowledge of the game. Implementations of ClientSide embed it and fill
// it from messages and snapshots. For each snapshot they call BeginSnapshot, add the items, and
// call EndSnapshot. Nothing allocates once the lists have grown. Call Reset before the first use.
type State struct {
	Own            game.PlayerID
	Players        [game.MaxPlayers]game.PlayerInfo
	ServerSettings event.Settings
	Limits         game.GameState // only flags, limits and match numbers are set
	TuneParams     game.Tuning
	DDRaceParams   ddrace.Tuning
	NumDDRace      int // number of DDRaceParams received: 0, or at least ddrace.NumTuneParams16
	Frame          game.Frame
	CurrentView    game.View // the view of Frame
	EffectEvents   []game.Event

	effectIDs []int // the item id of each of EffectEvents
	reckoner  deadReckoner
}

// EmptyGameState returns the state of a match about which nothing is known, not even whether it has
// flags.
func EmptyGameState() game.GameState {
	const missing = -3
	return game.GameState{FlagCarrier: [2]int32{missing, missing}}
}

// Reset forgets the game but keeps the map. Call it when the server changes the map.
func (s *State) Reset() {
	s.Own = game.Nobody
	for i := range s.Players {
		s.Players[i] = game.PlayerInfo{ID: game.PlayerID(i)}
	}
	s.ServerSettings = event.Settings{}
	s.Limits = EmptyGameState()
	s.TuneParams = physics.DefaultTuning()
	s.DDRaceParams, s.NumDDRace = ddrace.Tuning{}, 0
	s.BeginSnapshot(0, game.GameState{})
	s.CurrentView = game.View{Frame: &s.Frame, Viewer: game.Nobody, VitalsOf: game.Nobody}
	s.reckoner.reset()
}

// SetMap implements [bridge.ClientSide].
func (s *State) SetMap(c *physics.Collision) { s.reckoner.setMap(c) }

// OwnID implements [bridge.ClientSide].
func (s *State) OwnID() game.PlayerID { return s.Own }

// Player implements [bridge.ClientSide].
func (s *State) Player(id game.PlayerID) (game.PlayerInfo, bool) {
	if id < 0 || id >= game.MaxPlayers {
		return game.PlayerInfo{ID: id}, false
	}
	return s.Players[id], s.Players[id].InGame
}

// Settings implements [bridge.ClientSide].
func (s *State) Settings() event.Settings { return s.ServerSettings }

// GameInfo implements [bridge.ClientSide].
func (s *State) GameInfo() game.GameState { return s.Limits }

// Tuning implements [bridge.ClientSide].
func (s *State) Tuning() game.Tuning { return s.TuneParams }

// DDRaceTuning implements [bridge.ClientSide].
func (s *State) DDRaceTuning() (t ddrace.Tuning, params int) {
	return s.DDRaceParams, s.NumDDRace
}

// View implements [bridge.ClientSide].
func (s *State) View() *game.View { return &s.CurrentView }

// Effects implements [bridge.ClientSide].
func (s *State) Effects() []game.Event { return s.EffectEvents }

// CoreState implements [bridge.ClientSide].
func (s *State) CoreState(c *game.CharacterState) physics.CoreState { return s.reckoner.state(c) }

// BeginSnapshot starts a new view and forgets what the last snapshot showed.
func (s *State) BeginSnapshot(tick int32, g game.GameState) {
	f := &s.Frame
	f.Tick, f.Game, f.Extended = tick, g, false
	f.Players, f.Characters, f.Projectiles = f.Players[:0], f.Characters[:0], f.Projectiles[:0]
	f.Lasers, f.Pickups, f.Flags = f.Lasers[:0], f.Pickups[:0], f.Flags[:0]
	f.Switches, f.SpecTees = f.Switches[:0], f.SpecTees[:0]
	s.EffectEvents, s.effectIDs = s.EffectEvents[:0], s.effectIDs[:0]
	s.CurrentView.Viewer, s.CurrentView.VitalsOf = s.Own, s.Own
}

// AddProjectile adds a projectile to the frame.
func (s *State) AddProjectile(id int, x, y, velX, velY int32, w game.Weapon, startTick int32) {
	p := game.ProjectileState{ID: uint16(id), X: x, Y: y, VelX: velX, VelY: velY, Weapon: w, StartTick: startTick}
	p.Pos = p.PosAt(&s.TuneParams, s.Frame.Tick)
	s.Frame.Projectiles = append(s.Frame.Projectiles, p)
}

// AddLaser adds a laser to the frame.
func (s *State) AddLaser(id int, x, y, fromX, fromY, startTick int32) {
	s.Frame.Lasers = append(s.Frame.Lasers, game.LaserState{
		ID: uint16(id), X: x, Y: y, FromX: fromX, FromY: fromY, StartTick: startTick, Pos: convert.Point(x, y), From: convert.Point(fromX, fromY),
	})
}

// AddPickup adds a pickup to the frame.
func (s *State) AddPickup(id int, x, y int32, kind game.PickupKind) {
	s.Frame.Pickups = append(s.Frame.Pickups, game.PickupState{ID: uint16(id), X: x, Y: y, Kind: kind})
}

// AddFlag adds a flag to the frame.
func (s *State) AddFlag(team game.Team, x, y int32) {
	s.Frame.Flags = append(s.Frame.Flags, game.FlagState{Team: team, X: x, Y: y, Pos: convert.Point(x, y)})
}

// AddCharacter adds a character to the frame.
func (s *State) AddCharacter(c game.CharacterState) {
	c.Pos = convert.Point(c.X, c.Y)
	s.Frame.Characters = append(s.Frame.Characters, c)
}

// AddEffect adds the event of an item and returns the event's index, or -1 if there are too many.
// Events are sorted by item id, that is, in the order in which the effects happened.
func (s *State) AddEffect(id int, ev game.Event) int {
	if len(s.EffectEvents) >= items.MaxEffectItems {
		return -1
	}
	i := len(s.effectIDs)
	s.EffectEvents, s.effectIDs = append(s.EffectEvents, ev), append(s.effectIDs, id)
	for ; i > 0 && s.effectIDs[i-1] > id; i-- {
		s.EffectEvents[i], s.effectIDs[i] = s.EffectEvents[i-1], s.effectIDs[i-1]
	}
	s.EffectEvents[i], s.effectIDs[i] = ev, id
	return i
}

// Watch sets the view of a client that looks at the position (x, y) instead of through its own tee.
// If watched is a player, the view is through that player's tee.
func (s *State) Watch(mode game.SpectateMode, watched game.PlayerID, x, y int32) {
	s.CurrentView.Pos, s.CurrentView.VitalsOf = convert.Point(x, y), watched
	for i := range s.Frame.Players {
		if p := &s.Frame.Players[i]; p.ID == s.Own {
			p.SpecMode, p.SpectatorID, p.Spectating, p.ViewX, p.ViewY = mode, watched, true, x, y
		}
	}
}

// SetRaceStart sets the tick at which the race clock of a player in the frame started; 0 stops the
// clock.
func (s *State) SetRaceStart(id game.PlayerID, tick int32) {
	for i := range s.Frame.Players {
		if p := &s.Frame.Players[i]; p.ID == id {
			p.RaceStart = max(tick, 0)
		}
	}
}

// EndSnapshot moves the tees to their positions at the tick of the snapshot, and the view to the
// viewer's tee.
func (s *State) EndSnapshot() {
	f := &s.Frame
	for i := range f.Characters {
		c := &f.Characters[i]
		c.Pos = s.reckoner.position(c, f.Tick)
		s.Players[c.Player].Alive = true
		if c.Player == s.Own && s.CurrentView.VitalsOf == s.Own {
			s.CurrentView.Pos = c.Pos
		}
	}
}
