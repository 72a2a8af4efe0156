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
	"github.com/teeyard/teeyard/web/viewer"
)

// The jobs that the program does in processes of its own: they work on files that others have made, and a game on the
// same machine must not notice it.
const (
	jobConvert    = "convert"     // a recording of anybody into a demo of 0.7
	jobConvertOwn = "convert-own" // the same of one whose match may be run again
	jobDescribe   = "describe"    // who is in a recording of the server
	jobCut        = "cut"         // a finish out of a replay log; the first and the last tick follow
)

const (
	// strangersMemory is what the process may have that converts a file of anybody, in bytes. The largest has a map
	// of 32 MB.
	strangersMemory = 128 << 20
	// ownMemory is for recordings whose match is run again, on a map of any size.
	ownMemory = 1 << 30
	// describeTime and maxDescription are for the description of a recording.
	describeTime   = time.Minute
	maxDescription = 1 << 20
	// cutTime and maxCut are for the part of a log that has a finish.
	cutTime = 10 * time.Minute
	maxCut  = 1 << 30
)

// doJob does a job of this program in the process that was started for it.
func (p *program) doJob(name string, output io.Writer, input io.Reader) error {
	switch name {
	case jobConvert, jobConvertOwn:
		return p.convertRecording(output, input, name == jobConvertOwn)
	case jobDescribe:
		return describeRecording(output, input)
	}
	var begin, end int32
	if n, _ := fmt.Sscanf(name, jobCut+" %d %d", &begin, &end); n == 2 {
		return cutFinish(output, input, begin, end, p.verifyConfig())
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

// describe describes a recording of the server in a process of its own.
func (j *jobs) describe(in, out *os.File) error {
	return j.run(context.Background(), confined.Task{
		Job: jobDescribe, Input: in, Output: out,
		Limits: confined.Limits{Memory: ownMemory, Time: describeTime, Output: maxDescription},
	})
}

// cut cuts a finish out of a replay log in a process of its own.
func (j *jobs) cut(ctx context.Context, out, in *os.File, begin, end int32) error {
	err := j.run(ctx, confined.Task{
		Job: fmt.Sprintf("%s %d %d", jobCut, begin, end), Input: in, Output: out,
		Limits: confined.Limits{Memory: ownMemory, Time: cutTime, Output: maxCut},
	})
	if err != nil && err.Error() == errFinishMissing.Error() {
		return errFinishMissing
	}
	return err
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
