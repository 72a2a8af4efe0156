package modtest_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
)

// TestStage changes tees and checks that a replay changes them, too.
func TestStage(t *testing.T) {
	w := modtest.New(t, game.Config{Mods: []game.Mod{modtest.Stage{}}})
	w.Record()
	w.Play(0, 1)
	w.SetHealth(1, 10, 2)
	if tee := w.Tee(1); tee.Health != 10 || tee.Armor != 2 {
		t.Errorf("health %d, armor %d", tee.Health, tee.Armor)
	}
	w.GiveWeapon(0, game.WeaponLaser, 7)
	w.Place(1, w.Pos(0).Add(vec.Vec2{X: 60}))
	if d := vec.Distance(w.Pos(0), w.Pos(1)); d < 55 || d > 65 {
		t.Errorf("they are %v units apart", d)
	}
	w.Shoot(0, 1, game.WeaponLaser)
	if tee := w.Tee(0); tee.Weapon != game.WeaponLaser || tee.Ammo != 6 {
		t.Errorf("%v with %d rounds", tee.Weapon, tee.Ammo)
	}
	if tee := w.Tee(1); tee.Health != 7 || tee.Armor != 0 {
		t.Errorf("after a hit: health %d, armor %d", tee.Health, tee.Armor)
	}
	if err := w.Replay(func() game.Mode { return dm.Mode{} }, modtest.NewStage); err != nil {
		t.Error(err)
	}
}
