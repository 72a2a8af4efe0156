package runs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/server/record"
)

// Folder is the subfolder of the replay logs that contains the runs.
const Folder = "finishes"

var (
	// ErrEarly means that a log ends before the finish.
	ErrEarly = errors.New("the log ends before the finish")
	// ErrNotShown means that a log does not contain a run, or contains another one.
	ErrNotShown = errors.New("the finish cannot be verified")
)

// before is the number of ticks that a file includes before the start of the run.
const before = game.TickRate

// Run describes the run in a file. It is stored beside that file as JSON.
type Run struct {
	Names []string `json:"names"` // of the players who finished
	Time  int32    `json:"time"`  // in ms
}

// infoSuffix is the end of the names of files with descriptions.
const infoSuffix = ".json"

// infoName returns the name of the file that describes the run in file name.
func infoName(name string) string {
	return strings.TrimSuffix(name, record.ReplaySuffix) + infoSuffix
}

// File returns the file of a run in ticks begin to end of a log, relative to the folder of the
// replay logs. The file's name begins with the name of the log.
func File(log string, begin, end int32) string {
	return filepath.Join(Folder, fmt.Sprintf("%s_%d-%d%s", strings.TrimSuffix(filepath.Base(log), record.ReplaySuffix), begin, end, record.ReplaySuffix))
}

// Read returns the description of the run in file name, and whether there is one.
func Read(name string) (r Run, ok bool) {
	const most = 64 << 10
	in, err := os.Open(infoName(name))
	if err != nil {
		return r, false
	}
	defer in.Close()
	err = json.NewDecoder(io.LimitReader(in, most)).Decode(&r)
	return r, err == nil && len(r.Names) > 0
}

// note writes the description of the run in file name. It adds these players to those already
// there.
func (r *Run) note(name string) error {
	f, ok := Read(name)
	all := *r
	if ok {
		all.Names = f.Names
		for _, n := range r.Names {
			if !slices.Contains(all.Names, n) {
				all.Names = append(all.Names, n)
			}
		}
		if slices.Equal(all.Names, f.Names) {
			return nil
		}
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(infoName(name), b)
}

// Cut writes the part of a log with the run in ticks begin to end, and the second before it. It
// runs the match up to there. It returns ErrEarly for a log that ends before the run.
func Cut(out io.Writer, log io.Reader, begin, end int32, cfg replay.VerifyConfig) error {
	_, last, err := replay.CutFrom(out, bufio.NewReader(log), max(begin-before, 0), end, cfg)
	if last >= end || err == nil || errors.Is(err, replay.ErrTruncated) {
		if err = nil; last < end {
			err = ErrEarly
		}
	}
	return err
}

// Verify runs a log up to tick end, and checks that the match makes a finish in that tick that
// isWanted accepts. It returns the tick with which the log begins, and ErrNotShown if there is no
// such finish.
func Verify(log io.Reader, end int32, isWanted func(*game.RankRequest) bool, cfg replay.VerifyConfig) (first int32, err error) {
	// The log after the finish does not matter.
	part, out := io.Pipe()
	defer part.Close()
	go func() {
		_, err := replay.Cut(out, bufio.NewReader(log), end)
		out.CloseWithError(err)
	}()
	r, err := replay.NewReader(part)
	if err != nil {
		return 0, err
	}
	found, onTick := false, cfg.OnTick
	cfg.OnTick = func(w *game.World, t *replay.Tick, events []game.Event) {
		for i := range events {
			if r := events[i].Store; events[i].Kind == game.EvStore && t.Tick == end && r.Rank != nil && r.Rank.Op == game.RankFinish {
				found = found || isWanted(r.Rank)
			}
		}
		if onTick != nil {
			onTick(w, t, events)
		}
	}
	res, err := replay.Verify(r, cfg)
	switch {
	case err != nil && res.LastGoodTick < end:
		return 0, err
	case res.LastGoodTick < end:
		return 0, fmt.Errorf("%w: the log has checksums up to tick %d, before the finish in tick %d", ErrNotShown, res.LastGoodTick, end)
	case !found:
		return 0, fmt.Errorf("%w: the match has no such finish in tick %d", ErrNotShown, end)
	}
	return r.Header().TickBefore(), nil
}
