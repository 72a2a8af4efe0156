package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJSONSchema checks the files for other generators with their JSON Schema, and that the check
// notices mistakes.
func TestJSONSchema(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docs", "protocol", "schema.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(b, &whole); err != nil {
		t.Fatal(err)
	}
	c := jsonChecker{whole["$defs"].(map[string]any)}
	files := 0
	for _, f := range generateFiles(t) {
		if !strings.HasSuffix(f.path, ".json") {
			continue
		}
		files++
		if err := c.check("", whole, parseJSON(t, string(f.content))); err != nil {
			t.Errorf("%s: %v", f.path, err)
		}
		if filepath.Base(f.path) == "schema-halflife.json" {
			continue // it lacks the words below
		}
		for _, change := range [][3]string{
			{`"kind": "game"`, `"kind": "other"`, "kind"},
			{`"sender": "client"`, `"sendr": "client"`, "sendr"},
			{`"format": 1`, `"format": 2`, "format"},
			{`"type": "string"`, `"type": "text"`, "type"},
			{`"vital": true`, `"vital": 1`, "vital"},
			{`"kind": "control"`, `"kind": "ctrl"`, "kind"},
			{`"mark": "0"`, `"mark": 0`, "mark"},
		} {
			err := c.check("", whole, parseJSON(t, strings.Replace(string(f.content), change[0], change[1], 1)))
			if err == nil || !strings.Contains(err.Error(), change[2]) {
				t.Errorf("%s was accepted: %v", change[1], err)
			}
		}
	}
	if files != len(versions)+1 { // Half-Life
		t.Errorf("%d files for %d versions", files, len(versions))
	}
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// jsonChecker checks values with the part of JSON Schema that our file uses. Other keywords are
// errors.
type jsonChecker struct{ defs map[string]any }

func (c jsonChecker) check(at string, schema map[string]any, v any) error {
	for keyword, arg := range schema {
		var ok bool
		switch keyword {
		case "$schema", "$defs", "title", "additionalProperties", "required", "properties", "items":
			continue // with the type
		case "$ref":
			if err := c.check(at, c.defs[strings.TrimPrefix(arg.(string), "#/$defs/")].(map[string]any), v); err != nil {
				return err
			}
			continue
		case "const":
			ok = v == arg
		case "enum":
			ok = slices.Contains(arg.([]any), v)
		case "minimum":
			n, isNumber := v.(float64)
			ok = isNumber && n >= arg.(float64)
		case "pattern":
			s, isString := v.(string)
			ok = isString && regexp.MustCompile(arg.(string)).MatchString(s)
		case "type":
			if err := c.checkType(at, schema, arg.(string), v); err != nil {
				return err
			}
			continue
		default:
			return fmt.Errorf("%s: the check does not know %s", at, keyword)
		}
		if !ok {
			return fmt.Errorf("%s: %v is not valid for %s %v", at, v, keyword, arg)
		}
	}
	return nil
}

func (c jsonChecker) checkType(at string, schema map[string]any, typ string, v any) error {
	ok := false
	switch typ {
	case "object":
		var object map[string]any
		if object, ok = v.(map[string]any); ok {
			return c.checkObject(at, schema, object)
		}
	case "array":
		var l []any
		if l, ok = v.([]any); ok {
			for i, e := range l {
				if err := c.check(fmt.Sprintf("%s/%d", at, i), schema["items"].(map[string]any), e); err != nil {
					return err
				}
			}
		}
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "integer":
		n, isNumber := v.(float64)
		ok = isNumber && n == float64(int64(n))
	}
	if !ok {
		return fmt.Errorf("%s: %v is not of type %s", at, v, typ)
	}
	return nil
}

func (c jsonChecker) checkObject(at string, schema, object map[string]any) error {
	properties := schema["properties"].(map[string]any)
	for name, v := range object {
		property, ok := properties[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: unknown property %s", at, name)
		}
		if err := c.check(at+"/"+name, property, v); err != nil {
			return err
		}
	}
	for _, name := range schema["required"].([]any) {
		if _, ok := object[name.(string)]; !ok {
			return fmt.Errorf("%s: no property %s", at, name)
		}
	}
	return nil
}
