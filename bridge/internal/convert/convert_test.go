package convert_test

import (
	"testing"

	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

func TestVoteKind(t *testing.T) {
	for kind, called := range map[event.VoteKind]bool{
		event.VoteNone: false, event.VoteOption: true, event.VoteKick: true, event.VoteSpectate: true, event.VotePassed: false,
	} {
		if got, ok := convert.VoteKind(kind.String()); ok != called || ok && got != kind {
			t.Errorf("%q is %d, %v", kind, got, ok)
		}
	}
}

func TestWeaponPickup(t *testing.T) {
	for w, want := range map[game.Weapon]game.PickupKind{-1: 0, game.WeaponGun: game.PickupGun, game.WeaponNinja: game.PickupNinja, 6: 0} {
		if got := convert.WeaponPickup(w); got != want {
			t.Errorf("weapon %d comes with pickup %d", w, got)
		}
	}
}
