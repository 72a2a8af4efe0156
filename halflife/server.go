package halflife

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// ErrConfig is returned for configurations that make no sense.
var ErrConfig = errors.New("halflife: bad configuration")

// Game is the game server that a Server answers for. Its methods are called within
// Server.Feed, at most once per ServerConfig.MaxAnswerAge.
type Game interface {
	// Info returns the server's info. Protocol is used in text formats only; A2S
	// answers have A2SProtocol.
	Info() Info
	// Players appends the players, bots included.
	Players(dst []Player) []Player
	// Rules appends the public settings. List what may be published rather than
	// leaving out what may not. Of settings whose names contain "password" or
	// "secret" a Server only shows whether they are set.
	Rules(dst []Rule) []Rule
}

// LegacyPolicy says which addresses get answers that are longer than the request
// without having passed a challenge: to text queries, to the request for an rcon
// challenge, and to A2S_INFO without a challenge, as programs of before 2020 send it.
// Over the limits, the answer to the latter is a challenge.
type LegacyPolicy uint8

// The policies.
const (
	// LegacyLAN answers local networks.
	LegacyLAN LegacyPolicy = iota
	// LegacyOff answers nobody.
	LegacyOff
	// LegacyOn answers all addresses, with at most 512 bytes outside of local
	// networks.
	LegacyOn
)

// ParseLegacyPolicy reads "lan", "off" or "on".
func ParseLegacyPolicy(s string) (LegacyPolicy, error) {
	for l, name := range legacyNames {
		if strings.EqualFold(s, name) {
			return LegacyPolicy(l), nil
		}
	}
	return 0, fmt.Errorf("%w: legacy queries are %q, not off, lan or on", ErrConfig, s)
}

var legacyNames = [...]string{LegacyLAN: "lan", LegacyOff: "off", LegacyOn: "on"}

// String returns the name that ParseLegacyPolicy reads.
func (l LegacyPolicy) String() string { return legacyNames[l%LegacyPolicy(len(legacyNames))] }

// Limits bound what is sent. An address is an IPv4 address or an IPv6 /64, a
// network an IPv4 /24 or an IPv6 /64; loopback has no limits. Zero values stand
// for the defaults.
type Limits struct {
	// Address and Network limit the answers that are more than 1.2 times as long as
	// a request without a challenge, by default 3 per second and 10 at once, 30 and
	// 60.
	Address, Network Rate
	// Proven limits the answers per address to requests with a valid challenge,
	// by default 20 per second and 60 at once. Forged requests cannot use it up.
	Proven Rate
	// Bytes limits the answers that LegacyPolicy allows, in bytes per network, by
	// default 4096 per second and 16384 at once; AllBytes limits those to all
	// networks, by default 262144 and 1048576.
	Bytes, AllBytes Rate
	// Rcon limits rcon challenges and refusals per network (IPv6: /48), by default
	// 2 per second and 10 at once.
	Rcon Rate
	// Guesses limits wrong rcon passwords per network (IPv6: /48), by default one
	// in three seconds and 20 at once. When it is used up, passwords from that
	// network are not checked.
	Guesses Rate
	// AllGuesses limits those of all networks together, by default 10 per second and 50
	// at once. Networks that have tried no password within half an hour have as many
	// besides, together. The networks of those who logged in last, and those in
	// AllowedNets and UnbannableNets, have as many each. Loopback has no limit.
	AllGuesses Rate
}

// Settings are what may change while a server runs.
type Settings struct {
	// Legacy says which addresses get answers that are longer than the request.
	Legacy LegacyPolicy
	// LocalNets are networks that count as local besides those that IsLAN knows.
	LocalNets []netip.Prefix
	// Limits bound what is sent.
	Limits Limits
	// Rcon is the remote console, off without a password.
	Rcon RconSettings
}

// ServerConfig is the configuration of a Server. Game and Send are needed.
type ServerConfig struct {
	// Game is the game server to answer for.
	Game Game
	// Send sends a datagram; it must not keep b. transport.Conn.Send fits.
	Send func(to transport.Peer, b []byte)
	// Settings may be changed later with Server.SetSettings.
	Settings Settings
	// IsPlayer reports whether an address is that of a player, and therefore proved.
	// It may be nil.
	IsPlayer func(netip.Addr) bool
	// OwnAddrs are the addresses that the server listens on. Requests from them are
	// dropped.
	OwnAddrs []transport.Peer
	// MaxAnswerAge is how old answers may be; 0 means a second. Negative makes every
	// answer new, for tests.
	MaxAnswerAge time.Duration

	// Console runs the commands of the remote console. Without one it is off.
	Console Console
	// Bans is the store of bans, shared with the game or not. Without one they are
	// kept in memory.
	Bans bans.Store
	// OnRcon, if set, is called for events of the remote console, for the log: under
	// attack once per address and minute.
	OnRcon func(RconEvent)
}

// DropReason is a reason why a request was not answered.
type DropReason uint8

// The reasons.
const (
	// DropUnknown is a datagram that is no request.
	DropUnknown DropReason = iota
	// DropSource is a request from a port below 1024, which may be a service that
	// answers answers, or from the server itself.
	DropSource
	// DropRate is a request over the limit of its address or network.
	DropRate
	// DropLegacy is a request whose answer would have been longer than an address
	// without a challenge may get; see LegacyPolicy.
	DropLegacy
	// DropBytes is one over the budget of bytes for such answers.
	DropBytes
	// DropRconOff is an rcon request while the remote console is off.
	DropRconOff
	// DropRconMalformed is an rcon request that is too long, which its sender is told, or too short.
	DropRconMalformed
	// DropRconChallenge is an rcon request without a valid challenge.
	DropRconChallenge
	// DropRconBanned is an rcon request of a banned address.
	DropRconBanned
	// DropRconGuesses is an rcon request over the limit of wrong passwords.
	DropRconGuesses

	// NumDropReasons is the number of reasons.
	NumDropReasons
)

var dropNames = [NumDropReasons]string{"unknown", "source", "rate", "legacy", "bytes", "rcon_off", "rcon_malformed", "rcon_challenge", "rcon_banned", "rcon_guesses"}

// String returns the reason as used for metrics.
func (d DropReason) String() string { return dropNames[d%NumDropReasons] }

// ServerStats counts since the start.
type ServerStats struct {
	// Requests counts by kind.
	Requests [RequestA2SChallenge + 1]uint64
	// Sent and SentBytes count datagrams.
	Sent, SentBytes uint64
	// Dropped counts what got no answer.
	Dropped [NumDropReasons]uint64
	// RconRan and RconWrong count commands that were run, and wrong passwords.
	RconRan, RconWrong uint64
}

// Server answers queries and rcon requests on the port of a game server. It has no
// socket, clock or goroutine, and is for one goroutine. Answers are encoded once per
// MaxAnswerAge and sent without allocating.
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
	operatorsGuesses                  *limit.Limiter // of sites
	proven                            *limit.RecentSet

	answers answers
	scratch [64]byte
	rcon    rconState
}

// answers are the encoded answers.
type answers struct {
	encodedAt int64
	valid     bool
	players   []Player
	rules     []Rule

	info, details, infostring []byte
	textPlayers, textRules    []byte
	// The short ones are for addresses that are not proved.
	shortPlayers, shortRules []byte

	a2sInfo    []byte
	a2sPlayers answerMessage
	a2sRules   answerMessage
	id         uint32
}

// answerMessage is an answer that may take several datagrams.
type answerMessage struct {
	whole []byte
	parts [][]byte
}

const (
	maxShortAnswer = 512
	maxA2SMessage  = 8 * SourcePart
	provenTime     = 10 * time.Minute
)

// The defaults of Limits.
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

// NewServer returns a server.
func NewServer(cfg ServerConfig) (*Server, error) {
	if cfg.Game == nil || cfg.Send == nil {
		return nil, fmt.Errorf("%w: a server needs a game and a way to send", ErrConfig)
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

// SetSettings changes the settings. If it returns an error, nothing changes.
func (s *Server) SetSettings(set Settings) error {
	l := set.Limits
	for _, r := range []Rate{l.Address, l.Network, l.Proven, l.Bytes, l.AllBytes, l.Rcon, l.Guesses, l.AllGuesses} {
		if !(r.PerSecond >= 0 && r.Burst >= 0) {
			return fmt.Errorf("%w: a negative limit", ErrConfig)
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

// InvalidateAnswers makes the next answer be encoded anew, for example after a map
// change.
func (s *Server) InvalidateAnswers() { s.answers.valid = false }

// Feed handles a datagram for which IsDatagram holds and that arrived at the time now
// in ns, and sends the answers.
func (s *Server) Feed(now int64, peer transport.Peer, b []byte) {
	r := ParseRequest(b)
	s.stats.Requests[r.Kind]++
	if r.Kind == RequestNone {
		s.drop(DropUnknown)
		return
	}
	if peer.Port() < 1024 || s.isSelf(peer) {
		s.drop(DropSource)
		return
	}
	switch r.Kind {
	case RequestRcon:
		s.handleRcon(now, peer, b)
	case RequestRconChallenge:
		s.handleRconChallenge(now, peer, b)
	case RequestA2SInfo, RequestA2SPlayers, RequestA2SRules:
		if r.Challenge != NoChallenge && s.cookies.Valid(&a2sChallenge, now, peer.Addr(), 0, r.Challenge) {
			s.handleProven(now, peer, r.Kind)
			return
		}
		if r.Kind == RequestA2SInfo && r.Challenge == NoChallenge && s.allowsLegacy(peer.Addr()) {
			if _, ok := s.sendLongAnswer(now, peer, s.currentAnswers(now).a2sInfo); ok {
				return
			}
		}
		s.sendA2SChallenge(now, peer, b)
	case RequestA2SChallenge:
		s.sendA2SChallenge(now, peer, b)
	case RequestPing:
		s.sendAnswer(now, peer, b, AppendPong(s.scratch[:0]))
	default:
		s.handleText(now, peer, b, r.Kind)
	}
}

func (s *Server) drop(d DropReason) { s.stats.Dropped[d]++ }

// isSelf reports whether a peer is the server itself.
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

// sendA2SChallenge sends the challenge by which an address is proved.
func (s *Server) sendA2SChallenge(now int64, peer transport.Peer, req []byte) {
	s.sendAnswer(now, peer, req, AppendA2SChallenge(s.scratch[:0], s.cookies.Issue(&a2sChallenge, now, peer.Addr(), 0)))
}

// handleProven answers an A2S request with a valid challenge.
func (s *Server) handleProven(now int64, peer transport.Peer, kind RequestKind) {
	key := limit.Person(peer.Addr())
	if !peer.Addr().IsLoopback() && !s.perProven.Take(now, key, 1) {
		s.drop(DropRate)
		return
	}
	s.proven.Add(now, key)
	a := s.currentAnswers(now)
	switch kind {
	case RequestA2SInfo:
		s.send(peer, a.a2sInfo)
	case RequestA2SPlayers:
		s.sendMessage(peer, &a.a2sPlayers)
	default:
		s.sendMessage(peer, &a.a2sRules)
	}
}

// handleText answers a query in text.
func (s *Server) handleText(now int64, peer transport.Peer, req []byte, kind RequestKind) {
	a := s.currentAnswers(now)
	var reply []byte
	switch kind {
	case RequestInfo:
		reply = a.info
	case RequestDetails:
		reply = a.details
	case RequestInfostring:
		reply = a.infostring
	case RequestPlayers:
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

// isProven reports whether an address has passed a challenge recently, or is that of a
// player.
func (s *Server) isProven(now int64, a netip.Addr) bool {
	return s.proven.Has(now, limit.Person(a)) || s.cfg.IsPlayer != nil && s.cfg.IsPlayer(a)
}

// sendAnswer sends an answer to a request without a challenge, if its size and the
// limits allow it. Answers that are hardly longer than the request are not limited:
// they are of no use for reflection, and forged requests could use up the limits.
func (s *Server) sendAnswer(now int64, peer transport.Peer, req, reply []byte) {
	if isSmallReply(len(req), len(reply)) {
		s.send(peer, reply)
	} else if reason, ok := s.sendLongAnswer(now, peer, reply); !ok {
		s.drop(reason)
	}
}

// sendLongAnswer sends an answer that is longer than the request, or returns why not.
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

// allowsLegacy reports whether an address may get long answers without a challenge.
func (s *Server) allowsLegacy(a netip.Addr) bool {
	return s.settings.Legacy == LegacyOn || s.settings.Legacy == LegacyLAN && s.isLocal(a)
}

// takeBytes takes the bytes of an answer from the limits, if they are left.
func (s *Server) takeBytes(now int64, a netip.Addr, bytes int) bool {
	return a.IsLoopback() ||
		s.bytes.Take(now, limit.Network(a), bytes) && s.allBytes.Take(now, s.allBytesRate, bytes)
}

// sendMessage sends an answer that may be in parts.
func (s *Server) sendMessage(to transport.Peer, m *answerMessage) {
	if len(m.parts) == 0 {
		s.send(to, m.whole)
		return
	}
	s.answers.id++
	for _, p := range m.parts {
		binary.LittleEndian.PutUint32(p[4:], s.answers.id&^compressedFlag)
		s.send(to, p)
	}
}

// currentAnswers returns the answers, encoded anew if they are old.
func (s *Server) currentAnswers(now int64) *answers {
	a := &s.answers
	if a.valid && now-a.encodedAt < int64(s.cfg.MaxAnswerAge) {
		return a
	}
	a.encodedAt, a.valid = now, true
	i := s.cfg.Game.Info()
	i.AppID = cmp.Or(i.AppID, DefaultAppID)
	a.info = AppendInfo(a.info[:0], &i)
	a.details = AppendDetails(a.details[:0], &i)
	a.infostring = AppendInfostring(a.infostring[:0], &i)
	i.Protocol = A2SProtocol
	a.a2sInfo = AppendA2SInfo(a.a2sInfo[:0], &i)

	a.players = s.cfg.Game.Players(a.players[:0])
	a.textPlayers = AppendPlayers(a.textPlayers[:0], a.players, MaxDatagram)
	a.shortPlayers = AppendPlayers(a.shortPlayers[:0], a.players, maxShortAnswer)
	a.a2sPlayers.whole = AppendA2SPlayers(a.a2sPlayers.whole[:0], a.players, maxA2SMessage)
	a.a2sPlayers.split()

	a.rules = s.cfg.Game.Rules(a.rules[:0])
	for n := range a.rules {
		a.rules[n] = a.rules[n].redacted()
	}
	a.textRules = AppendRules(a.textRules[:0], a.rules, MaxDatagram)
	a.shortRules = AppendRules(a.shortRules[:0], a.rules, maxShortAnswer)
	a.a2sRules.whole = AppendRules(a.a2sRules.whole[:0], a.rules, maxA2SMessage)
	a.a2sRules.split()
	return a
}

// split splits an answer that is too long for a datagram. With DefaultAppID and
// A2SProtocol, SplitSource is the only style that all programs understand.
func (m *answerMessage) split() {
	if len(m.whole) <= MaxDatagram {
		m.parts = m.parts[:0]
		return
	}
	n := NumParts(len(m.whole), SourcePart)
	if cap(m.parts) < n {
		m.parts = append(m.parts[:cap(m.parts)], make([][]byte, n-cap(m.parts))...)
	}
	m.parts = m.parts[:n]
	for i := range m.parts {
		m.parts[i] = AppendPart(m.parts[i][:0], SplitSource, 0, m.whole, i, SourcePart)
	}
}

// redacted returns the rule with 0 or 1, for unset and set, in place of the value if it
// is a secret.
func (r Rule) redacted() Rule {
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
