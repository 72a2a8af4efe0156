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
	"github.com/teeyard/teeyard/server/record"
)

// finishLogs saves the part of a replay log that contains a finish to a file of its own. These
// files are kept longer than the logs. A goroutine has the parts cut out one after another, each by
// a child process that runs the match up to that part again.
type finishLogs struct {
	server.Ranks
	dir    string // of the replay logs; the parts are in its subfolder finishDir
	cutLog func(ctx context.Context, out, in *os.File, begin, end int32) error
	log    *slog.Logger
	keep   *finishSettings

	jobs    chan finishJob
	done    chan struct{}
	stopped context.Context
	stop    context.CancelFunc
	wait    func(time.Duration) // sleeps, or returns early when stopped
	warned  bool
}

type finishSettings struct {
	which, megabytes atomic.Int64
}

// Values of sv_replay_finishes.
const (
	finishesNone = iota
	finishesRecords
	finishesPersonal
	finishesAll
)

// finishDir is the subfolder of the replay logs that contains the finishes.
const finishDir = "finishes"

const (
	// maxFinishJobs is the length of the queue. Finishes beyond it are not kept.
	maxFinishJobs = 256
	// finishDelay is the time until the log is expected to contain the end of a run. It is also the
	// pause between attempts, at most finishTries, to find that end.
	finishDelay = 3 * time.Second
	finishTries = 5
	// finishBefore is the number of ticks that a part includes before the start of the run.
	finishBefore = game.TickRate
)

// finishJob is a part of a log that is to be kept.
type finishJob struct {
	log        string
	begin, end int32
	finish     keptFinish
}

// keptFinish describes the finish in a file. It is stored beside that file, in a file that ends in
// finishInfoSuffix.
type keptFinish struct {
	Names []string `json:"names"` // of the players who finished
	Time  int32    `json:"time"`  // in ms
}

const finishInfoSuffix = ".json"

// finishInfo returns the name of the file that describes the finish in file name.
func finishInfo(name string) string {
	return strings.TrimSuffix(name, record.ReplaySuffix) + finishInfoSuffix
}

// readFinish returns the description of the finish in file name, and whether there is one.
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

// note writes the description of the finish in file name. It adds this job's players to those
// already there.
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

// finishFile returns the file name for a part of a log. The file name begins with the name of the
// log.
func finishFile(log string, begin, end int32) string {
	return fmt.Sprintf("%s_%d-%d%s", strings.TrimSuffix(filepath.Base(log), record.ReplaySuffix), begin, end, record.ReplaySuffix)
}

// Register adds the settings to a console.
func (s *finishSettings) Register(c *console.Console) error {
	for _, v := range []struct {
		console.IntVar
		to *atomic.Int64
	}{
		{console.IntVar{Name: "sv_replay_finishes", Help: "Finishes of which the server keeps the part of the replay log (0 = none, 1 = best times on " +
			"the map, 2 = best times of players, 3 = all)", Default: finishesPersonal, Min: finishesNone, Max: finishesAll}, &s.which},
		{console.IntVar{Name: "sv_replay_finishes_max_mb", Help: "Megabytes of these parts to keep; the server deletes the oldest", Default: 512, Min: 1,
			Max: 1 << 20}, &s.megabytes},
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

// keepFinishes returns ranks that also keep the finishes. Child processes cut them out.
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

// Submit passes a request on to the ranks. After a finish it decides whether to keep that part of
// the log.
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
				if a.Err == "" && (best == nil || best.Time >= time) { // a database may not list the new time yet
					k.add(job)
				}
			})
		}
	})
}

// add queues a part, or drops it if the queue is full.
func (k *finishLogs) add(j finishJob) {
	select {
	case k.jobs <- j:
	default:
	}
}

// Close closes the ranks and drops the parts still in the queue. The complete logs remain available
// for a while.
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
				k.log.Warn(fmt.Sprintf("the finish in ticks %d to %d of %s cannot be kept: %v; further failures are not logged", j.begin, j.end, j.log, err))
			}
		}
	}
}

// cut writes the file of a part. If another member of the same team already caused that file, cut
// only adds the names.
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

var errFinishMissing = errors.New("the log ends before the finish")

// copy creates the file.
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

// cutFinish writes the part of a log that contains a finish.
func cutFinish(out io.Writer, in io.Reader, begin, end int32, cfg replay.VerifyConfig) error {
	_, last, err := replay.CutFrom(out, bufio.NewReader(in), max(begin-finishBefore, 0), end, cfg)
	if last >= end || err == nil || errors.Is(err, replay.ErrTruncated) {
		if err = nil; last < end { // the log does not contain the end yet
			err = errFinishMissing
		}
	}
	return err
}

// trim deletes the oldest files beyond the size limit and temporary files that a killed server left
// behind, but never the file named last.
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
