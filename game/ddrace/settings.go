package ddrace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Settings are the console variables and commands that a map can contain to change its rules.
// [DefaultSettings] returns the settings of a server without configuration.
type Settings struct {
	Tuning Tuning
	// Zones are the tunings of the tune zones; nil means [DefaultTuning] for all. Zone 0 is the
	// area outside of zones; it uses Tuning instead.
	Zones []Tuning
	// ZoneEnter and ZoneLeave are the messages to tees that enter and leave a zone; nil means no
	// messages. In a text, \n (a backslash and an n) separates lines.
	ZoneEnter, ZoneLeave []string
	// Open are the switches that start inactive.
	Open SwitchSet

	Hit                   int32 // sv_hit: weapons affect others
	EndlessDrag           int32 // sv_endless_drag: hooks hold forever
	FreezeDelay           int32 // sv_freeze_delay: seconds, 1..30
	SaveWorseScores       int32 // sv_save_worse_scores
	Pauseable             int32 // sv_pauseable
	Team                  int32 // sv_team: 0 off, 1 optional, 2 mandatory, 3 each player alone
	MinTeamSize           int32 // sv_min_team_size
	MaxTeamSize           int32 // sv_max_team_size
	OldLaser              int32 // sv_old_laser
	NoWeakHookAndBounce   int32 // sv_no_weak_hook_and_bounce
	NoWeakHook            int32 // sv_no_weak_hook: the same in DDNet 20, where other entities move first
	ResetPickups          int32 // sv_reset_pickups
	ShowOthersDefault     int32 // sv_show_others_default
	PlasmaRange           int32 // sv_plasma_range: units
	PlasmaPerSec          int32 // sv_plasma_per_sec: shots of turrets, 0..50
	DraggerRange          int32 // sv_dragger_range: units
	SoloServer            int32 // sv_solo_server
	OldTeleportWeapons    int32 // sv_old_teleport_weapons
	OldTeleportHook       int32 // sv_old_teleport_hook
	TeleportHoldHook      int32 // sv_teleport_hold_hook
	TeleportLoseWeapons   int32 // sv_teleport_lose_weapons
	Deepfly               int32 // sv_deepfly: hammers work in deep freeze
	DestroyBulletsOnDeath int32 // sv_destroy_bullets_on_death
	Rescue                int32 // sv_rescue: tees can be taken back to where they stood; not in maps
	EndlessSuperHook      int32 // sv_endless_super_hook: the hooks of super tees hold forever; not in maps
	DestroyLasersOnDeath  int32 // sv_destroy_lasers_on_death
	Release               int32 // sv_ddnet_physics: the version of DDNet: 16 for 16.4, or 20; versions between are like 16

	// DoubleExplosion is the map bug by which grenades at the end of their time explode twice.
	DoubleExplosion bool
}

// NumZones is the number of tune zones, including zone 0, the area outside of zones.
const NumZones = 256

// Variable is a console variable in [Settings].
type Variable struct {
	Name, Help        string
	Default, Min, Max int32
	Field             func(*Settings) *int32
}

// Late reports whether matches were recorded before the variable was added; see game.IntVar. Only
// states under the rules that have such a setting contain it.
func (v *Variable) Late() bool { return v.Name == "sv_no_weak_hook" }

// Variables returns the console variables of [Settings].
func Variables() []Variable { return slices.Clone(variables[:]) }

var variables = [...]Variable{
	{"sv_hit", "Weapons affect others", 1, 0, 1, func(s *Settings) *int32 { return &s.Hit }},
	{"sv_endless_drag", "Hooks hold forever", 0, 0, 1, func(s *Settings) *int32 { return &s.EndlessDrag }},
	{"sv_freeze_delay", "Seconds that tees freeze", 3, 1, 30, func(s *Settings) *int32 { return &s.FreezeDelay }},
	{"sv_save_worse_scores", "Also keep finishes that are not the player's best time", 1, 0, 1, func(s *Settings) *int32 { return &s.SaveWorseScores }},
	{"sv_pauseable", "/spec takes the tee out of the world while its clock runs on", 0, 0, 1, func(s *Settings) *int32 { return &s.Pauseable }},
	{"sv_team", "Teams (0 = off, 1 = on, 2 = needed to start, 3 = all alone)", 1, 0, 3, func(s *Settings) *int32 { return &s.Team }},
	{"sv_min_team_size", "Number of members that a team needs for a team finish", 2, 1, 64, func(s *Settings) *int32 { return &s.MinTeamSize }},
	{"sv_max_team_size", "Largest number of members of a team", 64, 1, MaxTees, func(s *Settings) *int32 { return &s.MaxTeamSize }},
	{"sv_old_laser", "Lasers never hit their shooter; shotguns pull to the shooter", 0, 0, 1, func(s *Settings) *int32 { return &s.OldLaser }},
	{"sv_no_weak_hook_and_bounce", "All tees' hooks are equally strong", 0, 0, 1, func(s *Settings) *int32 { return &s.NoWeakHookAndBounce }},
	{"sv_no_weak_hook", "All hooks are equally strong (needs sv_ddnet_physics 20)", 0, 0, 1, func(s *Settings) *int32 { return &s.NoWeakHook }},
	{"sv_reset_pickups", "Weapons are lost on the start line", 0, 0, 1, func(s *Settings) *int32 { return &s.ResetPickups }},
	{"sv_show_others_default", "Tees that players see (0 = their choice, 1 = all, 2 = own team)", 0, 0, 2,
		func(s *Settings) *int32 { return &s.ShowOthersDefault }},
	{"sv_plasma_range", "Range of turrets in 1/32 tile", 700, 1, 99999, func(s *Settings) *int32 { return &s.PlasmaRange }},
	{"sv_plasma_per_sec", "Shots of a turret per second", 3, 0, 50, func(s *Settings) *int32 { return &s.PlasmaPerSec }},
	{"sv_dragger_range", "Range of draggers in 1/32 tile", 700, 1, 99999, func(s *Settings) *int32 { return &s.DraggerRange }},
	{"sv_solo_server", "Tees are alone: they do not collide with or hook others", 0, 0, 1, func(s *Settings) *int32 { return &s.SoloServer }},
	{"sv_old_teleport_weapons", "Teleporters for tees teleport bullets and lasers, too", 0, 0, 1, func(s *Settings) *int32 { return &s.OldTeleportWeapons }},
	{"sv_old_teleport_hook", "Teleporters for tees teleport hooks, too", 0, 0, 1, func(s *Settings) *int32 { return &s.OldTeleportHook }},
	{"sv_teleport_hold_hook", "Hooks hold when their tee is teleported", 0, 0, 1, func(s *Settings) *int32 { return &s.TeleportHoldHook }},
	{"sv_teleport_lose_weapons", "Weapons are lost in red teleporters", 0, 0, 1, func(s *Settings) *int32 { return &s.TeleportLoseWeapons }},
	{"sv_deepfly", "Tees in deep freeze can fire the hammer", 1, 0, 1, func(s *Settings) *int32 { return &s.Deepfly }},
	{"sv_destroy_bullets_on_death", "Bullets end with the tee that fired them", 1, 0, 1, func(s *Settings) *int32 { return &s.DestroyBulletsOnDeath }},
	{"sv_destroy_lasers_on_death", "Lasers end with the tee that fired them", 0, 0, 1, func(s *Settings) *int32 { return &s.DestroyLasersOnDeath }},
	{"sv_ddnet_physics", "DDNet's physics to use (16 = those of 16.4, 20)", 16, 16, 20, func(s *Settings) *int32 { return &s.Release }},
}

// IsSetting reports whether [Settings] has the console variable with this name.
func IsSetting(name string) bool {
	return slices.ContainsFunc(variables[:], func(v Variable) bool { return v.Name == name })
}

// Value returns the value of the console variable called name. ok reports whether Settings has it.
func (s *Settings) Value(name string) (value int32, ok bool) {
	for _, v := range &variables {
		if v.Name == name {
			return *v.Field(s), true
		}
	}
	return 0, false
}

// Changed iterates over the variables that differ from their defaults.
func (s *Settings) Changed(yield func(name string, value int32) bool) {
	for _, v := range &variables {
		if value := *v.Field(s); value != v.Default && !yield(v.Name, value) {
			return
		}
	}
}

// DefaultSettings returns the settings of a server without configuration.
func DefaultSettings() Settings {
	s := Settings{Tuning: DefaultTuning()}
	for _, v := range &variables {
		*v.Field(&s) = v.Default
	}
	return s
}

// Clamp limits all variables to their ranges.
func (s *Settings) Clamp() {
	for _, v := range &variables {
		f := v.Field(s)
		*f = min(max(*f, v.Min), v.Max)
	}
	s.Rescue, s.EndlessSuperHook = min(max(s.Rescue, 0), 1), min(max(s.EndlessSuperHook, 0), 1)
	if len(s.Zones) != NumZones {
		s.Zones = nil
	}
}

// ForcedSolo reports whether each player races alone (sv_team 3).
func (s *Settings) ForcedSolo() bool { return s.Team == 3 }

// release20 reports whether the physics are DDNet 20's.
func (s *Settings) release20() bool { return s.Release >= 20 }

// EqualHooks reports whether no hook is weak. The forces between tees then come after the cores of
// all tees. beforeEntities reports whether the cores come before all other entities, as in 16.4.
// In DDNet 20, they come after the other entities.
func (s *Settings) EqualHooks() (equal, beforeEntities bool) {
	if s.NoWeakHookAndBounce != 0 {
		return true, true
	}
	return s.NoWeakHook != 0 && s.release20(), false
}

// NumTuneParams returns the number of tuning parameters in the release.
func (s *Settings) NumTuneParams() int {
	if s.release20() {
		return NumTuneParams
	}
	return NumTuneParams16
}

// SetTuneParams selects the physics of the release with n tuning parameters.
func (s *Settings) SetTuneParams(n int) {
	s.Release = 16
	if n > NumTuneParams16 {
		s.Release = 20
	}
}

// TuneParamIndex returns the index of the parameter with that name, or -1. It ignores ASCII case.
func (s *Settings) TuneParamIndex(name string) int {
	if i := TuneParamIndex(name); i < s.NumTuneParams() {
		return i
	}
	return -1
}

// Clone returns a copy that shares no memory with s.
func (s *Settings) Clone() Settings {
	c := *s
	c.Zones = slices.Clone(s.Zones)
	c.ZoneEnter, c.ZoneLeave = slices.Clone(s.ZoneEnter), slices.Clone(s.ZoneLeave)
	return c
}

// tuningIn returns the tuning of tees in a tune zone, or outside of zones.
func (s *Settings) tuningIn(n uint8) *Tuning {
	switch {
	case n == 0:
		return &s.Tuning
	case s.Zones == nil:
		return &zonePreset
	}
	return &s.Zones[n]
}

var zonePreset = DefaultTuning()

// Zone returns the tuning of a tune zone. Tees in zone 0 use Tuning instead.
func (s *Settings) Zone(n uint8) Tuning {
	if s.Zones == nil {
		return zonePreset
	}
	return s.Zones[n]
}

// SetZone changes the tuning of zone n. It copies the list of zones, since other settings may share
// it.
func (s *Settings) SetZone(n uint8, t Tuning) {
	if s.Zones == nil {
		s.Zones = slices.Repeat([]Tuning{zonePreset}, NumZones)
	} else {
		s.Zones = slices.Clone(s.Zones)
	}
	s.Zones[n] = t
}

// SetZoneMessage changes the message to tees that enter or leave a tune zone. Like SetZone, it
// copies the list.
func (s *Settings) SetZoneMessage(n uint8, enter bool, text string) {
	list := &s.ZoneLeave
	if enter {
		list = &s.ZoneEnter
	}
	*list = append(make([]string, 0, NumZones), *list...)[:NumZones]
	(*list)[n] = text
}

// applyTile applies a tile that counts for the whole map.
func (s *Settings) applyTile(index uint8) {
	switch index {
	case tileOldLaser:
		s.OldLaser = 1
	case tileNoCollision:
		s.Tuning[PlayerCollision] = 0
	case tileEndlessDrag:
		s.EndlessDrag = 1
	case tileNoHit:
		s.Hit = 0
	case tileNoHooking:
		s.Tuning[PlayerHooking] = 0
	}
}

// alone applies sv_solo_server: each player races alone, without collisions and hooks between tees.
func (s *Settings) alone() {
	if s.SoloServer == 0 {
		return
	}
	s.Team, s.ShowOthersDefault = 3, 1
	zones := make([]Tuning, NumZones)
	for i := range zones {
		zones[i] = *s.tuningIn(uint8(i))
		zones[i][PlayerCollision], zones[i][PlayerHooking] = 0, 0
	}
	s.Tuning, s.Zones = zones[0], zones
}

// exec runs a line of the map's settings. Semicolons separate commands.
func (s *Settings) exec(line string, faults *Faults) {
	for line != "" {
		var command string
		command, line = cutCommand(line)
		name, rest := cutWord(command)
		if name == "" {
			continue
		}
		if fault := s.run(strings.ToLower(name), rest); fault != "" {
			faults.addSetting(strconv.Quote(shorten(command)) + ": " + fault)
		}
	}
}

// execRelease reads the release from the lines of a map's settings. The release decides which other
// lines are valid.
func (s *Settings) execRelease(lines []string) {
	const name = "sv_ddnet_physics"
	for _, line := range lines {
		for line != "" {
			var command string
			command, line = cutCommand(line)
			if n, rest := cutWord(command); strings.EqualFold(n, name) {
				s.run(name, rest)
			}
		}
	}
}

// shorten limits a text of the map for a message.
func shorten(s string) string {
	const limit = 128
	if len(s) > limit {
		return s[:limit] + "..."
	}
	return s
}

// run runs one command and returns its fault, or "".
func (s *Settings) run(name, rest string) string {
	for _, v := range &variables {
		if v.Name == name {
			text, _, ok := argument(rest)
			if !ok {
				return "needs a value"
			}
			value, exact := integer(text)
			used := min(max(value, v.Min), v.Max)
			*v.Field(s) = used
			if !exact || used != value {
				return fmt.Sprintf("the value is a whole number from %d to %d; %d counts", v.Min, v.Max, used)
			}
			return ""
		}
	}
	switch name {
	case "tune_zone_enter", "tune_zone_leave":
		zone, message, _ := argument(rest)
		message, _, _ = restArgument(message)
		if name == "tune_zone_enter" {
			return setMessage(&s.ZoneEnter, zone, message)
		}
		return setMessage(&s.ZoneLeave, zone, message)
	case "mapbug":
		if bug, _, _ := argument(rest); bug != "grenade-doubleexplosion@ddnet.tw" {
			return "unknown map bug"
		}
		s.DoubleExplosion = true
		return ""
	}
	var args []string
	for len(args) < 3 {
		var arg string
		var ok bool
		if arg, rest, ok = argument(rest); !ok {
			break
		}
		args = append(args, arg)
	}
	_, fault, known := s.Command(name, args)
	if !known {
		return "no command or variable of DDRace that a map may have"
	}
	return fault
}

// Command runs tune, toggle_tune, tune_zone or switch_open, with the arguments as texts. It returns
// a report of the change, the fault of the arguments, and whether the name is one of these
// commands. s must share no memory with other settings; see Clone.
func (s *Settings) Command(name string, args []string) (done, fault string, known bool) {
	switch name {
	case "tune":
		if len(args) < 2 {
			return "", "needs a parameter and a value", true
		}
		done, fault = s.tune(&s.Tuning, args[0], "", args[1])
	case "toggle_tune":
		if len(args) < 3 {
			return "", "needs a parameter and two values", true
		}
		text := args[1]
		value, _ := number(text)
		if i := s.TuneParamIndex(args[0]); i >= 0 && abs(s.Tuning.At(i)-value) < 0.0001 {
			text = args[2]
		}
		done, fault = s.tune(&s.Tuning, args[0], "", text)
	case "tune_zone":
		const needs = "needs a zone from 0 to 255, a parameter and a value"
		if len(args) < 3 {
			return "", needs, true
		}
		zone, exact := integer(args[0])
		if zone < 0 || zone >= NumZones {
			return "", needs, true
		}
		if s.Zones == nil {
			s.Zones = slices.Repeat([]Tuning{zonePreset}, NumZones)
		}
		done, fault = s.tune(&s.Zones[zone], args[1], fmt.Sprintf(" in zone %d", zone), args[2])
		if !exact && fault == "" {
			fault = fmt.Sprintf("%s; zone %d counts", needs, zone)
		}
	case "switch_open":
		if len(args) < 1 {
			return "", "needs a switch", true
		}
		i, exact := integer(args[0])
		if i >= 0 && i < 256 {
			s.Open.Set(uint8(i), true)
			done = fmt.Sprintf("switch %d opened by default", i)
		}
		switch {
		case done == "":
			fault = "needs a switch from 0 to 255"
		case !exact:
			fault = fmt.Sprintf("needs a switch from 0 to 255; %d counts", i)
		}
	default:
		return "", "", false
	}
	return done, fault, true
}

// tune changes a parameter of a tuning. As in DDNet-Server, a number that does not fit becomes the
// smallest.
func (s *Settings) tune(t *Tuning, name, where, text string) (done, fault string) {
	i := s.TuneParamIndex(name)
	if i < 0 {
		return "", "No such tuning parameter: " + shorten(name)
	}
	value, exact := number(text)
	t.SetAt(i, value)
	if !exact || t[i] == math.MinInt32 {
		fault = fmt.Sprintf("the value is a number between -21474836 and 21474836; %.2f counts", t.At(i))
	}
	return fmt.Sprintf("%s%s changed to %.2f", TuneParamName(i), where, t.At(i)), fault
}

// maxZoneMessage is the length of the message of a zone, in bytes.
const maxZoneMessage = 255

// setMessage sets the message of a zone.
func setMessage(messages *[]string, zone, text string) string {
	n, exact := integer(zone)
	if n < 0 || n >= NumZones {
		return "needs a zone from 0 to 255"
	}
	if *messages == nil {
		*messages = make([]string, NumZones)
	}
	(*messages)[n] = strings.ToValidUTF8(text[:min(len(text), maxZoneMessage)], "")
	if !exact {
		return fmt.Sprintf("needs a zone from 0 to 255; %d counts", n)
	}
	return ""
}
