package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// declareOperators declares DDNet's console commands for tees.
func (m *Mode) declareOperators(setup *game.Setup) {
	for _, c := range ddrace.TestCommands() {
		run, help := func(ctx *game.Ctx, call *game.CommandCall) {
			if tee(ctx, call, int32(call.Player)) == nil {
				return
			}
			if answer, _ := ctx.DDRace().RunTestCommand(int(call.Player), c.Name, call.Args); answer != "" {
				call.Fail(ctx, answer)
			}
		}, c.Help
		if c.Name != "unsuper" { // unsuper must work after sv_test_cmds was turned off
			run, help = m.test(run), help+" (sv_test_cmds)"
		}
		spec := game.CommandSpec{Name: c.Name, Params: c.Params, Help: help, Run: run}
		if c.Since20 {
			spec = for20(spec)
		}
		setup.ConsoleCommand(spec)
	}
	for _, c := range []game.CommandSpec{
		{Name: "kill_pl", Params: "i[id]", Help: "Kills the tee of a player", Run: m.killPlayer},
		{Name: "force_pause", Params: "i[id] i[seconds]", Help: "Removes a player's tee for some seconds", Run: m.forcePause},
		{Name: "force_unpause", Params: "i[id]", Help: "Ends force_pause for a player", Run: m.forcePause},
		{Name: "tele", Params: "?i[id] ?i[id]", Help: "Teleports you or a player to a player (sv_test_cmds)", Run: m.test(m.tele)},
		{Name: "totele", Params: "i[number]", Help: "Teleports you to an exit (sv_test_cmds)",
			Run: m.test(func(ctx *game.Ctx, c *game.CommandCall) { m.teleOut(ctx, c, false) })},
		{Name: "totelecp", Params: "i[number]", Help: "Teleports you to the exit of a checkpoint (sv_test_cmds)",
			Run: m.test(func(ctx *game.Ctx, c *game.CommandCall) { m.teleOut(ctx, c, true) })},
		{Name: "freezehammer", Params: "i[id]", Help: "Gives a player a hammer that freezes (sv_test_cmds)",
			Run: m.test(func(ctx *game.Ctx, c *game.CommandCall) { m.setFreezeHammer(ctx, c, true) })},
		{Name: "unfreezehammer", Params: "i[id]", Help: "Undoes freezehammer (sv_test_cmds)",
			Run: m.test(func(ctx *game.Ctx, c *game.CommandCall) { m.setFreezeHammer(ctx, c, false) })},
	} {
		setup.ConsoleCommand(c)
	}
}

// test wraps a command that works only with sv_test_cmds.
func (m *Mode) test(run func(*game.Ctx, *game.CommandCall)) func(*game.Ctx, *game.CommandCall) {
	return func(ctx *game.Ctx, c *game.CommandCall) {
		if m.vars.TestCommands == 0 {
			c.Fail(ctx, "sv_test_cmds is 0")
			return
		}
		run(ctx, c)
	}
}

// tee returns the living tee of a player. If there is none, it replies that.
func tee(ctx *game.Ctx, c *game.CommandCall, id int32) *ddrace.Tee {
	if id >= 0 && id < game.MaxPlayers {
		if t := ctx.DDRace().AliveTee(int(id)); t != nil {
			return t
		}
	}
	if id == int32(game.Nobody) {
		c.Fail(ctx, "only players who have a tee can do that")
		return nil
	}
	c.Fail(ctx, fmt.Sprintf("Player %d has no tee", id))
	return nil
}

func (m *Mode) killPlayer(ctx *game.Ctx, c *game.CommandCall) {
	id := c.Int(0)
	if tee(ctx, c, id) == nil {
		return
	}
	ctx.DDRace().Die(int(id), ddrace.WeaponGame)
	if c.Player != game.Nobody {
		ctx.Say(fmt.Sprintf("%s was killed by %s", ctx.Player(game.PlayerID(id)).Name(), ctx.Player(c.Player).Name()))
	}
}

// tele teleports a player to the view of another player, or to their own view.
func (m *Mode) tele(ctx *game.Ctx, c *game.CommandCall) {
	who, to := int32(c.Player), int32(c.Player)
	if len(c.Args) > 1 {
		who = c.Int(0)
	}
	if len(c.Args) > 0 {
		to = c.Int(len(c.Args) - 1)
	}
	if tee(ctx, c, who) == nil {
		return
	}
	if to < 0 || to >= game.MaxPlayers || !ctx.Player(game.PlayerID(to)).Connected() {
		c.Fail(ctx, fmt.Sprintf("There is no player %d", to))
		return
	}
	crosshair := len(c.Args) == 0 && ctx.Player(c.Player).Camera().Pause() == game.NotPaused
	w := ctx.DDRace()
	w.TeleportTo(int(who), viewOf(ctx, game.PlayerID(w.TeleView(int(c.Player), int(to)))), crosshair)
}

func (m *Mode) teleOut(ctx *game.Ctx, c *game.CommandCall, check bool) {
	n := c.Int(0)
	if n < 1 || n > 255 || !ctx.DDRace().TeleportOut(int(c.Player), uint8(n), check) {
		c.Fail(ctx, fmt.Sprintf("The map has no such exit %d", n))
	}
}

func (m *Mode) setFreezeHammer(ctx *game.Ctx, c *game.CommandCall, on bool) {
	if t := tee(ctx, c, c.Int(0)); t != nil {
		t.FreezeHammer = on
	}
}

// maxForcePause is the longest pause of force_pause, in seconds.
const maxForcePause = 360

// forcePause is the command force_pause. force_unpause is a pause until the end of the tick.
func (m *Mode) forcePause(ctx *game.Ctx, c *game.CommandCall) {
	if tee(ctx, c, c.Int(0)) == nil {
		return
	}
	id, p := game.PlayerID(c.Int(0)), m.chosen(game.PlayerID(c.Int(0)))
	seconds := min(max(c.Int(1), 0), maxForcePause)
	p.ForcePaused = ctx.DDRace().Tick() + seconds*game.TickRate
	ctx.DDRace().LookUntil(int(id), p.ForcePaused)
	m.setPause(&ctx.Tx, id, game.PauseVanished)
}

func (m *Mode) sayForcePaused(ctx *game.Ctx, id game.PlayerID) {
	left := (m.chosen(id).ForcePaused - ctx.DDRace().Tick()) / game.TickRate
	ctx.Player(id).Say(fmt.Sprintf("You are force-paused for %d seconds.", left))
}
