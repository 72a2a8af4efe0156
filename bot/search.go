package bot

// search finds the times from everywhere to one node, nearest first, and can
// be interrupted: a Dijkstra backwards over buckets, which is cheap because links
// take few ticks.
type search struct {
	nav     *Nav
	goal    uint16
	time    []uint16 // by node; final below now
	bucket  [256]uint16
	now     int32 // time of the bucket at hand
	waiting int   // entries in buckets
	entries []entry
	used    uint16 // entries that were ever taken
	free    uint16 // those given back
}

// entry is a node that waits in a bucket.
type entry struct {
	node, next uint16
}

// noEntry ends a bucket.
const noEntry = 0xffff

// spread bounds the entries that wait at once: a node may wait in several
// buckets, with ever shorter times.
const spread = 2

func newSearch(n *Nav) *search {
	return &search{
		nav: n, goal: noNode, time: make([]uint16, len(n.pos)),
		entries: make([]entry, min(spread*len(n.pos)+64, noEntry)),
	}
}

// begin starts anew towards a goal; noNode is for more than one, which are pushed.
func (s *search) begin(goal uint16) {
	s.goal = goal
	for i := range s.time {
		s.time[i] = unreachable
	}
	for i := range s.bucket {
		s.bucket[i] = noEntry
	}
	s.free, s.used, s.now, s.waiting = noEntry, 0, 0, 0
	if goal != noNode {
		s.push(goal, 0)
	}
}

func (s *search) push(node uint16, at int32) {
	if at >= unreachable {
		return
	}
	e := s.free
	switch {
	case e != noEntry:
		s.free = s.entries[e].next
	case int(s.used) < len(s.entries):
		e = s.used
		s.used++
	default:
		return
	}
	b := &s.bucket[at&255]
	s.entries[e] = entry{node, *b}
	*b = e
	s.time[node] = uint16(at)
	s.waiting++
}

// expand goes on with at most so many nodes. It is done when everything that
// can get to the goal is known, or until is: its time and all shorter ones.
func (s *search) expand(nodes int, until uint16) (done bool) {
	for nodes > 0 {
		if s.waiting == 0 {
			return true
		}
		b := &s.bucket[s.now&255]
		if *b == noEntry {
			s.now++
			continue
		}
		e := *b
		node := s.entries[e].node
		*b = s.entries[e].next
		s.entries[e].next, s.free = s.free, e
		s.waiting--
		if int32(s.time[node]) != s.now {
			continue // a shorter way was found meanwhile
		}
		nodes--
		for _, l := range s.nav.in[s.nav.inAt[node]:s.nav.inAt[node+1]] {
			if at := s.now + int32(l.ticks); at < int32(s.time[l.node]) {
				s.push(l.node, at)
			}
		}
		if node == until {
			return true
		}
	}
	return false
}
