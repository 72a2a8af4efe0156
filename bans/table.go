package bans

import (
	"container/heap"
	"net/netip"
	"slices"
	"time"
)

// table holds at most max bans, one per network or range. Finding bans by network takes at most one
// step per length of networks, and finding the next ban to end O(log n).
type table struct {
	max     int
	byNet   map[netip.Prefix]*entry
	byRange map[Range]*entry
	// pieces maps networks to the bans of ranges that contain them.
	pieces map[netip.Prefix][]*entry
	// lengths counts the networks of each length, IPv4 first and then IPv6. find tries only lengths
	// that exist.
	lengths [33 + 129]int
	ending  endHeap
	// extends makes a ban last at least as long as the ban that it replaces.
	extends bool
	// removed has the latest removals of a fleet, at most maxRemoved of them.
	removed map[Key]Ban
	// lapsed holds at most maxLapsed bans that ended since the last call of Lapsed.
	lapsed []Ban
}

// entry is a ban in a table.
type entry struct {
	Ban
	number  int // order of creation
	heapPos int // index in table.ending, -1 for permanent bans
}

func newTable(max int) table {
	return table{
		max: max, byNet: make(map[netip.Prefix]*entry), byRange: make(map[Range]*entry), pieces: make(map[netip.Prefix][]*entry),
		removed: make(map[Key]Ban),
	}
}

// decided returns the ban or removal of a target.
func (t *table) decided(of Key) (ban Ban, removed, ok bool) {
	if e := t.get(of); e != nil {
		return e.Ban, false, true
	}
	ban, ok = t.removed[of]
	return ban, ok, ok
}

// noteRemoved keeps a removal of a fleet, so that an earlier ban does not come back.
func (t *table) noteRemoved(b Ban) {
	if b.Made == 0 {
		return
	}
	if _, known := t.removed[b.Key()]; !known && len(t.removed) >= maxRemoved {
		var first Ban
		for _, r := range t.removed {
			if first.Made == 0 || first.laterThan(&r) {
				first = r
			}
		}
		delete(t.removed, first.Key())
	}
	t.removed[b.Key()] = Ban{Net: b.Net, Range: b.Range, Origin: b.Origin, Made: b.Made}
}

// len returns the number of bans.
func (t *table) len() int { return len(t.byNet) + len(t.byRange) }

// get returns the entry of a network or range, or nil.
func (t *table) get(of Key) *entry {
	if of.rng.IsValid() {
		return t.byRange[of.rng]
	}
	return t.byNet[of.net]
}

// all yields the entries, in any order.
func (t *table) all(yield func(*entry) bool) {
	for _, e := range t.byNet {
		if !yield(e) {
			return
		}
	}
	for _, e := range t.byRange {
		if !yield(e) {
			return
		}
	}
}

// add adds a ban. If it replaces a ban of the same network, it keeps that ban's number. A full
// table drops the ban that ends first. add returns false if all bans are permanent.
func (t *table) add(b Ban, number int, now time.Time) bool {
	if old := t.get(b.Key()); old != nil {
		number = old.number
		if t.extends && old.Until.After(b.Until) {
			b.Until, b.Duration = old.Until, old.Duration
		}
		t.remove(old)
	}
	t.expire(now)
	if t.len() >= t.max {
		if len(t.ending) == 0 {
			return false
		}
		t.lapse(t.ending[0])
	}
	delete(t.removed, b.Key())
	e := &entry{b, number, -1}
	if of := b.Key(); of.rng.IsValid() {
		t.byRange[of.rng] = e
		nets, _ := b.Range.networks() // the error was checked when the ban was normalized
		for _, net := range nets {
			t.pieces[net] = append(t.pieces[net], e)
			t.lengths[lengthIndex(net)]++
		}
	} else {
		t.byNet[of.net] = e
		t.lengths[lengthIndex(of.net)]++
	}
	if !b.Until.IsZero() {
		heap.Push(&t.ending, e)
	}
	return true
}

func (t *table) remove(e *entry) {
	if e.heapPos >= 0 {
		heap.Remove(&t.ending, e.heapPos)
	}
	of := e.Key()
	if of.rng.IsValid() {
		delete(t.byRange, of.rng)
		nets, _ := e.Range.networks()
		for _, net := range nets {
			t.lengths[lengthIndex(net)]--
			removeFrom(t.pieces, net, e)
		}
		return
	}
	delete(t.byNet, of.net)
	t.lengths[lengthIndex(of.net)]--
}

// removeFrom removes an entry from a list in a map. It also removes the list if it is empty then.
func removeFrom(lists map[netip.Prefix][]*entry, net netip.Prefix, e *entry) {
	if others := slices.DeleteFunc(lists[net], func(o *entry) bool { return o == e }); len(others) > 0 {
		lists[net] = others
	} else {
		delete(lists, net)
	}
}

// expire removes the bans that have ended.
func (t *table) expire(now time.Time) {
	for len(t.ending) > 0 && t.ending[0].ended(now) {
		t.lapse(t.ending[0])
	}
}

// lapse removes a ban that has ended.
func (t *table) lapse(e *entry) {
	if len(t.lapsed) < maxLapsed {
		t.lapsed = append(t.lapsed, e.Ban)
	}
	t.remove(e)
}

// find yields the bans of networks that contain the address, the smallest network first.
func (t *table) find(a netip.Addr, yield func(*entry) bool) {
	lengths := t.lengths[:33]
	if a.Is6() {
		lengths = t.lengths[33:]
	}
	for bits := len(lengths) - 1; bits >= 0 && t.len() > 0; bits-- {
		if lengths[bits] == 0 {
			continue
		}
		net, _ := a.Prefix(bits)
		if e := t.byNet[net]; e != nil && !yield(e) {
			return
		}
		for i := len(t.pieces[net]) - 1; i >= 0; i-- { // yield may remove the entry
			if !yield(t.pieces[net][i]) {
				return
			}
		}
	}
}

func lengthIndex(net netip.Prefix) int {
	if net.Addr().Is4() {
		return net.Bits()
	}
	return 33 + net.Bits()
}

// endHeap is a heap of the bans that end. The ban that ends first is on top.
type endHeap []*entry

func (h endHeap) Len() int           { return len(h) }
func (h endHeap) Less(i, j int) bool { return h[i].Until.Before(h[j].Until) }
func (h endHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapPos, h[j].heapPos = i, j
}

func (h *endHeap) Push(x any) {
	e := x.(*entry)
	e.heapPos = len(*h)
	*h = append(*h, e)
}

func (h *endHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last], *h = nil, (*h)[:last]
	e.heapPos = -1
	return e
}
