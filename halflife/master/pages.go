package master

import (
	"math/rand/v2"
	"net/netip"
	"sort"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// numberedPage is the next page for a client that requests pages by number. A numbered page is
// created only for an address that echoed the number of its first page.
type numberedPage struct {
	peer    netip.Addr
	after   netip.AddrPort
	next    uint32 // number of the following page, 0 if it was not requested yet
	expires int64
}

// steamSession is the state of a client that requests pages by address. The list for that client
// begins and ends at firstServer. A session is created only for clients that named that server.
type steamSession struct {
	firstServer netip.AddrPort
	// cursor is where the last page began, and last is where it ended. A client names last to
	// continue, or cursor to repeat a lost page.
	cursor, last netip.AddrPort
	expires      int64
}

const (
	maxPages         = 4096
	maxSteamSessions = 4096
	pageTimeout      = 30 * time.Second
)

// firstPageChallenge is the secret number of the first page with servers.
var firstPageChallenge = cookie.Kind{ID: 'p', Window: cookieWindow, Value: pageNumberFrom}

// pageNumberFrom derives a page number of 24 bits from random bits, since some programs echo only
// 24. It is never 0, because 0 marks the last page.
func pageNumberFrom(raw uint64) uint32 {
	if n := uint32(raw) & 0xffffff; n != 0 {
		return n
	}
	return 1
}

// handleListRequest answers a list request.
func (m *Master) handleListRequest(now int64, peer transport.Peer, req []byte, r *wire.ListRequest) {
	if !peer.Addr().IsLoopback() && !m.listLimiter.Take(now, limit.Network(peer.Addr()), 1) {
		m.drop(DropRate)
		return
	}
	switch r.Format {
	case wire.ListAll:
		m.handleListAll(now, peer, req)
	case wire.ListSteam:
		m.handleSteamPage(now, peer, req, r)
	default:
		m.handleNumberedPage(now, peer, r)
	}
}

// isLocal reports whether a peer gets the list without a challenge.
func (m *Master) isLocal(peer transport.Peer) bool {
	return m.cfg.Legacy != halflife.LegacyOff && transport.IsLAN(peer.Addr())
}

// handleListAll answers "c" with as many servers as fit. If there are more, it begins at a random
// one.
func (m *Master) handleListAll(now int64, peer transport.Peer, req []byte) {
	all := m.sortedServers(now)
	l := wire.List{Format: wire.ListAll}
	if n := len(all); n > 0 {
		start := 0
		if n > wire.MaxEntries {
			start = rand.IntN(n)
		}
		for i := range min(n, wire.MaxEntries) {
			l.Servers = append(l.Servers, all[(start+i)%n].addr)
		}
	}
	b := wire.AppendList(m.out[:0], &l)
	switch {
	case isSmallReply(req, b), m.isLocal(peer), m.proven.Has(now, limit.Person(peer.Addr())):
	case m.cfg.Legacy != halflife.LegacyOn:
		m.drop(DropUnproven)
		return
	case !m.byteLimiter.Take(now, limit.Network(peer.Addr()), len(b)):
		m.drop(DropRate)
		return
	}
	m.send(peer, b)
}

// handleNumberedPage answers "e", and "1" with a page number.
func (m *Master) handleNumberedPage(now int64, peer transport.Peer, r *wire.ListRequest) {
	if r.ID == 0 {
		m.send(peer, wire.AppendList(m.out[:0], &wire.List{Format: wire.ListBatch,
			Next: m.cookies.Issue(&firstPageChallenge, now, peer.Addr(), 0)}))
		return
	}
	var after netip.AddrPort
	p := m.pages[r.ID]
	switch {
	case p != nil && p.peer == peer.Addr() && now < p.expires:
		after = p.after
	case m.cookies.Valid(&firstPageChallenge, now, peer.Addr(), 0, r.ID):
		p = nil
	default:
		m.drop(DropUnproven)
		return
	}
	m.proven.Add(now, limit.Person(peer.Addr()))
	all, ok := m.filteredServers(now, r.Filter)
	if !ok {
		m.drop(DropRate)
		return
	}
	l := wire.List{Format: wire.ListBatch}
	rest := all[indexAfter(all, after):]
	for _, e := range rest[:min(len(rest), wire.MaxEntries)] {
		l.Servers = append(l.Servers, e.addr)
	}
	if len(rest) > wire.MaxEntries {
		last := l.Servers[wire.MaxEntries-1]
		if p != nil && m.pages[p.next] != nil && m.pages[p.next].after == last {
			l.Next = p.next // a repeated request: the answer was lost
		} else {
			l.Next = m.newPage(now, peer.Addr(), last)
			if p != nil {
				p.next = l.Next
			}
		}
	}
	m.send(peer, wire.AppendList(m.out[:0], &l))
}

// indexAfter returns the index of the first entry whose address is greater than after, or 0 if
// after is invalid.
func indexAfter(list []*entry, after netip.AddrPort) int {
	if !after.IsValid() {
		return 0
	}
	return sort.Search(len(list), func(i int) bool { return list[i].addr.Compare(after) > 0 })
}

// newPage creates a page that begins after an address and returns its number.
func (m *Master) newPage(now int64, who netip.Addr, after netip.AddrPort) uint32 {
	if len(m.pageIDs) >= maxPages {
		delete(m.pages, m.pageIDs[0])
		m.pageIDs = m.pageIDs[1:]
	}
	id := pageNumberFrom(rand.Uint64())
	for m.pages[id] != nil {
		id = pageNumberFrom(rand.Uint64())
	}
	m.pages[id] = &numberedPage{peer: who, after: after, expires: now + int64(pageTimeout)}
	m.pageIDs = append(m.pageIDs, id)
	return id
}

// expirePages removes the state of clients that stopped requesting pages.
func (m *Master) expirePages(now int64) {
	for len(m.pageIDs) > 0 {
		if p := m.pages[m.pageIDs[0]]; now < p.expires {
			break
		}
		delete(m.pages, m.pageIDs[0])
		m.pageIDs = m.pageIDs[1:]
	}
	for peer, w := range m.steamSessions {
		if now >= w.expires {
			delete(m.steamSessions, peer)
		}
	}
}

// handleSteamPage answers "1" with the address of a server.
func (m *Master) handleSteamPage(now int64, peer transport.Peer, req []byte, r *wire.ListRequest) {
	all, ok := m.filteredServers(now, r.Filter)
	if !ok {
		m.drop(DropRate)
		return
	}
	l := wire.List{Format: wire.ListSteam, End: true}
	if len(all) == 0 {
		m.sendSteam(peer, req, &l, m.isLocal(peer))
		return
	}
	if m.isLocal(peer) {
		m.addServers(&l, all[indexAfter(all, r.After):])
		m.sendSteam(peer, req, &l, true)
		return
	}
	w, walking := m.steamSessions[peer]
	switch {
	case !r.After.IsValid():
		// The page holds only the server that the client must name next, so it is hardly longer
		// than the request.
		l.End, l.Servers = false, []netip.AddrPort{m.secretFirstServer(now/int64(cookieWindow), peer, all)}
		m.sendSteam(peer, req, &l, false)
		return
	case walking && (r.After == w.cursor || r.After == w.last):
	case r.After == m.secretFirstServer(now/int64(cookieWindow), peer, all), r.After == m.secretFirstServer(now/int64(cookieWindow)-1, peer, all):
		if len(m.steamSessions) >= maxSteamSessions && !walking {
			m.drop(DropRate)
			return
		}
		m.proven.Add(now, limit.Person(peer.Addr()))
		w = steamSession{firstServer: r.After}
	case walking:
	default:
		m.drop(DropUnproven)
		return
	}
	// Continue after the cursor, wrap around, and stop where the client's list began.
	from, start := indexAfter(all, r.After), sort.Search(len(all), func(i int) bool { return all[i].addr.Compare(w.firstServer) >= 0 })
	if r.After.Compare(w.firstServer) >= 0 {
		m.addServers(&l, all[from:])
		if l.End {
			m.addServers(&l, all[:start])
		}
	} else if from < start {
		m.addServers(&l, all[from:start])
	}
	w.cursor, w.last, w.expires = r.After, r.After, now+int64(pageTimeout)
	if n := len(l.Servers); n > 0 {
		w.last = l.Servers[n-1]
	}
	m.steamSessions[peer] = w
	m.sendSteam(peer, req, &l, true)
}

// secretFirstServer returns the server that a peer has to name within a window of time.
func (m *Master) secretFirstServer(window int64, peer transport.Peer, all []*entry) netip.AddrPort {
	return all[m.cookies.RandomBits('s', peer.Addr(), peer.Port(), window)%uint64(len(all))].addr
}

// addServers adds servers to a page. It clears End if they did not all fit.
func (m *Master) addServers(l *wire.List, list []*entry) {
	const most = wire.MaxEntries - 1 // one entry is left for the end mark
	for i, e := range list {
		if len(l.Servers) == most {
			l.End = i == len(list)
			return
		}
		l.Servers = append(l.Servers, e.addr)
	}
}

// sendSteam sends a page. An unproven address gets it only if it is small.
func (m *Master) sendSteam(peer transport.Peer, req []byte, l *wire.List, proven bool) {
	b := wire.AppendList(m.out[:0], l)
	if !proven && !isSmallReply(req, b) {
		m.drop(DropUnproven)
		return
	}
	m.send(peer, b)
}
