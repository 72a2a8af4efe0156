package messagetest

import (
	"fmt"
	"math"
	"reflect"

	"github.com/teeyard/teeyard/protocol/message/schema"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// maxRest is the longest field that fills the rest of a message, in bytes.
const maxRest = 1384

// Draw returns a pointer to a random value of a message, object or struct of the schema. Its fields
// are within their ranges and survive encoding unchanged.
func (s *Suite[I, M, O]) Draw(t *rapid.T, typ reflect.Type) reflect.Value {
	ptr := reflect.New(typ)
	name := typ.Name()
	if draw := s.Custom[name]; draw != nil {
		ptr.Elem().Set(reflect.ValueOf(draw(t)))
		return ptr
	}
	fields := s.fields[name]
	for _, f := range fields {
		s.drawField(t, ptr.Elem().FieldByName(f.Name), f)
	}
	if o := s.objects[name]; o != nil && o.Min != nil {
		missing := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, o.Size-*o.Min)).Draw(t, "missing")
		setMissing(ptr, missing)
		s.setDefaults(ptr.Elem(), o, missing)
	}
	if fix := s.Fix[name]; fix != nil {
		fix(ptr.Interface())
	}
	return ptr
}

// drawField fills v: the field that f describes, or an element of it.
func (s *Suite[I, M, O]) drawField(t *rapid.T, v reflect.Value, f *schema.Field) {
	if v.Kind() == reflect.Array && v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range v.Len() {
			s.drawField(t, v.Index(i), f)
		}
		return
	}
	switch f.Type {
	case "struct", "custom":
		v.Set(s.Draw(t, v.Type()).Elem())
	case "string":
		v.SetBytes(DrawString(t, f.Name, f.Sanitize, f.Limit))
	case "data":
		v.SetBytes(drawBytes(t, f.Name, 0, int(*f.Max)))
	case "rest":
		v.SetBytes(drawBytes(t, f.Name, 0, maxRest))
	case "raw", "uuid":
		reflect.Copy(v, reflect.ValueOf(drawBytes(t, f.Name, v.Len(), v.Len())))
	case "ints":
		v.Set(reflect.ValueOf(rapid.SliceOfN(rapid.Int32(), 0, int(*f.Max)).Draw(t, f.Name)))
	case "bool":
		v.SetBool(rapid.Bool().Draw(t, f.Name))
	default:
		lo, hi, _, _ := f.Bounds()
		v.SetInt(int64(rapid.Int32Range(int32(lo), int32(hi)).Draw(t, f.Name)))
	}
}

// DrawString returns a string that survives encoding unchanged: without NUL, sanitised in the given
// mode, and at most limit bytes long. 0 means any length.
func DrawString(t *rapid.T, label, sanitize string, limit int) []byte {
	text := []byte(rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[ -~]{0,40}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	).Draw(t, label))
	for mode := packer.SanitizeNone; mode <= packer.SanitizeStrict; mode++ {
		if mode.String() == sanitize {
			text = mode.Sanitize(text)
		}
	}
	if limit == 0 {
		limit = len(text)
	}
	text = packer.AppendStringLimit([]byte{}, text, limit)
	return text[:len(text)-1]
}

func drawBytes(t *rapid.T, label string, least, most int) []byte {
	return append([]byte{}, rapid.SliceOfN(rapid.Byte(), least, most).Draw(t, label)...)
}

// Defaults returns the integers of an object whose sender leaves them all out.
func (s *Suite[I, M, O]) Defaults(o *schema.Object) []int32 {
	var ints []int32
	for _, f := range s.schema.AllFields(o) {
		for range f.NumInts() {
			v := int32(0)
			if f.Default != nil {
				v = int32(*f.Default)
			}
			ints = append(ints, v)
		}
	}
	return ints
}

// setDefaults sets the last integers of an object to their defaults.
func (s *Suite[I, M, O]) setDefaults(v reflect.Value, o *schema.Object, missing int) {
	index := 0
	defaults := s.Defaults(o)
	for _, f := range s.schema.AllFields(o) {
		for i := range f.NumInts() {
			if index >= o.Size-missing {
				x := v.FieldByName(f.Name)
				if f.Count > 0 {
					x = x.Index(i)
				}
				if x.Kind() == reflect.Bool {
					x.SetBool(defaults[index] != 0)
				} else {
					x.SetInt(int64(defaults[index]))
				}
			}
			index++
		}
	}
}

// setMissing sets the field Missing of a pointer to a message or object.
func setMissing(ptr reflect.Value, n int) { ptr.Elem().FieldByName("Missing").SetInt(int64(n)) }

// missing returns the field Missing of a message, or 0 if it has none.
func missing(m any) int {
	if v := reflect.ValueOf(m).Elem().FieldByName("Missing"); v.IsValid() {
		return int(v.Int())
	}
	return 0
}

// outside returns the values next to the range of an integer field, or nothing if all values are in
// range.
func outside(f *schema.Field) []int64 {
	if !f.IsNumeric() {
		return nil
	}
	lo, hi, _, full := f.Bounds()
	switch {
	case full:
		return nil
	case lo == math.MinInt32:
		return []int64{hi + 1}
	case hi == math.MaxInt32:
		return []int64{lo - 1}
	}
	return []int64{lo - 1, hi + 1}
}

// outOfRange calls check with a message for each value next to the range of each integer field.
// label names the field in errors.
func (s *Suite[I, M, O]) outOfRange(check func(m M, label string)) {
	for _, m := range s.sorted {
		typ := s.messages[m.ID()]
		if s.Custom[typ.Name()] != nil {
			continue
		}
		s.eachOutside(s.fields[typ.Name()], "", nil, func(path []string, label string, value int64) {
			ptr := reflect.New(typ)
			m := ptr.Interface().(M)
			s.Prepare(m)
			v := ptr.Elem()
			for _, name := range path {
				v = v.FieldByName(name)
			}
			v.SetInt(value)
			check(m, label)
		})
	}
}

func (s *Suite[I, M, O]) eachOutside(fields []*schema.Field, label string, path []string, call func(path []string, label string, value int64)) {
	for _, f := range fields {
		path, label := append(path[:len(path):len(path)], f.Name), label+f.Name
		switch {
		case f.StructDef != nil:
			s.eachOutside(f.StructDef.Fields, label+".", path, call)
		case f.Type == "bool" || f.Count > 0:
		default:
			for _, v := range outside(f) {
				call(path, label, v)
			}
		}
	}
}

// objectOutOfRange calls check for each value next to the range of each integer of an object, with
// the integer's index.
func (s *Suite[I, M, O]) objectOutOfRange(check func(o *schema.Object, f *schema.Field, index int, value int32)) int {
	n := 0
	for _, o := range s.schema.Objects {
		index := 0
		if o.Handwritten {
			continue
		}
		for _, f := range s.schema.AllFields(o) {
			for i, v := range outside(f) {
				at := index
				if i == 0 {
					at += f.NumInts() - 1 // also the last integer of an array
				}
				check(o, f, at, int32(v))
				n++
			}
			index += f.NumInts()
		}
	}
	return n
}

// typeName describes an object for failure messages.
func typeName(o *schema.Object, f *schema.Field, value int32) string {
	return fmt.Sprintf("%s.%s = %d", o.Name, f.Name, value)
}
