package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// diskTimeout is how long a command of an operator waits for the disk: a tick. That is
// enough for a healthy one, and what comes later is in the log.
const diskTimeout = tickDuration

var (
	errNoFolder = errors.New("there is no folder to write to")
	errSlowDisk = errors.New("the disk is slow; the log will say when it is done")
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
	return errSlowDisk
}

// execTimeout is how long the game waits for a file to execute. A slow disk may need some of
// it, and nobody loses the connection.
const execTimeout = time.Second / 2

// configFiles are the files that the console executes. While the game runs, it does not
// wait for a disk that is stuck.
type configFiles struct{ *Server }

// Open implements fs.FS. The file has at most one byte more than the console reads.
func (s configFiles) Open(name string) (fs.File, error) {
	if !s.started {
		return s.cfg.Files.Open(name)
	}
	var content []byte
	done := make(chan error, 1)
	go func() {
		f, err := s.cfg.Files.Open(name)
		if err == nil {
			content, err = io.ReadAll(io.LimitReader(f, console.MaxFile+1))
			f.Close()
		}
		done <- err
	}()
	select {
	case err := <-done:
		return contentFile{bytes.NewReader(content)}, err
	case <-time.After(execTimeout):
		return nil, errStuckDisk
	}
}

// contentFile is a file that has been read.
type contentFile struct{ *bytes.Reader }

func (contentFile) Close() error               { return nil }
func (contentFile) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

// closeFiles waits until a file is written, up to replayCloseTimeout.
func (s *Server) closeFiles() {
	select {
	case s.writing <- struct{}{}:
		<-s.writing
	case <-time.After(replayCloseTimeout):
		s.print(console.Warning, "server", "the disk does not answer, a file is not written")
	}
}

// banDiskInterval is the time between two commands that wait for bans to be stored.
const banDiskInterval = time.Second

// reportUnstored tells the caller of a command if the bans that it changed are not
// stored. While many such commands run, it does not wait for the disk each time.
func (s *Server) reportUnstored(call *console.Call) {
	wait := time.Duration(0)
	if l := &s.bans; s.now >= l.nextWait {
		wait, l.nextWait = diskTimeout, s.now.Add(banDiskInterval)
	}
	if err := s.bans.store.Stored(wait); err != nil {
		s.bans.reported = err.Error()
		call.Warn("net_ban", "%v (in force while this server runs; storing is tried again)", err)
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
