package ddrace

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// declareTuning declares DDNet's console commands for tuning, tune zones and switches. They change
// the running world. The server turns such commands in the configuration and in sv_reset_file into
// settings of each map.
func (m *Mode) declareTuning(setup *game.Setup) {
	for _, c := range []game.CommandSpec{
		{Name: "tune", Params: "s[tuning] ?f[value]", Help: "Sets or shows a tuning parameter", Run: tune},
		{Name: "toggle_tune", Params: "s[tuning] f[value] f[value]", Help: "Switches a tuning parameter between two values",
			Run: func(ctx *game.Ctx, c *game.CommandCall) { runSetting(ctx, c, "toggle_tune") }},
		{Name: "tune_reset", Params: "?s[tuning]", Help: "Resets the tuning, or one parameter", Run: resetTuning},
		{Name: "tunes", Help: "Shows all tuning parameters", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			replyTuning(ctx, c, "", ctx.DDRace().Settings().Tuning)
		}},
		{Name: "tune_zone", Params: "i[zone] s[tuning] f[value]", Help: "Sets a tuning parameter of a zone",
			Run: func(ctx *game.Ctx, c *game.CommandCall) { runSetting(ctx, c, "tune_zone") }},
		{Name: "tune_zone_dump", Params: "i[zone]", Help: "Shows all tuning parameters of a zone", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			if n, ok := zoneArg(ctx, c); ok {
				replyTuning(ctx, c, fmt.Sprintf("zone %d: ", n), ctx.DDRace().Settings().Zone(n))
			}
		}},
		{Name: "tune_zone_reset", Params: "?i[zone]", Help: "Resets the tuning of a zone, or of all", Run: resetZones},
		{Name: "tune_zone_enter", Params: "i[zone] r[message]", Help: "Sets the message for tees that enter a zone",
			Run: func(ctx *game.Ctx, c *game.CommandCall) { zoneMessage(ctx, c, true) }},
		{Name: "tune_zone_leave", Params: "i[zone] r[message]", Help: "Sets the message for tees that leave a zone",
			Run: func(ctx *game.Ctx, c *game.CommandCall) { zoneMessage(ctx, c, false) }},
		{Name: "switch_open", Params: "i[switch]", Help: "Opens a switch at the start of each race", Run: openSwitch},
		{Name: "mapbug", Params: "s[mapbug]", Help: "Only for maps; has no effect here", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			c.Fail(ctx, "can't add map bugs after the game started")
		}},
	} {
		setup.ConsoleCommand(c)
	}
}

// paramArg returns the tuning parameter in an argument. If there is none, it replies that.
func paramArg(ctx *game.Ctx, c *game.CommandCall, i int) (param int, ok bool) {
	if param = ctx.DDRace().Settings().TuneParamIndex(c.Arg(i)); param < 0 {
		c.Fail(ctx, "No such tuning parameter: "+c.Arg(i))
	}
	return param, param >= 0
}

// zoneArg returns the zone in the first argument. If it is invalid, it replies that.
func zoneArg(ctx *game.Ctx, c *game.CommandCall) (zone uint8, ok bool) {
	n := c.Int(0)
	if ok = n >= 0 && n < ddrace.NumZones; !ok {
		c.Fail(ctx, fmt.Sprintf("Tune zones are 0 to %d", ddrace.NumZones-1))
	}
	return uint8(n), ok
}

func replyTuning(ctx *game.Ctx, c *game.CommandCall, prefix string, t ddrace.Tuning) {
	for i := range ctx.DDRace().Settings().NumTuneParams() {
		c.Reply(ctx, fmt.Sprintf("%s%s %.2f", prefix, ddrace.TuneParamName(i), t.At(i)))
	}
}

// runSetting runs a command that the settings of maps can contain, too.
func runSetting(ctx *game.Ctx, c *game.CommandCall, name string) {
	s := ctx.DDRace().Settings().Clone()
	done, fault, _ := s.Command(name, c.Args)
	if done == "" {
		c.Fail(ctx, fault)
		return
	}
	if fault != "" {
		c.Reply(ctx, fault)
	}
	ctx.SetDDRaceSettings(s)
	c.Reply(ctx, done)
}

func tune(ctx *game.Ctx, c *game.CommandCall) {
	if len(c.Args) > 1 {
		runSetting(ctx, c, "tune")
	} else if param, ok := paramArg(ctx, c, 0); ok {
		c.Reply(ctx, fmt.Sprintf("%s %.2f", ddrace.TuneParamName(param), ctx.DDRace().Settings().Tuning.At(param)))
	}
}

func resetTuning(ctx *game.Ctx, c *game.CommandCall) {
	s := *ctx.DDRace().Settings()
	if c.Arg(0) == "" {
		s.Tuning = ddrace.DefaultTuning()
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, "Tuning reset")
		return
	}
	if param, ok := paramArg(ctx, c, 0); ok {
		s.Tuning[param] = ddrace.BareTuning()[param] // as DDNet-Server does
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, fmt.Sprintf("%s reset to %.2f", ddrace.TuneParamName(param), s.Tuning.At(param)))
	}
}

func resetZones(ctx *game.Ctx, c *game.CommandCall) {
	s := *ctx.DDRace().Settings()
	if len(c.Args) == 0 {
		s.Zones = slices.Repeat([]ddrace.Tuning{ddrace.BareTuning()}, ddrace.NumZones)
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, "All Tunezones reset")
		return
	}
	if n, ok := zoneArg(ctx, c); ok {
		s.SetZone(n, ddrace.BareTuning())
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, fmt.Sprintf("Tunezone %d reset", n))
	}
}

func zoneMessage(ctx *game.Ctx, c *game.CommandCall, enter bool) {
	if n, ok := zoneArg(ctx, c); ok {
		s := *ctx.DDRace().Settings()
		s.SetZoneMessage(n, enter, c.Arg(1))
		ctx.SetDDRaceSettings(s)
	}
}

func openSwitch(ctx *game.Ctx, c *game.CommandCall) {
	n := c.Int(0)
	if n < 0 || n > int32(ctx.DDRace().Switches()) {
		c.Fail(ctx, fmt.Sprintf("The map has no switch %d", n))
		return
	}
	runSetting(ctx, c, "switch_open")
}
