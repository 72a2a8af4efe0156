package server

import (
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// auditEntry is a line of the audit log: something that an operator did.
type auditEntry struct {
	Time time.Time `json:"time"`
	// Event is login, logout, command, vote_forced (an operator ran what a vote would have
	// decided), vote_passed (the players decided), token_added or token_removed.
	Event string `json:"event"`
	// Via is game (the remote console of a player), econ, halflife, http or vote.
	Via string `json:"via"`
	// Level is admin or moderator.
	Level string `json:"level,omitempty"`
	// Client is the client id of a player or the number of an econ connection.
	Client *int `json:"client,omitempty"`
	// Name is the name of the player, which anybody can choose, or of the token of a program.
	Name    string `json:"name,omitempty"`
	Account string `json:"account,omitempty"` // with which a player has logged in, see auth_add
	Addr    string `json:"addr,omitempty"`
	Command string `json:"command,omitempty"` // without passwords
	// Result is yes or no, how an operator decided a vote that others had called, or failed,
	// if what the players decided failed or changed nothing.
	Result string `json:"result,omitempty"`
}

// audit writes an entry to the audit log.
func (s *Server) audit(e auditEntry) {
	q := s.auditLog.queue
	if q == nil {
		return
	}
	e.Time = time.Now().UTC()
	if e.Command != "" {
		e.Command = safetext.Line(s.console.Redact(e.Command))
	}
	if b, err := json.Marshal(&e); err == nil {
		q.Write(append(b, '\n'))
	}
}

// run writes the line of an operator to the audit log and executes it. done may be nil.
func (s *Server) run(e auditEntry, who console.Caller, done func(warning string)) {
	s.audit(e)
	s.operator = e
	s.lines.execute(e.Command, who, done)
	s.operator = auditEntry{}
}

// noteWrongPassword writes into the log and the audit log that somebody gave a wrong password of
// operators, as far as there is room for what strangers do.
func (s *Server) noteWrongPassword(e auditEntry, line string) {
	if !s.access.Arrivals.MayLog(s.now) {
		return
	}
	if line != "" {
		s.print(console.Standard, "server", line)
	}
	e.Event = "login_failed"
	s.audit(e)
}

// auditEntry returns an entry about an operator who is a player.
func (c *session) auditEntry(event, via, command string) auditEntry {
	id := int(c.id)
	return auditEntry{
		Event: event, Via: via, Level: c.rcon.level.String(), Client: &id,
		Name: safetext.Line(c.server.playerName(c.id)), Account: c.account(), Addr: c.peer.String(), Command: command,
	}
}

// audit is [Server.audit] for an operator who is a player.
func (c *session) audit(event, via, command string) {
	if c.server.auditLog.queue != nil {
		c.server.audit(c.auditEntry(event, via, command))
	}
}

// econEntry returns an entry about a client of the external console.
func (h *econHost) econEntry(event string, client int, command string) auditEntry {
	e := auditEntry{Event: event, Via: "econ", Level: console.LevelAdmin.String(), Client: &client, Command: command}
	if addr := h.console.Addr(client); addr.IsValid() {
		e.Addr = addr.String()
	}
	return e
}

// openAuditLog opens the file of the setting sv_audit_log.
func (s *Server) openAuditLog() {
	newHandler := func(w io.Writer) slog.Handler { return logline.NewJSON(w, slog.LevelDebug) }
	s.openLog(&s.auditLog, s.settings.AuditLog, s.settings.AuditLog, newHandler, func() {})
}

// auditRetryInterval is the time between two tries to open the audit log, in ticks.
const auditRetryInterval = 2 * game.TickRate

// retryAuditLog opens the audit log that could not be opened: a disk may have room again.
func (s *Server) retryAuditLog() {
	l := &s.auditLog
	if l.trouble.Why() == "" || l.queue != nil || len(l.opening) > 0 || s.settings.AuditLog == "" || s.clock.tick%auditRetryInterval != 0 {
		return
	}
	l.retrying = true
	s.openAuditLog()
	l.retrying = false
}

// setAuditLog handles a change of sv_audit_log while the server runs. Nobody who uses the
// server can turn the log off; setting the same value opens the file again.
func (s *Server) setAuditLog(call *console.Call) {
	if s.settings.AuditLog != s.auditLog.from {
		s.settings.AuditLog = s.auditLog.from
		call.Warn("server", "sv_audit_log can be set only in the configuration, before the server starts")
		return
	}
	s.openAuditLog()
}
