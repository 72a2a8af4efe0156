package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

const (
	// maxStars bounds the stars of one hit.
	maxStars = 20
	// hitResetTicks is after how many ticks without a hit the stars start anew.
	hitResetTicks = 25
)

// effectEncoder makes items of what the ticks since the last round of snapshots brought
// to see and to hear. 0.6 shows each point of damage as a star, and has sounds for what
// clients of 0.7 conclude from the movement of tees.
type effectEncoder struct {
	bridge.EffectItems
	stars uint16 // in EffectItems
	hits  [game.MaxPlayers]hitCounter
}

// hitCounter counts the hits that a player took in a row, so that their stars do not
// cover one another.
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

// Core events, as game.CharacterState has them in TriggeredEvents.
const (
	coreGroundJump = 1 << iota
	coreAirJump    // clients conclude it from the tee's jumps
	coreHookPlayer
	coreHookGround
	coreHookNothing
)

// recordCoreEvents lets others hear what a tee did. Its own client predicts it, but for
// whom it hooks.
func (e *effectEncoder) recordCoreEvents(c *game.CharacterState) {
	others := game.MaskAll &^ game.MaskOne(c.Player)
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
			e.Add(msg6.TypeEventSoundWorld, c.Pos, s.to&^c.NotFor, int32(s.sound))
		}
	}
}

const (
	pi float32 = 3.1415926535
	// upward is the angle in which the stars of a first hit fly.
	upward float32 = 3 * 3.14159 / 2
)

// recordDamage makes stars of a hit: one for each point, in a fan that turns with each
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
		if inDDRace && i > 0 && !e.CountEvent() { // as on DDNet-Server each counts
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

// addStar adds a star. The stars of a round count from 0, so that those of the next round, of which
// there are about as many, take their ids, and no client is told that they are gone.
func (e *effectEncoder) addStar(ev *game.Event, angle int32) {
	n := len(e.Items)
	if e.Add(msg6.TypeEventDamageInd, ev.Pos, ev.To, angle); len(e.Items) > n {
		e.Items[n].ID = e.stars
		e.stars++
	}
}

// Reset removes all items.
func (e *effectEncoder) Reset() {
	e.EffectItems.Reset()
	e.stars = 0
}

// build adds the effects of the view to b. Clients that know states show seconds by themselves.
func (e *effectEncoder) build(b *snapshot.Builder, v *game.View, ids *clientIDs, knowsStates bool) {
	for i := range e.Items {
		it := &e.Items[i]
		if knowsStates && it.Countdown {
			continue
		}
		if !it.IsFor(v) {
			continue
		}
		if it.Type != msg6.TypeEventDeath || !ids.limited {
			it.Append(b)
		} else if id := ids.id(game.PlayerID(it.Ints[2])); id >= 0 {
			if ints := b.Add(int(it.Type), int(it.ID), msg6.SizeEventDeath); ints != nil {
				copy(ints, it.Ints[:])
				ints[2] = id
			}
		}
	}
}
