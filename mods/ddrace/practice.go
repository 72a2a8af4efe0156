package ddrace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// alsoInPractice are the commands for practice that also work outside practice.
var alsoInPractice = []string{"r", "rescue", "tp", "teleport"}

// is20 reports whether the world uses the rules of DDNet 20.
func is20(w *ddrace.World) bool { return w.Settings().Release >= 20 }

// declarePractice declares the commands for practice that DDNet 20 added.
func (m *Mode) declarePractice(setup *game.Setup) {
	m.practice = slices.Clone(alsoInPractice)
	for _, c := range m.practiceCommands() {
		m.practice = append(m.practice, c.Name)
		setup.ChatCommand(for20(c))
	}
	slices.Sort(m.practice)
	setup.ChatCommand(for20(game.CommandSpec{Name: "practicecmdlist", Help: "Lists the commands for practice", Run: m.commandPracticeList}))
}

// for20 hides a command in worlds with the rules of older releases.
func for20(c game.CommandSpec) game.CommandSpec {
	run := c.Run
	c.Hidden = func(tx *game.Tx) bool { return !is20(tx.DDRace()) }
	c.Run = func(ctx *game.Ctx, call *game.CommandCall) {
		if !is20(ctx.DDRace()) { // the release can change during the match
			call.Fail(ctx, c.Name+" needs sv_ddnet_physics 20")
			return
		}
		run(ctx, call)
	}
	return c
}

func (m *Mode) practiceCommands() []game.CommandSpec {
	list := []game.CommandSpec{
		{Name: "unpractice", Help: "Kills your team and ends its practice", Run: m.commandUnpractice},
		{Name: "rescuemode", Private: true, Params: "?r['auto'|'manual']", Help: "Sets whether /r returns to your last ground or a chosen place",
			Run: m.commandRescueMode},
		{Name: "back", Help: "In practice: teleports you to your last ground before you died", Run: m.practising(m.commandBack)},
		{Name: "lasttp", Help: "In practice: teleports you to your last teleport", Run: m.practising(m.commandLastTele)},
		{Name: "tc", Private: true, Params: "?r[player name]", Help: "In practice: teleports you to your crosshair, or to a player", Run: m.commandTeleCursor},
		{Name: "telecursor", Private: true, Params: "?r[player name]", Help: "In practice: teleports you to your crosshair, or to a player",
			Run: m.commandTeleCursor},
		{Name: "tpxy", Private: true, Params: "s[x] s[y]", Help: "In practice: teleports you to a tile; ~ is your position",
			Run: m.practising(m.commandTeleXY)},
	}
	for _, c := range ddrace.PracticeCommands() {
		list = append(list, game.CommandSpec{Name: c.Name, Private: true, Params: c.Params,
			Help: "In practice: " + strings.ToLower(c.Help[:1]) + c.Help[1:], Run: func(ctx *game.Ctx, call *game.CommandCall) {
				if answer, _ := ctx.DDRace().RunPracticeCommand(int(call.Player), c.Name, call.Args); answer != "" {
					ctx.Player(call.Player).Say(answer)
				}
			}})
	}
	return list
}

// practising wraps a command for players with a tee in a team that practises.
func (m *Mode) practising(run func(*game.Ctx, *game.CommandCall)) func(*game.Ctx, *game.CommandCall) {
	return func(ctx *game.Ctx, c *game.CommandCall) {
		w, id := ctx.DDRace(), int(c.Player)
		switch {
		case w.AliveTee(id) == nil:
		case !w.Practises(w.Team(id)):
			ctx.Player(c.Player).Say(ddrace.NotInPractice)
		default:
			run(ctx, c)
		}
	}
}

func (m *Mode) commandBack(ctx *game.Ctx, c *game.CommandCall) {
	w, id := ctx.DDRace(), int(c.Player)
	switch {
	case !w.CanGoBack(id):
		ctx.Player(c.Player).Say("There is nowhere to go back to.")
	case m.chosen(c.Player).ForcePaused != 0:
		m.sayForcePaused(ctx, c.Player)
	default:
		if w.CanRescue(id) {
			m.setPause(&ctx.Tx, c.Player, game.NotPaused)
		}
		w.GoBack(id)
	}
}

func (m *Mode) commandLastTele(ctx *game.Ctx, c *game.CommandCall) {
	w, id := ctx.DDRace(), int(c.Player)
	switch {
	case !w.CanTeleportAgain(id):
		ctx.Player(c.Player).Say("You haven't previously teleported. Use /tp before using this command.")
	case m.chosen(c.Player).ForcePaused != 0:
		m.sayForcePaused(ctx, c.Player)
	default:
		m.setPause(&ctx.Tx, c.Player, game.NotPaused)
		w.TeleportAgain(id)
	}
}

func (m *Mode) commandTeleXY(ctx *game.Ctx, c *game.CommandCall) {
	if answer := ctx.DDRace().TeleportXY(int(c.Player), viewOf(ctx, c.Player), c.Arg(0), c.Arg(1)); answer != "" {
		ctx.Player(c.Player).Say(answer)
	}
}

func (m *Mode) commandRescueMode(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	w, id := ctx.DDRace(), int(c.Player)
	if !m.rescues(ctx, c) {
		return
	}
	name := map[bool]string{false: "auto", true: "manual"}
	switch arg := strings.ToLower(c.Arg(0)); arg {
	case "auto", "manual":
		if w.SetManualRescue(id, arg == "manual") {
			p.Say(fmt.Sprintf("Rescue mode changed to %s.", arg))
		}
	case "list":
		p.Say("Available rescue modes: auto, manual")
	case "":
		p.Say(fmt.Sprintf("Current rescue mode: %s.", name[w.ManualRescue(id)]))
	default:
		p.Say("Unknown argument. Check '/rescuemode list'")
	}
}

func (m *Mode) commandUnpractice(ctx *game.Ctx, c *game.CommandCall) {
	player := ctx.Player(c.Player)
	w, id, s := ctx.DDRace(), int(c.Player), ctx.DDRace().Settings()
	team := w.Team(id)
	switch {
	case team == 0 && !s.ForcedSolo():
		player.Say("Practice mode can't be disabled for team 0")
	case !w.Practises(team):
		player.Say("Team isn't in practice mode")
	case m.isSaving(team):
		player.Say("Practice mode can't be disabled while team save or load is in progress")
	case w.Members(team) > int(s.MaxTeamSize) && w.Locked(team):
		player.Say(fmt.Sprintf("Can't disable practice. This team exceeds the maximum allowed size of %d players for regular team", s.MaxTeamSize))
	default:
		all := members(w, team)
		m.state.Teams.Voted = m.state.Teams.Voted.Without(all)
		each(all, func(id int) {
			if p := game.PlayerID(id); s.Pauseable == 0 && ctx.Player(p).Camera().Pause() == game.PauseVanished && m.chosen(p).ForcePaused == 0 {
				m.setPause(&ctx.Tx, p, game.PauseInPlace)
			}
		})
		m.sayToTeam(team, "'%s' disabled practice mode for your team", player.Name())
		w.EndPractice(id)
	}
}

// commandPracticeList lists the commands for practice, in lines short enough for clients.
func (m *Mode) commandPracticeList(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	const maxLine = 255
	line := "Available practice commands: "
	for i, name := range m.practice {
		if name = "/" + name; i < len(m.practice)-1 {
			name += ", "
		}
		if len(line)+len(name) > maxLine {
			p.Say(line)
			line = ""
		}
		line += name
	}
	p.Say(line)
}
