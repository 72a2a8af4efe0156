package server

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// The methods of this file are for remote consoles that other packages offer, such as web pages.
// Call them through Do while Run runs, unless they say otherwise.

var (
	// ErrLogin is returned by LogIn for a password that is not right.
	ErrLogin = errors.New("wrong password")
	// ErrLoginLater is returned by LogIn for a password that is not checked: others try too many.
	ErrLoginLater = errors.New("too many people try passwords, wait a moment")
	// ErrLoginBanned is returned by LogIn for addresses that are banned.
	ErrLoginBanned = errors.New("banned")
	// ErrNoRconPassword is returned by LogIn if there is no password that would be right.
	ErrNoRconPassword = errors.New("neither sv_rcon_password nor sv_rcon_mod_password is set")
)

// Operator is somebody who uses the remote console, but not as a player.
type Operator struct {
	// Level is what they may do.
	Level console.Level
	// Via is how they came, as the audit log has it: "http".
	Via string
	// Name is that of the program that they are, "" for people.
	Name string
	// Addr is where they are, as far as is known.
	Addr netip.AddrPort
	// Local reports whether they have proven to be on the server's machine: their wrong passwords
	// do not count, and no ban keeps them out. A loopback Addr alone proves nothing.
	Local bool
}

// entry returns an entry of the audit log about the operator.
func (o *Operator) entry(event, command string) auditEntry {
	return auditEntry{Event: event, Via: o.Via, Level: o.Level.String(), Name: safetext.Line(o.Name), Addr: o.Addr.String(), Command: command}
}

// String returns the operator as lines of the log have it.
func (o *Operator) String() string {
	if o.Name != "" {
		return fmt.Sprintf("addr=%s name=%s", o.Addr, logline.Quote(o.Name))
	}
	return "addr=" + o.Addr.String()
}

// LogIn checks a password for the remote console, and sets the level of the operator that it
// gives. What holds for passwords of players holds here: who gives too many wrong ones is banned,
// and those of everybody together are limited. The address must be proven, as that of a TCP
// connection is; one that is missing, or loopback, may be a proxy's, and is not banned.
func (s *Server) LogIn(o *Operator, password string) error {
	s.now = conn.Time(s.transport.Now())
	a := o.Addr.Addr()
	proven := a.IsValid() && !a.IsLoopback()
	if !proven {
		a = netip.Addr{} // which has no share of its own
	}
	_, level, right := s.rconLevel(password)
	if b, banned := s.bans.store.Find(o.Addr.Addr()); banned && !o.Local {
		s.countDrop(dropBanned)
		return fmt.Errorf("%w %s", ErrLoginBanned, banTerms(b, s.bans.clock()))
	}
	switch {
	case !s.hasRconPassword():
		return ErrNoRconPassword
	case !o.Local && !s.mayTryPassword(s.rconGuesses, a, proven):
		s.countDrop(dropFlood)
		return ErrLoginLater
	case !right:
		s.noteWrongPassword(auditEntry{Via: o.Via, Addr: o.Addr.String()}, fmt.Sprintf("addr=%s wrong rcon password", o.Addr))
		if !o.Local {
			s.countWrongRcon(a, proven)
		}
		return ErrLogin
	}
	if !o.Local {
		s.noteRightRcon(a, proven)
	}
	o.Level = level
	s.print(console.Standard, "server", fmt.Sprintf("%s authed (%s)", o, level))
	s.audit(o.entry("login", ""))
	return nil
}

// Note writes into the log and the audit log what an operator did that is no console line: the
// event logout, token_added or token_removed, and what it is about.
func (s *Server) Note(o *Operator, event, about string) {
	line := fmt.Sprintf("%s %s", o, event)
	if about != "" {
		line += " " + logline.Quote(about)
	}
	s.print(console.Standard, "server", line)
	s.audit(o.entry(event, about))
}

// RunFor runs a console line of an operator, as the remote console of a player with the same
// level does. What it prints also goes to print. In the end done is called with the first
// warning among that, "" if there is none: then the line did what it says. This is before RunFor returns, or, if
// commands run in the world, after the next tick, on the server's goroutine. Both functions may be nil.
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
	// ClientTimedOut clients may come back to their seats.
	ClientTimedOut ClientState = "timed out"
	ClientBot      ClientState = "bot"
)

// Client is a client as operators see it, or a bot.
type Client struct {
	ID    game.PlayerID
	State ClientState
	// Name and Clan are safe to show.
	Name, Clan string
	Country    int32
	Team       game.Team
	Score      int32
	// Latency is in ms.
	Latency int32
	// Addr is empty for bots.
	Addr    netip.Addr
	Version string
	// Connected is for how long they have been here.
	Connected time.Duration
	// Operator reports whether they use the remote console, with a Level.
	Operator bool
	Level    console.Level
	// Muted is for how long they may not write into the chat.
	Muted time.Duration
}

// Clients appends the clients and bots, by their ids.
func (s *Server) Clients(dst []Client) []Client {
	for i, c := range s.sessions {
		id := game.PlayerID(i)
		bot := s.bots.has(id)
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
			o.Latency, o.Addr, o.Version = c.latency.displayed, c.peer.Addr(), c.clientVersionText()
			o.Connected = s.now.Sub(c.connectedAt)
			o.Operator, o.Level = c.rcon.authed, c.rcon.level
			if m := s.muteOf(o.Addr); m != nil {
				o.Muted = m.until.Sub(s.now)
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

// Votes is what players may vote for, and the vote that runs.
type Votes struct {
	Options []VoteOption
	// Running is what the vote that runs is about, "" if none runs.
	Running, Reason string
	// Command is what it decides on.
	Command string
	// Caller called it; game.Nobody is the server.
	Caller game.PlayerID
	// Yes and No are how many voted so far, of Total.
	Yes, No, Total int
	// Left is how long it still runs.
	Left time.Duration
}

// VoteOption is something that players may vote for: the Text that they see, and the console line
// that it stands for.
type VoteOption struct{ Text, Command string }

// Votes returns the options and the vote that runs. Passwords are not in commands.
func (s *Server) Votes() Votes {
	v := Votes{Caller: game.Nobody}
	for _, o := range s.votes.options {
		v.Options = append(v.Options, VoteOption{safetext.Line(o.text), s.console.Redact(o.command)})
	}
	if r := &s.votes.current; r.kind != bridge.VoteNone {
		v.Running, v.Reason, v.Command, v.Caller = safetext.Line(r.subject), safetext.Line(r.reason), s.console.Redact(r.command), r.caller
		if r.kind != bridge.VoteOption && int(r.kind) < len(voteNames) && voteNames[r.kind] != "" {
			v.Running = voteNames[r.kind] + " " + v.Running
		}
		yes, no, total := s.countVotes()
		v.Yes, v.No, v.Total = int(yes), int(no), int(total)
		v.Left = max(r.ends.Sub(conn.Time(s.transport.Now())), 0)
	}
	return v
}

// Bans returns the bans of the game, as the command bans lists them. Any goroutine may call it.
func (s *Server) Bans() []bans.Ban { return s.bans.list() }

// MapInfo says which map is played.
type MapInfo struct {
	// Name is that of the map, GameType that of the mode.
	Name, GameType string
	// Rotation are the maps that are played in turn, and Next the one that follows, "" if the
	// map stays.
	Rotation []string
	Next     string
}

// Map returns which map is played.
func (s *Server) Map() MapInfo {
	return MapInfo{s.gameMap.Name, s.displayedGameType(), slices.Clone(splitNames(s.settings.MapRotation)), s.nextMap()}
}

// Maps returns the names of the maps that sv_maplist offers to those at a level. The function
// that it returns reads them, which may take long: call that outside of Do.
func (s *Server) Maps(level console.Level) func() []string {
	if !s.canListMaps(level) {
		return func() []string { return nil }
	}
	kind := s.settings.MapList
	return func() []string { return s.mapList(kind) }
}
