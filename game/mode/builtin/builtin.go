// Package builtin lists the modes that every server has.
package builtin

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/mode/tdm"
)

// Modes returns the modes.
func Modes() mode.List {
	return mode.List{
		{Name: "dm", New: func() game.Mode { return dm.Mode{} }},
		{Name: "tdm", New: func() game.Mode { return tdm.Mode{} }},
		{Name: "ctf", New: func() game.Mode { return ctf.Mode{} }},
		{Name: "lms", New: func() game.Mode { return lms.Mode{} }},
		{Name: "lts", New: func() game.Mode { return lts.Mode{} }},
		{Name: "race", New: func() game.Mode { return new(race.Mode) }},
		// The example of a mod in Teeworlds. Under its name, the tuning may be changed.
		{Name: "mod", New: func() game.Mode { return dm.Mode{Title: "MOD"} }},
	}
}
