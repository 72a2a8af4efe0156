package client

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// maxPredictedGap is the most ticks between two snapshots over which tees of DDRace are predicted.
const maxPredictedGap = 10

// ddraceBase is the world of DDRace as of the last snapshot. Between two snapshots it is predicted, so
// that it keeps what snapshots do not have, and so that predictions are compared with what happened.
type ddraceBase struct {
	m     *game.DDRacePredictionMap
	world *game.DDRacePrediction // nil outside of DDRace
	tick  int32
	alive bool
}

// onSnapshot follows a snapshot.
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
	b.world.Show(v, own)
	if t, ok := s.side.DDRaceTuning(); ok {
		b.world.Tell(&t, own)
	}
	b.tick, b.alive = v.Tick, shown != nil
}

// advance runs a prediction from one tick to another, with the inputs that were sent.
func advance(w *game.DDRacePrediction, s *Session, from, to int32) {
	for t := from + 1; t <= to; t++ {
		if in, ok := s.SentInputAt(t); ok {
			w.SetInput(s.side.OwnID(), &in)
		}
		w.Step()
	}
}

// ddracePredictor predicts from there.
type ddracePredictor struct {
	base  *ddraceBase
	m     *game.DDRacePredictionMap
	world *game.DDRacePrediction
}

// simulate predicts the world of a tick. It reports false outside of DDRace.
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
