package bridge6

import (
	"math"

	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// gameInfoExDDRace is the GameInfoEx of DDNet-Server 16.4.
var gameInfoExDDRace = msg6.GameInfoEx{
	Flags: msg6.GameInfoTimeScore | msg6.GameInfoGametypeRace | msg6.GameInfoGametypeDDRace | msg6.GameInfoGametypeDDNet |
		msg6.GameInfoRace | msg6.GameInfoUnlimitedAmmo | msg6.GameInfoRaceRecordMessage |
		msg6.GameInfoAllowEyeWheel | msg6.GameInfoAllowHookColl | msg6.GameInfoAllowZoom |
		msg6.GameInfoBugDDRaceGhost | msg6.GameInfoBugDDRaceInput |
		msg6.GameInfoPredictDDRace | msg6.GameInfoPredictDDRaceTiles |
		msg6.GameInfoEntitiesDDNet | msg6.GameInfoEntitiesDDRace | msg6.GameInfoEntitiesRace,
	Version: msg6.GameInfoVersion,
	Flags2:  msg6.GameInfo2HUDDDRace,
}

var (
	exSwitchState     = newEx(msg6.TypeSwitchState)
	exSpecChar        = newEx(msg6.TypeSpecChar)
	exEntityEx        = newEx(msg6.TypeEntityEx)
	exDDNetLaser      = newEx(msg6.TypeDDNetLaser)
	exProjectile      = newEx(msg6.TypeDDRaceProjectile)
	exDDNetPickup     = newEx(msg6.TypeDDNetPickup)
	exDDNetProjectile = newEx(msg6.TypeDDNetProjectile)
)

// ddraceEncoder encodes the parts of a frame that exist only in DDRace.
type ddraceEncoder struct {
	on       bool // whether the frame is from DDRace
	frame    *game.Frame
	entities [4]entityItems // one for each class of clients, see encode
	hooks    items.HookLines
}

// entityItems are the projectiles, lasers, pickups and switches of a frame. The entities are
// encoded when the first client needs them. A nil entityItems is empty.
type entityItems struct {
	plain    items.Shared // types below those of the match
	extended items.Shared // types above those of effects
	encoded  bool
	switches bool
	netObjs  bool // DDNetProjectile and DDNetPickup, which contain their switches
	highIDs  bool // whether an item has an owner that most clients do not know
}

// begin begins a frame and reports whether it is from DDRace.
func (d *ddraceEncoder) begin(f *game.Frame) bool {
	d.on, d.frame = f.Game.Flags&game.GameFlagDDRace != 0, f
	for i := range d.entities {
		d.entities[i].encoded = false
	}
	return d.on
}

// entitiesFor returns the entities for clients of a release.
func (d *ddraceEncoder) entitiesFor(version int32) *entityItems {
	class := 0
	switch {
	case msg6.TypeKnownBy(msg6.TypeDDNetProjectile, version):
		class = 3
	case msg6.TypeKnownBy(msg6.TypeDDNetLaser, version):
		class = 2
	case msg6.TypeKnownBy(msg6.TypeEntityEx, version):
		class = 1
	}
	e := &d.entities[class]
	if !e.encoded {
		e.encoded = true
		e.encode(d.frame, class)
	}
	return e
}

// encode encodes the entities of a frame for a class of clients. Class 0 supports the items of 0.6,
// class 1 also most of DDNet's items, class 2 also DDNetLaser and all pickups, class 3 also
// DDNetProjectile and DDNetPickup.
func (e *entityItems) encode(f *game.Frame, class int) {
	e.plain.Reset()
	e.extended.Reset()
	e.switches, e.netObjs, e.highIDs = class > 0, class == 3, false
	if class == 0 {
		addPickups(&e.plain, f, game.PickupHammer)
		e.plain.AddEntities(f, &itemTypes)
		e.plain.Sort()
		return
	}
	last := game.PickupHammer
	if class >= 2 {
		last = game.PickupArmorLaser
	}
	if e.netObjs {
		e.addNetObjs(f)
	} else {
		e.addLegacyObjs(f, last)
	}
	for i := range f.Lasers {
		e.addLaser(&f.Lasers[i], class >= 2)
	}
	for i := range f.SpecTees {
		t := &f.SpecTees[i]
		o := msg6.SpecChar{X: t.X, Y: t.Y}
		o.PutInts(e.extended.AddGlobal(wireTypeSpecChar, int(t.Player), msg6.SizeSpecChar))
		e.ownLast(t.Player)
		e.extended.HideLast(t.NotFor)
	}
	e.plain.Sort()
	e.extended.Sort()
}

// addNetObjs adds the pickups and projectiles for clients that know items of DDNet for them.
func (e *entityItems) addNetObjs(f *game.Frame) {
	for i := range f.Pickups {
		p, kind := &f.Pickups[i], pickups[f.Pickups[i].Kind]
		o := msg6.DDNetPickup{X: p.X, Y: p.Y, Type: kind.typ, Subtype: kind.weapon, SwitchNumber: switchNumber(p.Entity)}
		o.PutInts(e.extended.AddNear(wireTypeDDNetPickup, int(p.ID), msg6.SizeDDNetPickup, convert.Point(p.X, p.Y)))
		e.extended.HideLast(p.NotFor)
	}
	for i := range f.Projectiles {
		e.addDDNetProjectile(&f.Projectiles[i])
	}
}

// addLegacyObjs adds the pickups and projectiles for older clients, with the pickups up to last.
func (e *entityItems) addLegacyObjs(f *game.Frame, last game.PickupKind) {
	addPickups(&e.plain, f, last)
	for i := range f.Pickups {
		p := &f.Pickups[i]
		pos := convert.Point(p.X, p.Y)
		e.addEntity(int(p.ID), p.Entity, pos, pos, p.NotFor)
	}
	for i := range f.Projectiles {
		e.addDDRaceProjectile(&f.Projectiles[i])
	}
}

// switchNumber returns the number of the switch of a map entity, or 0 if it has none.
func switchNumber(m game.MapEntity) int32 {
	if m.Layer != ddrace.LayerSwitch {
		return 0
	}
	return int32(m.Switch)
}

func (e *entityItems) addEntity(id int, m game.MapEntity, pos, pos2 vec.Vec2, notFor game.PlayerMask) {
	if m.Kind == game.NoMapEntity {
		return
	}
	o := msg6.EntityEx{SwitchNumber: int32(m.Switch), Layer: int32(m.Layer), EntityClass: msg6.EntityClass(m.Kind - game.MapProjectile)}
	o.PutInts(e.extended.AddBeam(wireTypeEntityEx, id, msg6.SizeEntityEx, pos, pos2))
	e.extended.HideLast(notFor)
}

func (e *entityItems) addLaser(l *game.LaserState, knowsKinds bool) {
	if knowsKinds && l.Kind != game.LaserBeam {
		o := msg6.DDNetLaser{
			ToX: l.X, ToY: l.Y, FromX: l.FromX, FromY: l.FromY, StartTick: l.StartTick, Owner: int32(l.Owner),
			Type: msg6.LaserType(l.Kind), Missing: msg6.SizeDDNetLaser - sizeDDNetLaser,
		}
		o.PutInts(e.extended.AddBeam(wireTypeDDNetLaser, int(l.ID), sizeDDNetLaser, l.Pos, l.From))
		e.ownLast(l.Owner)
		e.extended.HideLast(l.NotFor)
		return
	}
	o := msg6.Laser{X: l.X, Y: l.Y, FromX: l.FromX, FromY: l.FromY, StartTick: l.StartTick}
	if l.Entity.Kind != game.NoMapEntity {
		o.StartTick = 0 // the client draws the laser unchanged
	}
	o.PutInts(e.plain.AddBeam(msg6.TypeLaser, int(l.ID), msg6.SizeLaser, l.Pos, l.From))
	e.plain.HideLast(l.NotFor)
	if l.Entity.Kind == game.MapLight && l.Entity.Switch != 0 { // a light that is off is a point
		e.plain.HideLastBy(l.Entity)
		o.FromX, o.FromY = o.X, o.Y
		o.PutInts(e.plain.AddNear(msg6.TypeLaser, int(l.ID), msg6.SizeLaser, l.Pos))
		e.plain.HideLast(l.NotFor)
		e.plain.ShowLastWithout(l.Entity)
	}
	e.addEntity(int(l.ID), l.Entity, l.Pos, l.From, l.NotFor)
}

// sizeDDNetLaser is the number of integers that 16.4 sends of a DDNetLaser: the fields up to Type.
const sizeDDNetLaser = 7

// ddraceProjectileFlags pairs the flags of game.ProjectileFlags with those on the wire.
var ddraceProjectileFlags = [...]struct {
	flag game.ProjectileFlags
	wire msg6.DDRaceProjectileFlags
}{
	{game.ProjectileBouncesX, msg6.DDRaceProjectileBounceHorizontal},
	{game.ProjectileBouncesY, msg6.DDRaceProjectileBounceVertical},
	{game.ProjectileExplosive, msg6.DDRaceProjectileExplosive},
	{game.ProjectileFreezes, msg6.DDRaceProjectileFreeze},
}

// maxProjectilePos is the largest coordinate, in world units, whose hundredths fit an int32.
const maxProjectilePos = math.MaxInt32/100 - 1

// addFarProjectile adds a projectile as a Projectile of Teeworlds if it is too far away for
// DDNet's, and reports whether it is.
func (e *entityItems) addFarProjectile(p *game.ProjectileState) bool {
	if max(p.X, -p.X, p.Y, -p.Y) < maxProjectilePos {
		return false
	}
	o := msg6.Projectile{X: p.X, Y: p.Y, VelX: p.VelX, VelY: p.VelY, Type: msg6.Weapon(p.Weapon), StartTick: p.StartTick}
	o.PutInts(e.plain.AddNear(msg6.TypeProjectile, int(p.ID), msg6.SizeProjectile, p.Pos))
	e.plain.HideLast(p.NotFor)
	return true
}

// addDDRaceProjectile adds a projectile as a DDRaceProjectile, for clients before 16.2.
func (e *entityItems) addDDRaceProjectile(p *game.ProjectileState) {
	if !e.addFarProjectile(p) {
		o := msg6.DDRaceProjectile{
			X: int32(p.Start.X * 100), Y: int32(p.Start.Y * 100),
			Angle: int32(-math.Atan2(float64(p.Direction.X), float64(p.Direction.Y)) * 1e6),
			Data:  msg6.DDRaceProjectileIsDDNet | msg6.DDRaceProjectileFlags(max(p.Owner, -p.Owner)),
			Type:  msg6.Weapon(p.Weapon), StartTick: p.StartTick,
		}
		if p.Owner < 0 {
			o.Data |= msg6.DDRaceProjectileNoOwner
		}
		for _, f := range ddraceProjectileFlags {
			if p.Flags&f.flag != 0 {
				o.Data |= f.wire
			}
		}
		o.PutInts(e.extended.AddNear(wireTypeProjectile, int(p.ID), msg6.SizeDDRaceProjectile, p.Pos))
		e.ownLast(p.Owner)
		e.extended.HideLast(p.NotFor)
	}
	e.addEntity(int(p.ID), p.Entity, p.Pos, p.Pos, p.NotFor)
}

// ddnetProjectileFlags pairs game.ProjectileFlags with the flags in a DDNetProjectile.
var ddnetProjectileFlags = [...]struct {
	flag game.ProjectileFlags
	wire msg6.ProjectileFlags
}{
	{game.ProjectileBouncesX, msg6.ProjectileBounceHorizontal},
	{game.ProjectileBouncesY, msg6.ProjectileBounceVertical},
	{game.ProjectileExplosive, msg6.ProjectileExplosive},
	{game.ProjectileFreezes, msg6.ProjectileFreeze},
}

// addDDNetProjectile adds a projectile as a DDNetProjectile.
func (e *entityItems) addDDNetProjectile(p *game.ProjectileState) {
	if e.addFarProjectile(p) {
		return
	}
	o := msg6.DDNetProjectile{
		X: rounded(p.Start.X, 100), Y: rounded(p.Start.Y, 100), VelX: rounded(p.Direction.X, 1e6), VelY: rounded(p.Direction.Y, 1e6),
		Type: msg6.Weapon(p.Weapon), StartTick: p.StartTick, Owner: int32(p.Owner), SwitchNumber: switchNumber(p.Entity), TuneZone: int32(p.TuneZone),
	}
	for _, f := range ddnetProjectileFlags {
		if p.Flags&f.flag != 0 {
			o.Flags |= f.wire
		}
	}
	o.PutInts(e.extended.AddNear(wireTypeDDNetProjectile, int(p.ID), msg6.SizeDDNetProjectile, p.Pos))
	e.ownLast(p.Owner)
	e.extended.HideLast(p.NotFor)
}

// rounded returns the nearest whole number to n times scale.
func rounded(n float32, scale float64) int32 { return int32(math.Round(float64(n) * scale)) }

// buildTypes adds the items that define the types of the extended items.
func (e *entityItems) buildTypes(b *snapshot.Builder, types *typeItems) {
	if !e.switches {
		return
	}
	if e.netObjs {
		types.add(b, wireTypeDDNetProjectile, &exDDNetProjectile)
		types.add(b, wireTypeDDNetPickup, &exDDNetPickup)
	} else {
		types.add(b, wireTypeProjectile, &exProjectile)
	}
	types.add(b, wireTypeDDNetLaser, &exDDNetLaser)
	types.add(b, wireTypeEntityEx, &exEntityEx)
	types.add(b, wireTypeSpecChar, &exSpecChar)
	types.add(b, wireTypeSwitchState, &exSwitchState)
}

func (e *entityItems) appendPlain(b *snapshot.Builder, v *game.View) {
	if e != nil {
		e.plain.AppendVisible(b, v, nil)
	}
}

// ownLast marks the most recently added extended item as the item of a player.
func (e *entityItems) ownLast(owner game.PlayerID) {
	if owner != game.Nobody {
		e.extended.OwnLast()
		e.highIDs = e.highIDs || owner >= msg6.MaxClients
	}
}

// mapOwner maps the owner in a copy of an extended item. It returns the item's id, or -1 if the
// client must not get the item.
func mapOwner(typ, id int, ints []int32, ids *clientids.Map) int {
	switch typ {
	case wireTypeSpecChar:
		return int(ids.ID(game.PlayerID(id)))
	case wireTypeDDNetLaser:
		ints[laserOwner] = ids.Field(ints[laserOwner])
	case wireTypeDDNetProjectile:
		ints[projectileOwner] = ids.Field(ints[projectileOwner])
	case wireTypeProjectile:
		const owner = msg6.DDRaceProjectileNoOwner - 1
		data := msg6.DDRaceProjectileFlags(ints[projectileData])
		known := ids.Field(int32(data & owner))
		if data &^= owner; known < 0 {
			data |= msg6.DDRaceProjectileNoOwner | 1
		} else {
			data |= msg6.DDRaceProjectileFlags(known)
		}
		ints[projectileData] = int32(data)
	}
	return id
}

func (e *entityItems) appendExtended(b *snapshot.Builder, v *game.View, ids *clientids.Map) {
	if e == nil || !e.switches {
		return
	}
	var owners items.OwnerMap
	if ids.IsActive() || e.highIDs && ids.Limit() < game.MaxPlayers {
		owners = func(typ, id int, ints []int32) int { return mapOwner(typ, id, ints, ids) }
	}
	e.extended.AppendVisible(b, v, owners)
	if s := v.Switches(); s != nil && s.Team < game.TeamSuper {
		o := msg6.SwitchState{HighestSwitchNumber: s.Highest}
		for i := range s.Active {
			o.Status[i] = int32(s.Active[i])
		}
		for i, t := range s.Timers {
			o.SwitchNumbers[i], o.EndTicks[i] = t.Number, t.EndTick
		}
		if dst := b.Add(wireTypeSwitchState, int(s.Team), msg6.SizeSwitchState); dst != nil {
			o.PutInts(dst)
		}
	}
}

// size returns an upper bound on the items and integers that appendPlain and appendExtended add.
func (e *entityItems) size() (items, ints int) {
	if e == nil {
		return 0, 0
	}
	items, ints = e.plain.Size()
	moreItems, moreInts := e.extended.Size()
	return items + moreItems + 1, ints + moreInts + msg6.SizeSwitchState
}

func encodeExPlayerFlags(p *game.PlayerState) (f msg6.ExPlayerFlags) {
	if p.AFK {
		f |= msg6.ExPlayerFlagAFK
	}
	switch p.Pause {
	case game.PauseInPlace:
		f |= msg6.ExPlayerFlagPaused
	case game.PauseVanished:
		f |= msg6.ExPlayerFlagSpec
	}
	return f
}

// sendTeams sends the DDRace teams of all players.
func (s *serverSide) sendTeams(w *game.World) {
	if s.isDDNet() && w.GameFlags()&game.GameFlagDDRace != 0 {
		s.sendTeamsState(s.teams(w))
	}
}

// sendChangedTeams sends the DDRace teams again if the client stores others for its ids.
func (s *serverSide) sendChangedTeams(w *game.World) {
	if !s.isDDNet() || w == nil || w.GameFlags()&game.GameFlagDDRace == 0 {
		return
	}
	if teams := s.teams(w); teams != s.sentTeams {
		s.sendTeamsState(teams)
	}
}

// teams returns the DDRace teams by the client's ids.
func (s *serverSide) teams(w *game.World) (teams [game.MaxPlayers]int32) {
	f := w.Frame()
	for i := range f.Players {
		p := &f.Players[i]
		id := s.ids.ID(p.ID)
		if id < 0 {
			continue
		}
		if teams[id] = p.DDRaceTeam; p.DDRaceTeam == game.TeamSuper && s.ddnetVersion >= msg6.VersionTeams128 {
			teams[id] = 2 * game.TeamSuper
		}
	}
	return teams
}

func (s *serverSide) sendTeamsState(teams [game.MaxPlayers]int32) {
	s.sentTeams = teams
	list := s.sentTeams[:s.maxIDs()]
	if !s.send(&msg6.SvTeamsState{Teams: list}) {
		s.send(&msg6.SvTeamsStateLegacy{Teams: list})
	}
}

// maxShowDistance limits how far a client can see, in world units. A larger area has more entities
// than a snapshot can hold.
const maxShowDistance = 10_000

// setShowDistance sets the size of the area that the client displays in DDRace.
func (s *serverSide) setShowDistance(m *msg6.ClShowDistance) {
	limit := func(n int32) float32 { return float32(min(max(n, 0), maxShowDistance)) }
	s.watcher.showDistance = vec.Vec2{X: limit(m.X), Y: limit(m.Y)}
}

// viewOf returns v, limited to the area that the client displays.
func (s *serverSide) viewOf(v *game.View) *game.View {
	if v.Range != game.DDRaceRange || s.watcher.showDistance == (vec.Vec2{}) {
		return v
	}
	s.view = *v
	s.view.Range = s.watcher.showDistance
	return &s.view
}
