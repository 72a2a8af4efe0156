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
	now   []game.CharacterState // of the last snapshot, as they are in its tick
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
	view := *v
	view.Characters = b.reckon(s, v)
	b.world.Show(&view, own)
	if t, params := s.side.DDRaceTuning(); params > 0 {
		b.world.Tell(&t, params, own)
	}
	b.tick, b.alive = v.Tick, shown != nil
}

// reckon returns the characters of a view as they are in its tick. Servers may send a character as it was up to
// three seconds before, if it has only moved on since: DDNet-Server 20.1 does, 16.4 does not.
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
