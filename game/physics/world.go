package physics

// World is a set of cores that act on each other. Use NewWorld: the zero value has no
// tuning and no collision.
type World struct {
	// Tuning can be changed between ticks.
	Tuning Tuning
	// Exceptions reports whether Core.Exceptions of the cores have an effect.
	Exceptions bool
	// Collision is the map's collision data. Worlds can share it.
	Collision *Collision
	// Cores are the living tees by player id. A player without a living tee has nil.
	Cores [MaxCores]*Core
	// HighIDs must be set if a core with an id from 64 on can be in Cores.
	HighIDs bool

	cache coreCache
}

// NewWorld returns a world with default tuning and no cores.
func NewWorld(c *Collision) *World {
	return &World{Tuning: DefaultTuning(), Collision: c}
}

// coreCache is derived from the public fields of World: the tuning of the core that ticks
// as float32, and the present cores without gaps.
type coreCache struct {
	tuning  Tuning
	values  [NumTuneParams]float32
	cores   [MaxCores]*Core
	present [MaxCores]*Core
	ids     [MaxCores]uint8 // player ids of the cores in present
	count   int
}

// refreshCache updates the cache for a core with this tuning. Comparing is much faster
// than dividing or visiting all gaps each time, and callers need no setters.
func (w *World) refreshCache(t *Tuning) {
	k := &w.cache
	if k.tuning != *t {
		k.tuning = *t
		for i := range k.values {
			k.values[i] = t.At(i)
		}
	}
	w.refreshCores()
}

// refreshCores updates the cached cores only.
func (w *World) refreshCores() {
	k := &w.cache
	// Nearly all calls find no change.
	if *(*[64]*Core)(k.cores[:]) != *(*[64]*Core)(w.Cores[:]) || w.HighIDs && k.cores != w.Cores {
		k.cores = w.Cores
		k.count = 0
		for i, c := range &w.Cores {
			if c != nil {
				k.present[k.count] = c
				k.ids[k.count] = uint8(i)
				c.cacheIndex = k.count
				k.count++
			}
		}
		clear(k.present[k.count:])
	}
}

// presentCores returns the cores in ascending order of their ids.
func (w *World) presentCores() []*Core { return w.cache.present[:w.cache.count] }

// splitAtSelf returns the parts of the list before and after this core, and the index
// at which the second part begins, so that loops over other tees do not have to test
// for this one.
func (c *Core) splitAtSelf(list []*Core) (before, after []*Core, second int) {
	i := c.cacheIndex
	if i >= len(list) || list[i] != c {
		for i = 0; i < len(list) && list[i] != c; i++ {
		}
		if i == len(list) {
			return list, nil, i
		}
		c.cacheIndex = i
	}
	return list[:i], list[i+1:], i + 1
}

// presentIndex returns the index of the present core with that id.
func (w *World) presentIndex(id int32) int {
	i := 0
	for int32(w.cache.ids[i]) != id {
		i++
	}
	return i
}

// tuneParam returns tuning parameter i of the core that ticks.
func (w *World) tuneParam(i int) float32 { return w.cache.values[i] }
