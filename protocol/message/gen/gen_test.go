package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedFilesAreCurrent fails when the schema or the generator changed and
// go generate was not run.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	again, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil || !bytes.Equal(old, f.content) {
			t.Errorf("%s is out of date (%v): run go generate ./protocol/message", f.path, err)
		}
		if !bytes.Equal(f.content, again[i].content) {
			t.Errorf("%s comes out differently each time", f.path)
		}
	}
}

func TestDocLinks(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, f := range files {
		if strings.HasSuffix(f.path, ".md") {
			pages++
			checkLinks(t, filepath.Base(f.path), string(f.content))
		}
	}
	if pages != len(versions) {
		t.Errorf("%d pages for %d versions", pages, len(versions))
	}
}

// checkLinks checks that the links within a page lead somewhere.
func checkLinks(t *testing.T, page, text string) {
	titles := map[string]bool{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			title := anchor(strings.TrimSpace(strings.TrimLeft(rest, "#")))
			if titles[title] {
				t.Errorf("%s: two titles have the anchor %q", page, title)
			}
			titles[title] = true
		}
	}
	for _, part := range strings.Split(text, "](#")[1:] {
		if a, _, _ := strings.Cut(part, ")"); !titles[a] {
			t.Errorf("%s: link to %q leads nowhere", page, a)
		}
	}
}

func TestSchemaMistakes(t *testing.T) {
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
		{"unknown enum", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "enum", "enum": "Q", "doc": "f"}]}`, objects, `no enum "Q"`},
		{"unknown struct", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "struct", "struct": "Q", "doc": "f"}]}`, objects, `no struct "Q"`},
		{"unknown type", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "float", "doc": "f"}]}`, objects, `type "float"`},
		{"string without sanitising", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "string", "doc": "f"}]}`, objects, "sanitising"},
		{"custom without wire form", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "custom", "go": "F", "doc": "f"}]}`, objects, "go and wire"},
		{"field without doc", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "int"}]}`, objects, "X.F has no doc"},
		{"gap in the types", msg, strings.Replace(objects, `"type": 1`, `"type": 2`, 1), "expected 1"},
		{"unknown base", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "base": "B",`, 1), `no base "B"`},
		{"list without limit", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "ints", "doc": "f"}]}`, objects, "ints needs max"},
		{"bytes without size", `{"id": 0, "name": "X", "dir": "both", "doc": "X is.", "fields": [{"name": "F", "type": "raw", "doc": "f"}]}`, objects, "raw needs size"},
		{"same UUID twice", `{"ext": "a@b", "name": "X", "dir": "both", "doc": "X is."}, {"ext": "a@b", "name": "Y", "dir": "both", "doc": "Y is."}`, objects, "a@b"},
		{"more than is needed", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "min": 2,`, 1), "min 2"},
		{"needed after the end", msg, strings.Replace(objects, `"name": "A",`, `"name": "A", "min": 0,`, 1), "no default"},
		{"string in an object", msg, strings.Replace(objects, `"type": "int"`, `"type": "string", "sanitize": "cc"`, 1), "field X"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"enums": enums, "system": `{"messages": [` + v.system + `]}`, "game": `{}`, "objects": v.objects} {
			if err := os.WriteFile(filepath.Join(dir, "v_"+name+".json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := load(dir, "v")
		switch {
		case v.want == "" && err != nil:
			t.Errorf("%s: %v", v.name, err)
		case v.want != "" && (err == nil || !strings.Contains(err.Error(), v.want)):
			t.Errorf("%s: %v, want %q", v.name, err, v.want)
		}
	}
	if _, err := load(t.TempDir(), "v"); err == nil {
		t.Error("an empty folder was accepted")
	}
}
