package teeverify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
)

// silent are commands without effect in the world, and commands whose effect is in other records.
var silent = []string{
	"team", "lock", "practice", "converse", "c", "w", "whisper", "me", "info", "help", "cmdlist", "list", "rules", "settings", "credits", "emote", "eyeemote",
	"mapinfo",
	"rank", "top", "top5", "teamrank", "rankteam", "top5team", "teamtop5", "times", "points", "top5points", "timer", "time", "saytime", "saytimeall",
	"timeout", "showothers", "showall", "specteam", "dnd", "swap", "invite", "uninvite", "map", "timecp", "load", "specvoted", "pausevoted",
	"practicecmdlist", "cancelswap", "join", "whispers",
}

// command runs a command that changes a tee.
func (t *match) command(id int, rec *teehistorian.Record) {
	name := strings.ToLower(rec.Name)
	tee := t.world.Tee(id)
	if !t.saves && (name == "save" || name == "load") {
		return
	}
	if id >= 0 && rec.Flags&teehistorian.FromChat != 0 && slices.Contains(questions, name) && !t.mayAsk(id, name) {
		return
	}
	switch {
	case name == "load" && len(rec.Args) > 0 && id >= 0 && rec.Flags&teehistorian.FromChat != 0:
		t.beginLoad(id)
	case slices.Contains(silent, name) || id < 0 && rec.Flags == 0:
	case rec.Flags&teehistorian.FromChat == 0 && (t.tuneCommand(name, rec.Args) || t.variable(name, rec.Args)):
	case rec.Flags&teehistorian.FromChat == 0 && t.operator(id, name, rec.Args):
	case name == "pause_game" && rec.Flags&teehistorian.FromChat == 0 && !t.own:
		t.paused = !t.paused
	case id < 0: // not a player in the game
		t.unknown(name)
	case rec.Flags&teehistorian.FromChat != 0 && t.chatCommand(id, name, rec.Args):
	case name == "unlock":
		t.lockTeam(t.world.Team(id), false)
	case t.testCommand(id, name, rec.Args):
	case tee == nil:
	case name == "ninjajetpack":
		tee.NinjaJetpack = !tee.NinjaJetpack
		if n := numbers(rec.Args); len(n) > 0 {
			tee.NinjaJetpack = n[0] != 0
		}
	default:
		t.unknown(name)
	}
}

// chatCommand runs a chat command of a player. It reports whether it knows the command.
func (t *match) chatCommand(id int, name string, args []string) bool {
	switch name {
	case "kill":
		if t.own || t.protected(id) { // our server records /kill only if the tee died
			t.world.Die(id, ddrace.WeaponSelf)
		}
	case "pause":
		t.specCommand(id, args, pausedInPlace)
	case "spec":
		kind := pausedInPlace
		if w := t.world; t.pauseable || w.Settings().Release >= 20 && w.AliveTee(id) != nil && w.Practises(w.Team(id)) {
			kind = pausedVanished
		}
		t.specCommand(id, args, kind)
	case "r", "rescue":
		t.rescue(id)
	case "tp", "teleport":
		t.teleportInPractice(id, args, false)
	case "tc", "telecursor":
		t.teleportInPractice(id, args, t.clients[id].pause == notPaused)
	case "tpxy":
		t.teleportXY(id, args)
	case "lasttp":
		t.teleportAgain(id)
	case "back":
		t.goBack(id)
	case "rescuemode":
		t.rescueMode(id, args)
	case "unpractice":
		t.endPractice(id)
	case "save":
		t.save(id)
	case "team0mode":
		t.team0Mode(id, args)
	default:
		_, known := t.world.RunPracticeCommand(id, name, args)
		return known
	}
	return true
}

func (t *match) testCommand(id int, name string, args []string) bool {
	_, known := t.world.RunTestCommand(id, name, args)
	return known
}

// operator runs a console command that acts on any player. It reports whether it knows the command.
func (t *match) operator(id int, name string, args []string) bool {
	w := t.world
	n := numbers(args)
	switch at, ok := victim(id, args); {
	case name == "tele":
		t.teleport(id, args)
	case (name == "totele" || name == "totelecp") && id >= 0 && len(n) > 0:
		if n[0] > 0 && n[0] < 256 {
			w.TeleportOut(id, uint8(n[0]), name == "totelecp")
		}
	case !ok:
		return false
	case name == "kill_pl":
		w.Die(at, ddrace.WeaponGame)
	case name == "set_team_ddr":
		// A record after this one has the new team. This command only kills.
		if tee := w.AliveTee(at); tee != nil && (w.Team(at) != 0 && tee.Race == ddrace.RaceStarted || w.Practises(w.Team(at))) {
			w.Die(at, ddrace.WeaponGame)
		}
	case name == "freezehammer" || name == "unfreezehammer":
		if tee := w.AliveTee(at); tee != nil {
			tee.FreezeHammer = name == "freezehammer"
		}
	case name == "force_pause" || name == "force_unpause":
		seconds := int32(0)
		if len(n) > 1 {
			seconds = n[1]
		}
		t.forcePause(at, seconds)
	default:
		return false
	}
	return true
}

// numbers returns the arguments as numbers, with 0 for each argument that is not a number.
func numbers(args []string) []int32 {
	list := make([]int32, len(args))
	for i, a := range args {
		n, _ := strconv.ParseInt(a, 10, 32)
		list[i] = int32(n)
	}
	return list
}

// tuneCommand runs a console command about tuning, zones or switches. It reports whether it knows
// the command.
func (t *match) tuneCommand(name string, args []string) bool {
	s := t.world.Settings().Clone()
	switch name {
	case "tune_reset":
		if len(args) == 0 {
			s.Tuning = ddrace.DefaultTuning()
		} else if i := s.TuneParamIndex(args[0]); i >= 0 {
			s.Tuning[i] = ddrace.BareTuning()[i]
		}
	case "tune_zone_reset":
		if len(args) == 0 {
			s.Zones = slices.Repeat([]ddrace.Tuning{ddrace.BareTuning()}, ddrace.NumZones)
		} else if zone := numbers(args)[0]; zone >= 0 && zone < ddrace.NumZones {
			s.SetZone(uint8(zone), ddrace.BareTuning())
		}
	case "tunes", "tune_zone_dump", "tune_zone_enter", "tune_zone_leave", "mapbug":
		return true
	default:
		if _, _, known := s.Command(name, args); !known {
			return false
		}
	}
	t.world.SetSettings(s)
	return true
}

// variable sets a variable of the game. It reports whether there is such a variable.
func (t *match) variable(name string, args []string) bool {
	s := t.world.Settings().Clone()
	field, low, high := &s.Rescue, int32(0), int32(1)
	if name != "sv_rescue" {
		all := ddrace.Variables()
		i := slices.IndexFunc(all, func(v ddrace.Variable) bool { return v.Name == name })
		if i < 0 {
			return false
		}
		field, low, high = all[i].Field(&s), all[i].Min, all[i].Max
	}
	if len(args) > 0 { // without arguments the command only prints the value
		*field = min(max(numbers(args)[0], low), high)
		t.pauseable = s.Pauseable != 0
		t.world.SetSettings(s)
	}
	return true
}

// lock locks or unlocks a player's team. Without an argument it toggles the lock.
func (t *match) lock(id int, args []string) {
	team := t.world.Team(id)
	if team == 0 || team == ddrace.TeamSuper {
		return
	}
	locked := !t.world.Locked(team)
	if len(args) > 0 {
		n, _ := strconv.Atoi(args[0])
		locked = n != 0
	}
	t.lockTeam(team, locked)
}

// team0Mode runs /team0mode of DDNet 20, by which the members of a team race alone.
func (t *match) team0Mode(id int, args []string) {
	w, team := t.world, t.world.Team(id)
	s := w.Settings()
	if s.Release < 20 || s.Team != 1 || t.teams.noTeam0Mode || team == 0 || team >= ddrace.TeamSuper || t.teams.race[team] != raceOpen {
		return
	}
	on := !w.AsZero(team)
	if len(args) > 0 {
		n, _ := strconv.Atoi(args[0])
		on = n != 0
	}
	if on && w.Practises(team) || !on && w.Members(team) > int(s.MaxTeamSize) {
		return
	}
	w.SetAsZero(team, on)
}

// unknown records that the simulation did not follow a command.
func (t *match) unknown(name string) {
	t.cause, t.causeTick = name, t.world.Tick()
	if !slices.Contains(t.res.Unknown, name) && len(t.res.Unknown) < maxUnknown {
		t.res.Unknown = append(t.res.Unknown, name)
	}
}
