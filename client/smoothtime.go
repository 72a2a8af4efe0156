package client

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

const tickTime = time.Second / 50

// smoothTime is a clock that follows a target without jumping, as the original
// client's.
type smoothTime struct {
	updatedAt       conn.Time // when current and target were set
	current, target time.Duration
	speed           [2]float64 // down, up
	spikes          int
}

func newSmoothTime(now conn.Time, at time.Duration) smoothTime {
	return smoothTime{updatedAt: now, current: at, target: at, speed: [2]float64{0.3, 0.3}}
}

// at tells what the clock shows.
func (s *smoothTime) at(now conn.Time) time.Duration {
	passed := now.Sub(s.updatedAt)
	c, t := s.current+passed, s.target+passed
	speed := s.speed[0]
	if t > c {
		speed = s.speed[1]
	}
	a := min(passed.Seconds()*speed, 1)
	return c + time.Duration(float64(t-c)*a)
}

// update gives the clock a new target; left is how many ms early (or, below
// zero, late) the sample was, dir 0 if it may make the clock slower and 1 if
// faster.
func (s *smoothTime) update(now conn.Time, target time.Duration, left, dir int) {
	if left < 0 {
		spiked := false
		if left < -50 {
			spiked = true
			s.spikes = min(s.spikes+5, 50)
		}
		if spiked && s.spikes < 15 {
			return // a single late sample is no reason
		}
		if s.speed[dir] < 30 {
			s.speed[dir] *= 2
		}
	} else {
		s.spikes = max(s.spikes-1, 0)
		s.speed[dir] = max(s.speed[dir]*0.95, 2)
	}
	s.current = s.at(now)
	s.target = target
	s.updatedAt = now
}
