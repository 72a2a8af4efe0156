package replay

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
)

// Nearly all of a match is inputs, and nearly every input occurs twice: on arrival as
// CmdDirectInput, and with its tick as CmdInput. So an arriving input is encoded as
// its difference to the player's previous one, and the input of a tick as a reference
// to an arrived one, usually the one after the last applied.

// maxArrivals is the number of arrived inputs of a player that can be referenced.
// Clients send some ticks ahead.
const maxArrivals = 32

// inputHistory is the inputs of a player that encoder and decoder both know.
type inputHistory struct {
	arrivals    [maxArrivals]game.Input
	count       uint32 // number of arrivals; the newest is at (count-1) % maxArrivals
	lastApplied uint32 // number of the arrival that was applied last
	applied     game.Input
}

// addArrival adds an input that was encoded or decoded.
func (p *inputHistory) addArrival(in *game.Input) {
	p.arrivals[p.count%maxArrivals] = *in
	p.count++
}

// newest returns the last arrival, to which differences are computed.
func (p *inputHistory) newest() *game.Input { return &p.arrivals[(p.count-1)%maxArrivals] }

// arrival returns arrival number n, counted from 1, or nil if it is not available.
func (p *inputHistory) arrival(n uint32) *game.Input {
	if n == 0 || n > p.count || p.count-n >= maxArrivals {
		return nil
	}
	return &p.arrivals[(n-1)%maxArrivals]
}

// isNext reports whether in equals the arrival after the last applied.
func (p *inputHistory) isNext(in *game.Input) bool {
	next := p.arrival(p.lastApplied + 1)
	return next != nil && *next == *in
}

// findArrival returns the number of the newest arrival that equals in.
func (p *inputHistory) findArrival(in *game.Input) (n uint32, ok bool) {
	for n := p.count; n > 0 && p.count-n < maxArrivals; n-- {
		if *p.arrival(n) == *in {
			return n, true
		}
	}
	return 0, false
}

// apply marks arrival number n as applied.
func (p *inputHistory) apply(n uint32) *game.Input {
	p.lastApplied, p.applied = n, *p.arrival(n)
	return &p.applied
}

// The bits of a difference. The most frequent ones come first, so that they fit in one
// byte.
const (
	diffX = 1 << iota
	diffY
	diffFire // increased by one
	diffDirection
	diffJump
	diffHook
	diffMore // another byte follows with the bits below
)

const (
	diffFireValue = 1 << iota
	diffFlags
	diffWanted
	diffNext
	diffPrev
	diffAll
)

// appendInputDiff appends the difference from old to in.
func appendInputDiff(dst []byte, old, in *game.Input) []byte {
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

// readInputDiff decodes a difference and applies it to in.
func (s *fieldReader) readInputDiff(in game.Input) game.Input {
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

// addDelta decodes a difference and adds it to from.
func (s *fieldReader) addDelta(from int32) int32 {
	v := int64(from) + s.varint()
	if v != int64(int32(v)) {
		s.fail()
		return 0
	}
	return int32(v)
}
