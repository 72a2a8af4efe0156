// Package annotate explains datagrams byte by byte, for the pages in docs/protocol. The names and
// the order of the fields come from the schema of the messages, so that an example cannot say
// something that the code does not do.
package annotate

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/schema"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

var (
	schema6 = sync.OnceValues(func() (*schema.Schema, error) { return schema.Load("msg6") })
	schema7 = sync.OnceValues(func() (*schema.Schema, error) { return schema.Load("msg7") })
)

// Line is some bytes of a datagram and their meaning.
type Line struct {
	Bytes []byte // nil for a remark
	Text  string
}

// Options choose the parts of a datagram that are explained.
type Options struct {
	// Version is 7 or 6.
	Version int
	// Trailer means that packets of 0.6 end with DDNet's token.
	Trailer bool
	// Delta explains the deltas of snapshots field by field. Otherwise they are only counted.
	Delta bool
	// Items is the number of items of a delta that are explained, 0 for all.
	Items int
	// Type is the type of the only items of a delta that are explained, 0 for all.
	Type int
	// Chunk is the number of the only chunk that is explained, from 1; 0 for all.
	Chunk int
}

// Datagram explains a datagram. The error is a packet.DropReason, or one about a message that ends
// early.
func Datagram(b []byte, o Options) ([]Line, error) {
	tables := schema7
	if o.Version == 6 {
		tables = schema6
	}
	s, err := tables()
	if err != nil {
		return nil, err
	}
	e := &explainer{Options: o, schema: s}
	if o.Version == 6 {
		err = e.packet6(b)
	} else {
		err = e.packet7(b)
	}
	if err != nil {
		return nil, err
	}
	return e.lines, e.err
}

// explainer consumes the bytes of a datagram and collects lines.
type explainer struct {
	Options
	schema  *schema.Schema
	lines   []Line
	rest    []byte
	err     error
	scratch packet.Scratch
	values  map[string]int32 // of the fields of the message so far
}

func (e *explainer) remark(format string, args ...any) {
	e.lines = append(e.lines, Line{nil, fmt.Sprintf(format, args...)})
}

// take consumes n bytes.
func (e *explainer) take(n int, format string, args ...any) []byte {
	if n > len(e.rest) {
		if e.err == nil {
			e.err = fmt.Errorf("annotate: %s: %d bytes left of %d", fmt.Sprintf(format, args...), len(e.rest), n)
		}
		n = len(e.rest)
	}
	b := e.rest[:n]
	e.rest = e.rest[n:]
	if n > 0 {
		e.lines = append(e.lines, Line{b, fmt.Sprintf(format, args...)})
	}
	return b
}

// flagNames returns the names of the packet's flags.
func flagNames(f packet.Flags) string {
	var l []string
	for i, name := range []string{"control", "resend", "compressed", "connless"} {
		if f&(1<<i) != 0 {
			l = append(l, name)
		}
	}
	if l == nil {
		return "none"
	}
	return strings.Join(l, " and ")
}

// tokenText returns the meaning of a token.
func tokenText(what string, t packet.Token) string {
	if t == packet.NoToken {
		return what + ": none"
	}
	return fmt.Sprintf("%s %08x", what, uint32(t))
}

// payload continues with the payload of a parsed packet, decompressed.
func (e *explainer) payload(flags packet.Flags, payload []byte) {
	if flags&packet.FlagCompressed != 0 {
		e.take(len(e.rest), "%d compressed bytes; %d bytes when decompressed:", len(e.rest), len(payload))
	}
	e.rest = payload
}

func (e *explainer) packet7(b []byte) error {
	var p packet.Packet
	if err := p.Parse(b, &e.scratch); err != nil {
		return err
	}
	e.rest = b
	if p.Flags&packet.FlagConnless != 0 {
		e.take(1, "connless flag and version 1")
		e.take(4, "%s", tokenText("token of the receiver", p.Token))
		e.take(4, "%s", tokenText("token of the sender, for the answer", p.ResponseToken))
		e.connless()
		return nil
	}
	e.take(1, "flags: %s", flagNames(p.Flags))
	e.take(1, "ack %d; its bits 9 and 8 are the low bits of the first byte", p.Ack)
	e.take(1, "chunks: %d", p.NumChunks)
	e.take(4, "%s", tokenText("token of the receiver", p.Token))
	e.payload(p.Flags, p.Payload)
	if p.Flags&packet.FlagControl == 0 {
		e.chunks(p.Chunks(), p.NumChunks, 6)
		return nil
	}
	switch id := p.ControlID(); id {
	case packet.ControlKeepAlive:
		e.take(1, "0 KEEPALIVE")
	case packet.ControlConnect, packet.ControlToken:
		e.take(1, "%d %s", id, map[packet.ControlID]string{packet.ControlConnect: "CONNECT", packet.ControlToken: "TOKEN"}[id])
		e.take(4, "%s", tokenText("token of the sender", p.ResponseToken))
		e.take(len(e.rest), "padding")
	case packet.ControlAccept:
		e.take(1, "2 ACCEPT")
	case packet.ControlClose:
		e.close(string(p.AppendReason(nil)))
	}
	e.take(len(e.rest), "ignored")
	return nil
}

func (e *explainer) close(reason string) {
	e.take(1, "4 CLOSE")
	if len(e.rest) > 0 {
		e.take(len(e.rest), "reason %q", reason)
	}
}

func (e *explainer) packet6(b []byte) error {
	var p packet.Packet6
	if err := p.Parse(b, &e.scratch); err != nil {
		return err
	}
	e.rest = b
	if p.Flags&packet.FlagConnless != 0 {
		if p.Extended {
			e.take(2, "extended header, \"xe\"")
			e.take(2, "token %d", p.Extra)
			e.take(2, "unused")
		} else {
			e.take(6, "connless header")
		}
		e.connless()
		return nil
	}
	e.take(1, "flags: %s", flagNames(p.Flags))
	e.take(1, "ack %d; its bits 9 and 8 are the low bits of the first byte", p.Ack)
	e.take(1, "chunks: %d", p.NumChunks)
	if p.HasToken {
		e.take(4, "%s", tokenText("token of the server", p.Token))
	}
	e.payload(p.Flags, p.Payload)
	if p.Flags&packet.FlagControl == 0 {
		e.chunks(p.Chunks(), p.NumChunks, 4)
		if e.Trailer && e.Chunk == 0 {
			e.take(packet.TokenTrailerSize, "token, after the last chunk")
		}
		return nil
	}
	h := p.HandshakeToken()
	if id := p.ControlID(); id == packet.ControlClose {
		if e.Trailer {
			p.CutTrailer()
		}
		trailer := e.rest[len(p.Payload):]
		e.rest = p.Payload
		e.close(string(p.AppendReason(nil)))
		e.rest = trailer
	} else {
		e.take(1, "%d %s", id, []string{"KEEPALIVE", "CONNECT", "CONNECTACCEPT", "ACCEPT"}[id&3])
	}
	switch {
	case h.Place == packet.TokenInTrailer && len(e.rest) >= 8:
		e.take(4, "magic bytes, \"TKEN\"")
		e.take(4, "%s", tokenText("token", h.Token))
	case len(e.rest) == packet.TokenTrailerSize:
		e.take(4, "token")
	}
	e.take(len(e.rest), "padding")
	return nil
}

// chunks explains the chunks of a packet. sizeBits is the number of bits of the size in the second
// byte of a chunk.
func (e *explainer) chunks(r packet.ChunkReader, n, sizeBits int) {
	var c packet.Chunk
	for i := 1; r.Next(&c); i++ {
		if e.Chunk != 0 && e.Chunk != i {
			e.rest = r.Rest()
			continue
		}
		if n > 1 || e.Chunk != 0 {
			e.remark("chunk %d of %d", i, n)
		}
		if c.Flags&packet.ChunkVital != 0 {
			resent := ""
			if c.Flags&packet.ChunkResent != 0 {
				resent = ", sent again"
			}
			e.take(3, "chunk: vital%s, %d bytes, sequence %d", resent, len(c.Data), c.Seq)
		} else {
			e.take(2, "chunk: not vital, %d bytes", len(c.Data))
		}
		e.rest = c.Data
		e.message()
		e.take(len(e.rest), "surplus bytes, ignored")
		e.rest = r.Rest()
	}
	if err := r.Err(); err != nil && e.err == nil {
		e.err = err
	}
}

// message explains a message: its id and its fields.
func (e *explainer) message() {
	m, n := e.find()
	switch {
	case m == nil:
		e.take(len(e.rest), "a message that is not in the tables")
		return
	case m.Ext != "":
		e.take(n, "id 0, %s: a UUID follows", kind(m))
		e.take(16, "UUID of %s: %s", m.Ext, m.Name)
	default:
		e.take(n, "id %d, %s: %s", m.ID, kind(m), m.Name)
	}
	e.values = map[string]int32{}
	e.fields("", m.Fields)
}

// find returns the message that the next bytes contain, nil if it is unknown, and the length of its
// id.
func (e *explainer) find() (m *schema.Message, n int) {
	id, n := readInt(e.rest)
	if n == 0 {
		return nil, 0
	}
	system := id&1 != 0
	if id>>1 == 0 && len(e.rest) > 16 {
		return e.extended(system, [16]byte(e.rest[1:17])), n
	}
	for _, m := range e.schema.Messages {
		if m.Ext == "" && !m.Reserved && m.System == system && int32(m.ID) == id>>1 {
			return m, n
		}
	}
	return nil, n
}

func kind(m *schema.Message) string {
	if m.System {
		return "system"
	}
	return "game"
}

// extended returns the message with a UUID, or nil. DDNet sends its own messages over 0.7, too.
func (e *explainer) extended(system bool, uuid [16]byte) *schema.Message {
	s := e.schema
	if e.Version == 7 {
		var err error
		if s, err = schema6(); err != nil {
			return nil
		}
	}
	for _, m := range s.Messages {
		if m.Ext != "" && m.System == system && message.UUIDFromName(m.Ext) == uuid {
			return m
		}
	}
	return nil
}

// fields explains the fields of a message.
func (e *explainer) fields(prefix string, fields []*schema.Field) {
	for _, f := range fields {
		for i := range max(f.Count, 1) {
			for k := range max(f.Inner, 1) {
				name := prefix + f.Name
				if f.Count > 0 {
					name += fmt.Sprintf("[%d]", i)
				}
				if f.Inner > 0 {
					name += fmt.Sprintf("[%d]", k)
				}
				if len(e.rest) == 0 && (f.Default != nil || f.Type == "rest" || f.Type == "ints" || f.Type == "custom") {
					continue
				}
				e.field(name, f)
			}
		}
	}
}

func (e *explainer) field(name string, f *schema.Field) {
	switch f.Type {
	case "int", "tick", "bool", "enum":
		v, n := readInt(e.rest)
		e.values[f.Name] = v
		e.take(max(n, 1), "%s", named(name, v, f))
	case "string":
		e.string(name)
	case "data":
		n := e.int("size of " + name)
		if f.Name == "Data" && e.Delta && e.values["Parts"] <= 1 && e.hasDelta() {
			e.delta()
			return
		}
		e.take(int(n), "%s", name)
	case "rest":
		e.take(len(e.rest), "%s", name)
	case "ints":
		for i := 0; len(e.rest) > 0; i++ {
			e.int(fmt.Sprintf("%s[%d]", name, i))
		}
	case "raw":
		e.take(f.Size, "%s", name)
	case "uuid":
		e.take(16, "%s", name)
	case "struct":
		e.fields(name+".", f.StructDef.Fields)
	case "custom":
		e.custom(name, f)
	}
}

// hasDelta reports whether the fields so far are those of a snapshot.
func (e *explainer) hasDelta() bool { _, ok := e.values["DeltaTick"]; return ok }

// custom explains a field whose code is hand-written.
func (e *explainer) custom(name string, f *schema.Field) {
	switch f.Wire {
	case "Size/4 × int":
		for _, o := range e.schema.Objects {
			if o.Name == "PlayerInput" {
				e.fields(o.Name+".", e.schema.AllFields(o))
			}
		}
	case "int n, n × string":
		n := e.int("number of strings")
		for i := range n {
			e.string(fmt.Sprintf("%s[%d]", name, i))
		}
	case "0, 1 or 3 × int":
		for i := 0; len(e.rest) > 0; i++ {
			e.int(fmt.Sprintf("%s[%d]", name, i))
		}
	default: // raw[32]
		e.take(len(e.rest), "%s", name)
	}
}

// int explains an integer and returns it.
func (e *explainer) int(name string) int32 {
	v, n := readInt(e.rest)
	e.take(max(n, 1), "%s: %d", name, v)
	return v
}

func (e *explainer) string(name string) {
	n := strings.IndexByte(string(e.rest), 0)
	if n < 0 {
		e.take(len(e.rest)+1, "%s: a string without a NUL", name)
		return
	}
	text := string(e.rest[:n])
	e.take(n+1, "%s: %q", name, text)
}

// named returns a field's name and value, with the name of the value.
func named(name string, v int32, f *schema.Field) string {
	text := fmt.Sprintf("%s: %d", name, v)
	if f.EnumDef == nil {
		return text
	}
	var l []string
	for i, value := range f.EnumDef.Values {
		if n := f.EnumDef.Number(i); f.EnumDef.Flags && int64(v)&n != 0 || !f.EnumDef.Flags && int64(v) == n {
			l = append(l, value.Name)
		}
	}
	if l != nil {
		text += ", " + strings.Join(l, " and ")
	}
	return text
}

// delta explains the packed delta of a snapshot.
func (e *explainer) delta() {
	whole := e.values["DeltaTick"] == e.values["Tick"]+1
	deleted := e.int("number of deleted items")
	updated := e.int("number of updated items")
	e.int("unused")
	for range deleted {
		v, n := readInt(e.rest)
		e.take(n, "deleted: %s %d", e.objectName(v>>16), v&0xffff)
	}
	for i := range updated {
		if e.Items > 0 && int(i) == e.Items {
			e.take(len(e.rest), "%d more items", updated-i)
			return
		}
		before, skip := len(e.lines), false
		if typ, _ := readInt(e.rest); e.Type != 0 && int(typ) != e.Type {
			skip = true
		}
		if e.item(whole); skip {
			e.lines = e.lines[:before]
		}
	}
}

func (e *explainer) item(whole bool) {
	typ, n := readInt(e.rest)
	o := e.object(typ)
	e.take(n, "item: type %d, %s", typ, e.objectName(typ))
	e.int("item: id")
	size := int32(0)
	if o != nil {
		size = int32(o.Size)
	}
	if o == nil || o.Dynamic {
		size = e.int("number of integers")
	}
	var fields []*schema.Field
	if o != nil {
		fields = e.schema.AllFields(o)
	}
	i := int32(0)
	for _, f := range fields {
		for k := range f.NumInts() {
			if i++; i > size {
				return
			}
			v, n := readInt(e.rest)
			name := f.Name
			if f.NumInts() > 1 {
				name = fmt.Sprintf("%s[%d]", name, k)
			}
			if whole {
				e.take(max(n, 1), "%s", named(name, v, f))
			} else {
				e.take(max(n, 1), "%s: %+d", name, v)
			}
		}
	}
	for ; i < size; i++ {
		e.int("unknown")
	}
}

func (e *explainer) object(typ int32) *schema.Object {
	for _, o := range e.schema.Objects {
		if o.Ext == "" && int32(o.Type) == typ {
			return o
		}
	}
	return nil
}

func (e *explainer) objectName(typ int32) string {
	if o := e.object(typ); o != nil {
		return o.Name
	}
	return "unknown"
}

// connless explains the payload of a packet without connection. Texts that are not known are one
// line.
func (e *explainer) connless() {
	if len(e.rest) < 8 {
		e.take(len(e.rest), "payload")
		return
	}
	tag := string(e.rest[4:8])
	e.take(8, "FF × 4 and %q", tag)
	switch {
	case e.Version == 7 && tag == "gie3":
		e.int("Token, of the browser's request")
	case e.Version == 7 && tag == "inf3":
		e.int("Token, of the browser's request")
		e.values = map[string]int32{}
		e.structure("Record.", "InfoRecord")
		for i := range e.values["Clients"] {
			e.structure(fmt.Sprintf("Client %d: ", i), "InfoClient")
		}
	case e.Version == 6 && (tag == "inf3" || tag == "iext"):
		for i := 0; len(e.rest) > 0 && e.err == nil; i++ {
			e.string(textName(tag, i))
		}
	case tag == "gie3":
		e.take(len(e.rest), "token")
	case len(e.rest) == 2:
		e.take(2, "%d", binary.BigEndian.Uint16(e.rest))
	default:
		e.take(len(e.rest), "payload")
	}
}

// textName returns the name of the i-th text in a server info of 0.6.
func textName(tag string, i int) string {
	head := []string{"token", "version", "name", "map", "game type", "flags", "players", "max players", "clients", "max clients"}
	client := []string{"name", "clan", "country", "score", "is a player"}
	if tag == "iext" {
		head = slices.Concat(head[:4], []string{"map CRC", "map size"}, head[4:], []string{"reserved"})
		client = append(client, "reserved")
	}
	if i < len(head) {
		return head[i]
	}
	i -= len(head)
	return fmt.Sprintf("client %d: %s", i/len(client), client[i%len(client)])
}

func (e *explainer) structure(prefix, name string) {
	for _, t := range e.schema.Structs {
		if t.Name == name {
			e.fields(prefix, t.Fields)
		}
	}
}

// readInt reads an integer of variable length. n is 0 if b is too short.
func readInt(b []byte) (v int32, n int) {
	var u packer.Unpacker
	u.Reset(b)
	v = u.Int()
	if u.Err() != nil {
		return 0, 0
	}
	return v, len(b) - u.Len()
}

// perLine is the number of bytes on a line of text.
const perLine = 8

// Text returns the lines as text, the bytes in hexadecimal on the left. It shortens long runs of
// equal bytes and long data.
func Text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Bytes == nil {
			fmt.Fprintf(&b, "%*s-- %s\n", 3*perLine+1, "", l.Text)
			continue
		}
		text := l.Text
		for i, part := range hexLines(l.Bytes) {
			if i > 0 {
				text = ""
			}
			line := strings.TrimRight(fmt.Sprintf("%-*s %s", 3*perLine, part, text), " ")
			const width = 100
			if utf8.RuneCountInString(line) > width {
				line = string([]rune(line)[:width-1]) + "…"
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// hexLines returns bytes as lines of hexadecimal.
func hexLines(b []byte) []string {
	const most = 3 * perLine
	equal := len(b) > perLine
	for _, c := range b {
		equal = equal && c == b[0]
	}
	if equal {
		return []string{fmt.Sprintf("%02x × %d", b[0], len(b))}
	}
	cut := 0
	if len(b) > most {
		cut = len(b) - 2*perLine
		b = b[:2*perLine]
	}
	var l []string
	for len(b) > perLine {
		l = append(l, fmt.Sprintf("% x", b[:perLine]))
		b = b[perLine:]
	}
	l = append(l, fmt.Sprintf("% x", b))
	if cut > 0 {
		l = append(l, fmt.Sprintf("… %d bytes more", cut))
	}
	return l
}
