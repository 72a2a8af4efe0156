package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

var itemTypes = bridge.ItemTypes{
	Projectile: msg6.TypeProjectile, Laser: msg6.TypeLaser, Flag: msg6.TypeFlag,
	Explosion: msg6.TypeEventExplosion, Spawn: msg6.TypeEventSpawn, HammerHit: msg6.TypeEventHammerHit,
	Death: msg6.TypeEventDeath, Sound: msg6.TypeEventSoundWorld,
}

// snapshotEncoder encodes frames as 0.6 snapshots, for any number of clients. What is
// the same for all is encoded once a round.
//
// It gets recordTick in every tick, and for every round of snapshots beginRound,
// buildSnapshot for each client, and endRound.
type snapshotEncoder struct {
	frame  *game.Frame
	shared bridge.SharedItems
	// gameData is the GameData, if hasGameData. It is not shared because clients can know
	// the carriers of the flags by other ids.
	gameData    [msg6.SizeGameData]int32
	hasGameData bool
	// gameInfo is the GameInfo of a race, which is not shared because it has the player's
	// clock.
	gameInfo    msg6.GameInfo
	isRace      bool
	characters  []bridge.CharacterItem
	states      []characterState // of the characters, if the frame is extended
	playerFlags [game.MaxPlayers]msg6.PlayerFlags
	// Indexes of players in characters and in the frame's players, negative for none.
	characterIndex, playerIndex [game.MaxPlayers]int8
	visible                     game.PlayerMask // whose characters the snapshot that is being built shows
	// admins are those who have or had access to the remote console: clients remember
	// what they got last.
	admins  game.PlayerMask
	effects effectEncoder
	skins   skinCache
	ddrace  ddraceEncoder
	// players are the players as most clients see them, by their id.
	players       [game.MaxPlayers]playerItem
	gameInfoEx    [msg6.SizeGameInfoEx]int32
	gameInfoExRef snapshot.SharedRef
	types         typeItems
	pool          snapshot.SharedPool
	round         *snapshot.SharedItems // what snapshots of this round share
}

// Indexes of integers that are not the same for all clients.
const (
	characterHooked   = 8
	characterHealth   = msg6.SizeCharacterCore + 1 // followed by armor and ammo
	characterAmmo     = characterHealth + 2
	characterWeapon   = characterHealth + 3
	gameDataCarriers  = 2 // red, blue
	ddnetPlayerRights = 1
)

// Numbers on the wire of items that are DDNet's own. They are added in ascending order.
const (
	wireTypeGameInfoEx  = msg6.FirstExtendedWireType
	wireTypeDDNetPlayer = msg6.FirstExtendedWireType - 1
	wireTypeDDNetChar   = msg6.FirstExtendedWireType - 2
	wireTypeSwitchState = msg6.FirstExtendedWireType - 3
	wireTypeSpecChar    = msg6.FirstExtendedWireType - 4
	wireTypeEntityEx    = msg6.FirstExtendedWireType - 5
	wireTypeDDNetLaser  = msg6.FirstExtendedWireType - 6
	wireTypeProjectile  = msg6.FirstExtendedWireType - 7 // DDRaceProjectile

	numWireTypes = 8
)

var (
	exGameInfoEx     = newEx(msg6.TypeGameInfoEx)
	exDDNetPlayer    = newEx(msg6.TypeDDNetPlayer)
	exDDNetCharacter = newEx(msg6.TypeDDNetCharacter)
)

// newEx makes the item that says which type a number on the wire stands for.
func newEx(typ int) (ints [msg6.SizeEx]int32) {
	u, _ := msg6.TypeUUID(typ)
	(&msg6.Ex{UUID: u}).PutInts(ints[:])
	return ints
}

// recordTick remembers the effects of a tick.
func (e *snapshotEncoder) recordTick(f *game.Frame, events []game.Event) {
	e.effects.recordTick(f, events)
}

// beginRound encodes the world as it is.
func (e *snapshotEncoder) beginRound(w *game.World) {
	f := w.Frame()
	for i := range f.Players {
		e.skins.update(w, f.Players[i].ID)
	}
	e.beginFrame(f)
}

// beginFrame encodes a frame, but for the profiles of players.
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
			e.admins |= game.MaskOne(p.ID)
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
	// The types of the GameData, characters, players and effects, which buildSnapshot adds, are
	// higher.
	e.shared.Sort()
	e.effects.Sort()
}

// pickups are the types of the pickups, and of which weapons they are.
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

// addPickups adds the pickups of a frame for clients that know the kinds up to last.
func addPickups(s *bridge.SharedItems, f *game.Frame, last game.PickupKind) {
	for i := range f.Pickups {
		p := &f.Pickups[i]
		kind := pickups[game.PickupArmor]
		if p.Kind <= last {
			kind = pickups[p.Kind]
		}
		o := msg6.Pickup{X: p.X, Y: p.Y, Type: kind.typ, Subtype: kind.weapon}
		o.PutInts(s.AddNear(msg6.TypePickup, int(p.ID), msg6.SizePickup, bridge.Point(p.X, p.Y)))
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

// addGame adds the state of the match.
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

// gameFlags are the flags that 0.6 has, with the same numbers.
const gameFlags = game.GameFlagTeams | game.GameFlagFlags

// encodeStateFlags shows the end of a round as that of a match: 0.6 has no rounds within
// matches. In both the scoreboard is shown and nothing moves, which is a pause in 0.6.
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

// isPaused reports whether clients show "Game paused", in a pause and in the countdown at
// its end. The countdown before a match, in which nobody lives, is a warmup to them: of
// both at once the texts would lie over each other.
func isPaused(g *game.GameState, tick int32) bool {
	beforeMatch := g.State&game.StateCountdown != 0 && g.StartTick == tick
	return g.State&(game.StatePaused|game.StateCountdown) != 0 && !beforeMatch
}

// roundStartTick returns the tick from which clients count the time that they show. After
// the end of a round or match, the time it took stands still.
func roundStartTick(g *game.GameState, tick int32) int32 {
	if g.State&(game.StateRoundOver|game.StateGameOver) != 0 {
		return max(tick-g.EndTick, 0)
	}
	return max(g.StartTick, 0)
}

// warmupTimer returns the ticks left of a warmup, or before a match; 0 in neither and
// without an end: clients would show any other number as that of a clock.
// announceTimeLeft writes the rest.
func warmupTimer(g *game.GameState, tick int32) int32 {
	if g.State&(game.StateWarmup|game.StateCountdown) == 0 || isPaused(g, tick) {
		return 0
	}
	return max(g.EndTick-tick, 0)
}

func (e *snapshotEncoder) addCharacter(c *game.CharacterState) {
	ammo := min(max(c.Ammo, 0), 10)
	if c.Weapon == game.WeaponNinja {
		ammo = 0 // in 0.7 the tick at which it ends
	}
	e.characters = append(e.characters, bridge.CharacterItem{
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

// sizeDDNetCharacter is what is sent of a DDNetCharacter: all up to when the freeze began.
// In DDRace it is sizeDDRaceCharacter, all that 16.4 sends.
const (
	sizeDDNetCharacter  = 8
	sizeDDRaceCharacter = 10
)

// characterState is a character as a DDNetCharacter has it.
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

// buildSnapshot writes what the view shows to b, in ascending order as far as ids allow. Latency
// is what the scoreboard shows per player, in ms; version is the release of DDNet. To clients
// that do not know the states of characters, frozen ones are ninjas.
func (e *snapshotEncoder) buildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, ids *clientIDs, version int32, knowsStates bool) {
	ddnet := msg6.TypeKnownBy(msg6.TypeDDNetCharacter, version)
	b.Reset()
	b.Share(e.round)
	e.visible = 0
	for i := range e.characters {
		if c := &e.characters[i]; c.IsVisible(v) {
			e.visible |= game.MaskOne(c.Player)
		}
	}
	var entities *entityItems // of DDRace
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
		e.shared.AppendVisible(b, v)
	} else {
		e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityMatch)
	}
	if e.isRace {
		e.buildRaceInfo(b, v, msg6.GameStateRaceTime.KnownBy(version))
	}
	e.buildGameData(b, ids)
	if sorted {
		e.buildCharacters(b, v, ids, knowsStates)
		e.buildPlayers(b, v, latency, ids, version)
		e.effects.build(b, v, ids, knowsStates)
		entities.appendExtended(b, v)
		if ddnet {
			e.buildStates(b, ids)
			e.buildDDNetItems(b, ids)
		}
		return
	}
	e.buildPlayers(b, v, latency, ids, version)
	if ddnet {
		e.buildDDNetItems(b, ids)
	}
	e.buildCharacters(b, v, ids, knowsStates)
	if ddnet {
		e.buildStates(b, ids)
	}
	entities.appendPlain(b, v)
	entities.appendExtended(b, v)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityProjectiles)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityLasers)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityPickups)
	e.effects.build(b, v, ids, knowsStates)
}

// size returns the most items and integers that a snapshot of this round can have.
func (e *snapshotEncoder) size(entities *entityItems) (items, ints int) {
	items, ints = e.shared.Size()
	moreItems, moreInts := entities.size()
	items, ints = items+moreItems, ints+moreInts
	effects, effectInts := e.effects.Size()
	players := len(e.frame.Players)
	items += effects + len(e.characters) + 3*players + 7
	ints += effectInts + len(e.characters)*msg6.SizeCharacter + players*(msg6.SizePlayerInfo+msg6.SizeClientInfo+sizeDDNetPlayer) +
		2*msg6.SizeEx + msg6.SizeGameInfoEx + msg6.SizeGameInfo + msg6.SizeGameData + msg6.SizeSpectatorInfo + msg6.SizeClientInfo
	items += len(e.states) + 1
	ints += len(e.states)*sizeDDRaceCharacter + msg6.SizeEx
	return items, ints
}

// buildRaceInfo adds the GameInfo with the clock of the player whom the viewer sees. Clients
// that do not know it show it instead of that of the match.
func (e *snapshotEncoder) buildRaceInfo(b *snapshot.Builder, v *game.View, known bool) {
	o, start, hidden := e.gameInfo, int32(0), false
	for i := range e.frame.Players {
		p := &e.frame.Players[i]
		if p.ID == v.VitalsOf {
			start = p.RaceStart
		}
		hidden = hidden || p.ID == v.Viewer && p.HideClock
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

// buildGameData adds the GameData, whose type is above those of the shared items.
func (e *snapshotEncoder) buildGameData(b *snapshot.Builder, ids *clientIDs) {
	if !e.hasGameData {
		return
	}
	dst := b.Add(msg6.TypeGameData, 0, msg6.SizeGameData)
	if copy(dst, e.gameData[:]); ids.active && dst != nil {
		for i := gameDataCarriers; i < msg6.SizeGameData; i++ {
			dst[i] = ids.mapField(dst[i])
		}
	}
}

func (e *snapshotEncoder) buildCharacters(b *snapshot.Builder, v *game.View, ids *clientIDs, knowsStates bool) {
	if ids.active {
		for id, p := range ids.byID {
			if p == game.Nobody || e.characterIndex[p] < 0 {
				continue
			}
			i := e.characterIndex[p]
			c := &e.characters[i]
			if !e.visible.Has(p) {
				continue
			}
			if ints := c.AppendOwn(b, v, msg6.TypeCharacter, id, characterHealth); ints != nil {
				e.showFreeze(ints, int(i), knowsStates)
				ints[characterHooked] = ids.mapField(ints[characterHooked])
			}
		}
		return
	}
	for i := range e.characters {
		c := &e.characters[i]
		switch id := ids.id(c.Player); {
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

// showFreeze shows that a character is frozen, as DDNet does: it has no rounds, and is a ninja to
// clients that do not know its state.
func (e *snapshotEncoder) showFreeze(ints []int32, index int, knowsStates bool) {
	if !e.isFrozen(index) {
		return
	}
	ints[characterAmmo] = 0
	if !knowsStates {
		ints[characterWeapon] = int32(msg6.WeaponNinja)
	}
}

// buildStates adds the states of the characters that buildCharacters adds.
func (e *snapshotEncoder) buildStates(b *snapshot.Builder, ids *clientIDs) {
	size := sizeDDNetCharacter
	if e.ddrace.on {
		size = sizeDDRaceCharacter
	}
	for i := range e.states {
		player, s := e.characters[i].Player, &e.states[i]
		switch id := ids.id(player); {
		case id < 0 || !e.visible.Has(player):
		case ids.active:
			copy(b.Add(wireTypeDDNetChar, int(id), size), s.ints[:])
		default:
			b.AddShared(&s.ref, wireTypeDDNetChar, int(id), s.ints[:size])
		}
	}
}

// endRound ends a round: effects are shown once.
func (e *snapshotEncoder) endRound() { e.effects.Reset() }
