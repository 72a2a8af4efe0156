package bridge6

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/items"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

const (
	// maxStars limits the stars of one hit.
	maxStars = 20
	// hitResetTicks is the number of ticks without a hit after which the fan of stars returns to
	// its first direction.
	hitResetTicks = 25
)

// effectEncoder turns the effects of the ticks since the last round of snapshots into items. 0.6
// shows each point of damage as a star. 0.6 also needs sounds for jumps and hooks; 0.7 clients
// derive them from the movement of tees.
type effectEncoder struct {
	items.Effects
	stars uint16 // number of stars in EffectItems
	hits  [game.MaxPlayers]hitCounter
}

// hitCounter counts the successive hits on a player. The fan of stars turns with each hit so that
// the stars do not cover each other.
type hitCounter struct{ count, lastTick int32 }

// recordTick records the effects of a tick.
func (e *effectEncoder) recordTick(f *game.Frame, events []game.Event) {
	for i := range f.Characters {
		if c := &f.Characters[i]; c.TriggeredEvents != 0 {
			e.recordCoreEvents(c)
		}
	}
	for i := range events {
		ev := &events[i]
		switch {
		case !ev.Kind.IsEffect():
		case ev.Kind == game.EvDamage:
			e.recordDamage(f, ev)
		case e.CountEvent():
			e.Record(ev, &itemTypes)
		}
	}
}

// Core events, the bits of TriggeredEvents in game.CharacterState.
const (
	coreGroundJump = 1 << iota
	coreAirJump    // without a sound: clients derive it from the tee's jumps
	coreHookPlayer
	coreHookGround
	coreHookNothing
)

// recordCoreEvents adds the sounds of a tee's jumps and hooks for other players. The tee's own
// client predicts them, except when it hooks another tee.
func (e *effectEncoder) recordCoreEvents(c *game.CharacterState) {
	others := game.MaskAll.Without(game.MaskOne(c.Player))
	for _, s := range [...]struct {
		event int32
		sound game.Sound
		to    game.PlayerMask
	}{
		{coreGroundJump, game.SoundJump, others},
		{coreHookPlayer, game.SoundHookAttachPlayer, game.MaskAll},
		{coreHookGround, game.SoundHookAttachGround, others},
		{coreHookNothing, game.SoundHookNoAttach, others},
	} {
		if c.TriggeredEvents&s.event != 0 {
			e.Add(msg6.TypeEventSoundWorld, c.Pos, s.to.Without(c.NotFor), int32(s.sound))
		}
	}
}

const (
	pi float32 = 3.1415926535
	// upward is the direction of the stars of a first hit, in radians.
	upward float32 = 3 * 3.14159 / 2
)

// recordDamage adds the stars of a hit: one for each point of damage, in a fan that turns with each
// hit.
func (e *effectEncoder) recordDamage(f *game.Frame, ev *game.Event) {
	if ev.Player < 0 || ev.Player >= game.MaxPlayers {
		return
	}
	h := &e.hits[ev.Player]
	h.count++
	if f.Tick >= h.lastTick+hitResetTicks || f.Tick < h.lastTick {
		h.count = 0
	}
	h.lastTick = f.Tick
	if !e.CountEvent() {
		return
	}
	inDDRace := f.Game.Flags&game.GameFlagDDRace != 0
	n := min(max(ev.Value, 0)+max(ev.Extra, 0), maxStars)
	middle := upward + float32(float32(h.count)*0.25)
	if inDDRace {
		middle = upward + float32(ev.Angle)/256
	}
	from, to := middle-pi/3, middle+pi/3
	for i := range n {
		if inDDRace && i > 0 && !e.CountEvent() { // on DDNet-Server each star counts as one event
			break
		}
		part := float32(i+1) / float32(n+2)
		angle := from + float32((to-from)*part)
		e.addStar(ev, int32(angle*256))
		if inDDRace && ev.Weapon == game.WeaponNinja {
			e.CountdownLast()
		}
	}
}

// addStar adds a star. Star ids start at 0 in each round. The next round has about as many stars
// and reuses the ids, so clients need not be told that stars disappeared.
func (e *effectEncoder) addStar(ev *game.Event, angle int32) {
	n := len(e.Items)
	if e.Add(msg6.TypeEventDamageInd, ev.Pos, ev.To, angle); len(e.Items) > n {
		e.Items[n].ID = e.stars
		e.stars++
	}
}

// Reset removes all items.
func (e *effectEncoder) Reset() {
	e.Effects.Reset()
	e.stars = 0
}

// build adds the effects that the view shows to b. Clients with support for character states count
// the seconds of a freeze themselves.
func (e *effectEncoder) build(b *snapshot.Builder, v *game.View, ids *clientids.Map, knowsStates bool) {
	for i := range e.Items {
		it := &e.Items[i]
		if knowsStates && it.Countdown {
			continue
		}
		if !it.IsFor(v) {
			continue
		}
		player := it.Ints[items.EffectPlayer]
		if it.Type != msg6.TypeEventDeath || ids.Field(player) == player {
			it.Append(b)
		} else if id := ids.Field(player); id >= 0 {
			it.AppendOf(b, id)
		}
	}
}
