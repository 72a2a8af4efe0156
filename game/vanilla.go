package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// vanilla is the simulation of Teeworlds 0.7.5. It moves the characters and flags of its world.
type vanilla struct {
	w *World

	projectiles []projectile  // oldest first
	lasers      []laser       // oldest first
	pickups     []pickup      // oldest first
	spawns      [3][]vec.Vec2 // points for any team, red, blue
}

func (v *vanilla) traits() traits { return traits{} }

// start puts the pickups and spawn points of the map into the world.
func (v *vanilla) start() error { return v.placeEntities(v.w.terrain) }

func (v *vanilla) begin() {}

func (v *vanilla) tick(cmds []Command) {
	w := v.w
	for i := range cmds {
		if cmds[i].Kind == CmdInput {
			v.applyPredictedInput(cmds[i].Player, &cmds[i].Input)
		}
	}
	w.resetPureTuning()
	w.coreWorld.Tuning = w.tuning
	if w.extended {
		v.beginStates()
	}
	v.tickEntities()
}

func (v *vanilla) end() {}

// tickEntities runs one tick of all entities: projectiles, lasers, pickups,
// characters, flags, and within a kind the newest first.
func (v *vanilla) tickEntities() {
	w := v.w
	if w.resetRequested {
		v.resetEntities()
	}
	if !w.paused {
		for i := len(v.projectiles) - 1; i >= 0; i-- {
			v.tickProjectile(i)
		}
		for i := len(v.lasers) - 1; i >= 0; i-- {
			v.tickLaser(i)
		}
		for i := len(v.pickups) - 1; i >= 0; i-- {
			v.tickPickup(i)
		}
		order := w.charOrder
		for i := 0; i < order.count; i++ {
			if id := order.ids[i]; w.characters[id].inWorld {
				v.tickCharacter(id)
			}
		}
		order = w.charOrder
		for i := 0; i < order.count; i++ {
			if id := order.ids[i]; w.characters[id].inWorld {
				v.tickDeferredCharacter(id)
			}
		}
		for i := range w.flags {
			v.tickDeferredFlag(Team(i))
		}
		if w.usesEntities {
			w.tickKinds()
		}
		w.tickTiles()
	} else if w.match.isPaused() {
		v.pauseEntities()
	}
	v.sweep()
}

// pauseEntities moves all timers of entities by one tick that does not count.
func (v *vanilla) pauseEntities() {
	w := v.w
	for i := range v.projectiles {
		v.projectiles[i].startTick++
	}
	for i := range v.lasers {
		v.lasers[i].evalTick++
	}
	for i := range v.pickups {
		if v.pickups[i].spawnTick != -1 {
			v.pickups[i].spawnTick++
		}
	}
	for i := 0; i < w.charOrder.count; i++ {
		w.characters[w.charOrder.ids[i]].tickPaused()
	}
	for i := range w.flags {
		w.flags[i].pause()
	}
	for i := range w.entities {
		w.entities[i].born++
	}
}

// resetEntities resets the map to its initial state. Characters are only marked dead:
// as in the original they stay in the world for the rest of this tick and are removed
// in their players' tick.
func (v *vanilla) resetEntities() {
	w := v.w
	for i := range v.projectiles {
		v.projectiles[i].markedForDestroy = true
	}
	for i := range v.lasers {
		v.lasers[i].markedForDestroy = true
	}
	for i := range v.pickups {
		v.pickups[i].reset(w.tick)
	}
	for i := 0; i < w.charOrder.count; i++ {
		id := w.charOrder.ids[i]
		w.characters[id].alive = false
		w.coreWorld.Cores[id] = nil
	}
	for i := range w.flags {
		w.flags[i].reset()
	}
	if w.usesEntities {
		w.resetKinds()
	}
	v.sweep()
	w.resetPlayers()
	w.resetRequested = false
}

// sweep removes entities marked for destruction and frees their ids in the order of the original:
// newest first, projectiles before lasers.
func (v *vanilla) sweep() {
	w := v.w
	v.projectiles = removeMarked(v.projectiles, &w.entityIDs, func(p *projectile) (bool, uint16) { return p.markedForDestroy, p.id })
	v.lasers = removeMarked(v.lasers, &w.entityIDs, func(l *laser) (bool, uint16) { return l.markedForDestroy, l.id })
	if w.usesEntities {
		w.removeModEntities()
		v.pickups = removeMarked(v.pickups, &w.entityIDs, func(p *pickup) (bool, uint16) { return p.removed, p.id })
	}
}

// removeMarked removes the entities that marked reports, and frees the ids it
// returns.
func removeMarked[E any](list []E, ids *idPool, marked func(*E) (bool, uint16)) []E {
	removed := false
	for i := len(list) - 1; i >= 0; i-- {
		if gone, id := marked(&list[i]); gone {
			ids.free(id)
			removed = true
		}
	}
	if !removed {
		return list
	}
	kept := list[:0]
	for i := range list {
		if gone, _ := marked(&list[i]); !gone {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// tickDeferredFlag moves a flag with its carrier or lets it fall.
func (v *vanilla) tickDeferredFlag(t Team) {
	w := v.w
	f := &w.flags[t]
	if !f.exists {
		return
	}
	if f.carrier != Nobody {
		if w.characters[f.carrier].exists {
			f.pos = w.characters[f.carrier].pos
		}
		return
	}
	if w.collision.At(f.pos.X, f.pos.Y)&physics.Death != 0 || w.collision.FarOutside(f.pos) {
		f.reset()
		w.callFlagReturn(t)
	}
	if f.atStand {
		return
	}
	if w.tick > f.dropTick+flagReturnTime {
		f.reset()
		w.callFlagReturn(t)
		return
	}
	f.vel.Y += w.coreWorld.Tuning.At(physics.Gravity)
	w.collision.MoveBox(&f.pos, &f.vel, vec.Vec2{X: flagSize, Y: flagSize}, 0.5)
}
