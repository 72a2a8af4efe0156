package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// A DDRace map gets settings from the configuration, from the file of sv_reset_file, and from the
// map itself, in this order. The server executes the file with each map. Besides variables, these
// are commands that the map could contain as well, such as tune, tune_zone and switch_open. They
// are put before the map's own commands.

// maxDDRaceLines is the most such commands in the configuration and the reset file.
const maxDDRaceLines = 4096

// ddraceSettings has the operators' settings for maps of DDRace.
type ddraceSettings struct {
	configured []string // such commands of the configuration
	// collect gets the commands that are not for the current world; nil if all of them are for it.
	collect *[]string
	resets  bool // the reset file is being executed
	reloads bool // the configuration is read again
	// variables have the values of resetVariables in the configuration.
	variables map[string]string
}

// resetVariables get back their values of the configuration with each map, unless
// sv_ddrace_tune_reset is 0.
var resetVariables = []string{
	"sv_hit", "sv_endless_drag", "sv_old_laser", "sv_old_teleport_hook", "sv_old_teleport_weapons", "sv_teleport_hold_hook",
	"sv_team", "sv_show_others_default",
}

// ddraceCommands returns the commands of the console that a world of DDRace has, too. Run is for
// other worlds; without it, the command warns there.
func (s *Server) ddraceCommands() []console.Command {
	open, tune := console.Server|console.Lasting, tuneCommands{s}
	list := []console.Command{
		{Name: "tune", Params: "s[tuning] ?f[value]", Help: "Tune variable to value or show current value", Flags: open, Run: tune.tune},
		{Name: "tune_reset", Params: "?s[tuning]", Help: "Reset all or one tuning variable to default", Flags: open, Run: tune.reset},
		{Name: "tunes", Help: "List all tuning variables and their values", Flags: console.Server, Run: tune.list},
		{Name: "toggle_tune", Params: "s[tuning] f[value1] f[value2]", Help: "Toggle tune variable (DDRace)", Flags: open},
		{Name: "tune_zone", Params: "i[zone] s[tuning] f[value]", Help: "Tune a variable in a zone to value (DDRace)", Flags: open},
		{Name: "tune_zone_dump", Params: "i[zone]", Help: "List all tuning variables of a zone (DDRace)", Flags: console.Server},
		{Name: "tune_zone_reset", Params: "?i[zone]", Help: "Reset the tuning of a zone or of all (DDRace)", Flags: open},
		{Name: "tune_zone_enter", Params: "i[zone] r[message]", Help: "Message for players who enter a zone (DDRace)", Flags: open},
		{Name: "tune_zone_leave", Params: "i[zone] r[message]", Help: "Message for players who leave a zone (DDRace)", Flags: open},
		{Name: "switch_open", Params: "i[switch]", Help: "Open a switch at the start of the map (DDRace)", Flags: open},
		{Name: "mapbug", Params: "s[mapbug]", Help: "Enable an old bug that a map needs (DDRace, in the configuration or sv_reset_file)", Flags: open},
	}
	for i := range list {
		list[i].Run = s.ddraceCommand(list[i].Run)
		s.mods.Share(list[i].Name)
	}
	return list
}

// noteVariable notes a variable's value from the configuration.
func (r *ddraceSettings) noteVariable(name, value string) {
	if r.reloads && slices.Contains(resetVariables, name) && r.variables != nil {
		r.variables[name] = value
	}
}

// ddraceCommand returns the function of such a command. run is its part for other worlds.
func (s *Server) ddraceCommand(run func(*console.Call)) func(*console.Call) {
	return func(call *console.Call) {
		s.collectDDRaceLine(call)
		switch {
		case s.ddrace.resets:
		case s.started && s.mods.HasCommand(call.Name):
			s.mods.Run(call)
		case run != nil:
			run(call)
		case s.started:
			call.Warn("server", "%s works only in DDRace, and this is %s", call.Name, s.world.ModeName())
		}
	}
}

// collectDDRaceLine keeps a command for the maps that are loaded from now on.
func (s *Server) collectDDRaceLine(call *console.Call) {
	lines := s.ddrace.collect
	if lines == nil {
		return
	}
	drop := func(commands ...string) {
		*lines = slices.DeleteFunc(*lines, func(line string) bool {
			name, _, _ := strings.Cut(line, " ")
			return slices.Contains(commands, name)
		})
	}
	line, param := call.Name, ""
	switch call.Name {
	case "tunes", "tune_zone_dump":
		return
	case "tune_zone_reset":
		drop("tune_zone")
		return
	case "tune_reset":
		i := ddrace.TuneParamIndex(call.Arg(0))
		if call.Arg(0) == "" {
			drop("tune", "toggle_tune")
		}
		if i < 0 {
			return
		}
		bare := ddrace.BareTuning()
		line = fmt.Sprintf("tune %s %.2f", call.Arg(0), bare.At(i))
	case "tune", "toggle_tune":
		if param = call.Arg(0); len(call.Args) < 2 {
			return
		}
	case "tune_zone":
		param = call.Arg(1)
	}
	if param != "" && ddrace.TuneParamIndex(param) < 0 {
		if call.Name != "tune" || s.ddrace.resets { // of which cmdTune says so
			call.Warn("tuning", "No such tuning parameter: %s", param)
		}
		return
	}
	if line == call.Name {
		for _, arg := range call.Args {
			line += " " + console.Quote(arg)
		}
	}
	if len(*lines) == maxDDRaceLines {
		call.Warn("server", "%s is ignored: there are already %d commands for tuning, zones and switches; no more are possible", call.Name, maxDDRaceLines)
		return
	}
	*lines = append(*lines, line)
}

// beginDDRace executes the reset file for a map of DDRace, and joins the settings of all sources.
func (s *Server) beginDDRace(m *gamemap.Map, isDDRace bool) {
	if !isDDRace {
		return
	}
	if err := m.UseSettingsFile(); err != nil {
		s.print(console.Warning, "server", err.Error())
	}
	r := &s.ddrace
	if r.variables == nil {
		r.variables = map[string]string{}
		for name, value := range s.mods.Values() {
			if slices.Contains(resetVariables, name) {
				r.variables[name] = value
			}
		}
	}
	lines := slices.Clone(r.configured)
	if s.settings.TuneReset == 0 && s.started {
		if old, ok := s.world.DDRaceSettings(); ok {
			lines = append(lines, tuneLines(&old.Tuning)...)
		}
	}
	configured := len(lines)
	if s.settings.DDRaceTuneReset != 0 && s.started {
		s.resetDDRaceVariables()
	}
	before := r.collect
	r.collect, r.resets = &lines, true
	if name, content, err := m.ResetFile(); name != "" {
		s.console.ExecuteContent(name, content, err, console.Operator)
	}
	r.collect, r.resets = before, false
	m.PutBefore(lines, configured)
}

// resetDDRaceVariables gives resetVariables the values of the configuration.
func (s *Server) resetDDRaceVariables() {
	for _, name := range resetVariables {
		value, configured := s.ddrace.variables[name]
		if _, byDefault := s.console.Values(name); byDefault != "" { // it is there
			if !configured {
				value = byDefault
			}
			if s.console.Configured(name) != value {
				s.console.Execute(name+" "+value, console.Operator)
			}
			continue
		}
		s.mods.Reset(name, value, configured)
	}
}

// tuneLines returns the commands that set a tuning, except for parameters that DDRace resets for
// each map.
func tuneLines(t *ddrace.Tuning) (lines []string) {
	plain, bare := ddrace.DefaultTuning(), ddrace.BareTuning()
	for i := range t {
		if t[i] != plain[i] && plain[i] == bare[i] {
			sign, n := "", int64(t[i])
			if n < 0 {
				sign, n = "-", -n
			}
			// The middle of the hundredth, since commands cut off further digits.
			lines = append(lines, fmt.Sprintf("tune %s %s%d.%02d5", ddrace.TuneParamName(i), sign, n/100, n%100))
		}
	}
	return lines
}

// reportOverruled prints which settings of the operator the map has changed.
func (s *Server) reportOverruled(m *gamemap.Map, w *game.World) {
	played, ok := w.DDRaceSettings()
	if !ok {
		return
	}
	var changes []string
	wanted := map[string]string{}
	for _, v := range w.Variables() {
		wanted[v.Name] = v.Value
	}
	for _, v := range ddrace.Variables() {
		value := fmt.Sprint(*v.Field(&played))
		if was := wanted[v.Name]; was != "" && was != value && was != fmt.Sprint(v.Default) {
			changes = append(changes, fmt.Sprintf("%s is %s, not %s", v.Name, value, was))
		}
	}
	if len(changes) > 0 {
		s.print(console.Standard, "server", fmt.Sprintf("sv_map '%s' overrides the configuration: %s", m.Setting, strings.Join(changes, "; ")))
	}
}
