package client

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// maxPredictedGap limits the ticks between two snapshots across which DDRace tees are predicted.
const maxPredictedGap = 10

// ddraceBase is the DDRace world as of the last snapshot. Between two snapshots it runs as a
// prediction. So it keeps state that snapshots lack, and predictions can be compared with the
// server's results.
type ddraceBase struct {
	m     *game.DDRacePredictionMap
	world *game.DDRacePrediction // nil outside of DDRace
	tick  int32
	alive bool
	now   []game.CharacterState // the last snapshot's characters at its tick
}

// onSnapshot updates the base with a snapshot.
func (b *ddraceBase) onSnapshot(s *Session, m *Map) {
	v, own := s.side.View(), s.side.OwnID()
	if v.Game.Flags&game.GameFlagDDRace == 0 || m == nil || m.ddrace == nil {
		b.world = nil
		return
	}
	if b.world == nil {
		if b.m = m.ddrace(); b.m == nil {
			return
		}
		b.world, b.alive = game.NewDDRacePrediction(b.m), false
	}
	var shown *game.CharacterState
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == own {
			shown = c
		}
	}
	if gap := v.Tick - b.tick; b.alive && gap > 0 && gap <= maxPredictedGap {
		advance(b.world, s, b.tick, v.Tick)
		if c, ok := b.world.Core(own); ok && shown != nil {
			s.stats.Predictions++
			if d := vec.Distance(c.Pos, shown.Pos); d != 0 {
				s.stats.Corrections++
			}
		}
	}
	view := *v
	view.Characters = b.reckon(s, v)
	b.world.Show(&view, own)
	if t, params := s.side.DDRaceTuning(); params > 0 {
		b.world.Tell(&t, params, own)
	}
	b.tick, b.alive = v.Tick, shown != nil
}

// reckon returns the characters of a view as they are in the view's tick. A server may send a
// character's state of up to three seconds ago if the character has moved predictably since.
// DDNet-Server 20.1 does so, 16.4 does not.
func (b *ddraceBase) reckon(s *Session, v *game.View) []game.CharacterState {
	b.now = append(b.now[:0], v.Characters...)
	for i := range b.now {
		c := &b.now[i]
		if c.Tick <= 0 {
			continue
		}
		k := s.side.CoreState(c)
		c.Tick = 0
		c.X, c.Y, c.VelX, c.VelY = k.X, k.Y, k.VelX, k.VelY
		c.Direction, c.Jumped, c.Angle = k.Direction, k.Jumped, k.Angle
		c.HookedPlayer, c.HookState, c.HookTick = k.HookedPlayer, k.HookState, k.HookTick
		c.HookX, c.HookY, c.HookDX, c.HookDY = k.HookX, k.HookY, k.HookDX, k.HookDY
	}
	return b.now
}

// ddracePredictor predicts from a ddraceBase.
type ddracePredictor struct {
	base  *ddraceBase
	m     *game.DDRacePredictionMap
	world *game.DDRacePrediction
}

// simulate predicts the world of a tick. It returns false outside of DDRace.
func (p *ddracePredictor) simulate(s *Session, tick int32) bool {
	if p.base == nil || p.base.world == nil || p.base.tick != s.side.View().Tick {
		return false
	}
	if p.m != p.base.m {
		p.m = p.base.m
		p.world = game.NewDDRacePrediction(p.m)
	}
	p.world.CopyFrom(p.base.world)
	advance(p.world, s, p.base.tick, tick)
	return true
}
