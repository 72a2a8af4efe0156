package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestDDRaceStars checks the ten stars at the end of a bullet's flight. The stars fan out towards
// the bullet's origin. The test also checks the stars that count the seconds of a freeze, for
// clients that do not show freezes.
func TestDDRaceStars(t *testing.T) {
	f := &game.Frame{Tick: 10, Game: game.GameState{Flags: game.GameFlagDDRace}}
	stars := func(ev game.Event, version int32) (angles []int32) {
		var enc snapshotEncoder
		var b snapshot.Builder
		s := new(snapshot.Snapshot)
		enc.recordTick(f, []game.Event{ev})
		enc.beginFrame(f)
		v := &game.View{Frame: f, Range: game.DDRaceRange}
		enc.buildSnapshot(&b, v, new([game.MaxPlayers]int32), &clientids.Map{}, version, version >= msg6.VersionNewHUD)
		b.Finish(s)
		for i := range s.Len() {
			if k, ints := s.Item(i); k.Type() == msg6.TypeEventDamageInd {
				angles = append(angles, ints[2])
			}
		}
		return angles
	}
	bullet := game.Event{Kind: game.EvDamage, To: game.MaskAll, Weapon: game.WeaponGun, Angle: 128, Value: 10}
	got := stars(bullet, 16040)
	testenv.Require(t, len(got) == 10, "a bullet ends in %d stars", len(got))
	const middle = 1206 + 128 // 3/2 pi plus the angle of the event, in 1/256 radian
	testenv.Check(t, got[0] > middle-268 && got[0] < middle-200 && got[9] > middle+140 && got[9] < middle+268, "the stars fly in the directions %v", got)
	var enc snapshotEncoder
	for range 50 {
		enc.recordTick(f, []game.Event{bullet})
	}
	testenv.Check(t, len(enc.effects.Items) == items.MaxEffects, "%d stars of 500", len(enc.effects.Items))
	seconds := game.Event{Kind: game.EvDamage, To: game.MaskAll, Weapon: game.WeaponNinja, Value: 3}
	testenv.Check(t, len(stars(seconds, 16010)) == 3 && len(stars(seconds, 16040)) == 0, "stars that count seconds: %v", stars(seconds, 16010))
}
