package bridge6

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// crowd is a view with players that have tees at the given places, but for those in
// out, who have none.
func crowd(viewer game.PlayerID, tick int32, at map[game.PlayerID]float32, out game.PlayerMask) *game.View {
	f := &game.Frame{Tick: tick}
	v := &game.View{Frame: f, Viewer: viewer}
	for id := range game.PlayerID(game.MaxPlayers) {
		x, ok := at[id]
		if !ok {
			continue
		}
		f.Players = append(f.Players, game.PlayerState{ID: id, SpectatorID: game.Nobody})
		if !out.Has(id) {
			f.Characters = append(f.Characters, game.CharacterState{Player: id, Pos: vec.Vec2{X: x}})
		}
		if id == viewer {
			v.Pos.X = x
		}
	}
	return v
}

// line of players 0..n-1, a step apart.
func row(n int) map[game.PlayerID]float32 {
	at := map[game.PlayerID]float32{}
	for i := range n {
		at[game.PlayerID(i)] = float32(i * 100)
	}
	return at
}

// TestMapOff: as long as all ids are low, nothing is changed, also nothing of the
// sixteenth player.
func TestMapOff(t *testing.T) {
	var m clientIDs
	m.update(crowd(15, 1, row(16), 0))
	for i := int32(-3); i < 64; i++ {
		if got := m.id(game.PlayerID(i)); got != max(i, -1) {
			t.Errorf("%d is %d", i, got)
		}
		if got := m.player(i); i >= 0 && got != game.PlayerID(i) || i < 0 && got != game.Nobody {
			t.Errorf("%d is player %d", i, got)
		}
		if m.field(i) != i {
			t.Errorf("%d is %d in a field", i, m.field(i))
		}
	}
	if m.player(64) != game.Nobody {
		t.Error("there is a player 64")
	}
	// Before the map is on: a client that knows few ids is told of no others.
	m = clientIDs{limited: true}
	if m.id(15) != 15 || m.id(16) != -1 || m.field(63) != -1 || m.field(-2) != -2 || m.player(16) != game.Nobody || m.player(15) != 15 {
		t.Error("few ids are many")
	}
}

// TestMapNearest: of many, the nearest 14 are there, besides oneself.
func TestMapNearest(t *testing.T) {
	for _, viewer := range []game.PlayerID{0, 7, 15, 16, 30, 63} {
		m := clientIDs{limited: true}
		at := row(64)
		m.update(crowd(viewer, 1, at, 0))
		n := 0
		for id := range at {
			switch got := m.id(id); {
			case got < -1 || got >= proxyID:
				t.Errorf("viewer %d: %d has the id %d", viewer, id, got)
			case got >= 0:
				n++
				if m.player(got) != id {
					t.Errorf("viewer %d: %d is %d, which is %d", viewer, id, got, m.player(got))
				}
				if d := int(id) - int(viewer); (d > 14 || d < -14) && viewer != 63 && viewer != 0 {
					t.Errorf("viewer %d sees %d", viewer, id)
				}
			}
		}
		if n != 15 {
			t.Errorf("viewer %d: %d players", viewer, n)
		}
		want := int32(0)
		if viewer < proxyID {
			want = int32(viewer)
		}
		if m.id(viewer) != want || m.own != want {
			t.Errorf("viewer %d is %d to himself", viewer, m.id(viewer))
		}
		if m.player(proxyID) != game.Nobody || m.player(20) != game.Nobody {
			t.Error("the proxyID is somebody")
		}
		if m.id(game.Nobody) != -1 || m.field(-1) != -1 || m.field(-2) != -2 || m.field(-3) != -3 {
			t.Error("nobody is somebody")
		}
	}
}

// TestMapKeeps: who stays near keeps his id, and it is not looked every tick.
func TestMapKeeps(t *testing.T) {
	m := clientIDs{limited: true}
	at := row(20) // the viewer is 3; the nearest are 0..14
	m.update(crowd(3, 100, at, 0))
	for i := range game.PlayerID(15) {
		if m.id(i) != int32(i) {
			t.Errorf("%d starts as %d", i, m.id(i))
		}
	}
	at[19] = 310 // comes near; 14 is now the farthest
	m.update(crowd(3, 104, at, 0))
	if m.id(19) != -1 {
		t.Error("looked too early")
	}
	m.update(crowd(3, 105, at, 0))
	if m.id(19) != 14 || m.id(14) != -1 || m.id(13) != 13 || m.player(14) != 19 {
		t.Errorf("19 is %d, 14 is %d, 13 is %d", m.id(19), m.id(14), m.id(13))
	}
	// Without a tee one is farther than any with one.
	m.update(crowd(3, 110, at, game.MaskOne(19)))
	if m.id(19) != -1 || m.id(14) != 14 {
		t.Errorf("19 is %d, 14 is %d", m.id(19), m.id(14))
	}
	// Whom one watches is there, wherever he is.
	v := crowd(3, 115, at, 0)
	v.Players[3].Spectating, v.Players[3].SpectatorID = true, 18
	m.update(v)
	if m.id(18) < 0 {
		t.Error("the player watched is not there")
	}
	// Time may go backwards when the map changes.
	delete(at, 0)
	m.update(crowd(3, 1, at, 0))
	if m.id(0) != -1 {
		t.Error("who left is there")
	}
	// All high ids are gone: as told.
	m.update(crowd(3, 2, row(16), 0))
	if m.active || m.id(15) != 15 {
		t.Error("the map stays on")
	}
}

// TestMapProperty: whatever happens, ids are unique, both ways agree, and the viewer
// and all others are there if they are few enough.
func TestMapProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := clientIDs{limited: true}
		viewer := game.PlayerID(rapid.IntRange(0, 63).Draw(t, "viewer"))
		tick := int32(0)
		for range 8 {
			tick += rapid.Int32Range(1, 9).Draw(t, "ticks")
			at := map[game.PlayerID]float32{viewer: 0}
			for _, id := range rapid.SliceOfN(rapid.IntRange(0, 63), 0, 40).Draw(t, "players") {
				at[game.PlayerID(id)] = float32(rapid.IntRange(0, 50).Draw(t, "place"))
			}
			before := m.updateTick
			m.update(crowd(viewer, tick, at, game.PlayerMask(rapid.Uint64().Draw(t, "out"))))
			if !m.active {
				continue
			}
			seen := map[int32]game.PlayerID{}
			for id := range game.PlayerID(game.MaxPlayers) {
				n := m.id(id)
				if n < 0 {
					continue
				}
				if other, ok := seen[n]; ok || n >= proxyID || m.player(n) != id {
					t.Fatalf("%d and %d are %d, which is %d", id, other, n, m.player(n))
				}
				seen[n] = id
			}
			if m.id(viewer) < 0 || len(seen) > 15 {
				t.Fatalf("the viewer is %d, with %d others", m.id(viewer), len(seen)-1)
			}
			if m.updateTick != before && len(seen) != min(len(at), 15) {
				t.Fatalf("%d of %d are there", len(seen), len(at))
			}
		}
	})
}
