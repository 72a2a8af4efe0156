package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/physics"
)

// Prediction predicts tees on the client with the physics of vanilla. The client's own tee moves
// with its inputs, and the others keep their direction. See [DDRacePrediction] for DDRace.
type Prediction struct{ p *vanilla.Prediction }

// NewPrediction returns a prediction without tees.
func NewPrediction(c *physics.Collision) *Prediction {
	return &Prediction{vanilla.NewPrediction(c)}
}

// Show sets the prediction to the state in a view. It calls state for the movement of each
// character in the view's tick.
func (p *Prediction) Show(v *View, own PlayerID, t *Tuning, state func(c *CharacterState) physics.CoreState) {
	p.p.Begin(v.Tick, t, v.Extended)
	for i := range v.Characters {
		c := &v.Characters[i]
		s := state(c)
		if p.p.Add(tee.ID(c.Player), c.Pos, &s, tee.Flags(c.Flags)) && c.Player == own {
			p.p.SetOwn(tee.ID(own), vanilla.OwnState{
				Flags: tee.Flags(c.Flags), CanMove: c.Flags&CharacterFlagCannotMove == 0,
				FreezeEnd: c.FreezeEnd, Jumps: c.Jumps, AirJumps: c.AirJumps,
			})
		}
	}
}

// SetInput sets the input of the client's player for the next Step. It ignores other players.
func (p *Prediction) SetInput(id PlayerID, in *Input) { p.p.SetInput(tee.ID(id), in.tee()) }

// Step predicts one tick.
func (p *Prediction) Step() { p.p.Step() }

// Core returns the physics state of a player's tee, and false if the player has no tee.
func (p *Prediction) Core(id PlayerID) (c physics.Core, ok bool) {
	if core := p.p.Core(tee.ID(id)); core != nil {
		return *core, true
	}
	return c, false
}
