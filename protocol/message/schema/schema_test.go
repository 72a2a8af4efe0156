package schema

import (
	"math"
	"strings"
	"testing"
)

func TestMistakes(t *testing.T) {
	const (
		objects = `{"objects": [{"type": 1, "name": "A", "doc": "A is one.", "fields": [{"name": "X", "type": "int", "doc": "x"}]}]}`
		enums   = `{"enums": [{"name": "E", "prefix": "E", "doc": "E is.", "values": [{"name": "One"}]}]}`
		msg     = `{"id": 0, "name": "NULL", "reserved": true}`
	)
	for _, v := range []struct{ name, system, objects, want string }{
		{"correct", msg, objects, ""},
		{"unknown key", `{"id": 0, "name": "NULL", "reservd": true}`, objects, "unknown field"},
		{"gap in the ids", `{"id": 1, "name": "INFO", "reserved": true}`, objects, "expected 0"},
		{"no direction", `{"id": 0, "name": "X", "doc": "X is."}`, objects, "direction"},
		{"no doc", `{"id": 0, "name": "X", "dir": "both"}`, objects, "doc of X"},
		{"unknown enum", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "enum", "enum": "Q", "doc": "f"}]}`,
			objects, `no enum "Q"`},
		{"unknown struct",
			`{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "struct", "struct": "Q", "doc": "f"}]}`,
			objects, `no struct "Q"`},
		{"unknown type", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "float", "doc": "f"}]}`,
			objects, `type "float"`},
		{"string without sanitising", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "string", "doc": "f"}]}`,
			objects, "sanitising"},
		{"custom without wire form",
			`{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "custom", "go": "F", "doc": "f"}]}`,
			objects, "go and wire"},
		{"field without doc", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "int"}]}`, objects, "X.F has no doc"},
		{"gap in the types", msg, strings.Replace(objects, `"type": 1`, `"type": 2`, 1), "expected 1"},
		{"unknown base", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "base": "B",`, 1), `no base "B"`},
		{"list without limit", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "ints", "doc": "f"}]}`,
			objects, "ints needs max"},
		{"bytes without size", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "raw", "doc": "f"}]}`,
			objects, "raw needs size"},
		{"neither answer nor time", `{"id": 0, "name": "X", "dir": "client", "doc": "X is."}`, objects, "needs answers or when"},
		{"answer to nothing", `{"id": 0, "name": "X", "dir": "both", "answers": ["Y"], "doc": "X is."}`, objects, "answers Y"},
		{"same UUID twice", `{"ext": "a@b", "name": "X", "dir": "both", "doc": "X is."}, {"ext": "a@b", "name": "Y", "dir": "both", "doc": "Y is."}`,
			objects, "a@b"},
		{"more than is needed", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "min": 2,`, 1), "min 2"},
		{"needed after the end", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "min": 0,`, 1), "no default"},
		{"string in an object", msg, strings.Replace(objects, `"type": "int"`, `"type": "string", "sanitize": "cc"`, 1), "field X"},
	} {
		system := strings.ReplaceAll(v.system, `"dir": "both",`, `"dir": "both", "when": "at times",`)
		files := map[string]string{"v_enums.json": enums, "v_system.json": `{"messages": [` + system + `]}`, "v_game.json": `{}`, "v_objects.json": v.objects}
		_, err := load(func(name string) ([]byte, error) { return []byte(files[name]), nil }, "v")
		switch {
		case v.want == "" && err != nil:
			t.Errorf("%s: %v", v.name, err)
		case v.want != "" && (err == nil || !strings.Contains(err.Error(), v.want)):
			t.Errorf("%s: %v, want %q", v.name, err, v.want)
		}
	}
	if _, err := Load("msg5"); err == nil {
		t.Error("a version without files was accepted")
	}
}

// TestTypes checks fields of each type.
func TestTypes(t *testing.T) {
	s, err := Load("msg7")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, m := range s.Messages {
		for _, f := range m.Fields {
			types[m.Go+"."+f.Name] = f.GoType()
		}
	}
	for _, o := range s.Objects {
		ints := 0
		for _, f := range s.AllFields(o) {
			types[o.Go+"."+f.Name] = f.GoType()
			ints += f.NumInts()
		}
		if ints != o.Size {
			t.Errorf("%s has %d integers, not %d", o.Name, ints, o.Size)
		}
	}
	for name, want := range map[string]string{
		"SnapSingle.Data": "[]byte", "SvChat.Mode": "ChatMode", "SvChat.Message": "[]byte", "SvTeam.Silent": "bool",
		"MapChange.SHA256": "MapHash", "SvClientInfo.Skin": "Skin", "SvGameMsg.Params": "[3]int32", "Character.X": "int32",
		"DeClientInfo.SkinParts": "[6][6]int32",
	} {
		if types[name] != want {
			t.Errorf("%s is %q, want %q", name, types[name], want)
		}
	}
}

func TestBounds(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	team := &Enum{First: -1, Values: make([]Value, 3)}
	flags := &Enum{Flags: true, Values: make([]Value, 3)}
	for _, c := range []struct {
		f          Field
		lo, hi     int64
		mask, full bool
	}{
		{Field{Type: "int"}, math.MinInt32, math.MaxInt32, false, true},
		{Field{Type: "int", Min: number(-2), Max: number(3)}, -2, 3, false, false},
		{Field{Type: "tick"}, 0, math.MaxInt32, false, false},
		{Field{Type: "bool"}, 0, 1, false, false},
		{Field{Type: "enum", EnumDef: team}, -1, 1, false, false},
		{Field{Type: "enum", EnumDef: flags}, 0, 7, true, false},
		{Field{Type: "enum", EnumDef: flags, Open: true}, math.MinInt32, math.MaxInt32, false, true},
	} {
		lo, hi, mask, full := c.f.Bounds()
		if lo != c.lo || hi != c.hi || mask != c.mask || full != c.full {
			t.Errorf("%+v: %d to %d, %v, %v", c.f, lo, hi, mask, full)
		}
	}
	if flags.Number(1) != 2 || team.Number(0) != -1 {
		t.Error("wrong numbers")
	}
}
