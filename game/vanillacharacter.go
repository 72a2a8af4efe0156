package game

import "github.com/teeyard/teeyard/game/physics"

func (v *vanilla) enter(PlayerID) {}

// leave makes the team the owner of a leaving player's shots.
func (v *vanilla) leave(id PlayerID) {
	v.transferProjectilesToTeam(id)
	v.transferLasersToTeam(id)
}

func (v *vanilla) changeTeam(PlayerID, Team) {}

func (v *vanilla) leftTeam(id PlayerID) { v.transferProjectilesToTeam(id) }

func (v *vanilla) killed(PlayerID, Weapon) {}

func (v *vanilla) showOthers(PlayerID, int32) {}

func (v *vanilla) refused(PlayerID) {}

func (v *vanilla) beforeChat() {}

func (v *vanilla) isMate(_, _ PlayerID) bool { return true }

func (v *vanilla) setInput(id PlayerID, in Input) {
	v.w.applyDirectInput(id, &in)
	v.applyPredictedInput(id, &in)
}

// applyPredictedInput handles CmdInput.
func (v *vanilla) applyPredictedInput(id PlayerID, in *Input) {
	w := v.w
	if id < 0 || id >= MaxPlayers || !w.players[id].inGame || w.paused || !in.valid() {
		return
	}
	if w.players[id].flags&PlayerFlagChatting != 0 && in.Flags&PlayerFlagChatting != 0 {
		return
	}
	in = w.changedInput(id, in)
	if w.characters[id].exists {
		w.characters[id].setInput(in, w.tick)
	}
}

// directInput handles an input on arrival: it switches weapons and fires at once.
func (v *vanilla) directInput(id PlayerID, in Input) {
	w := v.w
	c := &w.characters[id]
	c.latestPrevInput = c.latestInput
	c.latestInput = withNonZeroTarget(in)
	if c.numInputs > 2 && w.players[id].team != TeamSpectators {
		v.switchWeapon(id)
		v.fireWeapon(id)
	}
	c.latestPrevInput = c.latestInput
}

func (v *vanilla) tickCharacter(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	in := c.input.physics()
	if w.extended {
		c.maskCoreInput(&in, w.tick)
	}
	c.core.Tick(&in, true)
	if w.extended {
		c.endCoreTick()
	}
	if w.collision.FarOutside(c.pos) {
		w.die(id, id, WeaponWorld)
	}
	v.handleWeapons(id)
}

// physics returns the part of an input that moves a tee.
func (in *Input) physics() physics.Input {
	return physics.Input{Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Hook: in.Hook}
}

// tickDeferredCharacter moves a tee after the cores of all tees have ticked.
func (v *vanilla) tickDeferredCharacter(id PlayerID) {
	w := v.w
	c := &w.characters[id]
	c.reckoningCore.Tick(nil, false)
	c.reckoningCore.Move()
	c.reckoningCore.Quantize()

	w.movedFrom[id] = c.pos
	c.core.Move()
	c.core.Quantize()
	c.pos = c.core.Pos
	c.triggeredEvents |= int32(c.core.Events)

	if c.core.Death {
		w.die(id, id, WeaponWorld)
		if !c.exists {
			return // a mod removed the character
		}
	}
	if c.reckonTick+3*TickRate < w.tick || !equalOnWire(&c.reckoningCore, &c.core) {
		c.reckonTick = w.tick
		c.sendCore, c.reckoningCore = c.core, c.core
		c.reckoningCore.World, c.reckoningCore.Tuning = &w.reckoningWorld, nil
	}
}

// equalOnWire reports whether two quantised cores give equal snapshot items.
func equalOnWire(a, b *physics.Core) bool {
	return a.Pos == b.Pos && a.Vel == b.Vel && a.HookPos == b.HookPos && a.HookDir == b.HookDir &&
		a.HookState == b.HookState && a.HookTick == b.HookTick && a.HookedPlayer == b.HookedPlayer &&
		a.Jumped == b.Jumped && a.Direction == b.Direction && a.Angle == b.Angle
}

// maskCoreInput clears the disabled controls in an input.
func (c *character) maskCoreInput(in *physics.Input, tick int32) {
	disabled := c.disabled(tick)
	if disabled&ControlMove != 0 {
		in.Direction = 0
	}
	in.Jump = in.Jump && disabled&ControlJump == 0
	in.Hook = in.Hook && disabled&ControlHook == 0
}

// endCoreTick applies endless hook and the jump limits.
func (c *character) endCoreTick() { c.flags.endTick(&c.core, usualJumps+c.moreJumps, &c.airJumps) }
