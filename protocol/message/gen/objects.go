package main

import "fmt"

func emitObjects(s *spec, w *writer) {
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
	w.comment("Sizes contains the size in integers of each type whose size client and server both know. The index is the type. " +
		"Items of types with 0 or beyond the table are sent with their size.")
	w.p("var Sizes = []uint8{")
	for _, o := range s.Objects {
		if !o.Dynamic {
			w.p("Type%s: Size%s,", o.Go, o.Go)
		}
	}
	if last := s.Objects[len(s.Objects)-1]; last.Dynamic && last.Ext == "" {
		w.p("Type%s: 0,", last.Go)
	}
	w.p("}\n")
	w.p("var objectNames = [...]string{")
	for _, o := range s.Objects {
		if o.Ext == "" {
			w.p("Type%s: %q,", o.Go, o.Name)
		}
	}
	w.p("}\n")
	emitExtendedObjects(s, w)
	for _, o := range s.Objects {
		emitObject(s, w, o)
	}
}

func emitObject(s *spec, w *writer, o *object) {
	size := "known to both sides"
	if o.Dynamic {
		size = "sent with each item"
	}
	typ := fmt.Sprint(o.Type)
	if o.Ext != "" {
		typ = o.Ext
	}
	if o.Min != nil {
		size += fmt.Sprintf(", at least %d integers", *o.Min)
	}
	if o.Handwritten {
		emitObjectIdentity(w, o)
		return
	}
	w.comment(fmt.Sprintf("%s\nSnapshot type %s, %d integers, size %s.", o.Doc, typ, o.Size, size))
	w.p("type %s struct {", o.Go)
	if b := s.BaseOf(o); b != nil {
		w.p("%s", b.Go)
	}
	for _, f := range o.Fields {
		w.comment(fieldDoc(f))
		w.p("%s %s", f.Name, f.GoType())
	}
	if o.Min != nil {
		w.comment("Number of integers missing at the end, if the sender is older.")
		w.p("Missing int")
	}
	w.p("}\n")
	emitObjectIdentity(w, o)
	if o.Min != nil {
		emitTolerant(s, w, o)
		emitClamp(s, w, o)
		return
	}

	w.comment(fmt.Sprintf("PutInts writes the object to the first Size%s integers of dst. dst must not be shorter.", o.Go))
	w.p("func (o *%s) PutInts(dst []int32) {", o.Go)
	w.p("_ = dst[Size%s-1]", o.Go)
	emitPutInts(s, w, o, "dst")
	w.p("}\n")

	if s.version.lenient {
		emitReadIntsLenient(s, w, o)
		emitClamp(s, w, o)
		return
	}
	w.comment(fmt.Sprintf("ReadInts reads the object from src. If src does not have exactly Size%s integers, or if one is out of range, "+
		"it leaves the object unchanged and returns an error.", o.Go))
	w.p("func (o *%s) ReadInts(src []int32) error {", o.Go)
	w.p("if len(src) != Size%s {\nreturn version.NewSizeError(%q, len(src), Size%s)\n}", o.Go, o.Name, o.Go)
	at := 0
	for _, f := range s.AllFields(o) {
		fail := fmt.Sprintf("return version.NewRangeError(%q, %q, v)", o.Name, f.Name)
		if c := outside(f, "v"); c != "" {
			if f.Count > 0 {
				w.p("for _, v := range src[%d:%d] {\nif %s {\n%s\n}\n}", at, at+f.NumInts(), c, fail)
			} else {
				w.p("if v := src[%d]; %s {\n%s\n}", at, c, fail)
			}
		}
		at += f.NumInts()
	}
	emitReadInts(s, w, o, "src")
	w.p("return nil\n}\n")
}

// emitObjectIdentity prints the methods ObjectType and ObjectSize.
func emitObjectIdentity(w *writer, o *object) {
	w.p("// ObjectType returns Type%s.", o.Go)
	w.p("func (*%s) ObjectType() int { return Type%s }\n", o.Go, o.Go)
	if o.Min != nil {
		w.comment(fmt.Sprintf("ObjectSize returns Size%s minus Missing.", o.Go))
		w.p("func (o *%s) ObjectSize() int { return Size%s - min(max(o.Missing, 0), Size%s-%d) }\n", o.Go, o.Go, o.Go, *o.Min)
		return
	}
	w.p("// ObjectSize returns Size%s.", o.Go)
	w.p("func (*%s) ObjectSize() int { return Size%s }\n", o.Go, o.Go)
}

// emitPutInts prints code that writes all fields to the slice or array dst.
func emitPutInts(s *spec, w *writer, o *object, dst string) {
	at := 0
	for _, f := range s.AllFields(o) {
		switch {
		case f.Inner > 0:
			w.p("for i := range o.%s {\ncopy(%s[%d+%d*i:], o.%s[i][:])\n}", f.Name, dst, at, f.Inner, f.Name)
		case f.Count > 0 && f.Type == "bool":
			w.p("for i := range o.%s {\n%s[%d+i] = bit(o.%s[i])\n}", f.Name, dst, at, f.Name)
		case f.Count > 0:
			w.p("copy(%s[%d:%d], o.%s[:])", dst, at, at+f.Count, f.Name)
		case f.Type == "bool":
			w.p("%s[%d] = bit(o.%s)", dst, at, f.Name)
		case f.Type == "enum":
			w.p("%s[%d] = int32(o.%s)", dst, at, f.Name)
		default:
			w.p("%s[%d] = o.%s", dst, at, f.Name)
		}
		at += f.NumInts()
	}
}

// emitReadInts prints code that reads all fields from the slice or array src.
func emitReadInts(s *spec, w *writer, o *object, src string) {
	at := 0
	for _, f := range s.AllFields(o) {
		switch {
		case f.Inner > 0:
			w.p("for i := range o.%s {\ncopy(o.%s[i][:], %s[%d+%d*i:])\n}", f.Name, f.Name, src, at, f.Inner)
		case f.Count > 0 && f.Type == "bool":
			w.p("for i := range o.%s {\no.%s[i] = %s[%d+i] != 0\n}", f.Name, f.Name, src, at)
		case f.Count > 0:
			w.p("copy(o.%s[:], %s[%d:])", f.Name, src, at)
		default:
			w.p("o.%s = %s", f.Name, fromInt(f, fmt.Sprintf("%s[%d]", src, at)))
		}
		at += f.NumInts()
	}
}
