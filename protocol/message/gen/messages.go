package main

import (
	"fmt"
	"math"
	"strings"
)

func emitSystem(s *spec, w *writer) {
	emitMessages(s, w, func(m *message) bool { return m.System })
	for _, t := range s.Structs {
		if !usedBy(s, t, true) && !usedBy(s, t, false) {
			emitStruct(w, t)
		}
	}
}

func emitGameServer(s *spec, w *writer) {
	emitMessages(s, w, func(m *message) bool { return !m.System && m.Dir != "client" })
}

func emitGameClient(s *spec, w *writer) {
	emitMessages(s, w, func(m *message) bool { return !m.System && m.Dir == "client" })
}

// emitMessages prints the messages for which isWanted returns true. Each is preceded by the structs
// that it is the first to use.
func emitMessages(s *spec, w *writer, isWanted func(*message) bool) {
	w.head(packerPath)
	done := map[*structType]bool{}
	for _, m := range s.Messages {
		for _, f := range m.Fields {
			if f.StructDef == nil || done[f.StructDef] {
				continue
			}
			done[f.StructDef] = true
			if isWanted(m) {
				emitStruct(w, f.StructDef)
			}
		}
		if isWanted(m) && !m.Reserved {
			emitMessage(w, m)
		}
	}
}

func emitStruct(w *writer, t *structType) {
	w.comment(t.Doc)
	emitFields(w, t.Name, t.Fields)
	if !t.Methods {
		return
	}
	w.comment("Append appends the fields in their wire form and returns the extended slice. Strings longer than their limit are cut.")
	w.p("func (m *%s) Append(dst []byte) []byte {", t.Name)
	for _, f := range t.Fields {
		emitAppend(w, f, "m.")
	}
	w.p("return dst\n}\n")
	w.comment("Unpack reads the fields from u. Strings are borrowed. The error is a *message.FieldError.")
	w.p("func (m *%s) Unpack(u *packer.Unpacker) error {", t.Name)
	emitUnpackFields(w, t.Name, t.Fields, t.Check, "m")
	w.p("return nil\n}\n")
}

// emitFields prints a struct type.
func emitFields(w *writer, name string, fields []*field) {
	if len(fields) == 0 {
		w.p("type %s struct{}\n", name)
		return
	}
	w.p("type %s struct {", name)
	for _, f := range fields {
		w.comment(fieldDoc(f))
		w.p("%s %s", f.Name, f.GoType())
	}
	w.p("}\n")
}

func emitMessage(w *writer, m *message) {
	if !m.Handwritten {
		w.comment(m.Doc + "\n" + sentBy(m))
		emitFields(w, m.Go, m.Fields)
	}
	w.p("// ID returns ID%s.", m.Go)
	w.p("func (*%s) ID() ID { return ID%s }\n", m.Go, m.Go)
	if m.Handwritten {
		return
	}

	w.p("// Append appends the message, id first, and returns the extended slice.")
	recv := "m *" + m.Go
	if len(m.Fields) == 0 {
		recv = "*" + m.Go
	}
	w.p("func (%s) Append(dst []byte) []byte {", recv)
	start := "packer.AppendInt(dst, int32(ID" + m.Go + "))"
	if m.Ext != "" {
		start = "appendExtended(dst, ID" + m.Go + ")"
	}
	if len(m.Fields) == 0 {
		w.p("return %s\n}\n", start)
	} else {
		w.p("dst = %s", start)
		for _, f := range m.Fields {
			emitAppend(w, f, "m.")
		}
		w.p("return dst\n}\n")
	}

	if len(m.Fields) == 0 {
		w.p("// Unpack returns nil: the message has no fields.")
		w.p("func (*%s) Unpack(*packer.Unpacker) error { return nil }\n", m.Go)
		return
	}
	w.p("// Unpack reads the message from u, whose position must be after the id.")
	w.p("func (m *%s) Unpack(u *packer.Unpacker) error {", m.Go)
	emitUnpackFields(w, m.Name, m.Fields, m.Check, "m")
	w.p("return nil\n}\n")
}

// emitAppend prints code that writes one field. path is the prefix of the field's name in the
// generated code.
func emitAppend(w *writer, f *field, path string) {
	x := path + f.Name
	switch f.Type {
	case "struct":
		for _, g := range f.StructDef.Fields {
			emitAppend(w, g, x+".")
		}
		return
	case "custom":
		w.p("dst = %s.append(dst)", x)
		return
	case "rest":
		w.p("dst = append(dst, %s...)", x)
		return
	case "ints":
		w.p("dst = packer.AppendInts(dst, %s)", x)
		return
	case "raw", "uuid":
		w.p("dst = append(dst, %s[:]...)", x)
		return
	case "data":
		w.p("dst = packer.AppendInt(dst, int32(len(%s)))", x)
		w.p("dst = append(dst, %s...)", x)
		return
	}
	if f.Count > 0 {
		if f.ElemType() == "int32" {
			w.p("dst = packer.AppendInts(dst, %s[:])", x)
			return
		}
		w.p("for i := range %s {", x)
		x += "[i]"
		defer w.p("}")
	}
	switch {
	case f.Type == "string" && f.Limit > 0:
		w.p("dst = packer.AppendStringLimit(dst, %s, %d)", x, f.Limit)
	case f.Type == "string":
		w.p("dst = packer.AppendString(dst, %s)", x)
	case f.Type == "bool":
		w.p("dst = appendBool(dst, %s)", x)
	case f.Type == "enum":
		w.p("dst = packer.AppendInt(dst, int32(%s))", x)
	default:
		w.p("dst = packer.AppendInt(dst, %s)", x)
	}
}

// emitUnpackFields prints code that reads all fields of the message or struct called name.
func emitUnpackFields(w *writer, name string, fields []*field, check, recv string) {
	if needsValue(fields) {
		w.p("var v int32")
	}
	for _, f := range fields {
		emitUnpack(w, f, name, recv+".", "")
	}
	if check != "" {
		w.p("if err := %s(%s); err != nil {\nreturn err\n}", check, recv)
	}
}

// needsValue reports whether the code that reads the fields uses the variable v.
func needsValue(fields []*field) bool {
	for _, f := range fields {
		if f.StructDef != nil {
			if needsValue(f.StructDef.Fields) {
				return true
			}
		} else if f.IsNumeric() && (f.Count == 0 || f.ElemType() != "int32") {
			return true
		}
	}
	return false
}

// emitUnpack prints code that reads one field. label is its place within the message, for errors.
func emitUnpack(w *writer, f *field, msg, path, label string) {
	x, label := path+f.Name, label+f.Name
	fail := fmt.Sprintf("return version.NewFieldError(%q, %q, v, u)", msg, label)
	failText := fmt.Sprintf("return version.NewFieldError(%q, %q, 0, u)", msg, label)
	switch f.Type {
	case "struct":
		for _, g := range f.StructDef.Fields {
			emitUnpack(w, g, msg, x+".", label+".")
		}
		if f.StructDef.Check != "" {
			w.p("if err := %s(&%s); err != nil {\nreturn err\n}", f.StructDef.Check, x)
		}
		return
	case "custom":
		w.p("%s.unpack(u)", x)
		w.p("if u.Err() != nil {\n%s\n}", failText)
		return
	case "rest":
		w.p("%s = u.Rest()", x)
		return
	case "ints":
		w.p("%s = appendInts(%s[:0], u, %d)", x, x, *f.Max)
		return
	case "raw", "uuid":
		w.p("if copy(%s[:], u.Raw(len(%s))); u.Err() != nil {\n%s\n}", x, x, failText)
		return
	case "data":
		w.p("if v = u.Int(); v < 0 || v > %d || u.Err() != nil {\n%s\n}", *f.Max, fail)
		w.p("if %s = u.Raw(int(v)); u.Err() != nil {\n%s\n}", x, failText)
		return
	}
	if f.Count > 0 && f.ElemType() == "int32" {
		w.p("if !u.Ints(%s[:]) {\n%s\n}", x, failText)
		return
	}
	if f.Count > 0 {
		w.p("for i := range %s {", x)
		x += "[i]"
		defer w.p("}")
	}
	if f.Type == "string" {
		w.p("if %s = u.String(packer.%s); u.Err() != nil {\n%s\n}", x, sanitizeConst(f.Sanitize), failText)
		return
	}
	if f.Default != nil {
		w.p("v = %d", *f.Default)
		w.p("if u.Len() > 0 {\nv = u.Int()\n}")
		w.p("if %su.Err() != nil {\n%s\n}", orOutside(f, "v"), fail)
	} else {
		w.p("if v = u.Int(); %su.Err() != nil {\n%s\n}", orOutside(f, "v"), fail)
	}
	w.p("%s = %s", x, fromInt(f, "v"))
}

// sanitizeConst returns the packer constant of a sanitising mode.
func sanitizeConst(mode string) string {
	if mode == "cc" {
		return "SanitizeCC"
	}
	return "Sanitize" + strings.ToUpper(mode[:1]) + mode[1:]
}

// outside returns a condition that is true if v is out of the field's range, or "" if there is no
// limit.
func outside(f *field, v string) string {
	lo, hi, mask, full := f.Bounds()
	switch {
	case full:
		return ""
	case mask:
		return fmt.Sprintf("%s&^%d != 0", v, hi)
	case hi == math.MaxInt32:
		return fmt.Sprintf("%s < %d", v, lo)
	case lo == math.MinInt32:
		return fmt.Sprintf("%s > %d", v, hi)
	}
	return fmt.Sprintf("%s < %d || %s > %d", v, lo, v, hi)
}

func orOutside(f *field, v string) string {
	if c := outside(f, v); c != "" {
		return c + " || "
	}
	return ""
}

// fromInt returns code that converts the int32 expression v to the type of the field.
func fromInt(f *field, v string) string {
	switch f.Type {
	case "bool":
		return v + " != 0"
	case "enum":
		return f.Enum + "(" + v + ")"
	}
	return v
}
