package tee

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Tees are the tees of a world.
type Tees struct {
	// Seats is 64 until a player with a higher id joins, and then Max.
	Seats     int
	All       [Max]Tee      // by ID
	Order     Order         // tees in the world, newest first
	MovedFrom [Max]vec.Vec2 // positions before the tees moved in this tick
	Physics   physics.World // cores of the living tees
	Reckoning physics.World // default tuning and no cores, for dead reckoning
	Extended  bool          // a mod has changed States, or the tuning or skin of a player
}

// Init prepares the worlds of the physics.
func (t *Tees) Init(c *physics.Collision, tuning physics.Tuning) {
	t.Physics.Collision, t.Physics.Tuning = c, tuning
	t.Reckoning.Collision, t.Reckoning.Tuning = c, physics.DefaultTuning()
}

// Alive reports whether a player has a living tee. The id may be below zero.
func (t *Tees) Alive(id ID) bool {
	return id >= 0 && t.All[id].Exists && t.All[id].Alive
}

// InOrder returns the tees in the world, newest first.
func (t *Tees) InOrder() []ID { return t.Order.IDs[:t.Order.Count] }

// Spawn adds a new tee with full health, a hammer and a gun.
func (t *Tees) Spawn(id ID, pos vec.Vec2, entityID uint16) {
	c := &t.All[id]
	*c = Tee{
		Exists: true, Alive: true, InWorld: true, EntityID: entityID,
		Pos: pos, ActiveWeapon: WeaponGun, LastWeapon: WeaponHammer, QueuedWeapon: -1,
		EmoteStop: -1, LastActionTick: -1, LastNoAmmoSound: -1,
	}
	c.Core.Reset(&t.Physics, pos)
	c.ReckoningCore.World = &t.Reckoning
	t.Physics.Cores[id] = &c.Core
	t.Physics.HighIDs = t.Physics.HighIDs || id >= 64
	t.Order.push(id)
	c.Heal(MaxHealth)
	c.GiveWeapon(WeaponHammer, -1)
	c.GiveWeapon(WeaponGun, MaxAmmo)
}

// Die marks a tee as dead. It stays in All until Remove.
func (t *Tees) Die(id ID) {
	t.All[id].Alive = false
	t.takeOut(id)
	t.Physics.Cores[id] = nil
}

// Remove removes a tee and returns its entity id.
func (t *Tees) Remove(id ID) (entityID uint16) {
	t.takeOut(id)
	entityID = t.All[id].EntityID
	t.All[id] = Tee{}
	return entityID
}

func (t *Tees) takeOut(id ID) {
	if c := &t.All[id]; c.InWorld {
		c.InWorld = false
		t.Order.remove(id)
	}
}

// Near fills out with the tees closer to pos than radius plus ProximityRadius, newest first, and
// returns the filled part.
func (t *Tees) Near(pos vec.Vec2, radius float32, out *[Max]ID) []ID {
	n := 0
	for _, id := range t.InOrder() {
		if vec.Distance(t.All[id].Pos, pos) < radius+ProximityRadius {
			out[n] = id
			n++
		}
	}
	return out[:n]
}

// Closest returns the tee closest to pos, within radius plus ProximityRadius and within twice the
// radius, or -1.
func (t *Tees) Closest(pos vec.Vec2, radius float32) ID {
	best, nearest := Nobody, radius*2
	for _, id := range t.InOrder() {
		d := vec.Distance(pos, t.All[id].Pos)
		if d < ProximityRadius+radius && d < nearest {
			best, nearest = id, d
		}
	}
	return best
}

// Order is a list of tees, newest first.
type Order struct {
	IDs   [Max]ID
	Count int
}

func (o *Order) push(id ID) {
	copy(o.IDs[1:], o.IDs[:o.Count])
	o.IDs[0] = id
	o.Count++
}

func (o *Order) remove(id ID) {
	for i := 0; i < o.Count; i++ {
		if o.IDs[i] == id {
			copy(o.IDs[i:], o.IDs[i+1:o.Count])
			o.Count--
			return
		}
	}
}
