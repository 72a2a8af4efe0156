// Package logs writes the logs of a server: the lines for its operators, also into the file that
// the variable logfile names, and the audit log, which has an entry for each action of an operator.
// The server's loop does not wait for the files. Only its goroutine may call the functions.
package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/logline"
)

// Config is the configuration of [Logs].
type Config struct {
	// Log receives the lines, besides the file.
	Log *slog.Logger
	// Dialect is the dialect of Log. The variable log_dialect changes it.
	Dialect *logline.DialectVar
	// OpenFile opens a file for appending; nil disables the files. It may take long.
	OpenFile func(name string) (io.WriteCloser, error)
	// DDNet puts the file that the configuration names where DDNet-Server has it: not into dumps.
	DDNet bool
	// Copy receives the entries of the audit log, and those of [Logs.Note], as JSON; nil disables
	// it.
	Copy func(entry []byte)
	// Background runs a function beside the loop.
	Background func(f func())
	// Print prints a line about the logs for operators. Log is called for it.
	Print func(level int, system, line string)
	// Do runs f on the goroutine of the loop. The error means that the loop has ended. Any
	// goroutine may call Do.
	Do func(f func()) error
}

// Logs are the logs of a server.
type Logs struct {
	Settings Settings

	cfg     Config
	console *console.Console
	dialect logline.Dialect
	lines   file // of logfile
	// first is logfile as the operator of the machine set it. Operators who set it later may not
	// name files beside dumps.
	first    string
	audit    file
	operator Entry
}

// New returns logs without files; see [Logs.Register] and [Logs.Open].
func New(cfg Config) *Logs {
	l := &Logs{cfg: cfg}
	l.lines.newHandler = func(w io.Writer) slog.Handler { return logline.NewDialect(w, slog.LevelDebug, cfg.Dialect) }
	l.audit.newHandler = func(w io.Writer) slog.Handler { return logline.NewJSON(w, slog.LevelDebug) }
	return l
}

// Level returns the level of package slog for a level of the console.
func Level(level int) slog.Level {
	switch {
	case level < console.Standard:
		return slog.LevelWarn
	case level < console.Debug:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// Log writes a line, with the part of the server that it is from as [logline.SystemKey].
func (l *Logs) Log(level int, system, line string) {
	attr := slog.String(logline.SystemKey, system)
	l.cfg.Log.LogAttrs(context.Background(), Level(level), line, attr)
	if l.lines.log != nil {
		l.lines.log.LogAttrs(context.Background(), Level(level), line, attr)
	}
}

// Enabled reports whether the remote console, the file or the program's log receive lines of a
// level.
func (l *Logs) Enabled(level int) bool {
	return level <= l.Settings.OutputLevel || l.lines.log != nil || l.cfg.Log.Enabled(context.Background(), Level(level))
}

// Dialect returns the dialect of the lines.
func (l *Logs) Dialect() logline.Dialect { return l.dialect }

// InDDNet returns the formatted text if the lines are in the dialect of DDNet, and "" otherwise.
func (l *Logs) InDDNet(format string, args ...any) string {
	if l.dialect != logline.DDNet {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Open opens the files that the configuration names. Until the console has started, it waits for
// the disk.
func (l *Logs) Open() {
	l.first = l.Settings.File
	l.openLines()
	l.openAudit()
}

// Reopen opens the files again, for example after logrotate has moved them. It also opens files
// that could not be opened before.
func (l *Logs) Reopen() {
	if l.Settings.File != "" {
		l.openLines()
	}
	if l.Settings.Audit != "" {
		l.openAudit()
	}
}

// auditRetryInterval is the time between two tries to open the audit log, in ticks.
const auditRetryInterval = 2 * game.TickRate

// Update opens the audit log if that failed before: a disk may have room again. tick is the tick of
// the match.
func (l *Logs) Update(tick int32) {
	f := &l.audit
	if f.trouble.Why() == "" || f.queue != nil || len(f.opening) > 0 || l.Settings.Audit == "" || tick%auditRetryInterval != 0 {
		return
	}
	f.retrying = true
	l.openAudit()
	f.retrying = false
}

// Close ends the logs. It waits up to a second for each file.
func (l *Logs) Close() {
	l.lines.close(later.Now)
	l.audit.close(later.Now)
}

// Problem returns a sentence about an audit log that could not be opened, "" if there is none.
func (l *Logs) Problem() string {
	f := &l.audit
	if f.queue != nil || f.trouble.Why() == "" {
		return ""
	}
	return fmt.Sprintf("sv_audit_log '%s' could not be opened, so the actions of operators are not logged: %s", f.tried, f.trouble.Why())
}

// fileName returns the file that the variables name. As in the original, it is in dumps. In the
// configuration it may also be where DDNet-Server has it.
func (l *Logs) fileName() (string, error) {
	v := &l.Settings
	if v.File == "" {
		return "", nil
	}
	name := v.File
	if v.FileTimestamp != 0 {
		name += time.Now().Format("2006-01-02_15-04-05")
	}
	if filepath.IsAbs(v.File) {
		return name, nil
	}
	if l.cfg.DDNet && v.File == l.first {
		return console.CleanPath(name)
	}
	name, err := console.CleanPath("dumps/" + name + ".txt")
	if err == nil && !strings.HasPrefix(name, "dumps/") {
		err = errOutside
	}
	return name, err
}

// openLines opens the file of the variable logfile.
func (l *Logs) openLines() {
	name, err := l.fileName()
	if err == nil && l.console.Started() && filepath.IsAbs(name) && l.Settings.File != l.lines.from {
		err = errAbsolute
	}
	if err != nil {
		refused := l.Settings.File
		l.Settings.File = l.lines.from
		l.cfg.Print(console.Warning, "engine/logfile", fmt.Sprintf("failed to open '%s' for logging: %v", refused, err))
		return
	}
	l.open(&l.lines, name, l.Settings.File)
}

// openAudit opens the file of the variable sv_audit_log.
func (l *Logs) openAudit() { l.open(&l.audit, l.Settings.Audit, l.Settings.Audit) }
