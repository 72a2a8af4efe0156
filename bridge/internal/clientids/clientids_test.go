package clientids

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
)

// TestUnmappedIDs checks that ids are not mapped while all of them are low.
func TestUnmappedIDs(t *testing.T) {
	var m Map
	m.Update(bridgetest.RowView(15, 1, bridgetest.Row(16), game.PlayerMask{}))
	for i := int32(-3); i < game.MaxPlayers; i++ {
		player := game.Nobody
		if i >= 0 {
			player = game.PlayerID(i)
		}
		if m.ID(game.PlayerID(i)) != max(i, -1) || m.Player(i) != player || m.Field(i) != i {
			t.Errorf("%d has id %d, player %d, field %d", i, m.ID(game.PlayerID(i)), m.Player(i), m.Field(i))
		}
	}
	if m.Player(game.MaxPlayers) != game.Nobody {
		t.Error("there is a player 128")
	}
	m = New(16, false)
	if m.ID(15) != 15 || m.ID(16) != -1 || m.Field(63) != -1 || m.Field(-2) != -2 || m.Player(16) != game.Nobody || m.Player(15) != 15 {
		t.Error("a client with 16 ids knows higher ids")
	}
}

// TestNearestPlayers checks that, among many players, the viewer and the nearest ones have ids.
func TestNearestPlayers(t *testing.T) {
	for _, viewer := range []game.PlayerID{0, 7, 15, 16, 30, 63} {
		m := New(16, false)
		positions := bridgetest.Row(64)
		m.Update(bridgetest.RowView(viewer, 1, positions, game.PlayerMask{}))
		n := 0
		for player := range positions {
			id := m.ID(player)
			if id < 0 {
				continue
			}
			n++
			if id >= m.Spare() || m.Player(id) != player {
				t.Errorf("viewer %d: %d has id %d, of player %d", viewer, player, id, m.Player(id))
			}
			if d := int(player) - int(viewer); (d > 14 || d < -14) && viewer != 63 && viewer != 0 {
				t.Errorf("viewer %d knows %d", viewer, player)
			}
		}
		if n != 15 {
			t.Errorf("viewer %d: %d players", viewer, n)
		}
		want := int32(0)
		if int32(viewer) < m.Spare() {
			want = int32(viewer)
		}
		if m.ID(viewer) != want || m.OwnID() != want {
			t.Errorf("viewer %d has id %d", viewer, m.ID(viewer))
		}
		if m.Player(m.Spare()) != game.Nobody || m.Player(20) != game.Nobody {
			t.Error("the proxy is a player")
		}
		if m.ID(game.Nobody) != -1 || m.Field(-1) != -1 || m.Field(-2) != -2 || m.Field(-3) != -3 {
			t.Error("Nobody has an id")
		}
	}
}

// TestOwnID checks the id of the client's own player and the spare id, for clients with 64 ids.
func TestOwnID(t *testing.T) {
	for _, c := range []struct {
		viewer game.PlayerID
		keeps  bool
		own    int32
		spare  int32
	}{
		{5, false, 5, 63}, {62, true, 62, 63}, {63, false, 0, 63}, {63, true, 63, 62}, {64, true, 0, 63}, {127, false, 0, 63},
	} {
		m := New(64, c.keeps)
		m.Begin(c.viewer)
		if begun := c.viewer >= 64; m.IsActive() != begun || begun && (m.ID(c.viewer) != c.own || m.Player(20) != 20 || m.Player(63) != game.Nobody) {
			t.Errorf("viewer %d has id %d at the beginning; 20 is player %d", c.viewer, m.ID(c.viewer), m.Player(20))
		}
		m.Update(bridgetest.RowView(c.viewer, 1, bridgetest.Row(128), game.PlayerMask{}))
		if m.ID(c.viewer) != c.own || m.Player(c.own) != c.viewer || m.Spare() != c.spare || m.Player(c.spare) != game.Nobody {
			t.Errorf("viewer %d has id %d; the spare id is %d, of player %d", c.viewer, m.ID(c.viewer), m.Spare(), m.Player(m.Spare()))
		}
	}
}

// TestSteadyIDs checks that players at nearly the same distance do not take turns, and that a much
// nearer player gets an id.
func TestSteadyIDs(t *testing.T) {
	m, positions := New(64, false), bridgetest.Row(128)
	m.Update(bridgetest.RowView(0, 1, positions, game.PlayerMask{}))
	for i, p := range []game.PlayerID{62, 63} {
		if known := m.ID(p) >= 0; known != (i == 0) {
			t.Errorf("player %d is known: %v", p, known)
		}
	}
	changes := m.Changes()
	positions[62], positions[63] = positions[63], positions[62]
	m.Update(bridgetest.RowView(0, 6, positions, game.PlayerMask{}))
	if m.Changes() != changes {
		t.Error("ids change at the border")
	}
	positions[127] = 100
	m.Update(bridgetest.RowView(0, 11, positions, game.PlayerMask{}))
	if m.Changes() == changes || m.ID(127) < 0 || m.ID(1) != 1 {
		t.Errorf("the new neighbour has id %d, the old one %d", m.ID(127), m.ID(1))
	}
}

// TestKeptIDs checks that players who stay near keep their ids, and how often ids are assigned.
func TestKeptIDs(t *testing.T) {
	m := New(16, false)
	positions := bridgetest.Row(20) // the viewer is 3; the nearest are 0..14
	expect := func(what string, ids map[game.PlayerID]int32) {
		t.Helper()
		for player, want := range ids {
			if got := m.ID(player); got != want {
				t.Errorf("%s: %d has id %d, want %d", what, player, got, want)
			}
		}
	}
	m.Update(bridgetest.RowView(3, 100, positions, game.PlayerMask{}))
	for i := range game.PlayerID(15) {
		expect("first", map[game.PlayerID]int32{i: int32(i)})
	}
	positions[19] = 310 // now near; 14 is the farthest
	m.Update(bridgetest.RowView(3, 104, positions, game.PlayerMask{}))
	expect("too early", map[game.PlayerID]int32{19: -1})
	m.Update(bridgetest.RowView(3, 105, positions, game.PlayerMask{}))
	expect("19 is near", map[game.PlayerID]int32{19: 14, 14: -1, 13: 13})
	m.Update(bridgetest.RowView(3, 110, positions, game.MaskOne(19)))
	expect("19 has no tee", map[game.PlayerID]int32{19: -1, 14: 14})
	v := bridgetest.RowView(3, 115, positions, game.PlayerMask{})
	v.Players[3].Spectating, v.Players[3].SpectatorID = true, 18
	m.Update(v)
	if m.ID(18) < 0 {
		t.Error("the watched player has no id")
	}
	delete(positions, 0)
	m.Update(bridgetest.RowView(3, 1, positions, game.PlayerMask{})) // ticks restart with another map
	expect("0 left", map[game.PlayerID]int32{0: -1})
	m.Update(bridgetest.RowView(3, 2, bridgetest.Row(16), game.PlayerMask{}))
	if expect("no high ids", map[game.PlayerID]int32{15: 15}); m.IsActive() {
		t.Error("ids are mapped")
	}
}

// TestIDsProperty checks that ids are unique and consistent in both directions. The viewer and as
// many other players as possible must have one.
func TestIDsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{16, 64}).Draw(t, "limit")
		m := New(limit, rapid.Bool().Draw(t, "keeps"))
		viewer := game.PlayerID(rapid.IntRange(0, game.MaxPlayers-1).Draw(t, "viewer"))
		m.Begin(viewer)
		tick := int32(0)
		for range 8 {
			tick += rapid.Int32Range(1, 9).Draw(t, "ticks")
			positions := map[game.PlayerID]float32{viewer: 0}
			for _, id := range rapid.SliceOfN(rapid.IntRange(0, game.MaxPlayers-1), 0, 100).Draw(t, "players") {
				positions[game.PlayerID(id)] = float32(rapid.IntRange(0, 50).Draw(t, "position"))
			}
			before := m.updateTick
			m.Update(bridgetest.RowView(viewer, tick, positions, game.PlayerMask{Low: rapid.Uint64().Draw(t, "dead")}))
			if !m.IsActive() {
				continue
			}
			players := map[int32]game.PlayerID{}
			for p := range game.PlayerID(game.MaxPlayers) {
				id := m.ID(p)
				if id < 0 {
					continue
				}
				if other, ok := players[id]; ok || id == m.Spare() || id >= int32(limit) || m.Player(id) != p {
					t.Fatalf("%d and %d have id %d, of player %d", p, other, id, m.Player(id))
				}
				players[id] = p
			}
			if m.ID(viewer) < 0 || len(players) > limit-1 {
				t.Fatalf("the viewer has id %d, with %d others", m.ID(viewer), len(players)-1)
			}
			if m.updateTick != before && len(players) != min(len(positions), limit-1) {
				t.Fatalf("%d of %d have ids", len(players), len(positions))
			}
		}
	})
}
