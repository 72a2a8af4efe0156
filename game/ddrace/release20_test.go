package ddrace

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// newStage20 is newStage with changed settings and the physics of a release: DDNet 20, or 16.4 to
// compare.
func newStage20(t testing.TB, release int32, d *drawing, change func(*Settings)) *stage {
	t.Helper()
	s := newStage(t, d)
	changed := s.Settings().Clone()
	changed.Release = release
	if change != nil {
		change(&changed)
	}
	s.SetSettings(changed)
	return s
}

// TestElasticity lets tees fall to the ground, whose top is at 288: they rest at 273.
func TestElasticity(t *testing.T) {
	for _, c := range []struct {
		release    int32
		elasticity int32
		y, vel     float32
		airJumps   int32
	}{
		// A way of 10.5 units has 11 steps of 0.9545. The eighth would end in the ground, so the
		// tee goes 7 down to 272.68. It then goes 3 steps of 0.7636 up to 270.39, with a velocity
		// of -8.4.
		{20, 80, 270, -2150. / 256, 0},
		{20, 700, 270, -10.5, 0}, // as 1: 3 of 0.9545, to 269.82
		{20, 0, 273, 0, 1},       // the ground is for the next tick
		// With an elasticity below 0, the tee does not land. It comes to 273.16 with 5.25, a step
		// above the ground, and then to 273.40 with 2.625.
		{20, -50, 273, 2.625, 1},
		{20, -2147483648, 273, 10.5, 1}, // as -1
		{16, 80, 273, 0, 1},             // none in 16.4
	} {
		s := newStage20(t, c.release, room(10, 10), func(s *Settings) { s.Tuning[GroundElasticityY] = c.elasticity })
		tee := s.put(0, Vec{X: 160, Y: 266})
		tee.Core.Vel.Y, tee.Core.Jumped, tee.Core.JumpedTotal, tee.Core.Jumps = 10, jumpUsed, 1, 3
		s.Step(nil)
		k := &tee.Core
		testenv.Check(t, k.Pos.Y == c.y && k.Vel.Y == c.vel, "%d, %d: at %v with %v", c.release, c.elasticity, k.Pos.Y, k.Vel.Y)
		// A tee with a jump left has light feet after the tick. The number of used jumps shows
		// whether it was on the ground.
		testenv.Check(t, k.JumpedTotal == c.airJumps, "%d, %d: %d jumps in the air", c.release, c.elasticity, k.JumpedTotal)
	}
}

// TestElasticWalls lets a tee run into a wall in a tune zone, and dash into it as a ninja. The dash
// ends without speed.
func TestElasticWalls(t *testing.T) {
	d := room(10, 6)
	layer(d, &d.Tune)
	for i := range d.Tune {
		d.Tune[i].Number, d.Tune[i].Type = 1, tuneTile
	}
	for _, release := range []int32{16, 20} {
		s := newStage20(t, release, d, func(s *Settings) {
			zone := DefaultTuning()
			zone[GroundElasticityX] = 50
			s.SetZone(1, zone)
		})
		tee := s.put(0, Vec{X: 268, Y: 80}) // the wall is at 288
		tee.Core.Vel = Vec{X: 10}
		s.Step(nil)
		vel, at := tee.Core.Vel.X, tee.Core.Pos.X
		testenv.Check(t, (vel < 0) == (release == 20) && (at < 273) == (release == 20), "%d: at %v with %v", release, at, vel)
		s.place(tee, Vec{X: 240, Y: 80})
		s.giveNinja(tee)
		s.fire(tee, 1, 0)
		s.Step(nil)
		testenv.Check(t, (tee.Core.Pos.X < 273) == (release == 20) && tee.Core.Pos.X > 240, "%d: the dash ends at %v", release, tee.Core.Pos.X)
	}
}

// TestStateOfElasticity checks that the tuning of DDNet 20 is part of the state.
func TestStateOfElasticity(t *testing.T) {
	d := room(6, 6)
	s := newStage20(t, 20, d, func(s *Settings) {
		zone := DefaultTuning()
		zone[GroundElasticityX] = -7
		s.SetZone(9, zone)
		s.Tuning[GroundElasticityY] = 60
	})
	restored := New(Config{Map: s.m})
	from := saver{buf: save(t, s.World), reading: true}
	restored.Visit(&from)
	testenv.NoError(t, from.err)
	is := restored.Settings()
	testenv.Check(t, len(from.buf) == 0 && is.Release == 20 && is.Tuning[GroundElasticityY] == 60 && is.Zones[9][GroundElasticityX] == -7,
		"it is %v", is.Tuning)
}

// TestMovingCommands compares the commands that move tees, and super, with the sources of both
// releases.
func TestMovingCommands(t *testing.T) {
	at := Vec{X: 320, Y: 320}
	for _, c := range []struct {
		name   string
		args   []string
		to, at Vec // as of DDNet 20, before it
	}{
		{"left", nil, Vec{X: 288, Y: 320}, Vec{X: 288, Y: 320}},
		{"right", []string{"3"}, Vec{X: 416, Y: 320}, Vec{X: 352, Y: 320}},
		{"up", []string{"-2"}, Vec{X: 320, Y: 384}, Vec{X: 320, Y: 288}},
		{"down", []string{"2", "3"}, Vec{X: 320, Y: 352}, Vec{X: 320, Y: 352}}, // two are no number of tiles
		{"move", []string{"2", "-1"}, Vec{X: 384, Y: 288}, Vec{X: 384, Y: 288}},
		{"move_raw", []string{"2", "-1"}, Vec{X: 322, Y: 319}, Vec{X: 322, Y: 319}},
	} {
		for _, release := range []int32{16, 20} {
			s := newStage20(t, release, room(20, 20), nil)
			tee := s.put(0, at)
			tee.Core.Vel = Vec{X: 5, Y: 6}
			want, vel := c.at, tee.Core.Vel
			if release == 20 {
				want, vel = c.to, Vec{}
			}
			_, known := s.RunTestCommand(0, c.name, c.args)
			testenv.Check(t, known && tee.Core.Pos == want && tee.Core.Vel == vel && tee.Race == RaceCheat,
				"%s %v, %d: at %v with %v", c.name, c.args, release, tee.Core.Pos, tee.Core.Vel)
		}
	}
	for _, release := range []int32{16, 20} {
		s := newStage20(t, release, room(20, 20), nil)
		tee := s.put(0, at)
		tee.Core.Vel, tee.Core.Jumped, tee.Core.JumpedTotal = Vec{X: 5, Y: 6}, jumpHeld|jumpUsed, 2
		tee.input.TargetX, tee.input.TargetY = 30, -40
		s.freeze(tee, 2)
		s.TeleportTo(0, Vec{X: 100, Y: 100}, true)
		k := &tee.Core
		if release == 20 {
			testenv.Check(t, k.Pos == at.Add(Vec{X: 30, Y: -40}) && k.Vel == Vec{} && k.Jumped == 0 && k.JumpedTotal == 0 && tee.FreezeTime == 0, "20: %+v", *k)
		} else {
			testenv.Check(t, k.Pos == Vec{X: 100, Y: 100} && k.Vel != Vec{} && k.Jumped != 0 && tee.FreezeTime > 0, "16: %+v", *k)
		}
		testenv.Check(t, s.TeleView(1, 2) == map[int32]int{16: 2, 20: 1}[release], "%d: whose view", release)
	}
}

// TestSuper checks the differences for super tees: jumps in the air, explosions, beams and
// switches.
func TestSuper(t *testing.T) {
	for _, release := range []int32{16, 20} {
		is20 := release == 20
		s := newStage20(t, release, room(20, 20), func(s *Settings) { s.Open.Set(1, true) })
		tee, other := s.put(0, Vec{X: 320, Y: 320}), s.put(1, Vec{X: 420, Y: 320})
		tee.AirJumps = true
		s.SetSuper(0, true)
		testenv.Check(t, tee.AirJumps != is20, "%d: jumps in the air %v", release, tee.AirJumps)
		before := tee.Core.Vel
		s.explode(Vec{X: 240, Y: 320}, noTee, true, -1)
		testenv.Check(t, (tee.Core.Vel == before) == is20, "%d: an explosion that nobody made: from %v to %v", release, before, tee.Core.Vel)
		testenv.Check(t, s.worksFor(&carried{Layer: LayerSwitch, Number: 1}, tee) == is20, "%d: what works with a switch that is open", release)

		hits := func(by, at *Tee) bool {
			at.FreezeTime = 100
			return s.hitLaser(&laser{Weapon: WeaponLaser, Owner: by.id, Pos: by.Pos, prev: by.Pos}, at.Pos)
		}
		testenv.Check(t, hits(tee, other) != is20, "%d: beams of super tees", release)
		testenv.Check(t, hits(other, tee), "%d: beams of others", release)
		s.SetTeam(1, 5)
		testenv.Check(t, hits(other, tee) != is20, "%d: beams of a team", release)
		s.SetSuper(0, false)
		s.SetTeam(1, 0)
		testenv.Check(t, hits(other, tee), "%d: beams", release)
		other.Core.Solo = true
		testenv.Check(t, !hits(other, tee), "%d: beams of a solo tee", release)
		other.Core.Solo = false
		s.Die(1, WeaponSelf)
		testenv.Check(t, hits(other, tee) != is20, "%d: beams of the dead", release)

		s.SetPractice(0, true)
		s.SetSuper(0, true)
		testenv.Check(t, tee.Super && s.Team(0) == 0, "%d: super in practice, team %d", release, s.Team(0))
	}
}

// TestFireTicks checks a delay that the releases round differently, and a ninja's dash that is too
// fast.
func TestFireTicks(t *testing.T) {
	for _, release := range []int32{16, 20} {
		s := newStage20(t, release, room(20, 20), nil)
		ticks, speed := int32(53), int32(9000)
		if release == 20 {
			ticks, speed = 52, 6000
		}
		testenv.Check(t, s.fireTicks(1060) == ticks && s.fireTicks(125) == 6, "%d: %d ticks", release, s.fireTicks(1060))
		tee := s.put(0, Vec{X: 320, Y: 320})
		s.giveNinja(tee)
		tee.Core.Vel = Vec{X: 9000}
		s.fire(tee, 1, 0)
		testenv.Check(t, tee.Ninja.OldVelAmount == speed, "%d: speed %d", release, tee.Ninja.OldVelAmount)
	}
}
