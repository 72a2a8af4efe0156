package msg6

// Types on the wire of objects with a UUID.
const (
	// FirstExtendedWireType is the one of the first such object; each further one
	// is one less.
	FirstExtendedWireType = 0x7fff
	// LastExtendedWireType is the lowest one.
	LastExtendedWireType = 0x4000
	// TypeUnknown is the result of TypeRegistry.Type for an unknown type.
	TypeUnknown = -1
)

// ExtendedType returns the Type constant of the object with that UUID; ok is false if
// there is none.
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

// TypeRegistry maps objects with a UUID to the types that they have on the wire in a
// snapshot. The zero value is empty.
//
// A writer keeps one as long as it writes deltas, so that types stay the same. It
// calls BeginSnapshot before each snapshot and WireType for the type of each item. A
// reader calls Reset, then AddEx for each Ex of a snapshot, which come first because
// their type is the lowest, and Type for the other items. A TypeRegistry cannot be
// used for both, nor by several goroutines at once.
type TypeRegistry struct {
	wireTypes [len(extendedTypes)]uint16 // on the wire, by type; 0 for none
	used      [len(extendedTypes)]bool   // in this snapshot
	count     uint16                     // number of types assigned
}

// Reset removes all types.
func (r *TypeRegistry) Reset() { *r = TypeRegistry{} }

// BeginSnapshot starts a new snapshot, which has to describe the types that it uses.
func (r *TypeRegistry) BeginSnapshot() { clear(r.used[:]) }

// WireType returns the type on the wire. Types without UUID are returned unchanged.
// first reports whether the type is used for the first time since BeginSnapshot: then
// the snapshot needs an Ex with that type as its id.
func (r *TypeRegistry) WireType(typ int) (wireType int, first bool) {
	i := typ - firstExtendedType
	if i < 0 || i >= len(extendedTypes) {
		return typ, false
	}
	if r.wireTypes[i] == 0 {
		r.wireTypes[i] = FirstExtendedWireType - r.count
		r.count++
	}
	first = !r.used[i]
	r.used[i] = true
	return int(r.wireTypes[i]), first
}

// AddEx adds the type that an Ex describes, given its id and integers. It ignores an
// unknown UUID and an id that no such type can have.
func (r *TypeRegistry) AddEx(id int, ints []int32) {
	var ex Ex
	if id < LastExtendedWireType || id > FirstExtendedWireType || ex.ReadInts(ints) != nil {
		return
	}
	// The last description counts.
	for i, n := range r.wireTypes {
		if int(n) == id {
			r.wireTypes[i] = 0
		}
	}
	if typ, ok := ExtendedType(ex.UUID); ok {
		r.wireTypes[typ-firstExtendedType] = uint16(id)
	}
}

// Type returns the Type constant for a type on the wire, or TypeUnknown. Types below
// LastExtendedWireType are returned unchanged.
func (r *TypeRegistry) Type(wireType int) int {
	if wireType < LastExtendedWireType {
		return wireType
	}
	for i, n := range r.wireTypes {
		if int(n) == wireType {
			return firstExtendedType + i
		}
	}
	return TypeUnknown
}
