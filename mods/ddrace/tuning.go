package ddrace

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// declareTuning declares DDNet's commands of the console for the tuning, tune zones and switches. They are for the
// world that is played: of what the configuration and sv_reset_file say, the server makes settings of each map.
func (m *Mode) declareTuning(tx *game.Tx) {
	for _, c := range []game.CommandSpec{
		{Name: "tune", Params: "s[tuning] ?f[value]", Help: "Changes a tuning parameter, or shows it", Run: tune},
		{Name: "toggle_tune", Params: "s[tuning] f[value] f[value]", Help: "Changes a tuning parameter between two values", Run: toggleTune},
		{Name: "tune_reset", Params: "?s[tuning]", Help: "Resets the tuning, or one parameter", Run: resetTuning},
		{Name: "tunes", Help: "Shows all tuning parameters", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			replyTuning(ctx, c, "", ctx.DDRace().Settings().Tuning)
		}},
		{Name: "tune_zone", Params: "i[zone] s[tuning] f[value]", Help: "Changes a tuning parameter of a zone", Run: tuneZone},
		{Name: "tune_zone_dump", Params: "i[zone]", Help: "Shows all tuning parameters of a zone", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			if n, ok := zoneArg(c); ok {
				replyTuning(ctx, c, fmt.Sprintf("zone %d: ", n), ctx.DDRace().Settings().Zone(n))
			}
		}},
		{Name: "tune_zone_reset", Params: "?i[zone]", Help: "Resets the tuning of a zone, or of all", Run: resetZones},
		{Name: "tune_zone_enter", Params: "i[zone] r[message]", Help: "Says what tees are told that enter a zone", Run: func(ctx *game.Ctx, c *game.CommandCall) { zoneMessage(ctx, c, true) }},
		{Name: "tune_zone_leave", Params: "i[zone] r[message]", Help: "Says what tees are told that leave a zone", Run: func(ctx *game.Ctx, c *game.CommandCall) { zoneMessage(ctx, c, false) }},
		{Name: "switch_open", Params: "i[switch]", Help: "Lets a switch be open when a team begins anew", Run: openSwitch},
		{Name: "mapbug", Params: "s[mapbug]", Help: "Of maps; here too late", Run: func(ctx *game.Ctx, c *game.CommandCall) {
			c.Reply(ctx, "can't add map bugs after the game started")
		}},
	} {
		tx.ConsoleCommand(c)
	}
}

// paramArg returns the tuning parameter that an argument names, and says so if there is none.
func paramArg(ctx *game.Ctx, c *game.CommandCall, i int) (param int, ok bool) {
	if param = ddrace.TuneParamIndex(c.Arg(i)); param < 0 {
		c.Reply(ctx, "No such tuning parameter: "+c.Arg(i))
	}
	return param, param >= 0
}

// zoneArg returns the zone that the first argument names.
func zoneArg(c *game.CommandCall) (zone uint8, ok bool) {
	n := c.Int(0)
	return uint8(n), n >= 0 && n < ddrace.NumZones
}

func replyTuning(ctx *game.Ctx, c *game.CommandCall, prefix string, t ddrace.Tuning) {
	for i := range t {
		c.Reply(ctx, fmt.Sprintf("%s%s %.2f", prefix, ddrace.TuneParamName(i), t.At(i)))
	}
}

func tune(ctx *game.Ctx, c *game.CommandCall) {
	param, ok := paramArg(ctx, c, 0)
	switch {
	case !ok:
	case len(c.Args) < 2:
		c.Reply(ctx, fmt.Sprintf("%s %.2f", ddrace.TuneParamName(param), ctx.DDRace().Settings().Tuning.At(param)))
	default:
		setParam(ctx, c, param, c.Float(1))
	}
}

func setParam(ctx *game.Ctx, c *game.CommandCall, param int, value float32) {
	s := *ctx.DDRace().Settings()
	s.Tuning.SetAt(param, value)
	ctx.SetDDRaceSettings(s)
	c.Reply(ctx, fmt.Sprintf("%s changed to %.2f", ddrace.TuneParamName(param), s.Tuning.At(param)))
}

func toggleTune(ctx *game.Ctx, c *game.CommandCall) {
	if param, ok := paramArg(ctx, c, 0); ok {
		value := c.Float(1)
		if now := ctx.DDRace().Settings().Tuning.At(param); max(now-value, value-now) < 0.0001 {
			value = c.Float(2)
		}
		setParam(ctx, c, param, value)
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
		s.Tuning[param] = ddrace.BareTuning()[param] // as DDNet-Server
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, fmt.Sprintf("%s reset to %.2f", ddrace.TuneParamName(param), s.Tuning.At(param)))
	}
}

func tuneZone(ctx *game.Ctx, c *game.CommandCall) {
	n, ok := zoneArg(c)
	if !ok {
		return
	}
	if param, ok := paramArg(ctx, c, 1); ok {
		s := *ctx.DDRace().Settings()
		t := s.Zone(n)
		t.SetAt(param, c.Float(2))
		s.SetZone(n, t)
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, fmt.Sprintf("%s in zone %d changed to %.2f", ddrace.TuneParamName(param), n, t.At(param)))
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
	if n, ok := zoneArg(c); ok {
		s.SetZone(n, ddrace.BareTuning())
		ctx.SetDDRaceSettings(s)
		c.Reply(ctx, fmt.Sprintf("Tunezone %d reset", n))
	}
}

func zoneMessage(ctx *game.Ctx, c *game.CommandCall, enter bool) {
	if n, ok := zoneArg(c); ok {
		s := *ctx.DDRace().Settings()
		s.SetZoneMessage(n, enter, c.Arg(1))
		ctx.SetDDRaceSettings(s)
	}
}

func openSwitch(ctx *game.Ctx, c *game.CommandCall) {
	w, n := ctx.DDRace(), c.Int(0)
	if n < 0 || n > int32(w.Switches()) {
		return
	}
	s := *w.Settings()
	s.Open.Set(uint8(n), true)
	ctx.SetDDRaceSettings(s)
	c.Reply(ctx, fmt.Sprintf("switch %d opened by default", n))
}
