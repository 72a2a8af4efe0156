package main

import "fmt"

func emitObjects(s *schema, w *writer) {
	w.head()
	w.comment("Types of snapshot objects.")
	w.p("const (")
	for _, o := range s.Objects {
		w.p("Type%s = %d", o.Go, o.Type)
	}
	w.p(")\n")
	w.comment("Sizes of snapshot objects, in integers.")
	w.p("const (")
	for _, o := range s.Objects {
		w.p("Size%s = %d", o.Go, o.Size)
	}
	w.p(")\n")
	w.comment("Sizes holds the size in integers of each type that both sides of the wire know; the index is the type. Types with 0, and all beyond the table, send their size with each item.")
	w.p("var Sizes = []uint8{")
	for _, o := range s.Objects {
		if !o.Dynamic {
			w.p("Type%s: Size%s,", o.Go, o.Go)
		}
	}
	last := s.Objects[len(s.Objects)-1]
	w.p("Type%s: 0,", last.Go)
	w.p("}\n")
	w.p("var objectNames = [...]string{")
	for _, o := range s.Objects {
		w.p("Type%s: %q,", o.Go, o.Name)
	}
	w.p("}\n")
	for _, o := range s.Objects {
		emitObject(s, w, o)
	}
}

func emitObject(s *schema, w *writer, o *object) {
	size := "known to both sides"
	if o.Dynamic {
		size = "sent along"
	}
	w.comment(fmt.Sprintf("%s\nSnapshot type %d, %d integers, size %s.", o.Doc, o.Type, o.Size, size))
	w.p("type %s struct {", o.Go)
	if b := s.base(o); b != nil {
		w.p("%s", b.Go)
	}
	for _, f := range o.Fields {
		w.comment(f.fieldDoc())
		w.p("%s %s", f.Name, f.goType())
	}
	w.p("}\n")

	w.p("// ObjectType returns Type%s.", o.Go)
	w.p("func (*%s) ObjectType() int { return Type%s }\n", o.Go, o.Go)
	w.p("// ObjectSize returns Size%s.", o.Go)
	w.p("func (*%s) ObjectSize() int { return Size%s }\n", o.Go, o.Go)

	w.comment(fmt.Sprintf("Put writes the object to the first Size%s integers of dst, which must have them.", o.Go))
	w.p("func (o *%s) Put(dst []int32) {", o.Go)
	w.p("_ = dst[Size%s-1]", o.Go)
	at := 0
	for _, f := range s.allFields(o) {
		switch {
		case f.Inner > 0:
			w.p("for i := range o.%s {\ncopy(dst[%d+%d*i:], o.%s[i][:])\n}", f.Name, at, f.Inner, f.Name)
		case f.Count > 0 && f.Type == "bool":
			w.p("for i := range o.%s {\ndst[%d+i] = bit(o.%s[i])\n}", f.Name, at, f.Name)
		case f.Count > 0:
			w.p("copy(dst[%d:%d], o.%s[:])", at, at+f.Count, f.Name)
		case f.Type == "bool":
			w.p("dst[%d] = bit(o.%s)", at, f.Name)
		case f.Type == "enum":
			w.p("dst[%d] = int32(o.%s)", at, f.Name)
		default:
			w.p("dst[%d] = o.%s", at, f.Name)
		}
		at += f.ints()
	}
	w.p("}\n")

	w.comment(fmt.Sprintf("Take reads the object from src. It fails, and leaves the object as it is, if src does not have exactly Size%s integers or one is out of range.", o.Go))
	w.p("func (o *%s) Take(src []int32) error {", o.Go)
	w.p("if len(src) != Size%s {\nreturn sizeError(%q, len(src), Size%s)\n}", o.Go, o.Name, o.Go)
	at = 0
	for _, f := range s.allFields(o) {
		fail := fmt.Sprintf("return rangeError(%q, %q, v)", o.Name, f.Name)
		if c := outside(f, "v"); c != "" {
			if f.Count > 0 {
				w.p("for _, v := range src[%d:%d] {\nif %s {\n%s\n}\n}", at, at+f.ints(), c, fail)
			} else {
				w.p("if v := src[%d]; %s {\n%s\n}", at, c, fail)
			}
		}
		at += f.ints()
	}
	at = 0
	for _, f := range s.allFields(o) {
		switch {
		case f.Inner > 0:
			w.p("for i := range o.%s {\ncopy(o.%s[i][:], src[%d+%d*i:])\n}", f.Name, f.Name, at, f.Inner)
		case f.Count > 0 && f.Type == "bool":
			w.p("for i := range o.%s {\no.%s[i] = src[%d+i] != 0\n}", f.Name, f.Name, at)
		case f.Count > 0:
			w.p("copy(o.%s[:], src[%d:])", f.Name, at)
		default:
			w.p("o.%s = %s", f.Name, fromInt(f, fmt.Sprintf("src[%d]", at)))
		}
		at += f.ints()
	}
	w.p("return nil\n}\n")
}
