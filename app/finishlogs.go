package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// finishLogs keeps the parts of replay logs that have finishes, each in a file of its own, for longer
// than the logs are kept. A goroutine has them cut out, one after the other, by processes that run the match up to
// there again.
type finishLogs struct {
	server.Ranks
	dir    string // of the replay logs; the parts are in finishDir there
	cutLog func(ctx context.Context, out, in *os.File, begin, end int32) error
	log    *slog.Logger
	keep   *finishSettings

	jobs    chan finishJob
	done    chan struct{}
	stopped context.Context
	stop    context.CancelFunc
	wait    func(time.Duration) // as long as nobody stops it
	warned  bool
}

// finishSettings are the settings of finishLogs.
type finishSettings struct {
	which, megabytes atomic.Int64
}

// The values of sv_replay_finishes.
const (
	finishesNone = iota
	finishesRecords
	finishesPersonal
	finishesAll
)

// finishDir has the finishes in the folder of the replay logs.
const finishDir = "finishes"

const (
	// maxFinishJobs is how many finishes wait; others are not kept.
	maxFinishJobs = 256
	// finishDelay is how long the end of a run takes to be in the log, and how long to wait before looking
	// for it again, at most finishTries times.
	finishDelay = 3 * time.Second
	finishTries = 5
	// finishBefore is how many ticks before the start a part begins.
	finishBefore = game.TickRate
)

// finishJob is a part of a log that is to be kept.
type finishJob struct {
	log        string
	begin, end int32
	finish     keptFinish
}

// keptFinish says what a file has, in another one beside it with finishInfoSuffix.
type keptFinish struct {
	Names []string `json:"names"` // who finished
	Time  int32    `json:"time"`  // in ms
}

const finishInfoSuffix = ".json"

// finishInfo returns the name of the file that says what the file of a finish has.
func finishInfo(name string) string {
	return strings.TrimSuffix(name, server.ReplaySuffix) + finishInfoSuffix
}

// readFinish returns what the file of a finish has, and whether something says so.
func readFinish(name string) (f keptFinish, ok bool) {
	const most = 64 << 10
	in, err := os.Open(finishInfo(name))
	if err != nil {
		return f, false
	}
	defer in.Close()
	err = json.NewDecoder(io.LimitReader(in, most)).Decode(&f)
	return f, err == nil && len(f.Names) > 0
}

// note adds who finished to what says so.
func (j *finishJob) note(name string) error {
	f, ok := readFinish(name)
	all := j.finish
	if ok {
		all.Names = f.Names
		for _, n := range j.finish.Names {
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
	return atomicfile.Write(finishInfo(name), b)
}

// finishFile returns the name of the file for a part of a log. It begins with that of the log.
func finishFile(log string, begin, end int32) string {
	return fmt.Sprintf("%s_%d-%d%s", strings.TrimSuffix(filepath.Base(log), server.ReplaySuffix), begin, end, server.ReplaySuffix)
}

// Register adds the settings to a console.
func (s *finishSettings) Register(c *console.Console) error {
	for _, v := range []struct {
		console.IntVar
		to *atomic.Int64
	}{
		{console.IntVar{Name: "sv_replay_finishes", Help: "Keep the part of the replay log that has a finish: 0 = none, 1 = best times on the map, 2 = best times of players, 3 = all finishes", Default: finishesPersonal, Min: finishesNone, Max: finishesAll}, &s.which},
		{console.IntVar{Name: "sv_replay_finishes_max_mb", Help: "Megabytes of finishes to keep, the oldest are deleted", Default: 512, Min: 1, Max: 1 << 20}, &s.megabytes},
	} {
		v.Value, v.Flags = new(int), console.Server|console.Save
		if err := c.RegisterInt(v.IntVar); err != nil {
			return err
		}
		if err := c.After(v.Name, func(*console.Call) { v.to.Store(int64(*v.Value)) }); err != nil {
			return err
		}
		v.to.Store(int64(v.Default))
	}
	return nil
}

// keepFinishes returns ranks with which finishes are kept. Other processes cut them out.
func keepFinishes(ranks server.Ranks, dir string, keep *finishSettings, apart *jobs, log *slog.Logger) *finishLogs {
	k := &finishLogs{
		Ranks: ranks, dir: dir, cutLog: apart.cut, log: log.With(logline.SystemKey, "replay"), keep: keep,
		jobs: make(chan finishJob, maxFinishJobs), done: make(chan struct{}),
	}
	k.stopped, k.stop = context.WithCancel(context.Background())
	k.wait = func(d time.Duration) {
		select {
		case <-k.stopped.Done():
		case <-time.After(d):
		}
	}
	go k.run()
	return k
}

// Submit passes a request on. When a finish is there it finds out whether to keep it.
func (k *finishLogs) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	which := k.keep.which.Load()
	if r.Op != game.RankFinish || which == finishesNone || from.Log == "" || len(r.Names) == 0 {
		k.Ranks.Submit(r, from, answer)
		return
	}
	job := finishJob{log: from.Log, begin: max(r.Begin, 0), end: r.End, finish: keptFinish{slices.Clone(r.Names), r.Time}}
	question := game.RankRequest{Op: game.RankBest, Map: r.Map, Name: r.Names[0], By: game.Nobody, From: 1}
	switch {
	case r.Team && which == finishesRecords:
		question.Op, question.Name = game.RankTeamTop, ""
	case r.Team:
		question.Op = game.RankTeamOf
	}
	time := r.Time
	k.Ranks.Submit(r, from, func(a game.RankAnswer) {
		answer(a)
		switch {
		case a.Err != "":
		case which == finishesAll:
			k.add(job)
		default:
			k.Ranks.Submit(&question, game.RankOrigin{Server: from.Server}, func(a game.RankAnswer) {
				best := a.Own
				if which == finishesRecords {
					if best = nil; len(a.Rows) > 0 {
						best = &a.Rows[0]
					}
				}
				if a.Err == "" && (best == nil || best.Time >= time) { // a database may not have it yet
					k.add(job)
				}
			})
		}
	})
}

// add queues a part. If too many wait it is not kept.
func (k *finishLogs) add(j finishJob) {
	select {
	case k.jobs <- j:
	default:
	}
}

// Close ends the ranks and leaves out what is still to be kept; the whole logs are there for some time.
func (k *finishLogs) Close() error {
	err := k.Ranks.Close()
	k.stop()
	<-k.done
	return err
}

func (k *finishLogs) run() {
	defer close(k.done)
	for {
		select {
		case <-k.stopped.Done():
			return
		case j := <-k.jobs:
			if err := k.cut(j); err != nil && k.stopped.Err() == nil && !k.warned {
				k.warned = true
				k.log.Warn(fmt.Sprintf("the finish in ticks %d to %d of %s is not kept: %v; others may be missing too, which is not said again", j.begin, j.end, j.log, err))
			}
		}
	}
}

// cut keeps a part, unless it is there: the members of a team have the same one.
func (k *finishLogs) cut(j finishJob) (err error) {
	dir := filepath.Join(k.dir, finishDir)
	to := filepath.Join(dir, finishFile(j.log, j.begin, j.end))
	if _, err := os.Stat(to); err == nil {
		return j.note(to)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for range finishTries {
		if k.wait(finishDelay); k.stopped.Err() != nil {
			return k.stopped.Err()
		}
		if err = k.copy(to, j); !errors.Is(err, errFinishMissing) {
			break
		}
	}
	if err == nil {
		k.trim(dir, filepath.Base(to))
		err = j.note(to)
	}
	return err
}

var errFinishMissing = errors.New("the log does not reach to the finish")

// copy makes the file.
func (k *finishLogs) copy(to string, j finishJob) error {
	in, err := os.Open(filepath.Join(k.dir, filepath.FromSlash(j.log)))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "*.new")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	if err = errors.Join(k.cutLog(k.stopped, out, in, j.begin, j.end), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

// cutFinish writes the part of a log that has a finish.
func cutFinish(out io.Writer, in io.Reader, begin, end int32, cfg replay.VerifyConfig) error {
	_, last, err := replay.CutFrom(out, bufio.NewReader(in), max(begin-finishBefore, 0), end, cfg)
	if last >= end || err == nil || errors.Is(err, replay.ErrTruncated) {
		if err = nil; last < end { // what follows is not written yet
			err = errFinishMissing
		}
	}
	return err
}

// trim deletes the oldest files that are too many, and what a server that was killed has left, but not the
// last.
func (k *finishLogs) trim(dir, last string) {
	entries, _ := os.ReadDir(dir)
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(e.Name(), finishInfoSuffix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(b.Name(), a.Name()))
	})
	size := int64(0)
	for _, f := range files {
		size += f.Size()
		isLeft := strings.HasSuffix(f.Name(), ".new") && time.Since(f.ModTime()) > time.Hour
		if f.Name() != last && (size > k.keep.megabytes.Load()<<20 || isLeft) {
			os.Remove(filepath.Join(dir, f.Name()))
			os.Remove(finishInfo(filepath.Join(dir, f.Name())))
		}
	}
}
