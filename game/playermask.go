package game

import (
	"iter"
	"math/bits"
)

// PlayerMask is a set of players. The zero value is empty. Sets can be compared with ==.
//
// The fields are exported so that a [StateHook] state can have sets. Use only the methods.
type PlayerMask struct {
	Low, High uint64 // players 0 to 63 and 64 to 127, as bits
}

// MaskAll is the set of all players.
var MaskAll = PlayerMask{^uint64(0), ^uint64(0)}

// MaskOne returns the set of one player. For negative ids the set is empty.
func MaskOne(id PlayerID) PlayerMask {
	switch {
	case id < 0:
		return PlayerMask{}
	case id < 64:
		return PlayerMask{Low: 1 << uint(id)}
	}
	return PlayerMask{High: 1 << uint(id-64)}
}

// Has reports whether id is in the set.
func (m PlayerMask) Has(id PlayerID) bool {
	if id < 64 {
		return id >= 0 && m.Low>>uint(id)&1 != 0
	}
	return m.High>>uint(id-64)&1 != 0
}

// Add adds a player. Negative ids have no effect.
func (m *PlayerMask) Add(id PlayerID) { *m = m.Or(MaskOne(id)) }

// Remove removes a player. Negative ids have no effect.
func (m *PlayerMask) Remove(id PlayerID) { *m = m.Without(MaskOne(id)) }

// Or returns the players of either set.
func (m PlayerMask) Or(o PlayerMask) PlayerMask { return PlayerMask{m.Low | o.Low, m.High | o.High} }

// And returns the players that are in both sets.
func (m PlayerMask) And(o PlayerMask) PlayerMask { return PlayerMask{m.Low & o.Low, m.High & o.High} }

// Without returns the players of the set that are not in the other set.
func (m PlayerMask) Without(o PlayerMask) PlayerMask {
	return PlayerMask{m.Low &^ o.Low, m.High &^ o.High}
}

// Not returns all players that are not in the set.
func (m PlayerMask) Not() PlayerMask { return PlayerMask{^m.Low, ^m.High} }

// IsEmpty reports whether the set has no players.
func (m PlayerMask) IsEmpty() bool { return m.Low|m.High == 0 }

// Count returns the number of players.
func (m PlayerMask) Count() int { return bits.OnesCount64(m.Low) + bits.OnesCount64(m.High) }

// Lowest returns the lowest id, or Nobody if the set is empty.
func (m PlayerMask) Lowest() PlayerID {
	switch {
	case m.Low != 0:
		return PlayerID(bits.TrailingZeros64(m.Low))
	case m.High != 0:
		return PlayerID(64 + bits.TrailingZeros64(m.High))
	}
	return Nobody
}

// All returns the players of the set, with ascending ids.
func (m PlayerMask) All() iter.Seq[PlayerID] {
	return func(yield func(PlayerID) bool) {
		for id := m.Lowest(); id != Nobody && yield(id); id = m.Lowest() {
			m.Remove(id)
		}
	}
}

// IsPublic reports whether the set has all players, or all except one. Viewers without a seat can
// see a thing with a public set, since at most one player, its owner, is left out.
func (m PlayerMask) IsPublic() bool { return m.Not().Count() <= 1 }
