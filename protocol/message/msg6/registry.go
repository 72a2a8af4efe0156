package msg6

// Numbers of objects with a UUID in a snapshot.
const (
	// FirstExtendedWireType is the number that the first such type gets; the next gets one
	// less, and so on.
	FirstExtendedWireType = 0x7fff
	// LastExtendedWireType is the lowest such number.
	LastExtendedWireType = 0x4000
	// TypeUnknown is what Registry.Type returns for a number that stands for
	// nothing known.
	TypeUnknown = -1
)

// ExtendedType returns the Type constant of the object with that UUID; ok is false
// if there is none.
func ExtendedType(u UUID) (typ int, ok bool) {
	for i := range extendedTypes {
		if extendedTypes[i].uuid == u {
			return firstExtendedType + i, true
		}
	}
	return TypeUnknown, false
}

// TypeUUID returns the UUID of an object that has one, by its Type constant; ok is
// false for others.
func TypeUUID(typ int) (u UUID, ok bool) {
	i := typ - firstExtendedType
	if i < 0 || i >= len(extendedTypes) {
		return UUID{}, false
	}
	return extendedTypes[i].uuid, true
}

// TypeRegistry knows which number stands for which object with a UUID in a snapshot.
// The zero value knows none.
//
// A writer keeps one for as long as it writes deltas, so that numbers stay the same,
// calls Begin before each snapshot and Number for the type of each item. A reader
// calls Reset and then Describe for each Ex of a snapshot (they come first, since
// their type is the lowest), and Type for the items. One TypeRegistry cannot be used for
// both, nor by several goroutines at once.
type TypeRegistry struct {
	numbers [len(extendedTypes)]uint16 // by type; 0 for none
	used    [len(extendedTypes)]bool   // in this snapshot
	next    uint16                     // numbers given out
}

// Reset forgets everything.
func (r *TypeRegistry) Reset() { *r = TypeRegistry{} }

// BeginSnapshot starts a new snapshot: what is used in it must be described in it.
func (r *TypeRegistry) BeginSnapshot() { clear(r.used[:]) }

// WireType returns the number that stands for a type on the wire. Types without UUID
// stand for themselves. first says that the type is used for the first time since
// Begin: the snapshot then needs an Ex with that number as its id.
func (r *TypeRegistry) WireType(typ int) (number int, first bool) {
	i := typ - firstExtendedType
	if i < 0 || i >= len(extendedTypes) {
		return typ, false
	}
	if r.numbers[i] == 0 {
		r.numbers[i] = FirstExtendedWireType - r.next
		r.next++
	}
	first = !r.used[i]
	r.used[i] = true
	return int(r.numbers[i]), first
}

// AddEx takes note of an Ex: its id, and its integers. It does nothing if the
// UUID is unknown, or the id no number that may be given to a type.
func (r *TypeRegistry) AddEx(id int, ints []int32) {
	var ex Ex
	if id < LastExtendedWireType || id > FirstExtendedWireType || ex.ReadInts(ints) != nil {
		return
	}
	// A number stands for the last thing that it was said to be.
	for i, n := range r.numbers {
		if int(n) == id {
			r.numbers[i] = 0
		}
	}
	if typ, ok := ExtendedType(ex.UUID); ok {
		r.numbers[typ-firstExtendedType] = uint16(id)
	}
}

// Type returns the Type constant that a number in a snapshot stands for, or
// TypeUnknown. Numbers below LastExtendedWireType stand for themselves.
func (r *TypeRegistry) Type(number int) int {
	if number < LastExtendedWireType {
		return number
	}
	for i, n := range r.numbers {
		if int(n) == number {
			return firstExtendedType + i
		}
	}
	return TypeUnknown
}
