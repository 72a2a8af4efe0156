package main

import (
	"fmt"
	"math"
	"slices"

	messages "github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

// This file prints the parts that only 0.6 has: messages and objects with a UUID, and objects that
// are not rejected for their values.

// uuidLiteral returns the Go literal of a UUID.
func uuidLiteral(u messages.UUID) string {
	lit := "UUID{"
	for i, b := range u {
		if i > 0 {
			lit += ", "
		}
		lit += fmt.Sprintf("0x%02x", b)
	}
	return lit + "}"
}

// emitExtendedIDs prints the ids, UUIDs and descriptions of the messages with a
// UUID.
func emitExtendedIDs(s *spec, w *writer) {
	l := slices.DeleteFunc(slices.Clone(s.Messages), func(m *message) bool { return m.Ext == "" })
	if len(l) == 0 {
		return
	}
	w.comment("Ids of the messages that have a UUID. On the wire their number is 0. These numbers exist only in this package and may change.")
	w.p("const (")
	for _, m := range l {
		w.p("ID%s ID = %d", m.Go, m.ID<<1|btoi(m.System))
	}
	w.p(")\n")
	w.p("// firstExtended is the number of the first message with a UUID.")
	w.p("const firstExtended = %d\n", schema.FirstExtended)
	w.p("var extendedDescs = [...]message.Desc{")
	for _, m := range l {
		w.p("{%s, Extension: %q},", descLiteral(m), m.Ext)
	}
	w.p("}\n")
	w.p("// extendedUUIDs are the UUIDs of messages, in the order of their numbers.")
	w.p("var extendedUUIDs = [...]UUID{")
	for _, m := range l {
		w.p("%s, // %s", uuidLiteral(messages.UUIDFromName(m.Ext)), m.Ext)
	}
	w.p("}\n")
	w.p("var extendedIDs = map[UUID]ID{")
	for i, m := range l {
		w.p("extendedUUIDs[%d]: ID%s,", i, m.Go)
	}
	w.p("}")
}

// emitExtendedObjects prints the UUIDs of the objects that have one.
func emitExtendedObjects(s *spec, w *writer) {
	l := slices.DeleteFunc(slices.Clone(s.Objects), func(o *object) bool { return o.Ext == "" })
	if len(l) == 0 {
		return
	}
	w.p("// extendedTypes are the objects with a UUID, from firstExtendedType on.")
	w.p("var extendedTypes = [...]struct {\nuuid UUID\nname, extension string\n}{")
	for _, o := range l {
		w.p("{%s, %q, %q},", uuidLiteral(messages.UUIDFromName(o.Ext)), o.Name, o.Ext)
	}
	w.p("}\n")
	w.p("// firstExtendedType is the Type of the first object with a UUID.")
	w.p("const firstExtendedType = %d\n", schema.FirstExtendedType)
}

// emitTolerant prints PutInts and ReadInts of an object whose last integers may be missing.
func emitTolerant(s *spec, w *writer, o *object) {
	w.comment("PutInts writes the object to the first ObjectSize integers of dst. dst must not be shorter.")
	w.p("func (o *%s) PutInts(dst []int32) {", o.Go)
	w.p("var all [Size%s]int32", o.Go)
	emitPutInts(s, w, o, "all")
	w.p("n := o.ObjectSize()")
	w.p("copy(dst[:n], all[:n])\n}\n")

	w.comment(fmt.Sprintf("ReadInts reads the object from src. It ignores integers after Size%s. "+
		"If src has fewer than %d integers, it leaves the object unchanged and returns an error.", o.Go, *o.Min))
	w.p("func (o *%s) ReadInts(src []int32) error {", o.Go)
	if *o.Min > 0 {
		w.p("if len(src) < %d {\nreturn version.NewShortError(%q, len(src), %d)\n}", *o.Min, o.Name, *o.Min)
	}
	defaults := ""
	at := 0
	for _, f := range s.AllFields(o) {
		for range f.NumInts() {
			if f.Default != nil && *f.Default != 0 {
				defaults += fmt.Sprintf("%d: %d, ", at, *f.Default)
			}
			at++
		}
	}
	w.p("all := [Size%s]int32{%s}", o.Go, defaults)
	w.p("o.Missing = len(all) - copy(all[:], src)")
	emitReadInts(s, w, o, "all")
	w.p("return nil\n}\n")
}

// emitReadIntsLenient prints the ReadInts of an object that accepts all values.
func emitReadIntsLenient(s *spec, w *writer, o *object) {
	if o.Ext != "" {
		w.comment(fmt.Sprintf("ReadInts reads the object from src. It ignores surplus integers. "+
			"If src has fewer than Size%s integers, it leaves the object unchanged and returns an error.", o.Go))
	} else {
		w.comment(fmt.Sprintf("ReadInts reads the object from src. "+
			"If src does not have exactly Size%s integers, it leaves the object unchanged and returns an error.", o.Go))
	}
	w.p("func (o *%s) ReadInts(src []int32) error {", o.Go)
	if o.Ext != "" {
		w.p("if len(src) < Size%s {\nreturn version.NewShortError(%q, len(src), Size%s)\n}", o.Go, o.Name, o.Go)
	} else {
		w.p("if len(src) != Size%s {\nreturn version.NewSizeError(%q, len(src), Size%s)\n}", o.Go, o.Name, o.Go)
	}
	emitReadInts(s, w, o, "src")
	w.p("return nil\n}\n")
}

// emitClamp prints the method that moves values into their range.
func emitClamp(s *spec, w *writer, o *object) {
	var ranged []*field
	for _, f := range s.AllFields(o) {
		if _, _, _, full := f.Bounds(); !full {
			ranged = append(ranged, f)
		}
	}
	if len(ranged) == 0 {
		w.p("// Clamp returns 0: all values are in range.")
		w.p("func (*%s) Clamp() int { return 0 }\n", o.Go)
		return
	}
	w.p("// Clamp moves values that are out of range into it and returns their number.")
	w.p("func (o *%s) Clamp() int {", o.Go)
	for i, f := range ranged {
		lo, hi, _, _ := f.Bounds()
		op := "n +="
		if i == 0 {
			op = "n :="
		}
		top := fmt.Sprint(hi)
		if hi == math.MaxInt32 {
			top = "maxInt"
		}
		w.p("%s clamp(&o.%s, %d, %s)", op, f.Name, lo, top)
	}
	w.p("return n\n}\n")
}
