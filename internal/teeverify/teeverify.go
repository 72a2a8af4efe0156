// Package teeverify reruns a recording of DDNet-Server (format/teehistorian) in the simulation of
// package ddrace. It applies the recorded actions of the players, and compares the position of
// every tee in every tick with the recording.
package teeverify

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// maxSearch is how many ticks before a difference the search looks for its cause.
const maxSearch = 24

// maxSearchWork is the default of Config.SearchWork: some minutes. A file can have a difference in
// each tick, and 1600 inputs that may explain it.
const maxSearchWork = 1e10

// progressTicks is the number of ticks between two calls of Config.Progress.
const progressTicks = 100

// ErrIdle means that the recording skips so many ticks that Verify does not run them all.
var ErrIdle = errors.New("teeverify: the recording skips too many ticks")

// Config says what to verify.
type Config struct {
	// File is the recording.
	File io.Reader
	// Terrain is the terrain of the map.
	Terrain terrain.Terrain
	// NoSearch turns off the search for inputs that the recording lacks.
	NoSearch bool
	// SearchWork limits the total work of these searches, in units of about 10 ns; 0 means some
	// minutes.
	SearchWork int64
	// Ticks is the tick to end at; 0 means the end of the recording.
	Ticks int32
	// OnTick, if not nil, is called once after each tick in which all positions were equal, with
	// the tick's events. It must not change the world. The next call may get another world. If
	// OnTick returns an error, Verify ends.
	OnTick func(*ddrace.World, []ddrace.Event) error
	// Progress, if not nil, is called from time to time with the current tick.
	Progress func(tick int32)
	// OnAction, if not nil, is called once for each record between two ticks, after OnTick of the
	// first of these ticks.
	OnAction func(*teehistorian.Record)
}

// Result is the result of a verification.
type Result struct {
	Header   *teehistorian.Header
	Ticks    int32
	TeeTicks int // number of positions compared
	// Repeated are inputs that the recording lacks and that explain differences. DDNet-Server does
	// not record an input that equals the client's last one, even if another input for the same
	// tick follows.
	Repeated []Repeat
	// Moves are the changes of team that the recording lacks and that explain differences.
	// DDNet-Server does not record those of players who speak 0.7.
	Moves []Move
	// Difference is the first difference without an explanation, or nil.
	Difference *Difference
	// Faults are map features that the simulation does not support. Unknown are commands in the
	// recording that the simulation does not know.
	Faults  ddrace.Faults
	Unknown []string
	// Lost are the tees that followed the recording, instead of the simulation, after an unknown
	// command. Each is lost up to its next spawn. NotCompared is the number of their positions.
	Lost        []Lost
	NotCompared int
	// GaveUp means that the search for explanations reached SearchWork before it had tried all
	// inputs.
	GaveUp bool
	// End is the error at the end of the recording: nil, a fault of the file, or ErrIdle.
	End error

	inputs []Repeat // inputs in the ticks before the difference
}

// Repeat is an input that a client sent twice for one tick, before another input.
type Repeat struct {
	Tick   int32 // the tick that the input is for
	Client int
}

// Move is a player who became a spectator, or who joined the game, before a tick.
type Move struct {
	Tick      int32
	Client    int
	Spectates bool
}

// Lost is a tee that left its recorded path after an unknown command.
type Lost struct {
	Tick   int32 // the first tick with a difference
	Client int
	Cause  string // the unknown command
	Since  int32  // the tick of the command
}

// Difference is a tee with different positions in the recording and the simulation.
type Difference struct {
	Tick     int32
	Client   int
	Recorded *teehistorian.Point // nil if the recording has no such tee
	Computed *teehistorian.Point

	cause string // the last unknown command before the difference
	since int32  // the tick of that command
}

// isAfter reports whether d comes later in the comparison than o.
func (d *Difference) isAfter(o *Difference) bool {
	return d.Tick > o.Tick || d.Tick == o.Tick && d.Client > o.Client
}

// String describes the difference in a sentence.
func (d *Difference) String() string {
	where := func(p *teehistorian.Point) string {
		if p == nil {
			return "not there"
		}
		return fmt.Sprintf("at %d,%d", p.X, p.Y)
	}
	return fmt.Sprintf("tick %d: the tee of client %d is %s in the recording and %s in the simulation", d.Tick, d.Client, where(d.Recorded), where(d.Computed))
}

// Verify reruns a recording and compares it. It returns an error for a bad header or map, and
// OnTick's error.
func Verify(cfg Config) (*Result, error) {
	t, err := newMatch(&cfg)
	if err != nil {
		return nil, err
	}
	last := cfg.Ticks
	if last == 0 {
		last = math.MaxInt32
	}
	for t.run(last); t.res.Difference != nil && !cfg.NoSearch; t.run(last) {
		d := t.res.Difference
		if t.move(d) {
			continue
		}
		searches := d.cause == "" || len(t.res.Lost) < maxSearched
		if !(searches && t.search()) && !t.lose(d) {
			break
		}
	}
	return t.res, t.err
}

// search looks for an input that explains the current difference. If it finds one, it goes back to
// before the difference with that input added.
func (t *match) search() bool {
	before := *t.res
	first := before.Difference
	at := first.Tick
	from := t.before(at)
	found, furthest := Repeat{}, first
	gaveUp := false
	for _, c := range before.inputs {
		if gaveUp = t.searched >= cmp.Or(t.cfg.SearchWork, maxSearchWork); gaveUp {
			break
		}
		t.try(from, append(slices.Clone(before.Repeated), c), at+2*maxSearch)
		d := t.res.Difference
		if d == nil || d.isAfter(furthest) {
			found, furthest = c, d
		}
		if d == nil {
			break
		}
	}
	if furthest == first {
		*t.res = before
		t.res.GaveUp = t.res.GaveUp || gaveUp
		return false
	}
	t.back(from)
	t.res.Repeated = append(slices.Clone(before.Repeated), found)
	return true
}

// before returns the checkpoint from which to search for a difference in a tick.
func (t *match) before(tick int32) *checkpoint {
	if c := &t.checkpoints[len(t.checkpoints)-1]; c.tick < tick-maxSearch {
		return c
	}
	return &t.checkpoints[0]
}

// back goes back to a checkpoint for good.
func (t *match) back(to *checkpoint) {
	t.restore(to)
	if to == &t.checkpoints[0] {
		t.checkpoints = t.checkpoints[:1] // the newer checkpoint contains the difference
	}
}

// try runs from a checkpoint up to a tick, with added inputs that the recording lacks.
func (t *match) try(from *checkpoint, repeated []Repeat, last int32) {
	t.searching = true
	t.searchWork(restoreWork + int64(len(repeated)))
	t.restore(from)
	t.res.Repeated = repeated
	t.run(last)
	t.searching = false
}
