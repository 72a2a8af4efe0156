package server

import (
	"iter"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/logline"
)

// accessHost is the server behind its access control. It implements access.Host.
type accessHost struct{ s *Server }

// newAccess returns the access control of a server. Bans in memory follow the clock of the
// transport. It began at epoch; set that before the first ban.
func newAccess(s *Server, epoch *time.Time) *access.Control {
	clock := time.Now
	if s.cfg.Bans == nil {
		clock = func() time.Time { return epoch.Add(time.Duration(s.transport.Now())) }
	}
	return access.New(access.Config{
		Host: accessHost{s}, Bans: s.cfg.Bans, Clock: clock, ReplaceFile: s.files.Replace, DDNet: s.cfg.DDNet,
		LogFull: func() { s.countDrop(dropLogLines) },
	})
}

// Now implements access.Host.
func (h accessHost) Now() conn.Time { return h.s.now }

// Clients implements access.Host.
func (h accessHost) Clients() iter.Seq[access.Client] {
	return func(yield func(access.Client) bool) {
		for _, c := range h.s.sessions {
			if c != nil && !yield(c.accessClient()) {
				return
			}
		}
	}
}

// accessClient describes the session to the access control.
func (c *session) accessClient() access.Client {
	return access.Client{
		ID: int(c.id), Addr: c.peer.Addr(), Name: c.server.playerName(c.id),
		Operator: c.rcon.authed, Login: c.rcon.key, Level: c.rcon.level,
	}
}

// Drop implements access.Host.
func (h accessHost) Drop(id int, reason string) { h.s.sessions[id].drop(reason) }

// Logout implements access.Host.
func (h accessHost) Logout(id int, who console.Caller, reason string) {
	h.s.sessions[id].logout(who, reason)
}

// Print implements access.Host.
func (h accessHost) Print(who console.Caller, level int, system, line string) {
	h.s.printFor(who, level, system, line)
}

// NoteBan implements access.Host.
func (h accessHost) NoteBan(b *bans.Ban, lifted bool) {
	e := logs.Entry{Event: "banned", Via: "server", Target: b.Target(), Reason: b.Reason}
	if lifted {
		e.Event, e.Reason = "unbanned", ""
	} else if !b.Until.IsZero() {
		e.Until = &b.Until
	}
	if h.ByVote() {
		e.Via = "vote"
	}
	h.s.logs.Note(e)
}

// ExpectNames implements access.Host.
func (h accessHost) ExpectNames(names bool) {
	for _, c := range h.s.sessions {
		if c != nil && c.state > stateAuth {
			c.bridge.SendRconType(names)
		}
	}
}

// Muted implements access.Host.
func (h accessHost) Muted(line string) {
	if h.s.asDDNet() {
		h.s.sayToAll(line)
	}
}

// ByVote implements access.Host.
func (h accessHost) ByVote() bool {
	_, decides := h.s.votes.Deciding()
	return decides
}

// InDDNet implements access.Host.
func (h accessHost) InDDNet() bool { return h.s.logs.Dialect() == logline.DDNet }
