package bridge7

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

var itemTypes = items.Types{
	Projectile: msg7.TypeProjectile, Laser: msg7.TypeLaser, Flag: msg7.TypeFlag,
	Explosion: msg7.TypeEventExplosion, Spawn: msg7.TypeEventSpawn, HammerHit: msg7.TypeEventHammerHit,
	Death: msg7.TypeEventDeath, Sound: msg7.TypeEventSoundWorld,
}

// snapshotEncoder encodes frames as 0.7 snapshots for any number of clients. Items that are the
// same for all clients are encoded once per round.
//
// Call recordTick in every tick. For each round of snapshots, call beginRound, then buildSnapshot
// for each client, then endRound.
type snapshotEncoder struct {
	frame *game.Frame
	// freezeTicks is the length of a tile's freeze in DDRace, in ticks; 0 in other games.
	freezeTicks int32
	// knowsAim is whether the client that a snapshot is for knows game.PlayerFlagAim.
	knowsAim   bool
	triggered  [game.MaxPlayers]int32 // core events since the last round, by player
	shared     items.Shared
	characters []items.Character
	hooks      items.HookLines
	effects    items.Effects
	players    [game.MaxPlayers]playerItem // the players as most clients see them, by id
	pool       snapshot.SharedPool
	round      *snapshot.SharedItems // items that the snapshots of this round share
}

// playerItem is one player, encoded for snapshots.
type playerItem struct {
	info [msg7.SizePlayerInfo]int32
	ref  snapshot.SharedRef
}

// recordTick records the effects and core events of a tick. Clients learn them from snapshots only.
func (e *snapshotEncoder) recordTick(f *game.Frame, events []game.Event) {
	for i := range f.Characters {
		c := &f.Characters[i]
		e.triggered[c.Player] |= c.TriggeredEvents
	}
	for i := range events {
		ev := &events[i]
		if !ev.Kind.IsEffect() || !e.effects.CountEvent() {
			continue
		}
		if ev.Kind == game.EvDamage {
			self := int32(0)
			if ev.Flag {
				self = 1
			}
			// The client adds up health and armor, and accepts at most nine of each.
			health := min(max(ev.Value, 0), maxDamage)
			armor := min(max(ev.Extra, 0)+max(ev.Value, 0)-health, maxDamage)
			e.effects.Add(msg7.TypeEventDamage, ev.Pos, ev.To, int32(ev.Player), ev.Angle, health, armor, self)
			continue
		}
		e.effects.Record(ev, &itemTypes)
	}
}

// maxDamage is the largest loss of health, or of armor, in one damage event.
const maxDamage = 9

// beginRound encodes the parts of a frame that most clients share.
func (e *snapshotEncoder) beginRound(f *game.Frame) {
	e.frame = f
	e.round.Release()
	e.round = e.pool.Take()
	e.shared.Reset()
	e.characters = e.characters[:0]

	// Add in roughly ascending order of type: DDRace maps have thousands of items, and sorting them
	// would take long.
	e.shared.AddEntities(f, &itemTypes)
	for i := range f.Pickups {
		p := &f.Pickups[i]
		o := msg7.Pickup{X: p.X, Y: p.Y, Type: msg7.PickupType(p.Kind)}
		if p.Kind > game.PickupHammer {
			o.Type = msg7.PickupArmor
		}
		o.PutInts(e.shared.AddNear(msg7.TypePickup, int(p.ID), msg7.SizePickup, convert.Point(p.X, p.Y)))
		e.shared.HideLast(p.NotFor)
		e.shared.BlinkLast(p.Entity, false, f.Tick)
	}
	e.addGame(&f.Game)
	for i := range f.Characters {
		e.addCharacter(&f.Characters[i])
	}
	if f.Game.Flags&game.GameFlagDDRace != 0 {
		e.hooks.Show(f, e.characters)
	}
	for i := range f.Players {
		p := &f.Players[i]
		o := msg7.PlayerInfo{PlayerFlags: encodePlayerFlags(p.Flags), Score: p.Score}
		o.PutInts(e.players[p.ID].info[:])
	}
	// buildSnapshot adds characters, players and effects later; their types are higher.
	e.shared.Sort()
	e.effects.Sort()
}

// encodePlayerFlags removes the flag that only DDNet's clients know.
func encodePlayerFlags(f game.PlayerFlags) msg7.PlayerFlags {
	return msg7.PlayerFlags(f &^ game.PlayerFlagAim)
}

// addGame adds the state of the match.
func (e *snapshotEncoder) addGame(g *game.GameState) {
	o := msg7.GameData{StartTick: g.StartTick, StateFlags: msg7.GameStateFlags(g.State), StateEndTick: g.EndTick}
	o.PutInts(e.shared.AddGlobal(msg7.TypeGameData, 0, msg7.SizeGameData))
	if g.Flags&game.GameFlagTeams != 0 {
		o := msg7.GameDataTeam{ScoreRed: g.TeamScore[0], ScoreBlue: g.TeamScore[1]}
		o.PutInts(e.shared.AddGlobal(msg7.TypeGameDataTeam, 0, msg7.SizeGameDataTeam))
	}
	if g.Flags&game.GameFlagFlags != 0 {
		o := msg7.GameDataFlag{
			CarrierRed: msg7.FlagCarrier(g.FlagCarrier[0]), CarrierBlue: msg7.FlagCarrier(g.FlagCarrier[1]),
			DropTickRed: g.FlagDropTick[0], DropTickBlue: g.FlagDropTick[1],
		}
		o.PutInts(e.shared.AddGlobal(msg7.TypeGameDataFlag, 0, msg7.SizeGameDataFlag))
		e.shared.OwnLast()
	}
}

// foreverTicks is the length of a ninja in ticks. A freeze without an end is shown as a ninja of
// that length.
const foreverTicks = 15 * game.TickRate

// maxAngle is π in 1/256 radian.
const maxAngle = 804

func (e *snapshotEncoder) addCharacter(c *game.CharacterState) {
	weapon, ammo := c.Weapon, c.Ammo
	if c.FreezeEnd != 0 { // DDNet-Server shows a freeze to clients that do not support it as a ninja
		weapon, ammo = game.WeaponNinja, c.FreezeEnd
		switch {
		case e.freezeTicks != 0: // even if the freeze lasts longer
			ammo = c.FreezeStart + e.freezeTicks
		case ammo == game.FreezeForever:
			ammo = e.frame.Tick + foreverTicks
		}
	}
	angle := c.Angle
	if angle > maxAngle { // the angle in DDRace goes once around, starting at the top
		angle -= 2 * maxAngle
	}
	e.characters = append(e.characters, items.Character{
		Player: c.Player, Pos: c.Pos, State: c, Health: c.Health, Armor: c.Armor, Ammo: ammo,
	})
	o := msg7.Character{
		CharacterCore: msg7.CharacterCore{
			Tick: c.Tick, X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: angle, Direction: c.Direction,
			Jumped: c.Jumped, HookedPlayer: c.HookedPlayer, HookState: msg7.HookState(c.HookState), HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDX: c.HookDX, HookDY: c.HookDY,
		},
		Weapon: msg7.Weapon(weapon), Emote: msg7.Emote(c.Emote), AttackTick: c.AttackTick,
		TriggeredEvents: msg7.CoreEvents(e.triggered[c.Player]),
	}
	if e.freezeTicks != 0 && weapon == game.WeaponNinja {
		o.Ammo = ammo // in DDRace every client sees how long a freeze or a ninja lasts
	}
	o.PutInts(e.characters[len(e.characters)-1].Ints[:])
}

// buildRace adds the players' race clocks and the best time. Players can hide the clocks.
func (e *snapshotEncoder) buildRace(b *snapshot.Builder, v *game.View, ids *clientids.Map, release int32) {
	if e.frame.Game.Flags&game.GameFlagRace == 0 {
		return
	}
	knowsClocks := msg7.TypeKnownBy(msg7.TypePlayerInfoRace, release)
	for i := range e.frame.Players {
		if p := &e.frame.Players[i]; p.ID == v.Viewer && p.HideClock {
			knowsClocks = false
		}
	}
	for i := range e.frame.Players {
		if p := &e.frame.Players[i]; p.RaceStart != 0 && knowsClocks {
			if dst := b.Add(msg7.TypePlayerInfoRace, int(ids.ID(p.ID)), msg7.SizePlayerInfoRace); dst != nil {
				(&msg7.PlayerInfoRace{StartTick: p.RaceStart}).PutInts(dst)
			}
		}
	}
	if !msg7.TypeKnownBy(msg7.TypeGameDataRace, release) {
		return
	}
	r := &e.frame.Game.Race
	o := msg7.GameDataRace{BestTime: r.BestTime, Precision: r.Precision, RaceFlags: msg7.RaceFlags(r.Flags)}
	if r.BestTime == 0 {
		o.BestTime = noTime
	}
	if dst := b.Add(msg7.TypeGameDataRace, 0, msg7.SizeGameDataRace); dst != nil {
		o.PutInts(dst)
	}
}

// noTime stands for a best time that does not exist yet.
const noTime = -1

// buildSnapshot writes the items that are visible in v to b. Latency holds the ms that the
// scoreboard shows for each player. Ids are the client's. Release is the client's release. Demo is
// the recorded demo, or nil for a client in a game.
func (e *snapshotEncoder) buildSnapshot(
	b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, ids *clientids.Map, release int32, demo *demoSide,
) {
	var mapOwner items.OwnerMap
	if ids.IsActive() {
		mapOwner = func(_, id int, ints []int32) int {
			for i := range carriers { // of a GameDataFlag
				ints[i] = ids.Field(ints[i])
			}
			return id
		}
	}
	b.Reset()
	b.Share(e.round)
	if b.HasRoom(e.size()) {
		e.shared.AppendVisible(b, v, mapOwner)
		e.buildCharacters(b, v, ids)
		e.buildPlayers(b, v, latency, ids)
		if demo != nil {
			demo.buildInfos(b)
		}
		e.buildEffects(b, v, ids)
		e.buildRace(b, v, ids, release)
		if demo != nil {
			e.buildStates(b, v, ids)
		}
		return
	}
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityMatch, mapOwner)
	e.buildPlayers(b, v, latency, ids)
	if demo != nil {
		demo.buildInfos(b)
	}
	e.buildRace(b, v, ids, release)
	e.buildCharacters(b, v, ids)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityProjectiles, nil)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityLasers, nil)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityPickups, nil)
	e.buildEffects(b, v, ids)
	if demo != nil {
		e.buildStates(b, v, ids)
	}
}

// size returns an upper bound on the items and integers of a snapshot in this round, including
// those for demos.
func (e *snapshotEncoder) size() (items, ints int) {
	items, ints = e.shared.Size()
	effects, effectInts := e.effects.Size()
	states, stateInts := e.statesSize()
	players := len(e.frame.Players)
	items += effects + states + len(e.characters) + 3*players + 4
	ints += effectInts + stateInts + len(e.characters)*msg7.SizeCharacter + players*(msg7.SizePlayerInfo+msg7.SizeDeClientInfo+msg7.SizePlayerInfoRace) +
		msg7.SizeSpectatorInfo + msg7.SizeDeGameInfo + msg7.SizeDeTuneParams + msg7.SizeGameDataRace
	return items, ints
}

// Indexes of integers that are player ids.
const (
	characterHooked = 8
	carriers        = 2 // number of carriers, at the beginning of a GameDataFlag
)

func (e *snapshotEncoder) buildCharacters(b *snapshot.Builder, v *game.View, ids *clientids.Map) {
	for i := range e.characters {
		c := &e.characters[i]
		if !c.IsVisible(v) {
			continue
		}
		if !ids.IsActive() {
			c.Append(b, v, msg7.TypeCharacter, msg7.SizeCharacterCore)
			continue
		}
		id := ids.ID(c.Player)
		if id < 0 {
			continue
		}
		hooked := ids.Field(c.Ints[characterHooked])
		if id == int32(c.Player) && hooked == c.Ints[characterHooked] {
			c.Append(b, v, msg7.TypeCharacter, msg7.SizeCharacterCore)
		} else if ints := c.AppendOwn(b, v, msg7.TypeCharacter, int(id), msg7.SizeCharacterCore); ints != nil {
			ints[characterHooked] = hooked
		}
	}
}

func (e *snapshotEncoder) buildEffects(b *snapshot.Builder, v *game.View, ids *clientids.Map) {
	for i := range e.effects.Items {
		it := &e.effects.Items[i]
		if !it.IsFor(v) {
			continue
		}
		if !ids.IsActive() {
			it.Append(b)
			continue
		}
		id := it.Ints[items.EffectPlayer]
		if it.Type == msg7.TypeEventDeath || it.Type == msg7.TypeEventDamage {
			id = ids.Field(id)
		}
		if id == it.Ints[items.EffectPlayer] {
			it.Append(b)
		} else if id >= 0 {
			it.AppendOf(b, id)
		}
	}
}

func (e *snapshotEncoder) buildPlayers(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, ids *clientids.Map) {
	var watcher *game.PlayerState // the viewer, while watching
	for i := range e.frame.Players {
		p := &e.frame.Players[i]
		id := int32(p.ID)
		if ids.IsActive() {
			if id = ids.ID(p.ID); id < 0 {
				continue
			}
		}
		flags := p.Flags
		if p.Spectating && p.SpectatorID == v.Viewer && v.Viewer != p.ID && v.Viewer != game.Nobody {
			flags |= game.PlayerFlagWatching
		}
		aims := e.knowsAim && flags&game.PlayerFlagAim != 0
		if latency[p.ID] == 0 && flags == p.Flags && !aims && id == int32(p.ID) {
			item := &e.players[p.ID]
			b.AddShared(&item.ref, msg7.TypePlayerInfo, int(p.ID), item.info[:])
			if p.ID == v.Viewer && p.Spectating {
				watcher = p
			}
			continue
		}
		o := msg7.PlayerInfo{PlayerFlags: encodePlayerFlags(flags), Score: p.Score, Latency: latency[p.ID]}
		if aims {
			o.PlayerFlags |= msg7.PlayerFlagAim
		}
		if dst := b.Add(msg7.TypePlayerInfo, int(id), msg7.SizePlayerInfo); dst != nil {
			o.PutInts(dst)
		}
		if p.ID == v.Viewer && p.Spectating {
			watcher = p
		}
	}
	if p := watcher; p != nil {
		o := msg7.SpectatorInfo{Mode: msg7.SpecMode(p.SpecMode), SpectatorID: ids.ID(p.SpectatorID), X: p.ViewX, Y: p.ViewY}
		if dst := b.Add(msg7.TypeSpectatorInfo, int(ids.ID(p.ID)), msg7.SizeSpectatorInfo); dst != nil {
			o.PutInts(dst)
		}
	}
}

// endRound ends a round and removes its effects. Effects are shown once.
func (e *snapshotEncoder) endRound() {
	e.effects.Reset()
	clear(e.triggered[:])
}
