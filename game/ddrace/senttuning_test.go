package ddrace

import (
	"slices"
	"testing"
)

// TestSentTuning checks that clients get 0 for the parameters of abilities that a tee lacks.
func TestSentTuning(t *testing.T) {
	d := room(8, 8)
	d.game(3, 5, 191+uint8(EntitySpawn), 0)
	w := New(Config{Map: d.load(t)})
	plain := w.Settings().Tuning
	if w.SentTuning(0) != plain {
		t.Error("a player without a tee")
	}
	w.Enter(0, false)
	for range 5 {
		w.Step(nil)
	}
	tee := w.Tee(0)
	if tee == nil {
		t.Fatal("no tee")
	}
	zeros := func() (zeros []int) {
		for i, v := range w.SentTuning(0) {
			if v == 0 && plain[i] != 0 {
				zeros = append(zeros, i)
			}
		}
		return zeros
	}
	for _, tt := range []struct {
		change func()
		zeros  []int
	}{
		{func() {}, []int{JetpackStrength}},
		{func() { tee.Jetpack = true }, nil},
		{func() { tee.Core.Jumps = 0 }, []int{GroundJumpImpulse}},
		{func() { tee.Core.Jumps, tee.Core.NoCollision = 2, true }, []int{PlayerCollision}},
		{func() { tee.Core.NoCollision, tee.Core.Solo = false, true }, []int{PlayerCollision, PlayerHooking}},
		{func() { tee.Core.Solo, tee.Core.NoHookHit = false, true }, []int{PlayerHooking}},
		{func() { tee.UnhitHammer = true }, []int{PlayerHooking, HammerStrength}},
	} {
		tt.change()
		if got := zeros(); !slices.Equal(got, tt.zeros) {
			t.Errorf("zeros %v, want %v", got, tt.zeros)
		}
	}
	if w.SetPractice(3, true); !w.Practises(3) || w.Practises(2) || w.Practises(TeamSuper) {
		t.Error("the teams that practise are wrong")
	}
}
