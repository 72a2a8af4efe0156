// Package schema describes the messages and snapshot objects of the protocol versions. Packages
// msg6 and msg7 and their documentation are generated from the JSON files in this directory.
// protocol/message/gen and the tests read them.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schema describes the messages and objects of a protocol version.
type Schema struct {
	Versions []*Version `json:"versions"`
	Enums    []*Enum    `json:"enums"`
	Structs  []*Struct  `json:"structs"`
	Messages []*Message `json:"messages"`
	Objects  []*Object  `json:"objects"`
	Tunings  []*Tuning  `json:"tunings"`
	Packets  []*Packet  `json:"packets"`

	versions map[string]*Version
	enums    map[string]*Enum
	structs  map[string]*Struct
	objects  map[string]*Object
}

// Version is a release of the client that supports more than the releases before.
type Version struct {
	Name   string `json:"name"`
	Number string `json:"number"` // as clients send it, in Go's notation
	Doc    string `json:"doc"`    // what is new

	Release int32 `json:"-"` // value of Number
}

// Tuning is a parameter of the physics. Sv_TuneParams has the values of all in this order.
type Tuning struct {
	Name    string `json:"name"`    // in the console
	Unit    string `json:"unit"`    // of the value, which is a hundredth of the number on the wire
	Default int32  `json:"default"` // as on the wire
	Doc     string `json:"doc"`
}

// Enum is a set of named values, or of flags.
type Enum struct {
	Name   string  `json:"name"`
	Prefix string  `json:"prefix"` // of the names of the Go constants
	First  int64   `json:"first"`  // value of the first name
	Flags  bool    `json:"flags"`  // values are bits 1, 2, 4...
	Doc    string  `json:"doc"`
	Values []Value `json:"values"`
}

// Value is a named value of an Enum.
type Value struct {
	Name  string `json:"name"`
	Since string `json:"since"` // first Version that supports it, "" for all
	Doc   string `json:"doc"`
}

// Number returns the value of the i-th name.
func (e *Enum) Number(i int) int64 {
	if e.Flags {
		return int64(int32(uint32(1) << i))
	}
	return e.First + int64(i)
}

// Mask returns all flags of an Enum of flags.
func (e *Enum) Mask() int64 { return 1<<len(e.Values) - 1 }

// Struct is a group of fields that several messages contain.
type Struct struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Methods bool     `json:"methods"` // whether it has exported methods Append and Unpack
	Check   string   `json:"check"`   // hand-written function that checks all fields together
	Fields  []*Field `json:"fields"`
}

// Message is a system or game message.
type Message struct {
	ID          int    `json:"id"`
	Ext         string `json:"ext"`  // name from which the UUID is made, which replaces the id
	Name        string `json:"name"` // the original's name
	Go          string `json:"go"`   // defaults to Name without underscores
	Dir         string `json:"dir"`  // the sender, client or server, or both or demo
	Vital       bool   `json:"vital"`
	Flush       bool   `json:"flush"`
	NoRecord    bool   `json:"norecord"`
	Reserved    bool   `json:"reserved"`
	Handwritten bool   `json:"handwritten"` // whether type, Append and Unpack are hand-written
	Check       string `json:"check"`       // hand-written function that checks all fields together
	Since       string `json:"since"`       // first Version that supports it, "" for all
	Until       string `json:"until"`       // first Version that no longer gets it, "" for none
	Older       *Older `json:"older"`
	// Answers are the messages and control messages that this message answers. When says when it is
	// sent otherwise, after the word "sent". Each message has at least one of both.
	Answers []string `json:"answers"`
	When    string   `json:"when"`
	Doc     string   `json:"doc"`
	Fields  []*Field `json:"fields"`

	System bool `json:"-"`

	Links Links `json:"-"`
}

// Older is a change that servers make to a message for older clients.
type Older struct {
	Before string `json:"before"` // first Version that gets the message unchanged
	Func   string `json:"func"`   // hand-written function that changes the message
	Doc    string `json:"doc"`
}

// Object is a snapshot item or event.
type Object struct {
	Type        int      `json:"type"`
	Ext         string   `json:"ext"`  // name from which the UUID is made, which replaces the type
	Name        string   `json:"name"` // the original's name
	Base        string   `json:"base"` // object whose fields come first
	Event       bool     `json:"event"`
	Dynamic     bool     `json:"dynamic"`     // whether the size is sent with each item
	Handwritten bool     `json:"handwritten"` // whether type, PutInts, ReadInts and Clamp are hand-written
	Since       string   `json:"since"`       // first Version that supports it, "" for all
	Min         *int     `json:"min"`         // smallest number of integers, if the last ones may be missing
	Doc         string   `json:"doc"`
	Fields      []*Field `json:"fields"`
	Size        int      `json:"size"` // in integers, base included; given only for hand-written ones

	Go string `json:"-"`
}

// Field is a value on the wire, or an array of values.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // int, tick, bool, enum, string, data, rest, ints, raw, uuid, struct, custom
	Enum     string `json:"enum"`
	Struct   string `json:"struct"`
	Go       string `json:"go"`   // Go type of a custom field
	Wire     string `json:"wire"` // description of a custom field in the documentation
	Min      *int64 `json:"min"`
	Max      *int64 `json:"max"`  // data: largest number of bytes; ints: largest number of integers
	Size     int    `json:"size"` // raw: number of bytes
	Open     bool   `json:"open"`
	Count    int    `json:"count"` // array length
	Inner    int    `json:"inner"` // length of the inner arrays of an array
	Sanitize string `json:"sanitize"`
	Limit    int    `json:"limit"`   // bytes of a string that are sent
	Default  *int64 `json:"default"` // value if the message ends before the field
	Doc      string `json:"doc"`

	EnumDef   *Enum   `json:"-"` // set for an enum field
	StructDef *Struct `json:"-"` // set for a struct field
	InObject  bool    `json:"-"` // whether the field belongs to an object
}

// IsNumeric reports whether the field consists of integers.
func (f *Field) IsNumeric() bool {
	switch f.Type {
	case "int", "tick", "bool", "enum":
		return true
	}
	return false
}

// Bounds returns the range of the field. full reports whether the range is all of int32, and mask
// whether hi is a mask of flags.
func (f *Field) Bounds() (lo, hi int64, mask, full bool) {
	lo, hi = math.MinInt32, math.MaxInt32
	switch {
	case f.Type == "tick":
		lo = 0
	case f.Type == "bool":
		lo, hi = 0, 1
	case f.Type == "enum" && f.EnumDef.Flags:
		if !f.Open {
			return 0, f.EnumDef.Mask(), true, false
		}
	case f.Type == "enum":
		lo, hi = f.EnumDef.Number(0), f.EnumDef.Number(len(f.EnumDef.Values)-1)
	}
	if f.Min != nil {
		lo = *f.Min
	}
	if f.Max != nil {
		hi = *f.Max
	}
	return lo, hi, false, lo == math.MinInt32 && hi == math.MaxInt32
}

// ElemType returns the Go type of an element of the field.
func (f *Field) ElemType() string {
	switch f.Type {
	case "bool":
		return "bool"
	case "enum":
		return f.Enum
	case "string", "data", "rest":
		return "[]byte"
	case "ints":
		return "[]int32"
	case "raw":
		return fmt.Sprintf("[%d]byte", f.Size)
	case "uuid":
		return "UUID"
	case "struct":
		return f.Struct
	case "custom":
		return f.Go
	}
	return "int32"
}

// GoType returns the Go type of the field.
func (f *Field) GoType() string {
	t := f.ElemType()
	if f.Inner > 0 {
		t = fmt.Sprintf("[%d]%s", f.Inner, t)
	}
	if f.Count > 0 {
		t = fmt.Sprintf("[%d]%s", f.Count, t)
	}
	return t
}

// NumInts returns the number of integers of an object's field.
func (f *Field) NumInts() int { return max(f.Count, 1) * max(f.Inner, 1) }

// First numbers of messages and objects that have a UUID on the wire instead of a number.
const (
	FirstExtended     = 0x1000
	FirstExtendedType = 0x10000
)

//go:embed *.json
var files embed.FS

// Load returns the schema of a version, "msg6" or "msg7".
func Load(version string) (*Schema, error) { return load(files.ReadFile, version) }

// load reads the files of a version and checks that they are consistent.
func load(readFile func(name string) ([]byte, error), version string) (*Schema, error) {
	s := &Schema{versions: map[string]*Version{}, enums: map[string]*Enum{}, structs: map[string]*Struct{}, objects: map[string]*Object{}}
	for _, part := range []string{"enums", "system", "game", "objects"} {
		var one Schema
		name := version + "_" + part + ".json"
		b, err := readFile(name)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range one.Messages {
			m.System = part == "system"
		}
		s.Versions = append(s.Versions, one.Versions...)
		s.Enums = append(s.Enums, one.Enums...)
		s.Structs = append(s.Structs, one.Structs...)
		s.Messages = append(s.Messages, one.Messages...)
		s.Objects = append(s.Objects, one.Objects...)
		s.Tunings = append(s.Tunings, one.Tunings...)
	}
	if err := s.loadPackets(readFile, version); err != nil {
		return nil, err
	}
	return s, s.resolve()
}

func (s *Schema) resolve() error {
	last := int64(math.MinInt32)
	for _, v := range s.Versions {
		n, err := strconv.ParseInt(v.Number, 0, 32)
		if err != nil || n < last {
			return fmt.Errorf("version %s: number %q is not a number of at least %d", v.Name, v.Number, last)
		}
		last, v.Release, s.versions[v.Name] = n, int32(n), v
	}
	for _, e := range s.Enums {
		s.enums[e.Name] = e
		for _, v := range e.Values {
			if err := s.known(e.Name+"."+v.Name, v.Since); err != nil {
				return err
			}
		}
	}
	for _, t := range s.Structs {
		s.structs[t.Name] = t
		if err := s.fields(t.Name, t.Fields); err != nil {
			return err
		}
	}
	next := map[bool]int{}
	names := map[string]bool{} // used UUID names
	extended := 0
	for _, m := range s.Messages {
		switch {
		case names[m.Ext]:
			return fmt.Errorf("message %s: another message has the UUID of %s", m.Name, m.Ext)
		case m.Ext != "":
			names[m.Ext] = true
			m.ID = FirstExtended + extended
			extended++
		case m.ID != next[m.System]:
			return fmt.Errorf("message %s has id %d, expected %d: ids must be consecutive", m.Name, m.ID, next[m.System])
		default:
			next[m.System]++
		}
		if err := s.known(m.Name, m.Since, m.Until); err != nil {
			return err
		}
		if m.Older != nil {
			if err := s.known(m.Name, m.Older.Before); err != nil || m.Older.Func == "" || m.Older.Doc == "" {
				return fmt.Errorf("message %s: older needs a known version, func and doc", m.Name)
			}
		}
		if m.Go == "" {
			m.Go = strings.ReplaceAll(m.Name, "_", "")
		}
		if m.Reserved {
			continue
		}
		if err := documented(m.Go, m.Doc); err != nil {
			return err
		}
		switch m.Dir {
		case "client", "server", "both", "demo":
		default:
			return fmt.Errorf("message %s: invalid direction %q", m.Name, m.Dir)
		}
		if err := s.fields(m.Name, m.Fields); err != nil {
			return err
		}
	}
	if err := s.checkAnswers(); err != nil {
		return err
	}
	first := 1
	if len(s.Objects) > 0 && s.Objects[0].Type == 0 {
		first = 0
	}
	extended = 0
	for i, o := range s.Objects {
		switch {
		case names[o.Ext]:
			return fmt.Errorf("object %s: another object has the UUID of %s", o.Name, o.Ext)
		case o.Ext != "":
			names[o.Ext] = true
			o.Type = FirstExtendedType + extended
			o.Dynamic = true
			extended++
		case o.Type != first+i:
			return fmt.Errorf("object %s has type %d, expected %d", o.Name, o.Type, first+i)
		}
		if err := s.known(o.Name, o.Since); err != nil {
			return err
		}
		o.Go = strings.ReplaceAll(o.Name, "_", "")
		if o.Event {
			o.Go = "Event" + o.Go
		}
		if err := documented(o.Go, o.Doc); err != nil {
			return err
		}
		if err := s.fields(o.Name, o.Fields); err != nil {
			return err
		}
		if o.Handwritten {
			s.objects[o.Name] = o
			continue
		}
		if o.Base != "" {
			base := s.objects[o.Base]
			if base == nil {
				return fmt.Errorf("object %s: no base %q before it", o.Name, o.Base)
			}
			o.Size = base.Size
		}
		for _, f := range o.Fields {
			f.InObject = true
			if !f.IsNumeric() {
				return fmt.Errorf("object %s: field %s of invalid type %q", o.Name, f.Name, f.Type)
			}
			if o.Min != nil && o.Size >= *o.Min && f.Default == nil {
				return fmt.Errorf("object %s: field %s may be missing and has no default", o.Name, f.Name)
			}
			o.Size += f.NumInts()
		}
		if o.Min != nil && *o.Min > o.Size {
			return fmt.Errorf("object %s: min %d of %d integers", o.Name, *o.Min, o.Size)
		}
		s.objects[o.Name] = o
	}
	return nil
}

// checkAnswers checks that each message says when it is sent.
func (s *Schema) checkAnswers() error {
	if err := s.checkPackets(); err != nil {
		return err
	}
	for _, m := range s.Messages {
		if !m.Reserved && len(m.Answers) == 0 && m.When == "" {
			return fmt.Errorf("message %s needs answers or when", m.Name)
		}
		if err := s.checkAnswersOf(m.Name, m.Answers); err != nil {
			return err
		}
	}
	for _, t := range s.Tunings {
		if t.Name == "" || t.Unit == "" || t.Doc == "" {
			return fmt.Errorf("tuning %q needs name, unit and doc", t.Name)
		}
	}
	return nil
}

// Message returns the message with a name, nil if there is none.
func (s *Schema) Message(name string) *Message {
	for _, m := range s.Messages {
		if m.Name == name && !m.Reserved {
			return m
		}
	}
	return nil
}

// AnswersTo returns the names of the messages and packets that answer the one with a name.
func (s *Schema) AnswersTo(name string) []string {
	var l []string
	for _, p := range s.Packets {
		if slices.Contains(p.Answers, name) {
			l = append(l, p.Name)
		}
	}
	for _, a := range s.Messages {
		if slices.Contains(a.Answers, name) {
			l = append(l, a.Name)
		}
	}
	return l
}

func (s *Schema) fields(where string, fields []*Field) error {
	for _, f := range fields {
		switch f.Type {
		case "int", "tick", "bool", "rest", "uuid":
		case "data", "ints":
			if f.Max == nil {
				return fmt.Errorf("%s.%s: %s needs max", where, f.Name, f.Type)
			}
		case "raw":
			if f.Size <= 0 {
				return fmt.Errorf("%s.%s: raw needs size", where, f.Name)
			}
		case "enum":
			if f.EnumDef = s.enums[f.Enum]; f.EnumDef == nil {
				return fmt.Errorf("%s.%s: no enum %q", where, f.Name, f.Enum)
			}
		case "struct":
			if f.StructDef = s.structs[f.Struct]; f.StructDef == nil {
				return fmt.Errorf("%s.%s: no struct %q", where, f.Name, f.Struct)
			}
		case "string":
			switch f.Sanitize {
			case "none", "lax", "cc", "strict":
			default:
				return fmt.Errorf("%s.%s: invalid sanitising %q", where, f.Name, f.Sanitize)
			}
		case "custom":
			if f.Go == "" || f.Wire == "" {
				return fmt.Errorf("%s.%s: a custom field needs go and wire", where, f.Name)
			}
		default:
			return fmt.Errorf("%s.%s: invalid type %q", where, f.Name, f.Type)
		}
		if f.Doc == "" {
			return fmt.Errorf("%s.%s has no doc", where, f.Name)
		}
	}
	return nil
}

// Version returns the version with a name, nil if there is none.
func (s *Schema) Version(name string) *Version { return s.versions[name] }

// known checks that versions with the given names exist. Names may be empty.
func (s *Schema) known(where string, names ...string) error {
	for _, name := range names {
		if name != "" && s.versions[name] == nil {
			return fmt.Errorf("%s: no version %q", where, name)
		}
	}
	return nil
}

// Gate is a rule that depends on the release of the client. A Gate applies to a message, to a value
// of an enumeration, or to an object.
type Gate struct {
	Message *Message // or nil
	Enum    *Enum    // or nil
	Value   int      // index in Enum.Values
	Object  *Object  // or nil
	// Since is the first version that gets the message, value or object, nil for all. Until is the
	// first version that no longer gets it, nil for none.
	Since, Until *Version
	// Older is the change for clients before Since, nil if they get nothing.
	Older *Older
}

// Name returns the name of the message, value or object.
func (g *Gate) Name() string {
	switch {
	case g.Message != nil:
		return g.Message.Name
	case g.Object != nil:
		return g.Object.Name
	}
	return g.Enum.Prefix + g.Enum.Values[g.Value].Name
}

// Gates returns all rules that depend on the release of the client.
func (s *Schema) Gates() []*Gate {
	var gates []*Gate
	for _, m := range s.Messages {
		if m.Since != "" || m.Until != "" {
			gates = append(gates, &Gate{Message: m, Since: s.Version(m.Since), Until: s.Version(m.Until)})
		}
		if m.Older != nil {
			gates = append(gates, &Gate{Message: m, Since: s.Version(m.Older.Before), Older: m.Older})
		}
	}
	for _, e := range s.Enums {
		for i, v := range e.Values {
			if v.Since != "" {
				gates = append(gates, &Gate{Enum: e, Value: i, Since: s.Version(v.Since)})
			}
		}
	}
	for _, o := range s.Objects {
		if o.Since != "" {
			gates = append(gates, &Gate{Object: o, Since: s.Version(o.Since)})
		}
	}
	return gates
}

func documented(name, doc string) error {
	if !strings.HasPrefix(doc, name+" ") {
		return fmt.Errorf("doc of %s must start with its Go name: %q", name, doc)
	}
	return nil
}

// BaseOf returns the object whose fields o begins with, or nil.
func (s *Schema) BaseOf(o *Object) *Object { return s.objects[o.Base] }

// AllFields returns the fields of o, beginning with its base's fields.
func (s *Schema) AllFields(o *Object) []*Field {
	if b := s.BaseOf(o); b != nil {
		return append(append([]*Field{}, s.AllFields(b)...), o.Fields...)
	}
	return o.Fields
}
