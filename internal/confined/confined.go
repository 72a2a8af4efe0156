// Package confined runs a part of this program in another process. It is for work that strangers
// can make arbitrarily large. That process has a low priority, one processor, limits for memory,
// time and output, and only two open files. It ends when its caller stops waiting, or when this
// process ends.
//
// The program calls [Begun] before anything else, and runs the job if there is one:
//
//	if job, ok := confined.Begun(); ok {
//		os.Exit(job.Do(work))
//	}
//
// A program that does not call Begun has no jobs, and must not call [Run].
//
// # Use
//
// A recording from a stranger can be made to cost any amount of time and memory. The game's process
// only stores such files, and runs itself again to convert them. Jobs that read or run whole
// recordings of the server use the same way. Package app lists the jobs.
//
// The process has the lowest priority, one processor and an empty environment. It reads one open
// file and writes another. It ends with the server, or when the visitor hangs up. A program that
// embeds package server or web is never run again: it gives viewer.Converter a function of its own.
package confined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// Limits are the limits of a process. All fields must be set.
type Limits struct {
	// Memory is the number of bytes that the process may use, without its code.
	Memory int64
	// Time is how long a job may take. A job that ignores ErrTime is ended some seconds later.
	Time time.Duration
	// Output is the largest size of the output in bytes.
	Output int64
}

// Task is a job for another process.
type Task struct {
	// Program is the program's name for itself, the first word of the command line. The program
	// must not act on this name.
	Program string
	// Job is a word that names the job.
	Job    string
	Limits Limits
	// Input is read from its beginning. Output must be empty, and open for reading and writing.
	Input, Output *os.File
	// Env has additional variables for the job, as in os.Environ.
	Env []string
}

// The errors of Run. It returns other errors of the job as text.
var (
	// ErrStart means that Run could not start a process.
	ErrStart = errors.New("confined: cannot start a process")
	// ErrTime means that the job took too long.
	ErrTime = errors.New("the job took too long")
	// ErrMemory means that the job needed more memory than its limit.
	ErrMemory = errors.New("the job needs too much memory")
	// ErrOutputSize means that the output reached its limit.
	ErrOutputSize = errors.New("the output would be too large")
	// ErrOutput means that the output could not be written: the disk is full or broken.
	ErrOutput = errors.New("the output cannot be written")
	// ErrCrash means that the process ended in a way that no job does.
	ErrCrash = errors.New("the process of the job ended unexpectedly")
)

// The exit statuses of a job.
const (
	statusDone = iota
	statusFailed
	statusCrash // of Go's runtime
	statusTime
	statusMemory
	statusOutputSize
	statusOutput
)

const (
	// jobArg is the first argument of a process with a job.
	jobArg = "--confined-job"
	// marker is an environment variable of a process with a job. It may not start other jobs.
	marker = "TEEYARD_CONFINED"
	// grace is how much longer than Limits.Time a process may take to end itself. After the same
	// time again, the system or the caller ends it.
	grace = 2 * time.Second
	// maxText is how many bytes of an error's text are kept.
	maxText = 2 << 10
	// watchInterval is the time between two checks whether a process may continue.
	watchInterval = 100 * time.Millisecond
)

// Run runs a job in another process and waits for its end. If ctx ends first, the process ends soon
// after, and Run returns the error of ctx.
func Run(ctx context.Context, t Task) error {
	if os.Getenv(marker) != "" {
		return fmt.Errorf("%w: this process is confined itself", ErrStart)
	}
	self, err := executable()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	ending, cancel := context.WithTimeout(ctx, t.Limits.Time+2*grace)
	defer cancel()
	cmd := exec.CommandContext(ending, self)
	l := t.Limits
	cmd.Args = []string{t.Program, jobArg, t.Job, strconv.FormatInt(l.Memory, 10), l.Time.String(), strconv.FormatInt(l.Output, 10)}
	// The other half of the memory is for garbage that is not collected yet, and for parts of the
	// heap that cannot be used.
	cmd.Env = append(systemEnv(), t.Env...)
	cmd.Env = append(cmd.Env, marker+"=1", "GOMAXPROCS=1", "GOTRACEBACK=none", "GODEBUG=", "GOGC=50", "GOMEMLIMIT="+strconv.FormatInt(l.Memory/2, 10))
	var said start
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Input, t.Output, &said
	cmd.WaitDelay = grace
	cmd.SysProcAttr = attributes()
	if _, err := t.Input.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	// On Linux a process ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	lowerPriority(cmd.Process.Pid)
	err = cmd.Wait()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case ending.Err() != nil:
		return ErrTime
	}
	switch state := cmd.ProcessState; {
	case state.ExitCode() == statusFailed:
		return errors.New(strings.TrimSpace(said.String()))
	case state.ExitCode() == statusTime, wasOutOfTime(state):
		return ErrTime
	case state.ExitCode() == statusOutputSize:
		return ErrOutputSize
	case state.ExitCode() == statusOutput:
		return ErrOutput
	case state.ExitCode() == statusMemory, state.ExitCode() == statusCrash && isOutOfMemory(said.String()):
		return ErrMemory
	default:
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%w: %v: %s", ErrCrash, state, first)
	}
}

// isOutOfMemory reports whether a process ran out of memory, by the words that Go's runtime prints
// then.
func isOutOfMemory(said string) bool {
	for _, text := range []string{"out of memory", "cannot allocate memory", "failed to reserve", "failed to create new OS thread"} {
		if strings.Contains(said, text) {
			return true
		}
	}
	return false
}

// start keeps the beginning of the text written to it.
type start struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *start) Write(b []byte) (int, error) {
	s.Buffer.Write(b[:min(len(b), maxText-s.Len())])
	return len(b), nil
}

// Job is the job that this process was started for.
type Job struct {
	// Name is the word that names the job.
	Name   string
	limits Limits
	parent int
}

// Begun returns the job of this process, if it was started for one.
func Begun() (Job, bool) {
	if len(os.Args) != 6 || os.Args[1] != jobArg || os.Getenv(marker) == "" {
		return Job{}, false
	}
	j := Job{Name: os.Args[2], parent: os.Getppid()}
	var err error
	if j.limits.Memory, err = strconv.ParseInt(os.Args[3], 10, 64); err == nil {
		if j.limits.Time, err = time.ParseDuration(os.Args[4]); err == nil {
			j.limits.Output, err = strconv.ParseInt(os.Args[5], 10, 64)
		}
	}
	if err != nil {
		return Job{}, false
	}
	return j, true
}

// Do runs the job and returns the exit status. Reading from the input pauses as long as the work
// takes, to leave the processor to others, and fails with ErrTime after the time limit. The output
// also implements io.WriterAt.
func (j Job) Do(work func(name string, output io.Writer, input io.Reader) error) int {
	lowerPriority(os.Getpid())
	limit(j.limits)
	time.AfterFunc(j.limits.Time+grace, func() { os.Exit(statusTime) })
	go j.watch()
	out := &output{file: os.Stdout, left: j.limits.Output}
	in := newResting(os.Stdin, j.limits.Time)
	err := work(j.Name, out, in)
	switch {
	case out.err != nil: // a failed output counts, whatever the work returned
		if errors.Is(out.err, ErrOutputSize) {
			return statusOutputSize
		}
		return statusOutput
	case err == nil:
		return statusDone
	case errors.Is(err, ErrTime) || in.isOver:
		return statusTime
	}
	fmt.Fprintln(os.Stderr, err)
	return statusFailed
}

// watch ends the process if its parent is gone. It also ends the process if it uses too much
// memory, for systems that do not check.
func (j Job) watch() {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(watchInterval) {
		if os.Getppid() != j.parent {
			os.Exit(statusTime)
		}
		if metrics.Read(memory); int64(memory[0].Value.Uint64()-memory[1].Value.Uint64()) > j.limits.Memory {
			os.Exit(statusMemory)
		}
	}
}

// output is a file with a size limit.
type output struct {
	file *os.File
	left int64
	err  error // the first error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.left -= int64(len(b)); o.left < 0 {
		o.err = ErrOutputSize
		return 0, o.err
	}
	n, o.err = o.file.Write(b)
	return n, o.err
}

// WriteAt implements io.WriterAt for bytes that were written before.
func (o *output) WriteAt(b []byte, at int64) (n int, err error) {
	if o.err == nil {
		n, o.err = o.file.WriteAt(b, at)
	}
	return n, o.err
}

// resting is a reader that pauses as long as the work on the data takes. Even a process of low
// priority uses up the processor time that a container has.
type resting struct {
	file   io.Reader
	end    time.Time
	isOver bool
	worked time.Duration // processor time up to the last pause

	now   func() time.Time
	used  func() time.Duration // processor time
	sleep func(time.Duration)
}

func newResting(file io.Reader, most time.Duration) *resting {
	return &resting{file: file, end: time.Now().Add(most), worked: usedTime(), now: time.Now, used: usedTime, sleep: time.Sleep}
}

const (
	// piece is how many bytes are read at once. They are some milliseconds of work, or up to a
	// second in files made to be slow.
	piece = 4 << 10
	// leastRest is the shortest pause; the system's timers are not much finer.
	leastRest = 4 * time.Millisecond
)

// Read implements io.Reader.
func (r *resting) Read(b []byte) (int, error) {
	now := r.now()
	if now.After(r.end) {
		r.isOver = true
		return 0, ErrTime
	}
	if used := r.used(); used-r.worked >= leastRest {
		r.sleep(min(used-r.worked, r.end.Sub(now)))
		r.worked = used
	}
	return r.file.Read(b[:min(len(b), piece)])
}
