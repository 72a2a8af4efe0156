package event_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
)

// TestDocs checks that docs/reference/events.md lists exactly the existing events, each with all
// its JSON fields.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/events.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	names := regexp.MustCompile("`([a-z_0-9]+)`")
	for line := range strings.Lines(string(page)) {
		first, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if ok && strings.HasPrefix(line, "| `") {
			for _, m := range names.FindAllStringSubmatch(first, -1) {
				rows[m[1]] = rest
			}
		}
	}
	for _, e := range event.All() {
		name := event.Name(e)
		row, ok := rows[name]
		if delete(rows, name); !ok {
			t.Errorf("%s is not in the page", name)
			continue
		}
		v := reflect.New(reflect.TypeOf(e)).Elem()
		fillValue(v)
		b, err := json.Marshal(v.Interface())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for key := range fields {
			if !strings.Contains(row, "`"+key+"`") {
				t.Errorf("%s: field %q is not in the page: %s", name, key, b)
			}
		}
	}
	for name := range rows {
		t.Errorf("%s is in the page, and no event", name)
	}
}

// fillValue sets every field to a value that is not empty.
func fillValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fillValue(f)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fillValue(v.Index(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		switch {
		case v.Type() == reflect.TypeFor[time.Duration]():
			v.SetInt(int64(time.Second))
		case v.Type().Name() == "GameMsg":
			v.SetUint(9) // a captured flag, which uses all fields
		case v.CanInt():
			v.SetInt(1)
		case v.CanUint():
			v.SetUint(1)
		}
	}
}

// TestWordsInJSON checks that values written as words in JSON can be read again.
func TestWordsInJSON(t *testing.T) {
	for _, e := range event.All() {
		want := reflect.New(reflect.TypeOf(e))
		if _, own := e.(json.Marshaler); own {
			continue
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, want.Interface()); err != nil {
			t.Errorf("%T: %s: %v", e, b, err)
		}
	}
}
