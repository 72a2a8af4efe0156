package packet

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"pgregory.net/rapid"
)

// encode6 encodes p again, with its token in the given place.
func encode6(t testing.TB, p *Packet6, place TokenPlace) []byte {
	if p.Flags&FlagConnless != 0 {
		if p.Extended {
			return AppendConnlessExtended6(nil, p.Extra, p.Payload)
		}
		return AppendConnless6(nil, p.Payload)
	}
	g := PlacedToken{place, p.Token}
	if p.Flags&FlagControl != 0 {
		switch id := p.ControlID(); id {
		case ControlConnect, ControlAccept:
			if g = p.HandshakeToken(); id == ControlConnect {
				return AppendConnect6(nil, g.Place, g.Token)
			}
			return AppendAccept6(nil, g, p.Token)
		}
	}
	q := *p
	if place == TokenInTrailer {
		token, ok := q.CutTrailer()
		if !ok {
			t.Fatalf("no trailer in %x", p.Payload)
		}
		g.Token = token
	}
	if q.Flags&FlagControl != 0 {
		if id := q.ControlID(); id != ControlClose {
			return AppendControl6(nil, q.Ack, g, id)
		}
		return AppendClose6(nil, q.Ack, g, string(bytes.TrimRight(q.Payload[1:], "\x00")))
	}
	return AppendPacket6(nil, q.Flags, q.Ack, q.NumChunks, g, encodeChunks(t, q.Chunks(), AppendChunk6))
}

// TestRecorded6 decodes and encodes a whole session of DDNet's programs.
func TestRecorded6(t *testing.T) {
	var scratch Scratch
	count := map[string]int{}
	for i, d := range golden.Datagrams(t, golden.Join6) {
		var p Packet6
		if err := p.Parse(d.B, &scratch); err != nil {
			t.Fatalf("datagram %d: %v", i, err)
		}
		if got := encode6(t, &p, TokenInTrailer); !bytes.Equal(got, d.B) {
			t.Fatalf("datagram %d:\n%x, want\n%x", i, got, d.B)
		}
		kind, drop := Classify(d.B)
		if drop != DropNone {
			t.Fatalf("datagram %d: %v", i, drop)
		}
		count[kind.String()]++
		if p.Flags&FlagCompressed != 0 {
			count["compressed"]++
		}
		if IsClearly7(d.B) && p.Flags&FlagConnless == 0 {
			t.Errorf("datagram %d looks like 0.7", i)
		}
	}
	if count["data"] < 1000 || count["control 0.6"] < 4 || count["connless 0.6"] < 2 || count["compressed"] < 500 || len(count) != 4 {
		t.Errorf("%v", count)
	}
}

// TestControlBytes6 uses bytes from recordings, and bytes written by hand from the original's
// rules.
func TestControlBytes6(t *testing.T) {
	const client, server = 0x01020304, 0x23fb4879
	trailer, header := PlacedToken{TokenInTrailer, server}, PlacedToken{TokenInHeader, server}
	zeros := strings.Repeat("00", 504)
	for _, v := range []struct {
		name  string
		got   []byte
		want  string
		place TokenPlace
	}{
		{"TKEN CONNECT", AppendConnect6(nil, TokenInTrailer, client), "10000001544b454effffffff", TokenInTrailer},
		{"TKEN CONNECTACCEPT", AppendAccept6(nil, trailer, client), "10000002544b454e23fb4879", TokenInTrailer},
		{"TKEN ACCEPT", AppendControl6(nil, 0, trailer, ControlClientAccept), "1000000323fb4879", TokenInTrailer},
		{"TKEN KEEPALIVE", AppendControl6(nil, 0x18, trailer, ControlKeepAlive), "1018000023fb4879", TokenInTrailer},
		{"TKEN CLOSE", AppendClose6(nil, 0x18, trailer, ""), "1018000423fb4879", TokenInTrailer},
		{"TKEN CLOSE with reason", AppendClose6(nil, 0x218, trailer, "bye"), "121800046279650023fb4879", TokenInTrailer},
		{"plain CONNECT", AppendConnect6(nil, TokenAbsent, client), "10000001", TokenAbsent},
		{"plain CONNECTACCEPT", AppendAccept6(nil, PlacedToken{}, client), "10000002", TokenAbsent},
		{"plain ACCEPT", AppendControl6(nil, 0, PlacedToken{}, ControlClientAccept), "10000003", TokenAbsent},
		{"plain CLOSE", AppendClose6(nil, 1023, PlacedToken{}, "bye\x00now"), "13ff000462796500", TokenAbsent},
		{"0.6.5 CONNECT", AppendConnect6(nil, TokenInHeader, client), "100000010000000001020304" + zeros, TokenInHeader},
		{"0.6.5 CONNECTACCEPT", AppendAccept6(nil, header, client), "180000010203040223fb4879", TokenInHeader},
		{"0.6.5 KEEPALIVE", AppendControl6(nil, 1, header, ControlKeepAlive), "18010023fb487900", TokenInHeader},
		{"0.6.5 CLOSE", AppendClose6(nil, 1, header, "x"), "18010023fb4879047800", TokenInHeader},
		{"info request", AppendConnless6(nil, []byte("\xff\xff\xff\xffgie3\x78")), "ffffffffffffffffffff6769653378", TokenAbsent},
		{"extended info request", AppendConnlessExtended6(nil, 0x7e03, []byte("\xff\xff\xff\xffgie3x")), "78657e030000ffffffff6769653378", TokenAbsent},
		{"resend request", AppendPacket6(nil, FlagResend, 5, 0, PlacedToken{}, nil), "400500", TokenAbsent},
		{"0.6.5 resend request", AppendPacket6(nil, FlagResend, 5, 0, header, nil), "48050023fb4879", TokenInHeader},
		{"TKEN resend request", AppendPacket6(nil, FlagResend, 5, 0, trailer, nil), "40050023fb4879", TokenInTrailer},
	} {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s:\n%s, want\n%s", v.name, got, v.want)
		}
		var p Packet6
		if err := p.Parse(v.got, new(Scratch)); err != nil {
			t.Errorf("%s: %v", v.name, err)
		} else if got := encode6(t, &p, v.place); !bytes.Equal(got, v.got) && v.name != "plain CLOSE" {
			t.Errorf("%s: encoding it again gives %x", v.name, got)
		}
	}
	if n := len(AppendConnect6(nil, TokenInHeader, client)); n != 516 {
		t.Errorf("0.6.5's CONNECT has %d bytes", n)
	}
}

func TestHandshakeToken(t *testing.T) {
	none := PlacedToken{TokenAbsent, NoToken}
	for _, v := range []struct {
		b    string
		want PlacedToken
	}{
		{"10000001", none},
		{"10000001544b454effffffff", PlacedToken{TokenInTrailer, NoToken}},
		{"10000001544b454effffffff00", PlacedToken{TokenInTrailer, NoToken}},
		{"10000001544b454effffff", none},
		{"10000001544b454fffffffff", none},
		{"100000010000000001020304" + strings.Repeat("00", 504), PlacedToken{TokenInHeader, 0x01020304}},
		{"100000010000000001020304" + strings.Repeat("00", 503), none},
		{"10000001544b454effffffff" + strings.Repeat("00", 504), PlacedToken{TokenInTrailer, NoToken}},
		{"10000002", none},
		{"10000002544b454e23fb4879", PlacedToken{TokenInTrailer, 0x23fb4879}},
		{"1000000223fb4879", none},
		{"18000001020304" + "0223fb4879", PlacedToken{TokenInHeader, 0x23fb4879}},
		{"18000001020304" + "0223fb48", none},
		{"10000003", none},
		{"10000003aabbcc", none},
		{"10000003aabbccdd", PlacedToken{TokenInTrailer, 0xaabbccdd}},
		{"10000000544b454effffffff", none},
		{"10000004544b454effffffff", none},
	} {
		b, _ := hex.DecodeString(v.b)
		var p Packet6
		if err := p.Parse(b, new(Scratch)); err != nil || p.HandshakeToken() != v.want {
			t.Errorf("%.24s: %+v, %v, want %+v", v.b, p.HandshakeToken(), err, v.want)
		}
	}
}

func TestParse6Refuses(t *testing.T) {
	long := make([]byte, MaxDatagram+1)
	long[2] = 1
	for _, v := range []struct {
		name string
		b    string
		want DropReason
	}{
		{"nothing", "", DropTooShort},
		{"two bytes", "\x10\x00", DropTooShort},
		{"1401 bytes", string(long), DropTooLong},
		{"connless of five bytes", "\xff\xff\xff\xff\xff", DropTooShort},
		{"token cut", "\x08\x00\x01abc", DropTooShort},
		{"flag that 0.7 has for control", "\x04\x00\x01abcd\x01", DropUnknownFlags},
		{"flag that 0.7 has for control, on control", "\x14\x00\x00\x00", DropUnknownFlags},
		{"control without payload", "\x10\x00\x00", DropBadControl},
		{"control with chunks", "\x10\x00\x01\x00", DropBadControl},
		{"control that is compressed", "\x90\x00\x00\x8a\x1b", DropBadControl},
		{"control with nothing but a token", "\x18\x00\x00abcd", DropBadControl},
		{"no chunks", "\x00\x00\x00", DropEmpty},
		{"no chunks, but payload", "\x00\x00\x00ab", DropEmpty},
		{"compressed without end", string(append(AppendHeader6(nil, FlagCompressed, 0, 1, PlacedToken{}), 0xff)), DropBadHuffman},
		{"compressed nothing", "\x80\x00\x01", DropBadHuffman},
	} {
		var p Packet6
		if err := p.Parse([]byte(v.b), new(Scratch)); !errors.Is(err, v.want) {
			t.Errorf("%s: %v, want %v", v.name, err, v.want)
		}
	}
	// The longest packet of each kind is accepted.
	var p Packet6
	if err := p.Parse(long[:1400], new(Scratch)); err != nil || len(p.Payload) != 1397 {
		t.Errorf("1400 bytes: %v", err)
	}
	if err := p.Parse(append([]byte{0xff}, long[:1399]...), new(Scratch)); err != nil || len(p.Payload) != MaxConnlessPayload6 {
		t.Errorf("1400 bytes of connless: %v", err)
	}
}

func TestCutTrailer(t *testing.T) {
	for _, v := range []struct {
		b     string
		token Token
		rest  string
		ok    bool
	}{
		{"\x40\x00\x00abc", NoToken, "abc", false},
		{"\x40\x00\x00abcd", 0x61626364, "", true},
		{"\x00\x00\x01\x00\x00abcd", 0x61626364, "\x00\x00", true},
		{"\x10\x00\x00\x03abc", NoToken, "\x03abc", false},
		{"\x10\x00\x00\x03abcd", 0x61626364, "\x03", true},
	} {
		var p Packet6
		if err := p.Parse([]byte(v.b), new(Scratch)); err != nil {
			t.Fatalf("%q: %v", v.b, err)
		}
		if token, ok := p.CutTrailer(); token != v.token || ok != v.ok || string(p.Payload) != v.rest {
			t.Errorf("%q: %x, %v, %q left", v.b, token, ok, p.Payload)
		}
	}
}

// TestChunkBytes6 checks the sequence number, whose middle bits are on the wire twice. A bit counts
// as set if either place has it.
func TestChunkBytes6(t *testing.T) {
	for _, v := range []struct {
		flags     ChunkFlags
		seq, size int
		want      string
	}{
		{0, 0, 1023, "3f0f"},
		{ChunkVital, 1, 47, "420f01"},
		{ChunkVital, 0x3ff, 0, "40f0ff"},
		{ChunkVital | ChunkResent, 0x0c0, 16, "c130c0"},
		{ChunkVital, 0x300, 1, "40c100"},
	} {
		b := AppendChunkHeader6(nil, v.flags, v.seq, v.size)
		if got := hex.EncodeToString(b); got != v.want {
			t.Errorf("%d %x %d: %s, want %s", v.flags, v.seq, v.size, got, v.want)
		}
	}
	for _, v := range []struct {
		b   string
		seq int
	}{{"\x40\x30\x00", 0xc0}, {"\x40\x00\xc0", 0xc0}, {"\x40\x10\x80", 0xc0}, {"\x40\xc0\x01", 0x301}} {
		p := Packet6{NumChunks: 1, Payload: []byte(v.b)}
		var c Chunk
		if it := p.Chunks(); !it.Next(&c) || c.Seq != v.seq {
			t.Errorf("%q: %x", v.b, c.Seq)
		}
	}
	for _, b := range []string{"", "\x00", "\x40\x00", "\x00\x01", "\x3f\x0fab"} {
		p := Packet6{NumChunks: 1, Payload: []byte(b)}
		var c Chunk
		if it := p.Chunks(); it.Next(&c) || !errors.Is(it.Err(), DropBadChunk) {
			t.Errorf("%q: %+v", b, c)
		}
	}
}

func TestPacketRoundTrip6(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ack := rapid.IntRange(0, SeqMask).Draw(t, "ack")
		n := rapid.IntRange(0, MaxChunks).Draw(t, "chunks")
		g := PlacedToken{TokenPlace(rapid.IntRange(0, 2).Draw(t, "place")), Token(rapid.Uint32().Draw(t, "token"))}
		payload := rapid.SliceOfN(rapid.Byte(), 0, MaxPayload6).Draw(t, "payload")
		b := AppendPacket6(make([]byte, 0, MaxEncodedSize), FlagResend, ack, n, g, bytes.Clone(payload))
		if len(b) > HeaderSize6+len(payload)+4 || len(b) > MaxDatagram {
			t.Fatalf("%d bytes of payload became %d", len(payload), len(b))
		}
		var p Packet6
		if err := p.Parse(b, new(Scratch)); err != nil {
			t.Fatal(err)
		}
		token := p.Token
		if g.Place == TokenInTrailer {
			var ok bool
			if token, ok = p.CutTrailer(); !ok {
				t.Fatal("no trailer")
			}
		}
		if g.Place == TokenAbsent {
			g.Token = NoToken
		}
		if p.Flags&^FlagCompressed != FlagResend || p.Ack != ack || p.NumChunks != n || p.HasToken != (g.Place == TokenInHeader) ||
			token != g.Token || !bytes.Equal(p.Payload, payload) {
			t.Fatalf("%+v", p)
		}
	})
}

func TestReason6(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                 "",
		"bye\x00":                          "bye",
		"bye":                              "bye",
		"a\x00b\x00":                       "a",
		"línea\n\x7f\u009b\u00a0ß":         "línea   \u00a0ß",
		"not UTF-8: \xff\x1b":              "not UTF-8: \x7f ",
		strings.Repeat("x", 300):           strings.Repeat("x", MaxCloseReason),
		strings.Repeat("x", 126) + "ß":     strings.Repeat("x", 126),
		strings.Repeat("\x80", 300):        strings.Repeat(" ", MaxCloseReason-4),
		strings.Repeat("x", 123) + "😀\x00": strings.Repeat("x", 123) + "😀",
	} {
		p := Packet6{Flags: FlagControl, Payload: append([]byte{byte(ControlClose)}, raw...)}
		if got := string(p.AppendReason(nil)); got != want {
			t.Errorf("%q became %q, want %q", raw, got, want)
		}
	}
	if b := AppendClose6(nil, 0, PlacedToken{TokenInTrailer, 1}, strings.Repeat("x", 5000)); len(b) > MaxDatagram {
		t.Errorf("a long reason makes %d bytes", len(b))
	}
}

// TestVersions checks that a packet of one version is never recognised as a packet of the other.
func TestVersions(t *testing.T) {
	only7 := 0
	for _, d := range golden.Datagrams(t, golden.Join) {
		if IsClearly6(d.B) {
			t.Errorf("%x looks like 0.6", d.B)
		}
		if IsClearly7(d.B) {
			only7++
		}
	}
	if only7 < 300 {
		t.Errorf("%d datagrams are recognised as 0.7", only7)
	}
	for _, b := range [][]byte{
		AppendConnect6(nil, TokenAbsent, 0), AppendConnect6(nil, TokenInTrailer, 0), AppendConnect6(nil, TokenInHeader, 1),
		AppendControl6(nil, 5, PlacedToken{TokenInHeader, 9}, ControlKeepAlive), AppendClose6(nil, 5, PlacedToken{}, "a"),
		AppendPacket6(nil, FlagResend, 5, 0, PlacedToken{}, nil),
		AppendPacket6(nil, 0, 5, 9, PlacedToken{TokenInHeader, 1}, bytes.Repeat([]byte{0}, 99)),
	} {
		if !IsClearly6(b) || IsClearly7(b) {
			t.Errorf("%x is not recognised as 0.6", b)
		}
	}
	for _, b := range []string{"", "\x10", "\x80\x00", "\x04\x00\x00"} {
		if IsClearly6([]byte(b)) || IsClearly7([]byte(b)) {
			t.Errorf("%q is recognised as a packet", b)
		}
	}
}

func TestNoAllocations6(t *testing.T) {
	testenv.RequireExactAllocs(t)
	all := golden.Datagrams(t, golden.Join6)[:200]
	var scratch Scratch
	payload := make([]byte, 0, MaxPayload6+TokenTrailerSize)
	out := make([]byte, 0, MaxEncodedSize)
	n := testing.AllocsPerRun(10, func() {
		for _, d := range all {
			var p Packet6
			if p.Parse(d.B, &scratch) != nil || p.Flags&(FlagControl|FlagConnless) != 0 {
				continue
			}
			token, _ := p.CutTrailer()
			payload = payload[:0]
			var c Chunk
			for it := p.Chunks(); it.Next(&c); {
				payload = AppendChunk6(payload, c.Flags, c.Seq, c.Data)
			}
			out = AppendPacket6(out[:0], p.Flags, p.Ack, p.NumChunks, PlacedToken{TokenInTrailer, token}, payload)
		}
		var p Packet6
		if p.Parse(all[0].B[:2], &scratch) == nil {
			t.Error("a short packet passed")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse6(f *testing.F) {
	for _, d := range golden.Datagrams(f, golden.Join6)[:40] {
		f.Add(d.B)
	}
	f.Add(AppendConnect6(nil, TokenInHeader, 5))
	f.Add(AppendAccept6(nil, PlacedToken{TokenInHeader, 4}, 5))
	f.Add(AppendClose6(nil, 1, PlacedToken{TokenInHeader, 4}, "reason"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Packet6
		if p.Parse(b, new(Scratch)) != nil {
			return
		}
		if len(p.Payload) > MaxDatagram || p.Ack > SeqMask || p.NumChunks > MaxChunks {
			t.Fatalf("%+v", p)
		}
		switch {
		case p.Flags&FlagConnless != 0:
			return
		case p.Flags&FlagControl != 0:
			p.HandshakeToken()
			p.CutTrailer()
			if r := p.AppendReason(nil); len(r) > MaxCloseReason || bytes.IndexFunc(r, func(r rune) bool { return r < ' ' }) >= 0 {
				t.Fatalf("reason %q", r)
			}
			return
		}
		total := 0
		var c Chunk
		var payload []byte
		it := p.Chunks()
		for it.Next(&c) {
			total += len(c.Data) + 2
			payload = AppendChunk6(payload, c.Flags, c.Seq, c.Data)
		}
		if total > len(p.Payload) {
			t.Fatalf("%d bytes of chunks in %d", total, len(p.Payload))
		}
		if it.Err() != nil {
			return
		}
		g := PlacedToken{}
		if p.HasToken {
			g = PlacedToken{TokenInHeader, p.Token}
		}
		var q Packet6
		if err := q.Parse(AppendPacket6(nil, p.Flags, p.Ack, p.NumChunks, g, payload), new(Scratch)); err != nil ||
			q.Ack != p.Ack || q.NumChunks != p.NumChunks || q.Token != p.Token || !bytes.Equal(q.Payload, payload) {
			t.Fatalf("%+v came back as %+v, %v", p, q, err)
		}
	})
}
