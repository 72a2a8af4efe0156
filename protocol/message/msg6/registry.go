package msg6

// Types on the wire of objects with a UUID.
const (
	// FirstExtendedWireType is the type of the first such object. Each further object has the next
	// lower type.
	FirstExtendedWireType = 0x7fff
	// LastExtendedWireType is the lowest such type.
	LastExtendedWireType = 0x4000
	// TypeUnknown is the result of TypeRegistry.Type for an unknown type.
	TypeUnknown = -1
)

// ExtendedType returns the Type constant of the object with UUID u; ok is false if there is none.
func ExtendedType(u UUID) (typ int, ok bool) {
	for i := range extendedTypes {
		if extendedTypes[i].uuid == u {
			return firstExtendedType + i, true
		}
	}
	return TypeUnknown, false
}

// TypeUUID returns the UUID of an object by its Type constant; ok is false for an object without a
// UUID.
func TypeUUID(typ int) (u UUID, ok bool) {
	i := typ - firstExtendedType
	if i < 0 || i >= len(extendedTypes) {
		return UUID{}, false
	}
	return extendedTypes[i].uuid, true
}

// TypeRegistry maps objects with a UUID to their types on the wire in a snapshot. The zero value is
// empty.
//
// A writer keeps one registry as long as it writes deltas, so that types stay the same. The writer
// calls BeginSnapshot before each snapshot, and WireType for the type of each item. A reader calls
// Reset for each snapshot, then AddEx for each Ex, and then Type for the other items. The Ex items
// come first because their type is the lowest. Use a TypeRegistry either for writing or for
// reading, and from one goroutine only.
type TypeRegistry struct {
	wireTypes [len(extendedTypes)]uint16 // type on the wire, by type; 0 for none
	used      [len(extendedTypes)]bool   // whether this snapshot uses the type
	count     uint16                     // number of types assigned
}

// Reset removes all types.
func (r *TypeRegistry) Reset() { *r = TypeRegistry{} }

// BeginSnapshot starts a new snapshot. Each snapshot must describe the types that it uses.
func (r *TypeRegistry) BeginSnapshot() { clear(r.used[:]) }

// WireType returns the type on the wire. Types without a UUID are returned unchanged. first reports
// whether this is the first use of the type since BeginSnapshot. If so, the snapshot needs an Ex
// with that type as its id.
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

// AddEx adds the type that an Ex describes, given the Ex's id and integers. AddEx ignores unknown
// UUIDs, and ids that cannot be the type of an object with a UUID.
func (r *TypeRegistry) AddEx(id int, ints []int32) {
	var ex Ex
	if id < LastExtendedWireType || id > FirstExtendedWireType || ex.ReadInts(ints) != nil {
		return
	}
	// The last description of a type counts.
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
