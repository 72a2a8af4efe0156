package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/vec"
)

// The methods below make vanillaHost a [vanilla.Host].

// Rules returns the rules that the simulation depends on.
func (v *vanillaHost) Rules() vanilla.Rules {
	r, f := &v.w.rules, v.w.match.flags
	return vanilla.Rules{
		Teams: f&GameFlagTeams != 0, Survival: f&GameFlagSurvival != 0, TeamDamage: r.TeamDamage, Powerups: r.Powerups,
	}
}

// Player returns a player.
func (v *vanillaHost) Player(id tee.ID) vanilla.Player {
	p := &v.w.players[id]
	return vanilla.Player{Connected: p.connected, Team: vanilla.Team(p.team)}
}

// Hit calls the DamageHooks.
func (v *vanillaHost) Hit(d vanilla.Damage) (changed vanilla.Damage, counts bool) {
	if len(v.w.hooks.damage) == 0 {
		return d, true
	}
	own := damageOf(&d)
	counts = v.w.callDamage(&own)
	return own.vanilla(), counts
}

// Hurt shows a hit to the players, and calls the DamageTakenHooks.
func (v *vanillaHost) Hurt(d vanilla.Damage) {
	w := v.w
	own := damageOf(&d)
	id, from := own.Victim, own.Attacker
	w.addEvent(Event{
		Kind: EvDamage, To: MaskAll, Player: id, Target: from, Weapon: own.Weapon, Pos: w.tees.All[id].Pos,
		Angle: vec.Trunc(float32(d.Source.Angle() * 256)),
		Value: d.HealthLost, Extra: d.ArmorLost, Flag: from == id,
	})
	if from >= 0 && from != id && w.players[from].connected {
		w.sound(w.players[from].viewPos, SoundHit, w.watchers(from).Or(MaskOne(from)))
	}
	w.callDamageTaken(&own)
}

// Die kills a tee.
func (v *vanillaHost) Die(victim, killer tee.ID, weapon tee.Weapon) {
	v.w.die(PlayerID(victim), PlayerID(killer), Weapon(weapon))
}

// Fire calls the FireHooks.
func (v *vanillaHost) Fire(id tee.ID, weapon tee.Weapon, dir vec.Vec2) bool {
	return v.w.callFire(PlayerID(id), Weapon(weapon), dir)
}

// Take calls the PickupHooks.
func (v *vanillaHost) Take(id tee.ID, kind vanilla.PickupKind, handle vanilla.Handle) bool {
	return v.w.callPickup(PlayerID(id), PickupKind(kind), EntityID(handle))
}

// Taken tells the player that the tee took a pickup.
func (v *vanillaHost) Taken(id tee.ID, kind vanilla.PickupKind, pos vec.Vec2) {
	k, weapon := PickupKind(kind), WeaponWorld
	if k == PickupGrenade || k == PickupShotgun || k == PickupLaser {
		weapon = k.Weapon()
	}
	v.w.addEvent(Event{Kind: EvPickup, To: MaskOne(PlayerID(id)), Player: PlayerID(id), Pickup: k, Weapon: weapon, Pos: pos})
}

// FlagReturned calls the FlagReturnHooks.
func (v *vanillaHost) FlagReturned(t vanilla.Team) { v.w.callFlagReturn(Team(t)) }

// Sound plays a sound for all players.
func (v *vanillaHost) Sound(pos vec.Vec2, s vanilla.Sound) { v.w.sound(pos, Sound(s), MaskAll) }

// Explosion shows an explosion.
func (v *vanillaHost) Explosion(pos vec.Vec2) {
	v.w.addEvent(Event{Kind: EvExplosion, To: MaskAll, Pos: pos})
}

// HammerHit shows a hit of a hammer.
func (v *vanillaHost) HammerHit(pos vec.Vec2) {
	v.w.addEvent(Event{Kind: EvHammerHit, To: MaskAll, Pos: pos})
}

// damageOf returns a hit of the simulation.
func damageOf(d *vanilla.Damage) Damage {
	return Damage{
		Victim: PlayerID(d.Victim), Attacker: PlayerID(d.Attacker), Weapon: Weapon(d.Weapon), Amount: d.Amount,
		Force: d.Force, Source: d.Source, HealthLost: d.HealthLost, ArmorLost: d.ArmorLost,
	}
}

// vanilla returns the hit as the simulation has it.
func (d *Damage) vanilla() vanilla.Damage {
	return vanilla.Damage{
		Victim: tee.ID(d.Victim), Attacker: tee.ID(d.Attacker), Weapon: tee.Weapon(d.Weapon), Amount: d.Amount,
		Force: d.Force, Source: d.Source, HealthLost: d.HealthLost, ArmorLost: d.ArmorLost,
	}
}
