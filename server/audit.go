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
	// decided) or vote_passed (the players decided).
	Event string `json:"event"`
	// Via is game (the remote console of a player), econ, halflife or vote.
	Via string `json:"via"`
	// Level is admin or moderator.
	Level string `json:"level,omitempty"`
	// Client is the client id of a player or the number of an econ connection.
	Client *int `json:"client,omitempty"`
	// Name is the name of the player, which anybody can choose.
	Name    string `json:"name,omitempty"`
	Addr    string `json:"addr,omitempty"`
	Command string `json:"command,omitempty"` // without passwords
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

// audit is [Server.audit] for an operator who is a player.
func (c *session) audit(event, via, command string) {
	if c.server.auditLog.queue == nil {
		return
	}
	id := int(c.id)
	c.server.audit(auditEntry{
		Event: event, Via: via, Level: levelName(c.rcon.level), Client: &id,
		Name: safetext.Line(c.server.playerName(game.PlayerID(id))), Addr: c.peer.String(), Command: command,
	})
}

// auditVote is audit for a vote that has passed, with the player who called it.
func (s *Server) auditVote(caller game.PlayerID, command string) {
	id := int(caller)
	e := auditEntry{Event: "vote_passed", Via: "vote", Client: &id, Name: safetext.Line(s.playerName(caller)), Command: command}
	if c := s.sessions[caller]; c != nil {
		e.Addr = c.peer.String()
	}
	s.audit(e)
}

// auditEcon is audit for a client of the external console.
func (h *econHost) auditEcon(event string, client int, command string) {
	e := auditEntry{Event: event, Via: "econ", Level: levelName(console.LevelAdmin), Client: &client, Command: command}
	if addr := h.console.Addr(client); addr.IsValid() {
		e.Addr = addr.String()
	}
	h.audit(e)
}

// levelName returns the level of an operator in words.
func levelName(l console.Level) string {
	if l == console.LevelAdmin {
		return "admin"
	}
	return "moderator"
}

// openAuditLog opens the file of the setting sv_audit_log.
func (s *Server) openAuditLog() {
	newHandler := func(w io.Writer) slog.Handler { return logline.NewJSON(w, slog.LevelDebug) }
	s.openLog(&s.auditLog, s.settings.AuditLog, s.settings.AuditLog, newHandler, func() {})
}

// setAuditLog handles a change of sv_audit_log while the server runs. Nobody who uses the
// server can turn the log off; setting the same value opens the file again.
func (s *Server) setAuditLog(call *console.Call) {
	if s.settings.AuditLog != s.auditLog.from {
		s.settings.AuditLog = s.auditLog.from
		call.Warn("server", "sv_audit_log can be changed only where the server is started")
		return
	}
	s.openAuditLog()
}
