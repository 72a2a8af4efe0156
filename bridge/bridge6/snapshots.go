package bridge6

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

var itemTypes = items.Types{
	Projectile: msg6.TypeProjectile, Laser: msg6.TypeLaser, Flag: msg6.TypeFlag,
	Explosion: msg6.TypeEventExplosion, Spawn: msg6.TypeEventSpawn, HammerHit: msg6.TypeEventHammerHit,
	Death: msg6.TypeEventDeath, Sound: msg6.TypeEventSoundWorld,
}

// snapshotEncoder encodes frames as 0.6 snapshots for any number of clients. Items that are the
// same for all clients are encoded once per round.
//
// Call recordTick in every tick. For each round of snapshots, call beginRound, then buildSnapshot
// for each client, then endRound.
type snapshotEncoder struct {
	frame  *game.Frame
	shared items.Shared
	// gameData is the GameData item, valid if hasGameData is set. gameData is not shared, because
	// clients can know the flag carriers under different ids.
	gameData    [msg6.SizeGameData]int32
	hasGameData bool
	// gameInfo is the GameInfo of a race. gameInfo is not shared, because it contains the viewed
	// player's clock.
	gameInfo    msg6.GameInfo
	isRace      bool
	characters  []items.Character
	states      []characterState // states of the characters, if the frame is extended
	playerFlags [game.MaxPlayers]msg6.PlayerFlags
	// Indexes of a player in characters and in the frame's players, negative for none.
	characterIndex, playerIndex [game.MaxPlayers]int8
	visible                     game.PlayerMask // players whose characters are visible in the current snapshot
	// admins are the players who have or had access to the remote console. Players who lost it
	// stay, because clients remember the last value.
	admins   game.PlayerMask
	effects  effectEncoder
	watchers [game.MaxPlayers]watcher
	skins    skinCache
	ddrace   ddraceEncoder
	// players are the players as most clients see them, by id.
	players [game.MaxPlayers]playerItem
	// gameInfoEx is for clients up to 16.4, newGameInfoEx for later ones.
	gameInfoEx, newGameInfoEx       [msg6.SizeGameInfoEx]int32
	gameInfoExRef, newGameInfoExRef snapshot.SharedRef
	minTeamSize, maxTeamSize        int32 // 0 outside of DDRace
	types                           typeItems
	pool                            snapshot.SharedPool
	round                           *snapshot.SharedItems // items that the snapshots of this round share
}

// Indexes of integers that differ between clients.
const (
	characterHooked   = 8
	characterHealth   = msg6.SizeCharacterCore + 1 // followed by armor and ammo
	characterAmmo     = characterHealth + 2
	characterWeapon   = characterHealth + 3
	gameDataCarriers  = 2 // red, then blue
	ddnetPlayerRights = 1

	characterOrder  = 4 // StrongWeakID
	laserOwner      = 5
	projectileData  = 3
	projectileOwner = 6
)

// Type numbers on the wire of DDNet's own items. The items are added in ascending order.
const (
	wireTypeGameInfoEx      = msg6.FirstExtendedWireType
	wireTypeDDNetPlayer     = msg6.FirstExtendedWireType - 1
	wireTypeDDNetChar       = msg6.FirstExtendedWireType - 2
	wireTypeSwitchState     = msg6.FirstExtendedWireType - 3
	wireTypeSpecChar        = msg6.FirstExtendedWireType - 4
	wireTypeEntityEx        = msg6.FirstExtendedWireType - 5
	wireTypeDDNetLaser      = msg6.FirstExtendedWireType - 6
	wireTypeProjectile      = msg6.FirstExtendedWireType - 7 // DDRaceProjectile
	wireTypeDDNetPickup     = msg6.FirstExtendedWireType - 8
	wireTypeDDNetProjectile = msg6.FirstExtendedWireType - 9 // DDNetProjectile

	wireTypeDDNetSpectatorInfo = msg6.FirstExtendedWireType - 10
	wireTypeSpectatorCount     = msg6.FirstExtendedWireType - 11
	wireTypeMapBestTime        = msg6.FirstExtendedWireType - 12

	numWireTypes = 13
)

var (
	exGameInfoEx     = newEx(msg6.TypeGameInfoEx)
	exDDNetPlayer    = newEx(msg6.TypeDDNetPlayer)
	exDDNetCharacter = newEx(msg6.TypeDDNetCharacter)
)

// newEx returns the item that says which type a number on the wire stands for.
func newEx(typ int) (ints [msg6.SizeEx]int32) {
	u, _ := msg6.TypeUUID(typ)
	(&msg6.Ex{UUID: u}).PutInts(ints[:])
	return ints
}

// recordTick records the effects of a tick.
func (e *snapshotEncoder) recordTick(f *game.Frame, events []game.Event) {
	e.effects.recordTick(f, events)
}

// beginRound encodes the current state of the world.
func (e *snapshotEncoder) beginRound(w *game.World) {
	f := w.Frame()
	for i := range f.Players {
		e.skins.update(w, f.Players[i].ID)
	}
	settings, _ := w.DDRaceSettings()
	e.minTeamSize, e.maxTeamSize = settings.MinTeamSize, settings.MaxTeamSize
	e.beginFrame(f)
}

// beginFrame encodes a frame, without the profiles of players.
func (e *snapshotEncoder) beginFrame(f *game.Frame) {
	e.frame = f
	e.round.Release()
	e.round = e.pool.Take()
	e.shared.Reset()
	e.characters, e.states = e.characters[:0], e.states[:0]

	e.addGame(&f.Game, f.Tick)
	if e.ddrace.begin(f) {
		e.shared.AddFlags(f, &itemTypes)
	} else {
		addPickups(&e.shared, f, game.PickupHammer)
		e.shared.AddEntities(f, &itemTypes)
	}
	for i := range e.playerIndex {
		e.characterIndex[i], e.playerIndex[i] = -1, -1
	}
	for i := range f.Players {
		p := &f.Players[i]
		e.playerIndex[p.ID] = int8(i)
		e.playerFlags[p.ID] = encodePlayerFlags(p.Flags)
		item := &e.players[p.ID]
		o := e.encodePlayer(p, int32(p.ID))
		o.PutInts(item.info[:])
		item.ddnet = encodeDDNetPlayer(p)
		if p.Flags&game.PlayerFlagAdmin != 0 {
			e.admins.Add(p.ID)
		}
	}
	for i := range f.Characters {
		e.characterIndex[f.Characters[i].Player] = int8(i)
		e.addCharacter(&f.Characters[i])
		if f.Extended {
			e.addState(&f.Characters[i])
		}
	}
	if e.ddrace.on {
		e.ddrace.hooks.Show(f, e.characters)
	}
	e.addGameInfoEx()
	// buildSnapshot adds GameData, characters, players and effects later; their types are higher.
	e.shared.Sort()
	e.effects.Sort()
}

// pickups lists the type and the weapon on the wire for each kind of pickup.
var pickups = [...]struct {
	typ    msg6.PickupType
	weapon msg6.Weapon
}{
	game.PickupHealth:  {msg6.PickupHealth, 0},
	game.PickupArmor:   {msg6.PickupArmor, 0},
	game.PickupGrenade: {msg6.PickupWeapon, msg6.WeaponGrenade},
	game.PickupShotgun: {msg6.PickupWeapon, msg6.WeaponShotgun},
	game.PickupLaser:   {msg6.PickupWeapon, msg6.WeaponLaser},
	game.PickupNinja:   {msg6.PickupNinja, msg6.WeaponNinja},
	game.PickupGun:     {msg6.PickupWeapon, msg6.WeaponGun},
	game.PickupHammer:  {msg6.PickupWeapon, msg6.WeaponHammer},

	game.PickupArmorShotgun: {msg6.PickupArmorShotgun, 0},
	game.PickupArmorGrenade: {msg6.PickupArmorGrenade, 0},
	game.PickupArmorNinja:   {msg6.PickupArmorNinja, 0},
	game.PickupArmorLaser:   {msg6.PickupArmorLaser, 0},
}

// player returns a player's state in the last round of snapshots, or nil.
func (e *snapshotEncoder) player(id game.PlayerID) *game.PlayerState {
	if e.frame == nil || id == game.Nobody {
		return nil
	}
	// The frame changes between rounds.
	if i := int(e.playerIndex[id]); i >= 0 && i < len(e.frame.Players) && e.frame.Players[i].ID == id {
		return &e.frame.Players[i]
	}
	return nil
}

// addPickups adds the pickups of a frame for clients that support the kinds up to last.
func addPickups(s *items.Shared, f *game.Frame, last game.PickupKind) {
	for i := range f.Pickups {
		p := &f.Pickups[i]
		kind := pickups[game.PickupArmor]
		if p.Kind <= last {
			kind = pickups[p.Kind]
		}
		o := msg6.Pickup{X: p.X, Y: p.Y, Type: kind.typ, Subtype: kind.weapon}
		o.PutInts(s.AddNear(msg6.TypePickup, int(p.ID), msg6.SizePickup, convert.Point(p.X, p.Y)))
		s.HideLast(p.NotFor)
	}
}

// encodePlayerFlags returns the flags of a tee that all clients see.
func encodePlayerFlags(f game.PlayerFlags) msg6.PlayerFlags {
	flags := msg6.PlayerFlagPlaying
	if f&game.PlayerFlagChatting != 0 {
		flags = msg6.PlayerFlagChatting
	}
	if f&game.PlayerFlagAim != 0 {
		flags |= msg6.PlayerFlagAim
	}
	return flags
}

// addGame adds the match state.
func (e *snapshotEncoder) addGame(g *game.GameState, tick int32) {
	o := msg6.GameInfo{
		Flags: msg6.GameFlags(g.Flags & gameFlags), StateFlags: encodeStateFlags(g, tick),
		RoundStartTick: roundStartTick(g, tick), WarmupTimer: warmupTimer(g, tick),
		ScoreLimit: max(g.ScoreLimit, 0), TimeLimit: max(g.TimeLimit, 0),
		RoundNum: max(g.MatchNum, 0), RoundCurrent: max(g.MatchCurrent, 0),
	}
	e.gameInfo, e.isRace = o, g.Flags&game.GameFlagRace != 0
	if !e.isRace {
		o.PutInts(e.shared.AddGlobal(msg6.TypeGameInfo, 0, msg6.SizeGameInfo))
	}
	if e.hasGameData = o.Flags != 0; !e.hasGameData {
		return
	}
	d := msg6.GameData{CarrierRed: msg6.FlagMissing, CarrierBlue: msg6.FlagMissing}
	if g.Flags&game.GameFlagTeams != 0 {
		d.ScoreRed, d.ScoreBlue = g.TeamScore[0], g.TeamScore[1]
	}
	if g.Flags&game.GameFlagFlags != 0 {
		d.CarrierRed, d.CarrierBlue = msg6.FlagCarrier(g.FlagCarrier[0]), msg6.FlagCarrier(g.FlagCarrier[1])
	}
	d.PutInts(e.gameData[:])
}

// gameFlags are the game flags that 0.6 has, with the same numbers.
const gameFlags = game.GameFlagTeams | game.GameFlagFlags

// encodeStateFlags shows the end of a round as the end of a match, because 0.6 does not divide
// matches into rounds. In both, clients show the scoreboard, and nothing moves. To 0.6, standing
// still is a pause.
func encodeStateFlags(g *game.GameState, tick int32) (flags msg6.GameStateFlags) {
	if g.State&(game.StateRoundOver|game.StateGameOver) != 0 {
		flags |= msg6.GameStateGameOver | msg6.GameStatePaused
	}
	if g.State&game.StateSuddenDeath != 0 {
		flags |= msg6.GameStateSuddenDeath
	}
	if isPaused(g, tick) {
		flags |= msg6.GameStatePaused
	}
	return flags
}

// isPaused reports whether clients show "Game paused". Clients do so in a pause and in the
// countdown after it. The countdown before a match is sent as a warmup instead: with both at once,
// the two texts would overlap.
func isPaused(g *game.GameState, tick int32) bool {
	beforeMatch := g.State&game.StateCountdown != 0 && g.StartTick == tick
	return g.State&(game.StatePaused|game.StateCountdown) != 0 && !beforeMatch
}

// roundStartTick returns the tick from which clients count the displayed time. After a round or
// match, the displayed time stands still.
func roundStartTick(g *game.GameState, tick int32) int32 {
	if g.State&(game.StateRoundOver|game.StateGameOver) != 0 {
		return max(tick-g.EndTick, 0)
	}
	return max(g.StartTick, 0)
}

// warmupTimer returns the ticks left of a warmup or of the countdown before a match. warmupTimer
// returns 0 for other states and for a warmup without an end, because clients show any other number
// as a clock. announceTimeLeft announces the remaining cases.
func warmupTimer(g *game.GameState, tick int32) int32 {
	if g.State&(game.StateWarmup|game.StateCountdown) == 0 || isPaused(g, tick) {
		return 0
	}
	return max(g.EndTick-tick, 0)
}

func (e *snapshotEncoder) addCharacter(c *game.CharacterState) {
	ammo := min(max(c.Ammo, 0), 10)
	if c.Weapon == game.WeaponNinja {
		ammo = 0 // in 0.7 the ammo of a ninja is the tick at which it ends
	}
	e.characters = append(e.characters, items.Character{
		Player: c.Player, Pos: c.Pos, State: c,
		Health: min(max(c.Health, 0), 10), Armor: min(max(c.Armor, 0), 10), Ammo: ammo,
	})
	o := msg6.Character{
		CharacterCore: msg6.CharacterCore{
			Tick: c.Tick, X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction,
			Jumped: c.Jumped, HookedPlayer: c.HookedPlayer, HookState: msg6.HookState(c.HookState), HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDx: c.HookDX, HookDy: c.HookDY,
		},
		PlayerFlags: e.playerFlags[c.Player],
		Weapon:      max(msg6.Weapon(c.Weapon), msg6.WeaponHammer), Emote: msg6.Emote(c.Emote), AttackTick: c.AttackTick,
	}
	o.PutInts(e.characters[len(e.characters)-1].Ints[:])
}

// Number of integers sent of a DDNetCharacter. sizeDDNetCharacter ends with the start of the
// freeze. sizeDDRaceCharacter, for DDRace, is everything that 16.4 sends.
const (
	sizeDDNetCharacter  = 8
	sizeDDRaceCharacter = 10
)

// characterState is one character, encoded as a DDNetCharacter.
type characterState struct {
	ints   [msg6.SizeDDNetCharacter]int32
	frozen bool
	ref    snapshot.SharedRef
}

func (e *snapshotEncoder) addState(c *game.CharacterState) {
	o := msg6.DDNetCharacter{
		Flags: msg6.CharacterFlags(c.Flags), FreezeStart: c.FreezeStart, FreezeEnd: c.FreezeEnd,
		Jumps: c.Jumps, JumpedTotal: c.AirJumps, StrongWeakID: c.TickOrder, NinjaActivationTick: c.NinjaStart,
		TargetX: c.TargetX, TargetY: c.TargetY, TeleCheckpoint: c.TeleCheckpoint,
	}
	s := characterState{frozen: c.FreezeEnd != 0}
	o.PutInts(s.ints[:])
	e.states = append(e.states, s)
}

// buildSnapshot writes the items that are visible in v to b, in ascending order of type where
// mapped ids allow it. Latency holds the ms that the scoreboard shows for each player. Version is
// the release of DDNet. Clients without support for character states see frozen characters as
// ninjas.
func (e *snapshotEncoder) buildSnapshot(
	b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, ids *clientids.Map, version int32, knowsStates bool,
) {
	ddnet := msg6.TypeKnownBy(msg6.TypeDDNetCharacter, version)
	b.Reset()
	b.Share(e.round)
	e.visible = game.PlayerMask{}
	for i := range e.characters {
		if c := &e.characters[i]; c.IsVisible(v) {
			e.visible.Add(c.Player)
		}
	}
	watch := e.watchItemsOf(v, version)
	best := e.hasBestTime(version)
	if best {
		e.types.add(b, wireTypeMapBestTime, &exMapBestTime)
	}
	e.buildWatchTypes(b, &watch)
	var entities *entityItems // set in DDRace only
	if e.ddrace.on {
		entities = e.ddrace.entitiesFor(version)
		entities.buildTypes(b, &e.types)
	}
	if ddnet {
		e.buildDDNetTypes(b)
	}
	sorted := b.HasRoom(e.size(entities))
	if sorted {
		entities.appendPlain(b, v)
		e.shared.AppendVisible(b, v, nil)
	} else {
		e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityMatch, nil)
	}
	if e.isRace {
		e.buildRaceInfo(b, v, msg6.GameStateRaceTime.KnownBy(version))
	}
	e.buildGameData(b, ids)
	if sorted {
		e.buildCharacters(b, v, ids, knowsStates)
		e.buildPlayers(b, v, latency, ids, version)
		e.effects.build(b, v, ids, knowsStates)
		if best {
			e.buildBestTime(b)
		}
		e.buildWatchItems(b, &watch, ids)
		entities.appendExtended(b, v, ids)
		if ddnet {
			e.buildStates(b, ids)
			e.buildDDNetItems(b, ids, version)
		}
		return
	}
	e.buildPlayers(b, v, latency, ids, version)
	if best {
		e.buildBestTime(b)
	}
	e.buildWatchItems(b, &watch, ids)
	if ddnet {
		e.buildDDNetItems(b, ids, version)
	}
	e.buildCharacters(b, v, ids, knowsStates)
	if ddnet {
		e.buildStates(b, ids)
	}
	entities.appendPlain(b, v)
	entities.appendExtended(b, v, ids)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityProjectiles, nil)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityLasers, nil)
	e.shared.AppendByPriority(b, v, &itemTypes, items.PriorityPickups, nil)
	e.effects.build(b, v, ids, knowsStates)
}

// size returns an upper bound on the items and integers of a snapshot in this round.
func (e *snapshotEncoder) size(entities *entityItems) (items, ints int) {
	items, ints = e.shared.Size()
	moreItems, moreInts := entities.size()
	items, ints = items+moreItems, ints+moreInts
	effects, effectInts := e.effects.Size()
	players := len(e.frame.Players)
	items += effects + len(e.characters) + 3*players + 7
	ints += effectInts + len(e.characters)*msg6.SizeCharacter + players*(msg6.SizePlayerInfo+msg6.SizeClientInfo+sizeDDNetPlayer) +
		2*msg6.SizeEx + msg6.SizeGameInfoEx + msg6.SizeGameInfo + msg6.SizeGameData + msg6.SizeSpectatorInfo + msg6.SizeClientInfo
	items += len(e.states) + 1 + numWatchItems + 2
	ints += len(e.states)*sizeDDRaceCharacter + 2*msg6.SizeEx + sizeWatch + msg6.SizeMapBestTime
	return items, ints
}

// buildRaceInfo adds the GameInfo with the race clock of the viewed player, or of the viewer in a
// free view. A client that does not know race clocks shows that clock instead of the match's.
func (e *snapshotEncoder) buildRaceInfo(b *snapshot.Builder, v *game.View, known bool) {
	o, start, hidden := e.gameInfo, int32(0), false
	runner := v.Viewer
	for i := range e.frame.Players {
		if p := &e.frame.Players[i]; p.ID == v.Viewer {
			hidden = p.HideClock
			if p.Spectating && p.SpecMode != game.SpectateFree {
				runner = p.SpectatorID
			}
		}
	}
	for i := range e.frame.Players {
		if p := &e.frame.Players[i]; p.ID == runner {
			start = p.RaceStart
		}
	}
	switch {
	case start == 0 || hidden || o.StateFlags != 0 || o.WarmupTimer != 0:
	case known:
		o.StateFlags |= msg6.GameStateRaceTime
		o.WarmupTimer = -start
	default:
		o.RoundStartTick, o.TimeLimit = start, 0
	}
	if dst := b.Add(msg6.TypeGameInfo, 0, msg6.SizeGameInfo); dst != nil {
		o.PutInts(dst)
	}
}

// buildGameData adds the GameData item. The type of GameData is above the types of the shared
// items.
func (e *snapshotEncoder) buildGameData(b *snapshot.Builder, ids *clientids.Map) {
	if !e.hasGameData {
		return
	}
	dst := b.Add(msg6.TypeGameData, 0, msg6.SizeGameData)
	if copy(dst, e.gameData[:]); ids.IsActive() && dst != nil {
		for i := gameDataCarriers; i < msg6.SizeGameData; i++ {
			dst[i] = ids.Field(dst[i])
		}
	}
}

func (e *snapshotEncoder) buildCharacters(b *snapshot.Builder, v *game.View, ids *clientids.Map, knowsStates bool) {
	if ids.IsActive() {
		for id, p := range ids.Players() {
			if p == game.Nobody || e.characterIndex[p] < 0 {
				continue
			}
			i := e.characterIndex[p]
			c := &e.characters[i]
			if !e.visible.Has(p) {
				continue
			}
			hooked := ids.Field(c.Ints[characterHooked])
			if id == int(p) && hooked == c.Ints[characterHooked] && !e.isFrozen(int(i)) {
				c.Append(b, v, msg6.TypeCharacter, characterHealth)
			} else if ints := c.AppendOwn(b, v, msg6.TypeCharacter, id, characterHealth); ints != nil {
				e.showFreeze(ints, int(i), knowsStates)
				ints[characterHooked] = hooked
			}
		}
		return
	}
	for i := range e.characters {
		c := &e.characters[i]
		switch id := ids.ID(c.Player); {
		case id < 0 || !e.visible.Has(c.Player):
		case e.isFrozen(i):
			if ints := c.AppendOwn(b, v, msg6.TypeCharacter, int(id), characterHealth); ints != nil {
				e.showFreeze(ints, i, knowsStates)
			}
		default:
			c.Append(b, v, msg6.TypeCharacter, characterHealth)
		}
	}
}

func (e *snapshotEncoder) isFrozen(index int) bool {
	return index < len(e.states) && e.states[index].frozen
}

// showFreeze marks a character as frozen, as DDNet-Server does: without ammo, and as a ninja for
// clients without support for character states.
func (e *snapshotEncoder) showFreeze(ints []int32, index int, knowsStates bool) {
	if !e.isFrozen(index) {
		return
	}
	ints[characterAmmo] = 0
	if !knowsStates {
		ints[characterWeapon] = int32(msg6.WeaponNinja)
	}
}

// buildStates adds the states of the visible characters.
func (e *snapshotEncoder) buildStates(b *snapshot.Builder, ids *clientids.Map) {
	size := sizeDDNetCharacter
	if e.ddrace.on {
		size = sizeDDRaceCharacter
	}
	var places [game.MaxPlayers]int32
	if ids.IsActive() {
		places = e.order(ids)
	}
	for i := range e.states {
		player, s := e.characters[i].Player, &e.states[i]
		switch id := ids.ID(player); {
		case id < 0 || !e.visible.Has(player):
		case ids.IsActive():
			if ints := b.Add(wireTypeDDNetChar, int(id), size); ints != nil {
				copy(ints, s.ints[:])
				ints[characterOrder] = places[s.ints[characterOrder]]
			}
		default:
			b.AddShared(&s.ref, wireTypeDDNetChar, int(id), s.ints[:size])
		}
	}
}

// order returns the places of tees in the order of movement for a client with mapped ids, by their
// places among all tees. Such a client knows no places beyond its number of ids.
func (e *snapshotEncoder) order(ids *clientids.Map) (places [game.MaxPlayers]int32) {
	for i := range e.states {
		if ids.ID(e.characters[i].Player) >= 0 {
			places[e.states[i].ints[characterOrder]] = 1
		}
	}
	n := int32(0)
	for i, known := range places {
		places[i] = n
		n += known
	}
	return places
}

// endRound ends a round and removes its effects. Effects are shown once.
func (e *snapshotEncoder) endRound() { e.effects.Reset() }
