package client

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
)

// prediction is a simulation that moves tees ahead of the last snapshot.
type prediction interface {
	SetInput(id game.PlayerID, in *game.Input)
	Step()
	Core(id game.PlayerID) (physics.Core, bool)
}

// advance runs a prediction from one tick to another with the sent inputs.
func advance(w prediction, s *Session, from, to int32) {
	for t := from; t < to; { // a server may send the last tick that there is
		t++
		var sent bool
		if s.predicted, sent = s.SentInputAt(t); sent {
			w.SetInput(s.side.OwnID(), &s.predicted)
		}
		w.Step()
	}
}

// predictor moves the tees of a view ahead to a later tick with the physics of the game: the
// client's own tee with the sent inputs, the others with their current direction.
type predictor struct {
	frame game.Frame
	view  game.View

	vanilla *game.Prediction // nil without a map
	ddrace  ddracePredictor
}

func (p *predictor) setMap(c *physics.Collision) {
	p.vanilla = nil
	if c != nil {
		p.vanilla = game.NewPrediction(c)
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
	if p.vanilla == nil || tick <= from.Tick || stopped {
		return &p.view
	}
	p.frame.Tick = tick
	tuning := g.Tuning()
	var moved prediction = p.vanilla
	if p.ddrace.simulate(s, tick) {
		moved = p.ddrace.world
	} else {
		p.vanilla.Show(from, g.OwnID(), &tuning, g.CoreState)
		advance(moved, s, from.Tick, tick)
	}
	own := from.Viewer
	for i := range p.frame.Characters {
		c := &p.frame.Characters[i]
		core, ok := moved.Core(c.Player)
		if !ok {
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
	for i := range p.frame.Projectiles {
		s := &p.frame.Projectiles[i]
		s.Pos = s.PosAt(&tuning, tick)
	}
	return &p.view
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
