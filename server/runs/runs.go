// Package runs keeps the runs of races: it copies the part of a replay log that ends with a finish
// to a file of its own. These files stay when a server deletes the log.
//
// [New] puts a [Keeper] in front of the ranks of a server. The Keeper sees every finish and lets a
// goroutine copy the runs, one after another. [Verify] runs a file again and checks its finish.
package runs

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server/storage"
)

// Config configures a Keeper.
type Config struct {
	// Ranks gets all requests, and knows the best times. The Keeper closes it.
	Ranks storage.Ranks
	// Dir is the folder of the replay logs. The runs are in its subfolder [Folder].
	Dir string
	// Settings selects the runs to keep; nil means the defaults.
	Settings *Settings
	// Verify has the modes and mods that a match needs to be run again up to the start of the run.
	Verify replay.VerifyConfig
	// Cut does the work of [Cut] in another process: a long match would occupy this one for
	// seconds. Its error is ErrEarly if the log does not contain the end yet.
	Cut func(ctx context.Context, out, in *os.File, begin, end int32) error
	// Log gets one line if a run cannot be kept; nil means none.
	Log *slog.Logger
}

// Keeper is a store of ranks that also keeps the runs.
type Keeper struct {
	storage.Ranks
	cfg     Config
	jobs    chan job
	done    chan struct{}
	stopped context.Context
	stop    context.CancelFunc
	warned  bool
}

// maxJobs is the length of the queue. Runs beyond it are not kept.
const maxJobs = 256

// New starts a Keeper.
func New(cfg Config) *Keeper {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Settings == nil {
		cfg.Settings = new(Settings)
		cfg.Settings.setDefaults()
	}
	if cfg.Cut == nil {
		verify := cfg.Verify
		cfg.Cut = func(_ context.Context, out, in *os.File, begin, end int32) error {
			return Cut(out, in, begin, end, verify)
		}
	}
	k := &Keeper{Ranks: cfg.Ranks, cfg: cfg, jobs: make(chan job, maxJobs), done: make(chan struct{})}
	k.stopped, k.stop = context.WithCancel(context.Background())
	go k.work()
	return k
}

// Submit passes a request on to the ranks. After a finish it decides whether to keep the run.
func (k *Keeper) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	which := k.cfg.Settings.which.Load()
	if r.Op != game.RankFinish || which == keepNone || from.Log == "" || len(r.Names) == 0 {
		k.Ranks.Submit(r, from, answer)
		return
	}
	j := job{log: from.Log, begin: max(r.Begin, 0), end: r.End, run: Run{slices.Clone(r.Names), r.Time}}
	question := game.RankRequest{Op: game.RankBest, Map: r.Map, Name: r.Names[0], By: game.Nobody, From: 1}
	switch {
	case r.Team && which == keepRecords:
		question.Op, question.Name = game.RankTeamTop, ""
	case r.Team:
		question.Op = game.RankTeamOf
	}
	k.Ranks.Submit(r, from, func(a game.RankAnswer) {
		answer(a)
		switch {
		case a.Err != "":
		case which == keepAll:
			k.add(j)
		default:
			k.Ranks.Submit(&question, game.RankOrigin{Server: from.Server}, func(a game.RankAnswer) {
				best := a.Own
				if which == keepRecords {
					if best = nil; len(a.Rows) > 0 {
						best = &a.Rows[0]
					}
				}
				if a.Err == "" && (best == nil || best.Time >= j.run.Time) { // a database may not list the new time yet
					k.add(j)
				}
			})
		}
	})
}

// add queues a run, or drops it if the queue is full.
func (k *Keeper) add(j job) {
	select {
	case k.jobs <- j:
	default:
	}
}

// Close closes the ranks and drops the runs still in the queue. The complete logs remain available
// for a while.
func (k *Keeper) Close() error {
	err := k.Ranks.Close()
	k.stop()
	<-k.done
	return err
}

// wait sleeps, and returns early when the Keeper is closed.
func (k *Keeper) wait(d time.Duration) {
	select {
	case <-k.stopped.Done():
	case <-time.After(d):
	}
}
