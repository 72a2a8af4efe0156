// Package route finds ways through maps of DDRace: the inputs that bring a tee from its spawn to the
// finish, alone.
//
// A [Search] simulates short maneuvers with the rules of the game, game/ddrace, from places that it
// reached before, first from those that are nearest to the goal by the tiles of the map. It uses no
// clock and no other randomness than its seed, so equal searches find equal routes.
package route

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// Config says what to search.
type Config struct {
	Terrain terrain.Terrain
	// Settings are those of the server; nil means ddrace.DefaultSettings.
	Settings *ddrace.Settings
	// Seed initialises the random numbers.
	Seed uint64
	// Memory limits about how many bytes the search keeps to go on from; 0 means 64 MiB. Of what
	// is more, it forgets what is farthest from the goal.
	Memory int
}

// world returns a world with a tee that has just spawned, if the map lets it.
func (c *Config) world() (*ddrace.World, error) {
	settings := ddrace.DefaultSettings()
	if c.Settings != nil {
		settings = *c.Settings
	}
	m, err := ddrace.NewMap(&c.Terrain, settings)
	if err != nil {
		return nil, err
	}
	w := ddrace.New(ddrace.Config{Map: m})
	spawn(w)
	return w, nil
}

// spawn lets the only player get a tee.
func spawn(w *ddrace.World) {
	w.Enter(me, false)
	for range 10 {
		if w.Step(nil); w.Tee(me) != nil {
			return
		}
	}
}

// Step is an input that is held for some ticks.
type Step struct {
	Ticks            uint8
	Direction        int8 // -1 left, 1 right
	Jump, Hook, Fire bool
	TargetX, TargetY int16 // units
	Weapon           uint8 // wanted, 1 more than its number; 0 for none
}

// rest is the input of a tee that waits.
var rest = Step{TargetX: 1}

// Route is a way from a spawn point. The first step is for the tick after that of the spawn; at its end
// the tee is at rest, and can be so for any time.
type Route struct {
	Steps    []Step
	Ticks    int
	Finished bool // it touches the finish line
	// Left is how far the end is from the goal, and Length how far the spawn is, in tiles of the
	// shortest way, of which those that freeze count as 50.
	Left, Length int
}

// Input returns the step as an input. Fire is the counter of the input before it.
func (s *Step) Input(fire int32) ddrace.Input {
	if s.Fire != (fire&1 != 0) {
		fire = (fire + 1) & 63
	}
	return ddrace.Input{
		Direction: int32(s.Direction), Jump: s.Jump, Hook: s.Hook, Fire: fire,
		TargetX: int32(s.TargetX), TargetY: int32(s.TargetY), WantedWeapon: int32(s.Weapon),
	}
}

// same reports whether both are the same input.
func (s *Step) same(o *Step) bool {
	a, b := *s, *o
	a.Ticks, b.Ticks = 0, 0
	return a == b
}
