package ddrace

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestBoxMissesNobody checks that the box around a line contains all points near it, and few
// others.
func TestBoxMissesNobody(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for range 100_000 {
		size := []float32{1, 100, 32000, 2e7}[r.IntN(4)]
		point := func() Vec { return Vec{X: (r.Float32() - 0.5) * size, Y: (r.Float32() - 0.5) * size} }
		a, b, p, distance := point(), point(), point(), r.Float32()*40
		around := boxAround(a, b, distance)
		if !around.misses(p) {
			continue
		}
		missed++
		at, ok := closest(a, b, p)
		testenv.Require(t, !ok || !(vec.Distance(at, p) < distance), "%v is within %v of the line from %v to %v", p, distance, a, b)
	}
	testenv.Check(t, missed > 20_000, "only %d places were missed", missed)
}

// TestStopAtOthersSkips compares stopAtOthers with a search that looks at every sample.
func TestStopAtOthersSkips(t *testing.T) {
	d := room(60, 60)
	d.game(30, 30, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	for id := range 8 {
		w.Enter(id, false)
	}
	w.Step(nil)
	r := rand.New(rand.NewPCG(3, 4))
	stopped := 0
	for range 5_000 {
		size := []float32{60, 300, 1900, 8000}[r.IntN(4)]
		point := func() Vec {
			return Vec{X: float32(int(r.Float32() * size)), Y: float32(int(r.Float32() * min(size, 200)))}
		}
		for id := range 8 {
			w.tees[id].Core.Pos = point()
		}
		me, next := &w.tees[r.IntN(8)], point().Add(Vec{X: r.Float32(), Y: r.Float32()})
		got, want := w.stopAtOthers(me, next), w.stopAtEach(me, next)
		testenv.Require(t, got == want, "from %v to %v: %v, not %v", me.Core.Pos, next, got, want)
		if got != next {
			stopped++
		}
	}
	testenv.Check(t, stopped > 500, "only %d were stopped", stopped)
}

// stopAtEach is stopAtOthers without skipping samples or tees.
func (w *World) stopAtEach(t *Tee, next Vec) Vec {
	pos := t.Core.Pos
	d := vec.Distance(pos, next)
	if !(d > 0) {
		return next
	}
	last := pos
	for i := range vec.Trunc(d + 1) {
		a := float32(i) / d
		p := vec.Mix(pos, next, a)
		for _, id := range w.present() {
			o := &w.tees[id]
			if far := vec.Distance(p, o.Core.Pos); o != t && far < teeSize {
				switch {
				case a > 0:
					return last
				case vec.Distance(next, o.Core.Pos) > far:
					return next
				}
				return pos
			}
		}
		last = p
	}
	return next
}

// TestWayAlongNothing compares the tiles of a way with a search that looks at every sample.
func TestWayAlongNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 200 {
		d := room(3+r.IntN(40), 3+r.IntN(40))
		for range r.IntN(12) {
			d.game(r.IntN(d.Width), r.IntN(d.Height), TileFreeze, 0)
		}
		m := d.load(t)
		for range 200 {
			point := func() Vec {
				return Vec{X: (r.Float32()*1.4 - 0.2) * float32(d.Width*tileSize), Y: (r.Float32()*1.4 - 0.2) * float32(d.Height*tileSize)}
			}
			a := point()
			b := a.Add(Vec{X: (r.Float32() - 0.5) * 100, Y: (r.Float32() - 0.5) * 100})
			var want []int32
			last := int32(0)
			length := vec.Distance(a, b)
			for s := range vec.Trunc(length + 1) {
				if i := m.mapIndex(vec.Mix(a, b, float32(s)/length)); i >= 0 && i != last {
					want = append(want, i)
					last = i
				}
			}
			got := m.appendWay(nil, a, b)
			found += len(got)
			testenv.Require(t, len(got) == len(want), "from %v to %v: %v, not %v", a, b, got, want)
			for i := range got {
				testenv.Require(t, got[i] == want[i], "from %v to %v: %v, not %v", a, b, got, want)
			}
		}
	}
	testenv.Check(t, found > 1500, "only %d tiles were found", found)
}

// TestSpawnExit checks that the cached exit at spawn points equals a new search.
func TestSpawnExit(t *testing.T) {
	d := room(60, 20)
	for i := range 8 {
		d.game(3+6*i, 18, tileEntities, 0)
	}
	w := New(Config{Map: d.load(t)})
	for id := range 8 {
		w.Enter(id, false)
	}
	for range 3 {
		w.Step(nil)
	}
	me := w.Tee(0)
	exits := map[Vec]bool{}
	check := func() {
		t.Helper()
		want, _ := w.spawnPos(0)
		got, ok := w.spawnExit(me)
		exits[got] = true
		testenv.Check(t, ok && got == want, "%v, not %v", got, want)
		again, _ := w.spawnExit(me)
		testenv.Check(t, again == got, "%v, then %v", got, again)
	}
	check()
	w.Kill(5, WeaponWorld, false)
	check()
	w.SetTeam(0, 3)
	check()
	w.SetTeam(1, 3)
	check()
	w.Pause(6, true)
	check()
	testenv.Check(t, len(exits) > 1, "there is always the same exit")
}

// TestVanish checks that the tee of a player who looks around leaves before players with higher ids
// spawn in that tick. If the forced time of looking around is over, the tee keeps its place in the
// order of tees.
func TestVanish(t *testing.T) {
	d := room(60, 20)
	d.game(3, 18, tileEntities, 0)
	d.game(9, 18, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	w.Enter(0, false)
	w.Enter(1, false)
	for range 3 {
		w.Step(nil)
	}
	testenv.Require(t, w.Rests(0) && w.Rests(1), "the tees do not rest")
	told := func(events []Event, kind EventKind, tee int8) int {
		return slices.IndexFunc(events, func(e Event) bool { return e.Kind == kind && e.Tee == tee })
	}
	order := func() (ids []int) {
		for tee := range w.Tees {
			ids = append(ids, tee.ID())
		}
		return ids
	}

	before := order()
	w.LookAround(0, true, true)
	w.LookUntil(0, w.Tick())
	events := w.Step(nil)
	testenv.Check(t, slices.Equal(order(), before) && told(events, EventDeathEffect, 0) < 0, "%v, then %v", before, order())
	i := told(events, EventPlaysOn, 0)
	testenv.Check(t, i >= 0 && events[i].Value == 0, "%+v", events)

	w.LookAround(0, true, true)
	w.LookUntil(0, w.Tick()+1)
	w.Enter(2, false)
	events = w.Step(nil)
	left, came := told(events, EventDeathEffect, 0), told(events, EventSpawn, 2)
	testenv.Check(t, w.Tee(0) == nil && left >= 0 && left < came, "it leaves at %d, the other one spawns at %d", left, came)
	events = w.Step(nil)
	i = told(events, EventPlaysOn, 0)
	testenv.Check(t, order()[0] == 0 && i >= 0 && events[i].Value == 1, "it comes back: %v, %+v", order(), events)
	w.Step(nil)
	testenv.Check(t, w.Tee(0) != nil, "it leaves again")
}
