package halflife

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"hash"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

// Console runs commands that come by rcon.
type Console interface {
	// RunRcon runs a line with the rights of a level, see RconPassword. It gives
	// what that prints to print, in order, before it returns; a line feed is added
	// to texts that do not end with one.
	RunRcon(peer transport.Peer, level int, line string, print func(text string))
}

// RconPassword gives rights at the console.
type RconPassword struct {
	// Password is what has to be known. It crosses the network in the clear: do
	// not use one that opens anything else.
	Password string
	// Level is passed on to the Console, which knows what it means.
	Level int
}

// RconSettings say who may do what by rcon, and what happens to those who guess.
type RconSettings struct {
	// Passwords open the console. Without any, rcon is off.
	Passwords []RconPassword
	// Allow lists who may log in; empty means everybody.
	Allow []netip.Prefix
	// Failures is how many wrong passwords within FailureTime lead to a ban: 1 to
	// 20, 0 means 5, negative never.
	Failures int
	// FailureTime is the time that failures count together; 0 means 30 s.
	FailureTime time.Duration
	// BanTime is how long that ban lasts; 0 means 15 minutes, negative for ever.
	BanTime time.Duration
	// BanFromGame makes it a ban from the game and not only from rcon.
	BanFromGame bool
	// Exempt lists networks that are never banned by themselves, as loopback is.
	Exempt []netip.Prefix
}

// RconVerdict is what became of an rcon request.
type RconVerdict uint8

// The verdicts.
const (
	// RconRan is a command that ran.
	RconRan RconVerdict = iota + 1
	// RconWrong is a wrong password.
	RconWrong
	// RconNotAllowed is an address that Allow does not list.
	RconNotAllowed
	// RconBanned is an address that was banned just now, for wrong passwords.
	RconBanned
)

// String returns the verdict for logs.
func (v RconVerdict) String() string {
	switch v {
	case RconRan:
		return "ran"
	case RconWrong:
		return "wrong password"
	case RconNotAllowed:
		return "not allowed"
	case RconBanned:
		return "banned"
	}
	return "none"
}

// RconEvent is for the log. There is no way to get a password from it, or a line
// of its own into the log.
type RconEvent struct {
	// Peer is who asked, with a challenge that was sent there.
	Peer transport.Peer
	// Verdict is what became of it.
	Verdict RconVerdict
	// Command is the name of the command, without arguments and of printable
	// ASCII; empty unless the password was right.
	Command string
	// Level is that of the password; RconRan.
	Level int
	// Times is how many such requests of the address the event stands for.
	Times int
}

const (
	maxFailed      = 4096             // addresses with failures that are kept
	mostFailures   = 20               // that lead to a ban
	quiet          = time.Minute      // between two events for an address
	noticeSpan     = 30 * time.Second // between two notices to a banned address
	maxOutput      = 256 << 10        // bytes a command may print
	lastAdmins     = 4
	banReason      = "Too many wrong rcon passwords"
	textCutOutput  = "(there was more, which was left out)\n"
	maxCommandName = 32
)

// rcon is the state of the remote console.
type rcon struct {
	set       RconSettings
	mac       hash.Hash
	passwords [][sha256.Size]byte
	sum       [sha256.Size]byte

	failures *limit.Failures
	noticed  *limit.RecentSet
	// admins are the addresses that logged in last: they may mistype.
	admins [lastAdmins]netip.Addr
	buf    []byte
}

func (r *rcon) init() {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	r.mac = hmac.New(sha256.New, key)
	r.failures = limit.NewFailures(maxFailed, 0)
	r.noticed = limit.NewRecentSet(limitSize, noticeSpan)
}

// configure checks and takes settings.
func (r *rcon) configure(set RconSettings) error {
	if set.Failures > mostFailures {
		return fmt.Errorf("%w: %d wrong passwords, the most are %d", ErrConfig, set.Failures, mostFailures)
	}
	set.Failures = orElse(set.Failures, 5)
	set.FailureTime = orElse(set.FailureTime, 30*time.Second)
	set.BanTime = orElse(set.BanTime, 15*time.Minute)
	var sums [][sha256.Size]byte
	for _, p := range set.Passwords {
		if err := CheckPassword(p.Password); err != nil {
			return err
		}
		sums = append(sums, r.digest([]byte(p.Password)))
	}
	r.set, r.passwords = set, sums
	r.failures.Window = set.FailureTime
	return nil
}

func (r *rcon) digest(password []byte) [sha256.Size]byte {
	r.mac.Reset()
	r.mac.Write(password)
	r.mac.Sum(r.sum[:0])
	return r.sum
}

// check returns the number of the password, the first if there are two the same
// and -1 if it is none, in a time that does
// not depend on how much of it is right.
func (r *rcon) check(password []byte) int {
	given, found := r.digest(password), -1
	for i := len(r.passwords) - 1; i >= 0; i-- {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(given[:], r.passwords[i][:]), i, found)
	}
	return found
}

// onRconChallenge gives an address the challenge for rcon.
func (s *Server) onRconChallenge(now int64, peer transport.Peer, req []byte) {
	if !s.rconOn() {
		s.drop(DropRconOff)
		return
	}
	a := peer.Addr()
	reply := AppendRconChallenge(s.small[:0], s.cookies.Issue(&rconChallenges, now, a, 0))
	if small(len(req), len(reply)) {
		s.send(peer, reply)
		return
	}
	known := s.isProven(now, a)
	switch {
	case !known && !s.legacy(a) && !contains(s.rcon.set.Allow, a):
		s.drop(DropLegacy)
	case !a.IsLoopback() && !s.rconLimit.Take(now, limit.Site(a), 1):
		s.drop(DropRate)
	case !known && !s.afford(now, a, len(reply)):
		s.drop(DropBytes)
	default:
		s.send(peer, reply)
	}
}

func (s *Server) rconOn() bool { return s.cfg.Console != nil && len(s.rcon.passwords) > 0 }

// onRcon takes a command. Nothing counts against an address, and the password is
// not looked at, unless the request has a challenge that was sent there: else
// anybody could get anybody banned.
func (s *Server) onRcon(now int64, peer transport.Peer, b []byte) {
	a := peer.Addr()
	if !s.rconOn() {
		s.drop(DropRconOff)
		return
	}
	req, err := ParseRcon(b)
	if err != nil {
		s.drop(DropRconMalformed)
		return
	}
	if !s.cookies.Valid(&rconChallenges, now, a, 0, req.Challenge) {
		s.drop(DropRconChallenge)
		s.refuse(now, peer, b)
		return
	}
	if _, banned := s.cfg.Bans.Find(a); banned {
		s.drop(DropRconBanned)
		if key := limit.Person(a); !s.rcon.noticed.Has(now, key) {
			s.rcon.noticed.Add(now, key)
			s.notice(peer)
		}
		return
	}
	s.proven.Add(now, limit.Person(a))
	trusted := a.IsLoopback() || contains(s.rcon.set.Exempt, a) || s.rcon.isAdmin(a)
	if !trusted && !s.guesses.Has(now, limit.Site(a), 1) {
		s.drop(DropRconGuesses)
		return
	}
	which := s.rcon.check(req.Password)
	allowed := len(s.rcon.set.Allow) == 0 || contains(s.rcon.set.Allow, a)
	if which < 0 || !allowed {
		s.stats.RconWrong++
		s.guesses.Take(now, limit.Site(a), 1)
		s.wrong(now, peer, allowed, trusted)
		return
	}
	s.stats.RconRan++
	s.run(peer, s.rcon.set.Passwords[which].Level, req.Command)
	s.rcon.failures.Forget(limit.Person(a))
	s.rcon.addAdmin(a)
}

// refuse says that a challenge is needed, in the longest words that fit.
func (s *Server) refuse(now int64, peer transport.Peer, req []byte) {
	for _, text := range [...]string{textNoChallenge, textBadChallenge} {
		reply := AppendRefused(s.small[:0], text)
		if small(len(req), len(reply)) {
			if peer.Addr().IsLoopback() || s.rconLimit.Take(now, limit.Site(peer.Addr()), 1) {
				s.send(peer, reply)
			}
			return
		}
	}
}

// notice tells an address that it is banned, with one NUL as the engine does.
func (s *Server) notice(peer transport.Peer) {
	s.send(peer, append(append(append(s.small[:0], header...), kindPrint), textBanned+"\x00"...))
}

// wrong counts a wrong password, and bans the address that sent too many.
func (s *Server) wrong(now int64, peer transport.Peer, allowed, trusted bool) {
	r, a, person := &s.rcon, peer.Addr(), limit.Person(peer.Addr())
	n := r.failures.Add(now, person)
	if !trusted && r.set.Failures > 0 && n >= r.set.Failures && s.autoBan(a) == nil {
		s.event(RconEvent{Peer: peer, Verdict: RconBanned, Times: r.failures.Report(now, person, 0)})
		r.failures.Forget(person)
		r.noticed.Add(now, person)
		s.notice(peer)
		return
	}
	if times := r.failures.Report(now, person, quiet); times > 0 {
		verdict := RconWrong
		if !allowed {
			verdict = RconNotAllowed
		}
		s.event(RconEvent{Peer: peer, Verdict: verdict, Times: times})
	}
	s.send(peer, AppendPrint(s.small[:0], textBadPassword))
}

// autoBan bans an address for wrong passwords.
func (s *Server) autoBan(a netip.Addr) error {
	b := bans.Ban{Net: netip.PrefixFrom(a, a.BitLen()), Duration: s.rcon.set.BanTime, Reason: banReason, RconOnly: !s.rcon.set.BanFromGame}
	if a.Is6() {
		b.Net = netip.PrefixFrom(a, 64).Masked()
	}
	if b.Duration < 0 {
		b.Duration = 0
	}
	return s.cfg.Bans.Add(b)
}

func (s *Server) event(e RconEvent) {
	if s.cfg.OnRcon != nil {
		s.cfg.OnRcon(e)
	}
}

func (r *rcon) isAdmin(a netip.Addr) bool {
	for _, b := range r.admins {
		if a == b {
			return true
		}
	}
	return false
}

func (r *rcon) addAdmin(a netip.Addr) {
	if r.isAdmin(a) {
		return
	}
	copy(r.admins[1:], r.admins[:])
	r.admins[0] = a
}

// run runs a command and sends what it prints, at least one print: programs wait
// for it.
func (s *Server) run(peer transport.Peer, level int, command []byte) {
	out := printer{send: func(b []byte) { s.send(peer, b) }, buf: s.rcon.buf[:0]}
	if len(command) > 0 {
		s.event(RconEvent{Peer: peer, Verdict: RconRan, Command: commandName(command), Level: level, Times: 1})
		s.cfg.Console.RunRcon(peer, level, string(command), out.print)
	}
	out.end()
	s.rcon.buf = out.buf
}

// commandName is the first word of a line, made harmless for logs.
func commandName(line []byte) string {
	word, _ := firstWord(line)
	name := make([]byte, 0, maxCommandName)
	for _, c := range word {
		if len(name) == maxCommandName {
			break
		}
		if !printable(c) || c == '"' {
			c = '?'
		}
		name = append(name, c)
	}
	return string(name)
}

// printer packs output into prints of at most MaxPrint bytes that end at the end
// of a line, or of a character in longer lines.
type printer struct {
	send  func(b []byte)
	buf   []byte // the datagram under way
	total int
	sent  bool
	over  bool
}

func (p *printer) print(text string) {
	for line := range lines(text) {
		if p.over {
			return
		}
		if p.total += len(line) + 1; p.total > maxOutput {
			p.line(textCutOutput[:len(textCutOutput)-1])
			p.over = true
			return
		}
		p.line(line)
	}
}

// lines yields the lines of a text without their ends.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			end := 0
			for end < len(text) && text[end] != '\n' {
				end++
			}
			if !yield(text[:end]) {
				return
			}
			text = text[min(end+1, len(text)):]
		}
	}
}

// line appends a line, made safe for the terminals of those who read it.
func (p *printer) line(line string) {
	line = safetext.Lines(line)
	if p.room() < min(len(line)+1, MaxPrint) {
		p.flush()
	}
	p.begin()
	for len(line) > 0 {
		part := safetext.Truncate(line, p.room())
		p.buf, line = append(p.buf, part...), line[len(part):]
		if line != "" {
			p.flush()
			p.begin()
		}
	}
	if p.room() < 1 {
		p.flush()
		p.begin()
	}
	p.buf = append(p.buf, '\n')
}

// room is how many bytes of text the print under way has left.
func (p *printer) room() int {
	if len(p.buf) == 0 {
		return MaxPrint
	}
	return MaxPrint - (len(p.buf) - 5)
}

func (p *printer) begin() {
	if len(p.buf) == 0 {
		p.buf = append(append(p.buf, header...), kindPrint)
	}
}

func (p *printer) flush() {
	if len(p.buf) == 0 {
		return
	}
	p.send(append(p.buf, 0, 0))
	p.buf, p.sent = p.buf[:0], true
}

// end sends what is left, and an empty print if there was no output.
func (p *printer) end() {
	p.flush()
	if !p.sent {
		p.begin()
		p.flush()
	}
}
