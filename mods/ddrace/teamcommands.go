package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// declareTeams declares the commands of teams.
func (m *Mode) declareTeams(setup *game.Setup) {
	for i := range m.state.Teams.KillTick {
		m.state.Teams.KillTick[i] = -1
	}
	for _, c := range []game.CommandSpec{
		{Name: "team", Params: "?i[id]", Help: "Joins a team, or shows your team", Run: m.commandTeam},
		{Name: "lock", Params: "?i['0'|'1']", Help: "Locks your team, so that no other player can join", Run: m.commandLock},
		{Name: "unlock", Help: "Unlocks the team", Run: m.commandUnlock},
		{Name: "invite", Private: true, Params: "r[player name]", Help: "Invites a player to your locked team", Run: m.commandInvite},
		{Name: "practice", Params: "?i['0'|'1']", Help: "Votes for practice in your team: /r works, no rank counts", Run: m.commandPractice},
	} {
		setup.ChatCommand(c)
	}
	setup.ChatCommand(for20(game.CommandSpec{Name: "team0mode", Params: "?i['0'|'1']", Help: "Lets the members of your team race alone, as in team 0",
		Run: m.commandTeam0Mode}))
	setup.ChatCommand(for20(game.CommandSpec{Name: "join", Private: true, Params: "r[player name]", Help: "Joins the team of a player", Run: m.commandJoin}))
	setup.ConsoleCommand(game.CommandSpec{Name: "set_team_ddr", Params: "i[id] ?i[team]", Help: "Puts a player into a team of DDRace", Run: m.setTeam})
	setup.ConsoleCommand(game.CommandSpec{Name: "uninvite", Params: "i[id] ?i[team]", Help: "Withdraws a player's invitation to a team", Run: m.uninvite})
}

// hasTeams reports whether the server allows teams. If not, it tells the player.
func (m *Mode) hasTeams(ctx *game.Ctx, c *game.CommandCall) bool {
	if mode := ctx.DDRace().Settings().Team; mode != 0 && mode != 3 {
		return true
	}
	c.Fail(ctx, "Teams are disabled")
	return false
}

func (m *Mode) commandTeam(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	w, id := ctx.DDRace(), int(c.Player)
	alive := w.AliveTee(id) != nil
	if !m.hasTeams(ctx, c) {
		return
	}
	if s := &m.state.Teams; w.Settings().Team == 2 && c.Int(0) == 0 && alive && s.Warned[id] < w.Tick()-warningTicks {
		p.Say("You must join a team and play with somebody or else you can't play")
		s.Warned[id] = w.Tick()
	}
	switch {
	case len(c.Args) == 0 && alive:
		p.Say(fmt.Sprintf("You are in team %d", w.Team(id)))
	case len(c.Args) == 0:
		p.Say("You can't check your team while you are dead/a spectator.")
	case !alive:
		p.Say("You can't change teams while you are dead/a spectator.")
	default:
		m.join(ctx, id, c.Int(0))
	}
}

// commandJoin runs /join NAME, which is /team with the player's team.
func (m *Mode) commandJoin(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	w, id := ctx.DDRace(), int(c.Player)
	if !m.hasTeams(ctx, c) {
		return
	}
	switch other, found := named(&ctx.Tx, c.Arg(0)); {
	case !found:
		p.Say("Player not found")
	case w.AliveTee(id) == nil:
		p.Say("You can't change teams while you are dead/a spectator.")
	default:
		m.join(ctx, id, int32(w.Team(int(other))))
	}
}

// join lets a player with a tee join a team, or tells the player why not.
func (m *Mode) join(ctx *game.Ctx, id int, n int32) {
	w, s, player := ctx.DDRace(), &m.state.Teams, game.PlayerID(id)
	if n < 0 || n >= numTeams {
		for n = 1; n < numTeams-1 && s.State[n] != teamEmpty; n++ {
		}
	}
	team, now, t := uint8(n), w.Team(id), w.AliveTee(id)
	byDefault := m.practiceByDefault(w)
	free := is20(w) && (w.AsZero(team) || team != 0 && w.Practises(team)) // any number may join at any time
	why := ""
	switch limit := w.Settings().MaxTeamSize; {
	case s.Changed[id]+m.vars.TeamChangeDelay*game.TickRate > w.Tick():
		why = "You can't change teams that fast!"
	case w.Locked(team) && !s.Invited[team].Has(player) && m.vars.Invite != 0:
		why = "This team is locked using /lock. Only members of the team can unlock it using /lock."
	case w.Locked(team) && !s.Invited[team].Has(player):
		why = "This team is locked using /lock. Only members of the team can invite you or unlock it using /lock."
	case team != 0 && w.Members(team) >= int(limit) && !free:
		why = fmt.Sprintf("This team already has the maximum allowed size of %d players", limit)
	case s.State[team] > teamOpen && !free:
		why = "This team started already"
	case now == team:
		why = "You are in this team already"
	case t.Race != ddrace.RaceNone && (!is20(w) || team != 0 || now == ddrace.TeamSuper || s.State[now] < teamFinished):
		why = "You have started racing already"
	case w.Practises(now) && !byDefault:
		why = "You have used practice mode already"
	case m.isSaving(team):
		why = "Your team is currently saving"
	case m.isSaving(now):
		why = "This team is currently saving"
	}
	if why != "" {
		ctx.Player(player).Say(why)
		return
	}
	w.SetTeam(id, team)
	if byDefault && w.Members(team) == 1 {
		w.SetPractice(team, true)
	}
	format := "%s joined team %d"
	if is20(w) {
		format = "'%s' joined team %d"
	}
	ctx.Say(fmt.Sprintf(format, ctx.Player(player).Name(), team))
	s.Changed[id] = w.Tick()
	if w.Practises(team) {
		ctx.Player(player).Say("Practice mode enabled for your team, happy practicing!")
	}
	if w.AsZero(team) {
		ctx.Player(player).Say("Team 0 mode enabled for your team. This will make your team behave like team 0.")
	}
}

func (m *Mode) commandLock(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if !m.hasTeams(ctx, c) {
		return
	}
	w := ctx.DDRace()
	team := w.Team(int(c.Player))
	lock := !w.Locked(team)
	if len(c.Args) > 0 {
		lock = c.Int(0) != 0
	}
	switch {
	case team == 0 || team >= numTeams:
		p.Say("This team can't be locked")
	case lock:
		w.LockTeam(team, true)
		format := "'%s' locked your team. After the race starts, killing will kill everyone in your team."
		if w.AsZero(team) {
			format = "'%s' locked your team."
		}
		m.sayToTeam(team, format, p.Name())
	default:
		m.unlock(ctx, c.Player, team)
	}
}

func (m *Mode) commandUnlock(ctx *game.Ctx, c *game.CommandCall) {
	if team := ctx.DDRace().Team(int(c.Player)); m.hasTeams(ctx, c) && team != 0 && team < numTeams {
		m.unlock(ctx, c.Player, team)
	}
}

func (m *Mode) unlock(ctx *game.Ctx, id game.PlayerID, team uint8) {
	ctx.DDRace().LockTeam(team, false)
	m.sayToTeam(team, "'%s' unlocked your team.", ctx.Player(id).Name())
}

// commandTeam0Mode runs /team0mode. Without an argument it toggles the mode.
func (m *Mode) commandTeam0Mode(ctx *game.Ctx, c *game.CommandCall) {
	p, w := ctx.Player(c.Player), ctx.DDRace()
	team := w.Team(int(c.Player))
	on := !w.AsZero(team)
	if len(c.Args) > 0 {
		on = c.Int(0) != 0
	}
	switch limit := w.Settings().MaxTeamSize; {
	case w.Settings().Team != 1:
		c.Fail(ctx, "Team mode change disabled")
	case m.vars.Team0Mode == 0:
		c.Fail(ctx, "Team mode change is disabled on this server.")
	case team == 0 || team >= numTeams:
		c.Fail(ctx, "This team can't have the mode changed")
	case m.state.Teams.State[team] != teamOpen:
		p.Say("Team mode can't be changed while racing")
	case on && w.Practises(team):
		p.Say("Can't enable team 0 mode with practice mode on.")
	case on:
		w.SetAsZero(team, true)
		m.sayToTeam(team, "'%s' enabled team 0 mode. This will make your team behave like team 0.", p.Name())
	case w.Members(team) > int(limit):
		p.Say(fmt.Sprintf("Can't disable team 0 mode. This team exceeds the maximum allowed size of %d players for regular team", limit))
	default:
		w.SetAsZero(team, false)
		m.sayToTeam(team, "'%s' disabled team 0 mode.", p.Name())
	}
}

func (m *Mode) commandInvite(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if !m.hasTeams(ctx, c) {
		return
	}
	w, s := ctx.DDRace(), &m.state.Teams
	team := w.Team(int(c.Player))
	target, found := named(&ctx.Tx, c.Arg(0))
	switch {
	case m.vars.Invite == 0:
		p.Say("Invites are disabled")
	case team == 0 || team >= numTeams:
		p.Say("Can't invite players to this team")
	case !found:
		p.Say("Player not found")
	case s.Invited[team].Has(target):
		p.Say("Player already invited")
	case s.Asked[c.Player]+m.vars.InviteFrequency*game.TickRate > w.Tick():
		p.Say("Can't invite this quickly")
	default:
		s.Invited[team].Add(target)
		s.Asked[c.Player] = w.Tick()
		ctx.Player(target).Say(fmt.Sprintf("'%s' invited you to team %d.", p.Name(), team))
		m.sayToTeam(team, "'%s' invited '%s' to your team.", p.Name(), ctx.Player(target).Name())
	}
}

func (m *Mode) commandPractice(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	w, s := ctx.DDRace(), &m.state.Teams
	team := w.Team(int(c.Player))
	yes := len(c.Args) == 0 || c.Int(0) != 0
	switch {
	case m.vars.Practice == 0:
		p.Say("Practice mode is disabled")
		return
	case w.AsZero(team):
		p.Say("Practice mode can't be enabled in team 0 mode.")
		return
	case !w.RacesTogether(team):
		p.Say("Join a team to enable practice mode, which means you can use /r, but can't earn a rank.")
		return
	case w.Practises(team):
		p.Say("Team is already in practice mode")
		return
	case yes == s.Voted.Has(c.Player):
		return
	}
	if yes {
		s.Voted.Add(c.Player)
	} else {
		s.Voted.Remove(c.Player)
	}
	all := members(w, team)
	votes, needed := s.Voted.And(all).Count(), all.Count()/2+1
	what := "disable"
	if yes {
		what = "enable"
	}
	means := "/r"
	if is20(w) {
		means = "practice commands"
	}
	m.sayToTeam(team, "'%s' voted to %s /practice mode for your team, which means you can use %s, "+
		"but you can't earn a rank. Type /practice to vote (%d/%d required votes)",
		p.Name(), what, means, votes, needed)
	if votes >= needed {
		w.SetPractice(team, true)
		m.sayToTeam(team, "Practice mode enabled for your team, happy practicing!")
		if is20(w) {
			m.sayToTeam(team, "See /practicecmdlist for a list of all available practice commands. "+
				"Most commonly used ones are /telecursor, /lasttp and /rescue")
		}
	}
}

// setTeam is the command set_team_ddr.
func (m *Mode) setTeam(ctx *game.Ctx, c *game.CommandCall) {
	w, id, team := ctx.DDRace(), c.Int(0), c.Int(1)
	switch {
	case !m.hasTeams(ctx, c):
		return
	case team < 0 || team >= numTeams:
		c.Fail(ctx, fmt.Sprintf("Teams are 0 to %d", numTeams-1))
		return
	case id < 0 || id >= game.MaxPlayers || !w.InGame(int(id)):
		c.Fail(ctx, fmt.Sprintf("There is no player %d", id))
		return
	}
	if t := w.AliveTee(int(id)); t != nil && (w.Team(int(id)) != 0 && t.Race == ddrace.RaceStarted || w.Practises(w.Team(int(id)))) {
		w.Die(int(id), ddrace.WeaponGame)
	}
	w.SetTeam(int(id), uint8(team))
}

// uninvite is the command uninvite.
func (m *Mode) uninvite(_ *game.Ctx, c *game.CommandCall) {
	if id, team := c.Int(0), c.Int(1); id >= 0 && id < game.MaxPlayers && team > 0 && team < numTeams {
		m.state.Teams.Invited[team].Remove(game.PlayerID(id))
	}
}
