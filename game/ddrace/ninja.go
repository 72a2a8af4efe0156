package ddrace

import (
	"slices"

	"github.com/teeyard/teeyard/game/vec"
)

const (
	ninjaTicks     = 15 * TickRate // since the last touch of a pickup
	ninjaMoveTicks = 10            // of a dash
	ninjaSpeed     = 50            // units per tick
)

// giveNinja makes a tee a ninja, or prolongs it.
func (w *World) giveNinja(t *Tee) {
	t.Ninja.ActivationTick = w.tick
	t.Weapons[WeaponNinja], t.loaded[WeaponNinja] = true, true
	if t.ActiveWeapon != WeaponNinja {
		t.LastWeapon = t.ActiveWeapon
	}
	t.ActiveWeapon = WeaponNinja
}

// endNinja gives a tee its last weapon back.
func (t *Tee) endNinja() {
	t.Ninja.CurrentMoveTime = 0
	t.Weapons[WeaponNinja] = false
	t.ActiveWeapon = t.LastWeapon
}

// tickNinja runs one tick of the ninja, whose dash moves the tee.
func (w *World) tickNinja(t *Tee) {
	if t.ActiveWeapon != WeaponNinja {
		return
	}
	n := &t.Ninja
	left := n.ActivationTick + ninjaTicks - w.tick
	if left < 0 {
		t.endNinja()
		return
	}
	if left%TickRate == 0 && left/TickRate <= 5 {
		w.addEvent(Event{Kind: EventDamage, Tee: t.id, Pos: t.Pos, Value: left / TickRate, Extra: 1})
	}
	t.Armor = min(max(10-left/15, 0), 10)
	switch n.CurrentMoveTime--; {
	case n.CurrentMoveTime == 0:
		t.Core.Vel = n.ActivationDir.Mul(float32(n.OldVelAmount))
	case n.CurrentMoveTime > 0:
		t.Core.Vel = n.ActivationDir.Mul(ninjaSpeed)
		w.moveBox(&t.Core.Pos, &t.Core.Vel, w.params(t.Zone))
		t.Core.Vel = Vec{}
		w.hitByNinja(t)
	}
}

// hitByNinja throws up the tees around a ninja. It hits each tee once in a dash, as far as it
// remembers them. Before DDNet 20 it remembers ten, and the first solo tee ends the hits.
func (w *World) hitByNinja(t *Tee) {
	if t.Core.Solo {
		return
	}
	n := &t.Ninja
	for o := range w.newest {
		if o == t || !(vec.Distance(o.Pos, t.Pos) < 3*teeSize) || w.team(int(o.id)) != w.team(int(t.id)) {
			continue
		}
		if o.Core.Solo {
			if w.settings.release20() {
				continue
			}
			return
		}
		if slices.Contains(n.hit[:n.numHit], o.id) || vec.Distance(o.Pos, t.Pos) > 2*teeSize {
			continue
		}
		w.sound(t, o.Pos, SoundNinjaHit)
		if n.numHit < 10 || w.settings.release20() && int(n.numHit) < len(n.hit) {
			n.hit[n.numHit] = o.id
			n.numHit++
		}
		w.hurt(o, Vec{Y: -10})
	}
}
