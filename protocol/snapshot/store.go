package snapshot

// Defaults of a Store.
const (
	// DefaultMaxSnapshots is how many snapshots a Store keeps if not told otherwise:
	// what a server makes in the 150 ticks after which it gives up waiting for an
	// acknowledgement, and the one before.
	DefaultMaxSnapshots = 151
)

// StoreConfig sets the bounds of a Store. The zero value is usable.
type StoreConfig struct {
	// MaxSnapshots is the most snapshots kept; 0 means DefaultMaxSnapshots.
	MaxSnapshots int
	// MaxBytes is the most memory for snapshots, counted as allocated; 0 means no
	// bound but that of Frames (each snapshot takes less than 64 KiB). The newest
	// snapshot is kept in any case.
	MaxBytes int
	// Pool is where memory comes from and goes to; nil means a pool of its own.
	// The stores of all clients of a server share one.
	Pool *Pool
}

// Store keeps the snapshots of one connection by tick: the server those it sent
// and may use as a base, the client those it received. When a bound is reached
// the oldest goes; whoever then asks for it gets nil and falls back to the empty
// base. The zero value works like NewStore(StoreConfig{}).
type Store struct {
	frames []frame // ring, grown on demand
	head   int     // index of the oldest
	n      int
	bytes  int
	cfg    StoreConfig
}

// frame is a stored snapshot.
type frame struct {
	tick int32
	tag  int64
	snap *Snapshot
}

// NewStore makes an empty store. Bounds below zero count as zero.
func NewStore(cfg StoreConfig) *Store { return &Store{cfg: cfg} }

// Add copies src into the store as the snapshot of that tick and returns the
// copy, which stays valid and unchanged until it is purged, replaced or evicted.
// tag is for the caller, for instance the time of sending. A nil src is an empty
// snapshot.
//
// Ticks ascend: a snapshot of the newest tick is replaced, and if tick is below
// that, everything from it on is dropped first, since time was turned back.
func (s *Store) Add(tick int32, tag int64, src *Snapshot) *Snapshot {
	if s.cfg.Pool == nil {
		s.cfg.Pool = new(Pool)
	}
	snap := s.cfg.Pool.take(src) // first, since src may be one of those that go
	for s.n > 0 && s.at(s.n-1).tick >= tick {
		f := s.at(s.n - 1)
		s.release(f)
		s.n--
	}
	limit := s.cfg.MaxSnapshots
	if limit <= 0 {
		limit = DefaultMaxSnapshots
	}
	if s.n >= limit {
		s.dropOldest(s.n - limit + 1)
	}
	s.bytes += snap.footprint()
	if s.cfg.MaxBytes > 0 {
		for s.n > 0 && s.bytes > s.cfg.MaxBytes {
			s.dropOldest(1)
		}
	}
	if s.n == len(s.frames) {
		s.grow(limit)
	}
	s.n++
	*s.at(s.n - 1) = frame{tick, tag, snap}
	return snap
}

// At returns the snapshot of exactly that tick, nil if it is not stored.
func (s *Store) At(tick int32) *Snapshot {
	if f := s.find(tick); f != nil {
		return f.snap
	}
	return nil
}

// Tag returns the tag that the snapshot of that tick was stored with.
func (s *Store) Tag(tick int32) (tag int64, ok bool) {
	if f := s.find(tick); f != nil {
		return f.tag, true
	}
	return 0, false
}

// PurgeBefore drops all snapshots of ticks below before. A server passes the current
// tick less 150, or an acknowledged tick once it is sure not to need older ones;
// a client the least of the base tick and the ticks that it still shows.
func (s *Store) PurgeBefore(before int32) {
	n := 0
	for n < s.n && s.at(n).tick < before {
		n++
	}
	s.dropOldest(n)
}

// Clear drops all snapshots. The memory goes to the pool.
func (s *Store) Clear() { s.dropOldest(s.n) }

// Len returns the number of snapshots stored.
func (s *Store) Len() int { return s.n }

// Bytes returns the memory that the stored snapshots take.
func (s *Store) Bytes() int { return s.bytes }

// Oldest returns the lowest tick stored; ok is false if there is none.
func (s *Store) Oldest() (tick int32, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	return s.at(0).tick, true
}

// Newest returns the highest tick stored; ok is false if there is none.
func (s *Store) Newest() (tick int32, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	return s.at(s.n - 1).tick, true
}

// at returns the i-th oldest frame.
func (s *Store) at(i int) *frame {
	i += s.head
	if i >= len(s.frames) {
		i -= len(s.frames)
	}
	return &s.frames[i]
}

// find returns the frame of a tick by binary search, nil if there is none.
func (s *Store) find(tick int32) *frame {
	lo, hi := 0, s.n
	for lo < hi {
		mid := (lo + hi) / 2
		if s.at(mid).tick < tick {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < s.n && s.at(lo).tick == tick {
		return s.at(lo)
	}
	return nil
}

// dropOldest releases the n oldest frames.
func (s *Store) dropOldest(n int) {
	for range n {
		s.release(s.at(0))
		s.n--
		if s.head++; s.head == len(s.frames) {
			s.head = 0
		}
	}
}

// release gives the memory of a frame back.
func (s *Store) release(f *frame) {
	s.bytes -= f.snap.footprint()
	s.cfg.Pool.put(f.snap)
	*f = frame{}
}

// grow makes the full ring larger.
func (s *Store) grow(limit int) {
	ring := make([]frame, min(max(8, 2*len(s.frames)), limit))
	for i := range s.n {
		ring[i] = *s.at(i)
	}
	s.frames, s.head = ring, 0
}
