package tee

import "github.com/teeyard/teeyard/game/vec"

// MaxIDs is the number of ids of entities (0.7: snapshot ids 0..16383).
const MaxIDs = 16384

// IDs allocates ids of entities in the order of the 0.7.5 server: the id freed last is the next
// one. Tees and flags have ids too, although clients only see the ids of projectiles, lasers and
// pickups.
type IDs struct {
	NextUnused int32 // ids from here on are unused
	Freed      []uint16
}

// Alloc returns an unused id, and false if there is none.
func (p *IDs) Alloc() (uint16, bool) {
	if n := len(p.Freed); n > 0 {
		id := p.Freed[n-1]
		p.Freed = p.Freed[:n-1]
		return id, true
	}
	if p.NextUnused >= MaxIDs {
		return 0, false
	}
	p.NextUnused++
	return uint16(p.NextUnused - 1), true
}

// Free frees an id.
func (p *IDs) Free(id uint16) { p.Freed = append(p.Freed, id) }

// Used returns the number of ids in use.
func (p *IDs) Used() int { return int(p.NextUnused) - len(p.Freed) }

// FlagSize is the edge length of a flag in units.
const FlagSize float32 = 14

// Flag is a flag that tees can carry. The mode decides the effect of a touch.
type Flag struct {
	Exists   bool
	EntityID uint16
	Pos, Vel vec.Vec2
	Stand    vec.Vec2
	AtStand  bool
	Carrier  ID // or Nobody
	DropTick int32
	GrabTick int32 // tick at which it was last taken from its stand
}

// Reset moves the flag to its stand.
func (f *Flag) Reset() {
	if !f.Exists {
		return
	}
	f.Carrier = Nobody
	f.AtStand = true
	f.Pos = f.Stand
	f.Vel = vec.Vec2{}
	f.GrabTick = 0
}

// Pause moves the timers of the flag by one tick that does not count.
func (f *Flag) Pause() {
	f.DropTick++
	if f.GrabTick != 0 {
		f.GrabTick++
	}
}

// Drop lets the carrier drop the flag.
func (f *Flag) Drop(tick int32) {
	f.Carrier = Nobody
	f.Vel = vec.Vec2{}
	f.DropTick = tick
}
