package game

import "github.com/teeyard/teeyard/game/vec"

const (
	explosionRadius      float32 = 135
	explosionInnerRadius float32 = 48 // full damage up to this distance
	explosionMaxForce    float32 = 12
)

// explode damages and pushes the characters near pos, its owner included. It does not
// need a line of sight.
func (w *World) explode(pos vec.Vec2, owner PlayerID, weapon Weapon, maxDamage int32) {
	w.addEvent(Event{Kind: EvExplosion, To: MaskAll, Pos: pos})
	var near [MaxPlayers]PlayerID
	n := w.findCharacters(pos, explosionRadius, &near)
	for _, id := range near[:n] {
		if !w.characters[id].exists || !w.canHit(owner, id, weapon) {
			continue
		}
		diff := w.characters[id].pos.Sub(pos)
		force := vec.Vec2{Y: explosionMaxForce}
		l := diff.Len()
		if l != 0 {
			force = diff.Normalize().Mul(explosionMaxForce)
		}
		factor := 1 - vec.Clamp((l-explosionInnerRadius)/(explosionRadius-explosionInnerRadius), 0, 1)
		amount := vec.Trunc(float32(factor * float32(maxDamage)))
		if amount != 0 {
			w.damage(Damage{
				Victim: id, Attacker: owner, Weapon: weapon, Amount: amount,
				Force: force.Mul(factor), Source: diff.Neg(),
			})
		}
	}
}

// damage applies a hit to a character. It reports whether the hit counted and the
// victim survived.
func (w *World) damage(d Damage) bool {
	if !w.callDamage(&d) || w.characters[d.Victim].flags&CharacterFlagInvincible != 0 {
		w.characters[d.Victim].core.Vel = w.characters[d.Victim].core.Vel.Add(d.Force)
		return false
	}
	id, from := d.Victim, d.Attacker
	c := &w.characters[id]
	c.core.Vel = c.core.Vel.Add(d.Force)
	if from >= 0 {
		if w.friendlyFire(id, from) {
			return false
		}
	} else if from != Nobody && w.friendlyTeam(w.players[id].team, teamFromOwner(from)) {
		return false
	}
	self := from == id
	amount := d.Amount
	if self {
		amount = max(1, amount/2)
	}
	health, armor := c.health, c.armor
	if amount != 0 {
		if c.armor != 0 {
			if amount > 1 {
				c.health--
				amount--
			}
			if amount > c.armor {
				amount -= c.armor
				c.armor = 0
			} else {
				c.armor -= amount
				amount = 0
			}
		}
		c.health -= amount
	}
	d.HealthLost, d.ArmorLost = health-c.health, armor-c.armor
	w.addEvent(Event{
		Kind: EvDamage, To: MaskAll, Player: id, Target: from, Weapon: d.Weapon, Pos: c.pos,
		Angle: vec.Trunc(float32(d.Source.Angle() * 256)),
		Value: d.HealthLost, Extra: d.ArmorLost, Flag: self,
	})
	attacker := from >= 0 && !self && w.players[from].connected
	if attacker {
		w.sound(w.players[from].viewPos, SoundHit, w.watchers(from)|MaskOne(from))
	}
	w.callDamageTaken(&d)
	if c.health <= 0 {
		w.die(id, from, d.Weapon)
		if attacker && w.isAlive(from) {
			w.characters[from].setEmote(EmoteHappy, w.tick+TickRate)
		}
		return false
	}
	if amount > 2 {
		w.sound(c.pos, SoundPainLong, MaskAll)
	} else {
		w.sound(c.pos, SoundPainShort, MaskAll)
	}
	c.setEmote(EmotePain, w.tick+500*TickRate/1000)
	return true
}

// watchers returns the spectators who follow id.
func (w *World) watchers(id PlayerID) PlayerMask {
	var m PlayerMask
	for i := range w.players {
		p := &w.players[i]
		if p.connected && p.isSpectating() && p.specID == id {
			m |= MaskOne(PlayerID(i))
		}
	}
	return m
}

// friendlyFire reports whether a hit between two players is ignored because they are
// teammates.
func (w *World) friendlyFire(a, b PlayerID) bool {
	if a == b || w.match.flags&GameFlagTeams == 0 {
		return false
	}
	pa, pb := &w.players[a], &w.players[b]
	return pa.connected && pb.connected && !w.rules.TeamDamage && pa.team == pb.team
}

func (w *World) friendlyTeam(a, b Team) bool {
	return w.match.flags&GameFlagTeams != 0 && !w.rules.TeamDamage && a == b
}

// die kills a character. It is removed in its player's next tick.
func (w *World) die(id, killer PlayerID, weapon Weapon) {
	c, p := &w.characters[id], &w.players[id]
	c.alive = false
	p.respawnTick = w.tick + TickRate/2
	d := Death{Victim: id, Killer: killer, Weapon: weapon, Pos: c.pos}
	if killer >= 0 && w.players[killer].connected {
		w.scoreDeath(&d)
	} else {
		w.callDeath(&d)
	}
	w.dropCarriedFlags(id)
	w.addEvent(Event{
		Kind: EvKill, To: MaskAll, Player: killer, Target: id, Weapon: weapon, Value: d.ModeSpecial,
	})
	w.sound(c.pos, SoundDie, MaskAll)
	p.dieTick = w.tick
	w.removeFromWorld(id)
	w.coreWorld.Cores[id] = nil
	w.addEvent(Event{Kind: EvDeath, To: MaskAll, Player: id, Pos: c.pos})
}

// scoreDeath handles a death whose killer is still connected, the victim included.
func (w *World) scoreDeath(d *Death) {
	if d.Weapon == WeaponSelf {
		w.players[d.Victim].respawnTick = w.tick + 3*TickRate
	}
	if d.Weapon != WeaponGame && w.match.flags&GameFlagSurvival != 0 {
		for i := range w.players {
			if p := &w.players[i]; p.connected && p.deadSpec {
				w.updateDeadSpec(PlayerID(i))
			}
		}
	}
	w.callDeath(d)
}

func (w *World) sound(pos vec.Vec2, s Sound, to PlayerMask) {
	w.addEvent(Event{Kind: EvSound, To: to, Sound: s, Pos: pos})
}
