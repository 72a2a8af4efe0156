package halflife

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"hash"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

// Console runs the commands of the remote console.
type Console interface {
	// RunRcon runs a line with the rights of a level, see RconPassword. It calls print for each
	// part of the output, in order, and then done, before it returns or later on the same
	// goroutine. Texts without a final line feed get one.
	RunRcon(peer transport.Peer, level int, line string, print func(text string), done func())
}

// RconPassword is a password and the level of rights that it grants.
type RconPassword struct {
	// Password is sent unencrypted. Do not reuse a password from elsewhere.
	Password string
	// Level is passed to the Console. The Console defines its meaning.
	Level int
}

// RconSettings are the settings of the remote console.
type RconSettings struct {
	// Passwords lists the accepted passwords. Empty means that rcon is off.
	Passwords []RconPassword
	// AllowedNets lists the networks that may log in. Empty means all.
	AllowedNets []netip.Prefix
	// MaxFailures is how many wrong passwords within FailureWindow lead to a ban: 1 to 20; 0 means
	// 5, negative disables these bans.
	MaxFailures int
	// FailureWindow is how long a wrong password counts; 0 means 30 s.
	FailureWindow time.Duration
	// BanTime is how long such a ban lasts; 0 means 15 minutes, negative forever.
	BanTime time.Duration
	// BanFromGame makes such a ban apply to the game too, not only to rcon.
	BanFromGame bool
	// UnbannableNets lists networks that are never banned automatically, in addition to loopback.
	UnbannableNets []netip.Prefix
}

// RconResult is the result of an rcon request.
type RconResult uint8

// The results of an rcon request.
const (
	// RconRan is a command that ran.
	RconRan RconResult = iota + 1
	// RconWrongPassword is a wrong password.
	RconWrongPassword
	// RconNotAllowed is an address that is not in AllowedNets.
	RconNotAllowed
	// RconBanned is a wrong password that led to a ban.
	RconBanned
)

var resultNames = map[RconResult]string{
	RconRan: "ran", RconWrongPassword: "wrong password", RconNotAllowed: "not allowed", RconBanned: "banned",
}

// String returns the result for logs.
func (v RconResult) String() string { return cmp.Or(resultNames[v], "none") }

// RconEvent describes rcon requests for the log. An event contains no passwords and no line breaks.
type RconEvent struct {
	// Peer is the sender. A challenge has proved the sender's address.
	Peer transport.Peer
	// Result is the result of the request.
	Result RconResult
	// Command is the name of the command in printable ASCII, without arguments. It is set only for
	// RconRan.
	Command string
	// Level is the level of the password. It is set only for RconRan.
	Level int
	// Count is the number of requests from the address that this event covers.
	Count int
}

const (
	failuresTracked     = 4096             // addresses
	maxFailures         = 20               // highest value of RconSettings.MaxFailures
	eventInterval       = time.Minute      // shortest time between two events for an address
	banNoticeInterval   = 30 * time.Second // between two notices to a banned address
	maxOutput           = 256 << 10        // bytes of output per command
	maxRecentAdmins     = 4
	autoBanReason       = "Too many wrong rcon passwords"
	textTooLong         = "Not run: the request has %d bytes; the limit is %d.\n"
	textOutputTruncated = "(output truncated)\n"
	maxCommandName      = 32
)

// The texts of rcon answers, identical to the engine's.
const (
	textBadPassword  = "Bad rcon_password.\n"
	textNoChallenge  = "No challenge for your address.\n"
	textBadChallenge = "Bad challenge.\n"
	textBanned       = "You have been banned from this server.\n"
)

// rconState is the state of the remote console.
type rconState struct {
	settings     RconSettings
	mac          hash.Hash
	passwordSums [][sha256.Size]byte
	sum          [sha256.Size]byte

	failures *limit.Failures
	notified *limit.RecentSet
	// recentAdmins are the addresses (IPv6: /64) that logged in most recently. These addresses are
	// not banned for wrong passwords.
	recentAdmins [maxRecentAdmins]netip.Prefix
}

func (r *rconState) init() {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	r.mac = hmac.New(sha256.New, key)
	r.failures = limit.NewFailures(failuresTracked, 0)
	r.notified = limit.NewRecentSet(limitSize, banNoticeInterval)
}

// configure checks and applies the settings.
func (r *rconState) configure(set RconSettings) error {
	if set.MaxFailures > maxFailures {
		return fmt.Errorf("%w: MaxFailures is %d; the limit is %d", ErrConfig, set.MaxFailures, maxFailures)
	}
	set.MaxFailures = cmp.Or(set.MaxFailures, 5)
	set.FailureWindow = cmp.Or(set.FailureWindow, 30*time.Second)
	set.BanTime = cmp.Or(set.BanTime, 15*time.Minute)
	var sums [][sha256.Size]byte
	for _, p := range set.Passwords {
		if err := wire.CheckPassword(p.Password); err != nil {
			return err
		}
		sums = append(sums, r.digest([]byte(p.Password)))
	}
	r.settings, r.passwordSums = set, sums
	r.failures.Window = set.FailureWindow
	return nil
}

func (r *rconState) digest(password []byte) [sha256.Size]byte {
	r.mac.Reset()
	r.mac.Write(password)
	r.mac.Sum(r.sum[:0])
	return r.sum
}

// findPassword returns the index of the first matching password, or -1. Its running time does not
// depend on how much of the password is right.
func (r *rconState) findPassword(password []byte) int {
	given, found := r.digest(password), -1
	for i := len(r.passwordSums) - 1; i >= 0; i-- {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(given[:], r.passwordSums[i][:]), i, found)
	}
	return found
}

// handleRconChallenge sends a challenge to the peer, if the limits allow it.
func (s *Server) handleRconChallenge(now int64, peer transport.Peer, req []byte) {
	if !s.rconOn() {
		s.drop(DropRconOff)
		return
	}
	a := peer.Addr()
	reply := wire.AppendRconChallenge(s.scratch[:0], s.cookies.Issue(&rconChallenges, now, a, 0))
	if isSmallReply(len(req), len(reply)) {
		s.send(peer, reply)
		return
	}
	known := s.isProven(now, a)
	switch {
	case !known && !s.allowsLegacy(a) && !containsAddr(s.rcon.settings.AllowedNets, a):
		s.drop(DropLegacy)
	case !s.takeRcon(now, a):
		s.drop(DropRate)
	case !known && !s.takeBytes(now, a, len(reply)):
		s.drop(DropBytes)
	default:
		s.send(peer, reply)
	}
}

// takeRcon reports whether an address may get an answer that is longer than its request, and counts
// that answer. A proven address has a limit of its own. Unproven ones share the limit of their site
// (IPv4 /24, IPv6 /48), so neighbours and forged addresses do not use up the limit of a proven one.
func (s *Server) takeRcon(now int64, a netip.Addr) bool {
	key := limit.Site(a)
	if s.isProven(now, a) {
		key = limit.Person(a)
	}
	return a.IsLoopback() || s.rconLimit.Take(now, key, 1)
}

func (s *Server) rconOn() bool { return s.cfg.Console != nil && len(s.rcon.passwordSums) > 0 }

// handleRcon handles a request to run a command. If the challenge is not one that was sent to the
// address, the password is not checked and no failure is counted. Otherwise forged requests could
// get any address banned.
func (s *Server) handleRcon(now int64, peer transport.Peer, b []byte) {
	a := peer.Addr()
	if !s.rconOn() {
		s.drop(DropRconOff)
		return
	}
	req, err := wire.ParseRcon(b)
	if err != nil {
		s.drop(DropRconMalformed)
		return
	}
	if !s.cookies.Valid(&rconChallenges, now, a, 0, req.Challenge) {
		s.drop(DropRconChallenge)
		s.sendRefusal(now, peer, b)
		return
	}
	if _, banned := s.cfg.Bans.Find(a); banned {
		s.drop(DropRconBanned)
		if key := limit.Person(a); !s.rcon.notified.Has(now, key) {
			s.rcon.notified.Add(now, key)
			s.sendBanNotice(peer)
		}
		return
	}
	s.proven.Add(now, limit.Person(a))
	trusted := a.IsLoopback() || containsAddr(s.rcon.settings.UnbannableNets, a) || s.rcon.isAdmin(limit.Person(a))
	listed := containsAddr(s.rcon.settings.AllowedNets, a)
	known := trusted || listed
	if !trusted && !s.guesses.Has(now, limit.Site(a), 1) || !known && !s.strangersGuesses.Allow(now, a, true) ||
		known && !s.operatorsGuesses.Has(now, limit.Site(a), 1) {
		s.drop(DropRconGuesses)
		return
	}
	which := s.rcon.findPassword(req.Password)
	allowed := len(s.rcon.settings.AllowedNets) == 0 || listed
	if which < 0 || !allowed {
		s.stats.RconWrong++
		s.guesses.Take(now, limit.Site(a), 1)
		if known {
			s.operatorsGuesses.Take(now, limit.Site(a), 1)
		} else {
			s.strangersGuesses.Wrong(now, a, true)
		}
		s.handleWrongPassword(now, peer, allowed, trusted)
		return
	}
	if len(b) > wire.MaxRcon {
		s.drop(DropRconMalformed)
		s.send(peer, wire.AppendPrint(s.scratch[:0], fmt.Sprintf(textTooLong, len(b), wire.MaxRcon)))
	} else {
		s.stats.RconRan++
		s.runCommand(peer, s.rcon.settings.Passwords[which].Level, req.Command)
	}
	s.rcon.failures.Forget(limit.Person(a))
	s.rcon.addAdmin(limit.Person(a))
}

// sendRefusal tells the peer that it needs a challenge, with the longest text that the size of the
// request allows.
func (s *Server) sendRefusal(now int64, peer transport.Peer, req []byte) {
	for _, text := range [...]string{textNoChallenge, textBadChallenge} {
		reply := wire.AppendRefused(s.scratch[:0], text)
		if isSmallReply(len(req), len(reply)) {
			if s.takeRcon(now, peer.Addr()) {
				s.send(peer, reply)
			}
			return
		}
	}
}

// sendBanNotice tells a peer that it is banned. The message ends with one NUL, as in the engine.
func (s *Server) sendBanNotice(peer transport.Peer) {
	notice := wire.AppendPrint(s.scratch[:0], textBanned)
	s.send(peer, notice[:len(notice)-1])
}

// handleWrongPassword counts a wrong password and bans the address after too many.
func (s *Server) handleWrongPassword(now int64, peer transport.Peer, allowed, trusted bool) {
	r, person := &s.rcon, limit.Person(peer.Addr())
	n := r.failures.Add(now, person)
	if !trusted && r.settings.MaxFailures > 0 && n >= r.settings.MaxFailures && s.autoBan(person) == nil {
		s.reportEvent(RconEvent{Peer: peer, Result: RconBanned, Count: r.failures.Report(now, person, 0)})
		r.failures.Forget(person)
		r.notified.Add(now, person)
		s.sendBanNotice(peer)
		return
	}
	if times := r.failures.Report(now, person, eventInterval); times > 0 {
		verdict := RconWrongPassword
		if !allowed {
			verdict = RconNotAllowed
		}
		s.reportEvent(RconEvent{Peer: peer, Result: verdict, Count: times})
	}
	s.send(peer, wire.AppendPrint(s.scratch[:0], textBadPassword))
}

// autoBan bans an address (IPv6: /64) for wrong passwords.
func (s *Server) autoBan(person netip.Prefix) error {
	duration := max(s.rcon.settings.BanTime, 0)
	return s.cfg.Bans.Add(bans.Ban{
		Net: person, Duration: duration, Temporary: duration > 0,
		Reason: autoBanReason, RconOnly: !s.rcon.settings.BanFromGame,
	})
}

func (s *Server) reportEvent(e RconEvent) {
	if s.cfg.OnRcon != nil {
		s.cfg.OnRcon(e)
	}
}

func (r *rconState) isAdmin(person netip.Prefix) bool {
	return slices.Contains(r.recentAdmins[:], person)
}

func (r *rconState) addAdmin(person netip.Prefix) {
	if r.isAdmin(person) {
		return
	}
	copy(r.recentAdmins[1:], r.recentAdmins[:])
	r.recentAdmins[0] = person
}

// runCommand runs a command and sends its output. It sends at least one print message, since client
// programs wait for one.
func (s *Server) runCommand(peer transport.Peer, level int, command []byte) {
	out := outputPrinter{send: func(b []byte) { s.send(peer, b) }}
	if len(command) == 0 {
		out.finish()
		return
	}
	s.reportEvent(RconEvent{Peer: peer, Result: RconRan, Command: commandName(command), Level: level, Count: 1})
	s.cfg.Console.RunRcon(peer, level, string(command), out.print, out.finish)
}

// commandName returns the first word of a line, with other bytes than printable ASCII replaced.
func commandName(line []byte) string {
	const spaces = " \t\r"
	word := bytes.TrimLeft(line, spaces)
	if end := bytes.IndexAny(word, spaces); end >= 0 {
		word = word[:end]
	}
	name := make([]byte, 0, maxCommandName)
	for _, c := range word {
		if len(name) == maxCommandName {
			break
		}
		if c <= ' ' || c > '~' || c == '"' {
			c = '?'
		}
		name = append(name, c)
	}
	return string(name)
}

// outputPrinter packs output into print messages of at most wire.MaxPrint bytes. A message ends at
// the end of a line or, within a longer line, at the end of a character.
type outputPrinter struct {
	send      func(b []byte)
	text      []byte // of the current message
	datagram  []byte
	total     int
	sent      bool
	truncated bool
}

func (p *outputPrinter) print(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if p.truncated {
			return
		}
		if p.total += len(line) + 1; p.total > maxOutput {
			p.writeLine(textOutputTruncated[:len(textOutputTruncated)-1])
			p.truncated = true
			return
		}
		p.writeLine(line)
	}
}

// writeLine appends a line after making it safe to show in a terminal.
func (p *outputPrinter) writeLine(line string) {
	line = safetext.Lines(line)
	if p.spaceLeft() < min(len(line)+1, wire.MaxPrint) {
		p.flush()
	}
	for len(line) > 0 {
		part := safetext.Truncate(line, p.spaceLeft())
		p.text, line = append(p.text, part...), line[len(part):]
		if line != "" {
			p.flush()
		}
	}
	if p.spaceLeft() < 1 {
		p.flush()
	}
	p.text = append(p.text, '\n')
}

// spaceLeft returns how many bytes of text still fit into the message.
func (p *outputPrinter) spaceLeft() int { return wire.MaxPrint - len(p.text) }

// flush sends the message unless it is empty.
func (p *outputPrinter) flush() {
	if len(p.text) > 0 {
		p.sendMessage()
	}
}

func (p *outputPrinter) sendMessage() {
	p.datagram = wire.AppendPrint(p.datagram[:0], string(p.text))
	p.send(p.datagram)
	p.text, p.sent = p.text[:0], true
}

// finish sends the rest of the output, or an empty print message if there was none.
func (p *outputPrinter) finish() {
	p.flush()
	if !p.sent {
		p.sendMessage()
	}
}
