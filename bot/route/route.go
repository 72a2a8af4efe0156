package route

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// Config is the configuration of a Search.
type Config struct {
	Terrain terrain.Terrain
	// Settings are the settings of the server; nil means ddrace.DefaultSettings.
	Settings *ddrace.Settings
	// Seed initialises the random numbers.
	Seed uint64
	// Memory is the approximate limit in bytes for saved places; 0 means 64 MiB. At the limit the
	// search forgets the places farthest from the goal.
	Memory int
}

// world returns a world in which a tee has just spawned, if the map has a spawn point.
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

// spawn spawns the tee of the only player.
func spawn(w *ddrace.World) {
	w.Enter(me, false)
	for range 10 {
		if w.Step(nil); w.Tee(me) != nil {
			return
		}
	}
}

// Step is an input that is held for a number of ticks.
type Step struct {
	Ticks            uint8
	Direction        int8 // -1 left, 1 right, 0 none
	Jump, Hook, Fire bool
	TargetX, TargetY int16 // units
	Weapon           uint8 // wanted weapon plus 1; 0 for none
}

// rest is the input of a waiting tee.
var rest = Step{TargetX: 1}

// Route is a way from a spawn point. The first step of a route is for the tick after the spawn. The
// tee then comes to rest and may wait for any time before it continues.
type Route struct {
	Steps    []Step
	Ticks    int
	Finished bool // whether it reaches the finish line
	// Left is the distance from the end to the goal, and Length the distance from the spawn point.
	// Both distances are in tiles along the shortest way. A freezing tile counts as 50 tiles.
	Left, Length int
}

// Input returns the step as an input. fire is the fire counter of the previous input.
func (s *Step) Input(fire int32) ddrace.Input {
	if s.Fire != (fire&1 != 0) {
		fire = (fire + 1) & 63
	}
	return ddrace.Input{
		Direction: int32(s.Direction), Jump: s.Jump, Hook: s.Hook, Fire: fire,
		TargetX: int32(s.TargetX), TargetY: int32(s.TargetY), WantedWeapon: int32(s.Weapon),
	}
}

// same reports whether both steps are the same input.
func (s *Step) same(o *Step) bool {
	a, b := *s, *o
	a.Ticks, b.Ticks = 0, 0
	return a == b
}
