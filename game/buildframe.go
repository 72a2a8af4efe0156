package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Frame returns the visible state after the last Step. The frame is built on first use and is valid
// until the next Step.
func (w *World) Frame() *Frame {
	if !w.frameValid {
		w.buildFrame()
		w.frameValid = true
	}
	return &w.frame
}

// View returns the frame as a player sees it, valid until the next Step. For the id -1, it is the
// view of a spectator without a seat: all positions, but the vitals of no player.
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
	f.Game, f.Extended = w.gameState(), w.tees.Extended
	f.Players = f.Players[:0]
	f.Characters = f.Characters[:0]
	for i := range w.players {
		id := PlayerID(i)
		if w.players[i].inGame {
			f.Players = append(f.Players, w.playerState(id))
		}
		if w.tees.All[i].InWorld {
			f.Characters = append(f.Characters, w.characterState(id))
		}
	}
	if w.tees.Extended {
		w.addTickOrder(f)
	}
	w.sim.show(f)
	f.Flags = f.Flags[:0]
	for i := range w.flags {
		if fl := &w.flags[i]; fl.Exists {
			f.Flags = append(f.Flags, FlagState{Team: Team(i), X: vec.Trunc(fl.Pos.X), Y: vec.Trunc(fl.Pos.Y), Pos: fl.Pos})
		}
	}
}

// projectileState returns a projectile as clients are sent it. It started at pos in startTick.
func (w *World) projectileState(id uint16, weapon tee.Weapon, pos, dir vec.Vec2, startTick int32, notFor PlayerMask) ProjectileState {
	return ProjectileState{
		ID: id, X: vec.Trunc(pos.X), Y: vec.Trunc(pos.Y),
		VelX: vec.Trunc(float32(dir.X * 100)), VelY: vec.Trunc(float32(dir.Y * 100)),
		Weapon: Weapon(weapon), StartTick: startTick,
		Pos: weapon.ShotAt(pos, dir, &w.tuning, float32(w.tick-startTick)/TickRate), NotFor: notFor,
	}
}

// PosAt returns the position in a tick. It ignores walls.
func (p *ProjectileState) PosAt(tun *Tuning, tick int32) vec.Vec2 {
	pos := vec.Vec2{X: float32(p.X), Y: float32(p.Y)}
	dir := vec.Vec2{X: float32(p.VelX) / 100, Y: float32(p.VelY) / 100}
	return tee.Weapon(p.Weapon).ShotAt(pos, dir, tun, float32(tick-p.StartTick)/TickRate)
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
		case !f.Exists:
			g.FlagCarrier[i] = -3
		case f.AtStand:
			g.FlagCarrier[i] = -2
		case f.Carrier != tee.Nobody:
			g.FlagCarrier[i] = int32(f.Carrier)
		default:
			g.FlagCarrier[i] = -1
			g.FlagDropTick[i] = f.DropTick
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
		view = w.flags[p.specFlag].Pos
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
	c := &w.tees.All[id]
	s := CharacterState{
		Player: id, Health: c.Health, Armor: c.Armor, Weapon: Weapon(c.ActiveWeapon), Emote: w.shownEmote(id),
		AttackTick: c.AttackTick, TriggeredEvents: c.TriggeredEvents, Pos: c.Pos,
	}
	core := &c.Core
	if c.ReckonTick != 0 && !w.paused {
		s.Tick = c.ReckonTick
		core = &c.SendCore
	}
	n := core.State()
	s.X, s.Y, s.VelX, s.VelY = n.X, n.Y, n.VelX, n.VelY
	s.Angle, s.Jumped = n.Angle, n.Jumped
	s.Direction = c.Input.Direction
	s.HookedPlayer, s.HookState, s.HookTick = n.HookedPlayer, n.HookState, n.HookTick
	s.HookX, s.HookY, s.HookDX, s.HookDY = n.HookX, n.HookY, n.HookDX, n.HookDY
	if c.ActiveWeapon == tee.WeaponNinja {
		s.Ammo = c.Ninja.ActivationTick + tee.NinjaTicks
	} else {
		s.Ammo = c.Weapons[c.ActiveWeapon].Ammo
		if s.Ammo < 0 { // endless, of which clients know nothing
			s.Ammo = tee.MaxAmmo
			if c.ActiveWeapon == tee.WeaponHammer {
				s.Ammo = 0 // as in the original
			}
		}
	}
	if w.tees.Extended {
		w.addStates(&s, c)
	}
	return s
}

// shownEmote returns the emote that others see: a temporary one, the player's choice, or an
// occasional blink.
func (w *World) shownEmote(id PlayerID) Emote {
	c, p, tick := &w.tees.All[id], &w.players[id], w.tick
	e := Emote(c.Emote)
	if c.EmoteStop < tick {
		e = EmoteNormal
	}
	if e == EmoteNormal && p.eyesUntil > tick {
		e = p.eyes
	}
	e, lastAction := w.sim.eyes(id, e)
	if e == EmoteNormal && c.IsFrozen(tick) {
		if c.FreezeEnd == FreezeForever {
			return EmotePain
		}
		return EmoteBlink
	}
	if e == EmoteNormal && 250-(tick-lastAction)%250 < 5 {
		e = EmoteBlink
	}
	return e
}
