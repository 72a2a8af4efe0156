package game

import "github.com/teeyard/teeyard/game/vec"

// player is the state of a connected player.
type player struct {
	connected  bool
	hasProfile bool
	inGame     bool
	admin      bool
	bot        bool
	addrHash   uint64
	profile    Profile

	team     Team
	score    int32
	viewPos  vec.Vec2    // centre of the camera
	flags    PlayerFlags // PlayerFlagChatting, PlayerFlagScoreboard, PlayerFlagAim
	spawning bool        // waits for a character
	ready    bool
	// respawnDisabled: out of the round in survival modes.
	respawnDisabled bool
	deadSpec        bool // dead and spectating
	specMode        SpectateMode
	specID          PlayerID // the followed player
	specFlag        Team     // the followed flag, TeamSpectators for none
	specFireHeld    bool     // fire was held in the last input of a spectator

	respawnTick    int32
	dieTick        int32
	scoreStartTick int32 // tick from which the score per minute is computed
	lastActionTick int32
	teamChangeTick int32 // tick from which the player can change team
	raceStart      int32 // tick at which the player's clock started in a race, 0 if it stands
	inactivity     int32 // ticks
	cursorX        int32
	cursorY        int32

	sight sight

	eyes      Emote // that the player chose
	eyesUntil int32 // tick from which the tee looks normal again

	lastChat, lastSetTeam, lastSpectate, lastInfo, lastEmote, lastKill, lastReady, lastEyes, lastCommand int32 // ticks, 0 never
}

// join handles CmdJoin.
func (w *World) join(id PlayerID, spectator bool, origin uint64) {
	p := &w.players[id]
	if p.connected {
		return
	}
	if id >= fewPlayers {
		w.tees.Seats = MaxPlayers
	}
	team := TeamSpectators
	if !spectator {
		team = w.startTeam()
	}
	team, _ = w.requestJoin(id, team, JoinConnect)
	team = w.countIn(team)
	*p = player{
		connected: true, addrHash: origin, team: team,
		respawnTick: w.tick, dieTick: w.tick, scoreStartTick: w.tick,
		lastActionTick: w.tick, teamChangeTick: w.tick,
		specID: Nobody, specFlag: TeamSpectators,
		ready: !w.readyMode(), respawnDisabled: w.startRespawnDisabled(),
	}
}

// setProfile handles CmdProfile.
func (w *World) setProfile(id PlayerID, pr *Profile) {
	p := &w.players[id]
	switch {
	case pr == nil:
		return
	case p.inGame:
		w.changeProfile(id, *pr)
		return
	case p.hasProfile:
		return
	}
	p.lastInfo = w.tick
	p.profile = *pr
	p.profile.sanitize()
	p.hasProfile = true
}

// changeProfile gives a player in the game another profile. Clients may repeat the request until it
// takes effect, so requests that come too early are dropped silently. A new name is announced in
// the chat, and counts as a line there.
func (w *World) changeProfile(id PlayerID, next Profile) {
	p := &w.players[id]
	old := p.profile
	next.sanitize()
	if w.isSpam(p.lastChat, TickRate) {
		next.Name = old.Name
	}
	if next == old || w.isSpam(p.lastInfo, w.rules.InfoChangeDelay*TickRate) {
		w.sim.refused(id)
		return
	}
	p.lastInfo = w.tick
	p.profile = next
	w.addEvent(Event{Kind: EvProfileChange, To: MaskAll.Without(MaskOne(id)), Player: id})
	if next.Name != old.Name {
		p.lastChat = w.tick
		w.addEvent(Event{
			Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll,
			Text: "'" + old.Name + "' changed name to '" + next.Name + "'",
		})
		w.callRename(id)
	}
}

// enter handles CmdEnterGame.
func (w *World) enter(id PlayerID) {
	p := &w.players[id]
	if p.inGame || !p.hasProfile {
		return
	}
	p.inGame = true
	if w.tees.Extended {
		x := &w.playerExtras[id].tuning
		x.told, x.predicted = w.tuning, w.tuning
	}
	w.sim.enter(id)
	w.respawn(id)
	w.addEvent(Event{Kind: EvPlayerEntered, To: MaskAll, Player: id, Team: p.team, Flag: w.entersSilently(id)})
	w.callEnter(id)
}

// entersSilently reports whether others are not notified when the player enters or
// leaves.
func (w *World) entersSilently(id PlayerID) bool {
	return w.rules.SilentSpectators && w.players[id].team == TeamSpectators
}

// leave handles CmdLeave.
func (w *World) leave(id PlayerID, reason string) {
	p := &w.players[id]
	if p.inGame {
		w.callLeave(id)
	}
	w.killCharacter(id, WeaponGame)
	if p.team != TeamSpectators {
		w.stopFollowing(id)
		w.match.teamSize[p.team]--
		w.match.unbalancedTick = teamBalanceCheck
	}
	w.checkReady(id)
	if p.inGame {
		w.addEvent(Event{Kind: EvPlayerLeft, To: MaskAll, Player: id, Text: reason, Flag: w.entersSilently(id)})
	}
	w.sim.leave(id)
	w.dropCarriedFlags(id)
	w.disownEntities(id)
	w.forgetNPC(id)
	w.playerExtras[id] = playerExtras{}
	*p = player{}
	w.stopTimers(id)
	w.forgetShown(id)
	for _, s := range w.perPlayer {
		s.clearPlayer(id)
	}
}

func (w *World) tickPlayer(id PlayerID) {
	p, c := &w.players[id], &w.tees.All[id]
	if !p.inGame {
		return
	}
	if c.Exists && !c.Alive {
		w.removeCharacter(id)
	}
	if w.match.isPaused() {
		p.respawnTick++
		p.dieTick++
		p.scoreStartTick++
		p.lastActionTick++
		p.teamChangeTick++
		if p.raceStart != 0 {
			p.raceStart++
		}
		if p.eyesUntil != 0 {
			p.eyesUntil++
		}
		if w.playerExtras[id].skin.until > 0 {
			w.playerExtras[id].skin.until++
		}
		return
	}
	if w.tees.Extended {
		w.endSkin(id)
	}
	if looks := !c.Exists && p.team == TeamSpectators || p.sight.pause != NotPaused; looks && p.specMode == SpectateFree {
		p.viewPos.X -= vec.Clamp(p.viewPos.X-float32(p.cursorX), -500, 500)
		p.viewPos.Y -= vec.Clamp(p.viewPos.Y-float32(p.cursorY), -400, 400)
	}
	if !c.Exists && p.dieTick+3*TickRate <= w.tick && !p.deadSpec {
		w.respawn(id)
	}
	if !c.Exists && p.team == TeamSpectators && p.specFlag >= 0 {
		p.specID = PlayerID(w.flags[p.specFlag].Carrier)
	}
	if c.Exists {
		if c.Alive && p.sight.pause == NotPaused {
			p.viewPos = c.Pos
		}
	} else if p.spawning && p.respawnTick <= w.tick {
		w.sim.spawn(id)
	}
	if !p.deadSpec && p.lastActionTick != w.tick && !w.npcs.present.Has(id) {
		p.inactivity++
	}
}

// postTickPlayer moves a spectator's camera to its target.
func (w *World) postTickPlayer(id PlayerID) {
	p := &w.players[id]
	if !p.isSpectating() || p.specMode == SpectateFree {
		return
	}
	if p.specFlag >= 0 {
		p.viewPos = w.flags[p.specFlag].Pos
	} else if p.specID >= 0 && w.players[p.specID].connected {
		p.viewPos = w.players[p.specID].viewPos
	}
}

// respawn requests a character, or starts to spectate if the player is out of the
// round.
func (w *World) respawn(id PlayerID) {
	p := &w.players[id]
	if p.respawnDisabled && p.team != TeamSpectators {
		p.deadSpec = true
		p.ready = true
		p.specMode = SpectatePlayer
		w.updateDeadSpec(id)
		return
	}
	p.deadSpec = false
	if p.team != TeamSpectators {
		p.spawning = true
	}
}

// killCharacter kills and removes the player's character, if there is one.
func (w *World) killCharacter(id PlayerID, weapon Weapon) {
	if w.tees.All[id].Exists {
		w.sim.killed(id, weapon)
		w.die(id, id, weapon)
		if w.tees.All[id].Exists {
			w.removeCharacter(id)
		}
	}
}

// applyDirectInput handles CmdDirectInput.
func (w *World) applyDirectInput(id PlayerID, in *Input) {
	p := &w.players[id]
	flags := in.Flags & (PlayerFlagChatting | PlayerFlagScoreboard | PlayerFlagAim)
	if w.paused {
		p.flags = flags
		return
	}
	if flags&PlayerFlagChatting != 0 {
		if p.flags&PlayerFlagChatting != 0 {
			return
		}
		if w.tees.All[id].Exists {
			w.tees.All[id].ResetInput()
		}
		p.flags = flags
		return
	}
	p.flags = flags
	if w.tees.All[id].Exists {
		w.sim.directInput(id, *in)
	}
	held := in.Fire&1 != 0
	if !w.tees.All[id].Exists && p.team != TeamSpectators && held {
		w.respawn(id)
	}
	if !w.tees.All[id].Exists && p.team == TeamSpectators && held {
		if !p.specFireHeld {
			p.specFireHeld = true
			w.toggleFollow(id)
		}
	} else {
		p.specFireHeld = false
	}
	if in.Direction != 0 || p.cursorX != in.TargetX || p.cursorY != in.TargetY || in.Jump || held || in.Hook {
		p.cursorX, p.cursorY = in.TargetX, in.TargetY
		p.lastActionTick = w.tick
		p.inactivity = 0
	}
}

// resetPlayers requests new characters for all players for a new match or round.
func (w *World) resetPlayers() {
	for i := range w.players {
		p := &w.players[i]
		if !p.connected {
			continue
		}
		p.respawnDisabled = false
		w.respawn(PlayerID(i))
		p.respawnTick = w.tick + TickRate/2
		if w.match.roundsInMatch == 0 {
			p.score = 0
			p.scoreStartTick = w.tick
		}
		p.ready = true
	}
}
