package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/confined"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/web/recordings"
	"github.com/teeyard/teeyard/web/viewer"
)

// Jobs that the program runs in child processes: they read files from others, and a game on the
// same machine must not notice the work.
const (
	jobConvert    = "convert"     // converts a stranger's recording into a 0.7 demo
	jobConvertOwn = "convert-own" // the same for a recording whose match may be run again
	jobDescribe   = "describe"    // lists the players in a recording of the server
	jobCut        = "cut"         // cuts a finish out of a replay log; the first and the last tick follow
)

const (
	// strangersMemory limits the memory of a process that converts a stranger's file, in bytes. The
	// largest file contains a map of 32 MB.
	strangersMemory = 128 << 20
	// ownMemory is for recordings whose match is run again, on a map of any size.
	ownMemory = 1 << 30
	// describeTime and maxDescription limit the description of a recording.
	describeTime   = time.Minute
	maxDescription = 1 << 20
	// cutTime and maxCut limit cutting a finish out of a log.
	cutTime = 10 * time.Minute
	maxCut  = 1 << 30
)

// doJob runs a job in the child process that was started for it.
func (p *program) doJob(name string, output io.Writer, input io.Reader) error {
	switch name {
	case jobConvert, jobConvertOwn:
		return p.convertRecording(output, input, name == jobConvertOwn)
	case jobDescribe:
		return recordings.Describe(output, input)
	}
	var begin, end int32
	if n, _ := fmt.Sscanf(name, jobCut+" %d %d", &begin, &end); n == 2 {
		return runs.Cut(output, input, begin, end, p.verifyConfig())
	}
	return fmt.Errorf("there is no job %q", name)
}

// jobs starts child processes for jobs.
type jobs struct {
	program *program
	log     *slog.Logger // nil to log nothing
	once    sync.Once    // limits the warning to one
}

// convert converts a recording in a child process.
func (j *jobs) convert(ctx context.Context, c viewer.Conversion) error {
	t := confined.Task{
		Job: jobConvert, Input: c.Recording, Output: c.Demo,
		Limits: confined.Limits{Memory: strangersMemory, Time: c.Time, Output: c.MaxSize},
	}
	if c.Trusted {
		t.Job, t.Limits.Memory, t.Env = jobConvertOwn, ownMemory, os.Environ() // the environment names the folders with maps
	}
	switch err := j.run(ctx, t); {
	case errors.Is(err, confined.ErrOutput):
		return viewer.ErrStorage
	case errors.Is(err, confined.ErrStart):
		return viewer.ErrUnavailable
	case errors.Is(err, confined.ErrCrash):
		return confined.ErrCrash // without details, which may quote a stranger's file
	case errors.Is(err, context.Canceled):
		return err
	default:
		return readable(err)
	}
}

// describe lists the players of one of the server's recordings in a child process.
func (j *jobs) describe(in, out *os.File) error {
	return j.run(context.Background(), confined.Task{
		Job: jobDescribe, Input: in, Output: out,
		Limits: confined.Limits{Memory: ownMemory, Time: describeTime, Output: maxDescription},
	})
}

// cut does the work of runs.Cut in a child process.
func (j *jobs) cut(ctx context.Context, out, in *os.File, begin, end int32) error {
	err := j.run(ctx, confined.Task{
		Job: fmt.Sprintf("%s %d %d", jobCut, begin, end), Input: in, Output: out,
		Limits: confined.Limits{Memory: ownMemory, Time: cutTime, Output: maxCut},
	})
	if err != nil && err.Error() == runs.ErrEarly.Error() {
		return runs.ErrEarly
	}
	return err
}

// run runs a job in a child process. It logs once if it cannot start one.
func (j *jobs) run(ctx context.Context, t confined.Task) error {
	t.Program = j.program.name
	if impliedArgs(t.Program) != nil {
		t.Program = "teeyard"
	}
	err := confined.Run(ctx, t)
	if (errors.Is(err, confined.ErrStart) || errors.Is(err, confined.ErrCrash)) && j.log != nil {
		j.once.Do(func() {
			j.log.Warn(fmt.Sprintf("a child process for a recording failed: %v; further failures are not logged", err), logline.SystemKey, "http")
		})
	}
	return err
}
