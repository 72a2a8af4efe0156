package halflife

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// ErrConfig is returned for invalid configurations.
var ErrConfig = errors.New("halflife: bad configuration")

// The numbers by which clients find out how Server splits a long A2S answer, see wire.Info.AppID.
const (
	// DefaultAppID is the Steam id of Teeworlds.
	DefaultAppID = 380840
	// A2SProtocol is the protocol version in A2S answers.
	A2SProtocol = 17
)

// DefaultPort is the default port of game servers.
const DefaultPort = 27015

// DefaultMasterPort is the default port of master servers.
const DefaultMasterPort = 27010

// Game is the game server that a Server answers for. Server.Feed calls its methods, each at most
// once per ServerConfig.MaxAnswerAge.
type Game interface {
	// Info returns the server's info. Only text formats carry its Protocol. A2S answers carry
	// A2SProtocol.
	Info() wire.Info
	// Players appends the players, bots included.
	Players(dst []wire.Player) []wire.Player
	// Rules appends the public settings. Use a list of settings to publish, not a list of settings
	// to hide. If a name contains "password" or "secret", Server only publishes whether the setting
	// is set.
	Rules(dst []wire.Rule) []wire.Rule
}

// LegacyPolicy selects the addresses that get answers longer than their request without having
// passed a challenge. It applies to text queries, to "challenge rcon", and to A2S_INFO without a
// challenge (sent by programs from before 2020). Over the limits, A2S_INFO is answered with a
// challenge.
type LegacyPolicy uint8

// The policies for answers without a challenge.
const (
	// LegacyLAN answers addresses of local networks.
	LegacyLAN LegacyPolicy = iota
	// LegacyOff answers no address.
	LegacyOff
	// LegacyOn answers all addresses, with at most 512 bytes outside local networks.
	LegacyOn
)

// ParseLegacyPolicy reads "lan", "off" or "on".
func ParseLegacyPolicy(s string) (LegacyPolicy, error) {
	for l, name := range legacyNames {
		if strings.EqualFold(s, name) {
			return LegacyPolicy(l), nil
		}
	}
	return 0, fmt.Errorf("%w: legacy policy %q: use off, lan or on", ErrConfig, s)
}

var legacyNames = [...]string{LegacyLAN: "lan", LegacyOff: "off", LegacyOn: "on"}

// String returns the name that ParseLegacyPolicy accepts.
func (l LegacyPolicy) String() string { return legacyNames[l%LegacyPolicy(len(legacyNames))] }

// Limits limits the answers of a Server. In this type an address is an IPv4 address or an IPv6 /64,
// and a network is an IPv4 /24 or an IPv6 /64. Loopback has no limits. Zero values mean the
// defaults.
type Limits struct {
	// Address and Network limit answers that are more than 1.2 times as long as a request without a
	// challenge. The defaults are 3 per second and 10 at once for an address, 30 per second and 60
	// at once for a network.
	Address, Network Rate
	// Proven limits the answers per address to requests with a valid challenge. The default is 20
	// per second and 60 at once. Forged requests cannot use it up.
	Proven Rate
	// Bytes limits the answers that LegacyPolicy allows, in bytes per network. The default is 4096
	// per second and 16384 at once. AllBytes limits them for all networks together. The default of
	// AllBytes is 262144 per second and 1048576 at once.
	Bytes, AllBytes Rate
	// Rcon limits rcon challenges and refusals per network (IPv6: /48). The default is 2 per second
	// and 10 at once.
	Rcon Rate
	// Guesses limits wrong rcon passwords per network (IPv6: /48). The default is one in three
	// seconds and 20 at once. Over the limit, passwords from that network are not checked.
	Guesses Rate
	// AllGuesses limits wrong rcon passwords of all networks together. The default is 10 per second
	// and 50 at once. Networks that tried no password within the last half hour share a second
	// limit of the same size. The networks that logged in most recently, and networks in
	// AllowedNets and UnbannableNets, have such a limit each. Loopback has none.
	AllGuesses Rate
}

// Settings are the settings that can change while a server runs.
type Settings struct {
	// Legacy selects the addresses that get long answers without a challenge.
	Legacy LegacyPolicy
	// LocalNets are additional networks that count as local, besides those that transport.IsLAN
	// recognises.
	LocalNets []netip.Prefix
	// Limits limits the answers.
	Limits Limits
	// Rcon configures the remote console. Without a password it is off.
	Rcon RconSettings
}

// ServerConfig is the configuration of a Server. Game and Send must be set.
type ServerConfig struct {
	// Game is the game server to answer for.
	Game Game
	// Send sends a datagram. It must not keep b. transport.Conn.Send fits.
	Send func(to transport.Peer, b []byte)
	// Settings are the initial settings. Server.SetSettings changes them.
	Settings Settings
	// IsPlayer, if set, reports whether an address belongs to a connected player and is therefore
	// proven.
	IsPlayer func(netip.Addr) bool
	// OwnAddrs are the addresses that the server listens on. Requests from them are dropped.
	OwnAddrs []transport.Peer
	// MaxAnswerAge is how long encoded answers are reused; 0 means a second. A negative value
	// encodes every answer anew, for tests.
	MaxAnswerAge time.Duration

	// Console runs the commands of the remote console. nil turns it off.
	Console Console
	// Bans is the store of bans. The game may use the same one. nil means a store in memory.
	Bans bans.Store
	// OnRcon, if set, is called for each event to log of the remote console. During an attack this
	// is once per address and minute.
	OnRcon func(RconEvent)
}

// DropReason is the reason why a request was not answered.
type DropReason uint8

// The reasons for leaving a request without an answer.
const (
	// DropUnknown is a datagram that is not a request.
	DropUnknown DropReason = iota
	// DropSource is a request from the server itself, or from a port below 1024: a service there
	// might answer the answer.
	DropSource
	// DropRate is a request over the limit of its address or network.
	DropRate
	// DropLegacy is a request whose answer is too long for an unproven address; see LegacyPolicy.
	DropLegacy
	// DropBytes is a request over the budget of bytes for such answers.
	DropBytes
	// DropRconOff is an rcon request while the remote console is off.
	DropRconOff
	// DropRconMalformed is an rcon request that is too short or too long. If it is too long, a
	// sender with the right password gets an error message.
	DropRconMalformed
	// DropRconChallenge is an rcon request without a valid challenge.
	DropRconChallenge
	// DropRconBanned is an rcon request from a banned address.
	DropRconBanned
	// DropRconGuesses is an rcon request over the limit of wrong passwords.
	DropRconGuesses

	numDropReasons
)

var dropNames = [numDropReasons]string{"unknown", "source", "rate", "legacy", "bytes", "rcon_off", "rcon_malformed",
	"rcon_challenge", "rcon_banned", "rcon_guesses"}

// String returns the name of the reason in the metrics.
func (d DropReason) String() string { return dropNames[d%numDropReasons] }

// ServerStats holds counters since the start.
type ServerStats struct {
	// Requests counts requests by kind.
	Requests [wire.RequestA2SChallenge + 1]uint64
	// Sent and SentBytes count the datagrams sent and their bytes.
	Sent, SentBytes uint64
	// Dropped counts datagrams without an answer by reason.
	Dropped [numDropReasons]uint64
	// RconRan counts commands that were run, and RconWrong wrong passwords.
	RconRan, RconWrong uint64
}

// Server answers queries and rcon requests on the port of a game server. It has no socket, clock or
// goroutine, and is not safe for concurrent use. It encodes answers once per MaxAnswerAge and sends
// them without allocating.
type Server struct {
	cfg      ServerConfig
	settings Settings
	cookies  *cookie.Jar
	stats    ServerStats

	perAddress, perNetwork, perProven *limit.Limiter
	bytes, rconLimit, guesses         *limit.Limiter
	allBytes                          limit.Bucket
	allBytesRate                      limit.Rate
	strangersGuesses                  *limit.Guesses
	operatorsGuesses                  *limit.Limiter // per site
	proven                            *limit.RecentSet

	answers answers
	scratch [64]byte
	rcon    rconState
}

// answers holds the encoded answers to all requests.
type answers struct {
	encodedAt int64
	valid     bool
	players   []wire.Player
	rules     []wire.Rule

	info, details, infostring []byte
	textPlayers, textRules    []byte
	// The short answers are for unproven addresses.
	shortPlayers, shortRules []byte

	a2sInfo    []byte
	a2sPlayers answerMessage
	a2sRules   answerMessage
	id         uint32
}

// answerMessage is an answer of one or more datagrams.
type answerMessage struct {
	whole []byte
	parts [][]byte
}

const (
	maxShortAnswer = 512
	maxA2SMessage  = 8 * wire.SourcePart
	provenTime     = 10 * time.Minute
)

// The default limits.
var (
	defaultAddressRate  = Rate{3, 10}
	defaultNetworkRate  = Rate{30, 60}
	defaultProvenRate   = Rate{20, 60}
	defaultBytesRate    = Rate{4096, 16384}
	defaultAllBytesRate = Rate{256 << 10, 1 << 20}
	defaultRconRate     = Rate{2, 10}
	defaultGuessesRate  = Rate{1.0 / 3, 20}

	defaultAllGuessesRate = Rate{10, 50}
)

// NewServer returns a server. The error wraps ErrConfig or wire.ErrPassword.
func NewServer(cfg ServerConfig) (*Server, error) {
	if cfg.Game == nil || cfg.Send == nil {
		return nil, fmt.Errorf("%w: Game and Send must be set", ErrConfig)
	}
	cfg.MaxAnswerAge = cmp.Or(cfg.MaxAnswerAge, time.Second)
	if cfg.Bans == nil {
		cfg.Bans = bans.New(nil)
	}
	s := &Server{cfg: cfg, cookies: cookie.NewJar(), proven: limit.NewRecentSet(limitSize, provenTime)}
	s.rcon.init()
	if err := s.SetSettings(cfg.Settings); err != nil {
		return nil, err
	}
	return s, nil
}

// SetSettings replaces the settings. If it returns an error, the settings do not change. The error
// wraps ErrConfig or wire.ErrPassword.
func (s *Server) SetSettings(set Settings) error {
	l := set.Limits
	for _, r := range []Rate{l.Address, l.Network, l.Proven, l.Bytes, l.AllBytes, l.Rcon, l.Guesses, l.AllGuesses} {
		if !(r.PerSecond >= 0 && r.Burst >= 0) {
			return fmt.Errorf("%w: limits must not be negative", ErrConfig)
		}
	}
	if err := s.rcon.configure(set.Rcon); err != nil {
		return err
	}
	if s.perAddress == nil || l != s.settings.Limits {
		s.perAddress = limit.NewLimiter(limitSize, l.Address.orDefault(defaultAddressRate))
		s.perNetwork = limit.NewLimiter(limitSize, l.Network.orDefault(defaultNetworkRate))
		s.perProven = limit.NewLimiter(limitSize, l.Proven.orDefault(defaultProvenRate))
		s.bytes = limit.NewLimiter(limitSize, l.Bytes.orDefault(defaultBytesRate))
		s.rconLimit = limit.NewLimiter(limitSize, l.Rcon.orDefault(defaultRconRate))
		s.guesses = limit.NewLimiter(limitSize, l.Guesses.orDefault(defaultGuessesRate))
		s.allBytes, s.allBytesRate = limit.Bucket{}, l.AllBytes.orDefault(defaultAllBytesRate)
		all := l.AllGuesses.orDefault(defaultAllGuessesRate)
		s.strangersGuesses = limit.NewGuesses(all, 1, 0) // operators have operatorsGuesses
		s.operatorsGuesses = limit.NewLimiter(16*maxRecentAdmins, all)
	}
	s.settings = set
	return nil
}

// Stats returns the counters so far.
func (s *Server) Stats() ServerStats { return s.stats }

// Feed handles a datagram for which wire.IsDatagram returns true. The datagram arrived at time now
// in ns. Feed sends the answers.
func (s *Server) Feed(now int64, peer transport.Peer, b []byte) {
	r := wire.ParseRequest(b)
	s.stats.Requests[r.Kind]++
	if r.Kind == wire.RequestNone {
		s.drop(DropUnknown)
		return
	}
	if peer.Port() < 1024 || s.isSelf(peer) {
		s.drop(DropSource)
		return
	}
	switch r.Kind {
	case wire.RequestRcon:
		s.handleRcon(now, peer, b)
	case wire.RequestRconChallenge:
		s.handleRconChallenge(now, peer, b)
	case wire.RequestA2SInfo, wire.RequestA2SPlayers, wire.RequestA2SRules:
		if r.Challenge != wire.NoChallenge && s.cookies.Valid(&a2sChallenge, now, peer.Addr(), 0, r.Challenge) {
			s.handleProven(now, peer, r.Kind)
			return
		}
		if r.Kind == wire.RequestA2SInfo && r.Challenge == wire.NoChallenge && s.allowsLegacy(peer.Addr()) {
			if _, ok := s.sendLongAnswer(now, peer, s.currentAnswers(now).a2sInfo); ok {
				return
			}
		}
		s.sendA2SChallenge(now, peer, b)
	case wire.RequestA2SChallenge:
		s.sendA2SChallenge(now, peer, b)
	case wire.RequestPing:
		s.sendAnswer(now, peer, b, wire.AppendPong(s.scratch[:0]))
	default:
		s.handleText(now, peer, b, r.Kind)
	}
}

func (s *Server) drop(d DropReason) { s.stats.Dropped[d]++ }

// isSelf reports whether the peer is the server itself.
func (s *Server) isSelf(peer transport.Peer) bool {
	return slices.ContainsFunc(s.cfg.OwnAddrs, func(o transport.Peer) bool {
		return o.Port() == peer.Port() && (o.Addr() == peer.Addr() || o.Addr().IsUnspecified() && peer.Addr().IsLoopback())
	})
}

func (s *Server) send(to transport.Peer, b []byte) {
	s.stats.Sent++
	s.stats.SentBytes += uint64(len(b))
	s.cfg.Send(to, b)
}

// sendA2SChallenge sends a challenge. The peer must echo it to prove its address.
func (s *Server) sendA2SChallenge(now int64, peer transport.Peer, req []byte) {
	s.sendAnswer(now, peer, req, wire.AppendA2SChallenge(s.scratch[:0], s.cookies.Issue(&a2sChallenge, now, peer.Addr(), 0)))
}

// handleProven answers an A2S request with a valid challenge.
func (s *Server) handleProven(now int64, peer transport.Peer, kind wire.RequestKind) {
	key := limit.Person(peer.Addr())
	if !peer.Addr().IsLoopback() && !s.perProven.Take(now, key, 1) {
		s.drop(DropRate)
		return
	}
	s.proven.Add(now, key)
	a := s.currentAnswers(now)
	switch kind {
	case wire.RequestA2SInfo:
		s.send(peer, a.a2sInfo)
	case wire.RequestA2SPlayers:
		s.sendMessage(peer, &a.a2sPlayers)
	default:
		s.sendMessage(peer, &a.a2sRules)
	}
}

// handleText answers a text query.
func (s *Server) handleText(now int64, peer transport.Peer, req []byte, kind wire.RequestKind) {
	a := s.currentAnswers(now)
	var reply []byte
	switch kind {
	case wire.RequestInfo:
		reply = a.info
	case wire.RequestDetails:
		reply = a.details
	case wire.RequestInfostring:
		reply = a.infostring
	case wire.RequestPlayers:
		reply = a.textPlayers
		if !s.isLocal(peer.Addr()) && !s.isProven(now, peer.Addr()) {
			reply = a.shortPlayers
		}
	default:
		reply = a.textRules
		if !s.isLocal(peer.Addr()) && !s.isProven(now, peer.Addr()) {
			reply = a.shortRules
		}
	}
	s.sendAnswer(now, peer, req, reply)
}

func (s *Server) isLocal(a netip.Addr) bool {
	return transport.IsLAN(a) || containsAddr(s.settings.LocalNets, a)
}

// isProven reports whether the address recently passed a challenge or belongs to a player.
func (s *Server) isProven(now int64, a netip.Addr) bool {
	return s.proven.Has(now, limit.Person(a)) || s.cfg.IsPlayer != nil && s.cfg.IsPlayer(a)
}

// sendAnswer sends an answer to a request without a challenge, if its size and the limits allow it.
// Answers that are hardly longer than the request are not limited. Short answers are useless for
// reflection, and with a limit on them, forged requests could use it up.
func (s *Server) sendAnswer(now int64, peer transport.Peer, req, reply []byte) {
	if isSmallReply(len(req), len(reply)) {
		s.send(peer, reply)
	} else if reason, ok := s.sendLongAnswer(now, peer, reply); !ok {
		s.drop(reason)
	}
}

// sendLongAnswer sends an answer that is longer than its request. If it may not, ok is false and it
// returns the reason.
func (s *Server) sendLongAnswer(now int64, peer transport.Peer, reply []byte) (DropReason, bool) {
	a := peer.Addr()
	known := s.isProven(now, a)
	switch {
	case !known && !s.allowsLegacy(a):
		return DropLegacy, false
	case !a.IsLoopback() && !(s.perAddress.Take(now, limit.Person(a), 1) && s.perNetwork.Take(now, limit.Network(a), 1)):
		return DropRate, false
	case !known && !s.takeBytes(now, a, len(reply)):
		return DropBytes, false
	}
	s.send(peer, reply)
	return 0, true
}

// isSmallReply reports whether an answer is at most 1.2 times as long as its request.
func isSmallReply(req, reply int) bool { return 5*reply <= 6*req }

// allowsLegacy reports whether the address may get long answers without a challenge.
func (s *Server) allowsLegacy(a netip.Addr) bool {
	return s.settings.Legacy == LegacyOn || s.settings.Legacy == LegacyLAN && s.isLocal(a)
}

// takeBytes takes the bytes of an answer from the limits. It reports whether the limits allowed
// them.
func (s *Server) takeBytes(now int64, a netip.Addr, bytes int) bool {
	return a.IsLoopback() ||
		s.bytes.Take(now, limit.Network(a), bytes) && s.allBytes.Take(now, s.allBytesRate, bytes)
}

// sendMessage sends an answer of one or more datagrams.
func (s *Server) sendMessage(to transport.Peer, m *answerMessage) {
	if len(m.parts) == 0 {
		s.send(to, m.whole)
		return
	}
	s.answers.id++
	for _, p := range m.parts {
		wire.SetPartID(p, s.answers.id)
		s.send(to, p)
	}
}

// currentAnswers returns the answers. It encodes them anew when they are too old.
func (s *Server) currentAnswers(now int64) *answers {
	a := &s.answers
	if a.valid && now-a.encodedAt < int64(s.cfg.MaxAnswerAge) {
		return a
	}
	a.encodedAt, a.valid = now, true
	i := s.cfg.Game.Info()
	i.AppID = cmp.Or(i.AppID, DefaultAppID)
	a.info = wire.AppendInfo(a.info[:0], &i)
	a.details = wire.AppendDetails(a.details[:0], &i)
	a.infostring = wire.AppendInfostring(a.infostring[:0], &i)
	i.Protocol = A2SProtocol
	a.a2sInfo = wire.AppendA2SInfo(a.a2sInfo[:0], &i)

	a.players = s.cfg.Game.Players(a.players[:0])
	a.textPlayers = wire.AppendPlayers(a.textPlayers[:0], a.players, wire.MaxDatagram)
	a.shortPlayers = wire.AppendPlayers(a.shortPlayers[:0], a.players, maxShortAnswer)
	a.a2sPlayers.whole = wire.AppendA2SPlayers(a.a2sPlayers.whole[:0], a.players, maxA2SMessage)
	a.a2sPlayers.split()

	a.rules = s.cfg.Game.Rules(a.rules[:0])
	for n := range a.rules {
		a.rules[n] = redacted(a.rules[n])
	}
	a.textRules = wire.AppendRules(a.textRules[:0], a.rules, wire.MaxDatagram)
	a.shortRules = wire.AppendRules(a.shortRules[:0], a.rules, maxShortAnswer)
	a.a2sRules.whole = wire.AppendRules(a.a2sRules.whole[:0], a.rules, maxA2SMessage)
	a.a2sRules.split()
	return a
}

// split splits an answer that is too long for one datagram. With DefaultAppID and A2SProtocol,
// wire.SplitSource is the only style that all client programs understand.
func (m *answerMessage) split() {
	if len(m.whole) <= wire.MaxDatagram {
		m.parts = m.parts[:0]
		return
	}
	n := wire.NumParts(len(m.whole), wire.SourcePart)
	if cap(m.parts) < n {
		m.parts = append(m.parts[:cap(m.parts)], make([][]byte, n-cap(m.parts))...)
	}
	m.parts = m.parts[:n]
	for i := range m.parts {
		m.parts[i] = wire.AppendPart(m.parts[i][:0], wire.SplitSource, 0, m.whole, i, wire.SourcePart)
	}
}

// redacted returns a rule. It replaces the value of a secret by 1 if it is set, and by 0
// otherwise.
func redacted(r wire.Rule) wire.Rule {
	name := strings.ToLower(r.Name)
	if !strings.Contains(name, "password") && !strings.Contains(name, "secret") {
		return r
	}
	switch r.Value {
	case "", "0", "none":
		r.Value = "0"
	default:
		r.Value = "1"
	}
	return r
}
