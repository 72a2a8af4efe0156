package ddrace

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// savedByDDNet returns a save of DDNet-Server 16.4: a team of four on a map with many kinds of
// tiles.
func savedByDDNet(t testing.TB) string {
	b, err := os.ReadFile("testdata/ddnet16.4.save")
	testenv.NoError(t, err)
	return string(b)
}

// withoutShown returns a saved team without the fields for the display of checkpoints: 69 and 71 of
// a tee. DDNet-Server never sets some of them.
func withoutShown(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if f := strings.Split(line, "\t"); len(f) > 71 {
			f[68], f[70] = "0", "-1"
			lines[i] = strings.Join(f, "\t")
		}
	}
	return strings.Join(lines, "\n")
}

func TestSavedByDDNet(t *testing.T) {
	text := savedByDDNet(t)
	s, err := ParseSavedTeam(text)
	testenv.NoError(t, err)
	testenv.Require(t, len(s.Tees) == 4 && len(s.Switches) == 6 && s.State == 2 && s.Locked && !s.Practice, "%+v", s)
	tee := &s.Tees[2]
	testenv.Check(t, tee.Name == "second one" && tee.tee.UnhitHammer && tee.tee.Core.NoHookHit && tee.Time == 3435 && tee.Started, "%+v", tee)
	testenv.Check(t, tee.tee.Checkpoints[1] == 9 && tee.tee.LastCheckpoint == 1, "%+v", tee.tee.Checkpoints)
	for i := range s.Tees { // which are not in the text
		for k := range s.Tees[i].tee.loaded {
			s.Tees[i].tee.loaded[k] = s.Tees[i].tee.Weapons[k]
		}
	}
	got := string(s.Append(nil))
	if want := withoutShown(text); got != want {
		t.Errorf("written as\n%s\nnot\n%s", got, want)
	}
}

// TestSavedOldForms reads tees in the formats of older versions of DDNet, and of a newer one.
func TestSavedOldForms(t *testing.T) {
	lines := strings.Split(savedByDDNet(t), "\n")
	fields := strings.Split(lines[3], "\t")
	for n, want := range map[int]bool{95: false, 96: true, 97: true, 98: false, 101: true, 107: false, 108: true, 109: true, 110: true, 115: true} {
		long := append(slices.Clone(fields), "1.0", "0.0", "5", "0", "0")
		if n < fieldsLiveFreeze {
			long[67] = "5" // the hook holds something, but what was not saved then
		}
		s, err := ParseSavedTeam("2\t1\t0\t1\n" + strings.Join(long[:n], "\t"))
		testenv.Require(t, (err == nil) == want && (want || errors.Is(err, ErrSave)), "%d fields: %v", n, err)
		if want {
			tee := &s.Tees[0]
			testenv.Check(t, tee.Started && tee.Time == 3435 && tee.Hooked == noTee, "%d fields: %+v", n, tee)
			testenv.Check(t, n >= fieldsInput || tee.tee.Core.HookState == physics.HookFlying, "%d fields: the hook is %d", n, tee.tee.Core.HookState)
		}
	}
}

// TestSaveAndLoad loads a team into another world, and checks that it develops as in the first one.
func TestSaveAndLoad(t *testing.T) {
	m := arena(t, 5)
	p := newPlay(m, 4).armed()
	w := p.w
	for range 3 {
		p.step()
	}
	for id := range 3 {
		w.SetTeam(id, 7)
	}
	w.LockTeam(7, true)
	saved := 0
	for range 40 {
		for range 50 {
			p.step()
		}
		s, ids, ok := w.SaveTeam(7, 0)
		if !ok {
			continue // somebody is dead
		}
		saved++
		for i := range s.Tees {
			s.Tees[i].Name, s.Tees[i].GameID, s.Tees[i].Started = "p", "00000000-0000-0000-0000-000000000000", true
		}
		text := string(s.Append(nil))
		read, err := ParseSavedTeam(text)
		testenv.NoError(t, err)
		other := New(Config{Map: m, Seed: [2]uint64{9, 9}})
		for id := range 3 {
			other.Enter(id, false)
		}
		for range 3 {
			other.Step(nil)
		}
		for id := range 3 {
			other.SetTeam(id, 7)
		}
		other.LoadTeam(7, read, ids, false)
		same(t, w, other, ids)
	}
	testenv.Check(t, saved > 5, "saved %d times", saved)
}

// same compares the tees of two worlds.
func same(t *testing.T, w, other *World, ids []int) {
	t.Helper()
	for _, id := range ids {
		a, b := w.Tee(id), other.Tee(id)
		testenv.Require(t, a != nil && b != nil, "player %d has no tee", id)
		testenv.Check(t, a.Pos == b.Pos && a.PrevPos == b.PrevPos && a.Core.HookState == b.Core.HookState && a.Core.Jumped == b.Core.Jumped &&
			a.Core.Jumps == b.Core.Jumps,
			"player %d: core %+v, not %+v", id, b.Core, a.Core)
		testenv.Check(t, a.Core.HookedPlayer == b.Core.HookedPlayer, "player %d hooks %d, not %d", id, b.Core.HookedPlayer, a.Core.HookedPlayer)
		testenv.Check(t, a.Weapons == b.Weapons && a.FreezeTime == b.FreezeTime && a.Deep == b.Deep && a.Live == b.Live && a.Race == b.Race &&
			a.Checkpoints == b.Checkpoints,
			"player %d: %+v, not %+v", id, b, a)
		age := func(w *World, t *Tee) int32 {
			if t.StartTick == 0 {
				return 0
			}
			return w.tick - t.StartTick
		}
		testenv.Check(t, age(w, a) == age(other, b), "player %d has raced for %d ticks, not %d", id, age(other, b), age(w, a))
		testenv.Check(t, w.switches.active[w.team(id)] == other.switches.active[7], "other switches")
	}
}

// TestSwapTees swaps the places of two tees. The shots of each tee then come from the other one.
func TestSwapTees(t *testing.T) {
	d := room(40, 20)
	d.game(5, 10, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	for id := range 3 {
		w.Enter(id, false)
	}
	w.Step(nil)
	w.Step(nil)
	a, b := w.Tee(0), w.Tee(1)
	a.Core.Pos, a.Pos, a.StartTick, a.Race, a.Jetpack = Vec{X: 320, Y: 320}, Vec{X: 320, Y: 320}, 1, RaceStarted, true
	b.Core.HookedPlayer, b.Core.HookState = 0, physics.HookGrabbed
	w.Tee(2).Core.HookedPlayer = 1
	w.entities.projectiles = append(w.entities.projectiles, Projectile{Owner: 1})
	was := b.Pos
	testenv.Check(t, w.SwapTees(0, 1, 100), "not swapped")
	a, b = w.Tee(0), w.Tee(1)
	testenv.Check(t, b.Pos == Vec{X: 320, Y: 320} && a.Pos == was && b.Jetpack && !a.Jetpack, "they are at %v and %v", a.Pos, b.Pos)
	testenv.Check(t, b.Race == RaceStarted && w.tick-b.StartTick == w.tick-1+100, "the race began in tick %d", b.StartTick)
	testenv.Check(t, a.Core.HookedPlayer == 1 && w.Tee(2).Core.HookedPlayer == 0 && w.entities.projectiles[0].Owner == 0, "hooks and shots are those of before")
	testenv.Check(t, !w.SwapTees(0, 9, 0), "swapped with nobody")
}

// FuzzSavedTeam parses any text as a save, and runs a world with the loaded team.
func FuzzSavedTeam(f *testing.F) {
	text := savedByDDNet(f)
	f.Add(text)
	f.Add(strings.ReplaceAll(text, "3435", "-99999999999999999999"))
	f.Add(strings.ReplaceAll(text, "0.000000", "1e38"))
	f.Add(strings.ReplaceAll(text, "\t-1\t", "\t63\t"))
	f.Add(strings.ReplaceAll(text, "\t1\t", "\t2147483647\t"))
	m := arena(f, 5)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSavedTeam(text)
		if err != nil {
			if !errors.Is(err, ErrSave) {
				t.Fatal(err)
			}
			return
		}
		written := s.Append(nil)
		again, err := ParseSavedTeam(string(written))
		if err == nil && string(again.Append(nil)) != string(written) {
			t.Fatalf("%q is written as %q", written, again.Append(nil))
		}
		w := New(Config{Map: m})
		var ids []int
		for i := range s.Tees {
			w.Enter(i, false)
			ids = append(ids, i)
		}
		w.Step(nil)
		for id := range ids {
			w.SetTeam(id, 3)
		}
		w.LoadTeam(3, s, ids, len(s.Tees)%2 == 0)
		for range 20 {
			w.Step(nil)
		}
	})
}
