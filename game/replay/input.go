package replay

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
)

// Nearly all of a match is inputs, and nearly every input comes twice: on
// arrival as CmdDirectInput, and with its tick as CmdInput. So an arriving input is
// written as its difference to the player's one before, and one whose tick has
// come by pointing at an arrived one, usually that after the one last used.

// history is how many arrived inputs of a player can be pointed at. Clients send
// some ticks ahead.
const history = 32

// seat is what both sides of a log know of a player's inputs.
type seat struct {
	arrived [history]game.Input
	count   uint32 // arrived so far; the newest is at (count-1) % history
	used    uint32 // the count at which the one last used had arrived
	last    game.Input
}

// arrive notes an input that was written or read.
func (p *seat) arrive(in *game.Input) {
	p.arrived[p.count%history] = *in
	p.count++
}

// newest is what differences are taken to.
func (p *seat) newest() *game.Input { return &p.arrived[(p.count-1)%history] }

// at is the input that arrived as number n, counted from 1; nil if it is not
// known any more or not yet.
func (p *seat) at(n uint32) *game.Input {
	if n == 0 || n > p.count || p.count-n >= history {
		return nil
	}
	return &p.arrived[(n-1)%history]
}

// expected tells whether in is the input after the one last used.
func (p *seat) expected(in *game.Input) bool {
	next := p.at(p.used + 1)
	return next != nil && *next == *in
}

// find looks for an input like in among the arrived ones, newest first.
func (p *seat) find(in *game.Input) (n uint32, ok bool) {
	for n := p.count; n > 0 && p.count-n < history; n-- {
		if *p.at(n) == *in {
			return n, true
		}
	}
	return 0, false
}

// use notes that the input that arrived as number n was applied.
func (p *seat) use(n uint32) *game.Input {
	p.used, p.last = n, *p.at(n)
	return &p.last
}

// Bits of a difference. The commonest come first: they fit one byte.
const (
	diffX = 1 << iota
	diffY
	diffFire // by one
	diffDirection
	diffJump
	diffHook
	diffRest // another byte follows, with the bits below
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
		bits |= diffRest
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
func (s *scanner) diff(in game.Input) game.Input {
	bits, rest := s.byte(), byte(0)
	if bits&diffRest != 0 {
		rest = s.byte()
	}
	if bits > diffRest|(diffRest-1) || rest >= diffAll {
		s.fail()
	}
	if bits&diffX != 0 {
		in.TargetX = s.moved(in.TargetX)
	}
	if bits&diffY != 0 {
		in.TargetY = s.moved(in.TargetY)
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

// moved is a number by its difference.
func (s *scanner) moved(from int32) int32 {
	v := int64(from) + s.varint()
	if v != int64(int32(v)) {
		s.fail()
		return 0
	}
	return int32(v)
}
