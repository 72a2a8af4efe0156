package ws

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

const (
	maxPeers = 1024
	// defaultSeats is how many players a person may have; see limit.Person and Hub.SetSeats.
	defaultSeats = 4
	// sparePeers is how many peers a person may have beside those of its players, since the server
	// notices the end of some connections late.
	sparePeers = 12
	// maxUnread is the maximum number of unread datagrams of a peer. The hub receives no more from
	// the peer until some are read.
	maxUnread = 8
	// idleTime is the time without a message after which a connection is closed. Browsers reconnect
	// for their next message.
	idleTime = 30 * time.Second
	// maxPings is the number of pings that a peer may send at once, and per idleTime. Each ping is
	// answered; browsers send none.
	maxPings = 60
	// stallTime is the time after which a connection is closed if a message cannot be sent.
	stallTime = 5 * time.Second
	// byeTime is the time that a peer has to read why its connection ends.
	byeTime = time.Second
	// closeTime is the time that Close waits for queued datagrams to arrive.
	closeTime = time.Second
)

// pingRate limits the pings of a connection.
var pingRate = limit.Rate{PerSecond: maxPings / idleTime.Seconds(), Burst: maxPings}

// ErrFull is returned by [Hub.Serve] when there are too many connections.
var ErrFull = errors.New("ws: too many connections")

// ErrPair is returned by [Hub.Serve] for a connection from another address than the first of its
// pair.
var ErrPair = errors.New("ws: the connections of a pair must come from the same address")

// Hub manages peers with WebSocket connections. The methods of Hub may be called by several
// goroutines.
type Hub struct {
	idleTime, stallTime, closeTime time.Duration
	masked                         bool // frames are masked, as clients must

	mu        sync.Mutex
	peers     map[transport.Peer]*peer
	perPerson map[netip.Prefix]int
	seats     int // players that each person may have
	pairs     map[pairID]*peer
	unread    []arrival
	closed    bool

	waiting atomic.Bool // set while the reader waits for wake
	wake    func()
	poller  *poller      // nil if goroutines serve all connections
	queued  atomic.Int64 // bytes to be sent to all peers
	count   counters
}

type counters struct {
	received, receivedBytes, sent, sentBytes, unreachable, tooLong, noRoom atomic.Uint64
}

// arrival is a datagram from a peer. An arrival has no data if the peer's connection has ended.
type arrival struct {
	from *peer
	data []byte
	at   int64
}

// NewHub returns a hub without peers.
func NewHub() *Hub {
	return &Hub{
		idleTime: idleTime, stallTime: stallTime, closeTime: closeTime,
		peers: make(map[transport.Peer]*peer), perPerson: make(map[netip.Prefix]int), pairs: make(map[pairID]*peer), wake: func() {},
		seats: defaultSeats,
	}
}

// SetSeats sets how many players a person may have, an IPv4 address or an IPv6 /64. The hub accepts
// 12 more peers. The default is 4.
func (h *Hub) SetSeats(perPerson int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seats = perPerson
}

// Serve accepts the WebSocket connection of a request for a peer with the address from, and returns
// when it has ended. The second connection of a pair belongs to the peer of the first. Serve does
// not check the origin of the web page; the caller must.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, from netip.AddrPort) error {
	pair := requestedPair(r)
	s, err := h.add(from, pair)
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, ErrPair) {
			status = http.StatusForbidden
		}
		http.Error(w, err.Error(), status)
		return err
	}
	defer h.remove(s)
	defer s.cancel()
	taken := &takenWriter{ResponseWriter: w}
	conn, err := websocket.Accept(taken, r, &websocket.AcceptOptions{Subprotocols: pair.accepted(), InsecureSkipVerify: true})
	if err != nil {
		return fmt.Errorf("ws: %w", err)
	}
	// Only the handshake is conn's part. conn would read and write each message with locks, timers
	// and calls of its own.
	defer conn.CloseNow()
	if ok := h.serveDirectly(s, taken.conn, taken.begun); ok {
		return nil
	}
	return s.stream(taken.conn, taken.begun)
}

// takenWriter is a ResponseWriter that remembers what was hijacked from it: the connection, and the
// bytes that the client has sent after the request.
type takenWriter struct {
	http.ResponseWriter
	conn  net.Conn
	begun []byte
}

// Hijack implements http.Hijacker.
func (w *takenWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.conn = conn
		begun, _ := rw.Reader.Peek(rw.Reader.Buffered())
		w.begun = bytes.Clone(begun)
	}
	return conn, rw, err
}

// add adds a connection to the peer of its pair, or to a new peer. pair is nil for a connection
// without a pair.
func (h *Hub) add(from netip.AddrPort, pair *pairID) (*socket, error) {
	if from.Addr().IsLoopback() {
		from = netip.AddrPortFrom(netip.IPv4Unspecified(), from.Port())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	person := limit.Person(from.Addr())
	if h.closed {
		return nil, ErrFull
	}
	if pair != nil && h.pairs[*pair] != nil {
		p := h.pairs[*pair]
		if p.person != person {
			return nil, ErrPair
		}
		return p.attach(), nil
	}
	if h.perPerson[person] >= h.seats+sparePeers {
		return nil, ErrFull
	}
	p := &peer{hub: h, id: transport.Peer{AddrPort: from, Kind: transport.WebSocket}, person: person, pair: pair, over: make(chan struct{})}
	p.free = make(chan []byte, maxUnread)
	for range maxUnread {
		p.free <- nil
	}
	for h.peers[p.id] != nil { // two proxies can report the same address and port
		p.id.AddrPort = netip.AddrPortFrom(p.id.Addr(), p.id.Port()+1)
	}
	if len(h.peers) >= maxPeers {
		h.dropIdlest()
	}
	p.lastSent.Store(transport.Monotonic())
	h.peers[p.id] = p
	h.perPerson[person]++
	if pair != nil {
		h.pairs[*pair] = p
	}
	return p.attach(), nil
}

// rejoin adds a connection to a peer, unless the peer has ended.
func (h *Hub) rejoin(p *peer) (s *socket, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.peers[p.id] != p {
		return nil, false
	}
	return p.attach(), true
}

// dropIdlest makes room by ending the peer that nothing was sent to for the longest time. Active
// players stay.
func (h *Hub) dropIdlest() {
	var idlest *peer
	for _, p := range h.peers {
		if idlest == nil || p.lastSent.Load() < idlest.lastSent.Load() {
			idlest = p
		}
	}
	h.forget(idlest)
	idlest.cancel()
}

// remove removes a connection that has ended, and its peer if it has no other.
func (h *Hub) remove(s *socket) {
	p, told := s.peer, false
	h.mu.Lock()
	if p.detach(s) {
		h.forget(p)
		close(p.over)
		if told = p.heard && !h.closed; told {
			h.unread = append(h.unread, arrival{from: p, at: transport.Monotonic()})
		}
	}
	h.mu.Unlock()
	s.idle.Stop()
	s.discard()
	if told {
		h.wakeReader()
	}
}

// forget removes a peer from the tables.
func (h *Hub) forget(p *peer) {
	if h.peers[p.id] != p {
		return
	}
	delete(h.peers, p.id)
	if p.pair != nil {
		delete(h.pairs, *p.pair)
	}
	if h.perPerson[p.person]--; h.perPerson[p.person] == 0 {
		delete(h.perPerson, p.person)
	}
}

// arrive adds a datagram to the unread ones.
func (h *Hub) arrive(a arrival) {
	h.mu.Lock()
	a.from.heard = true
	h.unread = append(h.unread, a)
	h.mu.Unlock()
	h.wakeReader()
}

func (h *Hub) wakeReader() {
	if h.waiting.Swap(false) {
		h.wake()
	}
}

// Peers returns the number of peers.
func (h *Hub) Peers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.peers)
}

// take moves waiting datagrams to dst. take appends them to lent, the list of buffers to return
// later.
func (h *Hub) take(dst []transport.Datagram, lent *[]arrival) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(len(dst), len(h.unread))
	for i, a := range h.unread[:n] {
		dst[i] = transport.Datagram{Peer: a.from.id, Data: a.data, ReceivedAt: a.at}
		if a.data != nil {
			*lent = append(*lent, a)
			h.count.received.Add(1)
			h.count.receivedBytes.Add(uint64(len(a.data)))
		}
	}
	rest := copy(h.unread, h.unread[n:])
	clear(h.unread[rest:]) // for the garbage collector
	h.unread = h.unread[:rest]
	return n
}

// find returns the peer with an address, or nil.
func (h *Hub) find(id transport.Peer) *peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peers[id]
}

// close ends all connections.
func (h *Hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, p := range h.peers {
		p.finish()
	}
}
