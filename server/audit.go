package server

import (
	"context"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/files"
	"github.com/teeyard/teeyard/server/internal/logs"
)

// newLogs returns the logs of a server.
func newLogs(s *Server) *logs.Logs {
	return logs.New(logs.Config{
		Log: s.cfg.Log, Dialect: s.cfg.Dialect, OpenFile: s.cfg.OpenLog, DDNet: s.cfg.DDNet, Background: s.cfg.Background, Copy: s.cfg.Audit,
		Print: s.print, Do: s.doLater,
	})
}

// newFiles returns the files of a server's operators.
func newFiles(s *Server) *files.Files {
	return files.New(files.Config{
		Folder: s.cfg.Files, Write: s.cfg.WriteFile, Logs: s.logs, Started: func() bool { return s.started },
		Now: func() conn.Time { return s.now }, Background: s.cfg.Background, Print: s.print, Do: s.doLater,
	})
}

// readConfig reads a file that the console executes.
func (s *Server) readConfig(name string, late func(content []byte, err error)) ([]byte, error) {
	return s.files.Read(name, func(content []byte, err error) {
		s.now = conn.Time(s.transport.Now())
		late(content, err)
	})
}

// doLater is Do without a deadline.
func (s *Server) doLater(f func()) error { return s.Do(context.Background(), f) }

// run writes an operator's line to the audit log and executes it. done may be nil.
func (s *Server) run(e logs.Entry, who console.Caller, done func(warning string)) {
	s.logs.Command(e, func() { s.lines.execute(e.Command, who, done) })
}

// noteWrongPassword logs a wrong password of an operator, if the log has room for lines about
// strangers. With an empty line, only the audit log has it.
func (s *Server) noteWrongPassword(e logs.Entry, line string) {
	if !s.access.Arrivals.MayLog(s.now) {
		return
	}
	if line != "" {
		s.print(console.Standard, "server", line)
	}
	e.Event = "login_failed"
	s.logs.Audit(e)
}

// auditEntry returns an entry about an operator who is a player.
func (c *session) auditEntry(event, via, command string) logs.Entry {
	id := int(c.id)
	return logs.Entry{
		Event: event, Via: via, Level: c.rcon.level.String(), Client: &id,
		Name: safetext.Line(c.server.playerName(c.id)), Account: c.account(), Addr: c.peer.String(), Command: command,
	}
}

// note notes that the client has joined or left, with its address.
func (c *session) note(event, reason string) {
	id := int(c.id)
	c.server.logs.Note(logs.Entry{
		Event: event, Via: "server", Client: &id, Name: safetext.Line(c.server.playerName(c.id)), Account: c.account(), Addr: c.peer.String(),
		Reason: safetext.Line(safetext.Truncate(reason, 128)),
	})
}
