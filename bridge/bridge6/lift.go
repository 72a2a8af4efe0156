package bridge6

import (
	"math"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// lift is the client's side of the bridge: from snapshots, and the few messages that
// say more, it makes the vocabulary of package game. It is the inverse of scene, but
// for what 0.6 does not carry; see the comment of the package.
//
// It allocates nothing per snapshot, unless players change.
type lift struct {
	own      game.PlayerID
	roster   [game.MaxPlayers]game.PlayerInfo
	looks    [game.MaxPlayers][msg6.SizeClientInfo]int32 // that the roster's profiles are of
	seen     [game.MaxPlayers]sighting
	limits   game.GameState
	tuning   game.Tuning
	frame    game.Frame
	view     game.View
	effects  []game.Event
	ids      []int // of effects
	reckon   bridge.DeadReckoner
	race     bridge.RaceInfo
	registry msg6.TypeRegistry
	watching msg6.SpectatorInfo
	watches  bool
	// rich tells that the server uses DDNet's own messages or objects.
	rich bool
	// version is DDNet's that we said to be.
	version int32
	flags   flagTracker
	started int32 // tick at which the race began of whom we are or watch
	star    int32 // angle of the last of a hit's stars
	starID  int   // its id, -1 none
	starAt  int   // where the hit is among the effects
}

// sighting is what a snapshot has of a player.
type sighting struct {
	here, dressed bool // has a PlayerInfo, a ClientInfo
	team          game.Team
	flags         game.PlayerFlags
	admin         bool
	look          [msg6.SizeClientInfo]int32
}

func (l *lift) reset() {
	l.own = game.Nobody
	for i := range l.roster {
		l.roster[i] = game.PlayerInfo{ID: game.PlayerID(i)}
	}
	l.seen = [game.MaxPlayers]sighting{}
	l.looks = [game.MaxPlayers][msg6.SizeClientInfo]int32{}
	l.limits = game.GameState{FlagCarrier: [2]int32{int32(msg6.FlagMissing), int32(msg6.FlagMissing)}}
	l.tuning = physics.DefaultTuning()
	f := &l.frame
	*f = game.Frame{
		Players: f.Players[:0], Characters: f.Characters[:0], Projectiles: f.Projectiles[:0],
		Lasers: f.Lasers[:0], Pickups: f.Pickups[:0], Flags: f.Flags[:0],
	}
	l.view = game.View{Frame: f, Viewer: game.Nobody, VitalsOf: game.Nobody}
	l.clearEffects()
	l.race = bridge.RaceInfo{BestTime: -1}
	l.reckon.Reset()
	l.registry.Reset()
	l.flags = flagTracker{}
}

func (l *lift) clearEffects() {
	l.effects, l.ids = l.effects[:0], l.ids[:0]
	l.starID = -1
}

// SetMap implements [bridge.ClientSide].
func (l *lift) SetMap(c *physics.Collision) { l.reckon.SetMap(c) }

// OwnID implements [bridge.ClientSide]. The first snapshot tells it.
func (l *lift) OwnID() game.PlayerID { return l.own }

// Player implements [bridge.ClientSide].
func (l *lift) Player(id game.PlayerID) (game.PlayerInfo, bool) {
	if id < 0 || id >= game.MaxPlayers {
		return game.PlayerInfo{ID: id}, false
	}
	return l.roster[id], l.roster[id].InGame
}

// Settings implements [bridge.ClientSide]. 0.6 tells none of them.
func (l *lift) Settings() bridge.Settings { return bridge.Settings{} }

// GameInfo implements [bridge.ClientSide].
func (l *lift) GameInfo() game.GameState { return l.limits }

// Tuning implements [bridge.ClientSide].
func (l *lift) Tuning() game.Tuning { return l.tuning }

// RaceInfo implements [bridge.ClientSide].
func (l *lift) RaceInfo() *bridge.RaceInfo { return &l.race }

// View implements [bridge.ClientSide].
func (l *lift) View() *game.View { return &l.view }

// Effects implements [bridge.ClientSide].
func (l *lift) Effects() []game.Event { return l.effects }

// CoreState implements [bridge.ClientSide].
func (l *lift) CoreState(c *game.CharacterState) physics.CoreState { return l.reckon.State(c) }

// take makes a view of a snapshot. Objects that it does not know are left out; values
// that are out of range are brought into it, as by DDNet.
func (l *lift) take(tick int32, s *snapshot.Snapshot) {
	f := &l.frame
	f.Tick = tick
	f.Game = game.GameState{FlagCarrier: [2]int32{int32(msg6.FlagMissing), int32(msg6.FlagMissing)}}
	f.Players, f.Characters, f.Projectiles = f.Players[:0], f.Characters[:0], f.Projectiles[:0]
	f.Lasers, f.Pickups, f.Flags = f.Lasers[:0], f.Pickups[:0], f.Flags[:0]
	l.clearEffects()
	l.race = bridge.RaceInfo{BestTime: l.race.BestTime}
	l.started, l.watches = 0, false
	for i := range l.seen {
		p := &l.seen[i]
		p.here, p.dressed, p.admin, p.flags = false, false, false, 0
	}
	l.registry.Reset()
	for i := range s.Len() {
		key, ints := s.Item(i)
		l.item(key.Type(), key.ID(), ints)
	}
	l.finish()
}

// item takes one object. Types ascend: what belongs to a player is put together at
// the end.
func (l *lift) item(typ, id int, ints []int32) {
	f := &l.frame
	switch typ {
	case msg6.TypeEx:
		l.rich = true
		l.registry.AddEx(id, ints)
	case msg6.TypeProjectile:
		if l.version >= msg6.VersionAntiPingProjectile && l.version < msg6.VersionMsgLegacy {
			l.extended(msg6.TypeDDRaceProjectile, id, ints)
			return
		}
		var o msg6.Projectile
		if o.ReadInts(ints) == nil {
			o.Clamp()
			l.projectile(id, o.X, o.Y, o.VelX, o.VelY, o.Type, o.StartTick)
		}
	case msg6.TypeLaser:
		var o msg6.Laser
		if o.ReadInts(ints) == nil {
			l.laser(id, o.X, o.Y, o.FromX, o.FromY, o.StartTick)
		}
	case msg6.TypePickup:
		var o msg6.Pickup
		if o.ReadInts(ints) == nil {
			l.pickup(id, o.X, o.Y, o.Type, o.Subtype)
		}
	case msg6.TypeFlag:
		var o msg6.Flag
		if o.ReadInts(ints) == nil {
			o.Clamp()
			f.Flags = append(f.Flags, game.FlagState{Team: game.Team(o.Team), X: o.X, Y: o.Y, Pos: at(o.X, o.Y)})
		}
	case msg6.TypeGameInfo:
		var o msg6.GameInfo
		if o.ReadInts(ints) == nil {
			l.game(&o)
		}
	case msg6.TypeGameData:
		var o msg6.GameData
		if o.ReadInts(ints) == nil {
			o.Clamp()
			f.Game.TeamScore = [2]int32{o.ScoreRed, o.ScoreBlue}
			if f.Game.Flags&game.GameFlagFlags != 0 {
				f.Game.FlagCarrier = [2]int32{int32(o.CarrierRed), int32(o.CarrierBlue)}
			}
		}
	case msg6.TypeCharacter:
		var o msg6.Character
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			o.Clamp()
			f.Characters = append(f.Characters, characterOf(game.PlayerID(id), &o))
			l.seen[id].flags = flagsOf(o.PlayerFlags)
		}
	case msg6.TypePlayerInfo:
		var o msg6.PlayerInfo
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			o.Clamp()
			l.seen[id].here, l.seen[id].team = true, game.Team(o.Team)
			if o.Local != 0 {
				l.own = game.PlayerID(id)
			}
			f.Players = append(f.Players, game.PlayerState{
				ID: game.PlayerID(id), Team: game.Team(o.Team), Score: o.Score, Latency: o.Latency, SpectatorID: game.Nobody,
			})
		}
	case msg6.TypeClientInfo:
		if id < game.MaxPlayers && len(ints) == msg6.SizeClientInfo {
			l.seen[id].dressed = true
			copy(l.seen[id].look[:], ints)
		}
	case msg6.TypeSpectatorInfo:
		if l.watching.ReadInts(ints) == nil && id == int(l.own) {
			l.watching.Clamp()
			l.watches = true
		}
	case msg6.TypeEventExplosion, msg6.TypeEventSpawn, msg6.TypeEventHammerHit, msg6.TypeEventDeath,
		msg6.TypeEventSoundWorld, msg6.TypeEventDamageInd:
		l.effect(typ, id, ints)
	default:
		if typ >= msg6.LastExtendedWireType {
			l.extended(l.registry.Type(typ), id, ints)
		}
	}
}

// extended takes an object of DDNet's own, as far as it shows what others do.
func (l *lift) extended(typ, id int, ints []int32) {
	switch typ {
	case msg6.TypeDDNetPlayer:
		var o msg6.DDNetPlayer
		if id < game.MaxPlayers && o.ReadInts(ints) == nil {
			l.seen[id].admin = o.AuthLevel != msg6.AuthNone
		}
	case msg6.TypeDDNetLaser:
		var o msg6.DDNetLaser
		if o.ReadInts(ints) == nil {
			l.laser(id, o.ToX, o.ToY, o.FromX, o.FromY, o.StartTick)
		}
	case msg6.TypeDDNetPickup:
		var o msg6.DDNetPickup
		if o.ReadInts(ints) == nil {
			l.pickup(id, o.X, o.Y, o.Type, o.Subtype)
		}
	case msg6.TypeDDRaceProjectile:
		var o msg6.DDRaceProjectile
		if o.ReadInts(ints) == nil {
			o.Clamp()
			sin, cos := math.Sincos(float64(o.Angle) / 1e6)
			l.projectile(id, o.X/100, o.Y/100, int32(-sin*100), int32(cos*100), o.Type, o.StartTick)
		}
	case msg6.TypeDDNetProjectile:
		var o msg6.DDNetProjectile
		if o.ReadInts(ints) == nil {
			o.Clamp()
			x, y := float64(o.VelX)/1e4, float64(o.VelY)/1e4
			if o.Flags&msg6.ProjectileNormalizeVel != 0 {
				if n := math.Hypot(x, y); n > 0 {
					x, y = x/n*100, y/n*100
				}
			}
			l.projectile(id, o.X/100, o.Y/100, int32(x), int32(y), o.Type, o.StartTick)
		}
	}
}

func (l *lift) projectile(id int, x, y, velX, velY int32, w msg6.Weapon, start int32) {
	p := game.ProjectileState{ID: uint16(id), X: x, Y: y, VelX: velX, VelY: velY, Weapon: game.Weapon(max(w, 0)), StartTick: start}
	p.Pos = p.PosAt(&l.tuning, l.frame.Tick)
	l.frame.Projectiles = append(l.frame.Projectiles, p)
}

func (l *lift) laser(id int, x, y, fromX, fromY, start int32) {
	l.frame.Lasers = append(l.frame.Lasers, game.LaserState{
		ID: uint16(id), X: x, Y: y, FromX: fromX, FromY: fromY, StartTick: start, Pos: at(x, y), From: at(fromX, fromY),
	})
}

func (l *lift) pickup(id int, x, y int32, typ msg6.PickupType, sub msg6.Weapon) {
	if kind, ok := pickupOf(typ, sub); ok {
		l.frame.Pickups = append(l.frame.Pickups, game.PickupState{ID: uint16(id), X: x, Y: y, Kind: kind})
	}
}

// pickupOf is the inverse of pickup. DDNet's shields against single weapons are
// armour, as they look like.
func pickupOf(typ msg6.PickupType, sub msg6.Weapon) (game.PickupKind, bool) {
	switch typ {
	case msg6.PickupHealth:
		return game.PickupHealth, true
	case msg6.PickupNinja:
		return game.PickupNinja, true
	case msg6.PickupWeapon:
		switch sub {
		case msg6.WeaponHammer:
			return game.PickupHammer, true
		case msg6.WeaponGun:
			return game.PickupGun, true
		case msg6.WeaponShotgun:
			return game.PickupShotgun, true
		case msg6.WeaponGrenade:
			return game.PickupGrenade, true
		case msg6.WeaponLaser:
			return game.PickupLaser, true
		case msg6.WeaponNinja:
			return game.PickupNinja, true
		}
		return 0, false
	}
	return game.PickupArmor, typ > 0 && typ <= msg6.PickupArmorLaser
}

// game takes where the match stands.
func (l *lift) game(o *msg6.GameInfo) {
	g := &l.frame.Game
	if o.Flags&msg6.GameFlagTeams != 0 {
		g.Flags |= game.GameFlagTeams
	}
	if o.Flags&msg6.GameFlagFlags != 0 {
		g.Flags |= game.GameFlagFlags
	}
	g.StartTick, g.ScoreLimit, g.TimeLimit = o.RoundStartTick, o.ScoreLimit, o.TimeLimit
	g.MatchNum, g.MatchCurrent = o.RoundNum, o.RoundCurrent
	over := o.StateFlags&msg6.GameStateGameOver != 0
	if over {
		g.State |= game.StateGameOver
	}
	if o.StateFlags&msg6.GameStateSuddenDeath != 0 {
		g.State |= game.StateSuddenDeath
	}
	paused := o.StateFlags&msg6.GameStatePaused != 0 && !over
	if paused {
		g.State |= game.StatePaused
	}
	switch {
	case o.StateFlags&msg6.GameStateRaceTime != 0 && o.WarmupTimer < 0:
		l.race.Active, l.started = true, -o.WarmupTimer
	case o.WarmupTimer > 0:
		if !paused && !over {
			g.State |= game.StateWarmup
		}
		if end := int64(l.frame.Tick) + int64(o.WarmupTimer); end <= math.MaxInt32 {
			g.EndTick = int32(end)
		}
	}
}

// characterOf is a tee as its object shows it.
func characterOf(id game.PlayerID, o *msg6.Character) game.CharacterState {
	return game.CharacterState{
		Player: id, Tick: o.Tick, X: o.X, Y: o.Y, VelX: o.VelX, VelY: o.VelY, Angle: o.Angle, Direction: o.Direction,
		Jumped: o.Jumped, HookedPlayer: o.HookedPlayer, HookState: int32(o.HookState), HookTick: o.HookTick,
		HookX: o.HookX, HookY: o.HookY, HookDX: o.HookDx, HookDY: o.HookDy,
		Health: o.Health, Armor: o.Armor, Ammo: o.AmmoCount, Weapon: game.Weapon(max(o.Weapon, 0)),
		Emote:      game.Emote(min(o.Emote, msg6.EmoteBlink)), // the wire's limits are one too wide
		AttackTick: o.AttackTick, Pos: at(o.X, o.Y),
	}
}

func flagsOf(f msg6.PlayerFlags) (to game.PlayerFlags) {
	if f&msg6.PlayerFlagChatting != 0 {
		to |= game.PlayerFlagChatting
	}
	if f&msg6.PlayerFlagScoreboard != 0 {
		to |= game.PlayerFlagScoreboard
	}
	return to
}

// finish puts together what is spread over objects, and brings tees to where they are
// now and the view to the viewer's tee.
func (l *lift) finish() {
	f := &l.frame
	l.view.Viewer, l.view.VitalsOf = l.own, l.own
	for i := range f.Players {
		p := &f.Players[i]
		s := &l.seen[p.ID]
		p.Flags = s.flags
		if s.admin {
			p.Flags |= game.PlayerFlagAdmin
		}
		if p.ID == l.own && l.watches {
			l.watch(p)
		}
		r := &l.roster[p.ID]
		r.Score, r.Flags, r.Alive = p.Score, p.Flags, false
	}
	for i := range f.Characters {
		c := &f.Characters[i]
		c.Pos = l.reckon.Position(c, f.Tick)
		l.roster[c.Player].Alive = true
		if c.Player == l.own && l.view.VitalsOf == l.own {
			l.view.Pos = c.Pos
		}
	}
	for i := range l.effects {
		if ev := &l.effects[i]; ev.Kind == game.EvDamage {
			ev.Player = l.near(ev.Pos)
		}
	}
	if in := l.view.VitalsOf; in >= 0 && in < game.MaxPlayers {
		l.race.StartTick[in] = max(l.started, 0)
	}
}

// watch takes what the receiver looks at when it is not his own tee.
func (l *lift) watch(p *game.PlayerState) {
	o := &l.watching
	l.view.Pos, l.view.VitalsOf = at(o.X, o.Y), game.PlayerID(o.SpectatorID)
	p.SpectatorID, p.Spectating, p.ViewX, p.ViewY = game.PlayerID(o.SpectatorID), true, o.X, o.Y
	p.SpecMode = game.SpectateFree
	if o.SpectatorID >= 0 {
		p.SpecMode = game.SpectatePlayer
	}
}

// near is the player whose tee is at a place; Nobody if none is.
func (l *lift) near(pos vec.Vec2) game.PlayerID {
	const radius = 64
	id, best := game.Nobody, float32(radius)
	for i := range l.frame.Characters {
		c := &l.frame.Characters[i]
		if d := vec.Distance(c.Pos, pos); d < best {
			id, best = c.Player, d
		}
	}
	return id
}

// effect takes something to see or hear, in the order in which it happened: that of
// the ids.
func (l *lift) effect(typ, id int, ints []int32) {
	if len(l.effects) >= maxEffects || len(ints) != int(msg6.Sizes[typ]) {
		return
	}
	ev := game.Event{Player: game.Nobody, Target: game.Nobody, Pos: at(ints[0], ints[1])}
	switch typ {
	case msg6.TypeEventExplosion:
		ev.Kind = game.EvExplosion
	case msg6.TypeEventSpawn:
		ev.Kind = game.EvSpawn
	case msg6.TypeEventHammerHit:
		ev.Kind = game.EvHammerHit
	case msg6.TypeEventDeath:
		ev.Kind, ev.Player = game.EvDeath, playerOf(ints[2])
	case msg6.TypeEventSoundWorld:
		if ints[2] < 0 || ints[2] > int32(msg6.SoundMenu) {
			return
		}
		ev.Kind, ev.Sound = game.EvSound, game.Sound(ints[2])
	case msg6.TypeEventDamageInd:
		// A hit has as many stars as it did damage, in a fan.
		same := l.starID == id-1 && l.starID >= 0 && l.effects[l.starAt].Pos == ev.Pos && ints[2] > l.star
		l.star, l.starID = ints[2], id
		if same {
			l.effects[l.starAt].Value++
			return
		}
		ev.Kind, ev.Value = game.EvDamage, 1
	}
	i := len(l.ids)
	l.effects, l.ids = append(l.effects, ev), append(l.ids, id)
	for ; i > 0 && l.ids[i-1] > id; i-- {
		l.effects[i], l.ids[i] = l.effects[i-1], l.ids[i-1]
	}
	l.effects[i], l.ids[i] = ev, id
	l.starAt = i
}

// playerOf is a client id that no range check has seen.
func playerOf(v int32) game.PlayerID {
	if v < 0 || v >= game.MaxPlayers {
		return game.Nobody
	}
	return game.PlayerID(v)
}
