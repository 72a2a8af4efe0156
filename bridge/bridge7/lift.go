package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Lift is the client's side of the bridge: from messages and snapshots it makes
// the vocabulary of package game. It is the inverse of [Announcer] and [Scene],
// but for what 0.7 does not carry:
//
//   - whom an event is for, beside the receiver, and what the receiver is not told;
//   - what is out of the viewer's sight, and others' health, armour and
//     ammunition, which are 0;
//   - what others look at: Spectate, Watched, ViewX, ViewY and Watching are the
//     viewer's own only, and only while he watches; that somebody watches the
//     viewer shows as PlayerFlagWatching;
//   - the fractions of places: Pos is computed from whole numbers, and only with
//     a map (see SetMap); places of effects are whole units;
//   - the order within a frame, which is by id; only effects keep theirs;
//   - who did a damage (Target, Weapon of EvDamage) and who spawned (Player of
//     EvSpawn);
//   - in kills, whether Nobody or somebody who left the red team is meant.
//
// Lift allocates nothing per snapshot. The zero value is not ready; see NewLift.
type Lift struct {
	own     game.PlayerID
	roster  [game.MaxPlayers]game.PlayerInfo
	info    msg7.SvGameInfo
	rules   bridge.Settings
	tuning  game.Tuning
	frame   game.Frame
	view    game.View
	effects effects
	reckon  bridge.DeadReckoner
	race    bridge.RaceInfo
}

// NewLift makes a Lift for a client that is about to enter a game.
func NewLift() *Lift {
	l := new(Lift)
	l.Reset()
	return l
}

// Reset forgets the game, as when the server changes the map. The map stays.
func (l *Lift) Reset() {
	l.own = game.Nobody
	for i := range l.roster {
		l.roster[i] = game.PlayerInfo{ID: game.PlayerID(i)}
	}
	l.info, l.rules = msg7.SvGameInfo{}, bridge.Settings{}
	l.tuning = physics.DefaultTuning()
	f := &l.frame
	*f = game.Frame{
		Players: f.Players[:0], Characters: f.Characters[:0], Projectiles: f.Projectiles[:0],
		Lasers: f.Lasers[:0], Pickups: f.Pickups[:0], Flags: f.Flags[:0],
	}
	l.view = game.View{Frame: f, Viewer: game.Nobody, VitalsOf: game.Nobody}
	l.effects.reset()
	l.race = bridge.RaceInfo{BestTime: -1}
	l.reckon.Reset()
}

// SetMap gives the map, without which tees are shown where the server last told
// of them, up to three seconds ago. Nil takes it away.
func (l *Lift) SetMap(c *physics.Collision) { l.reckon.SetMap(c) }

// OwnID is the receiver's id, Nobody while it is unknown.
func (l *Lift) OwnID() game.PlayerID { return l.own }

// Player tells about a player; false when he is not in the game, and then what is
// known of the last who had the seat.
func (l *Lift) Player(id game.PlayerID) (game.PlayerInfo, bool) {
	if id < 0 || id >= game.MaxPlayers {
		return game.PlayerInfo{ID: id}, false
	}
	return l.roster[id], l.roster[id].InGame
}

// Settings are the server's settings.
func (l *Lift) Settings() bridge.Settings { return l.rules }

// GameInfo are the score and time limit and the number of the match; the other fields
// count only in the view.
func (l *Lift) GameInfo() game.GameState {
	return game.GameState{
		Flags: game.GameFlags(l.info.GameFlags), ScoreLimit: l.info.ScoreLimit, TimeLimit: l.info.TimeLimit,
		MatchNum: l.info.MatchNum, MatchCurrent: l.info.MatchCurrent, FlagCarrier: [2]int32{-3, -3},
	}
}

// Tuning is the tuning in force; the default until the server tells.
func (l *Lift) Tuning() game.Tuning { return l.tuning }

// RaceInfo is what the last snapshot said of a race. It is valid until the next one.
func (l *Lift) RaceInfo() *bridge.RaceInfo { return &l.race }

// View is the world as of the last snapshot. It is valid until the next one.
func (l *Lift) View() *game.View { return &l.view }

// Effects is what the last snapshot brought to see and to hear. It is valid until
// the next one.
func (l *Lift) Effects() []game.Event { return l.effects.list }

// ReceiveSnapshot takes a snapshot and returns the view of it. Objects that it does not
// know, or whose values are out of range, are left out.
func (l *Lift) ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View {
	f := &l.frame
	f.Tick = tick
	f.Game = l.GameInfo()
	f.Players, f.Characters, f.Projectiles = f.Players[:0], f.Characters[:0], f.Projectiles[:0]
	f.Lasers, f.Pickups, f.Flags = f.Lasers[:0], f.Pickups[:0], f.Flags[:0]
	l.effects.reset()
	l.race = bridge.RaceInfo{BestTime: -1}
	l.view.Viewer, l.view.VitalsOf = l.own, l.own
	for i := range s.Len() {
		key, ints := s.Item(i)
		l.item(key.Type(), key.ID(), ints)
	}
	l.finish()
	return &l.view
}

// item takes one object. Types ascend: players come before who they watch.
func (l *Lift) item(typ, id int, ints []int32) {
	f := &l.frame
	switch typ {
	case msg7.TypeProjectile:
		var o msg7.Projectile
		if o.ReadInts(ints) == nil {
			p := game.ProjectileState{ID: uint16(id), X: o.X, Y: o.Y, VelX: o.VelX, VelY: o.VelY, Weapon: game.Weapon(o.Type), StartTick: o.StartTick}
			p.Pos = p.PosAt(&l.tuning, f.Tick)
			f.Projectiles = append(f.Projectiles, p)
		}
	case msg7.TypeLaser:
		var o msg7.Laser
		if o.ReadInts(ints) == nil {
			f.Lasers = append(f.Lasers, game.LaserState{
				ID: uint16(id), X: o.X, Y: o.Y, FromX: o.FromX, FromY: o.FromY, StartTick: o.StartTick,
				Pos: at(o.X, o.Y), From: at(o.FromX, o.FromY),
			})
		}
	case msg7.TypePickup:
		var o msg7.Pickup
		if o.ReadInts(ints) == nil {
			f.Pickups = append(f.Pickups, game.PickupState{ID: uint16(id), X: o.X, Y: o.Y, Kind: game.PickupKind(o.Type)})
		}
	case msg7.TypeFlag:
		var o msg7.Flag
		if o.ReadInts(ints) == nil {
			f.Flags = append(f.Flags, game.FlagState{Team: game.Team(o.Team), X: o.X, Y: o.Y, Pos: at(o.X, o.Y)})
		}
	case msg7.TypeGameData:
		var o msg7.GameData
		if o.ReadInts(ints) == nil {
			f.Game.StartTick, f.Game.State, f.Game.EndTick = o.StartTick, game.GameStateFlags(o.StateFlags), o.StateEndTick
		}
	case msg7.TypeGameDataTeam:
		var o msg7.GameDataTeam
		if o.ReadInts(ints) == nil {
			f.Game.TeamScore = [2]int32{o.ScoreRed, o.ScoreBlue}
		}
	case msg7.TypeGameDataFlag:
		var o msg7.GameDataFlag
		if o.ReadInts(ints) == nil {
			f.Game.FlagCarrier = [2]int32{int32(o.CarrierRed), int32(o.CarrierBlue)}
			f.Game.FlagDropTick = [2]int32{o.DropTickRed, o.DropTickBlue}
		}
	case msg7.TypeCharacter:
		var o msg7.Character
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			f.Characters = append(f.Characters, character(game.PlayerID(id), &o))
		}
	case msg7.TypePlayerInfo:
		var o msg7.PlayerInfo
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			r := &l.roster[id]
			r.Score, r.Flags = o.Score, game.PlayerFlags(o.PlayerFlags)
			r.Alive, r.Ready = false, r.Flags&game.PlayerFlagReady != 0
			f.Players = append(f.Players, game.PlayerState{
				ID: r.ID, Team: r.Team, Flags: r.Flags, Score: o.Score, Latency: o.Latency, SpectatorID: game.Nobody,
			})
		}
	case msg7.TypeSpectatorInfo:
		var o msg7.SpectatorInfo
		if o.ReadInts(ints) == nil && id == int(l.own) {
			l.watch(&o)
		}
	case msg7.TypePlayerInfoRace:
		var o msg7.PlayerInfoRace
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			l.race.Active, l.race.StartTick[id] = true, o.StartTick
		}
	case msg7.TypeGameDataRace:
		var o msg7.GameDataRace
		if o.ReadInts(ints) == nil {
			r := &l.race
			r.Active, r.BestTime, r.Precision = true, o.BestTime, o.Precision
			r.HideKillMessages, r.FinishAsChat = o.RaceFlags&msg7.RaceFlagHideKillMsg != 0, o.RaceFlags&msg7.RaceFlagFinishAsChat != 0
			r.KeepWantedWeapon = o.RaceFlags&msg7.RaceFlagKeepWantedWeapon != 0
		}
	default:
		l.effects.take(typ, id, ints)
	}
}

// character is a tee as its object shows it.
func character(id game.PlayerID, o *msg7.Character) game.CharacterState {
	return game.CharacterState{
		Player: id, Tick: o.Tick, X: o.X, Y: o.Y, VelX: o.VelX, VelY: o.VelY, Angle: o.Angle, Direction: o.Direction,
		Jumped: o.Jumped, HookedPlayer: o.HookedPlayer, HookState: int32(o.HookState), HookTick: o.HookTick,
		HookX: o.HookX, HookY: o.HookY, HookDX: o.HookDX, HookDY: o.HookDY,
		Health: o.Health, Armor: o.Armor, Ammo: o.Ammo, Weapon: game.Weapon(o.Weapon), Emote: game.Emote(o.Emote),
		AttackTick: o.AttackTick, TriggeredEvents: int32(o.TriggeredEvents), Pos: at(o.X, o.Y),
	}
}

// watch takes what the receiver looks at when it is not his own tee.
func (l *Lift) watch(o *msg7.SpectatorInfo) {
	l.view.Pos, l.view.VitalsOf = at(o.X, o.Y), game.PlayerID(o.SpectatorID)
	for i := range l.frame.Players {
		if p := &l.frame.Players[i]; p.ID == l.own {
			p.SpecMode, p.SpectatorID, p.Spectating = game.SpectateMode(o.Mode), game.PlayerID(o.SpectatorID), true
			p.ViewX, p.ViewY = o.X, o.Y
		}
	}
}

// finish brings tees to where they are now and the view to the viewer's tee.
func (l *Lift) finish() {
	f := &l.frame
	for i := range f.Characters {
		c := &f.Characters[i]
		c.Pos = l.reckon.Position(c, f.Tick)
		l.roster[c.Player].Alive = true
		if c.Player == l.own && l.view.VitalsOf == l.own {
			l.view.Pos = c.Pos
		}
	}
}

// CoreState is how a tee of the view moves: what the server told of it last, brought
// forward to the tick of the view.
func (l *Lift) CoreState(c *game.CharacterState) physics.CoreState { return l.reckon.State(c) }

// effects are what a snapshot brings to see and to hear, in the order in which
// they happened: that of their ids.
type effects struct {
	list []game.Event
	ids  []int
}

func (e *effects) reset() { e.list, e.ids = e.list[:0], e.ids[:0] }

// take adds an object if it is an effect.
func (e *effects) take(typ, id int, ints []int32) {
	if len(e.list) >= maxEffects {
		return
	}
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	var c msg7.EventCommon
	var err error
	switch typ {
	case msg7.TypeEventExplosion:
		var o msg7.EventExplosion
		err = o.ReadInts(ints)
		ev.Kind, c = game.EvExplosion, o.EventCommon
	case msg7.TypeEventSpawn:
		var o msg7.EventSpawn
		err = o.ReadInts(ints)
		ev.Kind, c = game.EvSpawn, o.EventCommon
	case msg7.TypeEventHammerHit:
		var o msg7.EventHammerHit
		err = o.ReadInts(ints)
		ev.Kind, c = game.EvHammerHit, o.EventCommon
	case msg7.TypeEventDeath:
		var o msg7.EventDeath
		err = o.ReadInts(ints)
		ev.Kind, c, ev.Player = game.EvDeath, o.EventCommon, game.PlayerID(o.ClientID)
	case msg7.TypeEventSoundWorld:
		var o msg7.EventSoundWorld
		err = o.ReadInts(ints)
		ev.Kind, c, ev.Sound = game.EvSound, o.EventCommon, game.Sound(o.Sound)
	case msg7.TypeEventDamage:
		var o msg7.EventDamage
		err = o.ReadInts(ints)
		ev.Kind, c, ev.Player = game.EvDamage, o.EventCommon, game.PlayerID(o.ClientID)
		ev.Angle, ev.Value, ev.Extra, ev.Flag = o.Angle, o.Health, o.Armor, o.Self
	default:
		return
	}
	if err != nil {
		return
	}
	ev.Pos = vec.Vec2{X: float32(c.X), Y: float32(c.Y)}
	i := len(e.ids)
	e.list, e.ids = append(e.list, ev), append(e.ids, id)
	for ; i > 0 && e.ids[i-1] > id; i-- {
		e.list[i], e.ids[i] = e.list[i-1], e.ids[i-1]
	}
	e.list[i], e.ids[i] = ev, id
}
