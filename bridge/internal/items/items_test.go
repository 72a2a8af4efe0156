package items

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestSharedItems checks which views see which items, and in which order.
func TestSharedItems(t *testing.T) {
	var s Shared
	var b snapshot.Builder
	far := vec.Vec2{X: 5000}
	expect := func(v *game.View, want ...int32) {
		t.Helper()
		b.Reset()
		s.AppendVisible(&b, v, nil)
		var snap snapshot.Snapshot
		b.Finish(&snap)
		if snap.Len() != len(want) {
			t.Fatalf("%d items, want %d", snap.Len(), len(want))
		}
		for i, w := range want {
			key, ints := snap.Item(i)
			if got := ints[len(ints)-1]; got != w {
				t.Errorf("item %d, %v, has %d, want %d", i, key, got, w)
			}
		}
	}
	for range 2 { // the second round checks that Reset leaves nothing behind
		s.Reset()
		s.AddBeam(4, 2, 1, vec.Vec2{Y: 5000}, far)[0] = 10
		s.AddBeam(4, 1, 1, far, vec.Vec2{X: 900})[0] = 11
		s.AddNear(2, 7, 2, vec.Vec2{X: 100})[1] = 12
		s.AddNear(3, 7, 1, far)[0] = 13
		s.AddGlobal(1, 0, 3)[2] = 14
		s.Sort()
		expect(&game.View{}, 14, 12, 11)
		expect(&game.View{Pos: far}, 14, 13, 11, 10)
		expect(&game.View{ShowAll: true}, 14, 12, 13, 11, 10)
	}
	for i := 1; i < len(s.items); i++ {
		if a, b := s.items[i-1], s.items[i]; itemKey(a.typ, a.id) >= itemKey(b.typ, b.id) {
			t.Errorf("%v before %v", a, b)
		}
	}
	s.Reset()
	if got := s.AddGlobal(9, 9, 3); got[0] != 0 || got[1] != 0 || got[2] != 0 {
		t.Errorf("new item has %d", got)
	}
}
