package messagetest

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
	"pgregory.net/rapid"
)

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

// ObjectSizes decodes objects of every size that is too small. It also decodes sizes that may lack
// integers at the end. Missing integers must have their defaults.
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
		d.Decode(typ, ones) // old values must not stay
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
		// Absurd values of Missing are limited.
		for n, want := range map[int]int{-5: o.Size, math.MaxInt: least, 1: o.Size - 1} {
			setMissing(reflect.ValueOf(got), n)
			if size := got.ObjectSize(); size != want {
				t.Errorf("%s without %d: %d integers, want %d", o.Name, n, size, want)
			}
			got.PutInts(make([]int32, want))
		}
	}
}

// ObjectRanges sets each integer of an object to the values next to its range. Decoding must reject
// them, or clamp them in versions that do so. least is the least number of such values.
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
