package master

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/halflife/internal/listable"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// ErrConfig is returned for invalid configurations.
var ErrConfig = errors.New("master: bad configuration")

// Config is the configuration of a Master. Send must be set.
type Config struct {
	// Send sends a datagram. It must not keep b. transport.Conn.Send fits.
	Send func(to transport.Peer, b []byte)
	// ListLAN also lists servers of local networks. A public master must not do so: clients would
	// look for these addresses in their own networks.
	ListLAN bool
	// Legacy selects the clients that need no challenge for the list and for the request "c". The
	// default is local networks. With LegacyOn, all addresses get answers to "c", within a limit of
	// bytes per network.
	Legacy halflife.LegacyPolicy
	// MaxPerAddress limits the servers per IP address; 0 means 14.
	MaxPerAddress int
	// MaxServers limits the servers in total; 0 means 20000.
	MaxServers int
	// ServerTimeout is how long a server stays listed without a heartbeat; 0 means 6 minutes.
	ServerTimeout time.Duration
	// StateFile stores the list across restarts. Run writes it every minute. Empty means no file.
	StateFile string
	// OnSaveError, if set, is called when Run cannot write the state file. The same error in a row
	// is reported only once. Run tries again a minute later.
	OnSaveError func(error)
	// Now returns the wall clock time; nil means time.Now.
	Now func() time.Time
}

// Server is an entry of the list.
type Server struct {
	// Address is the source address of the heartbeats and answers.
	Address netip.AddrPort `json:"address"`
	// Name, Map, Dir, Game and Version are as in halflife.Info.
	Name    string `json:"name"`
	Map     string `json:"map"`
	Dir     string `json:"dir"`
	Game    string `json:"game"`
	Version string `json:"version"`
	// Players, Max and Bots are the counts of the last heartbeat.
	Players int `json:"players"`
	Max     int `json:"max"`
	Bots    int `json:"bots"`
	// Type and OS are letters as in halflife.Info, such as "d" and "l".
	Type string `json:"type"`
	OS   string `json:"os"`
	// Password and Secure are as in halflife.Info.
	Password bool `json:"password"`
	Secure   bool `json:"secure"`
	// AppID is the Steam id of the game, 0 if unknown.
	AppID uint64 `json:"appID,omitempty"`
	// Region is a region as in halflife.ListRequest.
	Region byte `json:"region"`
	// Since is when the server was listed. Seen is the time of its last heartbeat.
	Since time.Time `json:"since"`
	Seen  time.Time `json:"seen"`
}

// entry is a server that is listed or being probed.
type entry struct {
	addr      netip.AddrPort
	info      wire.Info
	region    byte
	since     time.Time
	lastSeen  time.Time
	expiresAt int64 // ns
	listed    bool

	// A probe is in progress while tries > 0.
	tries      int
	recheckAt  int64 // when to probe again after a shutdown message; 0 means never
	nextProbe  int64 // when to repeat the probe or give up
	challenges int
	lastProbe  int64 // when the last probe began
}

// Master is a master server. It is safe for concurrent use.
type Master struct {
	cfg     Config
	cookies *cookie.Jar

	saving sync.Mutex
	saved  os.FileInfo // state file after the last Save

	mu        sync.Mutex
	servers   map[netip.AddrPort]*entry
	perIP     map[netip.Addr]int
	stats     Stats
	out       []byte
	lastSweep int64

	// sorted is the list sorted by address. The sorted list is renewed at most once a second.
	sorted   []*entry
	sortedAt int64
	dirty    bool
	// filtered holds the servers selected by recent filters. The map is cleared at most once a
	// second.
	filtered   map[wire.Filter][]*entry
	filteredAt int64

	pages         map[uint32]*numberedPage // of clients that request pages by number
	pageIDs       []uint32                 // in order of creation
	steamSessions map[transport.Peer]steamSession

	proven                                     *limit.RecentSet
	challengeLimiter, listLimiter, byteLimiter *limit.Limiter
	filterScans                                limit.Bucket
}

const (
	probeAttempts   = 3
	probeTimeout    = 2 * time.Second
	recheckInterval = 30 * time.Second
	provenTime      = 10 * time.Minute
	cookieWindow    = 30 * time.Second
	sortInterval    = time.Second
	maxFilters      = 32
	// limitSize is the capacity of each limiter, in networks.
	limitSize = 4096
)

// scanRate limits how often the whole list is searched for a new filter.
var scanRate = limit.Rate{PerSecond: 100, Burst: 200}

// heartbeatChallenge is the challenge that heartbeats must echo.
var heartbeatChallenge = cookie.Kind{ID: 'm', Window: time.Minute, Value: func(raw uint64) uint32 { return uint32(raw) | 1 }}

// New returns a master with the servers of its state file, if there is one. The error wraps
// ErrConfig or ErrState.
func New(cfg Config) (*Master, error) {
	if cfg.Send == nil {
		return nil, fmt.Errorf("%w: Send must be set", ErrConfig)
	}
	if cfg.MaxPerAddress < 0 || cfg.MaxServers < 0 || cfg.ServerTimeout < 0 {
		return nil, fmt.Errorf("%w: MaxPerAddress, MaxServers and ServerTimeout must not be negative", ErrConfig)
	}
	cfg.MaxPerAddress = cmp.Or(cfg.MaxPerAddress, 14)
	cfg.MaxServers = cmp.Or(cfg.MaxServers, 20000)
	cfg.ServerTimeout = cmp.Or(cfg.ServerTimeout, 6*time.Minute)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	m := &Master{
		cfg: cfg, cookies: cookie.NewJar(), proven: limit.NewRecentSet(limitSize, provenTime),
		servers: make(map[netip.AddrPort]*entry), perIP: make(map[netip.Addr]int),
		filtered: make(map[wire.Filter][]*entry), pages: make(map[uint32]*numberedPage), steamSessions: make(map[transport.Peer]steamSession),
		challengeLimiter: limit.NewLimiter(limitSize, limit.Rate{PerSecond: 2, Burst: 20}),
		listLimiter:      limit.NewLimiter(limitSize, limit.Rate{PerSecond: 10, Burst: 40}),
		byteLimiter:      limit.NewLimiter(limitSize, limit.Rate{PerSecond: 4096, Burst: 16384}),
		lastSweep:        -1 << 62,
	}
	if err := m.load(); err != nil {
		return nil, err
	}
	return m, nil
}

// Feed handles a datagram that arrived at time now in ns.
func (m *Master) Feed(now int64, peer transport.Peer, b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if peer.Port() < 1024 {
		m.drop(DropSource)
		return
	}
	if wire.IsDatagram(b) {
		m.handleAnswer(now, peer, b)
		return
	}
	if req, ok := wire.ParseListRequest(b); ok {
		m.stats.Lists[req.Format]++
		m.handleListRequest(now, peer, b, &req)
		return
	}
	if echo, ok := wire.ParseMasterChallengeRequest(b); ok {
		m.stats.ChallengeRequests++
		if !peer.Addr().IsLoopback() && !m.challengeLimiter.Take(now, limit.Network(peer.Addr()), 1) {
			m.drop(DropRate)
			return
		}
		m.send(peer, wire.AppendMasterChallenge(m.out[:0], m.cookies.Issue(&heartbeatChallenge, now, peer.Addr(), peer.Port()), echo))
		return
	}
	if h, err := wire.ParseHeartbeat(b); err == nil {
		m.stats.Heartbeats++
		m.handleHeartbeat(now, peer, &h)
		return
	}
	if wire.IsShutdown(b) {
		m.stats.Shutdowns++
		if e := m.servers[peer.AddrPort]; e != nil && e.listed && e.tries == 0 {
			if e.recheckAt = e.lastProbe + int64(recheckInterval); now >= e.recheckAt {
				m.startProbe(now, e)
			}
		}
		return
	}
	m.drop(DropUnknown)
}

func (m *Master) drop(d DropReason) { m.stats.Dropped[d]++ }

func (m *Master) send(to transport.Peer, b []byte) {
	m.out = b
	m.stats.Sent++
	m.stats.SentBytes += uint64(len(b))
	m.cfg.Send(to, b)
}

// handleHeartbeat handles a heartbeat. The heartbeat must echo the challenge that was sent to its
// address and port.
func (m *Master) handleHeartbeat(now int64, peer transport.Peer, h *wire.Heartbeat) {
	if !m.cookies.Valid(&heartbeatChallenge, now, peer.Addr(), peer.Port(), h.Challenge) {
		m.drop(DropChallenge)
		return
	}
	if !listable.Is(peer, m.cfg.ListLAN) {
		m.drop(DropReserved)
		return
	}
	e := m.servers[peer.AddrPort]
	if e == nil {
		if m.perIP[peer.Addr()] >= m.cfg.MaxPerAddress || len(m.servers) >= m.cfg.MaxServers {
			m.drop(DropFull)
			return
		}
		e = m.add(peer.AddrPort)
		e.info, e.region = h.Info, h.Region
		m.startProbe(now, e)
	}
	e.info.Map, e.info.Players, e.info.Max, e.info.Bots, e.info.Password = h.Info.Map, h.Info.Players, h.Info.Max, h.Info.Bots, h.Info.Password
	if h.Info.Version != "" {
		e.info.Version = h.Info.Version
	}
	e.region = h.Region
	e.lastSeen, e.expiresAt = m.cfg.Now(), now+int64(m.cfg.ServerTimeout)
}

func (m *Master) add(addr netip.AddrPort) *entry {
	e := &entry{addr: addr}
	m.servers[addr] = e
	m.perIP[addr.Addr()]++
	return e
}

func (m *Master) remove(e *entry) {
	delete(m.servers, e.addr)
	if ip := e.addr.Addr(); m.perIP[ip] > 1 {
		m.perIP[ip]--
	} else {
		delete(m.perIP, ip)
	}
	m.dirty = m.dirty || e.listed
}

// startProbe queries a server to check that it answers as a game server.
func (m *Master) startProbe(now int64, e *entry) {
	e.tries, e.challenges, e.lastProbe, e.recheckAt = 0, 0, now, 0
	m.sendProbe(now, e)
}

func (m *Master) sendProbe(now int64, e *entry) {
	e.tries++
	e.nextProbe = now + int64(probeTimeout)
	m.stats.Probes++
	m.send(transport.Peer{AddrPort: e.addr}, wire.AppendA2SRequest(m.out[:0], wire.RequestA2SInfo, wire.NoChallenge))
	m.send(transport.Peer{AddrPort: e.addr}, wire.AppendTextRequest(m.out[:0], wire.RequestDetails))
}

// handleAnswer handles datagrams with the header of answers: answers to probes, and pings, the only
// requests with that header.
func (m *Master) handleAnswer(now int64, peer transport.Peer, b []byte) {
	if wire.ParseRequest(b).Kind == wire.RequestPing {
		if pong := wire.AppendPong(m.out[:0]); isSmallReply(b, pong) {
			m.send(peer, pong)
		}
		return
	}
	e := m.servers[peer.AddrPort]
	if e == nil || e.tries == 0 {
		m.drop(DropUnknown)
		return
	}
	if c, err := wire.ParseA2SChallenge(b); err == nil && e.challenges < probeAttempts {
		e.challenges++
		m.send(peer, wire.AppendA2SRequest(m.out[:0], wire.RequestA2SInfo, c))
		return
	}
	i, _, err := wire.ParseInfo(b)
	if err != nil {
		m.drop(DropUnknown)
		return
	}
	m.stats.ProbesAnswered++
	e.tries = 0
	// The probe supplies the constant fields and the heartbeats supply the changing ones.
	i.Players, i.Max, i.Bots = e.info.Players, e.info.Max, e.info.Bots
	i.Map = cmp.Or(e.info.Map, i.Map)
	i.Version = cmp.Or(e.info.Version, i.Version)
	i.Password = i.Password || e.info.Password
	e.info = i
	if !e.listed {
		e.listed, e.since = true, m.cfg.Now()
	}
	m.dirty = true
}

// isSmallReply reports whether the answer is at most 1.2 times as long as its request.
func isSmallReply(req, reply []byte) bool { return 5*len(reply) <= 6*len(req) }

// Advance expires servers, and repeats or ends probes. Call it at least once a second.
func (m *Master) Advance(now int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now-m.lastSweep < int64(time.Second)/4 {
		return
	}
	m.lastSweep = now
	for _, e := range m.servers {
		switch {
		case now >= e.expiresAt:
			m.remove(e)
		case e.tries == 0 && e.recheckAt != 0 && now >= e.recheckAt:
			m.startProbe(now, e)
		case e.tries == 0 || now < e.nextProbe:
		case e.tries < probeAttempts:
			m.sendProbe(now, e)
		default:
			m.stats.ProbesFailed++
			m.remove(e)
		}
	}
	m.expirePages(now)
}

// sortedServers returns the listed servers, sorted by address.
func (m *Master) sortedServers(now int64) []*entry {
	if !m.dirty || m.sorted != nil && now-m.sortedAt < int64(sortInterval) {
		return m.sorted
	}
	m.dirty, m.sortedAt = false, now
	m.sorted = make([]*entry, 0, len(m.servers))
	for _, e := range m.servers {
		if e.listed {
			m.sorted = append(m.sorted, e)
		}
	}
	slices.SortFunc(m.sorted, func(a, b *entry) int { return a.addr.Compare(b.addr) })
	clear(m.filtered)
	return m.sorted
}

// filteredServers returns the listed servers that the filter selects. ok is false if the filter is
// new and scanRate is exhausted.
func (m *Master) filteredServers(now int64, f wire.Filter) (list []*entry, ok bool) {
	all := m.sortedServers(now)
	if f == (wire.Filter{}) {
		return all, true
	}
	if now-m.filteredAt >= int64(sortInterval) {
		clear(m.filtered)
		m.filteredAt = now
	}
	if list, ok := m.filtered[f]; ok {
		return list, true
	}
	if !m.filterScans.Take(now, scanRate, 1) {
		return nil, false
	}
	for _, e := range all {
		if f.Matches(&e.info) {
			list = append(list, e)
		}
	}
	if len(m.filtered) >= maxFilters {
		clear(m.filtered)
	}
	m.filtered[f] = list
	return list, true
}

// Servers returns the listed servers, sorted by address.
func (m *Master) Servers() []Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Server, 0, len(m.servers))
	for _, e := range m.servers {
		if e.listed {
			all = append(all, e.server())
		}
	}
	slices.SortFunc(all, func(a, b Server) int { return a.Address.Compare(b.Address) })
	return all
}

func (e *entry) server() Server {
	i := &e.info
	return Server{Address: e.addr, Name: i.Name, Map: i.Map, Dir: i.Dir, Game: i.Game, Version: i.Version,
		Players: i.Players, Max: i.Max, Bots: i.Bots, Type: byteToString(i.Type), OS: byteToString(i.OS), Password: i.Password, Secure: i.Secure,
		AppID: i.AppID, Region: e.region, Since: e.since.UTC(), Seen: e.lastSeen.UTC()}
}

func byteToString(c byte) string {
	if c <= ' ' || c >= 0x7f {
		return ""
	}
	return string(rune(c))
}
