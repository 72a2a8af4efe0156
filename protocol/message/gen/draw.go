package main

import (
	"fmt"
	"math"
	"strings"
)

// emitDraw prints the random generators of the tests: one per message and object
// that yields values the wire can carry.
func emitDraw(s *schema, w *writer) {
	w.head("pgregory.net/rapid")
	for _, t := range s.Structs {
		w.p("func draw%s(t *rapid.T) %s {", t.Name, t.Name)
		w.p("var m %s", t.Name)
		emitDrawFields(w, "m", t.Fields, t.Check)
		w.p("return m\n}\n")
	}
	for _, m := range s.Messages {
		if m.Reserved || m.Handwritten {
			continue
		}
		arg := "t"
		if len(m.Fields) == 0 {
			arg = ""
		}
		w.p("func draw%s(%s *rapid.T) %s {", m.Go, arg, m.Go)
		w.p("var m %s", m.Go)
		emitDrawFields(w, "m", m.Fields, m.Check)
		w.p("return m\n}\n")
	}
	for _, o := range s.Objects {
		if o.Handwritten {
			continue
		}
		w.p("func drawObject%s(t *rapid.T) %s {", o.Go, o.Go)
		w.p("var m %s", o.Go)
		emitDrawFields(w, "m", s.allFields(o), "")
		if o.Min != nil {
			emitDrawMissing(s, w, o)
		}
		w.p("return m\n}\n")
	}
	w.p("var drawMessage = map[ID]func(*rapid.T) Message{")
	for _, m := range s.Messages {
		if !m.Reserved {
			w.p("ID%s: func(t *rapid.T) Message { m := draw%s(t); return &m },", m.Go, m.Go)
		}
	}
	w.p("}\n")
	w.p("var newMessage = map[ID]func() Message{")
	for _, m := range s.Messages {
		if !m.Reserved {
			w.p("ID%s: func() Message { return new(%s) },", m.Go, m.Go)
		}
	}
	w.p("}\n")
	if s.version.lenient {
		w.p("var drawObject = map[int]func(*rapid.T) Object{")
	} else {
		w.p("var drawObject = [...]func(*rapid.T) Object{")
	}
	for _, o := range s.Objects {
		w.p("Type%s: func(t *rapid.T) Object { o := drawObject%s(t); return &o },", o.Go, o.Go)
	}
	w.p("}\n")
	w.p("// outOfRange holds a value outside the range of each object's integer that has")
	w.p("// one, and the name of the field.")
	w.p("var outOfRange = []struct {\ntyp, size, index int\nvalue int32\nfield string\n}{")
	for _, o := range s.Objects {
		if o.Handwritten {
			continue
		}
		at := 0
		for _, f := range s.allFields(o) {
			lo, hi, mask, full := f.bounds()
			switch {
			case full:
			case mask:
				w.p("{Type%s, Size%s, %d, %d, %q},", o.Go, o.Go, at, hi+1, f.Name)
				w.p("{Type%s, Size%s, %d, -1, %q},", o.Go, o.Go, at, f.Name)
			default:
				w.p("{Type%s, Size%s, %d, %d, %q},", o.Go, o.Go, at+f.ints()-1, lo-1, f.Name)
				if hi < 1<<31-1 {
					w.p("{Type%s, Size%s, %d, %d, %q},", o.Go, o.Go, at, hi+1, f.Name)
				}
			}
			at += f.ints()
		}
	}
	w.p("}\n")
	if s.version.lenient {
		emitDefaults(s, w)
	}
	w.p("// badMessages are messages with one field out of its range.")
	w.p("var badMessages = []struct {\nm Message\nfield string\n}{")
	for _, m := range s.Messages {
		if !m.Reserved && !m.Handwritten {
			emitBad(w, m.Fields, "&"+m.Go+"{%s}", "")
		}
	}
	w.p("}")
}

// emitBad prints the values just outside the range of each field; frame is the
// literal they are put into.
func emitBad(w *writer, fields []*field, frame, label string) {
	for _, f := range fields {
		if f.Type == "ints" {
			continue
		}
		if f.strct != nil {
			emitBad(w, f.strct.Fields, fmt.Sprintf(frame, f.Name+": "+f.Struct+"{%s}"), label+f.Name+".")
			continue
		}
		lo, hi, mask, full := f.bounds()
		if !f.numeric() || f.Type == "bool" || f.Count > 0 || full {
			continue
		}
		values := []int64{lo - 1}
		if mask {
			values = []int64{-1}
		}
		if hi < math.MaxInt32 {
			values = append(values, hi+1)
		}
		for _, v := range values {
			w.p("{"+frame+", %q},", fmt.Sprintf("%s: %d", f.Name, v), label+f.Name)
		}
	}
}

func emitDrawFields(w *writer, recv string, fields []*field, check string) {
	for _, f := range fields {
		x := recv + "." + f.Name
		label := fmt.Sprintf("%q", f.Name)
		if f.strct != nil {
			w.p("%s = draw%s(t)", x, f.Struct)
			continue
		}
		depth := btoi(f.Count > 0) + btoi(f.Inner > 0)
		for _, i := range []string{"i", "j"}[:depth] {
			w.p("for %s := range %s {", i, x)
			x += "[" + i + "]"
		}
		switch {
		case f.Type == "custom":
			w.p("%s = draw%s(t)", x, f.Go)
		case f.Type == "string":
			w.p("%s = drawString(t, %s, %q, %d)", x, label, f.Sanitize, f.Limit)
		case f.Type == "data":
			w.p("%s = drawBytes(t, %s, %d)", x, label, *f.Max)
		case f.Type == "rest":
			w.p("%s = drawBytes(t, %s, 1384)", x, label)
		case f.Type == "ints":
			w.p("%s = drawInts(t, %s, %d)", x, label, *f.Max)
		case f.Type == "raw", f.Type == "uuid":
			w.p("copy(%s[:], drawRaw(t, %s, len(%s)))", x, label, x)
		case f.Type == "bool":
			w.p("%s = rapid.Bool().Draw(t, %s)", x, label)
		default:
			lo, hi, _, full := f.bounds()
			v := fmt.Sprintf("rapid.Int32Range(%d, %d).Draw(t, %s)", lo, hi, label)
			if full {
				v = fmt.Sprintf("rapid.Int32().Draw(t, %s)", label)
			}
			w.p("%s = %s", x, fromInt(f, v))
		}
		w.p("%s", strings.Repeat("}\n", depth))
	}
	if check != "" {
		w.p("fix%s(&%s)", strings.TrimPrefix(check, "check"), recv)
	}
}
