package dump

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// The senders.
const (
	fromClient = "client"
	fromServer = "server"
)

// Record is one line of a dump: a chunk, a packet without chunks, or an error in a packet.
type Record struct {
	// Datagram is the number of the datagram in the capture, of the chunk in the demo or of the
	// record in the teehistorian. It counts from 1.
	Datagram int
	// InFile is set if the file is a demo or a teehistorian, not a capture.
	InFile bool
	// Time is the time since the first packet of the capture.
	Time time.Duration
	// Conn is the number of the connection, counted from 1.
	Conn int
	// From is "client" or "server", or "" if the packet is not a datagram.
	From     string
	Src, Dst netip.AddrPort
	// Kind is "system" or "game" for messages, and "chunk" for a chunk that cannot be decoded. A
	// demo also has "demo", "tick" and "snapshot", and a teehistorian "teehistorian" and the kinds
	// of that package. "control" and "connless" are packets of these types. "packet" is a packet
	// without chunks, or one with errors outside of its chunks. "other" is a datagram of another
	// protocol, and "capture" a captured packet that is not a datagram.
	Kind string
	// Name is the name of the message in the original.
	Name string
	// Size is the size of the chunk's data or of the datagram, in bytes.
	Size int
	// Token and Ack are fields of the packet.
	Token    uint32
	HasToken bool
	Ack      int
	HasAck   bool
	// Vital is set for chunks with a sequence number. Resent is the flag that the sender sets.
	// Repeated means that the sequence number came before.
	Vital, Resent, Repeated bool
	Seq                     int
	// Resend means that the packet requests missing chunks. Compressed means compressed with
	// Huffman's code.
	Resend, Compressed bool
	// Fields is the content.
	Fields Fields
	// Faults are the errors.
	Faults []string
}

// Field is a named value: a number, bool, string, []int32, Fields, or []string.
type Field struct {
	Name  string
	Value any
}

// Fields is an ordered list of fields.
type Fields []Field

func (r *Record) addField(name string, value any) { r.Fields = append(r.Fields, Field{name, value}) }

// maxFaults limits the faults of a record. A snapshot can have a thousand.
const maxFaults = 8

func (r *Record) addFault(format string, args ...any) {
	switch n := len(r.Faults); {
	case n < maxFaults:
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	case n == maxFaults:
		r.Faults = append(r.Faults, "and more")
	}
}

// fieldsOf returns the fields of a message or object, copied.
func fieldsOf(v any) Fields {
	switch info := v.(type) {
	case *msg6.ClientInfo:
		return clientInfoFields(info)
	case *msg7.DeClientInfo:
		return demoClientInfoFields(info)
	case *msg7.SvGameMsg:
		return gameMsgFields(info)
	case *msg7.SvTuneParams:
		return Fields{{"Params", tuningFields(info.Params[:], physics.TuneParamName)}}
	case *msg7.DeTuneParams:
		return Fields{{"Params", tuningFields(info.Params[:], physics.TuneParamName)}}
	case *msg6.SvTuneParams:
		return Fields{{"Params", tuningFields(info.Params, ddrace.TuneParamName)}}
	}
	rv := reflect.Indirect(reflect.ValueOf(v))
	fs := Fields{}
	for i := range rv.NumField() {
		t := rv.Type().Field(i)
		if !t.IsExported() {
			continue
		}
		if t.Anonymous && t.Type.Kind() == reflect.Struct {
			fs = append(fs, fieldsOf(rv.Field(i).Interface())...)
			continue
		}
		fs = append(fs, Field{t.Name, valueOf(t.Name, rv.Field(i))})
	}
	return fs
}

func valueOf(name string, v reflect.Value) any {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	switch v.Kind() {
	case reflect.Struct:
		return fieldsOf(v.Interface())
	case reflect.Bool:
		return v.Bool()
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(b), v)
			switch {
			case name == "Data":
				return fmt.Sprintf("%d bytes", len(b))
			case v.Kind() == reflect.Array:
				return fmt.Sprintf("%x", b)
			}
			return string(b)
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = valueOf("", v.Index(i))
		}
		return list
	}
	if v.CanInt() {
		return v.Int()
	}
	return fmt.Sprint(v.Interface())
}

// AppendText appends the record as a line of text.
func (r *Record) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%10.6f #%d", r.Time.Seconds(), r.Datagram)
	switch r.From {
	case fromClient:
		dst = fmt.Appendf(dst, " %d>", r.Conn)
	case fromServer:
		dst = fmt.Appendf(dst, " %d<", r.Conn)
	}
	dst = append(append(dst, ' '), r.Kind...)
	if r.Name != "" {
		dst = append(dst, ' ')
		dst = appendPlain(dst, r.Name)
	}
	if r.Vital {
		dst = fmt.Appendf(dst, " vital=%d", r.Seq)
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{r.Resent, "resent"}, {r.Repeated, "again"}, {r.Resend, "asks-resend"}} {
		if f.on {
			dst = append(append(dst, ' '), f.name...)
		}
	}
	if r.HasAck {
		dst = fmt.Appendf(dst, " ack=%d", r.Ack)
	}
	dst = fmt.Appendf(dst, " bytes=%d", r.Size)
	dst = r.Fields.appendText(dst)
	for _, f := range r.Faults {
		dst = append(dst, " !! "...)
		dst = appendPlain(dst, f)
	}
	return append(dst, '\n')
}

func (fs Fields) appendText(dst []byte) []byte {
	for i, f := range fs {
		if i > 0 || len(dst) > 0 && dst[len(dst)-1] != '{' {
			dst = append(dst, ' ')
		}
		dst = appendPlain(dst, f.Name)
		dst = append(dst, '=')
		dst = appendValue(dst, f.Value)
	}
	return dst
}

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case Fields:
		return append(v.appendText(append(dst, '{')), '}')
	case string:
		if isPlainWord(v) {
			return append(dst, v...)
		}
		return strconv.AppendQuote(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = appendValue(dst, e)
		}
		return append(dst, ']')
	default:
		return fmt.Append(dst, v)
	}
}

// isPlainWord reports whether a text needs no quotes.
func isPlainWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '|') {
			return false
		}
	}
	return s != ""
}

// appendPlain appends a text with control characters escaped.
func appendPlain(dst []byte, s string) []byte {
	for _, r := range s {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			dst = utf8.AppendRune(dst, r)
		} else {
			dst = append(dst, '?')
		}
	}
	return dst
}

// AppendJSON appends the record as a JSON object and a line break. The fields of messages have
// their names of the packages msg6 and msg7.
func (r *Record) AppendJSON(dst []byte) []byte {
	var faults []any
	for _, f := range r.Faults {
		faults = append(faults, f)
	}
	isDatagram := r.From != ""
	var fs Fields
	for _, f := range []struct {
		present bool
		Field
	}{
		{!r.InFile, Field{"datagram", r.Datagram}},
		{r.InFile, Field{"chunk", r.Datagram}},
		{true, Field{"seconds", json.Number(fmt.Sprintf("%.6f", r.Time.Seconds()))}},
		{isDatagram, Field{"connection", r.Conn}},
		{isDatagram, Field{"from", r.From}},
		{isDatagram, Field{"src", r.Src.String()}},
		{isDatagram, Field{"dst", r.Dst.String()}},
		{true, Field{"kind", r.Kind}},
		{r.Name != "", Field{"name", r.Name}},
		{true, Field{"bytes", r.Size}},
		{r.HasToken, Field{"token", fmt.Sprintf("%08x", r.Token)}},
		{r.HasAck, Field{"ack", r.Ack}},
		{r.Vital, Field{"seq", r.Seq}},
		{r.Vital, Field{"vital", true}},
		{r.Resent, Field{"resent", true}},
		{r.Repeated, Field{"again", true}},
		{r.Resend, Field{"resend", true}},
		{r.Compressed, Field{"compressed", true}},
		{len(r.Fields) > 0, Field{"fields", r.Fields}},
		{len(faults) > 0, Field{"faults", faults}},
	} {
		if f.present {
			fs = append(fs, f.Field)
		}
	}
	return append(appendJSON(dst, fs), '\n')
}

func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case Fields:
		// Fields with the same name become a list.
		dst = append(dst, '{')
		for i, f := range v {
			if hasField(v[:i], f.Name) {
				continue
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSON(dst, f.Name), ':')
			if !hasField(v[i+1:], f.Name) {
				dst = appendJSON(dst, f.Value)
				continue
			}
			var all []any
			for _, g := range v[i:] {
				if g.Name == f.Name {
					all = append(all, g.Value)
				}
			}
			dst = appendJSON(dst, all)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	}
	b, err := json.Marshal(v)
	if err != nil { // fields have only types that JSON knows
		b, _ = json.Marshal(fmt.Sprint(v))
	}
	// json.Marshal does not escape DEL, 8-bit control characters and characters that change the
	// direction of writing.
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r < 0x7f || unicode.IsPrint(r) {
			dst = append(dst, b[:n]...)
		} else if r > 0xffff {
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		b = b[n:]
	}
	return dst
}

func hasField(fs Fields, name string) bool {
	return slices.ContainsFunc(fs, func(f Field) bool { return f.Name == name })
}
