package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Damage is a hit on a tee.
type Damage struct {
	Victim   tee.ID
	Attacker tee.ID // Nobody for the world; lower values: -2-team of a player who left
	Weapon   tee.Weapon
	Amount   int32
	Force    vec.Vec2 // added to the victim's velocity, units per tick
	Source   vec.Vec2 // direction of the hit's origin; only the angle counts
	// HealthLost and ArmorLost are set in Hooks.Hurt.
	HealthLost int32
	ArmorLost  int32
}

const (
	explosionRadius      float32 = 135
	explosionInnerRadius float32 = 48 // full damage up to this distance
	explosionMaxForce    float32 = 12
)

// Explode damages and pushes the tees near pos, its owner included. It does not need a line of
// sight.
func (w *World) Explode(pos vec.Vec2, owner tee.ID, weapon tee.Weapon, maxDamage int32) {
	w.host.Explosion(pos)
	var near [tee.Max]tee.ID
	for _, id := range w.tees.Near(pos, explosionRadius, &near) {
		if !w.tees.All[id].Exists || !w.canHit(owner, id, weapon) {
			continue
		}
		diff := w.tees.All[id].Pos.Sub(pos)
		force := vec.Vec2{Y: explosionMaxForce}
		l := diff.Len()
		if l != 0 {
			force = diff.Normalize().Mul(explosionMaxForce)
		}
		factor := 1 - vec.Clamp((l-explosionInnerRadius)/(explosionRadius-explosionInnerRadius), 0, 1)
		amount := vec.Trunc(float32(factor * float32(maxDamage)))
		if amount != 0 {
			w.Damage(Damage{
				Victim: id, Attacker: owner, Weapon: weapon, Amount: amount,
				Force: force.Mul(factor), Source: diff.Neg(),
			})
		}
	}
}

// Damage applies a hit to a tee. It reports whether the hit counted and the victim survived.
func (w *World) Damage(d Damage) bool {
	d, counts := w.host.Hit(d)
	id, from := d.Victim, d.Attacker
	c := &w.tees.All[id]
	c.Core.Vel = c.Core.Vel.Add(d.Force)
	if !counts || c.Flags&tee.Invincible != 0 || w.spares(from, id) {
		return false
	}
	self := from == id
	amount := d.Amount
	if self {
		amount = max(1, amount/2)
	}
	health, armor := c.Health, c.Armor
	amount = takeDamage(c, amount)
	d.HealthLost, d.ArmorLost = health-c.Health, armor-c.Armor
	attacker := from >= 0 && !self && w.host.Player(from).Connected
	w.host.Hurt(d)
	if c.Health <= 0 {
		w.host.Die(id, from, d.Weapon)
		if attacker && w.tees.Alive(from) {
			w.tees.All[from].SetEmote(tee.EmoteHappy, w.Tick+tee.TickRate)
		}
		return false
	}
	if amount > 2 {
		w.host.Sound(c.Pos, SoundPainLong)
	} else {
		w.host.Sound(c.Pos, SoundPainShort)
	}
	c.SetEmote(tee.EmotePain, w.Tick+500*tee.TickRate/1000)
	return true
}

// takeDamage takes armour and health from a tee. It returns the damage that the armour let through.
func takeDamage(c *tee.Tee, amount int32) int32 {
	if amount != 0 {
		if c.Armor != 0 {
			if amount > 1 {
				c.Health--
				amount--
			}
			if amount > c.Armor {
				amount -= c.Armor
				c.Armor = 0
			} else {
				c.Armor -= amount
				amount = 0
			}
		}
		c.Health -= amount
	}
	return amount
}

// spares reports whether the rules ignore the hits of one player on another, or of a player who
// left, because they are teammates.
func (w *World) spares(from, victim tee.ID) bool {
	if from == victim || from == tee.Nobody {
		return false
	}
	r := w.host.Rules()
	if !r.Teams || r.TeamDamage {
		return false
	}
	v := w.host.Player(victim)
	if from < 0 {
		return v.Team == teamFromOwner(from)
	}
	a := w.host.Player(from)
	return v.Connected && a.Connected && v.Team == a.Team
}
