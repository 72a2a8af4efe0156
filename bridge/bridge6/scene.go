package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// scene turns frames into 0.6 snapshots for any number of viewers. What all viewers
// get alike is encoded once a round.
//
// Per tick: note. Per snapshot round: begin, then build for every viewer, then done.
type scene struct {
	frame   *game.Frame
	scenery bridge.SharedItems
	// data is a GameData, if there is one: clients may know the carriers by other ids.
	data    [msg6.SizeGameData]int32
	hasData bool
	chars   []char
	flags   [game.MaxPlayers]int32 // player flags, as 0.6 has them
	// Where a player is in chars and in the frame's players, below zero if not there.
	charOf, playerOf [game.MaxPlayers]int8
	// ranked are those who have or had rights in the remote console: clients keep
	// what they were told last.
	ranked game.PlayerMask
	effects
	wardrobe
}

// char is a tee: some of its integers are nobody's business but its owner's.
type char struct {
	id                  game.PlayerID
	pos                 vec.Vec2
	ints                [msg6.SizeCharacter]int32
	health, armor, ammo int32
}

// Places in objects that differ from viewer to viewer.
const (
	charHooked   = 8
	charHealth   = msg6.SizeCharacterCore + 1 // then armour and ammunition
	dataCarriers = 2                          // red, then blue
)

// Numbers on the wire of the objects that are DDNet's own.
const (
	numberGameInfoEx = msg6.FirstExtendedWireType
	numberPlayer     = msg6.FirstExtendedWireType - 1
)

var uuidGameInfoEx, uuidPlayer = uuid(msg6.TypeGameInfoEx), uuid(msg6.TypeDDNetPlayer)

// uuid is what says which type a number stands for.
func uuid(typ int) (ints [msg6.SizeEx]int32) {
	u, _ := msg6.TypeUUID(typ)
	(&msg6.Ex{UUID: u}).PutInts(ints[:])
	return ints
}

// begin encodes what is there for the viewers of this round.
func (s *scene) begin(w *game.World) {
	f := w.Frame()
	s.frame = f
	s.scenery.Reset()
	s.chars = s.chars[:0]

	s.game(&f.Game, f.Tick)
	for i := range f.Pickups {
		p := &f.Pickups[i]
		o := msg6.Pickup{X: p.X, Y: p.Y}
		o.Type, o.Subtype = pickup(p.Kind)
		o.PutInts(s.scenery.AddNear(msg6.TypePickup, int(p.ID), msg6.SizePickup, at(p.X, p.Y)))
	}
	for i := range f.Projectiles {
		p := &f.Projectiles[i]
		o := msg6.Projectile{X: p.X, Y: p.Y, VelX: p.VelX, VelY: p.VelY, Type: msg6.Weapon(p.Weapon), StartTick: p.StartTick}
		o.PutInts(s.scenery.AddNear(msg6.TypeProjectile, int(p.ID), msg6.SizeProjectile, p.Pos))
	}
	for i := range f.Lasers {
		l := &f.Lasers[i]
		o := msg6.Laser{X: l.X, Y: l.Y, FromX: l.FromX, FromY: l.FromY, StartTick: l.StartTick}
		o.PutInts(s.scenery.AddBeam(msg6.TypeLaser, int(l.ID), msg6.SizeLaser, l.Pos, l.From))
	}
	for i := range f.Flags {
		g := &f.Flags[i]
		o := msg6.Flag{X: g.X, Y: g.Y, Team: msg6.Team(g.Team)}
		o.PutInts(s.scenery.AddNear(msg6.TypeFlag, int(g.Team), msg6.SizeFlag, g.Pos))
	}
	for i := range s.playerOf {
		s.charOf[i], s.playerOf[i] = -1, -1
	}
	for i := range f.Players {
		p := &f.Players[i]
		s.playerOf[p.ID] = int8(i)
		s.flags[p.ID] = int32(playerFlags(p.Flags))
		if p.Flags&game.PlayerFlagAdmin != 0 {
			s.ranked |= game.MaskOne(p.ID)
		}
		s.dress(w, p.ID)
	}
	s.gather(f.Players)
	for i := range f.Characters {
		s.charOf[f.Characters[i].Player] = int8(i)
		s.character(&f.Characters[i])
	}
	// Build goes on with the GameData, tees, players and effects, whose types are
	// higher.
	s.scenery.Sort()
	s.effects.sort()
}

// pickup is how 0.6 names a thing to pick up: its kind, and which weapon.
func pickup(k game.PickupKind) (msg6.PickupType, msg6.Weapon) {
	switch k {
	case game.PickupHealth:
		return msg6.PickupHealth, 0
	case game.PickupArmor:
		return msg6.PickupArmor, 0
	case game.PickupGrenade:
		return msg6.PickupWeapon, msg6.WeaponGrenade
	case game.PickupShotgun:
		return msg6.PickupWeapon, msg6.WeaponShotgun
	case game.PickupLaser:
		return msg6.PickupWeapon, msg6.WeaponLaser
	case game.PickupNinja:
		return msg6.PickupNinja, msg6.WeaponNinja
	case game.PickupGun:
		return msg6.PickupWeapon, msg6.WeaponGun
	default:
		return msg6.PickupWeapon, msg6.WeaponHammer
	}
}

// playerFlags are those of a tee for all to see.
func playerFlags(f game.PlayerFlags) msg6.PlayerFlags {
	if f&game.PlayerFlagChatting != 0 {
		return msg6.PlayerFlagChatting
	}
	return msg6.PlayerFlagPlaying
}

// game encodes where the match stands.
func (s *scene) game(g *game.GameState, tick int32) {
	o := msg6.GameInfo{
		Flags: gameFlags(g.Flags), StateFlags: stateFlags(g.State),
		RoundStartTick: max(g.StartTick, 0), WarmupTimer: timer(g, tick),
		ScoreLimit: max(g.ScoreLimit, 0), TimeLimit: max(g.TimeLimit, 0),
		RoundNum: max(g.MatchNum, 0), RoundCurrent: max(g.MatchCurrent, 0),
	}
	o.PutInts(s.scenery.AddGlobal(msg6.TypeGameInfo, 0, msg6.SizeGameInfo))
	if s.hasData = o.Flags != 0; !s.hasData {
		return
	}
	d := msg6.GameData{CarrierRed: msg6.FlagMissing, CarrierBlue: msg6.FlagMissing}
	if g.Flags&game.GameFlagTeams != 0 {
		d.ScoreRed, d.ScoreBlue = g.TeamScore[0], g.TeamScore[1]
	}
	if g.Flags&game.GameFlagFlags != 0 {
		d.CarrierRed, d.CarrierBlue = msg6.FlagCarrier(g.FlagCarrier[0]), msg6.FlagCarrier(g.FlagCarrier[1])
	}
	d.PutInts(s.data[:])
}

func gameFlags(f game.GameFlags) (to msg6.GameFlags) {
	if f&game.GameFlagTeams != 0 {
		to |= msg6.GameFlagTeams
	}
	if f&game.GameFlagFlags != 0 {
		to |= msg6.GameFlagFlags
	}
	return to
}

// stateFlags shows the end of a round as that of a match: 0.6 knows no rounds within
// matches, and in both the scoreboard is up and nothing moves, which it calls a pause.
func stateFlags(f game.GameStateFlags) (to msg6.GameStateFlags) {
	if f&(game.StateRoundOver|game.StateGameOver) != 0 {
		to |= msg6.GameStateGameOver | msg6.GameStatePaused
	}
	if f&game.StateSuddenDeath != 0 {
		to |= msg6.GameStateSuddenDeath
	}
	if f&(game.StatePaused|game.StateCountdown) != 0 {
		to |= msg6.GameStatePaused
	}
	return to
}

// endlessWarmup is the time shown of a warmup without an end: 0.6 says Warmup only
// while there is time left.
const endlessWarmup = 60 * game.TickRate

// timer is how many ticks are left of a warmup, countdown or pause; 0 without an end,
// or in none of them.
func timer(g *game.GameState, tick int32) int32 {
	switch {
	case g.State&(game.StateWarmup|game.StatePaused|game.StateCountdown) == 0:
		return 0
	case g.EndTick != 0:
		return max(g.EndTick-tick, 0)
	case g.State&game.StateWarmup != 0:
		return endlessWarmup
	}
	return 0
}

func (s *scene) character(c *game.CharacterState) {
	ammo := min(max(c.Ammo, 0), 10)
	if c.Weapon == game.WeaponNinja {
		ammo = 0 // the tick it ends, of which 0.6 knows nothing
	}
	s.chars = append(s.chars, char{
		id: c.Player, pos: c.Pos,
		health: min(max(c.Health, 0), 10), armor: min(max(c.Armor, 0), 10), ammo: ammo,
	})
	o := msg6.Character{
		CharacterCore: msg6.CharacterCore{
			Tick: c.Tick, X: c.X, Y: c.Y, VelX: c.VelX, VelY: c.VelY, Angle: c.Angle, Direction: c.Direction,
			Jumped: c.Jumped, HookedPlayer: c.HookedPlayer, HookState: msg6.HookState(c.HookState), HookTick: c.HookTick,
			HookX: c.HookX, HookY: c.HookY, HookDx: c.HookDX, HookDy: c.HookDY,
		},
		PlayerFlags: msg6.PlayerFlags(s.flags[c.Player]),
		Weapon:      max(msg6.Weapon(c.Weapon), msg6.WeaponHammer), Emote: msg6.Emote(c.Emote), AttackTick: c.AttackTick,
	}
	o.PutInts(s.chars[len(s.chars)-1].ints[:])
}

// viewer is what a client gets differently from others.
type viewer struct {
	ids   *idMap
	ddnet bool // reads DDNet's own objects
}

// build writes what the view shows into b, in ascending order as far as ids allow.
func (s *scene) build(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, c viewer) {
	b.Reset()
	if c.ddnet {
		if s.ranked != 0 {
			copy(b.Add(msg6.TypeEx, numberPlayer, msg6.SizeEx), uuidPlayer[:])
		}
		copy(b.Add(msg6.TypeEx, numberGameInfoEx, msg6.SizeEx), uuidGameInfoEx[:])
	}
	s.scenery.AppendVisible(b, v)
	s.buildData(b, c.ids)
	s.buildTees(b, v, c.ids)
	s.buildPlayers(b, v, latency, c)
	s.effects.build(b, v, c.ids)
	if !c.ddnet {
		return
	}
	for i := range s.frame.Players {
		p := &s.frame.Players[i]
		if id := c.ids.id(p.ID); id >= 0 && s.ranked.Has(p.ID) {
			if dst := b.Add(numberPlayer, int(id), sizePlayer); dst != nil && p.Flags&game.PlayerFlagAdmin != 0 {
				dst[1] = int32(msg6.AuthAdmin)
			}
		}
	}
	if dst := b.Add(numberGameInfoEx, 0, msg6.SizeGameInfoEx); dst != nil {
		vanilla.PutInts(dst)
	}
}

// sizePlayer is what all releases read of a DDNetPlayer: flags and rank.
const sizePlayer = 2

// vanilla has DDNet's client predict and draw what the game does, and nothing of
// DDRace.
var vanilla = msg6.GameInfoEx{
	Flags: msg6.GameInfoGametypeVanilla | msg6.GameInfoBugVanillaBounce | msg6.GameInfoPredictVanilla |
		msg6.GameInfoEntitiesVanilla | msg6.GameInfoDontMaskEntities,
	Version: msg6.GameInfoVersion,
	Flags2:  msg6.GameInfo2HUDHealthArmor | msg6.GameInfo2HUDAmmo,
}

// buildData adds the GameData, whose type is above those of the scenery.
func (s *scene) buildData(b *snapshot.Builder, ids *idMap) {
	if !s.hasData {
		return
	}
	dst := b.Add(msg6.TypeGameData, 0, msg6.SizeGameData)
	if copy(dst, s.data[:]); ids.on && dst != nil {
		for i := dataCarriers; i < msg6.SizeGameData; i++ {
			dst[i] = ids.field(dst[i])
		}
	}
}

func (s *scene) buildTees(b *snapshot.Builder, v *game.View, ids *idMap) {
	if ids.on {
		for id, p := range ids.back {
			if p != game.Nobody && s.charOf[p] >= 0 {
				s.buildTee(b, v, &s.chars[s.charOf[p]], int32(id), ids)
			}
		}
		return
	}
	for i := range s.chars {
		c := &s.chars[i]
		if id := ids.id(c.id); id >= 0 {
			s.buildTee(b, v, c, id, ids)
		}
	}
}

func (s *scene) buildTee(b *snapshot.Builder, v *game.View, c *char, id int32, ids *idMap) {
	if !v.Sees(c.pos) {
		return
	}
	dst := b.Add(msg6.TypeCharacter, int(id), msg6.SizeCharacter)
	if dst == nil {
		return
	}
	copy(dst, c.ints[:])
	if ids.on {
		dst[charHooked] = ids.field(dst[charHooked])
	}
	if v.ShowAll || c.id == v.Viewer || c.id == v.VitalsOf {
		dst[charHealth], dst[charHealth+1], dst[charHealth+2] = c.health, c.armor, c.ammo
	}
}

// buildPlayers adds who is there. Who is out of the round looks on as spectators do,
// and is shown to himself as one: 0.6 has no other way.
func (s *scene) buildPlayers(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, c viewer) {
	if c.ids.few {
		var all [fewIDs]known
		there := s.known(all[:0], c.ids)
		for _, k := range there {
			buildPlayer(b, v, latency, k.player, k.id)
		}
		for _, k := range there {
			copy(b.Add(msg6.TypeClientInfo, int(k.id), msg6.SizeClientInfo), s.infos[k.player.ID].ints[:])
		}
	} else {
		for i := range s.frame.Players {
			p := &s.frame.Players[i]
			buildPlayer(b, v, latency, p, int32(p.ID))
		}
		b.AddShared(s.all)
	}
	if c.ids.on {
		copy(b.Add(msg6.TypeClientInfo, spokesman, msg6.SizeClientInfo), spokesmanInfo[:])
	}
	if v.Viewer == game.Nobody || s.playerOf[v.Viewer] < 0 {
		return
	}
	p := &s.frame.Players[s.playerOf[v.Viewer]]
	if id := c.ids.id(p.ID); id >= 0 && p.Spectating {
		o := msg6.SpectatorInfo{SpectatorID: -1, X: p.ViewX, Y: p.ViewY}
		if p.SpecMode != game.SpectateFree {
			o.SpectatorID = max(c.ids.id(p.SpectatorID), -1)
		}
		if dst := b.Add(msg6.TypeSpectatorInfo, int(id), msg6.SizeSpectatorInfo); dst != nil {
			o.PutInts(dst)
		}
	}
}

func buildPlayer(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, p *game.PlayerState, id int32) {
	dst := b.Add(msg6.TypePlayerInfo, int(id), msg6.SizePlayerInfo)
	if dst == nil {
		return
	}
	o := msg6.PlayerInfo{ClientID: id, Team: msg6.Team(p.Team), Score: p.Score, Latency: latency[p.ID]}
	if p.ID == v.Viewer {
		o.Local = 1
		if p.Spectating {
			o.Team = msg6.TeamSpectators
		}
	}
	o.PutInts(dst)
}

// known is a player whom a client knows, and as whom.
type known struct {
	player *game.PlayerState
	id     int32
}

// known appends the players whom a client knows, in the order of their ids there.
func (s *scene) known(dst []known, ids *idMap) []known {
	if ids.on {
		for id, p := range ids.back {
			if p != game.Nobody && s.playerOf[p] >= 0 {
				dst = append(dst, known{&s.frame.Players[s.playerOf[p]], int32(id)})
			}
		}
		return dst
	}
	for i := range s.frame.Players {
		p := &s.frame.Players[i]
		if id := ids.id(p.ID); id >= 0 {
			dst = append(dst, known{p, id})
		}
	}
	return dst
}

// done ends a round: effects were shown, to whomever they could be.
func (s *scene) done() { s.effects.clear() }

func at(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }
