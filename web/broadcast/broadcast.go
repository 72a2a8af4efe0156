package broadcast

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/web"
)

const (
	// segmentTicks is the length of a segment in ticks, and recordsPerSegment in records.
	segmentTicks      = 2 * game.TickRate
	recordsPerSegment = segmentTicks / 2
	// recordsPerBatch is the number of records encoded together. Waking the encoding goroutine
	// costs more than making a record.
	recordsPerBatch = 10
	// maxBatches limits the batches that wait for encoding, ten seconds in all.
	maxBatches = 25
	// maxMatchTicks limits the length of a match: 3600 segments.
	maxMatchTicks = 2 * 60 * 60 * game.TickRate
	// idleTicks is the time without players after which what follows is a separate match.
	idleTicks = 60 * game.TickRate
	// traceTicks is the time for which traces of players who left may stay visible, such as their
	// projectiles.
	traceTicks = 5 * game.TickRate
)

// Config is the configuration of a [Broadcast].
type Config struct {
	// Settings must be registered in the server's console; nil means the defaults.
	Settings *Settings
	// Dir is a folder for matches. Servers may share it. "" keeps matches in memory only.
	Dir string
	// Web identifies the clients of requests; nil means that no client is behind a proxy.
	Web *web.Settings
	// Log receives problems with the folder; nil discards them.
	Log *slog.Logger
	// Now returns the time; nil means time.Now. The delay is measured with it.
	Now func() time.Time
}

// Broadcast cuts the matches of a server into segments and serves them. It implements
// [server.Broadcast].
type Broadcast struct {
	settings *Settings
	now      func() time.Time

	// Used by the server's goroutine.
	gameMap  bridge.Map // of the next match
	recorder *recorder.Recorder
	match    *match // being recorded; nil for none
	batch    *batch // being filled; nil for none
	people   bool   // players joined during this match
	over     bool   // a round was over at the last keyframe
	seen     int32  // last tick with players
	made     int    // number of batches created
	records  int64  // number of records made
	handed   int64  // number of batches handed over

	jobs     chan *batch
	blank    chan *batch // encoded batches, to be reused
	done     chan struct{}
	required atomic.Int64 // the minimum delay under the rules of the match, in ns
	watched  atomic.Int64 // the last request for the live match, in ns since 1970; 0 for none
	wake     func()       // wakes the server's goroutine
	closed   bool

	web       *web.Settings
	downloads limit.Slots // of demos
	answers   atomic.Int64
	sent      atomic.Int64 // bytes of answers

	log     *slog.Logger // nil to log nothing
	shelf   shelf
	archive *archive // nil without a folder
	keeper  *keeper  // nil without a folder
}

// batch is a run of records of a match that are encoded together.
type batch struct {
	match   *match
	records [recordsPerBatch]recorder.Record
	people  [recordsPerBatch]bool // whether a record shows players
	n       int
	ends    bool               // the match ends after these records
	at      time.Time          // time of the last record
	keep    bool               // keep the match
	result  replay.MatchResult // so far
	markers []int32            // ticks
	marks   []batchMark
}

// New returns a Broadcast. The caller closes it.
func New(cfg Config) *Broadcast {
	b := newBroadcast(cfg)
	if b.keeper != nil {
		go b.keeper.run()
	}
	go b.encode()
	return b
}

// newBroadcast returns a Broadcast without goroutines.
func newBroadcast(cfg Config) *Broadcast {
	b := &Broadcast{
		settings: cfg.Settings, now: cfg.Now, log: cfg.Log,
		jobs: make(chan *batch, maxBatches), blank: make(chan *batch, maxBatches), done: make(chan struct{}),
	}
	if b.settings == nil {
		b.settings = newSettings()
	}
	if b.now == nil {
		b.now = time.Now
	}
	b.shelf.limit = maxMemory
	b.downloads.Most, b.downloads.MostPerPerson = maxDownloads, maxDownloadsPerPerson
	if b.web = cfg.Web; b.web == nil {
		b.web = new(web.Settings)
	}
	if cfg.Dir != "" {
		b.archive = newArchive(cfg.Dir)
		b.keeper = &keeper{
			dir: cfg.Dir, shelf: &b.shelf, archive: b.archive, max: b.settings.maxBytes, delay: b.Delay,
			warn: func(text string) {
				if cfg.Log != nil {
					cfg.Log.Warn(text)
				}
			},
			openFile: createFile,
			wake:     make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
		}
	}
	return b
}

// Close ends the match after the server has ended. It waits for pending writes, at most for
// timeout.
func (b *Broadcast) Close(timeout time.Duration) {
	if b.closed {
		return
	}
	b.closed = true
	b.end()
	close(b.jobs)
	end := time.After(timeout)
	select {
	case <-b.done:
	case <-end:
		return
	}
	if b.keeper != nil {
		close(b.keeper.stop)
		select {
		case <-b.keeper.done:
		case <-end:
		}
	}
}

// Problem returns the reason why matches are not stored on disk, or nil. Any goroutine may call it.
func (b *Broadcast) Problem() error {
	if b.keeper == nil {
		return nil
	}
	if err := b.keeper.trouble.Load(); err != nil && b.settings.maxBytes() > 0 {
		return fmt.Errorf("matches cannot be stored in %s (sv_broadcast_max_mb): %w", b.keeper.dir, *err)
	}
	return nil
}

// Attach implements [server.Broadcast].
func (b *Broadcast) Attach(wake func()) { b.wake = wake }

// watch notes that a viewer watches the live match.
func (b *Broadcast) watch(now time.Time) {
	before := b.watched.Swap(now.UnixNano())
	if now.Sub(time.Unix(0, before)) >= watchedTime && b.wake != nil {
		b.wake()
	}
}

// Values returns the values for /metrics and /status.json.
func (b *Broadcast) Values() []web.Value {
	ofShelf := func(read func(s *shelf) int) func() float64 {
		return func() float64 {
			b.shelf.mu.Lock()
			defer b.shelf.mu.Unlock()
			return float64(read(&b.shelf))
		}
	}
	return []web.Value{
		{
			Name: "broadcast_answers_total",
			Kind: metrics.Counter,
			Help: "Answered requests for parts of the broadcast.",
			Read: func() float64 { return float64(b.answers.Load()) },
		},
		{Name: "broadcast_sent_bytes_total", Kind: metrics.Counter, Help: "Bytes of these answers.", Read: func() float64 { return float64(b.sent.Load()) }},
		{Name: "broadcast_segments_total", Kind: metrics.Counter, Help: "Segments recorded.", Read: ofShelf(func(s *shelf) int { return s.added })},
		{Name: "broadcast_memory_bytes", Kind: metrics.Gauge, Help: "Memory used by segments.", Read: ofShelf(func(s *shelf) int { return s.memory })},
		{
			Name: "broadcast_downloads",
			Kind: metrics.Gauge,
			Help: "Running downloads of demos of unfinished matches.",
			Read: func() float64 { return float64(b.downloads.Taken()) },
		},
	}
}

// Recorder implements [server.Broadcast].
func (b *Broadcast) Recorder() *recorder.Recorder { return b.recorder }

// BeginMatch implements [server.Broadcast].
func (b *Broadcast) BeginMatch(_ *game.World, m *bridge.Map) {
	b.end()
	b.gameMap = *m
}

// ObserveTick implements [server.Observer].
func (b *Broadcast) ObserveTick(t *server.Tick) {
	tick := t.World.Tick()
	if !b.settings.on.Load() || b.closed {
		b.end()
		return
	}
	if b.match != nil && b.isOver(t, tick) {
		b.end()
	}
	if b.match == nil && !b.begin(t, tick) {
		return
	}
	if tick%game.TickRate == 0 {
		b.required.Store(int64(requiredDelay(t.World.Rules())))
	}
	if t.People() > 0 {
		b.people, b.seen = true, tick
	}
	if b.batch == nil {
		if b.batch = b.blankBatch(); b.batch == nil {
			b.end()
			return
		}
	}
	for i := range t.GameEvents {
		b.batch.mark(t.World, &t.GameEvents[i], tick)
	}
	if !b.recorder.Due(t.World) {
		return
	}
	record := &b.batch.records[b.batch.n]
	b.recorder.Take(t.World, record)
	if over := t.World.Frame().Game.State&(game.StateRoundOver|game.StateGameOver) != 0; record.Keyframe && over != b.over {
		if b.over = over; over {
			b.batch.markOver()
		}
	}
	b.records++
	b.batch.people[b.batch.n] = b.people && tick-b.seen < traceTicks
	if b.batch.n++; b.batch.n == recordsPerBatch {
		b.batch.result.Take(t.World)
		b.handOver(false)
	}
}

// watchedTime is the time after a request for the live match during which the match counts as
// watched.
const watchedTime = time.Minute

// IsWatched implements [server.Broadcast].
func (b *Broadcast) IsWatched() bool {
	at := b.watched.Load()
	return at != 0 && b.now().Sub(time.Unix(0, at)) < watchedTime
}

// isOver reports whether the broadcast begins another match although the server's match continues.
func (b *Broadcast) isOver(t *server.Tick, tick int32) bool {
	switch {
	case t.NeedsPassword() != b.match.private, tick-b.match.firstTick >= maxMatchTicks:
		return true
	case t.People() > 0:
		return !b.people && tick-b.match.firstTick > idleTicks
	}
	return b.people && tick-b.seen > idleTicks
}

// begin begins a match with this tick. It returns false if the encoding has fallen behind.
func (b *Broadcast) begin(t *server.Tick, tick int32) bool {
	if b.batch = b.blankBatch(); b.batch == nil {
		return false
	}
	cfg := recorder.Config{KeyframeInterval: segmentTicks}
	b.recorder = recorder.New(cfg)
	b.match = newMatch(&b.gameMap, cfg, t, b.now())
	b.people, b.over, b.seen = false, false, tick
	return true
}

// end ends the match, if there is one.
func (b *Broadcast) end() {
	if b.match == nil {
		return
	}
	if b.batch == nil {
		b.batch = b.blankBatch()
	}
	b.handOver(true)
	b.match, b.recorder = nil, nil
}

// handOver queues the batch for encoding. The queue has room for all batches.
func (b *Broadcast) handOver(ends bool) {
	if b.batch == nil {
		return
	}
	b.batch.match, b.batch.ends, b.batch.at, b.batch.keep = b.match, ends, b.now(), b.people
	b.jobs <- b.batch
	b.handed++
	b.batch = nil
}

// blankBatch returns an empty batch, or nil if all wait for encoding.
func (b *Broadcast) blankBatch() *batch {
	select {
	case batch := <-b.blank:
		batch.n, batch.result.Players, batch.markers = 0, batch.result.Players[:0], batch.markers[:0]
		batch.marks = batch.marks[:0]
		return batch
	default:
	}
	if b.made == maxBatches {
		return nil
	}
	b.made++
	return new(batch)
}

// Delay returns the time for which segments are withheld. The end of a match is shown only once it
// is that old.
func (b *Broadcast) Delay() time.Duration {
	return max(time.Duration(b.settings.delay.Load()), time.Duration(b.required.Load()))
}

// rulesDelay is the minimum delay under rules that make information valuable to players: strict
// spectating and tournament mode.
const rulesDelay = 60 * time.Second

func requiredDelay(r game.Rules) time.Duration {
	if r.StrictSpectate || r.TournamentMode != 0 {
		return rulesDelay
	}
	return 0
}
