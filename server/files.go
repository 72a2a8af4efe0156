package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// diskTimeout is how long a command of an operator waits for the disk: a tick. That is
// enough for a healthy one, and what comes later is in the log.
const diskTimeout = tickDuration

var (
	errNoFolder = errors.New("there is no folder to write to")
	errWriting  = errors.New("another file is still being written")
	// errStuckDisk is returned for a file to read.
	errStuckDisk = errors.New("the disk does not answer")
)

// writeFile replaces a file of the operator, in another goroutine.
func (s *Server) writeFile(name string, content []byte) error {
	if s.cfg.WriteFile == nil {
		return errNoFolder
	}
	select {
	case s.writing <- struct{}{}:
	default:
		return errWriting
	}
	done := make(chan error, 1)
	go func() {
		err := s.cfg.WriteFile(name, content)
		<-s.writing
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(diskTimeout):
	}
	go func() {
		level, text := console.Standard, name+": written"
		if err := <-done; err != nil {
			level, text = console.Warning, fmt.Sprintf("%s: not written: %v", name, err)
		}
		if s.Do(context.Background(), func() { s.print(level, "server", text) }) != nil {
			s.log(level, "server", safetext.Line(text)) // the server has shut down
		}
	}()
	return console.ErrLater
}

// maxExecReads is how many files to execute are read at once, of which all but one hang.
const maxExecReads = 4

// readConfig reads a file that the console executes, in another goroutine while the game
// runs. A disk that did not answer in time is not waited for again within diskPause.
func (s *Server) readConfig(name string, late func(content []byte, err error)) ([]byte, error) {
	if !s.started {
		return console.ReadFile(s.cfg.Files, name)
	}
	select {
	case s.execReads <- struct{}{}:
	default:
		return nil, errStuckDisk
	}
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	s.cfg.Background(func() {
		content, err := console.ReadFile(s.cfg.Files, name)
		<-s.execReads
		done <- result{content, err}
	})
	wait := time.Duration(0)
	if s.now >= s.nextExecWait {
		wait = diskTimeout
	}
	select {
	case r := <-done:
		return r.content, r.err
	default:
	}
	select {
	case r := <-done:
		return r.content, r.err
	case <-time.After(wait):
	}
	if wait > 0 {
		s.nextExecWait = s.now.Add(diskPause)
	}
	go func() {
		r := <-done
		s.Do(context.Background(), func() {
			s.now = conn.Time(s.transport.Now())
			late(r.content, r.err)
		})
	}()
	return nil, console.ErrLater
}

// closeFiles waits until a file is written, up to replayCloseTimeout.
func (s *Server) closeFiles() {
	select {
	case s.writing <- struct{}{}:
		<-s.writing
	case <-time.After(replayCloseTimeout):
		s.print(console.Warning, "server", "the disk does not answer, a file is not written")
	}
}

// diskPause is the time between two commands that wait for bans to be stored, or for a file
// after the disk was slow.
const diskPause = time.Second

// reportUnstored tells the caller of a command if the bans that it changed are not
// stored. While many such commands run, it does not wait for the disk each time.
func (s *Server) reportUnstored(call *console.Call) {
	wait := time.Duration(0)
	if l := &s.bans; s.now >= l.nextWait {
		wait, l.nextWait = diskTimeout, s.now.Add(diskPause)
	}
	if err := s.bans.store.Stored(wait); err != nil {
		s.bans.reported = err.Error()
		call.Warn("net_ban", "%v (in force while this server runs; storing is tried again)", err)
	}
}

// reportLapsedBans prints which bans have ended.
func (s *Server) reportLapsedBans() {
	store, ok := s.bans.store.(interface{ Lapsed() []bans.Ban })
	if !ok {
		return
	}
	for _, b := range store.Lapsed() {
		if !b.Temporary || s.mayLogStranger(s.now) {
			s.print(console.Standard, "net_ban", fmt.Sprintf("ban %s expired", quoteTarget(&b)))
		}
	}
}

// reportBanStorage prints when bans cannot be stored, and when they can again.
func (s *Server) reportBanStorage() {
	text := ""
	if err := s.bans.store.Stored(0); err != nil {
		text = err.Error()
	}
	if text == s.bans.reported {
		return
	}
	s.bans.reported = text
	if text == "" {
		s.print(console.Standard, "net_ban", "all bans are stored again")
		return
	}
	s.print(console.Warning, "net_ban", text+" (in force while this server runs; storing is tried again)")
}
