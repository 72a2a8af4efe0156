package mode

import (
	"strings"

	"github.com/teeyard/teeyard/game"
)

// Named is a mode with the name by which sv_gametype chooses it.
type Named struct {
	Name string           // in lower case
	New  func() game.Mode // makes the mode of a map
}

// List is a list of modes. The first of several with the same name counts.
type List []Named

// New returns a new mode with a name, and false if there is none. It fits
// [github.com/teeyard/teeyard/game/replay.VerifyConfig].
func (l List) New(name string) (game.Mode, bool) {
	if newMode := l.Find(name); newMode != nil {
		return newMode(), true
	}
	return nil, false
}

// Find returns the constructor of a mode, nil if there is none of this name. Upper and lower case
// are equal.
func (l List) Find(name string) func() game.Mode {
	for _, known := range l {
		if strings.EqualFold(known.Name, name) {
			return known.New
		}
	}
	return nil
}

// Names returns the names of all modes.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i := range l {
		names[i] = l[i].Name
	}
	return names
}
