package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/game/vec"
)

// World has the shots and pickups of a match, and moves its tees and flags.
type World struct {
	// Tick is the current tick, and Tuning the tuning of shots. The owner of the world sets them.
	Tick   int32
	Tuning physics.Tuning

	Projectiles []Projectile // oldest first
	Lasers      []Laser      // oldest first
	Pickups     []Pickup     // oldest first

	spawns    [3][]vec.Vec2 // points for any team, red, blue
	host      Host
	tees      *tee.Tees
	flags     *[2]tee.Flag
	ids       *tee.IDs
	rand      *splitmix.Rand
	collision *physics.Collision
}

// Config has the parts of a match that a world shares with its owner.
type Config struct {
	Host  Host
	Tees  *tee.Tees
	Flags *[2]tee.Flag // of red and blue
	IDs   *tee.IDs
	Rand  *splitmix.Rand
}

// New returns a world without spawn points and pickups.
func New(cfg Config) World {
	return World{
		host: cfg.Host, tees: cfg.Tees, flags: cfg.Flags, ids: cfg.IDs, rand: cfg.Rand,
		collision: cfg.Tees.Physics.Collision,
	}
}

// Step runs one tick of the projectiles, lasers, pickups, tees and flags, in this order. Within a
// kind the newest is first.
func (w *World) Step() {
	for i := len(w.Projectiles) - 1; i >= 0; i-- {
		w.tickProjectile(i)
	}
	for i := len(w.Lasers) - 1; i >= 0; i-- {
		w.tickLaser(i)
	}
	for i := len(w.Pickups) - 1; i >= 0; i-- {
		w.tickPickup(i)
	}
	order := w.tees.Order
	for _, id := range order.IDs[:order.Count] {
		if w.tees.All[id].InWorld {
			w.tickTee(id)
		}
	}
	order = w.tees.Order
	for _, id := range order.IDs[:order.Count] {
		if w.tees.All[id].InWorld {
			w.moveTee(id)
		}
	}
	for i := range w.flags {
		w.moveFlag(Team(i))
	}
}

// Pause moves all timers by one tick that does not count.
func (w *World) Pause() {
	for i := range w.Projectiles {
		w.Projectiles[i].StartTick++
	}
	for i := range w.Lasers {
		w.Lasers[i].EvalTick++
	}
	for i := range w.Pickups {
		if w.Pickups[i].SpawnTick != -1 {
			w.Pickups[i].SpawnTick++
		}
	}
	for _, id := range w.tees.InOrder() {
		w.tees.All[id].Pause()
	}
	for i := range w.flags {
		w.flags[i].Pause()
	}
}

// Reset resets the map to its initial state. Tees are only marked dead: as in the original they
// stay in the world for the rest of the tick.
func (w *World) Reset() {
	for i := range w.Projectiles {
		w.Projectiles[i].Removed = true
	}
	for i := range w.Lasers {
		w.Lasers[i].Removed = true
	}
	for i := range w.Pickups {
		w.Pickups[i].reset(w.Tick)
	}
	for _, id := range w.tees.InOrder() {
		w.tees.All[id].Alive = false
		w.tees.Physics.Cores[id] = nil
	}
	for i := range w.flags {
		w.flags[i].Reset()
	}
}

// SweepShots removes the shots that ended and frees their ids in the order of the original: newest
// first, projectiles before lasers.
func (w *World) SweepShots() {
	w.Projectiles = sweep(w.Projectiles, w.ids, func(p *Projectile) (bool, uint16) { return p.Removed, p.ID })
	w.Lasers = sweep(w.Lasers, w.ids, func(l *Laser) (bool, uint16) { return l.Removed, l.ID })
}

// SweepPickups removes the pickups that are marked as removed. Only mods mark pickups.
func (w *World) SweepPickups() {
	w.Pickups = sweep(w.Pickups, w.ids, func(p *Pickup) (bool, uint16) { return p.Removed, p.ID })
}

// sweep removes the things that marked reports, and frees the ids it returns.
func sweep[E any](list []E, ids *tee.IDs, marked func(*E) (bool, uint16)) []E {
	removed := false
	for i := len(list) - 1; i >= 0; i-- {
		if gone, id := marked(&list[i]); gone {
			ids.Free(id)
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

// Remove marks the shot or pickup with a handle as removed. It reports whether it existed.
func (w *World) Remove(h Handle) bool {
	for i := range w.Pickups {
		if p := &w.Pickups[i]; p.Handle == h && !p.Removed {
			p.Removed = true
			return true
		}
	}
	for i := range w.Projectiles {
		if p := &w.Projectiles[i]; p.Handle == h && !p.Removed {
			p.Removed = true
			return true
		}
	}
	for i := range w.Lasers {
		if l := &w.Lasers[i]; l.Handle == h && !l.Removed {
			l.Removed = true
			return true
		}
	}
	return false
}

// flagReturnTime is the time after which a dropped flag returns to its stand.
const flagReturnTime = 30 * tee.TickRate

// moveFlag moves a flag with its carrier, or lets it fall.
func (w *World) moveFlag(t Team) {
	f := &w.flags[t]
	if !f.Exists {
		return
	}
	if f.Carrier != tee.Nobody {
		if w.tees.All[f.Carrier].Exists {
			f.Pos = w.tees.All[f.Carrier].Pos
		}
		return
	}
	if w.collision.At(f.Pos.X, f.Pos.Y)&physics.Death != 0 || w.collision.FarOutside(f.Pos) {
		f.Reset()
		w.host.FlagReturned(t)
	}
	if f.AtStand {
		return
	}
	if w.Tick > f.DropTick+flagReturnTime {
		f.Reset()
		w.host.FlagReturned(t)
		return
	}
	f.Vel.Y += w.tees.Physics.Tuning.At(physics.Gravity)
	w.collision.MoveBox(&f.Pos, &f.Vel, vec.Vec2{X: tee.FlagSize, Y: tee.FlagSize}, 0.5)
}
