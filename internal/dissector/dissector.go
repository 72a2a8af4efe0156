// Package dissector writes a dissector for Wireshark from the schema of the messages: one Lua file
// that shows packets of Teeworlds 0.7, 0.6 and DDNet, and of Half-Life's queries.
package dissector

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

//go:embed teeworlds.lua
var engine string

// Lua returns the dissector. The error is the schema's.
func Lua() (string, error) {
	var w writer
	w.line(`-- A dissector for Wireshark and tshark: Teeworlds 0.7, 0.6 and DDNet, and Half-Life's queries.
-- Written by "teeyard dump --wireshark"; do not edit. Copy it into the folder of Wireshark's Lua
-- plugins (Help, About, Folders), or run tshark -X lua_script:teeworlds.lua -r play.pcap
`)
	w.codes()
	for _, version := range []string{"7", "6"} {
		s, err := schema.Load("msg" + version)
		if err != nil {
			return "", err
		}
		w.tables(version, s)
	}
	return w.String() + engine, nil
}

// writer writes Lua tables.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// codes writes the bits and the length of each symbol's Huffman code.
func (w *writer) codes() {
	w.line("local huffman = {")
	for symbol := range huffman.Symbols {
		bits, n := huffman.Code(symbol)
		w.line("  %d, %d,", bits, n)
	}
	w.line("}")
}

func (w *writer) tables(version string, s *schema.Schema) {
	w.line("local tables%s = {system = {}, game = {}, extended = {}, objects = {}, extended_objects = {}}", version)
	w.line("tables%s.enums = {", version)
	for _, e := range s.Enums {
		names := make([]string, len(e.Values))
		for i, v := range e.Values {
			names[i] = strconv.Quote(v.Name)
		}
		w.line("  %s = {first = %d, flags = %t, names = {%s}},", e.Name, e.First, e.Flags, strings.Join(names, ", "))
	}
	w.line("}\ntables%s.structs = {", version)
	for _, t := range s.Structs {
		w.line("  %s = %s,", t.Name, fields(t.Fields))
	}
	w.line("}")
	for _, m := range s.Messages {
		key := fmt.Sprintf("game[%d]", m.ID)
		switch {
		case m.Reserved:
			continue
		case m.Ext != "":
			key = extended("extended", m.Ext)
		case m.System:
			key = fmt.Sprintf("system[%d]", m.ID)
		}
		isSnapshot := ""
		if m.System && strings.HasPrefix(m.Name, "SNAP") {
			isSnapshot = "snapshot = true, "
		}
		w.line("tables%s.%s = {name = %q, %sfields = %s}", version, key, m.Name, isSnapshot, fields(m.Fields))
	}
	for _, o := range s.Objects {
		key := fmt.Sprintf("objects[%d]", o.Type)
		if o.Ext != "" {
			key = extended("extended_objects", o.Ext)
		}
		w.line("tables%s.%s = {name = %q, size = %d, dynamic = %t, fields = %s}", version, key, o.Name, o.Size, o.Dynamic, fields(s.AllFields(o)))
	}
}

func extended(table, name string) string {
	id := message.UUIDFromName(name)
	return fmt.Sprintf("%s[%q]", table, hex.EncodeToString(id[:]))
}

// fields returns a Lua table of fields.
func fields(list []*schema.Field) string {
	var b strings.Builder
	b.WriteString("{")
	for i, f := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		kind := f.Type
		if f.IsNumeric() && f.Type != "enum" && f.Type != "bool" {
			kind = "int"
		}
		fmt.Fprintf(&b, "{n = %q, t = %q", f.Name, kind)
		for _, p := range []struct {
			name, value string
		}{{"enum", f.Enum}, {"struct", f.Struct}, {"wire", f.Wire}, {"doc", f.Doc}} {
			if p.value != "" {
				fmt.Fprintf(&b, ", %s = %s", p.name, quote(p.value))
			}
		}
		for _, p := range []struct {
			name  string
			value int
		}{{"count", f.Count}, {"inner", f.Inner}, {"size", f.Size}} {
			if p.value != 0 {
				fmt.Fprintf(&b, ", %s = %d", p.name, p.value)
			}
		}
		if f.Default != nil {
			b.WriteString(", optional = true")
		}
		b.WriteString("}")
	}
	return b.String() + "}"
}

// quote returns a text as a Lua string. Bytes above 127 stand for themselves.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
