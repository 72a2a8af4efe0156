package bridgetest

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// changer is a mod that changes characters.
type changer struct{ tick func(ctx *game.Ctx) }

func (*changer) Start(*game.Setup) {}

func (m *changer) OnTick(ctx *game.Ctx) {
	if m.tick != nil {
		m.tick(ctx)
	}
}

// stateMatch returns a match of three players with a changer, after their tees have come to rest.
func stateMatch(t *testing.T, version *Version) (*Match, *changer) {
	t.Helper()
	mod := &changer{}
	m := NewMatch(t, version, "testbox", dm.Mode{}, 3, mod)
	m.recordDemo()
	for range 60 {
		m.Step()
	}
	return m, mod
}

// change runs f in the mod during one tick.
func (m *Match) change(mod *changer, f func(ctx *game.Ctx)) {
	mod.tick = f
	m.Step()
	mod.tick = nil
}

// views compares every client's view with the world and passes it to see.
func (m *Match) views(t *testing.T, see func(id int, got *game.View)) {
	t.Helper()
	m.Snapshots(func(id int, v *game.View, s *snapshot.Snapshot) {
		got := m.client(id).ReceiveSnapshot(v.Tick, s)
		got.ShowAll = v.ShowAll
		if d := m.diffView(v, got); d != "" {
			t.Fatalf("tick %d, view of player %d (-server +client):\n%s", v.Tick, id, d)
		}
		see(id, got)
	})
}

// TestStates checks the view of characters that a mod freezes and changes.
func TestStates(t *testing.T, version *Version) {
	m, mod := stateMatch(t, version)
	m.change(mod, func(ctx *game.Ctx) {
		ctx.Player(0).Freeze(20)
		ctx.Player(1).SetFlags(game.CharacterFlagSolo | game.CharacterFlagEndlessJump)
		ctx.Player(1).MaskInput(game.ControlMove | game.ControlJump)
		ctx.Player(2).Freeze(game.FreezeForever)
		ctx.Player(0).SetJumps(3)
		for id := range game.PlayerID(3) {
			ctx.Player(id).SetVel(ctx.Player(id).Vel())
		}
	})
	begin := m.World.Tick()
	for range 15 {
		m.Act(true)
		m.Step()
		m.Step()
		frozen := m.World.Tick() < begin+20
		m.views(t, func(id int, got *game.View) {
			for i := range got.Characters {
				c := &got.Characters[i]
				if is := c.FreezeEnd != 0 || c.Weapon == game.WeaponNinja; is != (frozen && c.Player == 0 || c.Player == 2) {
					t.Fatalf("%d ticks later player %d sees %+v", got.Tick-begin, id, c)
				}
				if c.Player == 0 && frozen && c.Emote != game.EmoteBlink || c.Player == 2 && c.Emote != game.EmotePain {
					t.Fatalf("%d ticks later, player %d sees emote %d of player %d", got.Tick-begin, id, c.Emote, c.Player)
				}
			}
		})
	}
}

// TestVisibility checks which clients and demos see a character that a mod hides.
func TestVisibility(t *testing.T, version *Version) {
	m, mod := stateMatch(t, version)
	for _, tt := range []struct {
		to   game.PlayerMask
		seen map[int]bool // by player, -1 for the demo
	}{
		{game.MaskAll, map[int]bool{0: true, 1: true, 2: true, -1: true}},
		{game.MaskOne(1), map[int]bool{0: true, 1: true}},
		{game.MaskAll.Without(game.MaskOne(2)), map[int]bool{0: true, 1: true, -1: true}},
		{game.PlayerMask{}, map[int]bool{0: true}},
		{game.MaskAll, map[int]bool{0: true, 1: true, 2: true, -1: true}},
	} {
		m.change(mod, func(ctx *game.Ctx) { ctx.Player(0).SetVisibleTo(tt.to) })
		m.views(t, func(id int, got *game.View) {
			sees := false
			for i := range got.Characters {
				sees = sees || got.Characters[i].Player == 0
			}
			if sees != tt.seen[id] {
				t.Errorf("visible to %x, player %d sees it: %v", tt.to, id, sees)
			}
			if len(got.Players) != 3 {
				t.Errorf("player %d knows of %d players", id, len(got.Players))
			}
		})
	}
}

// TestTunings checks that a client gets its player's tuning, once per change and with the right
// values.
func TestTunings(t *testing.T, version *Version, knowsFreeze func(id int) bool) {
	m, mod := stateMatch(t, version)
	var told [3]int
	for id, c := range m.Clients {
		onCall := c.ServerMessages.OnCall
		c.ServerMessages.OnCall = func(call Call) {
			onCall(call)
			if ev, ok := call.Args[0].(game.Event); ok && ev.Kind == game.EvTuneParams {
				told[id]++
			}
		}
	}
	expect := func(what string, counts [3]int) {
		t.Helper()
		if told != counts {
			t.Errorf("%s: clients were told %v times, want %v", what, told, counts)
		}
		told = [3]int{}
		for id, c := range m.Clients {
			want := m.World.PlayerTuning(game.PlayerID(id))
			if !knowsFreeze(id) {
				want = m.World.PredictedTuning(game.PlayerID(id))
			}
			if got := c.Client.Tuning(); got != want {
				t.Errorf("%s: client %d has the tuning\n%v, want\n%v", what, id, got, want)
			}
		}
	}
	own := physics.DefaultTuning()
	own[physics.Gravity], own[physics.GroundControlSpeed] = 10, 2000
	for range 10 { // like a mod with tune zones
		m.change(mod, func(ctx *game.Ctx) { ctx.Player(1).SetTuning(&own) })
	}
	expect("own tuning", [3]int{0, 1, 0})
	for range 10 {
		m.change(mod, func(ctx *game.Ctx) { ctx.Player(1).SetTuning(nil); ctx.Player(1).SetTuning(&own) })
	}
	expect("the same tuning", [3]int{})
	m.change(mod, func(ctx *game.Ctx) { ctx.Player(1).SetTuning(nil) })
	expect("the world's tuning", [3]int{0, 1, 0})

	once := [3]int{}
	for id := range once {
		if !knowsFreeze(id) {
			once[id] = 1
		}
	}
	m.change(mod, func(ctx *game.Ctx) {
		for id := range game.PlayerID(3) {
			ctx.Player(id).Freeze(10)
		}
	})
	expect("frozen", once)
	for range 20 {
		m.Step()
	}
	expect("free", once)
}
