package client

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

const tickTime = time.Second / 50

// smoothTime is a clock that approaches a target without jumps, as in the original client.
type smoothTime struct {
	updatedAt       conn.Time // when current and target were set
	current, target time.Duration
	speed           [2]float64 // down, up
	spikes          int
}

func newSmoothTime(now conn.Time, at time.Duration) smoothTime {
	return smoothTime{updatedAt: now, current: at, target: at, speed: [2]float64{0.3, 0.3}}
}

// at returns the clock's time.
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

// update sets a new target. early is how early the sample was in ms, negative if late. direction is
// 0 if the sample slows the clock down and 1 if it speeds the clock up.
func (s *smoothTime) update(now conn.Time, target time.Duration, early, direction int) {
	if early < 0 {
		spiked := false
		if early < -50 {
			spiked = true
			s.spikes = min(s.spikes+5, 50)
		}
		if spiked && s.spikes < 15 {
			return // ignore a single late sample
		}
		if s.speed[direction] < 30 {
			s.speed[direction] *= 2
		}
	} else {
		s.spikes = max(s.spikes-1, 0)
		s.speed[direction] = max(s.speed[direction]*0.95, 2)
	}
	s.current = s.at(now)
	s.target = target
	s.updatedAt = now
}
