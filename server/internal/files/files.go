// Package files reads and writes the files of operators' commands, such as exec and save_config,
// beside the server's loop. The loop waits for the disk at most a tick. Only its goroutine may call
// the functions.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/internal/logs"
)

const (
	// diskTimeout is how long the loop waits for the disk: a tick. A healthy disk answers before
	// that; later results are logged.
	diskTimeout = time.Second / game.TickRate
	// diskPause is the time between two waits for files to read after the disk was slow.
	diskPause = time.Second
	// closeTimeout is how long Close waits for the disk.
	closeTimeout = 2 * time.Second
	// maxWrites is the number of files that may wait to be written.
	maxWrites = 4
	// maxReads is the number of files that are read at once. All but one of them hang.
	maxReads = 4
)

var (
	errNoFolder  = errors.New("the server has no folder to write to")
	errWriting   = errors.New("other files are still being written")
	errIsLog     = errors.New("the file is open as a log")
	errStuckDisk = errors.New("the disk does not answer")
)

// Config is the configuration of [Files]. All fields but Write must be set.
type Config struct {
	// Folder contains the files.
	Folder fs.FS
	// Write creates or replaces a file; nil disables writing. One goroutine at a time calls it.
	Write func(name string, content []byte) error
	// Logs are the logs of the server, whose files cannot be replaced.
	Logs *logs.Logs
	// Started reports whether the game runs. Before that, reading waits for the disk.
	Started func() bool
	// Now returns the time of the loop.
	Now func() conn.Time
	// Background runs a function beside the loop.
	Background func(f func())
	// Print prints a line for operators.
	Print func(level int, system, line string)
	// Do runs f on the goroutine of the loop. The error means that the loop has ended. Any
	// goroutine may call Do.
	Do func(f func()) error
}

// Files are the files of a server's operators.
type Files struct {
	cfg       Config
	writes    later.Limit
	lastWrite chan struct{} // closed when the last file is written, nil if there was none
	reads     later.Limit
	nextWait  conn.Time // for a file to read
}

// New returns the files of a folder.
func New(cfg Config) *Files {
	return &Files{cfg: cfg, writes: later.Limit{Max: maxWrites}, reads: later.Limit{Max: maxReads}}
}

// Write creates or replaces a file, after the files before it. If that takes longer than a tick,
// the error is [console.ErrLater], and a log line reports the result.
func (f *Files) Write(name string, content []byte) error { return f.Replace(name, content, nil) }

// Replace is Write for a file that may be replaced only if mayReplace returns nil for the old
// content. Another goroutine calls mayReplace.
func (f *Files) Replace(name string, content []byte, mayReplace func(old []byte) error) error {
	if f.cfg.Write == nil {
		return errNoFolder
	}
	if f.cfg.Logs.IsNamed(name) {
		return errIsLog
	}
	if !f.writes.Enter() {
		return errWriting
	}
	wait := diskTimeout
	if f.writes.Running() > 1 { // the loop waited for another file
		wait = 0
	}
	var writing later.Job[error]
	isLog := f.cfg.Logs.SameFile()
	before, written := f.lastWrite, make(chan struct{})
	f.lastWrite = written
	writing.Start(later.Go, func() error {
		if before != nil {
			<-before
		}
		err := f.checkOld(name, isLog, mayReplace)
		if err == nil {
			err = f.cfg.Write(name, content)
		}
		f.writes.Leave()
		close(written)
		return err
	})
	if err, done := writing.Wait(wait); done {
		return err
	}
	writing.Then(func(err error) { f.report(name, err) })
	return console.ErrLater
}

// report logs the end of a write that was slow. Any goroutine may call it.
func (f *Files) report(name string, err error) {
	level, text := console.Standard, name+": written"
	if err != nil {
		level, text = console.Warning, fmt.Sprintf("%s: not written: %v", name, err)
	}
	if f.cfg.Do(func() { f.cfg.Print(level, "server", text) }) != nil {
		f.cfg.Logs.Log(level, "server", safetext.Line(text)) // the server has shut down
	}
}

// checkOld returns an error if an existing file is a log under another name, or if mayReplace
// returns one for its content.
func (f *Files) checkOld(name string, isLog func(fs.FileInfo) bool, mayReplace func(old []byte) error) error {
	if info, err := fs.Stat(f.cfg.Folder, name); err == nil && isLog(info) {
		return errIsLog
	}
	if mayReplace == nil {
		return nil
	}
	content, err := console.ReadFile(f.cfg.Folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = mayReplace(content)
	}
	return err
}

// Read reads a file after the writes before it; see [console.Config.ReadFile]. After a disk has not
// answered in time, the loop does not wait for it within a second.
func (f *Files) Read(name string, late func(content []byte, err error)) ([]byte, error) {
	if !f.cfg.Started() {
		return console.ReadFile(f.cfg.Folder, name)
	}
	if !f.reads.Enter() {
		return nil, errStuckDisk
	}
	type result struct {
		content []byte
		err     error
	}
	var reading later.Job[result]
	before := f.lastWrite
	reading.Start(f.cfg.Background, func() result {
		if before != nil {
			<-before // it may be the file that is to be read
		}
		content, err := console.ReadFile(f.cfg.Folder, name)
		f.reads.Leave()
		return result{content, err}
	})
	now, wait := f.cfg.Now(), time.Duration(0)
	if now >= f.nextWait {
		wait = diskTimeout
	}
	if r, done := reading.Wait(wait); done {
		return r.content, r.err
	}
	if wait > 0 {
		f.nextWait = now.Add(diskPause)
	}
	reading.Then(func(r result) { f.cfg.Do(func() { late(r.content, r.err) }) })
	return nil, console.ErrLater
}

// Close waits until all files are written, up to two seconds.
func (f *Files) Close() {
	if f.lastWrite == nil {
		return
	}
	select {
	case <-f.lastWrite:
	case <-time.After(closeTimeout):
		f.cfg.Print(console.Warning, "server", "the disk does not answer; files are not written")
	}
}
