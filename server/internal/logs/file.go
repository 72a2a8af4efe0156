package logs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/logline"
)

const (
	// diskTimeout is how long the loop waits for a file that an operator has named: a tick.
	diskTimeout = time.Second / game.TickRate
	// closeTimeout is how long the last lines of a file may take.
	closeTimeout = time.Second
)

var (
	errNoFolder = errors.New("the server has no folder to write to")
	errOutside  = errors.New("the file is outside the folder dumps")
	// errAbsolute is returned for files outside of the server's folder. Only the operator of the
	// machine may name those.
	errAbsolute = errors.New("files outside the server's folder can be set only in the configuration, before the server starts")
)

// file is a file that a variable names, to which lines are appended. The loop does not wait for it:
// lines that the disk does not accept are dropped and counted.
type file struct {
	newHandler func(io.Writer) slog.Handler
	opens      int // how often another file was asked for
	// opening are the files that wait for the disk, one for each value of the variable.
	opening []*opening
	current
}

// current is the file that is open, or should be.
type current struct {
	name     string        // "" if none is open
	from     string        // the value of the variable; at the start, also if that failed
	tried    string        // the last name that was to be opened
	trouble  later.Trouble // with that
	retrying bool          // no operator has asked for the file that is being opened
	closer   io.Closer
	queue    *logline.Queue
	log      *slog.Logger // writes to queue
}

// opening is a file that is being opened.
type opening struct {
	name, value string
	retrying    bool
	attempt     int // the last that asked for it, of file.opens
}

// opened is a file that has been opened, or the error.
type opened struct {
	file io.WriteCloser
	err  error
}

// close ends the file, beside the loop.
func (f *file) close(background func(func())) {
	if f.queue != nil {
		queue, closer := f.queue, f.closer
		background(func() {
			queue.Close(closeTimeout)
			closer.Close()
		})
	}
	f.current = current{}
}

// open replaces a file by the file with a name, or by none. The name may be the same. It prints
// errors, and lines continue to go to the old file then. A later call replaces one that still waits
// for the disk. It waits with it if the variable has the same value.
func (l *Logs) open(f *file, name, value string) {
	f.opens++
	if name == "" {
		f.close(l.cfg.Background)
		return
	}
	f.tried = name
	if !l.console.Started() {
		f.from = value
	}
	for _, o := range f.opening {
		if o.value == value {
			o.attempt = f.opens
			l.cfg.Print(console.Warning, "engine/logfile", fmt.Sprintf("still waiting for the disk to open '%s'", value))
			return
		}
	}
	o := &opening{name, value, f.retrying, f.opens}
	if l.cfg.OpenFile == nil {
		l.finish(f, o, opened{err: errNoFolder})
		return
	}
	var job later.Job[opened]
	job.Start(l.cfg.Background, func() opened {
		w, err := l.cfg.OpenFile(name)
		return opened{w, err}
	})
	wait := diskTimeout
	if !l.console.Started() { // no players wait
		wait = later.Forever
	}
	if r, done := job.Wait(wait); done {
		l.finish(f, o, r)
		return
	}
	f.opening = append(f.opening, o)
	job.Then(func(r opened) {
		if l.cfg.Do(func() { l.finish(f, o, r) }) != nil && r.err == nil {
			r.file.Close() // the server has shut down
		}
	})
}

// finish begins to use a file that has been opened, unless another one was asked for meanwhile.
func (l *Logs) finish(f *file, o *opening, r opened) {
	f.opening = slices.DeleteFunc(f.opening, func(other *opening) bool { return other == o })
	if o.attempt != f.opens {
		if r.err == nil {
			l.cfg.Background(func() { r.file.Close() })
		}
		return
	}
	if news := f.trouble.NoteError(r.err); r.err != nil {
		if !o.retrying || news {
			l.cfg.Print(console.Warning, "engine/logfile", fmt.Sprintf("failed to open '%s' for logging: %v", o.name, r.err))
		}
		return
	}
	f.close(l.cfg.Background)
	queue := logline.NewQueue(r.file, f.newHandler)
	f.current = current{
		name: o.name, from: o.value, tried: o.name,
		closer: r.file, queue: queue, log: slog.New(f.newHandler(queue)),
	}
	if o.retrying {
		l.cfg.Print(console.Standard, "engine/logfile", fmt.Sprintf("opened '%s'", o.name))
	}
}

// IsNamed reports whether a file, by its clean name, is open as a log, or will be.
func (l *Logs) IsNamed(name string) bool {
	for _, own := range []string{l.lines.name, l.lines.tried, l.audit.name, l.audit.tried} {
		if own, err := console.CleanPath(own); err == nil && strings.EqualFold(own, name) {
			return true
		}
	}
	return false
}

// SameFile returns a function that reports whether a file is open as a log now, whatever its name
// is. The function asks the disk; any goroutine may call it.
func (l *Logs) SameFile() func(fs.FileInfo) bool {
	logs := []io.Closer{l.lines.closer, l.audit.closer}
	return func(info fs.FileInfo) bool {
		for _, log := range logs {
			if f, ok := log.(interface{ Stat() (fs.FileInfo, error) }); ok {
				if open, err := f.Stat(); err == nil && os.SameFile(info, open) {
					return true
				}
			}
		}
		return false
	}
}
