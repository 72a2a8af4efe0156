package ddrace

import (
	"slices"
	"strconv"
	"strings"
)

// Command is a command that changes the tee of the player who runs it, for trying out a map.
type Command struct {
	Name   string
	Params string // as in the console
	Help   string
	// Since20 means that only DDNet 20 has the command.
	Since20 bool
	run     func(w *World, t *Tee, args []string) (answer string)
}

// TestCommands returns the commands of DDNet's sv_test_cmds. [World.RunTestCommand] runs them.
func TestCommands() []Command { return testCommands }

var testCommands = slices.Concat([]Command{
	give("weapons", "all weapons", allWeapons...),
	take("unweapons", "all weapons", allWeapons...),
	give("shotgun", "a shotgun", WeaponShotgun), take("unshotgun", "the shotgun", WeaponShotgun),
	give("grenade", "a grenade launcher", WeaponGrenade), take("ungrenade", "the grenade launcher", WeaponGrenade),
	give("laser", "a laser", WeaponLaser), take("unlaser", "the laser", WeaponLaser),
	give("rifle", "a laser", WeaponLaser), take("unrifle", "the laser", WeaponLaser),
	give("ninja", "the sword of a ninja", WeaponNinja), take("unninja", "the sword of the ninja", WeaponNinja),
	command("addweapon", "i[weapon]", "Gives your tee a weapon, 0 to 5 or -1: all", func(w *World, t *Tee, args []string) {
		w.giveAll(t, weaponsOf(intArg(args, 0)), true)
	}),
	command("removeweapon", "i[weapon]", "Takes a weapon from your tee, -1: all", func(w *World, t *Tee, args []string) {
		w.giveAll(t, weaponsOf(intArg(args, 0)), false)
	}),
	command("super", "", "Makes your tee super", func(w *World, t *Tee, _ []string) { w.SetSuper(t.ID(), true) }),
	command("unsuper", "", "Makes your tee a usual one again", func(w *World, t *Tee, _ []string) { w.SetSuper(t.ID(), false) }),
	command("unsolo", "", "Takes your tee out of a solo part", func(w *World, t *Tee, _ []string) { w.SetSolo(t.ID(), false) }),
	command("undeep", "", "Ends the deep freeze of your tee", func(w *World, t *Tee, _ []string) {
		t.Deep = false
		w.unfreeze(t)
	}),
	state("livefreeze", "Lets your tee only hook and fire", func(t *Tee) *bool { return &t.Live }, true),
	state("unlivefreeze", "Lets your tee move again", func(t *Tee) *bool { return &t.Live }, false),
	state("jetpack", "Gives your tee a jetpack", func(t *Tee) *bool { return &t.Jetpack }, true),
	state("unjetpack", "Takes the jetpack from your tee", func(t *Tee) *bool { return &t.Jetpack }, false),
	command("endless_hook", "", "Lets your tee's hook hold forever", func(w *World, t *Tee, _ []string) { w.setEndlessHook(t, true) }),
	command("unendless_hook", "", "Lets your tee's hook end as usual", func(w *World, t *Tee, _ []string) { w.setEndlessHook(t, false) }),
	command("left", "?i[tiles]", "Moves your tee by a tile", moveTiles(-tileSize, 0)),
	command("right", "?i[tiles]", "Moves your tee by a tile", moveTiles(tileSize, 0)),
	command("up", "?i[tiles]", "Moves your tee by a tile", moveTiles(0, -tileSize)),
	command("down", "?i[tiles]", "Moves your tee by a tile", moveTiles(0, tileSize)),
	command("move", "i[x] i[y]", "Moves your tee by tiles, right and down", func(w *World, t *Tee, args []string) {
		w.moveBy(t, float32(float32(intArg(args, 0))*tileSize), float32(float32(intArg(args, 1))*tileSize))
	}),
	command("move_raw", "i[x] i[y]", "Moves your tee by 1/32 tiles, right and down", func(w *World, t *Tee, args []string) {
		w.moveBy(t, float32(intArg(args, 0)), float32(intArg(args, 1)))
	}),
}, since20(
	command("solo", "", "Puts your tee into a solo part", func(w *World, t *Tee, _ []string) { w.SetSolo(t.ID(), true) }),
	state("deep", "Freezes your tee deeply", func(t *Tee) *bool { return &t.Deep }, true),
	command("freeze", "", "Freezes your tee", func(w *World, t *Tee, _ []string) { w.freeze(t, w.freezeDelay()) }),
	command("unfreeze", "", "Ends the freeze of your tee", func(w *World, t *Tee, _ []string) { w.unfreeze(t) }),
	state("infinite_jump", "Gives your tee unlimited air jumps", func(t *Tee) *bool { return &t.AirJumps }, true),
	state("uninfinite_jump", "Takes unlimited air jumps from your tee", func(t *Tee) *bool { return &t.AirJumps }, false),
	command("setjumps", "i[jumps]", "Gives your tee as many jumps", func(_ *World, t *Tee, args []string) { t.Core.Jumps = intArg(args, 0) }),
	Command{Name: "setswitch", Params: "i[switch] ?i['0'|'1'] ?i[seconds]", Help: "Turns a switch, for some seconds or for good", run: (*World).turnSwitch},
	command("invincible", "?i['0'|'1']", "Nothing on the map harms your tee", func(w *World, t *Tee, args []string) {
		w.setInvincible(t, len(args) == 0 && !t.Invincible || intArg(args, 0) != 0)
	}),
))

// command returns a command without answers.
func command(name, params, help string, run func(*World, *Tee, []string)) Command {
	return Command{Name: name, Params: params, Help: help, run: func(w *World, t *Tee, args []string) string {
		run(w, t, args)
		return ""
	}}
}

// state is a command that turns a state of the tee on or off.
func state(name, help string, of func(*Tee) *bool, on bool) Command {
	return command(name, "", help, func(_ *World, t *Tee, _ []string) { *of(t) = on })
}

func since20(list ...Command) []Command {
	for i := range list {
		list[i].Since20 = true
	}
	return list
}

// intArg returns an argument as a number, or 0 if it is missing or not a number.
func intArg(args []string, i int) int32 {
	if i >= len(args) {
		return 0
	}
	n, _ := strconv.ParseInt(args[i], 10, 32)
	return int32(n)
}

var allWeapons = []Weapon{WeaponShotgun, WeaponGrenade, WeaponLaser} // that maps have

// weaponsOf returns the weapon of a number, or all for -1.
func weaponsOf(n int32) []Weapon {
	if n == -1 {
		return allWeapons
	}
	return []Weapon{Weapon(n)}
}

func give(name, what string, weapons ...Weapon) Command {
	return command(name, "", "Gives your tee "+what, func(w *World, t *Tee, _ []string) { w.giveAll(t, weapons, true) })
}

func take(name, what string, weapons ...Weapon) Command {
	return command(name, "", "Takes "+what+" from your tee", func(w *World, t *Tee, _ []string) { w.giveAll(t, weapons, false) })
}

func (w *World) giveAll(t *Tee, weapons []Weapon, give bool) {
	for _, weapon := range weapons {
		w.GiveWeapon(t.ID(), weapon, give)
	}
}

// moveTiles moves a tee by one tile. As of DDNet 20, a single argument is the number of tiles.
func moveTiles(x, y float32) func(*World, *Tee, []string) {
	return func(w *World, t *Tee, args []string) {
		n := float32(1)
		if w.settings.release20() && len(args) == 1 {
			n = float32(intArg(args, 0))
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

// RunTestCommand runs one of [TestCommands] for a player's tee, if there is one. The answer is for
// the player; most commands have none. known reports whether the command exists and has all its
// arguments.
func (w *World) RunTestCommand(id int, name string, args []string) (answer string, known bool) {
	return w.runCommand(testCommands, id, name, args)
}

func (w *World) runCommand(list []Command, id int, name string, args []string) (answer string, known bool) {
	i := slices.IndexFunc(list, func(c Command) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 || list[i].Since20 && !w.settings.release20() || len(args) < list[i].needs() {
		return "", false
	}
	if t := w.AliveTee(id); t != nil {
		answer = list[i].run(w, t, args)
	}
	return answer, true
}

// needs returns how many arguments the command must have.
func (c *Command) needs() int {
	needed, _, _ := strings.Cut(c.Params, "?")
	return strings.Count(needed, "[")
}

// TeleportOut moves a tee to an exit of the teleporters with a number. If check is set, it uses the
// exits of the checkpoint teleporters, and the tee gets that checkpoint. TeleportOut reports
// whether there is an exit.
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
