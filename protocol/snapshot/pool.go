package snapshot

const (
	// Memory is handed out in these steps, so that snapshots of nearly the same
	// size, which is what consecutive ticks yield, can take each other's place.
	entStep = 32  // entries: 256 bytes
	intStep = 128 // integers: 512 bytes

	entClasses = (MaxItems + entStep - 1) / entStep
	intClasses = (maxInts + intStep - 1) / intStep

	// DefaultPoolBytes is how much unused memory a Pool keeps by default.
	DefaultPoolBytes = 4 << 20
)

// Pool recycles the memory of stored snapshots, by size. Stores that are used by
// one goroutine may share one; it is not safe for concurrent use. The zero value
// is ready for use.
type Pool struct {
	// MaxIdleBytes bounds the unused memory kept, in bytes; 0 means DefaultPoolBytes,
	// below zero nothing is kept. What is beyond goes to the garbage collector.
	MaxIdleBytes int

	idle  int
	ents  [entClasses + 1][][]entry
	data  [intClasses + 1][][]int32
	snaps []*Snapshot
}

// IdleBytes returns the unused memory kept, in bytes.
func (p *Pool) IdleBytes() int { return p.idle }

// footprint is the memory of a pooled snapshot in bytes.
func (s *Snapshot) footprint() int { return 8*cap(s.ents) + 4*cap(s.data) }

// take returns a copy of src in memory of its size.
func (p *Pool) take(src *Snapshot) *Snapshot {
	var s *Snapshot
	if n := len(p.snaps); n > 0 {
		s, p.snaps = p.snaps[n-1], p.snaps[:n-1]
	} else {
		s = new(Snapshot)
	}
	if src == nil {
		src = &empty
	}
	ents, data := pop(p.ents[:], len(src.ents), entStep), pop(p.data[:], len(src.data), intStep)
	p.idle -= 8*cap(ents) + 4*cap(data)
	if ents == nil {
		ents = make([]entry, 0, roundUp(len(src.ents), entStep))
	}
	if data == nil {
		data = make([]int32, 0, roundUp(len(src.data), intStep))
	}
	s.ents = append(ents, src.ents...)
	s.data = append(data, src.data...)
	s.crc, s.block, s.at = src.crc, src.block, src.at
	return s
}

// put takes back the memory of a snapshot that take returned.
func (p *Pool) put(s *Snapshot) {
	limit := p.MaxIdleBytes
	if limit == 0 {
		limit = DefaultPoolBytes
	}
	if size := s.footprint(); p.idle+size <= limit {
		p.idle += size
		push(p.ents[:], s.ents, entStep)
		push(p.data[:], s.data, intStep)
		*s = Snapshot{}
		p.snaps = append(p.snaps, s)
	}
}

// roundUp rounds n up to whole steps.
func roundUp(n, step int) int { return (n + step - 1) / step * step }

// pop takes a block for n elements out of the lists, which are by number of
// steps. A block up to a quarter larger than needed will do.
func pop[T any](lists [][][]T, n, step int) []T {
	class := (n + step - 1) / step
	for c := class; c < len(lists) && c <= class+class/4+1; c++ {
		if k := len(lists[c]); k > 0 {
			block := lists[c][k-1]
			lists[c] = lists[c][:k-1]
			return block
		}
	}
	return nil
}

// push puts a block back into its list.
func push[T any](lists [][][]T, block []T, step int) {
	c := cap(block) / step
	lists[c] = append(lists[c], block[:0])
}
