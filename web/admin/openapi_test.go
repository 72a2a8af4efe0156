package admin

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

var update = flag.Bool("update", false, "write openapi.json anew")

type object = map[string]any

// TestOpenAPI compares openapi.json with the routes and their types.
func TestOpenAPI(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	testenv.NoError(t, e.Encode(describe(routes)))
	if *update {
		testenv.NoError(t, os.WriteFile("openapi.json", b.Bytes(), 0o644))
		return
	}
	got := bytes.ReplaceAll(openAPI, []byte("\r\n"), []byte("\n"))
	testenv.Check(t, bytes.Equal(got, b.Bytes()), "openapi.json is out of date: run go generate ./web/admin")
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// describe returns the document.
func describe(routes []route) object {
	schemas, paths := object{}, object{}
	for _, rt := range routes {
		op := object{"summary": rt.summary, "operationId": operationID(rt)}
		var params []object
		for _, m := range pathParameter.FindAllStringSubmatch(rt.path, -1) {
			kind := "string"
			if m[1] == "id" {
				kind = "integer"
			}
			params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": kind}})
		}
		for _, p := range rt.query {
			params = append(
				params,
				object{"name": p.name, "in": "query", "description": p.doc, "required": rt.method == "DELETE", "schema": object{"type": p.kind}},
			)
		}
		if params != nil {
			op["parameters"] = params
		}
		if rt.hasBody() {
			op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schemaOf(rt.in, schemas)}}}
		}
		content := object{}
		if rt.path == "/events" {
			for _, v := range []any{api.LogLine{}, api.Players{}, api.Sample{}, api.GameEvent{}} {
				schemaOf(reflect.TypeOf(v), schemas)
			}
			content["text/event-stream"] = object{
				"schema": object{
					"type": "string",
					"description": "Events log (LogLine), players (Players), sample (Sample) and event (GameEvent); lost says how many messages a " +
						"reader who is too slow has missed",
				},
			}
		} else {
			content["application/json"] = object{"schema": schemaOf(rt.out, schemas)}
		}
		op["responses"] = object{
			"200": object{"description": "Done", "content": content},
			"default": object{
				"description": "Not done",
				"content":     object{"application/json": object{"schema": schemaOf(reflect.TypeFor[api.Failure](), schemas)}},
			},
		}
		if rt.open {
			op["security"] = []object{}
		}
		if paths[rt.path] == nil {
			paths[rt.path] = object{}
		}
		paths[rt.path].(object)[strings.ToLower(rt.method)] = op
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Teeyard, the operator's API", "version": "1",
			"description": "What the console at /admin uses, for programs too. Every action is a console line that the server runs with the level of " +
				"the password or token.",
		},
		"servers":  []object{{"url": apiPath}},
		"security": []object{{"token": []string{}}, {"cookie": []string{}}},
		"paths":    paths,
		"components": object{
			"schemas": schemas,
			"securitySchemes": object{
				"token":  object{"type": "http", "scheme": "bearer"},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": "teeyard-admin-PORT"},
			},
		},
	}
}

// operationID returns a name such as postPlayersIdKick.
func operationID(rt route) string {
	name := strings.ToLower(rt.method)
	for word := range strings.FieldsFuncSeq(rt.path, func(r rune) bool { return strings.ContainsRune("/{}", r) }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// schemaOf returns the schema of a type and adds the schemas of the structs in it to schemas.
func schemaOf(t reflect.Type, schemas object) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[event.Event]():
		return object{"type": "object"}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), schemas)
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), schemas)}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Struct:
	default:
		panic("no schema for " + t.String())
	}
	ref := object{"$ref": "#/components/schemas/" + t.Name()}
	if schemas[t.Name()] != nil {
		return ref
	}
	properties, required := object{}, []string{}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	schemas[t.Name()] = s
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := schemaOf(f.Type, schemas)
		if doc := f.Tag.Get("doc"); doc != "" {
			p["description"] = doc
		}
		if properties[name] = p; options == "" {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		s["required"] = required
	}
	return ref
}
