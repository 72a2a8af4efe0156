// Command gen generates the message packages, their documentation and the tables of the viewer's
// page from the schema. Run it with go generate in protocol/message, or with go run
// ./protocol/message/gen from anywhere in the module.
//
// The output depends on the schema alone, so a second run changes nothing.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/teeyard/teeyard/protocol/message/schema"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	root, err := moduleRoot()
	if err != nil {
		log.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(f.path, f.content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// file is a file to write.
type file struct {
	path    string
	content []byte
}

// generate returns all files generated from the schema of the module at root.
func generate(root string) ([]file, error) {
	var files []file
	var specs []*spec
	for _, v := range versions {
		s, more, err := v.generate(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.pkg, err)
		}
		files, specs = append(files, more...), append(specs, s)
	}
	slices.Reverse(specs) // the pages begin with 0.7
	var w writer
	emitReleases(specs, &w)
	files = append(files, file{filepath.Join(root, "docs", "protocol", releasesPage), w.Bytes()})
	packets, err := schema.HalfLife()
	if err != nil {
		return nil, err
	}
	var hl writer
	emitHalfLife(packets, &hl)
	b, err := emitJSON(&spec{&schema.Schema{Packets: packets}, version{title: "Half-Life"}})
	if err != nil {
		return nil, err
	}
	return append(files,
		file{filepath.Join(root, "docs", "reference", halfLifePage), hl.Bytes()},
		file{filepath.Join(root, "docs", "protocol", "schema-halflife.json"), b}), nil
}

// version is a version of the protocol. Each version has its own package and its own page.
type version struct {
	pkg   string // name of the package and of its schema files
	title string // name of the protocol in titles
	page  string // path of the page
	// examples is the page of examples, in docs/protocol.
	examples string
	// json is the file for other generators, in docs/protocol.
	json string
	// lenient means that values of snapshot objects are clamped instead of rejected.
	lenient bool
	// script is the file for the viewer's page, "" if the page does not read this version.
	script string
}

var versions = []version{
	{pkg: "msg6", title: "Teeworlds 0.6 and DDNet", page: "messages-0.6.md", examples: "examples-0.6.md", json: "schema-0.6.json", lenient: true},
	{pkg: "msg7", title: "Teeworlds 0.7", page: "messages-0.7.md", examples: "examples-0.7.md", json: "schema-0.7.json", script: "schema7_gen.js"},
}

// generate returns the schema and the files of one version.
func (v version) generate(root string) (*spec, []file, error) {
	home := filepath.Join(root, "protocol", "message")
	loaded, err := schema.Load(v.pkg)
	if err != nil {
		return nil, nil, err
	}
	s := &spec{Schema: loaded, version: v}
	var files []file
	for _, f := range []struct {
		name string
		emit func(*spec, *writer)
	}{
		{"enums_gen.go", emitEnums},
		{"ids_gen.go", emitIDs},
		{"gates_gen.go", emitGates},
		{"system_gen.go", emitSystem},
		{"game_server_gen.go", emitGameServer},
		{"game_client_gen.go", emitGameClient},
		{"objects_gen.go", emitObjects},
		{"decoder_gen.go", emitDecoder},
	} {
		w := writer{pkg: v.pkg}
		f.emit(s, &w)
		b, err := format.Source(w.Bytes())
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w\n%s", f.name, err, w.Bytes())
		}
		files = append(files, file{filepath.Join(home, v.pkg, f.name), b})
	}
	var w writer
	emitDocs(s, &w)
	files = append(files, file{filepath.Join(root, "docs", "reference", v.page), w.Bytes()})
	b, err := emitJSON(s)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, file{filepath.Join(root, "docs", "protocol", v.json), b})
	if v.script != "" {
		var w writer
		emitJavaScript(s, &w)
		files = append(files, file{filepath.Join(root, "web", "viewer", "static", "wire", v.script), w.Bytes()})
	}
	return s, files, nil
}

// moduleRoot returns the directory of go.mod, searched upwards from the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod in the working directory or above")
		}
		dir = up
	}
}

// spec is the input of the generator: the schema of a version.
type spec struct {
	*schema.Schema
	version version
}

type (
	message    = schema.Message
	object     = schema.Object
	field      = schema.Field
	enum       = schema.Enum
	structType = schema.Struct
)

// writer collects the text of one file.
type writer struct {
	bytes.Buffer
	pkg string
}

// p prints a line.
func (w *writer) p(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// head prints the beginning of a Go file.
func (w *writer) head(imports ...string) {
	w.p("// Code generated by protocol/message/gen from protocol/message/schema; DO NOT EDIT.\n")
	w.p("package %s\n", w.pkg)
	if len(imports) > 0 {
		w.p("import (")
		for _, i := range imports {
			if i == "" {
				w.p("")
			} else {
				w.p("%q", i)
			}
		}
		w.p(")\n")
	}
}

// Import paths of packages that the generated code uses.
const (
	packerPath  = "github.com/teeyard/teeyard/protocol/packer"
	messagePath = "github.com/teeyard/teeyard/protocol/message"
)
