package game

// startTeam returns the team that a new player gets by default.
func (w *World) startTeam() Team {
	if w.rules.TournamentMode != 0 {
		return TeamSpectators
	}
	m := &w.match
	team := TeamRed
	if m.flags&GameFlagTeams != 0 && m.teamSize[TeamRed] > m.teamSize[TeamBlue] {
		team = TeamBlue
	}
	return team
}

// countIn counts a new player in and returns their team: that without a slot are spectators.
func (w *World) countIn(team Team) Team {
	m := &w.match
	if team == TeamSpectators || m.teamSize[TeamRed]+m.teamSize[TeamBlue] >= w.rules.PlayerSlots {
		return TeamSpectators
	}
	w.countPlayer(team)
	return team
}

// countPlayer counts a new player in.
func (w *World) countPlayer(team Team) {
	w.match.teamSize[team]++
	w.match.unbalancedTick = teamBalanceCheck
	w.endGameWarmup()
}

// clampTeam returns the nearest team that the mode has.
func (w *World) clampTeam(t Team) Team {
	switch {
	case t < TeamRed:
		return TeamSpectators
	case w.match.flags&GameFlagTeams != 0:
		return t & 1
	}
	return TeamRed
}

// canJoinTeam reports whether a slot is free for the player, not counting their own.
func (w *World) canJoinTeam(id PlayerID, t Team) bool {
	if t == TeamSpectators {
		return true
	}
	n := w.match.teamSize[TeamRed] + w.match.teamSize[TeamBlue]
	if w.players[id].team != TeamSpectators {
		n--
	}
	return n < w.rules.PlayerSlots
}

// balances reports whether teams are to be of about the same size.
func (w *World) balances() bool {
	return w.match.flags&GameFlagTeams != 0 && w.rules.TeamBalanceTime != 0 && !w.decisions.uneven
}

// canChangeTeam reports whether the teams stay balanced if the player changes.
func (w *World) canChangeTeam(id PlayerID, t Team) bool {
	if !w.balances() || t == TeamSpectators {
		return true
	}
	n := w.match.teamSize
	n[t]++
	if w.players[id].team != TeamSpectators {
		n[t^1]--
	}
	return n[t]-n[t^1] < 2
}

// requestTeam handles CmdSetTeam.
func (w *World) requestTeam(id PlayerID, t Team) {
	p := &w.players[id]
	if w.paused && !w.isStartCountdown() {
		return
	}
	if t < TeamSpectators || t > TeamBlue || t == p.team ||
		w.isSpam(p.lastSetTeam, 3*TickRate) ||
		t != TeamSpectators && w.teamsLocked || p.teamChangeTick > w.tick {
		return
	}
	last, next := p.lastSetTeam, p.teamChangeTick
	p.lastSetTeam = w.tick
	if w.canJoinTeam(id, t) && w.canChangeTeam(id, t) {
		p.teamChangeTick = w.tick + 3*TickRate
		if !w.moveToTeam(id, t, true, JoinPlayer) && w.traits.modeDelays {
			p.lastSetTeam, p.teamChangeTick = last, next
		}
	}
}

// changeTeam moves a player to another team.
func (w *World) changeTeam(id PlayerID, t Team, announce bool) {
	p, m := &w.players[id], &w.match
	t = w.clampTeam(t)
	old := p.team
	if t == old {
		return
	}
	w.sim.changeTeam(id, t)
	w.killCharacter(id, WeaponGame)
	p.team = t
	p.lastActionTick = w.tick
	p.specMode, p.specID, p.specFlag = SpectateFree, Nobody, TeamSpectators
	p.deadSpec = false
	p.respawnTick = w.tick + TickRate/2
	if t == TeamSpectators {
		w.stopFollowing(id)
	}
	w.addEvent(Event{Kind: EvTeamChange, To: MaskAll, Player: id, Team: t, Tick: p.teamChangeTick, Flag: !announce})
	if old != TeamSpectators {
		m.teamSize[old]--
		m.unbalancedTick = teamBalanceCheck
	}
	if t != TeamSpectators {
		m.teamSize[t]++
		m.unbalancedTick = teamBalanceCheck
		w.endGameWarmup()
		p.ready = !w.readyMode()
		if m.flags&GameFlagSurvival != 0 {
			p.respawnDisabled = w.startRespawnDisabled()
		}
	}
	w.sim.leftTeam(id)
	w.checkReady(Nobody)
	if old == TeamSpectators {
		p.inactivity = 0
	}
	w.callTeam(id, old)
}

// forceTeam handles CmdForceTeam.
func (w *World) forceTeam(id PlayerID, t Team, minutes int32) {
	t = min(max(t, TeamSpectators), TeamBlue)
	if id == Nobody {
		w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, Player: Nobody, GameMsg: GameMsgTeamAll, Value: int32(t)})
		for i := PlayerID(0); i < MaxPlayers; i++ {
			if w.players[i].connected && w.canJoinTeam(i, t) {
				w.moveToTeam(i, t, false, JoinOperator)
			}
		}
		return
	}
	if !w.players[id].connected || !w.canJoinTeam(id, t) {
		return
	}
	const maxMinutes = 10000 // a week
	w.players[id].teamChangeTick = w.tick + min(max(minutes, 0), maxMinutes)*60*TickRate
	w.moveToTeam(id, t, true, JoinOperator)
}

// swapTeams moves all red players to blue and all blue players to red.
func (w *World) swapTeams() {
	m := &w.match
	if m.flags&GameFlagTeams == 0 {
		return
	}
	w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, Player: Nobody, GameMsg: GameMsgTeamSwap})
	for i := PlayerID(0); i < MaxPlayers; i++ {
		if p := &w.players[i]; p.connected && p.team != TeamSpectators {
			w.moveToTeam(i, p.team^1, false, JoinOperator)
		}
	}
	m.teamScore[0], m.teamScore[1] = m.teamScore[1], m.teamScore[0]
}

// shuffleTeams distributes the players to the teams at random.
func (w *World) shuffleTeams() {
	if w.match.flags&GameFlagTeams == 0 {
		return
	}
	var ids [MaxPlayers]PlayerID
	n := 0
	for i := range w.players {
		if p := &w.players[i]; p.connected && p.team != TeamSpectators {
			ids[n] = PlayerID(i)
			n++
		}
	}
	w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, Player: Nobody, GameMsg: GameMsgTeamShuffle})
	for i := n; i > 1; i-- {
		j := w.rand.Intn(i)
		ids[j], ids[i-1] = ids[i-1], ids[j]
	}
	odd := 0
	if n%2 != 0 {
		odd = w.rand.Intn(2)
	}
	for i, id := range ids[:n] {
		t := TeamBlue
		if i < (n+odd)/2 {
			t = TeamRed
		}
		w.moveToTeam(id, t, false, JoinOperator)
	}
}

// teamSizeDiff returns the difference of the team sizes.
func (w *World) teamSizeDiff() int32 {
	d := w.match.teamSize[TeamRed] - w.match.teamSize[TeamBlue]
	return max(d, -d)
}

// checkBalance starts or stops the time after which uneven teams are balanced.
func (w *World) checkBalance() {
	m := &w.match
	if !w.balances() {
		m.unbalancedTick = teamBalanceOK
		return
	}
	if w.teamSizeDiff() < 2 {
		m.unbalancedTick = teamBalanceOK
	} else if m.unbalancedTick <= teamBalanceOK {
		m.unbalancedTick = w.tick
	}
	w.addEvent(Event{Kind: EvTeamSizes, Player: Nobody, Value: m.teamSize[TeamRed], Extra: m.teamSize[TeamBlue]})
}

// balanceTeams moves players of the bigger team. It begins with the players whose score per minute
// balances the teams best.
func (w *World) balanceTeams() {
	m := &w.match
	if !w.balances() || w.teamSizeDiff() < 2 {
		return
	}
	w.addEvent(Event{Kind: EvTeamSizes, Player: Nobody, Value: m.teamSize[TeamRed], Extra: m.teamSize[TeamBlue], Flag: true})
	var team [2]float32
	var each [MaxPlayers]float32
	for i := range w.players {
		if p := &w.players[i]; p.connected && p.team != TeamSpectators {
			each[i] = float32(float32(p.score*TickRate)*60) / float32(w.tick-p.scoreStartTick)
			team[p.team] += each[i]
		}
	}
	big := TeamBlue
	if m.teamSize[TeamRed] > m.teamSize[TeamBlue] {
		big = TeamRed
	}
	for n := w.teamSizeDiff() / 2; n > 0; n-- {
		best, diff := Nobody, team[big]
		for i := PlayerID(0); i < MaxPlayers; i++ {
			p := &w.players[i]
			if !p.connected || !w.callCanBeMoved(i) || p.team != big {
				continue
			}
			d := (team[big^1] + each[i]) - (team[big] - each[i])
			d = max(d, -d)
			if best == Nobody || d < diff {
				best, diff = i, d
			}
		}
		if best == Nobody {
			continue
		}
		p := &w.players[best]
		action := p.lastActionTick
		if !w.moveToTeam(best, big^1, true, JoinBalance) {
			continue
		}
		p.lastActionTick = action
		w.respawn(best)
		w.addEvent(Event{
			Kind: EvGameMsg, To: MaskOne(best), Player: Nobody,
			GameMsg: GameMsgTeamBalanceVictim, Value: int32(p.team),
		})
	}
	m.unbalancedTick = teamBalanceOK
	w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, Player: Nobody, GameMsg: GameMsgTeamBalance})
}

// checkActivity kicks or moves inactive players.
func (w *World) checkActivity() {
	if w.rules.InactiveTime == 0 {
		return
	}
	limit := w.rules.InactiveTime * 60 * TickRate
	for i := PlayerID(0); i < MaxPlayers; i++ {
		p := &w.players[i]
		if !p.connected || p.admin || p.inactivity <= limit {
			continue
		}
		if p.team == TeamSpectators {
			if w.rules.InactiveSpecKick {
				w.kick(i)
			}
			continue
		}
		switch w.rules.InactiveAction {
		case 1:
			w.moveToTeam(i, TeamSpectators, true, JoinInactive)
		case 2:
			if w.countSpectators() >= w.rules.MaxClients-w.rules.PlayerSlots {
				w.kick(i)
			} else {
				w.moveToTeam(i, TeamSpectators, true, JoinInactive)
			}
		case 3:
			w.kick(i)
		}
	}
}

func (w *World) kick(id PlayerID) {
	w.addEvent(Event{Kind: EvKick, Player: id, Text: "Kicked for inactivity"})
}

func (w *World) countSpectators() int32 {
	n := int32(0)
	for i := range w.players {
		if p := &w.players[i]; p.connected && p.team == TeamSpectators {
			n++
		}
	}
	return n
}
