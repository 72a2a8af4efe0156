// Package teeverify runs what players did on a DDNet-Server in the simulation of package
// ddrace, and compares where every tee was in every tick. What they did, and where they were, is
// in the recording that the server made (format/teehistorian).
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

// maxSearch is how far back a difference is traced, in ticks.
const maxSearch = 24

// maxSearchWork is how much work the searches of a recording are, all together, if Config does not say it: some minutes.
// A file can have a difference in each tick, and 1600 inputs that may explain it.
const maxSearchWork = 1e10

// progressTicks is how often Config.Progress is called, in ticks.
const progressTicks = 100

// ErrIdle means that a recording goes on so long without a record that it is not run to its end.
var ErrIdle = errors.New("teeverify: too many ticks in which nothing is recorded")

// Config says what to verify.
type Config struct {
	// File is the recording.
	File io.Reader
	// Terrain is that of the map.
	Terrain terrain.Terrain
	// NoSearch leaves out the search for inputs that the recording lacks.
	NoSearch bool
	// SearchWork is how much work these searches may be, all together, in units of some 10 ns; 0 for some minutes.
	SearchWork int64
	// Ticks is where to end, 0 for the end of the recording.
	Ticks int32
	// OnTick, if not nil, is called after each tick in which all places were equal, once, with what happened in it. It
	// must not change the world, and may be called with another one for the next tick. With an error, Verify ends.
	OnTick func(*ddrace.World, []ddrace.Event) error
	// Progress, if not nil, is called now and then with the tick that was reached.
	Progress func(tick int32)
	// OnAction, if not nil, is called for what is recorded between two ticks, once, after the OnTick of the first of them.
	OnAction func(*teehistorian.Record)
}

// Result is what was found.
type Result struct {
	Header   *teehistorian.Header
	Ticks    int32
	TeeTicks int // places that were compared
	// Repeated are the inputs that the recording lacks: its server leaves out an input that is
	// the client's last one again, even if another one for the same tick follows.
	Repeated []Repeat
	// Difference is the first one, nil if there is none.
	Difference *Difference
	// Faults are what the map has and the simulation does not support, Unknown the commands in
	// the recording that it does not know.
	Faults  ddrace.Faults
	Unknown []string
	// Lost are the tees that were only put where the recording has them, since something before was not
	// followed, each up to its next spawn. NotCompared are their places.
	Lost        []Lost
	NotCompared int
	// GaveUp means that some differences were not searched for all inputs that may explain them, since that takes too long.
	GaveUp bool
	// End is why the recording ends: nil, or what is wrong with the file, or ErrIdle.
	End error

	inputs []Repeat // of the ticks before the difference
}

// Repeat is an input that a client sent again for a tick, before another one.
type Repeat struct {
	Tick   int32 // the one that it is for
	Client int
}

// Lost is a tee that is elsewhere since something was not followed.
type Lost struct {
	Tick   int32 // the first one in which it is
	Client int
	Cause  string // the command that was not followed
	Since  int32  // tick of that
}

// Difference is a tee that is elsewhere.
type Difference struct {
	Tick     int32
	Client   int
	Recorded *teehistorian.Point // nil if the tee is not there
	Computed *teehistorian.Point

	cause string // the last thing before that was not followed
	since int32  // the tick of that
}

// isAfter reports whether more places before d were compared than before o.
func (d *Difference) isAfter(o *Difference) bool {
	return d.Tick > o.Tick || d.Tick == o.Tick && d.Client > o.Client
}

// String returns a sentence.
func (d *Difference) String() string {
	where := func(p *teehistorian.Point) string {
		if p == nil {
			return "not there"
		}
		return fmt.Sprintf("at %d,%d", p.X, p.Y)
	}
	return fmt.Sprintf("tick %d: the tee of client %d is %s in the recording and %s in the simulation", d.Tick, d.Client, where(d.Recorded), where(d.Computed))
}

// Verify runs a recording. The error is that of the file's header, of the map or of OnTick.
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
		searches := d.cause == "" || len(t.res.Lost) < maxSearched
		if !(searches && t.search()) && !t.lose(d) {
			break
		}
	}
	return t.res, t.err
}

// search looks for the one input that would explain a difference, and goes back to before it if
// there is one.
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

// before returns the checkpoint to trace a difference in a tick from.
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
		t.checkpoints = t.checkpoints[:1] // the other one has the difference in it
	}
}

// try runs from a checkpoint up to a tick, with inputs that the recording lacks.
func (t *match) try(from *checkpoint, repeated []Repeat, last int32) {
	t.searching = true
	t.searchWork(restoreWork + int64(len(repeated)))
	t.restore(from)
	t.res.Repeated = repeated
	t.run(last)
	t.searching = false
}
