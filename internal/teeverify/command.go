package teeverify

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// weaponCommands are the commands that give weapons. With "un" before the name they take them.
var weaponCommands = map[string][]ddrace.Weapon{
	"weapons": {ddrace.WeaponShotgun, ddrace.WeaponGrenade, ddrace.WeaponLaser},
	"shotgun": {ddrace.WeaponShotgun},
	"grenade": {ddrace.WeaponGrenade},
	"laser":   {ddrace.WeaponLaser},
	"rifle":   {ddrace.WeaponLaser},
	"ninja":   {ddrace.WeaponNinja},
}

// silent are commands that change nothing in the world, or what other records say.
var silent = []string{
	"team", "lock", "pause", "practice", "invite", "converse", "c", "w", "whisper", "me", "info", "help", "cmdlist", "list", "rules", "settings", "credits", "emote", "eyeemote", "mapinfo",
	"rank", "top", "top5", "teamrank", "top5team", "teamtop5", "times", "points", "top5points", "timer", "time", "saytime", "saytimeall", "timeout", "showothers", "showall", "specteam", "dnd", "save", "swap",
}

// fromChat is the flag of commands of the chat.
const fromChat = 128

// command runs a command that changes a tee.
func (t *match) command(id int, rec *teehistorian.Record) {
	name := strings.ToLower(rec.Name)
	take := false
	weapons, ok := weaponCommands[name]
	if !ok {
		weapons, take = weaponCommands[strings.TrimPrefix(name, "un")]
	}
	tee := t.world.Tee(max(id, 0))
	switch {
	case slices.Contains(silent, name) || id < 0 && rec.Flags == 0:
	case name == "tune" && len(rec.Args) == 2:
		t.tune(rec.Args[0], rec.Args[1])
	case id < 0:
		t.unknown(name)
	case len(weapons) > 0:
		for _, w := range weapons {
			t.world.GiveWeapon(id, w, !take)
		}
	case name == "kill" && rec.Flags&fromChat != 0:
		t.kill(id)
	case name == "unlock":
		t.lockTeam(t.world.Team(id), false)
	case tee == nil:
	case len(moves[name]) > 0:
		tee.Core.Pos = tee.Core.Pos.Add(vec.Vec2{X: moves[name][0], Y: moves[name][1]})
		t.world.Cheat(id)
	case (name == "move" || name == "move_raw") && len(rec.Args) >= 2:
		x, _ := strconv.Atoi(rec.Args[0])
		y, _ := strconv.Atoi(rec.Args[1])
		if name == "move" {
			x, y = x*32, y*32
		}
		tee.Core.Pos = tee.Core.Pos.Add(vec.Vec2{X: float32(x), Y: float32(y)})
		t.world.Cheat(id)
	case (name == "addweapon" || name == "removeweapon") && len(rec.Args) > 0:
		if w, err := strconv.Atoi(rec.Args[0]); err == nil {
			t.world.GiveWeapon(id, ddrace.Weapon(w), name == "addweapon")
		}
	case name == "super" || name == "unsuper":
		t.world.SetSuper(id, name == "super")
	case name == "unsolo":
		t.world.SetSolo(id, false)
	case name == "jetpack" || name == "unjetpack":
		tee.Jetpack = name == "jetpack"
	case name == "ninjajetpack":
		tee.NinjaJetpack = !tee.NinjaJetpack
	case name == "endless_hook" || name == "unendless_hook":
		tee.EndlessHook = name == "endless_hook"
	case name == "livefreeze" || name == "unlivefreeze":
		tee.Live = name == "livefreeze"
	case name == "undeep":
		tee.Deep = false
		t.world.Unfreeze(id)
	default:
		t.unknown(name)
	}
}

// moves are the commands that move a tee by a tile.
var moves = map[string][]float32{"left": {-32, 0}, "right": {32, 0}, "up": {0, -32}, "down": {0, 32}}

// tune changes a parameter.
func (t *match) tune(name, value string) {
	i := ddrace.TuneParamIndex(name)
	v, err := strconv.ParseFloat(value, 32)
	if i < 0 || err != nil || math.IsNaN(v) {
		return
	}
	s := *t.world.Settings()
	s.Tuning.SetAt(i, float32(v))
	t.world.SetSettings(s)
}

// lock locks the team of a player, or unlocks it without an argument that says which.
func (t *match) lock(id int, args []string) {
	team := t.world.Team(id)
	if team == 0 || team == ddrace.TeamSuper {
		return
	}
	locked := !t.teams.locked[team]
	if len(args) > 0 {
		n, _ := strconv.Atoi(args[0])
		locked = n != 0
	}
	t.lockTeam(team, locked)
}

func (t *match) unknown(name string) {
	if !slices.Contains(t.res.Unknown, name) && len(t.res.Unknown) < 100 {
		t.res.Unknown = append(t.res.Unknown, name)
	}
}
