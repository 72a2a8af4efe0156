package main

import (
	"fmt"
	"math"
	"strings"
)

// comment prints text as a Go comment, wrapped.
func (w *writer) comment(text string) {
	const width = 78
	for i, para := range strings.Split(text, "\n") {
		if i > 0 {
			w.p("//")
		}
		line := "//"
		for _, word := range strings.Fields(para) {
			if len(line)+1+len(word) > width {
				w.p("%s", line)
				line = "//"
			}
			line += " " + word
		}
		if line != "//" {
			w.p("%s", line)
		}
	}
}

// sentence turns a lower-case fragment into a sentence.
func sentence(s string) string {
	if s[0] >= 'a' && s[0] <= 'z' {
		s = string(s[0]-'a'+'A') + s[1:]
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// lower turns the first letters of a Go name into lower case, for use as a field name.
func lower(s string) string {
	i := 0
	for i < len(s) && s[i] >= 'A' && s[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(s) {
		i--
	}
	return strings.ToLower(s[:i]) + s[i:]
}

// limits describes the range, sanitising, limit and default of a field. limits returns "" if there
// are none.
func limits(f *field) string {
	var parts []string
	if f.IsNumeric() {
		switch lo, hi, mask, full := f.Bounds(); {
		case full, f.Type == "bool":
		case mask:
			parts = append(parts, fmt.Sprintf("flags, mask %d", hi))
		case hi == math.MaxInt32:
			parts = append(parts, fmt.Sprintf("%d or more", lo))
		case lo == math.MinInt32:
			parts = append(parts, fmt.Sprintf("at most %d", hi))
		default:
			parts = append(parts, fmt.Sprintf("%d to %d", lo, hi))
		}
	}
	if f.Type == "data" {
		parts = append(parts, fmt.Sprintf("at most %d bytes", *f.Max))
	}
	if f.Type == "ints" {
		parts = append(parts, fmt.Sprintf("at most %d integers", *f.Max))
	}
	if f.Sanitize != "" {
		parts = append(parts, f.Sanitize)
	}
	if f.Limit > 0 {
		parts = append(parts, fmt.Sprintf("sent up to %d bytes", f.Limit))
	}
	if f.Default != nil {
		where := "the message"
		if f.InObject {
			where = "the object"
		}
		parts = append(parts, fmt.Sprintf("%d if %s ends before it", *f.Default, where))
	}
	return strings.Join(parts, ", ")
}

// fieldDoc returns the comment above a Go field.
func fieldDoc(f *field) string {
	d := sentence(f.Doc)
	if l := limits(f); l != "" {
		d += " Limits: " + l + "."
	}
	return d
}

// sentBy returns the last sentence of a message's comment.
func sentBy(m *message) string {
	s := map[string]string{
		"client": "Sent by the client",
		"server": "Sent by the server",
		"both":   "Sent by both sides",
		"demo":   "In demos only",
	}[m.Dir]
	if m.Dir != "demo" {
		if m.Vital {
			s += ", vital"
		} else {
			s += ", not vital"
		}
		if m.Flush {
			s += ", flushed at once"
		}
	}
	if m.Ext != "" {
		return fmt.Sprintf("%s; %s message %s, %s.", s, layer(m.System), m.Ext, m.Name)
	}
	return fmt.Sprintf("%s; %s message %d, %s.", s, layer(m.System), m.ID, m.Name)
}

// layer returns the name of the layer of system or game messages.
func layer(system bool) string {
	if system {
		return "system"
	}
	return "game"
}

// wireType describes the wire form of a field in the documentation.
func wireType(f *field) string {
	var t string
	switch f.Type {
	case "enum":
		t = f.Enum
	case "data":
		t = "int n, raw[n]"
	case "rest":
		t = "raw, to the end"
	case "ints":
		t = "int, to the end"
	case "raw":
		t = fmt.Sprintf("raw[%d]", f.Size)
	case "uuid":
		t = "raw[16]"
	case "struct":
		t = f.Struct
	case "custom":
		t = f.Wire
	default:
		t = f.Type
	}
	if f.Count > 0 {
		if f.Inner > 0 {
			return fmt.Sprintf("%d × %d × %s", f.Count, f.Inner, t)
		}
		return fmt.Sprintf("%d × %s", f.Count, t)
	}
	return t
}
