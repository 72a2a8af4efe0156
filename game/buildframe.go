package game

import "github.com/teeyard/teeyard/game/vec"

// Frame returns the visible state after the last Step. The frame is built on first use and is valid
// until the next Step.
func (w *World) Frame() *Frame {
	if !w.frameValid {
		w.buildFrame()
		w.frameValid = true
	}
	return &w.frame
}

// View returns the frame as a player sees it, valid until the next Step. For Nobody it is the view
// of a spectator without a seat, who sees all positions but no player's vitals.
func (w *World) View(id PlayerID) View {
	v := View{Frame: w.Frame(), Viewer: id, VitalsOf: Nobody}
	if id < 0 || id >= MaxPlayers {
		v.Viewer, v.ShowAll = Nobody, true
		return v
	}
	p := &w.players[id]
	v.Pos, v.Range = p.viewPos, w.sim.viewRange(id)
	if !p.isSpectating() {
		v.VitalsOf = id
	} else if !w.rules.StrictSpectate {
		v.VitalsOf = p.specID
	}
	return v
}

func (w *World) buildFrame() {
	f := &w.frame
	f.Tick = w.tick
	f.Game, f.Extended = w.gameState(), w.extended
	f.Players = f.Players[:0]
	f.Characters = f.Characters[:0]
	for i := range w.players {
		id := PlayerID(i)
		if w.players[i].inGame {
			f.Players = append(f.Players, w.playerState(id))
		}
		if w.characters[i].inWorld {
			f.Characters = append(f.Characters, w.characterState(id))
		}
	}
	if w.extended {
		w.addTickOrder(f)
	}
	w.sim.show(f)
	f.Flags = f.Flags[:0]
	for i := range w.flags {
		if fl := &w.flags[i]; fl.exists {
			f.Flags = append(f.Flags, FlagState{Team: Team(i), X: vec.Trunc(fl.pos.X), Y: vec.Trunc(fl.pos.Y), Pos: fl.pos})
		}
	}
}

func (w *World) projectileState(p *projectile, notFor PlayerMask) ProjectileState {
	return ProjectileState{
		ID: p.id, X: vec.Trunc(p.startPos.X), Y: vec.Trunc(p.startPos.Y),
		VelX: vec.Trunc(float32(p.direction.X * 100)), VelY: vec.Trunc(float32(p.direction.Y * 100)),
		Weapon: p.weapon, StartTick: p.startTick,
		Pos: p.posAt(&w.tuning, float32(w.tick-p.startTick)/TickRate), NotFor: notFor,
	}
}

func laserState(id uint16, pos, from vec.Vec2, startTick int32, notFor PlayerMask) LaserState {
	return LaserState{
		ID: id, X: vec.Trunc(pos.X), Y: vec.Trunc(pos.Y), FromX: vec.Trunc(from.X), FromY: vec.Trunc(from.Y),
		StartTick: startTick, Pos: pos, From: from, NotFor: notFor,
	}
}

func pickupState(id uint16, kind PickupKind, pos vec.Vec2, notFor PlayerMask) PickupState {
	return PickupState{ID: id, X: vec.Trunc(pos.X), Y: vec.Trunc(pos.Y), Kind: kind, NotFor: notFor}
}

func (w *World) gameState() GameState {
	m := &w.match
	g := GameState{
		Flags: m.flags, StartTick: m.startTick, TeamScore: m.teamScore,
		ScoreLimit: m.sentInfo.scoreLimit, TimeLimit: m.sentInfo.timeLimit, MatchNum: m.sentInfo.matchNum, MatchCurrent: m.sentInfo.matchCurrent,
		Race: w.race,
	}
	switch m.state {
	case stateWarmupGame, stateWarmupUser:
		g.State = StateWarmup
	case stateCountdown:
		g.State = StateCountdown | StatePaused
	case statePaused:
		g.State = StatePaused
	case stateEndRound:
		g.State = StateRoundOver
		g.EndTick = w.tick - m.startTick - endRoundSeconds*TickRate + m.timer
	case stateEndMatch:
		g.State = StateGameOver
		g.EndTick = w.tick - m.startTick - endMatchSeconds*TickRate + m.timer
	}
	if g.State&(StateWarmup|StatePaused) != 0 && m.timer != timerInfinite {
		g.EndTick = w.tick + m.timer
	}
	if m.suddenDeath {
		g.State |= StateSuddenDeath
	}
	for i := range w.flags {
		switch f := &w.flags[i]; {
		case !f.exists:
			g.FlagCarrier[i] = -3
		case f.atStand:
			g.FlagCarrier[i] = -2
		case f.carrier != Nobody:
			g.FlagCarrier[i] = int32(f.carrier)
		default:
			g.FlagCarrier[i] = -1
			g.FlagDropTick[i] = f.dropTick
		}
	}
	return g
}

func (w *World) playerState(id PlayerID) PlayerState {
	p := &w.players[id]
	s := PlayerState{
		ID: id, Team: p.team, Score: p.score, Flags: p.flags & (PlayerFlagChatting | PlayerFlagAim), RaceStart: p.raceStart,
		SpecMode: p.specMode, SpectatorID: p.specID,
		Spectating: p.isSpectating(),
	}
	view := p.viewPos
	if p.specFlag >= 0 {
		view = w.flags[p.specFlag].pos
	}
	s.ViewX, s.ViewY = vec.Trunc(view.X), vec.Trunc(view.Y)
	if p.admin {
		s.Flags |= PlayerFlagAdmin
	}
	if p.bot {
		s.Flags |= PlayerFlagBot
	}
	if !w.traits.alwaysReady && (!w.readyMode() || p.ready) {
		s.Flags |= PlayerFlagReady
	}
	if p.respawnDisabled && !w.isAlive(id) {
		s.Flags |= PlayerFlagDead
	}
	return s
}

func (w *World) characterState(id PlayerID) CharacterState {
	c := &w.characters[id]
	s := CharacterState{
		Player: id, Health: c.health, Armor: c.armor, Weapon: c.activeWeapon, Emote: w.shownEmote(id),
		AttackTick: c.attackTick, TriggeredEvents: c.triggeredEvents, Pos: c.pos,
	}
	core := &c.core
	if c.reckonTick != 0 && !w.paused {
		s.Tick = c.reckonTick
		core = &c.sendCore
	}
	n := core.State()
	s.X, s.Y, s.VelX, s.VelY = n.X, n.Y, n.VelX, n.VelY
	s.Angle, s.Jumped = n.Angle, n.Jumped
	s.Direction = c.input.Direction
	s.HookedPlayer, s.HookState, s.HookTick = n.HookedPlayer, n.HookState, n.HookTick
	s.HookX, s.HookY, s.HookDX, s.HookDY = n.HookX, n.HookY, n.HookDX, n.HookDY
	if c.activeWeapon == WeaponNinja {
		s.Ammo = c.ninja.activationTick + ninjaTicks
	} else {
		s.Ammo = c.weapons[c.activeWeapon].ammo
		if s.Ammo < 0 { // endless, of which clients know nothing
			s.Ammo = weapons[c.activeWeapon].maxAmmo
			if c.activeWeapon == WeaponHammer {
				s.Ammo = 0 // as in the original
			}
		}
	}
	if w.extended {
		w.addStates(&s, c)
	}
	return s
}
