// Package messagetest is the test suite that the message packages of all protocol
// versions share. It draws messages and objects at random from the ranges in the
// schema, so that a new message is tested as soon as the schema has it.
package messagetest

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
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
	// Unpack reads the message behind its id.
	Unpack(u *packer.Unpacker) error
}

// Object is a snapshot object of any version.
type Object interface {
	// ObjectType returns the type of the object.
	ObjectType() int
	// ObjectSize returns how many integers the object has.
	ObjectSize() int
	// PutInts writes the object to dst.
	PutInts(dst []int32)
	// ReadInts reads the object from src.
	ReadInts(src []int32) error
}

// clamper is an object whose values are clamped instead of refused.
type clamper interface{ Clamp() int }

// Decoder decodes messages of a version.
type Decoder[M any] interface {
	// Decode decodes the message in a payload.
	Decode(payload []byte) (M, error)
	// TrailingBytes returns how many bytes followed the last message.
	TrailingBytes() int
}

// ObjectDecoder decodes snapshot objects of a version.
type ObjectDecoder[O any] interface {
	// Decode decodes an object of a type.
	Decode(typ int, src []int32) (O, error)
}

// Suite tests the package of a version. Set the exported fields and call Init.
type Suite[I ID, M Message[I], O Object] struct {
	// Version is the name of the package, msg6 or msg7.
	Version string
	// NewDecoder and NewObjectDecoder return pointers to the zero values.
	NewDecoder       func() Decoder[M]
	NewObjectDecoder func() ObjectDecoder[O]
	// ObjectName returns the name of a type of object, or "" for unknown types.
	ObjectName func(typ int) string
	// Custom draws the types whose fields the schema does not describe, by name.
	Custom map[string]func(*rapid.T) any
	// Fix corrects drawn values of types whose fields depend on each other, by
	// name. It is passed a pointer.
	Fix map[string]func(ptr any)
	// Prepare turns the zero value of a message into a valid one.
	Prepare func(m M)
	// ReadID reads a message's id from u and reports whether it is that of m.
	ReadID func(u *packer.Unpacker, m M) bool
	// Capture is the session of the real programs whose messages are used.
	Capture string

	schema   *schema.Schema
	fields   map[string][]*schema.Field // by Go type
	objects  map[string]*schema.Object  // by Go type
	messages map[I]reflect.Type
	items    map[int]reflect.Type // snapshot objects by type
	sorted   []M                  // a message of each type in order of ids
}

// Init prepares s for use and returns it. It panics if the schema is broken.
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

// DrawMessage returns a random message with that id.
func (s *Suite[I, M, O]) DrawMessage(t *rapid.T, id I) M {
	return s.Draw(t, s.messages[id]).Interface().(M)
}

// DrawObject returns a random object of that type.
func (s *Suite[I, M, O]) DrawObject(t *rapid.T, typ int) O {
	return s.Draw(t, s.items[typ]).Interface().(O)
}

// takesRest reports whether what follows a message would be taken for a part of it.
func (s *Suite[I, M, O]) takesRest(m M) bool {
	fields := s.fields[s.messages[m.ID()].Name()]
	if len(fields) == 0 {
		return false
	}
	last := fields[len(fields)-1]
	return missing(m) > 0 || last.Type == "rest" || last.Type == "ints"
}

// equal reports whether two messages are equal. Nil and empty lists are.
func equal(a, b any) bool { return reflect.DeepEqual(withoutEmpty(a), withoutEmpty(b)) }

// withoutEmpty returns what m points to, with nil for each empty list.
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

// KnownIDs tests that the package knows exactly the ids up to the last ones of each
// layer, and that of those the reserved ones cannot be decoded. maxWire is the
// highest id tried.
func (s *Suite[I, M, O]) KnownIDs(t *testing.T, lastSystem, lastGame int, maxWire int32, reserved ...string) {
	var seen []string
	for wire := range maxWire + 1 {
		id := I(wire)
		m, err := s.NewDecoder().Decode(packer.AppendInt(nil, wire))
		desc := id.Desc()
		known := id.System() && id.Number() <= lastSystem || !id.System() && id.Number() <= lastGame
		switch {
		case !known:
			if desc != nil || !errors.Is(err, message.ErrUnknown) {
				t.Errorf("%v: %v, %+v; want ErrUnknown", id, err, desc)
			}
		case desc.Reserved:
			seen = append(seen, desc.Name)
			if !errors.Is(err, message.ErrReserved) || s.messages[id] != nil {
				t.Errorf("%v: %v, want ErrReserved", id, err)
			}
		default:
			if errors.Is(err, message.ErrReserved) || errors.Is(err, message.ErrUnknown) || s.messages[id] == nil {
				t.Errorf("%v: %v, %v", id, m, err)
			}
			if desc.Doc == "" || desc.Name == "" {
				t.Errorf("%v has no description", id)
			}
		}
	}
	slices.Sort(seen)
	slices.Sort(reserved)
	if !slices.Equal(seen, reserved) {
		t.Errorf("reserved: %v, want %v", seen, reserved)
	}
	for _, wire := range []int32{-1, -2, maxWire + 1, 1 << 16, 1<<16 + 3, 1<<31 - 1} {
		if _, err := s.NewDecoder().Decode(packer.AppendInt(nil, wire)); !errors.Is(err, message.ErrUnknown) {
			t.Errorf("id %d: %v, want ErrUnknown", wire, err)
		}
	}
}

// RoundTrip appends random messages of each type and decodes them, whole, cut short
// and with more behind.
func (s *Suite[I, M, O]) RoundTrip(t *testing.T) {
	for _, id := range s.IDs() {
		t.Run(id.String(), func(t *testing.T) {
			d := s.NewDecoder()
			rapid.Check(t, func(t *rapid.T) {
				want := s.DrawMessage(t, id)
				b := want.Append(nil)
				got, err := d.Decode(bytes.Clone(b))
				if err != nil {
					t.Fatalf("%+v\n%x: %v", want, b, err)
				}
				if !equal(got, want) {
					t.Fatalf("%x\ngot  %+v\nwant %+v", b, got, want)
				}
				if again := got.Append(nil); !bytes.Equal(again, b) {
					t.Fatalf("appended again: %x, want %x", again, b)
				}
				if d.TrailingBytes() != 0 {
					t.Fatalf("%d bytes of %x were not read", d.TrailingBytes(), b)
				}
				cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
				if got, err = d.Decode(bytes.Clone(b[:cut])); err != nil {
					var fe *message.FieldError
					if any(got) != nil || !errors.As(err, &fe) || fe.Name == "" || fe.Field == "" {
						t.Fatalf("cut to %x: %+v, %#v", b[:cut], got, err)
					}
				}
				if s.takesRest(want) {
					return
				}
				got, err = d.Decode(append(bytes.Clone(b), "surplus"...))
				if err != nil || !equal(got, want) || d.TrailingBytes() != len("surplus") {
					t.Fatalf("with surplus: %+v, %v, %d left", got, err, d.TrailingBytes())
				}
			})
		})
	}
}

// Short cuts the last byte off a message of each type, except of those that end with
// a list of any length. Only the named types may be decoded then.
func (s *Suite[I, M, O]) Short(t *testing.T, mayBeShort ...I) {
	for _, m := range s.sorted {
		b := m.Append(nil)
		d := s.NewDecoder()
		if _, err := d.Decode(bytes.Clone(b)); err != nil {
			t.Errorf("%v: the empty message: %v", m.ID(), err)
		}
		if fields := s.fields[s.messages[m.ID()].Name()]; s.takesRest(m) && fields[0].Type != "uuid" {
			continue
		}
		_, err := d.Decode(b[:len(b)-1])
		if may := slices.Contains(mayBeShort, m.ID()); may != (err == nil) {
			t.Errorf("%v without its last byte: %v", m.ID(), err)
		}
	}
}

// Ranges tests that messages with a field out of its range are refused.
func (s *Suite[I, M, O]) Ranges(t *testing.T) {
	s.outOfRange(func(m M, label string) {
		got, err := s.NewDecoder().Decode(m.Append(nil))
		var fe *message.FieldError
		if any(got) != nil || !errors.Is(err, message.ErrRange) || !errors.As(err, &fe) || fe.Field != label || fe.Name != m.ID().String() {
			t.Errorf("%+v: %v, want %s out of range", m, err, label)
		}
	})
}

// ObjectsRoundTrip writes random objects of each type and reads them again.
func (s *Suite[I, M, O]) ObjectsRoundTrip(t *testing.T, surplusAllowed func(typ int) bool, unknown ...int) {
	d := s.NewObjectDecoder()
	for _, typ := range s.Types() {
		o := s.ObjectSchema(typ)
		t.Run(o.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := s.DrawObject(t, typ)
				ints := make([]int32, want.ObjectSize())
				want.PutInts(ints)
				got, err := d.Decode(typ, ints)
				if err != nil {
					t.Fatalf("%+v\n%v: %v", want, ints, err)
				}
				if !reflect.DeepEqual(got, want) || got.ObjectType() != typ {
					t.Fatalf("%v\ngot  %+v\nwant %+v", ints, got, want)
				}
				again := make([]int32, len(ints))
				got.PutInts(again)
				if !slices.Equal(ints, again) {
					t.Fatalf("put again: %v, want %v", again, ints)
				}
				if c, ok := any(got).(clamper); ok {
					if n := c.Clamp(); n != 0 || !reflect.DeepEqual(got, want) {
						t.Fatalf("%d values of %+v were clamped to %+v", n, want, got)
					}
				}
				if surplusAllowed(typ) {
					for len(ints) < o.Size {
						ints = append(ints, rapid.Int32().Draw(t, "more"))
					}
					whole, _ := d.Decode(typ, ints)
					want := reflect.ValueOf(whole).Elem().Interface()
					got, err := d.Decode(typ, append(ints, 1, 2, 3))
					if err != nil || !reflect.DeepEqual(reflect.ValueOf(got).Elem().Interface(), want) {
						t.Fatalf("three integers more: %+v, %v; want %+v", got, err, want)
					}
				} else if _, err := d.Decode(typ, append(ints, 0)); !errors.Is(err, message.ErrSize) {
					t.Fatalf("one integer more: %v", err)
				}
			})
		})
	}
	for _, typ := range unknown {
		if _, err := d.Decode(typ, nil); !errors.Is(err, message.ErrUnknown) || s.ObjectName(typ) != "" {
			t.Errorf("type %d, %q: %v", typ, s.ObjectName(typ), err)
		}
	}
}

// ObjectSizes decodes objects of each size that is too small, and of the sizes that
// may lack integers at the end, which then have their defaults.
func (s *Suite[I, M, O]) ObjectSizes(t *testing.T) {
	d := s.NewObjectDecoder()
	for _, typ := range s.Types() {
		o := s.ObjectSchema(typ)
		least := o.Size
		if o.Min != nil {
			least = *o.Min
		}
		for n := range o.Size {
			got, err := d.Decode(typ, make([]int32, n))
			switch {
			case n < least && !errors.Is(err, message.ErrSize):
				t.Errorf("%s of %d integers: %v", o.Name, n, err)
			case n >= least && (err != nil || got.ObjectSize() != n):
				t.Errorf("%s of %d integers: %+v, %v", o.Name, n, got, err)
			}
		}
		if o.Min == nil {
			continue
		}
		ones := slices.Repeat([]int32{1}, o.Size)
		d.Decode(typ, ones) // what was there before must not stay
		got, err := d.Decode(typ, ones[:least])
		if err != nil {
			t.Fatal(err)
		}
		setMissing(reflect.ValueOf(got), 0)
		ints := make([]int32, got.ObjectSize())
		got.PutInts(ints)
		if want := append(ones[:least:least], s.Defaults(o)[least:]...); !slices.Equal(ints, want) {
			t.Errorf("%s: %v, want %v", o.Name, ints, want)
		}
		// A nonsensical field Missing is bounded.
		for n, want := range map[int]int{-5: o.Size, 1 << 40: least, 1: o.Size - 1} {
			setMissing(reflect.ValueOf(got), n)
			if size := got.ObjectSize(); size != want {
				t.Errorf("%s without %d: %d integers, want %d", o.Name, n, size, want)
			}
			got.PutInts(make([]int32, want))
		}
	}
}

// ObjectRanges puts values next to the range of each integer of an object. They are
// refused, or clamped in versions that do so. least is how many there must be.
func (s *Suite[I, M, O]) ObjectRanges(t *testing.T, least int) {
	d := s.NewObjectDecoder()
	n := s.objectOutOfRange(func(schema *schema.Object, f *schema.Field, index int, value int32) {
		name := typeName(schema, f, value)
		o, err := d.Decode(schema.Type, make([]int32, schema.Size))
		if err != nil {
			t.Fatalf("%s: zeros: %v", schema.Name, err)
		}
		c, lenient := any(o).(clamper)
		if lenient {
			c.Clamp()
		}
		before := make([]int32, schema.Size)
		o.PutInts(before)
		ints := slices.Clone(before)
		ints[index] = value
		_, err = d.Decode(schema.Type, ints)
		after := make([]int32, schema.Size)
		o.PutInts(after)
		if !lenient {
			var fe *message.FieldError
			if !errors.Is(err, message.ErrRange) || !errors.As(err, &fe) || fe.Field != f.Name || fe.Name != schema.Name || fe.Value != value {
				t.Errorf("%s: %v", name, err)
			}
			if !slices.Equal(after, before) {
				t.Errorf("%s: the object was changed by a ReadInts that failed", name)
			}
			return
		}
		if err != nil || !slices.Equal(after, ints) {
			t.Errorf("%s does not survive: %v, %v", name, after, err)
		}
		if n := c.Clamp(); n != 1 {
			t.Errorf("%s: %d values clamped", name, n)
		}
		if lo, _, _, _ := f.Bounds(); int64(value) < lo {
			ints[index]++
		} else {
			ints[index]--
		}
		if o.PutInts(after); !slices.Equal(ints, after) {
			t.Errorf("%s was clamped to %v, want %v", name, after, ints)
		}
	})
	if n < least {
		t.Errorf("only %d values", n)
	}
}

// ErrorCase is a payload that cannot be decoded.
type ErrorCase = struct {
	Payload string
	Is      error
	Text    string
}

// Errors decodes payloads that must be refused with a certain error.
func (s *Suite[I, M, O]) Errors(t *testing.T, cases []ErrorCase) {
	for _, c := range cases {
		m, err := s.NewDecoder().Decode([]byte(c.Payload))
		if any(m) != nil || !errors.Is(err, c.Is) || err.Error() != c.Text {
			t.Errorf("%x: %v, %v; want %q", c.Payload, m, err, c.Text)
		}
	}
}

// InputCase is an INPUT message with that many integers after its size. Count and
// Missing are those of the message.
type InputCase = struct {
	Name           string
	Size           int32
	Ints           int
	Count, Missing int
}

// Inputs decodes INPUT messages with the AckTick -1, the IntendedTick 100 and the
// integers 1, 2, 3..., each after one of the largest size, and appends them again to the
// same bytes. want returns the message for a case and its integers.
func (s *Suite[I, M, O]) Inputs(t *testing.T, cases []InputCase, want func(c InputCase, ints []int32) M) {
	for _, c := range cases {
		var ints []int32
		for i := range c.Ints {
			ints = append(ints, int32(i+1))
		}
		m := want(c, ints)
		b := packer.AppendInts(nil, append([]int32{int32(m.ID()), -1, 100, c.Size}, ints...))
		d := s.NewDecoder()
		d.Decode(packer.AppendInts(nil, append([]int32{int32(m.ID()), 9, 9, 512}, slices.Repeat([]int32{9}, 129)...)))
		got, err := d.Decode(bytes.Clone(b))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: %+v, %v; want %+v", c.Name, got, err, m)
			continue
		}
		if n := any(got).(interface{ Count() int }).Count(); n != c.Count {
			t.Errorf("%s: %d words, want %d", c.Name, n, c.Count)
		}
		if out := got.Append(nil); !bytes.Equal(out, b) {
			t.Errorf("%s: wrote %x, want %x", c.Name, out, b)
		}
	}
}

// Payload is the data of one chunk of a capture.
type Payload struct {
	ToServer bool // the direction
	Vital    bool
	B        []byte
}

// Payloads returns the data of all chunks of a capture.
func Payloads(tb testing.TB, capture string) []Payload {
	tb.Helper()
	var payloads []Payload
	var scratch packet.Scratch
	for i, d := range golden.Datagrams(tb, capture) {
		var flags packet.Flags
		var chunks packet.ChunkReader
		var err error
		if capture == golden.Join6 {
			var p packet.Packet6
			err = p.Parse(d.B, &scratch)
			flags, chunks = p.Flags, p.Chunks()
		} else {
			var p packet.Packet
			err = p.Parse(d.B, &scratch)
			flags, chunks = p.Flags, p.Chunks()
		}
		if err != nil {
			tb.Fatalf("%s, datagram %d: %v", capture, i, err)
		}
		if flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		for c := (packet.Chunk{}); chunks.Next(&c); {
			payloads = append(payloads, Payload{d.ToServer, c.Flags&packet.ChunkVital != 0, bytes.Clone(c.Data)})
		}
		if err := chunks.Err(); err != nil {
			tb.Fatalf("%s, datagram %d: %v", capture, i, err)
		}
	}
	return payloads
}

// Golden decodes every message of a capture and appends it again to the same bytes.
// least says how often an id must occur; check looks at each message.
func (s *Suite[I, M, O]) Golden(t *testing.T, capture string, least map[I]int, check func(m M) error) {
	d := s.NewDecoder()
	seen := map[I]int{}
	for i, p := range Payloads(t, capture) {
		in := bytes.Clone(p.B)
		m, err := d.Decode(p.B)
		if err != nil {
			t.Fatalf("%s, chunk %d, %x: %v", capture, i, in, err)
		}
		seen[m.ID()]++
		if out := m.Append(nil); !bytes.Equal(in, out) {
			t.Fatalf("%s, chunk %d, %T: read %x, wrote %x", capture, i, m, in, out)
		}
		if d.TrailingBytes() != 0 {
			t.Fatalf("%s, chunk %d, %T: %d bytes left", capture, i, m, d.TrailingBytes())
		}
		desc := m.ID().Desc()
		if desc.Vital != p.Vital {
			t.Fatalf("%s, chunk %d, %T: vital is %v on the wire", capture, i, m, p.Vital)
		}
		want := message.FromServer
		if p.ToServer {
			want = message.FromClient
		}
		if desc.Sender != want && desc.Sender != message.FromBoth {
			t.Fatalf("%s, chunk %d, %T: sent in the wrong direction", capture, i, m)
		}
		if err := check(m); err != nil {
			t.Fatalf("%s, chunk %d, %T: %v", capture, i, m, err)
		}
	}
	for id, n := range least {
		if seen[id] < n {
			t.Errorf("%s has %d %v, expected %d or more", capture, seen[id], id, n)
		}
	}
}

// GoldenObject reads an object of a captured snapshot and writes it again to the
// same integers.
func (s *Suite[I, M, O]) GoldenObject(t *testing.T, d ObjectDecoder[O], typ int, ints []int32) O {
	o, err := d.Decode(typ, ints)
	if err != nil {
		t.Fatal(err)
	}
	again := make([]int32, o.ObjectSize())
	if o.PutInts(again); !slices.Equal(ints, again) {
		t.Fatalf("%T: read %v, wrote %v", o, ints, again)
	}
	return o
}

// FlipEachBit decodes captured messages, up to perID of each type, with each of their
// bits flipped. What still is a message must stay the same once appended. least is
// how many bits there must be.
func (s *Suite[I, M, O]) FlipEachBit(t *testing.T, perID, least int) {
	d := s.NewDecoder()
	var b, out, again []byte
	flips, read := 0, 0
	seen := map[I]int{}
	for _, p := range Payloads(t, s.Capture) {
		m, err := d.Decode(bytes.Clone(p.B))
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID()]++; seen[m.ID()] > perID {
			continue
		}
		for bit := range 8 * len(p.B) {
			b = append(b[:0], p.B...)
			b[bit/8] ^= 1 << (bit % 8)
			flips++
			m, err := d.Decode(b)
			if err != nil {
				continue
			}
			read++
			out = m.Append(out[:0])
			b = append(b[:0], out...)
			if m, err = d.Decode(b); err != nil {
				t.Fatalf("%x: %v", out, err)
			}
			if again = m.Append(again[:0]); !bytes.Equal(out, again) {
				t.Fatalf("%x was appended again as %x", out, again)
			}
		}
	}
	if flips < least || read == 0 || read == flips {
		t.Errorf("%d of %d could be decoded", read, flips)
	}
}

// NoAllocs tests that decoding and appending the messages of a capture, one of each
// type, and more do not allocate.
func (s *Suite[I, M, O]) NoAllocs(t *testing.T, capture string, more ...M) {
	testenv.RequireExactAllocs(t)
	var all [][]byte
	for _, p := range Payloads(t, capture) {
		all = append(all, p.B)
	}
	for _, m := range append(more, s.sorted...) {
		all = append(all, m.Append(nil))
	}
	d := s.NewDecoder()
	buf := make([]byte, 0, 4096)
	n := testing.AllocsPerRun(5, func() {
		for _, b := range all {
			m, err := d.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			buf = m.Append(buf[:0])
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for %d messages", n, len(all))
	}
}

// BenchmarkDecode decodes the messages of a capture.
func (s *Suite[I, M, O]) BenchmarkDecode(b *testing.B, capture string) {
	payloads := Payloads(b, capture)
	d := s.NewDecoder()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := d.Decode(payloads[i%len(payloads)].B); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzDecode decodes anything as a message. What can be decoded can be appended, and
// is then the same for good: strings over their limit are cut once.
func (s *Suite[I, M, O]) FuzzDecode(f *testing.F, captures []string, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	for _, id := range s.IDs() {
		f.Add(reflect.New(s.messages[id]).Interface().(M).Append(nil))
		gen := rapid.Custom(func(t *rapid.T) []byte {
			rapid.Bool().Draw(t, "") // rapid wants something drawn, also for messages without fields
			return s.DrawMessage(t, id).Append(nil)
		})
		for seed := range 4 {
			f.Add(gen.Example(seed))
		}
	}
	seen := map[I]int{}
	for _, capture := range captures {
		for _, p := range Payloads(f, capture) {
			if m, err := s.NewDecoder().Decode(bytes.Clone(p.B)); err == nil && seen[m.ID()] < 3 {
				seen[m.ID()]++
				f.Add(p.B)
			}
		}
	}
	first, second := s.NewDecoder(), s.NewDecoder() // kept, as a server does, so that reuse is tested
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := first.Decode(bytes.Clone(in))
		if err != nil {
			var fe *message.FieldError
			var ie *message.IDError
			if any(m) != nil || !errors.As(err, &fe) && !errors.As(err, &ie) || err.Error() == "" {
				t.Fatalf("%+v, %v", m, err)
			}
			return
		}
		var u packer.Unpacker
		u.Reset(in)
		if !s.ReadID(&u, m) {
			t.Fatalf("read %T from %x", m, in)
		}
		out := m.Append(nil)
		again, err := second.Decode(bytes.Clone(out))
		if err != nil {
			t.Fatalf("%+v was appended as %x: %v", m, out, err)
		}
		if stable := again.Append(nil); !bytes.Equal(out, stable) {
			t.Fatalf("%x was appended again as %x", out, stable)
		}
		fresh := reflect.New(s.messages[m.ID()]).Interface().(M)
		u.Reset(out)
		if !s.ReadID(&u, m) {
			t.Fatalf("%x has not the id of %T", out, m)
		}
		if err := fresh.Unpack(&u); err != nil || !equal(fresh, again) {
			t.Fatalf("a fresh message reads differently: %+v, %+v, %v", fresh, again, err)
		}
	})
}

// FuzzObjects reads anything as a snapshot object.
func (s *Suite[I, M, O]) FuzzObjects(f *testing.F, surplusAllowed func(typ int) bool) {
	for _, typ := range s.Types() {
		gen := rapid.Custom(func(t *rapid.T) []byte {
			o := s.DrawObject(t, typ)
			ints := make([]int32, o.ObjectSize())
			o.PutInts(ints)
			return packer.AppendInts(nil, ints)
		})
		for seed := range 3 {
			f.Add(typ, gen.Example(seed))
		}
	}
	d := s.NewObjectDecoder()
	f.Fuzz(func(t *testing.T, typ int, b []byte) {
		var u packer.Unpacker
		u.Reset(b)
		var ints []int32
		for u.Len() > 0 && len(ints) < 100 {
			ints = append(ints, u.Int())
		}
		o, err := d.Decode(typ, ints)
		if err != nil {
			var fe *message.FieldError
			if !errors.As(err, &fe) || any(o) != nil || err.Error() == "" {
				t.Fatalf("%+v, %v", o, err)
			}
			return
		}
		again := make([]int32, o.ObjectSize())
		o.PutInts(again)
		if surplusAllowed(typ) {
			ints = ints[:min(len(ints), s.ObjectSchema(typ).Size)]
		}
		if o.ObjectType() != typ || !slices.Equal(ints, again) {
			t.Fatalf("%T: read %v, wrote %v", o, ints, again)
		}
		if c, ok := any(o).(clamper); ok {
			if c.Clamp(); c.Clamp() != 0 {
				t.Fatalf("%v: clamped to %+v", ints, o)
			}
		}
	})
}
