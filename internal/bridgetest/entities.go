package bridgetest

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// drawer is a mod with entities that draw something different for each viewer.
type drawer struct {
	draw func(e *game.Entity, d *game.Drawing)
	n    int // number of entities
}

func (m *drawer) Start(setup *game.Setup) {
	kind := setup.AddEntityKind(game.EntityKind{
		Parts: 2,
		Tick:  func(ctx *game.Ctx, e *game.Entity) { e.Pos.X++ },
		Draw:  func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) { m.draw(e, d) },
	})
	for i := range m.n {
		setup.SpawnEntity(kind, game.Entity{Pos: vec.Vec2{X: float32(100 + i%200), Y: 100}})
	}
}

// entityMatch returns a match of two players with a drawer.
func entityMatch(t *testing.T, version *Version, m *drawer) *Match {
	t.Helper()
	match := NewMatch(t, version, "testbox", dm.Mode{}, 2, m)
	for range 60 {
		match.Step()
	}
	return match
}

// TestEntities checks that clients see the drawings of a mod.
func TestEntities(t *testing.T, version *Version) {
	m := &drawer{n: 1, draw: func(e *game.Entity, d *game.Drawing) {
		beside := e.Pos.Add(vec.Vec2{Y: 40})
		d.Laser(0, e.Pos, beside, game.MaskAll)
		d.Projectile(0, game.WeaponHammer, e.Pos, vec.Vec2{}, game.MaskAll)
		d.Projectile(1, game.WeaponGrenade, beside, vec.Vec2{X: 5, Y: -1}, game.MaskAll)
		d.Pickup(0, game.PickupArmor, e.Pos, game.MaskOne(0))
		d.Pickup(0, game.PickupHealth, e.Pos, game.MaskOne(1))
		d.Pickup(1, game.PickupNinja, e.Pos, game.MaskAll.Without(game.MaskOne(1)))
	}}
	match := entityMatch(t, version, m)
	match.recordDemo()
	var ids [3][]uint16 // ids of the first round, by viewer
	for round := range 20 {
		match.Step()
		match.Step()
		match.Snapshots(func(id int, v *game.View, s *snapshot.Snapshot) {
			c := match.client(id)
			got := c.ReceiveSnapshot(v.Tick, s)
			got.ShowAll = v.ShowAll
			if d := match.diffView(v, got); d != "" {
				t.Fatalf("view of player %d (-server +client):\n%s", id, d)
			}
			var saw []uint16
			kinds := map[game.PickupKind]bool{}
			mapPickups := 0
			for _, p := range got.Pickups {
				if p.Y == 100 && p.X > 100 && p.X < 300 {
					kinds[p.Kind] = true
					saw = append(saw, p.ID)
				} else {
					mapPickups++
				}
			}
			for _, l := range got.Lasers {
				saw = append(saw, l.ID)
				if l.StartTick != got.Tick {
					t.Fatalf("a beam of tick %d in %d: clients would show it fading", l.StartTick, got.Tick)
				}
			}
			for _, p := range got.Projectiles {
				saw = append(saw, p.ID)
				if p.Weapon == game.WeaponGrenade && p.StartTick > got.Tick-2 {
					t.Fatalf("a grenade of tick %d in %d: clients would not show it", p.StartTick, got.Tick)
				}
			}
			if round == 0 {
				ids[id+1] = saw
			}
			wantNinja, wantArmor := id != 1, id == 0
			if len(got.Lasers) != 1 || len(got.Projectiles) != 2 || kinds[game.PickupNinja] != wantNinja || kinds[game.PickupArmor] != wantArmor ||
				kinds[game.PickupHealth] != (id == 1) {
				t.Fatalf("player %d sees %d lasers, %d projectiles and pickups %v", id, len(got.Lasers), len(got.Projectiles), kinds)
			}
			for i := range saw {
				if len(saw) != len(ids[id+1]) || saw[i] != ids[id+1][i] {
					t.Fatalf("player %d sees ids %v, at first %v", id, saw, ids[id+1])
				}
			}
		})
	}
}

// TestManyEntities checks that players still see tees when a mod draws more than a snapshot can
// hold.
func TestManyEntities(t *testing.T, version *Version) {
	m := &drawer{n: 1000, draw: func(e *game.Entity, d *game.Drawing) {
		for part := range 2 {
			d.Pickup(part, game.PickupArmor, e.Pos, game.MaskAll)
			d.Laser(part, e.Pos, e.Pos, game.MaskAll)
		}
	}}
	match := entityMatch(t, version, m)
	match.recordDemo()
	match.Snapshots(func(id int, v *game.View, s *snapshot.Snapshot) {
		got := match.client(id).ReceiveSnapshot(v.Tick, s)
		if len(got.Characters) != 2 || len(got.Players) != 2 || len(got.Lasers) < 100 {
			t.Errorf("player %d sees %d tees, %d players and %d lasers", id, len(got.Characters), len(got.Players), len(got.Lasers))
		}
		if s.Len() > snapshot.MaxItems {
			t.Errorf("%d items", s.Len())
		}
	})
}
