package bridge6

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// effectsFor returns the effects of a tick in a viewer's snapshot.
func effectsFor(f *game.Frame, events []game.Event, viewer game.PlayerID, ids *clientids.Map) *snapshot.Snapshot {
	var enc snapshotEncoder
	var b snapshot.Builder
	s := new(snapshot.Snapshot)
	enc.recordTick(f, events)
	enc.effects.build(&b, &game.View{Frame: f, Viewer: viewer, VitalsOf: viewer}, ids, false)
	b.Finish(s)
	return s
}

// TestCoreEventSounds checks who hears the jumps and hooks of a tee: all other players, and its own
// player only when it hooks another tee.
func TestCoreEventSounds(t *testing.T) {
	for event, want := range map[int32]struct {
		sound msg6.Sound
		self  bool
	}{
		coreGroundJump:  {msg6.SoundJump, false},
		coreHookPlayer:  {msg6.SoundHookAttachPlayer, true},
		coreHookGround:  {msg6.SoundHookAttachGround, false},
		coreHookNothing: {msg6.SoundHookNoAttach, false},
		coreAirJump:     {-1, false},
	} {
		f := &game.Frame{Tick: 10, Characters: []game.CharacterState{{Player: 1, TriggeredEvents: event}, {Player: 2}}}
		for viewer := range game.PlayerID(3) {
			var sounds []msg6.Sound
			for s, i := effectsFor(f, nil, viewer, &clientids.Map{}), 0; i < s.Len(); i++ {
				if k, ints := s.Item(i); k.Type() == msg6.TypeEventSoundWorld {
					sounds = append(sounds, msg6.Sound(ints[2]))
				}
			}
			hears := want.sound >= 0 && (viewer != 1 || want.self)
			testenv.Check(t, hears && slices.Equal(sounds, []msg6.Sound{want.sound}) || !hears && sounds == nil,
				"event %d: player %d hears %v", event, viewer, sounds)
		}
	}
}

// TestDeathsOfFirstID checks that a client that knows 16 ids sees the death of the player with its
// first id.
func TestDeathsOfFirstID(t *testing.T) {
	ids := clientids.New(16, false)
	ids.Update(bridgetest.RowView(20, 1, bridgetest.Row(0), game.PlayerMask{}))
	s := effectsFor(&game.Frame{Tick: 10}, []game.Event{
		{Kind: game.EvDeath, Player: 20, To: game.MaskAll}, {Kind: game.EvDeath, Player: 8, To: game.MaskAll},
	}, 20, &ids)
	testenv.Require(t, s.Len() == 1, "%d deaths", s.Len())
	k, ints := s.Item(0)
	testenv.Check(t, k.Type() == msg6.TypeEventDeath && ints[2] == 0, "%v %v", k, ints)
}
