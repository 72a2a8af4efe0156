package server

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/vote"
	"github.com/teeyard/teeyard/transport"
)

// The methods of this file are for remote consoles that other packages offer, such as web pages.
// Call them through Do while Run runs, unless they say otherwise.

var (
	// ErrLogin is returned by LogIn for a wrong password.
	ErrLogin = errors.New("wrong password")
	// ErrLoginLater is returned by LogIn while other clients try too many passwords. LogIn does not
	// check the password then.
	ErrLoginLater = errors.New("too many wrong passwords, wait a moment")
	// ErrLoginBanned is returned by LogIn for a banned address.
	ErrLoginBanned = errors.New("banned")
	// ErrNoRconPassword is returned by LogIn if no password is set.
	ErrNoRconPassword = errors.New("neither sv_rcon_password nor sv_rcon_mod_password is set")
)

// Operator is a user of the remote console outside of the game.
type Operator struct {
	// Level is the access level.
	Level console.Level
	// Via names the way of access in the audit log, such as "http".
	Via string
	// Name is the name of a program that acts as an operator, "" for a human operator.
	Name string
	// Addr is the operator's address, if there is one.
	Addr netip.AddrPort
	// Local reports whether the operator has proven to be on the server's machine. Such an
	// operator's
	// wrong passwords do not count, and bans do not apply. A loopback Addr alone proves nothing.
	Local bool
}

// entry returns an entry of the audit log about the operator.
func (o *Operator) entry(event, command string) logs.Entry {
	e := logs.Entry{Event: event, Via: o.Via, Level: o.Level.String(), Name: safetext.Line(o.Name), Command: command}
	if o.Addr.IsValid() {
		e.Addr = o.Addr.String()
	}
	return e
}

// String returns the operator in the form of log lines.
func (o *Operator) String() string {
	if !o.Addr.IsValid() {
		if o.Name != "" {
			return fmt.Sprintf("via=%s name=%s", o.Via, logline.Quote(o.Name))
		}
		return "via=" + o.Via
	}
	if o.Name != "" {
		return fmt.Sprintf("addr=%s name=%s", o.Addr, logline.Quote(o.Name))
	}
	return "addr=" + o.Addr.String()
}

// LogIn checks a password for the remote console and sets the operator's level. The limits for
// players' passwords apply: an address with too many wrong passwords is banned, and all attempts
// together are limited. The address must be proven, as the address of a TCP connection is. A
// missing
// or loopback address may belong to a proxy, and is not banned.
func (s *Server) LogIn(o *Operator, password string) error {
	s.now = conn.Time(s.transport.Now())
	a := o.Addr.Addr()
	proven := a.IsValid() && !a.IsLoopback()
	if !proven {
		a = netip.Addr{} // which has no share of its own
	}
	_, level, right := s.access.Logins.Check("", password)
	if b, banned := s.access.Bans.Store.Find(o.Addr.Addr()); banned && !o.Local {
		s.countDrop(dropBanned)
		return fmt.Errorf("%w %s", ErrLoginBanned, s.access.Bans.Terms(&b))
	}
	switch {
	case !s.access.Logins.AnyOfLevel():
		return ErrNoRconPassword
	case !o.Local && !s.access.Guesses.MayTryRcon(s.now, a, proven):
		s.countDrop(dropFlood)
		return ErrLoginLater
	case !right:
		s.noteWrongPassword(logs.Entry{Via: o.Via, Addr: o.Addr.String()}, fmt.Sprintf("addr=%s wrong rcon password", o.Addr))
		if !o.Local {
			s.countWrongRcon(a, proven)
		}
		return ErrLogin
	}
	if !o.Local {
		s.access.Guesses.RightRcon(s.now, a, proven)
	}
	o.Level = level
	s.print(console.Standard, "server", fmt.Sprintf("%s authed (%s)", o, level))
	s.logs.Audit(o.entry("login", ""))
	return nil
}

// Note logs an operator's action outside of the console, also in the audit log: the event logout,
// token_added or token_removed, and its object.
func (s *Server) Note(o *Operator, event, about string) {
	line := fmt.Sprintf("%s %s", o, event)
	if about != "" {
		line += " " + logline.Quote(about)
	}
	s.print(console.Standard, "server", line)
	s.logs.Audit(o.entry(event, about))
}

// RunFor runs a console line for an operator, with the rights of the operator's level. It calls
// print with each line of output, and then done with the first warning among them. The warning is
// ""
// if the line succeeded. RunFor calls done before it returns. If the line has commands for the
// world, it calls done on the server's goroutine after the next tick. Both functions may be nil.
func (s *Server) RunFor(o *Operator, line string, print func(line string), done func(warning string)) {
	s.now = conn.Time(s.transport.Now())
	s.print(console.Info, "server", fmt.Sprintf("%s rcon=%s", o, logline.Quote(s.console.Redact(line))))
	s.run(o.entry("command", line), console.Caller{Level: o.Level, Flags: console.Server, ID: -1, Addr: o.Addr.Addr(), Print: print}, done)
}

// ClientState is how far a client is on its way into the game.
type ClientState string

// The states of clients.
const (
	ClientConnecting ClientState = "connecting"
	ClientInGame     ClientState = "in game"
	// ClientTimedOut clients have lost their connection and may return to their seats.
	ClientTimedOut ClientState = "timed out"
	ClientBot      ClientState = "bot"
)

// Client describes a client or bot to operators.
type Client struct {
	ID    game.PlayerID
	State ClientState
	// Name and Clan contain no control characters.
	Name, Clan string
	Country    int32
	Team       game.Team
	Score      int32
	// Latency is in ms.
	Latency int32
	// Addr and Peer are empty for bots.
	Addr    netip.Addr
	Peer    transport.Peer
	Version string
	// Connected is the time since the client connected.
	Connected time.Duration
	// Operator reports whether the client is logged in to the remote console, with a Level.
	Operator bool
	Level    console.Level
	// Muted is the remaining time without the right to chat.
	Muted time.Duration
}

// Clients appends the clients and bots, by their ids.
func (s *Server) Clients(dst []Client) []Client {
	for i, c := range s.sessions {
		id := game.PlayerID(i)
		bot := s.bots.Has(id)
		if c == nil && !bot {
			continue
		}
		p, _ := s.world.Player(id)
		o := Client{
			ID: id, State: ClientBot, Name: safetext.Line(p.Profile.Name), Clan: safetext.Line(p.Profile.Clan),
			Country: p.Profile.Country, Team: p.Team, Score: p.Score,
		}
		if c != nil {
			o.State = ClientConnecting
			switch {
			case c.isHeld():
				o.State = ClientTimedOut
			case c.state == stateInGame:
				o.State = ClientInGame
			}
			o.Latency, o.Addr, o.Peer, o.Version = c.latency.displayed, c.peer.Addr(), c.peer, c.clientVersionText()
			o.Connected = s.now.Sub(c.connectedAt)
			o.Operator, o.Level = c.rcon.authed, c.rcon.level
			if m := s.access.Mutes.Find(s.now, o.Addr); m != nil {
				o.Muted = m.Until.Sub(s.now)
			}
		}
		dst = append(dst, o)
	}
	return dst
}

// Clients appends the clients and bots; see [Server.Clients].
func (t *Tick) Clients(dst []Client) []Client {
	if t.server == nil {
		return dst
	}
	return t.server.Clients(dst)
}

// Votes returns the options and the vote that runs.
func (s *Server) Votes() vote.State { return s.votes.State(conn.Time(s.transport.Now())) }

// Bans returns the bans of the game, as the command bans lists them. Any goroutine may call it.
func (s *Server) Bans() []bans.Ban { return s.access.Bans.List() }

// MapInfo describes the map of the match.
type MapInfo struct {
	// Name is the name of the map, and GameType the name of the mode.
	Name, GameType string
	// Rotation lists the maps that the server plays in turn. Next is the following map, "" if the
	// map
	// stays.
	Rotation []string
	Next     string
}

// Map returns the map of the match.
func (s *Server) Map() MapInfo {
	return MapInfo{s.maps.Played().Name, s.listing.GameType(), s.maps.Rotation(), s.maps.Next()}
}

// Maps returns a function that reads the names of the maps in sv_maplist for operators at a level.
// Reading may take long, so call the function outside of Do.
func (s *Server) Maps(level console.Level) func() []string { return s.maps.List(level) }
