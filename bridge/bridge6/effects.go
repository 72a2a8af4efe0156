package bridge6

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

const (
	// maxNoted bounds the effects of one snapshot round, as in the original.
	maxNoted = 128
	// maxEffects bounds what becomes of them: 0.6 shows each point of damage, and
	// hears what 0.7 concludes from how tees move.
	maxEffects = 512
	// maxStars bounds what one hit adds.
	maxStars = 20
	// hitPause is after how many ticks without a hit the stars start anew.
	hitPause = 25
)

// effects are the events that the next snapshots carry.
type effects struct {
	list  []effect
	noted int
	hits  [game.MaxPlayers]hit
}

// effect is an object that those in to see who are near, once.
type effect struct {
	typ, id uint16
	third   int32 // behind its place: sound, angle, or whose death
	x, y    int32
	to      game.PlayerMask
}

func (e *effect) key() uint32 { return uint32(e.typ)<<16 | uint32(e.id) }

// hit counts the hits that a player took in a row, so that their stars do not cover
// one another.
type hit struct {
	count, last int32 // last: tick
}

// note takes what a tick brought that only snapshots can carry.
func (s *effects) note(f *game.Frame, events []game.Event) {
	for i := range f.Characters {
		if c := &f.Characters[i]; c.TriggeredEvents != 0 {
			s.core(c)
		}
	}
	for i := range events {
		ev := &events[i]
		if !ev.Kind.IsEffect() {
			continue
		}
		if ev.Kind == game.EvDamage {
			s.damage(f.Tick, ev)
			continue
		}
		if s.noted == maxNoted {
			continue
		}
		s.noted++
		switch ev.Kind {
		case game.EvExplosion:
			s.add(msg6.TypeEventExplosion, ev.Pos, 0, ev.To)
		case game.EvSpawn:
			s.add(msg6.TypeEventSpawn, ev.Pos, 0, ev.To)
		case game.EvHammerHit:
			s.add(msg6.TypeEventHammerHit, ev.Pos, 0, ev.To)
		case game.EvDeath:
			s.add(msg6.TypeEventDeath, ev.Pos, int32(ev.Player), ev.To)
		case game.EvSound:
			s.add(msg6.TypeEventSoundWorld, ev.Pos, int32(ev.Sound), ev.To)
		}
	}
}

// What a tee's core did, as game.CharacterState has it in Triggered.
const (
	coreGroundJump = 1 << iota
	coreAirJump    // clients see it by the tee's jumps
	coreHookPlayer
	coreHookGround
	coreHookNothing
)

// core lets others hear what a tee did. Its own client predicts it, but not whom it
// hooks.
func (s *effects) core(c *game.CharacterState) {
	others := game.MaskAll &^ game.MaskOne(c.Player)
	if c.TriggeredEvents&coreGroundJump != 0 {
		s.add(msg6.TypeEventSoundWorld, c.Pos, int32(game.SoundJump), others)
	}
	if c.TriggeredEvents&coreHookPlayer != 0 {
		s.add(msg6.TypeEventSoundWorld, c.Pos, int32(game.SoundHookAttachPlayer), game.MaskAll)
	}
	if c.TriggeredEvents&coreHookGround != 0 {
		s.add(msg6.TypeEventSoundWorld, c.Pos, int32(game.SoundHookAttachGround), others)
	}
	if c.TriggeredEvents&coreHookNothing != 0 {
		s.add(msg6.TypeEventSoundWorld, c.Pos, int32(game.SoundHookNoAttach), others)
	}
}

const (
	pi float32 = 3.1415926535
	// starsUp is where a first hit's stars fly.
	starsUp float32 = 3 * 3.14159 / 2
)

// damage makes stars of a hit: one for each point, in a fan that turns with each hit.
func (s *effects) damage(tick int32, ev *game.Event) {
	if ev.Player < 0 || ev.Player >= game.MaxPlayers {
		return
	}
	h := &s.hits[ev.Player]
	h.count++
	if tick >= h.last+hitPause || tick < h.last {
		h.count = 0
	}
	h.last = tick
	if s.noted == maxNoted {
		return
	}
	s.noted++
	n := min(max(ev.Value, 0)+max(ev.Extra, 0), maxStars)
	middle := starsUp + float32(float32(h.count)*0.25)
	from, to := middle-pi/3, middle+pi/3
	for i := range n {
		part := float32(i+1) / float32(n+2)
		angle := from + float32((to-from)*part)
		s.add(msg6.TypeEventDamageInd, ev.Pos, int32(angle*256), ev.To)
	}
}

func (s *effects) add(typ uint16, pos vec.Vec2, third int32, to game.PlayerMask) {
	if len(s.list) < maxEffects {
		s.list = append(s.list, effect{typ: typ, id: uint16(len(s.list)), third: third, x: int32(pos.X), y: int32(pos.Y), to: to})
	}
}

func (s *effects) sort() {
	slices.SortFunc(s.list, func(a, b effect) int { return cmp.Compare(a.key(), b.key()) })
}

func (s *effects) build(b *snapshot.Builder, v *game.View, ids *idMap) {
	for i := range s.list {
		e := &s.list[i]
		if !v.ShowAll && (!e.to.Has(v.Viewer) || !v.Hears(at(e.x, e.y))) {
			continue
		}
		third := e.third
		if e.typ == msg6.TypeEventDeath {
			if third = ids.id(game.PlayerID(third)); third < 0 {
				continue
			}
		}
		n := int(msg6.Sizes[e.typ])
		if dst := b.Add(int(e.typ), int(e.id), n); dst != nil {
			dst[0], dst[1] = e.x, e.y
			if n == 3 {
				dst[2] = third
			}
		}
	}
}

func (s *effects) clear() { s.list, s.noted = s.list[:0], 0 }
