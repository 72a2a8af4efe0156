package snapshot

const (
	// Memory is allocated in these steps. The snapshots of consecutive ticks have nearly the same
	// size, so they can reuse each other's memory.
	entryStep = 32  // entries: 256 bytes
	intStep   = 128 // integers: 512 bytes

	entryClasses = (MaxItems + entryStep - 1) / entryStep
	intClasses   = (maxInts + intStep - 1) / intStep

	// DefaultPoolBytes is the default of Pool.MaxIdleBytes.
	DefaultPoolBytes = 4 << 20
)

// Pool recycles the memory of stored snapshots, by size. Stores that are used by one goroutine can
// share a Pool. A Pool is not safe for concurrent use. The zero value is ready for use.
type Pool struct {
	// MaxIdleBytes limits the unused memory that the pool keeps, in bytes. 0 means
	// DefaultPoolBytes; a negative value keeps none. The garbage collector frees the rest.
	MaxIdleBytes int

	idle    int
	entries [entryClasses + 1][][]entry
	data    [intClasses + 1][][]int32
	snaps   []*Snapshot
}

// IdleBytes returns the unused memory, in bytes.
func (p *Pool) IdleBytes() int { return p.idle }

// footprint returns the memory of a pooled snapshot in bytes.
func (s *Snapshot) footprint() int { return 8*cap(s.entries) + 4*cap(s.data) }

// copyOf returns a copy of src in pooled memory.
func (p *Pool) copyOf(src *Snapshot) *Snapshot {
	var s *Snapshot
	if n := len(p.snaps); n > 0 {
		s, p.snaps = p.snaps[n-1], p.snaps[:n-1]
	} else {
		s = new(Snapshot)
	}
	if src == nil {
		src = &empty
	}
	entries, data := pop(p.entries[:], len(src.entries), entryStep), pop(p.data[:], len(src.data), intStep)
	p.idle -= 8*cap(entries) + 4*cap(data)
	if entries == nil {
		entries = make([]entry, 0, roundUp(len(src.entries), entryStep))
	}
	if data == nil {
		data = make([]int32, 0, roundUp(len(src.data), intStep))
	}
	s.entries = append(entries, src.entries...)
	s.data = append(data, src.data...)
	s.crc, s.shared, s.sharedInts = src.crc, src.shared, src.sharedInts
	if s.shared != nil {
		s.shared.refs++
	}
	return s
}

// put takes back the memory of a snapshot that copyOf returned.
func (p *Pool) put(s *Snapshot) {
	s.shared.Release()
	s.shared = nil
	limit := p.MaxIdleBytes
	if limit == 0 {
		limit = DefaultPoolBytes
	}
	if size := s.footprint(); p.idle+size <= limit {
		p.idle += size
		push(p.entries[:], s.entries, entryStep)
		push(p.data[:], s.data, intStep)
		*s = Snapshot{}
		p.snaps = append(p.snaps, s)
	}
}

// roundUp rounds n up to a multiple of step.
func roundUp(n, step int) int { return (n + step - 1) / step * step }

// pop removes a slice with room for n elements from the lists and returns it, or nil. The lists are
// indexed by number of steps. The slice may be up to a quarter larger than needed.
func pop[T any](lists [][][]T, n, step int) []T {
	class := (n + step - 1) / step
	for c := class; c < len(lists) && c <= class+class/4+1; c++ {
		if k := len(lists[c]); k > 0 {
			slice := lists[c][k-1]
			lists[c] = lists[c][:k-1]
			return slice
		}
	}
	return nil
}

// push returns a slice to its list.
func push[T any](lists [][][]T, slice []T, step int) {
	c := cap(slice) / step
	lists[c] = append(lists[c], slice[:0])
}
