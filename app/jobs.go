package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/teeyard/teeyard/internal/confined"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/web/viewer"
)

// The jobs that the program does in processes of its own: they work on files that others have made, and a game on the
// same machine must not notice it.
const (
	jobConvert    = "convert"     // a recording of anybody into a demo of 0.7
	jobConvertOwn = "convert-own" // the same of one whose match may be run again
)

const (
	// strangersMemory is what the process may have that converts a file of anybody, in bytes. The largest has a map
	// of 32 MB.
	strangersMemory = 128 << 20
	// ownMemory is for recordings whose match is run again, on a map of any size.
	ownMemory = 1 << 30
)

// doJob does a job of this program in the process that was started for it.
func (p *program) doJob(name string, output io.Writer, input io.Reader) error {
	switch name {
	case jobConvert, jobConvertOwn:
		return p.convertRecording(output, input, name == jobConvertOwn)
	}
	return fmt.Errorf("there is no job %q", name)
}

// jobs starts processes for jobs.
type jobs struct {
	program *program
	log     *slog.Logger // nil for none
	once    sync.Once    // for the log
}

// convert converts a recording in a process of its own.
func (j *jobs) convert(ctx context.Context, c viewer.Conversion) error {
	t := confined.Task{
		Job: jobConvert, Input: c.Recording, Output: c.Demo,
		Limits: confined.Limits{Memory: strangersMemory, Time: c.Time, Output: c.MaxSize},
	}
	if c.Trusted {
		t.Job, t.Limits.Memory, t.Env = jobConvertOwn, ownMemory, os.Environ() // maps are in folders that they name
	}
	switch err := j.run(ctx, t); {
	case errors.Is(err, confined.ErrOutput):
		return viewer.ErrStorage
	case errors.Is(err, confined.ErrStart):
		return viewer.ErrUnavailable
	case errors.Is(err, confined.ErrCrash):
		return confined.ErrCrash // without what others had a part in
	case errors.Is(err, context.Canceled):
		return err
	default:
		return readable(err)
	}
}

// run does a job in a process of its own. That it cannot is logged once.
func (j *jobs) run(ctx context.Context, t confined.Task) error {
	t.Program = j.program.name
	if impliedArgs(t.Program) != nil {
		t.Program = "teeyard"
	}
	err := confined.Run(ctx, t)
	if (errors.Is(err, confined.ErrStart) || errors.Is(err, confined.ErrCrash)) && j.log != nil {
		j.once.Do(func() {
			j.log.Warn(fmt.Sprintf("a process for a recording failed, which is not said again: %v", err), logline.SystemKey, "http")
		})
	}
	return err
}
