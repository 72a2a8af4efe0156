package main

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/schema"
)

// This file prints the rules that depend on the release of a client.

func emitGates(s *spec, w *writer) {
	w.head()
	w.comment("Releases of clients that support more than the releases before, with the numbers that clients send.")
	w.p("const (")
	for _, v := range s.Versions {
		w.p("Version%s = %s // %s", v.Name, v.Number, v.Doc)
	}
	w.p(")\n")

	var fits []*message
	for _, m := range s.Messages {
		if len(fitLines(s, m)) > 0 {
			fits = append(fits, m)
		}
	}
	w.comment("Fit removes from m everything that clients of a release do not know. It reports whether they know the message at all. If not, do not send it.")
	w.p("func Fit(m Message, release int32) bool {")
	w.p("if !m.ID().KnownBy(release) {\nreturn false\n}")
	if len(fits) > 0 {
		w.p("switch m := m.(type) {")
		for _, m := range fits {
			w.p("case *%s:", m.Go)
			for _, line := range fitLines(s, m) {
				w.p("%s", line)
			}
		}
		w.p("}")
	}
	w.p("return true\n}\n")

	w.comment("KnownBy reports whether servers may send the message to clients of a release.")
	w.p("func (id ID) KnownBy(release int32) bool {")
	w.p("switch id {")
	for _, m := range s.Messages {
		if m.Since != "" || m.Until != "" {
			w.p("case ID%s:\nreturn %s", m.Go, between(m.Since, m.Until))
		}
	}
	w.p("}\nreturn true\n}\n")

	w.comment("TypeKnownBy reports whether clients of a release know a type of snapshot objects.")
	w.p("func TypeKnownBy(typ int, release int32) bool {")
	w.p("switch typ {")
	for _, o := range s.Objects {
		if o.Since != "" {
			w.p("case Type%s:\nreturn %s", o.Go, between(o.Since, ""))
		}
	}
	w.p("}\nreturn true\n}\n")

	for _, e := range s.Enums {
		if isGated(e) {
			emitEnumGates(w, e)
		}
	}
}

func emitEnumGates(w *writer, e *enum) {
	if !e.Flags {
		w.comment("KnownBy reports whether clients of a release know the value.")
		w.p("func (v %s) KnownBy(release int32) bool {", e.Name)
		w.p("switch v {")
		for _, v := range e.Values {
			if v.Since != "" {
				w.p("case %s%s:\nreturn %s", e.Prefix, v.Name, between(v.Since, ""))
			}
		}
		w.p("}\nreturn true\n}\n")
		return
	}
	w.comment("For returns the flags that clients of a release know.")
	w.p("func (v %s) For(release int32) %s {", e.Name, e.Name)
	for _, v := range e.Values {
		if v.Since != "" {
			w.p("if release < Version%s {\nv &^= %s%s\n}", v.Since, e.Prefix, v.Name)
		}
	}
	w.p("return v\n}\n")
	w.comment("KnownBy reports whether clients of a release know all of the flags.")
	w.p("func (v %s) KnownBy(release int32) bool { return v.For(release) == v }\n", e.Name)
}

// between returns the condition that a release is at least since and before until.
func between(since, until string) string {
	var parts []string
	if since != "" {
		parts = append(parts, "release >= Version"+since)
	}
	if until != "" {
		parts = append(parts, "release < Version"+until)
	}
	return strings.Join(parts, " && ")
}

// fitLines returns the statements that fit a server's message to older clients.
func fitLines(s *spec, m *message) (lines []string) {
	if m.Reserved || m.Dir != "server" {
		return nil
	}
	for _, f := range m.Fields {
		if f.EnumDef == nil || !isGated(f.EnumDef) {
			continue
		}
		if f.EnumDef.Flags {
			lines = append(lines, fmt.Sprintf("m.%s = m.%[1]s.For(release)", f.Name))
		} else {
			lines = append(lines, fmt.Sprintf("if !m.%s.KnownBy(release) {\nreturn false\n}", f.Name))
		}
	}
	if m.Older != nil {
		lines = append(lines, fmt.Sprintf("if release < Version%s {\n%s(m)\n}", m.Older.Before, m.Older.Func))
	}
	return lines
}

func isGated(e *enum) bool {
	for _, v := range e.Values {
		if v.Since != "" {
			return true
		}
	}
	return false
}

// emitGateDocs prints the tables of releases and of rules.
func emitGateDocs(s *spec, w *writer) {
	w.p("## Releases of clients\n")
	w.p("A client sends its release when it logs in. Servers send only messages, values and objects that the release knows.\n")
	w.p("| release | Go | new in it |")
	w.p("|---:|---|---|")
	for _, v := range s.Versions {
		w.p("| %s | `Version%s` | %s |", v.Number, v.Name, v.Doc)
	}
	w.p("\n| rule for | from release | before release | older clients get |")
	w.p("|---|---|---|---|")
	for _, g := range s.Gates() {
		what, first, last, older := gateTitle(g), "", "", "nothing"
		if g.Since != nil {
			first = g.Since.Number
		}
		if g.Until != nil {
			last = g.Until.Number
		}
		switch {
		case g.Older != nil:
			older = g.Older.Doc
		case g.Enum != nil && g.Enum.Flags:
			older = "the same without the flag"
		}
		w.p("| %s | %s | %s | %s |", what, first, last, older)
	}
	w.p("")
}

func gateTitle(g *schema.Gate) string {
	switch {
	case g.Older != nil:
		return fmt.Sprintf("[%s](#%s) as it is", g.Message.Name, anchor(g.Message.Name))
	case g.Message != nil:
		return fmt.Sprintf("[%s](#%s)", g.Message.Name, anchor(g.Message.Name))
	case g.Object != nil:
		return fmt.Sprintf("object [%s](#%s)", g.Object.Name, anchor("object "+objectTitle(g.Object)))
	case g.Enum.Flags:
		return fmt.Sprintf("flag `%s` of [%s](#%s)", g.Name(), g.Enum.Name, anchor(g.Enum.Name))
	}
	return fmt.Sprintf("messages with `%s` of [%s](#%s)", g.Name(), g.Enum.Name, anchor(g.Enum.Name))
}

// sinceText returns a sentence about the releases that support something.
func sinceText(s *spec, since, until string) string {
	v, end := s.Version(since), s.Version(until)
	switch {
	case v != nil && end != nil:
		return fmt.Sprintf("For clients from release %s to before %s.", v.Number, end.Number)
	case v != nil:
		return fmt.Sprintf("For clients from release %s on.", v.Number)
	case end != nil:
		return fmt.Sprintf("For clients before release %s.", end.Number)
	}
	return ""
}
