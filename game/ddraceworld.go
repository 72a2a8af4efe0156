package game

import (
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// DDRaceFrames makes frames of worlds of DDRace. The zero value is ready for use.
type DDRaceFrames struct {
	lines   []ddrace.Line
	pickups []ddrace.Pickup
}

// Fill replaces the tees, what they and the map fire, the pickups and the switches of a frame by
// those of a world. Of players, which the frame has, it sets RaceTeam and RaceStart.
func (d *DDRaceFrames) Fill(f *Frame, w *ddrace.World) {
	f.Extended = true
	f.Game.Flags |= GameFlagRace | GameFlagDDRace
	if w.Settings().NoWeakHookAndBounce != 0 {
		f.Game.Flags |= GameFlagNoWeakHook
	}
	f.Characters = f.Characters[:0]
	for t := range w.Tees {
		c := ddraceCharacter(w, t)
		c.TickOrder = int32(len(f.Characters))
		f.Characters = append(f.Characters, c)
	}
	slices.SortFunc(f.Characters, func(a, b CharacterState) int { return int(a.Player) - int(b.Player) })
	for i := range f.Players {
		p := &f.Players[i]
		p.RaceTeam, p.RaceStart = int32(w.Team(int(p.ID))), 0
		if t := w.Tee(int(p.ID)); t != nil && t.Race == ddrace.RaceStarted {
			p.RaceStart = t.StartTick
		}
	}
	f.Projectiles = f.Projectiles[:0]
	shots := w.Projectiles()
	for i := range shots {
		f.Projectiles = append(f.Projectiles, ddraceProjectile(w, &shots[i]))
	}
	f.Lasers = f.Lasers[:0]
	d.lines = w.AppendLines(d.lines[:0])
	for i := range d.lines {
		f.Lasers = append(f.Lasers, ddraceLaser(&d.lines[i], w.Tick()))
	}
	f.Pickups = f.Pickups[:0]
	d.pickups = w.AppendPickups(d.pickups[:0])
	for i := range d.pickups {
		p := &d.pickups[i]
		s := pickupState(p.ID, ddracePickups[p.Kind], p.Pos, 0)
		if p.Layer == ddrace.LayerSwitch && p.Number > 0 {
			s.Entity = MapEntity{MapPickup, p.Layer, p.Number}
		}
		f.Pickups = append(f.Pickups, s)
	}
	f.setSwitches(w)
}

func ddraceCharacter(w *ddrace.World, t *ddrace.Tee) CharacterState {
	c := &t.Core
	s := CharacterState{
		Player: PlayerID(t.ID()), Tick: w.Tick(), Pos: c.Pos, X: vec.Round(c.Pos.X), Y: vec.Round(c.Pos.Y),
		VelX: vec.Round(float32(c.Vel.X * 256)), VelY: vec.Round(float32(c.Vel.Y * 256)),
		Angle: c.Angle, Direction: c.Direction, Jumped: c.Jumped,
		HookedPlayer: c.HookedPlayer, HookState: c.HookState, HookTick: c.HookTick, HookX: vec.Round(c.HookPos.X), HookY: vec.Round(c.HookPos.Y),
		HookDX: vec.Round(float32(c.HookDir.X * 256)), HookDY: vec.Round(float32(c.HookDir.Y * 256)),
		Health: 10, Armor: t.Armor, Weapon: Weapon(t.ActiveWeapon), AttackTick: t.AttackTick, TriggeredEvents: ddraceEvents(c.Events),
		Flags: ddraceFlags(w, t), FreezeStart: t.FreezeStart, Jumps: c.Jumps, AirJumps: c.JumpedTotal,
		NinjaStart: t.Ninja.ActivationTick, TeleCheckpoint: int32(t.TeleCheckpoint),
	}
	s.TargetX, s.TargetY = t.Target()
	switch {
	case t.Deep:
		s.FreezeEnd, s.Emote = FreezeForever, EmotePain
	case t.Frozen():
		s.FreezeEnd, s.Emote = w.Tick()+t.FreezeTime, EmoteBlink
	case t.Live || t.EmoteStop > w.Tick():
		s.Emote = EmotePain
	}
	if s.Weapon == WeaponNinja {
		s.Ammo = s.NinjaStart + ninjaTicks
	}
	return s
}

func ddraceFlags(w *ddrace.World, t *ddrace.Tee) (flags CharacterFlags) {
	tuning := &w.Settings().Tuning
	for _, s := range [...]struct {
		set  bool
		flag CharacterFlags
	}{
		{t.Core.Solo, CharacterFlagSolo}, {t.Jetpack, CharacterFlagJetpack},
		{t.Core.NoCollision || tuning[ddrace.PlayerCollision] == 0, CharacterFlagNoCollision},
		{t.EndlessHook, CharacterFlagEndlessHook}, {t.AirJumps, CharacterFlagEndlessJump}, {t.Super, CharacterFlagSuper},
		{t.UnhitHammer, CharacterFlagNoHammerHit}, {t.UnhitShotgun, CharacterFlagNoShotgunHit},
		{t.UnhitGrenade, CharacterFlagNoGrenadeHit}, {t.UnhitLaser, CharacterFlagNoLaserHit},
		{t.Core.NoHookHit || tuning[ddrace.PlayerHooking] == 0, CharacterFlagNoHook},
		{t.Telegun, CharacterFlagTelegun}, {t.Telegrenade, CharacterFlagTelegunGrenade}, {t.Telelaser, CharacterFlagTelegunLaser},
		{t.Live, CharacterFlagCannotMove}, {t.InFreeze, CharacterFlagInFreeze},
		{w.Practises(w.Team(t.ID())), CharacterFlagPractice},
	} {
		if s.set {
			flags |= s.flag
		}
	}
	for i, has := range t.Weapons {
		if has {
			flags |= CharacterFlagHasWeapon << i
		}
	}
	return flags
}

// ddraceEvents returns the events of a core with the numbers of TriggeredEvents.
func ddraceEvents(e uint32) (events int32) {
	for i, event := range [...]uint32{
		ddrace.CoreGroundJump, ddrace.CoreAirJump, ddrace.CoreHookAttachPlayer, ddrace.CoreHookAttachGround, ddrace.CoreHookHitNoHook,
	} {
		if e&event != 0 {
			events |= 1 << i
		}
	}
	return events
}

func ddraceProjectile(w *ddrace.World, p *ddrace.Projectile) ProjectileState {
	s := ProjectileState{
		ID: p.ID, X: vec.Trunc(p.Pos.X), Y: vec.Trunc(p.Pos.Y),
		VelX: vec.Trunc(float32(p.Dir.X * 100)), VelY: vec.Trunc(float32(p.Dir.Y * 100)),
		Weapon: Weapon(p.Weapon), StartTick: p.Start, Pos: w.ProjectilePos(p), Start: p.Pos, Direction: p.Dir, Owner: PlayerID(p.Owner),
		Flags:  ProjectileFlags(p.Bounces),
		Entity: MapEntity{MapProjectile, p.Layer, p.Number},
	}
	if p.Explosive {
		s.Flags |= ProjectileExplosive
	}
	if p.Freezing {
		s.Flags |= ProjectileFreezes
	}
	return s
}

// ddraceTurrets are the kinds of turrets, from EntityTurretExplosive on.
var ddraceTurrets = [...]MapEntityKind{MapTurretExplosive, MapTurretFreeze, MapTurretBoth, MapTurretUnfreeze}

func ddraceLaser(l *ddrace.Line, tick int32) LaserState {
	s := laserState(l.ID, l.Pos, l.From, l.StartTick, 0)
	s.Kind, s.Owner = LaserBeam, Nobody
	switch kind := l.Kind; {
	case kind == 0:
		if s.Kind, s.Owner = LaserRifle, PlayerID(l.Owner); l.Weapon == ddrace.WeaponShotgun {
			s.Kind = LaserShotgun
		}
		return s
	case l.Shot:
		return s
	case kind == ddrace.EntityDoor:
		s.Entity.Kind = MapDoor
	case kind >= ddrace.EntityTurretExplosive && kind <= ddrace.EntityTurretUnfreeze:
		s.Entity.Kind = ddraceTurrets[kind-ddrace.EntityTurretExplosive]
	case kind >= ddrace.EntityDragger:
		s.Entity.Kind = MapDraggerWeak + MapEntityKind((kind-ddrace.EntityDragger)%3)
	case l.Layer == ddrace.LayerSwitch && l.Number > 0:
		s.Entity.Kind = MapLight
	}
	s.StartTick = tick
	if s.Entity.Switch = l.Number; l.Kind != ddrace.EntityDoor { // DDNet-Server says nothing of theirs
		s.Entity.Layer = l.Layer
	}
	return s
}

// ddracePickups are the pickups of the entities of maps.
var ddracePickups = [...]PickupKind{
	ddrace.EntityArmor: PickupArmor, ddrace.EntityHealth: PickupHealth, ddrace.EntityShotgun: PickupShotgun, ddrace.EntityGrenade: PickupGrenade,
	ddrace.EntityNinja: PickupNinja, ddrace.EntityLaser: PickupLaser, ddrace.EntityNoShotgun: PickupArmorShotgun,
	ddrace.EntityNoGrenade: PickupArmorGrenade, ddrace.EntityNoNinja: PickupArmorNinja, ddrace.EntityNoLaser: PickupArmorLaser,
}

// shownTimerTicks is how long before its end clients are told of a timer.
const shownTimerTicks = 3 * TickRate

// setSwitches sets the switches of the teams of the players.
func (f *Frame) setSwitches(w *ddrace.World) {
	f.Switches = f.Switches[:0]
	if w.Switches() == 0 {
		return
	}
	teams := uint64(1)
	for i := range f.Players {
		if t := f.Players[i].RaceTeam; t < TeamSuper {
			teams |= 1 << t
		}
	}
	for team := range uint8(TeamSuper) {
		if teams>>team&1 == 0 {
			continue
		}
		s := SwitchState{Team: int32(team), Highest: int32(min(w.Switches(), 255)), Active: w.ActiveSwitches(team)}
		for n := uint8(1); int32(n) <= s.Highest && n != 0; n++ {
			t := w.Switch(team, n)
			if t.EndTick <= 0 || t.EndTick >= w.Tick()+shownTimerTicks || t.LastUpdate >= w.Tick() {
				continue
			}
			s.addTimer(SwitchTimer{int32(n), t.EndTick})
		}
		for i := range s.Active { // of those that do not exist nothing is said
			if first := int32(i * 32); s.Highest < first+31 {
				s.Active[i] &= 1<<max(s.Highest+1-first, 0) - 1
			}
		}
		f.Switches = append(f.Switches, s)
	}
}

// addTimer adds a timer to those that end next.
func (s *SwitchState) addTimer(t SwitchTimer) {
	for i := range s.Timers {
		if o := s.Timers[i]; o.Number == 0 || t.EndTick < o.EndTick {
			copy(s.Timers[i+1:], s.Timers[i:])
			s.Timers[i] = t
			return
		}
	}
}
