package game

import "github.com/teeyard/teeyard/game/physics"

// maxPredictedSpeed limits the speed of predicted tees, in 1/256 units per tick. The cost grows
// with the speed, and a server can send any value. No game is that fast.
const maxPredictedSpeed = 300 * 256

// Prediction predicts tees on the client with the physics of vanilla. The client's own tee moves
// with its inputs, and the others keep their direction. See [DDRacePrediction] for DDRace.
type Prediction struct {
	world *physics.World
	cores [MaxPlayers]physics.Core
	tick  int32
	own   CharacterState // from the view, for states that disable controls
	input Input          // for the next tick
	given bool           // input is set
}

// NewPrediction returns a prediction without tees.
func NewPrediction(c *physics.Collision) *Prediction {
	return &Prediction{world: physics.NewWorld(c)}
}

// Show sets the prediction to the state in a view. It calls state for the movement of each
// character in the view's tick.
func (p *Prediction) Show(v *View, own PlayerID, t *Tuning, state func(c *CharacterState) physics.CoreState) {
	p.tick, p.given = v.Tick, false
	p.world.Tuning, p.world.Exceptions = *t, v.Extended
	clear(p.world.Cores[:])
	p.own = CharacterState{Player: Nobody}
	for i := range v.Characters {
		c := &v.Characters[i]
		s := state(c)
		if max(s.VelX, -s.VelX, s.VelY, -s.VelY) > maxPredictedSpeed {
			continue
		}
		core := &p.cores[c.Player]
		core.Reset(p.world, c.Pos)
		core.SetState(&s)
		core.Exceptions = c.Flags.exceptions()
		if c.Player == own {
			p.own = *c
		}
		p.world.Cores[c.Player] = core
	}
}

// SetInput sets the input for the next Step. Only that of the client's own player counts.
func (p *Prediction) SetInput(id PlayerID, in *Input) {
	if id == p.own.Player {
		p.input, p.given = withNonZeroTarget(*in), true
	}
}

// Step predicts one tick.
func (p *Prediction) Step() {
	p.tick++
	for id, core := range &p.world.Cores {
		switch {
		case core == nil:
		case p.given && PlayerID(id) == p.own.Player:
			in := p.input.physics()
			p.own.maskInput(&in, p.tick)
			core.Tick(&in, true)
			p.own.endTick(core)
		default:
			core.Tick(nil, false)
		}
	}
	p.given = false
	for _, core := range &p.world.Cores {
		if core != nil {
			core.Move()
			core.Quantize()
		}
	}
}

// Core returns the physics state of a player's tee, and false if the player has no tee.
func (p *Prediction) Core(id PlayerID) (c physics.Core, ok bool) {
	if core := p.world.Cores[id]; core != nil {
		return *core, true
	}
	return c, false
}

// maskInput clears the controls in an input for a later tick that have no effect then, because the
// tee is frozen or cannot move.
func (c *CharacterState) maskInput(in *physics.Input, tick int32) {
	frozen := c.FreezeEnd == FreezeForever || c.FreezeEnd > tick
	if frozen || c.Flags&CharacterFlagCannotMove != 0 {
		in.Direction, in.Jump = 0, false
	}
	in.Hook = in.Hook && !frozen
}

// endTick applies endless hook and the jump limits after a tick of the physics.
func (c *CharacterState) endTick(core *physics.Core) {
	if c.Jumps != 0 {
		c.Flags.endTick(core, c.Jumps, &c.AirJumps)
	}
}
