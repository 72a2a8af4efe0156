package master

import (
	"math/rand/v2"
	"net/netip"
	"sort"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// page is where somebody who asks by number goes on. Only addresses that have
// echoed the first number get one.
type page struct {
	who     netip.Addr
	after   netip.AddrPort
	next    uint32 // the number of the page behind it, 0 if it was not asked yet
	expires int64
}

// walk is where somebody who asks by address began, which is where the list ends
// for them. Only those who have named that server get one.
type walk struct {
	start netip.AddrPort
	// cursor is where the last page began and last where it ended: naming these
	// goes on, or repeats a page that was lost.
	cursor, last netip.AddrPort
	expires      int64
}

const (
	maxPages = 4096
	maxWalks = 4096
	pageSpan = 30 * time.Second
)

// firstPage is the number that leads to the first page with servers.
var firstPage = cookie.Kind{ID: 'p', Window: cookieWindow, Fit: fitPage}

// fitPage makes a number of 24 bits, which are all that some programs send back,
// and not 0, which is the end.
func fitPage(raw uint64) uint32 {
	if n := uint32(raw) & 0xffffff; n != 0 {
		return n
	}
	return 1
}

// onList answers a request for the list.
func (m *Master) onList(now int64, peer transport.Peer, req []byte, r *halflife.ListRequest) {
	if !peer.Addr().IsLoopback() && !m.asks.Take(now, limit.Network(peer.Addr()), 1) {
		m.drop(DropRate)
		return
	}
	switch r.Form {
	case halflife.ListAll:
		m.onAll(now, peer, req)
	case halflife.ListSteam:
		m.onSteam(now, peer, req, r)
	default:
		m.onNumber(now, peer, r)
	}
}

// local reports whether a peer gets the list at once.
func (m *Master) local(peer transport.Peer) bool {
	return m.cfg.Legacy != halflife.LegacyOff && halflife.IsLAN(peer.Addr())
}

// onAll answers "c": as many servers as fit, from another place each time.
func (m *Master) onAll(now int64, peer transport.Peer, req []byte) {
	all := m.list(now)
	l := halflife.List{Form: halflife.ListAll}
	if n := len(all); n > 0 {
		start := 0
		if n > halflife.MaxEntries {
			start = rand.IntN(n)
		}
		for i := range min(n, halflife.MaxEntries) {
			l.Servers = append(l.Servers, all[(start+i)%n].addr)
		}
	}
	b := halflife.AppendList(m.out[:0], &l)
	switch {
	case small(req, b), m.local(peer), m.proven.Has(now, limit.Person(peer.Addr())):
	case m.cfg.Legacy != halflife.LegacyOn:
		m.drop(DropUnproven)
		return
	case !m.bytes.Take(now, limit.Network(peer.Addr()), len(b)):
		m.drop(DropRate)
		return
	}
	m.send(peer, b)
}

// onNumber answers "e", and "1" with a number.
func (m *Master) onNumber(now int64, peer transport.Peer, r *halflife.ListRequest) {
	if r.ID == 0 {
		m.send(peer, halflife.AppendList(m.out[:0], &halflife.List{Form: halflife.ListBatch, Next: m.cookies.Issue(&firstPage, now, peer.Addr(), 0)}))
		return
	}
	var after netip.AddrPort
	p := m.pages[r.ID]
	switch {
	case p != nil && p.who == peer.Addr() && now < p.expires:
		after = p.after
	case m.cookies.Valid(&firstPage, now, peer.Addr(), 0, r.ID):
		p = nil
	default:
		m.drop(DropUnproven)
		return
	}
	m.proven.Add(now, limit.Person(peer.Addr()))
	all, ok := m.matching(now, r.Filter)
	if !ok {
		m.drop(DropRate)
		return
	}
	l := halflife.List{Form: halflife.ListBatch}
	rest := all[behind(all, after):]
	for _, e := range rest[:min(len(rest), halflife.MaxEntries)] {
		l.Servers = append(l.Servers, e.addr)
	}
	if len(rest) > halflife.MaxEntries {
		last := l.Servers[halflife.MaxEntries-1]
		if p != nil && m.pages[p.next] != nil && m.pages[p.next].after == last {
			l.Next = p.next // the answer was lost, and this is the same again
		} else {
			l.Next = m.newPage(now, peer.Addr(), last)
			if p != nil {
				p.next = l.Next
			}
		}
	}
	m.send(peer, halflife.AppendList(m.out[:0], &l))
}

// behind is the place of the first entry behind an address; no address is before
// all.
func behind(list []*entry, after netip.AddrPort) int {
	if !after.IsValid() {
		return 0
	}
	return sort.Search(len(list), func(i int) bool { return list[i].addr.Compare(after) > 0 })
}

// newPage makes a number for the page behind an address.
func (m *Master) newPage(now int64, who netip.Addr, after netip.AddrPort) uint32 {
	if len(m.pageIDs) >= maxPages {
		delete(m.pages, m.pageIDs[0])
		m.pageIDs = m.pageIDs[1:]
	}
	id := fitPage(rand.Uint64())
	for m.pages[id] != nil {
		id = fitPage(rand.Uint64())
	}
	m.pages[id] = &page{who: who, after: after, expires: now + int64(pageSpan)}
	m.pageIDs = append(m.pageIDs, id)
	return id
}

// expirePages forgets those who went away.
func (m *Master) expirePages(now int64) {
	for len(m.pageIDs) > 0 {
		if p := m.pages[m.pageIDs[0]]; now < p.expires {
			break
		}
		delete(m.pages, m.pageIDs[0])
		m.pageIDs = m.pageIDs[1:]
	}
	for peer, w := range m.walks {
		if now >= w.expires {
			delete(m.walks, peer)
		}
	}
}

// onSteam answers "1" with an address.
func (m *Master) onSteam(now int64, peer transport.Peer, req []byte, r *halflife.ListRequest) {
	all, ok := m.matching(now, r.Filter)
	if !ok {
		m.drop(DropRate)
		return
	}
	l := halflife.List{Form: halflife.ListSteam, End: true}
	if len(all) == 0 {
		m.sendSteam(peer, req, &l, m.local(peer))
		return
	}
	if m.local(peer) {
		m.fill(&l, all[behind(all, r.After):])
		m.sendSteam(peer, req, &l, true)
		return
	}
	w, walking := m.walks[peer]
	switch {
	case !r.After.IsValid():
		// The one server that they have to name, and nothing else: the answer is
		// hardly longer than the request.
		l.End, l.Servers = false, []netip.AddrPort{m.secretStart(now/int64(cookieWindow), peer, all)}
		m.sendSteam(peer, req, &l, false)
		return
	case walking && (r.After == w.cursor || r.After == w.last):
	case r.After == m.secretStart(now/int64(cookieWindow), peer, all), r.After == m.secretStart(now/int64(cookieWindow)-1, peer, all):
		if len(m.walks) >= maxWalks && !walking {
			m.drop(DropRate)
			return
		}
		m.proven.Add(now, limit.Person(peer.Addr()))
		w = walk{start: r.After}
	case walking:
	default:
		m.drop(DropUnproven)
		return
	}
	// Behind the cursor, around the end of the list, up to where they began.
	from, start := behind(all, r.After), sort.Search(len(all), func(i int) bool { return all[i].addr.Compare(w.start) >= 0 })
	if r.After.Compare(w.start) >= 0 {
		m.fill(&l, all[from:])
		if l.End {
			m.fill(&l, all[:start])
		}
	} else if from < start {
		m.fill(&l, all[from:start])
	}
	w.cursor, w.last, w.expires = r.After, r.After, now+int64(pageSpan)
	if n := len(l.Servers); n > 0 {
		w.last = l.Servers[n-1]
	}
	m.walks[peer] = w
	m.sendSteam(peer, req, &l, true)
}

// secretStart is the server that an address has to name in a window of time.
func (m *Master) secretStart(window int64, peer transport.Peer, all []*entry) netip.AddrPort {
	return all[m.cookies.Raw('s', peer.Addr(), peer.Port(), window)%uint64(len(all))].addr
}

// fill adds servers to a page and clears End if there was no room for all.
func (m *Master) fill(l *halflife.List, list []*entry) {
	const most = halflife.MaxEntries - 1 // and the end
	for i, e := range list {
		if len(l.Servers) == most {
			l.End = i == len(list)
			return
		}
		l.Servers = append(l.Servers, e.addr)
	}
}

// sendSteam sends a page, to those who have shown nothing only if it is small.
func (m *Master) sendSteam(peer transport.Peer, req []byte, l *halflife.List, proven bool) {
	b := halflife.AppendList(m.out[:0], l)
	if !proven && !small(req, b) {
		m.drop(DropUnproven)
		return
	}
	m.send(peer, b)
}
