// Package record records the matches of a server: as replay logs, as teehistorians of DDNet, and as
// demos. The server's loop makes the recordings, and goroutines of this package write the files. A
// match goes on if it cannot be recorded.
package record

import (
	"errors"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
)

// Host is the server whose matches are recorded.
type Host interface {
	// Print prints a line for the caller of a command, and for the log.
	Print(who console.Caller, level int, system, line string)
	// Identity returns the name and the port of the server.
	Identity() (name string, port int)
	// Client describes the client of a player. The result is zero for bots.
	Client(id game.PlayerID) recorder.TeehistorianClient
	// ShowLatencies gives a recorder the latencies on the scoreboard.
	ShowLatencies(r *recorder.Recorder)
	// Restart requests a new world on the same map.
	Restart()
}

// Config is the configuration of a [Recorder].
type Config struct {
	Host    Host
	Program string // name and version of the program, for headers
	// Replays, Teehistorians and Demos store the recordings. A nil Folder records nothing.
	Replays, Teehistorians, Demos Folder
	// Broadcast returns the recorder of the broadcast, nil for none. It gets what demos get.
	Broadcast func() *recorder.Recorder
}

// Match is a match that begins: a new world on a map.
type Match struct {
	World    *game.World
	Map      *bridge.Map
	Terrain  game.Terrain
	GameType string
	Mode     game.Mode
	Mods     []game.Mod
	ModNames []string // by which Mods were requested, "" for a mod that the program always has
	Rules    game.Rules
	Tuning   game.Tuning
	Seed     uint64
	// Resumed means that the match began in another process.
	Resumed bool
	// MapFor returns the map in a form that viewers of a demo format can read.
	MapFor func(recorder.Format) (*bridge.Map, error)
}

// Recorder records the matches of a server. For each match, call Begin. For each tick, call
// BeforeTick, then AfterTick, then Event for each event that clients receive, and then EndTick. The
// goroutine of the loop must call the methods.
type Recorder struct {
	Settings Settings

	cfg           Config
	host          Host
	match         Match
	replay        replayLog
	teehistorians teehistorians
	demos         demos
}

// New returns a Recorder without a match.
func New(cfg Config) *Recorder { return &Recorder{cfg: cfg, host: cfg.Host} }

// Begin begins the recordings of a match. End must have ended the match before.
func (r *Recorder) Begin(m Match) {
	r.match = m
	r.beginReplay()
	r.beginTeehistorian()
}

// End ends the recordings of a match whose map changes.
func (r *Recorder) End() {
	r.endReplay(replay.EndMapChange)
	r.endTeehistorian()
	r.endDemo(console.Operator)
}

// AfterTick records a tick. stops are the commands of [game.World.AppendHookStops], and events what
// the world's Step returned.
func (r *Recorder) AfterTick(cmds, stops []game.Command, events []game.Event) {
	r.recordStops(stops)
	r.recordHistory(cmds, events)
	r.Each(func(to *recorder.Recorder, _ bool) { to.Tick(r.match.World, events) })
}

// Event records an event that clients receive in this tick.
func (r *Recorder) Event(ev *game.Event) {
	r.Each(func(to *recorder.Recorder, _ bool) { to.Event(r.match.World, ev) })
}

// Each calls f for the recorder of each demo, and for the recorder of the broadcast. isSeven
// reports whether its viewers have clients of 0.7.
func (r *Recorder) Each(f func(to *recorder.Recorder, isSeven bool)) {
	for _, d := range r.demos.files {
		f(d.recorder, d.header.Version != demo.VersionDDNet)
	}
	if live := r.broadcast(); live != nil {
		f(live, true)
	}
}

// broadcast returns the recorder of the broadcast, nil if there is none.
func (r *Recorder) broadcast() *recorder.Recorder {
	if r.cfg.Broadcast == nil {
		return nil
	}
	return r.cfg.Broadcast()
}

// Update looks after the folder of replay logs between two ticks. With isEmpty, no client is
// connected: then a log that is full ends, with a new world.
func (r *Recorder) Update(isEmpty bool) {
	r.probeReplays()
	if r.replay.full && isEmpty {
		r.replay.full = false
		r.host.Restart()
	}
}

// Crash ends the recordings because the world has panicked in this tick.
func (r *Recorder) Crash(stops []game.Command) {
	if r.replay.state != replayOn {
		return
	}
	r.replay.rec.RecordStops(stops)
	r.Close(replay.EndCrash)
}

// Close ends the recordings, and waits up to two seconds for the disk for each kind of them.
func (r *Recorder) Close(why replay.EndReason) {
	r.closeDemos()
	r.closeTeehistorian()
	r.closeReplay(why)
}

// Pending returns how many pieces of recordings wait for the disk.
func (r *Recorder) Pending() int {
	n := 0
	for _, w := range []*logWriter{r.replay.writer, r.teehistorians.writer} {
		if w != nil {
			n += int(w.pending.Load())
		}
	}
	if w := r.demos.writer; w != nil {
		n += int(w.pending.Load())
	}
	return n
}

// closeTimeout limits how long a server waits for the disk at its end.
const closeTimeout = 2 * time.Second

// tickDuration is the length of one tick.
const tickDuration = time.Second / game.TickRate

var (
	errNoFolder  = errors.New("the server has no folder to write to")
	errStuckDisk = errors.New("the disk does not answer")
)

// print prints a line for the log.
func (r *Recorder) print(level int, system, line string) {
	r.host.Print(console.Operator, level, system, line)
}
