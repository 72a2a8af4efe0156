package game

// playing returns the player if they are in the game, and nil otherwise.
func (w *World) playing(id PlayerID) *player {
	if id < 0 || id >= MaxPlayers || !w.players[id].inGame {
		return nil
	}
	return &w.players[id]
}

// valid reports whether a client could send this input.
func (in *Input) valid() bool {
	return in.Direction >= -1 && in.Direction <= 1 && in.WantedWeapon >= 0 && in.WantedWeapon < NumWeapons
}

// apply executes a command, except CmdInput. A command that the rules do not allow has no effect.
func (w *World) apply(cmd *Command) {
	if cmd.Kind == CmdAddNPC {
		w.addNPC(cmd.Player)
		return
	}
	if cmd.Kind > CmdEyes {
		w.applyDeclared(cmd)
		return
	}
	if cmd.Kind >= CmdTuneParams && cmd.Kind != CmdEyes {
		w.applyOperator(cmd)
		return
	}
	if cmd.Kind == CmdSay {
		w.applyChat(cmd)
		return
	}
	id := cmd.Player
	if id < 0 || id >= MaxPlayers {
		return
	}
	p := &w.players[id]
	if cmd.Kind == CmdJoin {
		w.join(id, cmd.AsSpectator, cmd.AddrHash)
		return
	}
	if !p.connected {
		return
	}
	switch cmd.Kind {
	case CmdProfile:
		w.setProfile(id, cmd.Profile)
		return
	case CmdEnterGame:
		w.enter(id)
		return
	case CmdLeave:
		w.leave(id, cmd.Text)
		return
	case CmdPlayerFlags:
		p.admin = cmd.Value&int32(PlayerFlagAdmin) != 0
		p.bot = cmd.Value&int32(PlayerFlagBot) != 0
		return
	}
	if p.inGame {
		w.applyPlayer(id, cmd)
	}
}

// applyPlayer executes a command that a player in the game sends.
func (w *World) applyPlayer(id PlayerID, cmd *Command) {
	p := &w.players[id]
	switch cmd.Kind {
	case CmdDirectInput:
		if cmd.Input.valid() {
			w.applyDirectInput(id, w.changedInput(id, &cmd.Input))
		}
	case CmdSetTeam:
		w.requestTeam(id, cmd.Team)
	case CmdSpectate:
		if w.paused || cmd.Spectate > SpectateFlagBlue || w.isSpam(p.lastSpectate, TickRate) {
			w.sim.refused(id)
			return
		}
		p.lastSpectate = w.tick
		if !w.spectate(id, cmd.Spectate, cmd.Target) {
			w.sim.refused(id)
			w.addEvent(Event{Kind: EvGameMsg, To: MaskOne(id), Player: Nobody, GameMsg: GameMsgSpecInvalidID})
		}
	case CmdKill:
		if !w.paused && (w.traits.modeDelays || !w.isWithin(p.lastKill, 3*TickRate)) {
			p.lastKill = w.tick
			if w.callSelfKill(id) {
				w.killCharacter(id, WeaponSelf)
			}
		}
	case CmdEmoticon:
		if w.paused || cmd.Value < 0 || cmd.Value > 15 || w.isSpam(p.lastEmote, 3*TickRate) {
			return
		}
		p.lastEmote = w.tick
		if w.callEmoticon(id, cmd.Value) {
			w.addEvent(Event{Kind: EvEmoticon, To: MaskAll, Player: id, Value: cmd.Value})
		}
	case CmdReady:
		if !w.isWithin(p.lastReady, TickRate) {
			p.lastReady = w.tick
			w.toggleReady(id)
		}
	case CmdEyes:
		const maxSeconds = 24 * 60 * 60
		if cmd.Emote > EmoteBlink || w.isSpam(p.lastEyes, TickRate) {
			return
		}
		p.lastEyes = w.tick
		p.eyes, p.eyesUntil = cmd.Emote, w.tick+min(max(cmd.Value, 0), maxSeconds)*TickRate
	case CmdSkinChange:
		if cmd.Profile == nil || w.isWithin(p.lastInfo, w.rules.InfoChangeDelay*TickRate) {
			return
		}
		p.lastInfo = w.tick
		p.profile.Skin = cmd.Profile.Skin
		p.profile.sanitize()
		if w.playerExtras[id].skin.until == 0 {
			w.addEvent(Event{Kind: EvSkinChange, To: MaskAll, Player: id})
		}
	}
}

// applyOperator executes a command that comes from an operator or a vote.
func (w *World) applyOperator(cmd *Command) {
	const maxSeconds = 1000
	switch cmd.Kind {
	case CmdTuneParams:
		if cmd.Tuning != nil {
			w.tuning = *cmd.Tuning
			w.resetPureTuning()
			w.sim.tune()
			told := w.tuning
			w.addEvent(Event{Kind: EvTuneParams, To: MaskAll, Tuning: &told})
			if w.tees.Extended {
				w.toldTuning()
			}
		}
	case CmdSetRules:
		if cmd.Rules != nil {
			w.setRules(*cmd.Rules, cmd.Value)
		}
	case CmdRestart:
		w.userWarmup(min(max(cmd.Value, timerInfinite), maxSeconds))
	case CmdPause:
		v := min(max(cmd.Value, PauseToggle), maxSeconds)
		if v == PauseToggle {
			v = timerInfinite
			if w.match.isPaused() {
				v = 0
			}
		}
		w.pause(v)
	case CmdForceTeam:
		if cmd.Player >= Nobody && cmd.Player < MaxPlayers {
			w.forceTeam(cmd.Player, cmd.Team, cmd.Value)
		}
	case CmdSwapTeams:
		w.swapTeams()
	case CmdShuffleTeams:
		w.shuffleTeams()
	case CmdBalanceTeams:
		if w.match.flags&GameFlagSurvival == 0 {
			w.balanceTeams()
		}
	case CmdLockTeams:
		w.teamsLocked = !w.teamsLocked
		w.tellSettings()
	case CmdEndMatch:
		w.requestMapChange()
	case CmdBroadcast:
		w.addEvent(Event{Kind: EvBroadcast, To: MaskAll, Text: cmd.Text})
	}
}

// setRules replaces the rules. It emits events for the changes that clients show, and for the flags
// in tell.
func (w *World) setRules(r Rules, tell int32) {
	old := w.rules
	w.rules = r
	w.limitRules()
	r = w.rules
	if tell&TellLimits != 0 || r.ScoreLimit != old.ScoreLimit || r.TimeLimit != old.TimeLimit || r.MatchesPerMap != old.MatchesPerMap {
		w.checkGameInfo()
	}
	if tell&TellSettings != 0 || r.VoteKick != old.VoteKick || r.VoteKickMin != old.VoteKickMin || r.VoteSpectate != old.VoteSpectate ||
		r.TeamBalanceTime != old.TeamBalanceTime || r.PlayerSlots != old.PlayerSlots || r.MaxClients != old.MaxClients {
		w.tellSettings()
	}
}

func (w *World) tellSettings() {
	told := w.rules
	w.addEvent(Event{Kind: EvServerSettings, To: MaskAll, Rules: &told, Flag: w.teamsLocked})
}
