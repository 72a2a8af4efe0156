package replay

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
)

// Nearly all of a match is inputs, and nearly every input comes twice: on
// arrival as CmdDirectInput, and with its tick as CmdInput. So an arriving input is
// written as its difference to the player's one before, and one whose tick has
// come by pointing at an arrived one, usually that after the one last used.

// maxArrivals is how many arrived inputs of a player can be pointed at. Clients send
// some ticks ahead.
const maxArrivals = 32

// inputHistory is what both sides of a log know of a player's inputs.
type inputHistory struct {
	arrivals    [maxArrivals]game.Input
	count       uint32 // arrived so far; the newest is at (count-1) % history
	lastApplied uint32 // the count at which the one last used had arrived
	applied     game.Input
}

// addArrival notes an input that was written or read.
func (p *inputHistory) addArrival(in *game.Input) {
	p.arrivals[p.count%maxArrivals] = *in
	p.count++
}

// newest is what differences are taken to.
func (p *inputHistory) newest() *game.Input { return &p.arrivals[(p.count-1)%maxArrivals] }

// at is the input that arrived as number n, counted from 1; nil if it is not
// known any more or not yet.
func (p *inputHistory) at(n uint32) *game.Input {
	if n == 0 || n > p.count || p.count-n >= maxArrivals {
		return nil
	}
	return &p.arrivals[(n-1)%maxArrivals]
}

// isNext reports whether in is the input after the one last used.
func (p *inputHistory) isNext(in *game.Input) bool {
	next := p.at(p.lastApplied + 1)
	return next != nil && *next == *in
}

// find looks for an input like in among the arrived ones, newest first.
func (p *inputHistory) find(in *game.Input) (n uint32, ok bool) {
	for n := p.count; n > 0 && p.count-n < maxArrivals; n-- {
		if *p.at(n) == *in {
			return n, true
		}
	}
	return 0, false
}

// apply notes that the input that arrived as number n was applied.
func (p *inputHistory) apply(n uint32) *game.Input {
	p.lastApplied, p.applied = n, *p.at(n)
	return &p.applied
}

// Bits of a difference. The commonest come first: they fit one byte.
const (
	diffX = 1 << iota
	diffY
	diffFire // by one
	diffDirection
	diffJump
	diffHook
	diffMore // another byte follows, with the bits below
)

const (
	diffFireValue = 1 << iota
	diffFlags
	diffWanted
	diffNext
	diffPrev
	diffAll
)

// appendDiff writes what differs from old to in.
func appendDiff(dst []byte, old, in *game.Input) []byte {
	var bits, rest byte
	if in.TargetX != old.TargetX {
		bits |= diffX
	}
	if in.TargetY != old.TargetY {
		bits |= diffY
	}
	if in.Fire == old.Fire+1 {
		bits |= diffFire
	} else if in.Fire != old.Fire {
		rest |= diffFireValue
	}
	if in.Direction != old.Direction {
		bits |= diffDirection
	}
	if in.Jump != old.Jump {
		bits |= diffJump
	}
	if in.Hook != old.Hook {
		bits |= diffHook
	}
	if in.Flags != old.Flags {
		rest |= diffFlags
	}
	if in.WantedWeapon != old.WantedWeapon {
		rest |= diffWanted
	}
	if in.NextWeapon != old.NextWeapon {
		rest |= diffNext
	}
	if in.PrevWeapon != old.PrevWeapon {
		rest |= diffPrev
	}
	if rest != 0 {
		bits |= diffMore
	}
	dst = append(dst, bits)
	if rest != 0 {
		dst = append(dst, rest)
	}
	if bits&diffX != 0 {
		dst = binary.AppendVarint(dst, int64(in.TargetX)-int64(old.TargetX))
	}
	if bits&diffY != 0 {
		dst = binary.AppendVarint(dst, int64(in.TargetY)-int64(old.TargetY))
	}
	if bits&diffDirection != 0 {
		dst = appendInt(dst, in.Direction)
	}
	if rest&diffFireValue != 0 {
		dst = appendInt(dst, in.Fire)
	}
	if rest&diffFlags != 0 {
		dst = append(dst, byte(in.Flags))
	}
	if rest&diffWanted != 0 {
		dst = appendInt(dst, in.WantedWeapon)
	}
	if rest&diffNext != 0 {
		dst = appendInt(dst, in.NextWeapon)
	}
	if rest&diffPrev != 0 {
		dst = appendInt(dst, in.PrevWeapon)
	}
	return dst
}

// diff turns old into the input that was written.
func (s *fieldReader) diff(in game.Input) game.Input {
	bits, rest := s.byte(), byte(0)
	if bits&diffMore != 0 {
		rest = s.byte()
	}
	if bits > diffMore|(diffMore-1) || rest >= diffAll {
		s.fail()
	}
	if bits&diffX != 0 {
		in.TargetX = s.addDelta(in.TargetX)
	}
	if bits&diffY != 0 {
		in.TargetY = s.addDelta(in.TargetY)
	}
	if bits&diffFire != 0 {
		in.Fire++
	}
	if bits&diffDirection != 0 {
		in.Direction = s.int()
	}
	if bits&diffJump != 0 {
		in.Jump = !in.Jump
	}
	if bits&diffHook != 0 {
		in.Hook = !in.Hook
	}
	if rest&diffFireValue != 0 {
		in.Fire = s.int()
	}
	if rest&diffFlags != 0 {
		in.Flags = game.PlayerFlags(s.byte())
	}
	if rest&diffWanted != 0 {
		in.WantedWeapon = s.int()
	}
	if rest&diffNext != 0 {
		in.NextWeapon = s.int()
	}
	if rest&diffPrev != 0 {
		in.PrevWeapon = s.int()
	}
	return in
}

// addDelta is a number by its difference.
func (s *fieldReader) addDelta(from int32) int32 {
	v := int64(from) + s.varint()
	if v != int64(int32(v)) {
		s.fail()
		return 0
	}
	return int32(v)
}
