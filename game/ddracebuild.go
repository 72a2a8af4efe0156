package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

func (d *ddraceHost) show(f *Frame) {
	s := d.world.Settings()
	if equal, _ := s.EqualHooks(); equal {
		f.Game.Flags |= GameFlagNoWeakHook
	}
	for i := range f.Players {
		p := &f.Players[i]
		p.DDRaceTeam = int32(d.world.Team(int(p.ID)))
	}
	d.addSight(f)
	for i := range f.Characters {
		d.addTee(&f.Characters[i])
	}
	f.Projectiles = f.Projectiles[:0]
	for list, i := d.world.Projectiles(), 0; i < len(list); i++ {
		f.Projectiles = append(f.Projectiles, d.projectile(&list[i]))
	}
	d.lines = d.world.AppendLines(d.lines[:0])
	f.Lasers = f.Lasers[:0]
	for i := range d.lines {
		if l := d.laser(&d.lines[i], f.Tick); l.NotFor != MaskAll {
			f.Lasers = append(f.Lasers, l)
		}
	}
	d.pickups = d.world.AppendPickups(d.pickups[:0])
	f.Pickups = f.Pickups[:0]
	for i := range d.pickups {
		p := &d.pickups[i]
		state := pickupState(p.ID, ddracePickup(p.Kind), p.Pos, PlayerMask{})
		if p.Layer == ddrace.LayerSwitch {
			state.Entity = MapEntity{Kind: MapPickup, Layer: p.Layer, Switch: p.Number}
		}
		f.Pickups = append(f.Pickups, state)
	}
	d.addSwitches(f)
}

// addTee adds the states of a tee of the simulation.
func (d *ddraceHost) addTee(s *CharacterState) {
	t := d.world.Tee(int(s.Player))
	if t == nil {
		return
	}
	set := func(on bool, f CharacterFlags) {
		if on {
			s.Flags |= f
		}
	}
	settings := d.world.Settings()
	s.Flags = 0
	set(t.Core.Solo, CharacterFlagSolo)
	set(t.Jetpack, CharacterFlagJetpack)
	set(t.Core.NoCollision || settings.Tuning[ddrace.PlayerCollision] == 0, CharacterFlagNoCollision)
	set(t.EndlessHook, CharacterFlagEndlessHook)
	set(t.AirJumps, CharacterFlagEndlessJump)
	set(t.Super, CharacterFlagSuper)
	set(t.Invincible, CharacterFlagInvincible)
	set(t.UnhitHammer, CharacterFlagNoHammerHit)
	set(t.UnhitShotgun, CharacterFlagNoShotgunHit)
	set(t.UnhitGrenade, CharacterFlagNoGrenadeHit)
	set(t.UnhitLaser, CharacterFlagNoLaserHit)
	set(t.Core.NoHookHit || settings.Tuning[ddrace.PlayerHooking] == 0, CharacterFlagNoHook)
	set(t.Telegun, CharacterFlagTelegun)
	set(t.Telegrenade, CharacterFlagTelegunGrenade)
	set(t.Telelaser, CharacterFlagTelegunLaser)
	set(t.Live, CharacterFlagCannotMove)
	set(t.InFreeze, CharacterFlagInFreeze)
	team := d.world.Team(t.ID())
	set(d.world.Practises(team), CharacterFlagPractice)
	set(settings.Release >= 20 && d.world.Locked(team), CharacterFlagLocked)
	set(d.world.AsZero(team), CharacterFlagAsZero)
	for weapon, owned := range t.Weapons {
		set(owned, CharacterFlagHasWeapon<<weapon)
	}
	s.FreezeStart, s.FreezeEnd = 0, 0
	if t.FreezeTime > 0 {
		s.FreezeStart, s.FreezeEnd = t.FreezeStart, d.w.tick+t.FreezeTime
	}
	if s.Weapon != WeaponNinja || s.FreezeEnd != 0 {
		s.Ammo = 0 // it has no end, and clients show none
	}
	if t.Deep {
		s.FreezeEnd = FreezeForever
	}
	if t.HasNinjaJetpack() && s.Weapon == WeaponGun && s.FreezeEnd == 0 {
		s.Weapon, s.Ammo = WeaponNinja, t.Ninja.ActivationTick+tee.NinjaTicks
	}
	s.Jumps, s.AirJumps = min(max(t.Core.Jumps, -1), 255), min(t.Core.JumpedTotal, 255) // as clients take them
	s.NinjaStart = t.Ninja.ActivationTick
	s.TargetX, s.TargetY = t.Target()
	s.TeleCheckpoint = int32(t.TeleCheckpoint)
	hidden := PlayerMask(d.w.tees.All[s.Player].NotFor)
	s.NotFor, s.Secret = d.hiddenFrom(s.Player).Or(hidden), !hidden.Not().IsPublic()
}

func (d *ddraceHost) eyes(id PlayerID, e Emote) (shown Emote, lastAction int32) {
	return d.emote(id, e), d.w.players[id].sight.active
}

func (d *ddraceHost) viewRange(id PlayerID) vec.Vec2 {
	if d.w.players[id].sight.all {
		return DDRaceMap
	}
	return DDRaceRange
}

// emote returns the eyes of a tee whose own expression is e. As in DDNet, a hit, a freeze or a
// player who is away changes the eyes.
func (d *ddraceHost) emote(id PlayerID, e Emote) Emote {
	t := d.world.Tee(int(id))
	if t == nil {
		return e
	}
	if t.EmoteStop >= d.world.Tick() {
		e = EmotePain
	}
	frozen := t.FreezeTime != 0 || t.Deep || t.Live
	if s := &d.w.players[id].sight; s.pause != NotPaused || d.isAFK(s) {
		if frozen {
			return EmoteNormal
		}
		return EmoteBlink
	}
	switch {
	case e != EmoteNormal:
		return e
	case t.Deep || t.Live:
		return EmotePain
	case frozen:
		return EmoteBlink
	case t.HasNinjaJetpack() && t.ActiveWeapon == ddrace.WeaponGun:
		return EmoteHappy
	}
	return e
}

// hidden returns the players who do not see a thing that belongs to a tee. The owner is -1 for
// none.
func (d *ddraceHost) hidden(owner int8) PlayerMask {
	if owner < 0 {
		return PlayerMask{}
	}
	return d.notFor[owner]
}

func (d *ddraceHost) projectile(p *ddrace.Projectile) ProjectileState {
	s := ProjectileState{
		ID: p.ID, X: vec.Trunc(p.Pos.X), Y: vec.Trunc(p.Pos.Y),
		VelX: vec.Trunc(float32(p.Dir.X * 100)), VelY: vec.Trunc(float32(p.Dir.Y * 100)),
		Weapon: Weapon(p.Weapon), StartTick: p.Start, Pos: d.world.ProjectilePos(p), NotFor: d.hidden(p.Owner),
		Start: p.Pos, Direction: p.Dir, Owner: PlayerID(p.Owner), TuneZone: p.TuneZone(),
	}
	if p.Bounces&1 != 0 {
		s.Flags |= ProjectileBouncesX
	}
	if p.Bounces&2 != 0 {
		s.Flags |= ProjectileBouncesY
	}
	if p.Explosive {
		s.Flags |= ProjectileExplosive
	}
	if p.Freezing {
		s.Flags |= ProjectileFreezes
	}
	if p.Owner < 0 {
		s.Entity = MapEntity{Kind: MapProjectile, Layer: p.Layer, Switch: p.Number}
	}
	return s
}

func (d *ddraceHost) laser(l *ddrace.Line, tick int32) LaserState {
	s := laserState(l.ID, l.Pos, l.From, l.StartTick, d.hidden(l.Owner))
	s.Owner, s.Kind = Nobody, LaserBeam
	switch {
	case l.Kind == 0 && l.Weapon == ddrace.WeaponShotgun:
		s.Owner, s.Kind = PlayerID(l.Owner), LaserShotgun
	case l.Kind == 0:
		s.Owner, s.Kind = PlayerID(l.Owner), LaserRifle
	case l.Shot:
	default:
		s.StartTick = tick
		s.Entity = MapEntity{Kind: mapEntityKind(l.Kind), Layer: l.Layer, Switch: l.Number}
		switch {
		case s.Entity.Kind == MapLight && l.Layer != ddrace.LayerSwitch:
			s.Entity, s.StartTick = MapEntity{}, l.StartTick
		case l.Beams != ddrace.TeeSet{}: // the dragger itself is for those who see none of its beams
			for id, hidden := range d.notFor {
				if l.Beams.Has(id) {
					s.NotFor = s.NotFor.Or(hidden.Not())
				}
			}
		case s.Entity.Kind == MapDoor:
			s.Entity.Layer = ddrace.LayerGame // all that DDNet-Server says of doors
		}
	}
	return s
}

// mapEntityKind returns the kind of an entity that clients are sent.
func mapEntityKind(k ddrace.EntityKind) MapEntityKind {
	switch {
	case k == ddrace.EntityDoor:
		return MapDoor
	case k == ddrace.EntityTurretExplosive:
		return MapTurretExplosive
	case k == ddrace.EntityTurretFreeze:
		return MapTurretFreeze
	case k == ddrace.EntityTurretBoth:
		return MapTurretBoth
	case k == ddrace.EntityTurretUnfreeze:
		return MapTurretUnfreeze
	case k >= ddrace.EntityDraggerThrough:
		return MapDraggerWeak + MapEntityKind(k-ddrace.EntityDraggerThrough)
	case k >= ddrace.EntityDragger:
		return MapDraggerWeak + MapEntityKind(k-ddrace.EntityDragger)
	}
	return MapLight
}

func ddracePickup(k ddrace.EntityKind) PickupKind {
	switch k {
	case ddrace.EntityArmor:
		return PickupArmor
	case ddrace.EntityShotgun:
		return PickupShotgun
	case ddrace.EntityGrenade:
		return PickupGrenade
	case ddrace.EntityNinja:
		return PickupNinja
	case ddrace.EntityLaser:
		return PickupLaser
	case ddrace.EntityNoShotgun:
		return PickupArmorShotgun
	case ddrace.EntityNoGrenade:
		return PickupArmorGrenade
	case ddrace.EntityNoNinja:
		return PickupArmorNinja
	case ddrace.EntityNoLaser:
		return PickupArmorLaser
	}
	return PickupHealth
}

// addSwitches adds the switches of the teams that have players.
func (d *ddraceHost) addSwitches(f *Frame) {
	f.Switches = f.Switches[:0]
	highest := d.world.Switches()
	if highest == 0 {
		return
	}
	var teams [TeamSuper]bool
	for i := range f.Players {
		if team := f.Players[i].DDRaceTeam; team < TeamSuper {
			teams[team] = true
		}
	}
	for team := range TeamSuper {
		if !teams[team] {
			continue
		}
		s := SwitchState{Team: int32(team), Highest: int32(highest), Active: d.world.ActiveSwitches(uint8(team))}
		for i := range s.Active { // of those that do not exist nothing is said
			if first := i * 32; highest < first+31 {
				s.Active[i] &= 1<<max(highest+1-first, 0) - 1
			}
		}
		n := 0
		for number := 1; number <= highest && n < len(s.Timers); number++ {
			// Clients are sent the last three seconds, unless a tee stands on the switch.
			v := d.world.Switch(uint8(team), uint8(number))
			if v.EndTick > 0 && v.EndTick < f.Tick+3*TickRate && v.LastUpdate < f.Tick {
				s.Timers[n] = SwitchTimer{Number: int32(number), EndTick: v.EndTick}
				for k := n; k > 0 && s.Timers[k-1].EndTick > s.Timers[k].EndTick; k-- {
					s.Timers[k-1], s.Timers[k] = s.Timers[k], s.Timers[k-1]
				}
				n++
			}
		}
		f.Switches = append(f.Switches, s)
	}
}
