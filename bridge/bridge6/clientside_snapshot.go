package bridge6

import (
	"math"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientstate"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// snapshotDecoder is the part of a clientSide that decodes snapshots.
type snapshotDecoder struct {
	items    msg6.ObjectDecoder
	types    msg6.TypeRegistry
	received [game.MaxPlayers]receivedPlayer
	// raceStart is the tick at which the viewed player's race began, if it runs.
	raceStart int32
	bestTime  int32 // the server's best time in ms, received in a message
	stars     starMerger
	ddraceDecoder
}

// receivedPlayer collects the facts about a player from several items of a snapshot.
type receivedPlayer struct {
	hasPlayerInfo, hasClientInfo bool
	team                         game.Team
	flags                        game.PlayerFlags
	exFlags                      msg6.ExPlayerFlags
	clientInfo                   [msg6.SizeClientInfo]int32
}

// decodeSnapshot decodes a snapshot into a view. decodeSnapshot skips unknown items and clamps
// values to their ranges, as DDNet's client does.
func (c *clientSide) decodeSnapshot(tick int32, s *snapshot.Snapshot) {
	c.BeginSnapshot(tick, clientstate.EmptyGameState())
	c.Frame.Game.Race.BestTime = c.bestTime
	c.raceStart = 0
	c.ddraceDecoder.begin()
	c.stars = starMerger{lastID: -1}
	for i := range c.received {
		p := &c.received[i]
		p.hasPlayerInfo, p.hasClientInfo, p.flags, p.exFlags = false, false, 0, 0
	}
	c.types.Reset()
	for i := range s.Len() {
		key, ints := s.Item(i)
		wireType := key.Type()
		typ := c.types.Type(wireType)
		switch {
		case wireType == msg6.TypeEx:
			c.extended = true
			c.types.AddEx(key.ID(), ints)
			continue
		case wireType == msg6.TypeProjectile && c.cfg.DDNetVersion >= msg6.VersionAntiPingProjectile &&
			!msg6.TypeKnownBy(msg6.TypeDDRaceProjectile, c.cfg.DDNetVersion) && isDDRaceProjectile(ints):
			typ = msg6.TypeDDRaceProjectile
		case typ == msg6.TypeUnknown, wireType < msg6.LastExtendedWireType && itemSizes.Of(wireType) == 0:
			continue
		}
		if o, err := c.items.Decode(typ, ints); err == nil {
			c.addItem(o, key.ID())
		}
	}
	c.endSnapshot()
}

// addItem adds an item to the view. Items arrive in ascending order of type. endSnapshot combines
// the items of each player.
func (c *clientSide) addItem(o msg6.Object, id int) {
	isPlayer := id < game.MaxPlayers
	switch o := o.(type) {
	case *msg6.Projectile:
		o.Clamp()
		c.AddProjectile(id, o.X, o.Y, o.VelX, o.VelY, game.Weapon(max(o.Type, 0)), o.StartTick)
	case *msg6.DDRaceProjectile:
		o.Clamp()
		c.addDDRaceProjectile(id, o)
	case *msg6.DDNetProjectile:
		o.Clamp()
		c.addDDNetProjectile(id, o)
	case *msg6.Laser:
		c.AddLaser(id, o.X, o.Y, o.FromX, o.FromY, o.StartTick)
		c.plainLasers = len(c.Frame.Lasers)
	case *msg6.DDNetLaser:
		c.addDDNetLaser(id, o)
	case *msg6.EntityEx:
		c.addEntity(id, o)
	case *msg6.SwitchState:
		c.addSwitches(id, o)
	case *msg6.SpecChar:
		if isPlayer {
			c.Frame.SpecTees = append(c.Frame.SpecTees, game.SpecTee{Player: game.PlayerID(id), X: o.X, Y: o.Y})
		}
	case *msg6.GameInfoEx:
		c.addGameInfoEx(o)
	case *msg6.Pickup:
		c.addPickup(id, o.X, o.Y, o.Type, o.Subtype)
	case *msg6.DDNetPickup:
		c.addPickup(id, o.X, o.Y, o.Type, o.Subtype)
		c.addSwitched(id, o.SwitchNumber, msg6.EntityPickup)
	case *msg6.Flag:
		o.Clamp()
		c.AddFlag(game.Team(o.Team), o.X, o.Y)
	case *msg6.GameInfo:
		c.addGameInfo(o)
	case *msg6.GameData:
		o.Clamp()
		g := &c.Frame.Game
		g.TeamScore = [2]int32{o.ScoreRed, o.ScoreBlue}
		if g.Flags&game.GameFlagFlags != 0 {
			g.FlagCarrier = [2]int32{int32(o.CarrierRed), int32(o.CarrierBlue)}
		}
	case *msg6.Character:
		if isPlayer {
			o.Clamp()
			c.addCharacter(game.PlayerID(id), o)
		}
	case *msg6.PlayerInfo:
		if isPlayer {
			o.Clamp()
			c.addPlayerInfo(game.PlayerID(id), o)
		}
	case *msg6.ClientInfo:
		if isPlayer {
			c.received[id].hasClientInfo = true
			o.PutInts(c.received[id].clientInfo[:])
		}
	case *msg6.DDNetCharacter:
		o.Clamp()
		c.addState(game.PlayerID(id), o)
	case *msg6.DDNetPlayer:
		if isPlayer {
			if c.received[id].exFlags = o.Flags; o.AuthLevel != msg6.AuthNone {
				c.received[id].flags |= game.PlayerFlagAdmin
			}
		}
	case *msg6.SpectatorInfo:
		if id == int(c.Own) {
			o.Clamp()
			mode := game.SpectateFree
			if o.SpectatorID >= 0 {
				mode = game.SpectatePlayer
			}
			c.Watch(mode, game.PlayerID(o.SpectatorID), o.X, o.Y)
		}
	case *msg6.EventExplosion:
		c.addEffect(id, game.EvExplosion, o.EventCommon, 0)
	case *msg6.EventSpawn:
		c.addEffect(id, game.EvSpawn, o.EventCommon, 0)
	case *msg6.EventHammerHit:
		c.addEffect(id, game.EvHammerHit, o.EventCommon, 0)
	case *msg6.EventDeath:
		c.addEffect(id, game.EvDeath, o.EventCommon, o.ClientID)
	case *msg6.EventSoundWorld:
		c.addEffect(id, game.EvSound, o.EventCommon, int32(o.Sound))
	case *msg6.EventDamageInd:
		c.addEffect(id, game.EvDamage, o.EventCommon, o.Angle)
	}
}

func (c *clientSide) addPickup(id int, x, y int32, typ msg6.PickupType, sub msg6.Weapon) {
	if kind, ok := decodePickup(typ, sub); ok {
		c.AddPickup(id, x, y, kind)
	}
}

// decodePickup is the inverse of pickups.
func decodePickup(typ msg6.PickupType, sub msg6.Weapon) (game.PickupKind, bool) {
	switch typ {
	case msg6.PickupHealth:
		return game.PickupHealth, true
	case msg6.PickupNinja:
		return game.PickupNinja, true
	case msg6.PickupWeapon:
		w := game.Weapon(sub)
		return convert.WeaponPickup(w), w >= 0 && w < game.NumWeapons
	case msg6.PickupArmorShotgun, msg6.PickupArmorGrenade, msg6.PickupArmorNinja, msg6.PickupArmorLaser:
		return game.PickupArmorShotgun + game.PickupKind(typ-msg6.PickupArmorShotgun), true
	}
	return game.PickupArmor, typ == msg6.PickupArmor
}

func (c *clientSide) addGameInfo(o *msg6.GameInfo) {
	g := &c.Frame.Game
	g.Flags = game.GameFlags(o.Flags) & gameFlags
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
		c.raceStart = -o.WarmupTimer
	case o.WarmupTimer > 0:
		if !paused && !over {
			g.State |= game.StateWarmup
		}
		if end := int64(c.Frame.Tick) + int64(o.WarmupTimer); end <= math.MaxInt32 {
			g.EndTick = int32(end)
		}
	}
}

func (c *clientSide) addCharacter(id game.PlayerID, o *msg6.Character) {
	c.AddCharacter(game.CharacterState{
		Player: id, Tick: o.Tick, X: o.X, Y: o.Y, VelX: o.VelX, VelY: o.VelY, Angle: o.Angle, Direction: o.Direction,
		Jumped: o.Jumped, HookedPlayer: o.HookedPlayer, HookState: int32(o.HookState), HookTick: o.HookTick,
		HookX: o.HookX, HookY: o.HookY, HookDX: o.HookDx, HookDY: o.HookDy,
		Health: o.Health, Armor: o.Armor, Ammo: o.AmmoCount, Weapon: game.Weapon(max(o.Weapon, 0)),
		Emote:      game.Emote(min(o.Emote, msg6.EmoteBlink)), // Clamp allows one more than the last emote
		AttackTick: o.AttackTick,
	})
	c.received[id].flags |= decodePlayerFlags(o.PlayerFlags)
}

// addState adds the state of a character, whose own item came earlier.
func (c *clientSide) addState(id game.PlayerID, o *msg6.DDNetCharacter) {
	c.Frame.Extended = true
	for i := range c.Frame.Characters {
		if s := &c.Frame.Characters[i]; s.Player == id {
			s.Flags, s.TickOrder = game.CharacterFlags(o.Flags), o.StrongWeakID
			s.FreezeStart, s.FreezeEnd = o.FreezeStart, o.FreezeEnd
			s.Jumps, s.AirJumps, s.NinjaStart = o.Jumps, o.JumpedTotal, o.NinjaActivationTick
			s.TargetX, s.TargetY, s.TeleCheckpoint = o.TargetX, o.TargetY, o.TeleCheckpoint
		}
	}
}

func decodePlayerFlags(f msg6.PlayerFlags) (flags game.PlayerFlags) {
	if f&msg6.PlayerFlagChatting != 0 {
		flags |= game.PlayerFlagChatting
	}
	if f&msg6.PlayerFlagScoreboard != 0 {
		flags |= game.PlayerFlagScoreboard
	}
	if f&msg6.PlayerFlagAim != 0 {
		flags |= game.PlayerFlagAim
	}
	return flags
}

func (c *clientSide) addPlayerInfo(id game.PlayerID, o *msg6.PlayerInfo) {
	team := game.Team(o.Team)
	c.received[id].hasPlayerInfo, c.received[id].team = true, team
	if o.Local != 0 {
		c.Own, c.CurrentView.Viewer, c.CurrentView.VitalsOf = id, id, id
	}
	c.Frame.Players = append(c.Frame.Players, game.PlayerState{ID: id, Team: team, Score: o.Score, Latency: o.Latency, SpectatorID: game.Nobody})
}

// endSnapshot combines the facts that are spread over several items.
func (c *clientSide) endSnapshot() {
	f := &c.Frame
	for i := range f.Players {
		s := &f.Players[i]
		s.Flags = c.received[s.ID].flags
		s.DDRaceTeam = c.ddraceTeams[s.ID]
		decodeExPlayerFlags(s, c.received[s.ID].exFlags)
		p := &c.Players[s.ID]
		p.Score, p.Flags, p.Alive = s.Score, s.Flags, false
	}
	c.EndSnapshot()
	for i := range c.EffectEvents {
		if ev := &c.EffectEvents[i]; ev.Kind == game.EvDamage {
			ev.Player = c.playerAt(ev.Pos)
		}
	}
	c.SetRaceStart(c.CurrentView.VitalsOf, c.raceStart)
	c.endDDRace()
}

// playerAt returns the player whose tee is at pos, or -1.
func (c *clientSide) playerAt(pos vec.Vec2) game.PlayerID {
	const radius = 64
	id, nearest := game.Nobody, float32(radius)
	for i := range c.Frame.Characters {
		ch := &c.Frame.Characters[i]
		if d := vec.Distance(ch.Pos, pos); d < nearest {
			id, nearest = ch.Player, d
		}
	}
	return id
}

// starMerger turns the stars of a hit into one event. A hit has one star per point of damage. The
// stars have successive ids, ascending angles and the same position.
type starMerger struct {
	lastID    int // id of the last star, -1 for none
	lastAngle int32
	event     int // index of the hit's event
}

// addEffect adds the event of an item. Value is the item's field besides the position: the player
// of EvDeath, the sound of EvSound, or the angle of an EvDamage star.
func (c *clientSide) addEffect(id int, kind game.EventKind, common msg6.EventCommon, value int32) {
	if len(c.EffectEvents) >= items.MaxEffectItems {
		return
	}
	ev := game.Event{Kind: kind, Player: game.Nobody, Target: game.Nobody, Pos: convert.Point(common.X, common.Y)}
	switch kind {
	case game.EvDeath:
		ev.Player = bridge.PlayerIDOf(value)
	case game.EvSound:
		if value < 0 || value > int32(msg6.SoundMenu) {
			return
		}
		ev.Sound = game.Sound(value)
	case game.EvDamage:
		m := &c.stars
		sameHit := m.lastID >= 0 && m.lastID == id-1 && c.EffectEvents[m.event].Pos == ev.Pos && value > m.lastAngle
		m.lastID, m.lastAngle = id, value
		if sameHit {
			c.EffectEvents[m.event].Value++
			return
		}
		ev.Value = 1
	}
	c.stars.event = c.AddEffect(id, ev)
}
