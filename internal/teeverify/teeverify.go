// Package teeverify runs what players did on a DDNet-Server in the simulation of package
// ddrace, and compares where every tee was in every tick. What they did, and where they were, is
// in the recording that the server made (format/teehistorian).
package teeverify

import (
	"fmt"
	"io"
	"slices"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// maxSearch is how far back a difference is traced, in ticks.
const maxSearch = 24

// Config says what to verify.
type Config struct {
	// File is the recording. It is read more than once if there are differences.
	File io.ReadSeeker
	// Terrain is that of the map.
	Terrain terrain.Terrain
	// NoSearch leaves out the search for inputs that the recording lacks.
	NoSearch bool
	// Ticks is where to end, 0 for the end of the recording.
	Ticks int32
	// OnTick, if not nil, is called after each tick in which all places were equal.
	OnTick func(*ddrace.World)
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
	// End is why the recording ends: nil, or what is wrong with the file.
	End error

	inputs []Repeat // of the ticks before the difference
}

// Repeat is an input that a client sent again for a tick, before another one.
type Repeat struct {
	Tick   int32 // the one that it is for
	Client int
}

// Difference is a tee that is elsewhere.
type Difference struct {
	Tick     int32
	Client   int
	Recorded *teehistorian.Point // nil if the tee is not there
	Computed *teehistorian.Point
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

// Verify runs a recording. The error is that of the file's header or of the map.
func Verify(cfg Config) (*Result, error) {
	res, err := run(&cfg, nil)
	if err != nil || cfg.NoSearch {
		return res, err
	}
	for res.Difference != nil {
		better, err := search(&cfg, res)
		if err != nil {
			return nil, err
		}
		if better == nil {
			break
		}
		res = better
	}
	return res, nil
}

// search looks for the one input that would explain a difference.
func search(cfg *Config, res *Result) (*Result, error) {
	var best *Result
	at := res.Difference
	for _, c := range res.inputs {
		limited := *cfg
		limited.OnTick = nil
		limited.Ticks = at.Tick + 2*maxSearch
		got, err := run(&limited, append(slices.Clone(res.Repeated), c))
		if err != nil {
			return nil, err
		}
		if got.Difference == nil {
			return run(cfg, got.Repeated)
		}
		if got.Difference.Tick > at.Tick && (best == nil || got.Difference.Tick > best.Difference.Tick) {
			best = got
		}
	}
	return best, nil
}
