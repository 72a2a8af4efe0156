// Package messagetest is the common test suite for the message packages of all protocol versions.
// It draws messages and objects at random from the ranges in the schema, so that it tests a new
// message as soon as the schema has it.
package messagetest

import (
	"reflect"
	"slices"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// ID is the message id of a version.
type ID interface {
	~uint16
	// String returns the name of the message in the original.
	String() string
	// System reports whether it is a system message.
	System() bool
	// Number returns the number of the message within its layer.
	Number() int
	// Desc returns the description of the message, or nil.
	Desc() *message.Desc
}

// Message is a message of a version.
type Message[I ID] interface {
	// ID returns the id of the message's type.
	ID() I
	// Append appends the message, id first.
	Append(dst []byte) []byte
	// Unpack reads the message after its id.
	Unpack(u *packer.Unpacker) error
}

// Object is a snapshot object of any version.
type Object interface {
	// ObjectType returns the type of the object.
	ObjectType() int
	// ObjectSize returns the number of integers in the object.
	ObjectSize() int
	// PutInts writes the object to dst.
	PutInts(dst []int32)
	// ReadInts reads the object from src.
	ReadInts(src []int32) error
}

// clamper is an object whose values are clamped instead of rejected.
type clamper interface{ Clamp() int }

// Decoder decodes messages of a version.
type Decoder[M any] interface {
	// Decode decodes the message in a payload.
	Decode(payload []byte) (M, error)
	// TrailingBytes returns the number of bytes that followed the last message.
	TrailingBytes() int
}

// ObjectDecoder decodes snapshot objects of a version.
type ObjectDecoder[O any] interface {
	// Decode decodes an object of a type.
	Decode(typ int, src []int32) (O, error)
}

// Suite tests the package of a version. Set the exported fields and call Init.
type Suite[I ID, M Message[I], O Object] struct {
	// Version is the name of the tested package, msg6 or msg7.
	Version string
	// NewDecoder and NewObjectDecoder return pointers to zero values.
	NewDecoder       func() Decoder[M]
	NewObjectDecoder func() ObjectDecoder[O]
	// ObjectName returns the name of an object type, or "" for unknown types.
	ObjectName func(typ int) string
	// Custom draws values of types that the schema does not fully describe, by name.
	Custom map[string]func(*rapid.T) any
	// Fix corrects drawn values of types whose fields depend on each other, by name. It gets a
	// pointer to the value.
	Fix map[string]func(ptr any)
	// Prepare turns the zero value of a message into a valid one.
	Prepare func(m M)
	// ReadID reads a message's id from u and reports whether it is the id of m.
	ReadID func(u *packer.Unpacker, m M) bool
	// Capture is the name of the capture of real programs to use.
	Capture string

	schema   *schema.Schema
	fields   map[string][]*schema.Field // by Go type
	objects  map[string]*schema.Object  // by Go type
	messages map[I]reflect.Type
	items    map[int]reflect.Type // snapshot objects by type
	sorted   []M                  // a message of each type, in order of ids
}

// Init prepares s and returns it. It panics if the schema is broken.
func (s *Suite[I, M, O]) Init() *Suite[I, M, O] {
	var err error
	if s.schema, err = schema.Load(s.Version); err != nil {
		panic(err)
	}
	s.fields, s.objects = map[string][]*schema.Field{}, map[string]*schema.Object{}
	for _, st := range s.schema.Structs {
		s.fields[st.Name] = st.Fields
	}
	for _, m := range s.schema.Messages {
		s.fields[m.Go] = m.Fields
	}
	for _, o := range s.schema.Objects {
		s.fields[o.Go], s.objects[o.Go] = s.schema.AllFields(o), o
	}
	s.messages, s.items = map[I]reflect.Type{}, map[int]reflect.Type{}
	// The decoders have a field for each type.
	for typ := range fieldTypes(s.NewDecoder()) {
		if m, ok := reflect.New(typ).Interface().(M); ok {
			s.messages[m.ID()] = typ
			s.Prepare(m)
			s.sorted = append(s.sorted, m)
		}
	}
	slices.SortFunc(s.sorted, func(a, b M) int { return int(a.ID()) - int(b.ID()) })
	for typ := range fieldTypes(s.NewObjectDecoder()) {
		s.items[reflect.New(typ).Interface().(O).ObjectType()] = typ
	}
	return s
}

// fieldTypes iterates over the types of the fields of the struct that ptr points to.
func fieldTypes(ptr any) func(yield func(reflect.Type) bool) {
	return func(yield func(reflect.Type) bool) {
		typ := reflect.TypeOf(ptr).Elem()
		for i := range typ.NumField() {
			if !yield(typ.Field(i).Type) {
				return
			}
		}
	}
}

// IDs returns the ids of all messages in ascending order.
func (s *Suite[I, M, O]) IDs() []I {
	ids := make([]I, len(s.sorted))
	for i, m := range s.sorted {
		ids[i] = m.ID()
	}
	return ids
}

// Types returns the types of all snapshot objects in ascending order.
func (s *Suite[I, M, O]) Types() []int {
	var types []int
	for typ := range s.items {
		types = append(types, typ)
	}
	slices.Sort(types)
	return types
}

// ObjectSchema returns the description of a type of object.
func (s *Suite[I, M, O]) ObjectSchema(typ int) *schema.Object { return s.objects[s.items[typ].Name()] }

// DrawMessage returns a random message with the id.
func (s *Suite[I, M, O]) DrawMessage(t *rapid.T, id I) M {
	return s.Draw(t, s.messages[id]).Interface().(M)
}

// DrawObject returns a random object of the type.
func (s *Suite[I, M, O]) DrawObject(t *rapid.T, typ int) O {
	return s.Draw(t, s.items[typ]).Interface().(O)
}

// takesRest reports whether a message takes all bytes after it as its own.
func (s *Suite[I, M, O]) takesRest(m M) bool {
	fields := s.fields[s.messages[m.ID()].Name()]
	if len(fields) == 0 {
		return false
	}
	last := fields[len(fields)-1]
	return missing(m) > 0 || last.Type == "rest" || last.Type == "ints"
}

// equal reports whether two messages are equal. Nil lists equal empty lists.
func equal(a, b any) bool { return reflect.DeepEqual(withoutEmpty(a), withoutEmpty(b)) }

// withoutEmpty returns the struct that m points to, with nil for each empty list.
func withoutEmpty(m any) any {
	v := reflect.New(reflect.TypeOf(m).Elem()).Elem()
	v.Set(reflect.ValueOf(m).Elem())
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 {
			f.SetZero()
		}
	}
	return v.Interface()
}
