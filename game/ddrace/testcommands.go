package ddrace

import "strings"

// TestCommand is a command of the console that changes the tee of who runs it, for trying out a map.
type TestCommand struct {
	Name string
	Args int // how many numbers it needs
	More int // how many more it takes; before DDNet 20 they mean nothing
	Help string
	run  func(w *World, t *Tee, args []int32)
}

// TestCommands returns the commands of DDNet's sv_test_cmds that [World.RunTestCommand] knows.
func TestCommands() []TestCommand { return testCommands }

var testCommands = []TestCommand{
	give("weapons", "all weapons", allWeapons...),
	take("unweapons", "all weapons", allWeapons...),
	give("shotgun", "a shotgun", WeaponShotgun), take("unshotgun", "the shotgun", WeaponShotgun),
	give("grenade", "a grenade launcher", WeaponGrenade), take("ungrenade", "the grenade launcher", WeaponGrenade),
	give("laser", "a laser", WeaponLaser), take("unlaser", "the laser", WeaponLaser),
	give("rifle", "a laser", WeaponLaser), take("unrifle", "the laser", WeaponLaser),
	give("ninja", "the sword of a ninja", WeaponNinja), take("unninja", "the sword of the ninja", WeaponNinja),
	{"addweapon", 1, 0, "Gives your tee a weapon, 0 to 5 or -1: all", func(w *World, t *Tee, args []int32) { w.giveAll(t, weaponsOf(args[0]), true) }},
	{"removeweapon", 1, 0, "Takes a weapon from your tee, -1: all", func(w *World, t *Tee, args []int32) { w.giveAll(t, weaponsOf(args[0]), false) }},
	{"super", 0, 0, "Makes your tee super", func(w *World, t *Tee, _ []int32) { w.SetSuper(t.ID(), true) }},
	{"unsuper", 0, 0, "Makes your tee a usual one again", func(w *World, t *Tee, _ []int32) { w.SetSuper(t.ID(), false) }},
	{"unsolo", 0, 0, "Takes your tee out of a solo part", func(w *World, t *Tee, _ []int32) { w.SetSolo(t.ID(), false) }},
	{"undeep", 0, 0, "Ends the deep freeze of your tee", func(w *World, t *Tee, _ []int32) {
		t.Deep = false
		w.unfreeze(t)
	}},
	{"livefreeze", 0, 0, "Lets your tee only hook and fire", func(_ *World, t *Tee, _ []int32) { t.Live = true }},
	{"unlivefreeze", 0, 0, "Lets your tee move again", func(_ *World, t *Tee, _ []int32) { t.Live = false }},
	{"jetpack", 0, 0, "Gives your tee a jetpack", func(_ *World, t *Tee, _ []int32) { t.Jetpack = true }},
	{"unjetpack", 0, 0, "Takes the jetpack from your tee", func(_ *World, t *Tee, _ []int32) { t.Jetpack = false }},
	{"endless_hook", 0, 0, "Lets your tee's hook hold for ever", func(_ *World, t *Tee, _ []int32) { t.EndlessHook = true }},
	{"unendless_hook", 0, 0, "Lets your tee's hook end as usual", func(_ *World, t *Tee, _ []int32) { t.EndlessHook = false }},
	{"left", 0, 1, "Moves your tee by a tile", moveTiles(-tileSize, 0)},
	{"right", 0, 1, "Moves your tee by a tile", moveTiles(tileSize, 0)},
	{"up", 0, 1, "Moves your tee by a tile", moveTiles(0, -tileSize)},
	{"down", 0, 1, "Moves your tee by a tile", moveTiles(0, tileSize)},
	{"move", 2, 0, "Moves your tee by tiles, right and down", func(w *World, t *Tee, args []int32) {
		w.moveBy(t, float32(float32(args[0])*tileSize), float32(float32(args[1])*tileSize))
	}},
	{"move_raw", 2, 0, "Moves your tee by 1/32 tiles, right and down", func(w *World, t *Tee, args []int32) {
		w.moveBy(t, float32(args[0]), float32(args[1]))
	}},
}

var allWeapons = []Weapon{WeaponShotgun, WeaponGrenade, WeaponLaser} // that maps have

// weaponsOf returns the weapon of a number, or all for -1.
func weaponsOf(n int32) []Weapon {
	if n == -1 {
		return allWeapons
	}
	return []Weapon{Weapon(n)}
}

func give(name, what string, weapons ...Weapon) TestCommand {
	return TestCommand{name, 0, 0, "Gives your tee " + what, func(w *World, t *Tee, _ []int32) { w.giveAll(t, weapons, true) }}
}

func take(name, what string, weapons ...Weapon) TestCommand {
	return TestCommand{name, 0, 0, "Takes " + what + " from your tee", func(w *World, t *Tee, _ []int32) { w.giveAll(t, weapons, false) }}
}

func (w *World) giveAll(t *Tee, weapons []Weapon, give bool) {
	for _, weapon := range weapons {
		w.GiveWeapon(t.ID(), weapon, give)
	}
}

// moveTiles moves a tee by a tile or, as of DDNet 20, by the number of tiles that the only argument says.
func moveTiles(x, y float32) func(*World, *Tee, []int32) {
	return func(w *World, t *Tee, args []int32) {
		n := float32(1)
		if w.settings.release20() && len(args) == 1 {
			n = float32(args[0])
		}
		w.moveBy(t, float32(n*x), float32(n*y))
	}
}

func (w *World) moveBy(t *Tee, x, y float32) {
	t.Core.Pos = w.onMap(t.Core.Pos.Add(Vec{X: x, Y: y}))
	t.Race = RaceCheat
	if w.settings.release20() {
		t.Core.Vel = Vec{}
	}
}

// RunTestCommand runs one of [TestCommands] for a player's tee, if there is one in the world. It reports
// whether the command is known and has its arguments.
func (w *World) RunTestCommand(id int, name string, args []int32) bool {
	for i := range testCommands {
		if c := &testCommands[i]; strings.EqualFold(c.Name, name) && len(args) >= c.Args {
			if t := w.AliveTee(id); t != nil {
				c.run(w, t, args)
			}
			return true
		}
	}
	return false
}

// TeleportOut puts a tee to an exit of the teleporters with a number, or of its checkpoint if check is
// set. It reports whether there is one.
func (w *World) TeleportOut(id int, number uint8, check bool) bool {
	outs := &w.m.outs
	if check {
		outs = &w.m.checkOuts
	}
	var n int32
	if number > 0 {
		n = outs.count(number)
	}
	if n == 0 {
		return false
	}
	w.Teleport(id, w.m.exit(outs, number, w.rand.choose(n)))
	if t := w.AliveTee(id); t != nil && check {
		t.TeleCheckpoint = number
	}
	return true
}
