package main

import (
	"fmt"
	"strings"
)

func emitEnums(s *spec, w *writer) {
	w.head("strconv", "strings")
	for _, e := range s.Enums {
		w.comment(e.Doc)
		w.p("type %s int32\n", e.Name)
		w.comment(fmt.Sprintf("Values of %s.", e.Name))
		w.p("const (")
		for i, v := range e.Values {
			if v.Doc != "" {
				w.comment(e.Prefix + v.Name + ": " + v.Doc + ".")
			}
			w.p("%s%s %s = %d", e.Prefix, v.Name, e.Name, e.Number(i))
		}
		w.p(")\n")
		if e.Flags {
			w.p("// String returns the names of the flags that are set, joined by a bar.")
			w.p("func (v %s) String() string {", e.Name)
			w.p("return flagNames(int32(v), %s[:])\n}\n", nameTable(e))
		} else {
			w.p("// String returns the name of the value, or its number if it has none.")
			w.p("func (v %s) String() string {", e.Name)
			w.p("return valueName(int32(v), %d, %s[:])\n}\n", e.First, nameTable(e))
		}
		w.p("var %s = [...]string{", nameTable(e))
		for _, v := range e.Values {
			w.p("%q,", v.Name)
		}
		w.p("}\n")
	}
	w.p(`// valueName returns names[v-first], or the number.
func valueName(v, first int32, names []string) string {
	if i := int64(v) - int64(first); i >= 0 && i < int64(len(names)) {
		return names[i]
	}
	return strconv.Itoa(int(v))
}

// flagNames returns the names of the bits of v, and the rest of v as a number.
func flagNames(v int32, names []string) string {
	if v == 0 {
		return "0"
	}
	var parts []string
	for i, n := range names {
		if v&(1<<i) != 0 {
			parts = append(parts, n)
			v &^= 1 << i
		}
	}
	if v != 0 {
		parts = append(parts, strconv.Itoa(int(v)))
	}
	return strings.Join(parts, "|")
}`)
}

func nameTable(e *enum) string { return lower(e.Name) + "Names" }

func emitIDs(s *spec, w *writer) {
	w.head(messagePath)
	for _, system := range []bool{true, false} {
		w.comment(fmt.Sprintf("Ids of the %s messages.", layer(system)))
		w.p("const (")
		for _, m := range s.Messages {
			if m.System == system && !m.Reserved && m.Ext == "" {
				w.p("ID%s ID = %d", m.Go, m.ID<<1|btoi(system))
			}
		}
		w.p(")\n")
	}
	for _, system := range []bool{true, false} {
		w.p("var %sDescs = [...]message.Desc{", layer(system))
		for _, m := range s.Messages {
			if m.System != system || m.Ext != "" {
				continue
			}
			w.p("%d: {%s},", m.ID, descLiteral(m))
		}
		w.p("}\n")
	}
	emitExtendedIDs(s, w)
}

// descLiteral returns the literal of the message's Desc.
func descLiteral(m *message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Name: %q", m.Name)
	if m.Reserved {
		b.WriteString(", Reserved: true")
	} else {
		fmt.Fprintf(&b, ", Sender: message.%s", map[string]string{
			"client": "FromClient", "server": "FromServer", "both": "FromBoth", "demo": "FromNobody",
		}[m.Dir])
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{{m.Vital, "Vital"}, {m.Flush, "Flush"}, {m.NoRecord, "NoRecord"}} {
		if flag.set {
			fmt.Fprintf(&b, ", %s: true", flag.name)
		}
	}
	if m.Doc != "" {
		fmt.Fprintf(&b, ", Doc: %q", m.Doc)
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func emitDecoder(s *spec, w *writer) {
	w.head(packerPath)
	w.comment("Decoder reads messages. It contains one message of each type, so reading does not allocate. " +
		"A message is valid until the next one of the same type is read. " +
		"Its strings are valid as long as the payload they were read from.\n" +
		"The zero value is ready to use. Do not use a Decoder from several goroutines at once.")
	w.p("type Decoder struct {")
	w.p("u packer.Unpacker\n")
	for _, m := range s.Messages {
		if !m.Reserved {
			w.p("%s %s", lower(m.Go), m.Go)
		}
	}
	w.p("}\n")
	w.p("// decode reads the message with the given id. The id has already been read from d.u.")
	w.p("func (d *Decoder) decode(id ID) (Message, error) {")
	w.p("switch id {")
	for _, m := range s.Messages {
		if m.Reserved {
			continue
		}
		x := "d." + lower(m.Go)
		w.p("case ID%s:", m.Go)
		if len(m.Fields) == 0 {
			w.p("return &%s, nil", x)
			continue
		}
		w.p("if err := %s.Unpack(&d.u); err != nil {\nreturn nil, err\n}", x)
		w.p("return &%s, nil", x)
	}
	w.p("}")
	w.p("return nil, version.NewIDError(int32(id), id.Desc())\n}\n")

	w.comment("ObjectDecoder reads snapshot objects. Like a Decoder, it contains one object of each type.")
	w.p("type ObjectDecoder struct {")
	for _, o := range s.Objects {
		w.p("%s %s", lower(o.Go), o.Go)
	}
	w.p("}\n")
	w.comment("Decode reads an object of the given type. The result is valid until the next object of that type is read. " +
		"Decode returns the errors of ReadInts, and an error that wraps message.ErrUnknown for an unknown type.")
	w.p("func (d *ObjectDecoder) Decode(typ int, src []int32) (Object, error) {")
	w.p("var o Object")
	w.p("switch typ {")
	for _, o := range s.Objects {
		w.p("case Type%s:\no = &d.%s", o.Go, lower(o.Go))
	}
	w.p("default:\nreturn nil, version.NewTypeError(typ)\n}")
	w.p("if err := o.ReadInts(src); err != nil {\nreturn nil, err\n}")
	w.p("return o, nil\n}")
}
