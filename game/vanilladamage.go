package game

import "github.com/teeyard/teeyard/game/vec"

// explode damages and pushes the characters near pos, its owner included. It does not
// need a line of sight.
func (v *vanilla) explode(pos vec.Vec2, owner PlayerID, weapon Weapon, maxDamage int32) {
	w := v.w
	w.addEvent(Event{Kind: EvExplosion, To: MaskAll, Pos: pos})
	var near [MaxPlayers]PlayerID
	n := w.findCharacters(pos, explosionRadius, &near)
	for _, id := range near[:n] {
		if !w.characters[id].exists || !v.canHit(owner, id, weapon) {
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
			v.damage(Damage{
				Victim: id, Attacker: owner, Weapon: weapon, Amount: amount,
				Force: force.Mul(factor), Source: diff.Neg(),
			})
		}
	}
}

// damage applies a hit to a character. It reports whether the hit counted and the
// victim survived.
func (v *vanilla) damage(d Damage) bool {
	w := v.w
	if !w.callDamage(&d) || w.characters[d.Victim].flags&CharacterFlagInvincible != 0 {
		w.characters[d.Victim].core.Vel = w.characters[d.Victim].core.Vel.Add(d.Force)
		return false
	}
	id, from := d.Victim, d.Attacker
	c := &w.characters[id]
	c.core.Vel = c.core.Vel.Add(d.Force)
	if from >= 0 {
		if v.friendlyFire(id, from) {
			return false
		}
	} else if from != Nobody && v.friendlyTeam(w.players[id].team, teamFromOwner(from)) {
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

// friendlyFire reports whether a hit between two players is ignored because they are
// teammates.
func (v *vanilla) friendlyFire(a, b PlayerID) bool {
	w := v.w
	if a == b || w.match.flags&GameFlagTeams == 0 {
		return false
	}
	pa, pb := &w.players[a], &w.players[b]
	return pa.connected && pb.connected && !w.rules.TeamDamage && pa.team == pb.team
}

func (v *vanilla) friendlyTeam(a, b Team) bool {
	w := v.w
	return w.match.flags&GameFlagTeams != 0 && !w.rules.TeamDamage && a == b
}
