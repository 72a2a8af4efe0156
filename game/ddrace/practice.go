package ddrace

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// NotInPractice is the answer to a practice command from a player whose team does not practise.
const NotInPractice = "You're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled."

// PracticeCommands returns the chat commands of DDNet 20 for players of a team in practice.
// [World.RunPracticeCommand] runs them.
func PracticeCommands() []Command { return practiceCommands }

var practiceCommands = slices.Concat(tested(
	"solo", "unsolo", "deep", "undeep", "livefreeze", "unlivefreeze", "addweapon", "removeweapon",
	"weapons", "unweapons", "shotgun", "unshotgun", "grenade", "ungrenade", "laser", "unlaser", "rifle", "unrifle",
	"ninja", "unninja", "jetpack", "unjetpack", "setjumps", "setswitch", "invincible",
	"infjump infinite_jump", "uninfjump uninfinite_jump", "endless endless_hook", "unendless unendless_hook",
), since20(
	command("collision", "", "Lets others push your tee, or not", func(_ *World, t *Tee, _ []string) {
		t.Core.NoCollision = !t.Core.NoCollision
	}),
	command("hookcollision", "", "Lets your tee hook others, or not", func(_ *World, t *Tee, _ []string) {
		t.Core.NoHookHit = !t.Core.NoHookHit
	}),
	command("hitothers", "?s['all'|'hammer'|'shotgun'|'grenade'|'laser']", "Lets your tee hit others, or not", func(_ *World, t *Tee, args []string) {
		t.toggleHits(slices.Concat(args, []string{"all"})[0])
	}),
	Command{Name: "totele", Params: "i[number]", Help: "Takes you to an exit", run: func(w *World, t *Tee, args []string) string {
		return w.practiceExit(t, intArg(args, 0), false, "There is no teleporter with that index on the map.")
	}},
	Command{Name: "totelecp", Params: "i[number]", Help: "Takes you to the exit of a checkpoint", run: func(w *World, t *Tee, args []string) string {
		return w.practiceExit(t, intArg(args, 0), true, "There is no checkpoint teleporter with that index on the map.")
	}},
))

// tested returns test commands under the names that they have in practice. A name can have a second
// part after a blank: the name of the test command, if it differs.
func tested(names ...string) (list []Command) {
	for _, name := range names {
		name, test, other := strings.Cut(name, " ")
		if !other {
			test = name
		}
		c := testCommands[slices.IndexFunc(testCommands, func(c Command) bool { return c.Name == test })]
		c.Name, c.Since20 = name, false
		list = append(list, c)
	}
	return since20(list...)
}

// RunPracticeCommand runs one of [PracticeCommands] for a player's tee, if there is one. The
// results are as for [World.RunTestCommand].
func (w *World) RunPracticeCommand(id int, name string, args []string) (answer string, known bool) {
	if !slices.ContainsFunc(practiceCommands, func(c Command) bool { return strings.EqualFold(c.Name, name) }) {
		return "", false
	}
	if s := &w.settings; s.release20() && w.AliveTee(id) != nil {
		switch {
		case (name == "solo" || name == "unsolo") && (s.Team == 0 || s.ForcedSolo()):
			return "Command is not available on solo servers", true
		case !w.Practises(w.Team(id)):
			return NotInPractice, true
		}
		w.TellTuning(id)
	}
	return w.runCommand(practiceCommands, id, name, args)
}

// toggleHits toggles whether a weapon of a tee hits others.
func (t *Tee) toggleHits(weapon string) {
	switch weapon {
	case "all":
		off := !(t.UnhitHammer && t.UnhitShotgun && t.UnhitGrenade && t.UnhitLaser)
		t.UnhitHammer, t.UnhitShotgun, t.UnhitGrenade, t.UnhitLaser = off, off, off, off
	case "hammer":
		t.UnhitHammer = !t.UnhitHammer
	case "shotgun":
		t.UnhitShotgun = !t.UnhitShotgun
	case "grenade":
		t.UnhitGrenade = !t.UnhitGrenade
	case "laser":
		t.UnhitLaser = !t.UnhitLaser
	}
}

// practiceExit teleports a tee to an exit, and answers if there is none.
func (w *World) practiceExit(t *Tee, n int32, check bool, none string) string {
	if n < 1 || n > 255 || !w.TeleportOut(t.ID(), uint8(n), check) {
		return none
	}
	w.TeleportInPractice(t.ID(), t.Core.Pos)
	return ""
}

// TeleportXY teleports a tee in practice to a place in tiles. "~" stands for the place in the view
// of its player, as in "~-2".
func (w *World) TeleportXY(id int, view Vec, x, y string) (answer string) {
	to, ok := coordinate(x, view.X, w.m.width)
	if !ok {
		return "Invalid X coordinate."
	}
	at := Vec{X: to}
	if at.Y, ok = coordinate(y, view.Y, w.m.height); !ok {
		return "Invalid Y coordinate."
	}
	w.TeleportInPractice(id, at)
	return ""
}

// coordinate parses a coordinate in tiles and returns it in units, limited to the map and its
// surroundings. tiles is the map's width or height. A leading ~ means relative to view.
func coordinate(text string, view float32, tiles int32) (v float32, ok bool) {
	text, relative := strings.CutPrefix(text, "~")
	n, err := float64(0), error(nil)
	if text != "" {
		n, err = strconv.ParseFloat(text, 64)
	}
	v = float32(n)
	if err != nil || math.IsNaN(n) || math.IsInf(float64(v), 0) {
		return 0, false
	}
	v = float32(v * tileSize)
	if relative {
		v += view
	}
	const outside = (maxOutside+1)*tileSize - 1
	return min(max(v, -outside), float32(tiles*tileSize+outside)), true
}

// EndPractice ends the practice of a player's team and kills the team. With sv_solo_server, or
// without teams, it kills only the player's tee. The player gets a new tee at once.
func (w *World) EndPractice(id int) {
	team := w.Team(id)
	for i := range w.seats {
		if i == id || w.players[i].inGame && w.players[i].team == team && w.settings.SoloServer == 0 && w.settings.Team != 0 {
			w.Die(i, WeaponSelf)
		}
	}
	w.SetPractice(team, false)
	w.Respawn(id)
}
