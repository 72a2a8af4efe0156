package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

// diskTimeout is how long a command of an operator waits for the disk: a tick. That is
// enough for a healthy one, and what comes later is in the log.
const diskTimeout = tickDuration

// closeTimeout limits how long the server waits for the disk at its end.
const closeTimeout = 2 * time.Second

var (
	errNoFolder = errors.New("the server has no folder to write to")
	errWriting  = errors.New("other files are still being written")
	errIsLog    = errors.New("the file is open as a log")
	// errStuckDisk is returned for a file to read.
	errStuckDisk = errors.New("the disk does not answer")
)

// maxWrites is how many files may wait to be written, and maxExecReads how many files to execute
// are read at once, of which all but one hang.
const (
	maxWrites    = 4
	maxExecReads = 4
)

// operatorFiles are the files that operators' commands write and read, beside the game.
type operatorFiles struct {
	writes    later.Limit
	lastWrite chan struct{} // closed when the last file is written, nil if there was none
	reads     later.Limit
	nextWait  conn.Time // when the game may wait for a file to read again
}

// writeFile replaces a file of the operator, in another goroutine, after those before it.
func (s *Server) writeFile(name string, content []byte) error {
	return s.replaceFile(name, content, nil)
}

// replaceFile is writeFile for a file that may be replaced only if mayReplace returns nil for the
// old content. The other goroutine calls it.
func (s *Server) replaceFile(name string, content []byte, mayReplace func(old []byte) error) error {
	if s.cfg.WriteFile == nil {
		return errNoFolder
	}
	var logs []io.Closer
	for _, f := range []*logFile{&s.logFile, &s.auditLog} {
		if f.isNamed(name) {
			return errIsLog
		}
		logs = append(logs, f.file)
	}
	files := &s.files
	if !files.writes.Enter() {
		return errWriting
	}
	wait := diskTimeout
	if files.writes.Running() > 1 { // the game waited for another file
		wait = 0
	}
	var writing later.Job[error]
	before, written := files.lastWrite, make(chan struct{})
	files.lastWrite = written
	writing.Start(later.Go, func() error {
		if before != nil {
			<-before
		}
		err := s.checkNoLog(name, logs)
		if err == nil && mayReplace != nil {
			err = s.checkOld(name, mayReplace)
		}
		if err == nil {
			err = s.cfg.WriteFile(name, content)
		}
		files.writes.Leave()
		close(written)
		return err
	})
	if err, done := writing.Wait(wait); done {
		return err
	}
	writing.Then(func(err error) {
		level, text := console.Standard, name+": written"
		if err != nil {
			level, text = console.Warning, fmt.Sprintf("%s: not written: %v", name, err)
		}
		if s.Do(context.Background(), func() { s.print(level, "server", text) }) != nil {
			s.log(level, "server", safetext.Line(text)) // the server has shut down
		}
	})
	return console.ErrLater
}

// checkNoLog returns an error if a file is one of logs under another name.
func (s *Server) checkNoLog(name string, logs []io.Closer) error {
	info, err := fs.Stat(s.cfg.Files, name)
	if err != nil {
		return nil // WriteFile says what is wrong
	}
	for _, l := range logs {
		if f, ok := l.(interface{ Stat() (fs.FileInfo, error) }); ok {
			if open, err := f.Stat(); err == nil && os.SameFile(info, open) {
				return errIsLog
			}
		}
	}
	return nil
}

// checkOld returns an error if a file exists and mayReplace returns one for its content.
func (s *Server) checkOld(name string, mayReplace func(old []byte) error) error {
	content, err := console.ReadFile(s.cfg.Files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = mayReplace(content)
	}
	return err
}

// readConfig reads a file that the console executes, in another goroutine while the game
// runs, after what commands before wrote. A disk that did not answer in time is not waited for again within diskPause.
func (s *Server) readConfig(name string, late func(content []byte, err error)) ([]byte, error) {
	if !s.started {
		return console.ReadFile(s.cfg.Files, name)
	}
	files := &s.files
	if !files.reads.Enter() {
		return nil, errStuckDisk
	}
	type result struct {
		content []byte
		err     error
	}
	var reading later.Job[result]
	before := files.lastWrite
	reading.Start(s.cfg.Background, func() result {
		if before != nil {
			<-before // it may be the file that is to be read
		}
		content, err := console.ReadFile(s.cfg.Files, name)
		files.reads.Leave()
		return result{content, err}
	})
	wait := time.Duration(0)
	if s.now >= files.nextWait {
		wait = diskTimeout
	}
	if r, done := reading.Wait(wait); done {
		return r.content, r.err
	}
	if wait > 0 {
		files.nextWait = s.now.Add(diskPause)
	}
	reading.Then(func(r result) {
		s.Do(context.Background(), func() {
			s.now = conn.Time(s.transport.Now())
			late(r.content, r.err)
		})
	})
	return nil, console.ErrLater
}

// closeFiles waits until all files are written, up to closeTimeout.
func (s *Server) closeFiles() {
	if s.files.lastWrite == nil {
		return
	}
	select {
	case <-s.files.lastWrite:
	case <-time.After(closeTimeout):
		s.print(console.Warning, "server", "the disk does not answer; files are not written")
	}
}

// diskPause is the time between two commands that wait for a file after the disk was slow.
const diskPause = time.Second
