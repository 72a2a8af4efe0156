package client

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
)

// maxPredictedSpeed limits the speed of predicted tees, in 1/256 units per tick. The cost grows
// with the speed, and a server can send any value. No game is that fast.
const maxPredictedSpeed = 300 * 256

// predictor moves the tees of a view ahead to a later tick with the physics of the game: the
// client's own tee with the sent inputs, the others with their current direction.
type predictor struct {
	world *physics.World
	cores [game.MaxPlayers]physics.Core
	input physics.Input
	own   game.CharacterState // from the view, for states that disable controls
	frame game.Frame
	view  game.View

	ddrace ddracePredictor
}

func (p *predictor) setMap(c *physics.Collision) {
	p.world = nil
	if c != nil {
		p.world = physics.NewWorld(c)
	}
}

// viewAt returns the view predicted for a tick. It moves the client's own tee, or all tees.
func (p *predictor) viewAt(s *Session, tick int32, all bool) *game.View {
	g := s.side
	from := g.View()
	p.view = *from
	p.view.Frame = &p.frame
	p.copyFrame(from.Frame)
	stopped := from.Game.State&(game.StatePaused|game.StateRoundOver|game.StateGameOver) != 0
	if p.world == nil || tick <= from.Tick || stopped {
		return &p.view
	}
	p.frame.Tick = tick
	inDDRace := p.ddrace.simulate(s, tick)
	if !inDDRace {
		p.simulate(s, from.Tick, tick)
	}
	own := from.Viewer
	for i := range p.frame.Characters {
		c := &p.frame.Characters[i]
		core := p.world.Cores[c.Player]
		if inDDRace {
			core = nil
			if moved, ok := p.ddrace.world.Core(c.Player); ok {
				core = &moved
			}
		}
		if core == nil {
			continue
		}
		if c.Player != own && !all {
			setCoreState(c, g.CoreState(&from.Characters[i]), 0)
			continue
		}
		setCoreState(c, core.State(), tick)
		c.Pos = core.Pos
		if c.Player == own && from.VitalsOf == own {
			p.view.Pos = core.Pos
		}
	}
	tuning := g.Tuning()
	for i := range p.frame.Projectiles {
		s := &p.frame.Projectiles[i]
		s.Pos = s.PosAt(&tuning, tick)
	}
	return &p.view
}

// simulate runs the physics from one tick to another.
func (p *predictor) simulate(s *Session, from, to int32) {
	g := s.side
	p.world.Tuning, p.world.Exceptions = g.Tuning(), g.View().Extended
	clear(p.world.Cores[:])
	chars := g.View().Characters
	own := g.OwnID()
	for i := range chars {
		st := g.CoreState(&chars[i])
		if st.VelX > maxPredictedSpeed || st.VelX < -maxPredictedSpeed || st.VelY > maxPredictedSpeed || st.VelY < -maxPredictedSpeed {
			continue
		}
		core := &p.cores[chars[i].Player]
		core.Reset(p.world, chars[i].Pos)
		core.SetState(&st)
		core.Exceptions = chars[i].Flags.Exceptions()
		if chars[i].Player == own {
			p.own = chars[i]
		}
		p.world.Cores[chars[i].Player] = core
	}
	for t := from + 1; t <= to; t++ {
		in, sent := s.SentInputAt(t)
		for id, core := range &p.world.Cores {
			switch {
			case core == nil:
			case game.PlayerID(id) == own && sent:
				p.input = physicsInput(&in)
				p.own.MaskInput(&p.input, t)
				core.Tick(&p.input, true)
				p.own.EndTick(core)
			default:
				core.Tick(nil, false)
			}
		}
		for _, core := range &p.world.Cores {
			if core != nil {
				core.Move()
				core.Quantize()
			}
		}
	}
}

// physicsInput returns the part of an input that moves the tee.
func physicsInput(in *game.Input) physics.Input {
	p := physics.Input{Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Hook: in.Hook}
	if p.TargetX == 0 && p.TargetY == 0 {
		p.TargetY = -1
	}
	return p
}

// setCoreState sets the movement of a character.
func setCoreState(c *game.CharacterState, s physics.CoreState, tick int32) {
	c.Tick = tick
	c.X, c.Y, c.VelX, c.VelY = s.X, s.Y, s.VelX, s.VelY
	c.Angle, c.Direction, c.Jumped = s.Angle, s.Direction, s.Jumped
	c.HookedPlayer, c.HookState, c.HookTick = s.HookedPlayer, s.HookState, s.HookTick
	c.HookX, c.HookY, c.HookDX, c.HookDY = s.HookX, s.HookY, s.HookDX, s.HookDY
}

// copyFrame copies a frame into the predictor's own.
func (p *predictor) copyFrame(f *game.Frame) {
	g := &p.frame
	players, chars, shots := append(g.Players[:0], f.Players...), append(g.Characters[:0], f.Characters...), append(g.Projectiles[:0], f.Projectiles...)
	lasers, pickups, flags := append(g.Lasers[:0], f.Lasers...), append(g.Pickups[:0], f.Pickups...), append(g.Flags[:0], f.Flags...)
	*g = *f
	g.Players, g.Characters, g.Projectiles = players, chars, shots
	g.Lasers, g.Pickups, g.Flags = lasers, pickups, flags
}
