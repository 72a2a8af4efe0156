package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/logline"
)

// logFile is a file that a setting names, to which lines are appended. The game does not wait
// for it: lines that the disk does not take are dropped and counted.
type logFile struct {
	name     string        // of the file, "" if there is none
	from     string        // the setting that names it, also if the file could not be opened at the start
	tried    string        // the last name that was to be opened
	trouble  later.Trouble // why it could not be
	opens    int           // how often another file was asked for
	file     io.Closer
	queue    *logline.Queue
	retrying bool // nobody asked for the file that is opened now
	// opening are the files that wait for the disk, one for each setting that was asked for.
	opening []*logOpening
}

// logOpening is a file that is being opened.
type logOpening struct {
	setting string
	attempt int // the last that asked for it, of logFile.opens
}

// logCloseTimeout is how long the end of a log may take to be written.
const logCloseTimeout = time.Second

// close ends the file, beside the game.
func (f *logFile) close(background func(func())) {
	if f.queue != nil {
		queue, file := f.queue, f.file
		background(func() {
			queue.Close(logCloseTimeout)
			file.Close()
		})
	}
	*f = logFile{opens: f.opens, opening: f.opening}
}

// isNamed reports whether a file, by its clean name, is the one that is open, or the one that
// is to be.
func (f *logFile) isNamed(name string) bool {
	for _, own := range []string{f.name, f.tried} {
		if own, err := console.CleanPath(own); err == nil && strings.EqualFold(own, name) {
			return true
		}
	}
	return false
}

// openLog replaces a log file by that with a name, which may be the same, or by none.
// newHandler makes the handler for the line about lines that are missing. What goes wrong is
// printed, and lines go to the old file then. A later call counts more than one that is still
// waiting for the disk, and waits with it if it has the same setting.
func (s *Server) openLog(f *logFile, name, setting string, newHandler func(io.Writer) slog.Handler, opened func()) {
	f.opens++
	if name == "" {
		f.close(s.cfg.Background)
		opened()
		return
	}
	f.tried = name
	if !s.started {
		f.from = setting
	}
	for _, o := range f.opening {
		if o.setting == setting {
			o.attempt = f.opens
			s.print(console.Warning, "engine/logfile", fmt.Sprintf("still waiting for the disk to open '%s'", setting))
			return
		}
	}
	o, retrying := &logOpening{setting, f.opens}, f.retrying
	finish := func(file io.WriteCloser, err error) {
		f.opening = slices.DeleteFunc(f.opening, func(other *logOpening) bool { return other == o })
		if o.attempt != f.opens {
			if err == nil {
				s.cfg.Background(func() { file.Close() })
			}
			return
		}
		if news := f.trouble.NoteError(err); err != nil {
			if retrying && !news {
				return
			}
			s.print(console.Warning, "engine/logfile", fmt.Sprintf("failed to open '%s' for logging: %v", name, err))
			return
		}
		f.close(s.cfg.Background)
		*f = logFile{
			name: name, from: setting, tried: name, opens: f.opens, opening: f.opening,
			file: file, queue: logline.NewQueue(file, newHandler),
		}
		if retrying {
			s.print(console.Standard, "engine/logfile", fmt.Sprintf("opened '%s'", name))
		}
		opened()
	}
	if s.cfg.OpenLog == nil {
		finish(nil, errNoFolder)
		return
	}
	type openedLog struct {
		file io.WriteCloser
		err  error
	}
	var open later.Job[openedLog]
	open.Start(s.cfg.Background, func() openedLog {
		file, err := s.cfg.OpenLog(name)
		return openedLog{file, err}
	})
	wait := diskTimeout
	if !s.started { // nobody plays yet
		wait = later.Forever
	}
	if l, done := open.Wait(wait); done {
		finish(l.file, l.err)
		return
	}
	f.opening = append(f.opening, o)
	open.Then(func(l openedLog) {
		if s.Do(context.Background(), func() { finish(l.file, l.err) }) != nil && l.err == nil {
			l.file.Close() // the server has shut down
		}
	})
}

// logFileName returns the file that the settings logfile and logfile_timestamp name, where the original has
// it: in dumps, or where DDNet-Server has it, if it is named at the start.
func (s *Server) logFileName() (string, error) {
	v := &s.settings
	if v.LogFile == "" {
		return "", nil
	}
	name := v.LogFile
	if v.LogFileTimestamp != 0 {
		name += time.Now().Format("2006-01-02_15-04-05")
	}
	if filepath.IsAbs(v.LogFile) {
		return name, nil
	}
	if s.cfg.DDNet && v.LogFile == s.firstLogFile {
		return console.CleanPath(name)
	}
	name, err := console.CleanPath("dumps/" + name + ".txt")
	if err == nil && !strings.HasPrefix(name, "dumps/") {
		err = errOutside
	}
	return name, err
}

var errOutside = errors.New("the file is outside the folder dumps")

// errAbsolute is returned for files outside of the server's folder, which only the operator of
// the machine may name.
var errAbsolute = errors.New("files outside the server's folder can be set only in the configuration, before the server starts")

// openLogFile opens the file of the setting logfile.
func (s *Server) openLogFile() {
	if !s.started {
		s.firstLogFile = s.settings.LogFile
	}
	name, err := s.logFileName()
	if err == nil && s.started && filepath.IsAbs(name) && s.settings.LogFile != s.logFile.from {
		err = errAbsolute
	}
	if err != nil {
		refused := s.settings.LogFile
		s.settings.LogFile = s.logFile.from
		s.print(console.Warning, "engine/logfile", fmt.Sprintf("failed to open '%s' for logging: %v", refused, err))
		return
	}
	newHandler := func(w io.Writer) slog.Handler { return logline.NewDialect(w, slog.LevelDebug, s.cfg.Dialect) }
	s.openLog(&s.logFile, name, s.settings.LogFile, newHandler, func() {
		s.fileLog = nil
		if s.logFile.queue != nil {
			s.fileLog = slog.New(newHandler(s.logFile.queue))
		}
	})
}

// ReopenLogs reopens the files of logfile and sv_audit_log, for example after logrotate has moved
// them. It also opens files that could not be opened before.
func (s *Server) ReopenLogs() {
	if s.settings.LogFile != "" {
		s.openLogFile()
	}
	if s.settings.AuditLog != "" {
		s.openAuditLog()
	}
}

// closeLogs ends the log files.
func (s *Server) closeLogs() {
	s.fileLog = nil
	s.logFile.close(later.Now)
	s.auditLog.close(later.Now)
}
