package bridge7

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestFreezeLooksAsOnDDNet checks the ninja bar that 0.7 clients show for a freeze. In DDRace it
// always has the length of a tile's freeze. In other games it ends with the freeze.
func TestFreezeLooksAsOnDDNet(t *testing.T) {
	for _, x := range []struct{ freezeTicks, start, end, ammo int32 }{
		{150, 450, 590, 600},
		{150, 450, game.FreezeForever, 600},
		{500, 450, game.FreezeForever, 950},
		{0, 450, 590, 590},
		{0, 450, game.FreezeForever, 500 + foreverTicks},
	} {
		e := snapshotEncoder{freezeTicks: x.freezeTicks}
		e.beginRound(&game.Frame{Tick: 500, Characters: []game.CharacterState{
			{Weapon: game.WeaponHammer, FreezeStart: x.start, FreezeEnd: x.end},
		}})
		if c := e.characters[0]; c.Ammo != x.ammo {
			t.Errorf("%+v: until tick %d", x, c.Ammo)
		}
		var o msg7.Character
		if err := o.ReadInts(e.characters[0].Ints[:]); err != nil || o.Weapon != msg7.WeaponNinja {
			t.Errorf("%+v: %v, %v", x, o.Weapon, err)
		}
	}
}
