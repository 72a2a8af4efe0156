package runs

import (
	"sync/atomic"

	"github.com/teeyard/teeyard/server/console"
)

// Settings selects the runs that a [Keeper] keeps. Register sets the defaults.
type Settings struct {
	which, megabytes atomic.Int64
}

// Values of sv_replay_finishes.
const (
	keepNone = iota
	keepRecords
	keepPersonal
	keepAll
)

// defaultMegabytes is the default of sv_replay_finishes_max_mb.
const defaultMegabytes = 512

func (s *Settings) setDefaults() {
	s.which.Store(keepPersonal)
	s.megabytes.Store(defaultMegabytes)
}

// Register adds the variables to a console.
func (s *Settings) Register(c *console.Console) error {
	s.setDefaults()
	for _, v := range []struct {
		console.IntVar
		to *atomic.Int64
	}{
		{console.IntVar{Name: "sv_replay_finishes", Help: "Finishes of which the server keeps the part of the replay log (0 = none, 1 = best times on " +
			"the map, 2 = best times of players, 3 = all)", Default: keepPersonal, Min: keepNone, Max: keepAll}, &s.which},
		{console.IntVar{Name: "sv_replay_finishes_max_mb", Help: "Megabytes of these parts to keep; the server deletes the oldest",
			Default: defaultMegabytes, Min: 1, Max: 1 << 20}, &s.megabytes},
	} {
		v.Value, v.Flags = new(int), console.Server|console.Save
		if err := c.RegisterInt(v.IntVar); err != nil {
			return err
		}
		if err := c.After(v.Name, func(*console.Call) { v.to.Store(int64(*v.Value)) }); err != nil {
			return err
		}
	}
	return nil
}
