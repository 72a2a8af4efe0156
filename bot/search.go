package bot

// nodeSearch computes the times from all nodes to one node, nearest first, in interruptible steps.
// The search runs Dijkstra's algorithm on the reversed links. The queue of the search consists of
// buckets, since all links take few ticks.
type nodeSearch struct {
	nav         *NavGraph
	goal        uint16
	times       []uint16 // by node; final if below currentTime
	bucket      [256]uint16
	currentTime int32 // time of the current bucket
	pending     int   // number of entries in buckets
	entries     []bucketEntry
	used        uint16 // number of entries ever used
	free        uint16 // list of freed entries
}

// bucketEntry is a node in a bucket.
type bucketEntry struct {
	node, next uint16
}

// noEntry marks the end of a list of entries.
const noEntry = 0xffff

// entriesPerNode limits the entries in use. A node can be in several buckets, with decreasing
// times.
const entriesPerNode = 2

func newSearch(n *NavGraph) *nodeSearch {
	return &nodeSearch{
		nav: n, goal: noNode, times: make([]uint16, len(n.nodePos)),
		entries: make([]bucketEntry, min(entriesPerNode*len(n.nodePos)+64, noEntry)),
	}
}

// start starts a search towards a goal. With noNode, the caller must push the goals.
func (s *nodeSearch) start(goal uint16) {
	s.goal = goal
	for i := range s.times {
		s.times[i] = unreachable
	}
	for i := range s.bucket {
		s.bucket[i] = noEntry
	}
	s.free, s.used, s.currentTime, s.pending = noEntry, 0, 0, 0
	if goal != noNode {
		s.push(goal, 0)
	}
}

func (s *nodeSearch) push(node uint16, at int32) {
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
	s.entries[e] = bucketEntry{node, *b}
	*b = e
	s.times[node] = uint16(at)
	s.pending++
}

// expand processes up to the given number of nodes. It reports whether the search is done: either
// all nodes are processed, or the node until and all nodes closer than it.
func (s *nodeSearch) expand(nodes int, until uint16) (done bool) {
	for nodes > 0 {
		if s.pending == 0 {
			return true
		}
		b := &s.bucket[s.currentTime&255]
		if *b == noEntry {
			s.currentTime++
			continue
		}
		e := *b
		node := s.entries[e].node
		*b = s.entries[e].next
		s.entries[e].next, s.free = s.free, e
		s.pending--
		if int32(s.times[node]) != s.currentTime {
			continue // a shorter path was found
		}
		nodes--
		for _, l := range s.nav.inLinks[s.nav.inStart[node]:s.nav.inStart[node+1]] {
			if at := s.currentTime + int32(l.ticks); at < int32(s.times[l.node]) {
				s.push(l.node, at)
			}
		}
		if node == until {
			return true
		}
	}
	return false
}
