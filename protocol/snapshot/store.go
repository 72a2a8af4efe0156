package snapshot

// DefaultMaxSnapshots is the default of StoreConfig.MaxSnapshots. A server waits 150 ticks for an
// acknowledgement, and keeps the snapshots of those ticks and the one before.
const DefaultMaxSnapshots = 151

// StoreConfig limits a Store. The zero value is usable.
type StoreConfig struct {
	// MaxSnapshots is the largest number of snapshots in the store; 0 means DefaultMaxSnapshots.
	MaxSnapshots int
	// MaxBytes limits the memory for snapshots, in bytes. 0 means that only MaxSnapshots limits it;
	// a snapshot takes less than 64 KiB. The newest snapshot is always kept.
	MaxBytes int
	// Pool provides the memory; nil means a pool of its own. On a server, the stores of all clients
	// share one pool.
	Pool *Pool
}

// Store keeps the snapshots of one connection by tick. A server stores the snapshots that it sent
// and may use as a base; a client stores those that it received. When a limit is reached, the
// oldest snapshots are dropped. A caller that needs a dropped snapshot gets nil and uses the empty
// base. The zero value works like NewStore(StoreConfig{}).
type Store struct {
	ring  []stored // ring, grown on demand
	head  int      // index of the oldest snapshot
	n     int
	bytes int
	cfg   StoreConfig
}

// stored is one snapshot in a Store.
type stored struct {
	tick int32
	tag  int64
	snap *Snapshot
}

// NewStore returns an empty store. Negative limits count as zero.
func NewStore(cfg StoreConfig) *Store { return &Store{cfg: cfg} }

// Add copies src into the store as the snapshot of a tick and returns the copy. The copy stays
// valid and unchanged until it is dropped or replaced. tag is a value for the caller, such as the
// time of sending. A nil src is an empty snapshot.
//
// Ticks normally ascend. Adding the newest tick again replaces its snapshot. A lower tick means
// that time was reset: Add first drops all snapshots from that tick on.
func (s *Store) Add(tick int32, tag int64, src *Snapshot) *Snapshot {
	if s.cfg.Pool == nil {
		s.cfg.Pool = new(Pool)
	}
	snap := s.cfg.Pool.copyOf(src) // before dropping snapshots, because src may be one of them
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
	if s.n == len(s.ring) {
		s.grow(limit)
	}
	s.n++
	*s.at(s.n - 1) = stored{tick, tag, snap}
	return snap
}

// At returns the snapshot of exactly that tick, or nil.
func (s *Store) At(tick int32) *Snapshot {
	if f := s.find(tick); f != nil {
		return f.snap
	}
	return nil
}

// Tag returns the tag of the snapshot of that tick.
func (s *Store) Tag(tick int32) (tag int64, ok bool) {
	if f := s.find(tick); f != nil {
		return f.tag, true
	}
	return 0, false
}

// PurgeBefore drops the snapshots of all ticks below tick. A server passes the current tick minus
// 150, or an acknowledged tick if it needs no older ones. A client passes the lowest of the base
// tick and the ticks that it still shows.
func (s *Store) PurgeBefore(tick int32) {
	n := 0
	for n < s.n && s.at(n).tick < tick {
		n++
	}
	s.dropOldest(n)
}

// Clear drops all snapshots. The memory of the snapshots returns to the pool.
func (s *Store) Clear() { s.dropOldest(s.n) }

// Len returns the number of snapshots stored.
func (s *Store) Len() int { return s.n }

// Bytes returns the memory of the stored snapshots, in bytes.
func (s *Store) Bytes() int { return s.bytes }

// Newest returns the highest stored tick; ok is false if the store is empty.
func (s *Store) Newest() (tick int32, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	return s.at(s.n - 1).tick, true
}

// at returns the i-th oldest snapshot.
func (s *Store) at(i int) *stored {
	i += s.head
	if i >= len(s.ring) {
		i -= len(s.ring)
	}
	return &s.ring[i]
}

// find returns the snapshot of a tick by binary search, or nil.
func (s *Store) find(tick int32) *stored {
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

// dropOldest drops the n oldest snapshots.
func (s *Store) dropOldest(n int) {
	for range n {
		s.release(s.at(0))
		s.n--
		if s.head++; s.head == len(s.ring) {
			s.head = 0
		}
	}
}

// release returns the memory of a snapshot to the pool.
func (s *Store) release(f *stored) {
	s.bytes -= f.snap.footprint()
	s.cfg.Pool.put(f.snap)
	*f = stored{}
}

// grow enlarges the ring when it is full.
func (s *Store) grow(limit int) {
	larger := make([]stored, min(max(8, 2*len(s.ring)), limit))
	for i := range s.n {
		larger[i] = *s.at(i)
	}
	s.ring, s.head = larger, 0
}
