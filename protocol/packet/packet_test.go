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

// encode encodes p again.
func encode(t testing.TB, p *Packet) []byte {
	if p.Flags&FlagControl != 0 {
		switch p.ControlID() {
		case ControlConnect:
			return AppendConnect(nil, p.Token, p.ResponseToken)
		case ControlClose:
			return AppendClose(nil, p.Ack, p.Token, string(bytes.TrimRight(p.Payload[1:], "\x00")))
		case ControlToken:
			if p.Token == NoToken {
				return AppendTokenRequest(nil, p.ResponseToken)
			}
			return AppendTokenReply(nil, p.Token, p.ResponseToken)
		}
		return AppendControl(nil, p.Ack, p.Token, p.ControlID())
	}
	if p.Flags&FlagConnless != 0 {
		return AppendConnless(nil, p.Token, p.ResponseToken, p.Payload)
	}
	return AppendPacket(nil, p.Flags, p.Ack, p.NumChunks, p.Token, encodeChunks(t, p.Chunks(), AppendChunk))
}

// encodeChunks encodes all chunks of a packet again.
func encodeChunks(t testing.TB, it ChunkReader, appendChunk func([]byte, ChunkFlags, int, []byte) []byte) []byte {
	var payload []byte
	for c := (Chunk{}); it.Next(&c); {
		payload = appendChunk(payload, c.Flags, c.Seq, c.Data)
	}
	if it.Err() != nil || len(it.Rest()) != 0 {
		t.Fatalf("chunks: %v, %d bytes left", it.Err(), len(it.Rest()))
	}
	return payload
}

func TestRecorded(t *testing.T) {
	for name, want := range map[string]int{
		golden.Join:     743,
		golden.Server16: 1751,
	} {
		all := golden.Datagrams(t, name)
		if len(all) != want {
			t.Errorf("%s: %d datagrams, want %d", name, len(all), want)
		}
		var scratch Scratch
		for i, d := range all {
			b := d.B
			var p Packet
			if err := p.Parse(b, &scratch); err != nil {
				t.Fatalf("%s, datagram %d: %v", name, i, err)
			}
			if got := encode(t, &p); !bytes.Equal(got, b) {
				t.Fatalf("%s, datagram %d:\n%x, want\n%x", name, i, got, b)
			}
			kind, drop := Classify(b)
			if (kind == KindControl7) != (p.Flags&FlagControl != 0) {
				// A compressed 0.7 packet looks like a 0.6 control packet.
				t.Fatalf("%s, datagram %d is %v, %v", name, i, kind, drop)
			}
		}
	}
}

// TestControlBytes checks a worked example with client token 01020304 and server token AABBCCDD.
func TestControlBytes(t *testing.T) {
	const client, server = 0x01020304, 0xAABBCCDD
	zeros := strings.Repeat("00", 508)
	for _, v := range []struct {
		name string
		got  []byte
		want string
	}{
		{"token request", AppendTokenRequest(nil, client), "040000ffffffff0501020304" + zeros},
		{"token reply", AppendTokenReply(nil, client, server), "0400000102030405aabbccdd"},
		{"connect", AppendConnect(nil, server, client), "040000aabbccdd0101020304" + zeros},
		{"accept", AppendControl(nil, 0, client, ControlAccept), "0400000102030402"},
		{"keep-alive", AppendControl(nil, 1, server, ControlKeepAlive), "040100aabbccdd00"},
		{"keep-alive, high ack", AppendControl(nil, 1023, server, ControlKeepAlive), "07ff00aabbccdd00"},
		{"close", AppendClose(nil, 2, client, "bye"), "0402000102030404" + hex.EncodeToString([]byte("bye")) + "00"},
		{"close without reason", AppendClose(nil, 2, client, ""), "0402000102030404"},
		{"connless", AppendConnless(nil, server, client, []byte("x")), "21aabbccdd0102030478"},
	} {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s:\n%s, want\n%s", v.name, got, v.want)
		}
		var p Packet
		if err := p.Parse(v.got, new(Scratch)); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		if !bytes.Equal(encode(t, &p), v.got) {
			t.Errorf("%s: encoding it again gives %x", v.name, encode(t, &p))
		}
	}
	if n := len(AppendTokenRequest(nil, client)); n != 520 {
		t.Errorf("a token request has %d bytes", n)
	}
}

func TestResponseToken(t *testing.T) {
	for _, v := range []struct {
		b    string
		want Token
	}{
		{"0400000102030405aabbccdd", 0xaabbccdd},
		{"0400000102030405aabbcc", NoToken},
		{"0400000102030401aabbccdd", 0xaabbccdd},
		{"0400000102030402aabbccdd", NoToken},
		{"0000000102030405aabbccdd", NoToken},
		{"21010203040a0b0c0d", 0x0a0b0c0d},
	} {
		b, _ := hex.DecodeString(v.b)
		var p Packet
		if err := p.Parse(b, new(Scratch)); err != nil || p.ResponseToken != v.want {
			t.Errorf("%s: response token %x, %v, want %x", v.b, p.ResponseToken, err, v.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := make([]byte, MaxDatagram+1)
	for _, v := range []struct {
		name string
		b    []byte
		want DropReason
	}{
		{"nothing", nil, DropTooShort},
		{"six bytes", make([]byte, 6), DropTooShort},
		{"connless of eight bytes", []byte("\x21234567\x00"), DropTooShort},
		{"connless of version 0", []byte("\x20234567\x00\x00"), DropConnlessVersion},
		{"connless of version 2", []byte("\x22234567\x00\x00"), DropConnlessVersion},
		{"1399 bytes", long[:1399], DropTooLong},
		{"1401 bytes of connless", append([]byte{0x21}, long[1:]...), DropTooLong},
		{"control without payload", AppendHeader(nil, FlagControl, 0, 0, 1), DropBadControl},
		{"control with chunks", append(AppendHeader(nil, FlagControl, 0, 1, 1), 0), DropBadControl},
		{"compressed without end", append(AppendHeader(nil, FlagCompressed, 0, 1, 1), 0xff), DropBadHuffman},
		{"compressed control that is empty", append(AppendHeader(nil, FlagCompressed|FlagControl, 0, 0, 1), 0x8a, 0x1b), DropBadControl},
	} {
		var p Packet
		if err := p.Parse(v.b, new(Scratch)); !errors.Is(err, v.want) {
			t.Errorf("%s: %v, want %v", v.name, err, v.want)
		}
	}
	// The longest packet of each kind is accepted.
	var p Packet
	if err := p.Parse(long[:1398], new(Scratch)); err != nil || len(p.Payload) != MaxPayload {
		t.Errorf("1398 bytes: %v", err)
	}
	if err := p.Parse(append([]byte{0x21}, long[1:1400]...), new(Scratch)); err != nil {
		t.Errorf("1400 bytes of connless: %v", err)
	}
	// Unknown flag bits are ignored.
	if err := p.Parse([]byte("\xc0\x00\x00abcd"), new(Scratch)); err != nil || p.Flags != 0 {
		t.Errorf("unused flag bits: %v, flags %d", err, p.Flags)
	}
}

func TestChunkBounds(t *testing.T) {
	for _, v := range []struct {
		name    string
		n       int
		payload string
		want    []string
		bad     bool
	}{
		{"none", 0, "", nil, false},
		{"surplus ignored", 0, "\x00\x01a", nil, false},
		{"one", 1, "\x00\x01a", []string{"a"}, false},
		{"empty one", 1, "\x00\x00", []string{""}, false},
		{"vital", 1, "\x40\xc1\xffa", []string{"a"}, false},
		{"fewer than promised", 2, "\x00\x01a", []string{"a"}, true},
		{"half a header", 2, "\x00\x01a\x00", []string{"a"}, true},
		{"half a vital header", 1, "\x40\x00", nil, true},
		{"short data", 2, "\x00\x01a\x00\x03ab", []string{"a"}, true},
		{"largest size", 1, "\x3f\x3fab", nil, true},
	} {
		p := Packet{NumChunks: v.n, Payload: []byte(v.payload)}
		it := p.Chunks()
		var got []string
		var c Chunk
		for it.Next(&c) {
			got = append(got, string(c.Data))
		}
		if strings.Join(got, ",") != strings.Join(v.want, ",") || len(got) != len(v.want) || (it.Err() != nil) != v.bad {
			t.Errorf("%s: %q, %v", v.name, got, it.Err())
		}
		if it.Next(&c) {
			t.Errorf("%s: Next continues after the end", v.name)
		}
	}
}

func TestChunkRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flags := ChunkFlags(rapid.IntRange(0, 3).Draw(t, "flags"))
		seq := rapid.IntRange(0, SeqMask).Draw(t, "seq")
		data := rapid.SliceOfN(rapid.Byte(), 0, 1500).Draw(t, "data")
		data6 := data[:min(len(data), MaxChunkSize6)]
		p, p6 := Packet{NumChunks: 1}, Packet6{NumChunks: 1}
		p.Payload = AppendChunk(nil, flags, seq, data)
		p6.Payload = AppendChunk6(nil, flags, seq, data6)
		for i, r := range []ChunkReader{p.Chunks(), p6.Chunks()} {
			var c Chunk
			if !r.Next(&c) || c.Flags != flags || !bytes.Equal(c.Data, [][]byte{data, data6}[i]) || len(r.Rest()) != 0 {
				t.Fatalf("%+v, %v", c, r.Err())
			}
			if flags&ChunkVital != 0 && c.Seq != seq {
				t.Fatalf("sequence %d, want %d", c.Seq, seq)
			}
		}
	})
}

func TestPacketRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ack := rapid.IntRange(0, SeqMask).Draw(t, "ack")
		n := rapid.IntRange(0, MaxChunks).Draw(t, "chunks")
		token := Token(rapid.Uint32().Draw(t, "token"))
		payload := rapid.SliceOfN(rapid.Byte(), 0, MaxPayload).Draw(t, "payload")
		out := make([]byte, 0, MaxEncodedSize)
		b := AppendPacket(out, FlagResend, ack, n, token, payload)
		if len(b) > HeaderSize+len(payload) || &b[0] != &out[:1][0] {
			t.Fatalf("%d bytes of payload became %d", len(payload), len(b))
		}
		var p Packet
		if err := p.Parse(b, new(Scratch)); err != nil {
			t.Fatal(err)
		}
		if p.Flags&^FlagCompressed != FlagResend || p.Ack != ack || p.NumChunks != n || p.Token != token || !bytes.Equal(p.Payload, payload) {
			t.Fatalf("%+v", p)
		}
	})
}

func TestReason(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                "",
		"bye\x00":                         "bye",
		"bye":                             "bye",
		"a\x00b\x00":                      "a",
		"line\nbreak\x7f\xff\x81\xe9":     "line break\x7f\x7f i",
		strings.Repeat("x", 300):          strings.Repeat("x", MaxCloseReason),
		strings.Repeat("x", 127) + "\x00": strings.Repeat("x", 127),
	} {
		p := Packet{Flags: FlagControl, Payload: append([]byte{byte(ControlClose)}, raw...)}
		if got := string(p.AppendReason(nil)); got != want {
			t.Errorf("%q became %q, want %q", raw, got, want)
		}
	}
	b := AppendClose(nil, 0, 1, strings.Repeat("x", 5000))
	if len(b) > HeaderSize+MaxPayload {
		t.Errorf("a long reason makes %d bytes", len(b))
	}
}

func TestClassify(t *testing.T) {
	for _, v := range []struct {
		name string
		b    string
		kind Kind
		drop DropReason
	}{
		{"A2S_INFO", "\xff\xff\xff\xffTSource Engine Query\x00", KindHalfLife, DropNone},
		{"0.6 info request", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xffgie3\x05", KindConnless6, DropNone},
		{"0.6 extended info request", "xe\x01\x02\x00\x00\xff\xff\xff\xffgie3\x05", KindConnless6, DropNone},
		{"0.7 connless", string(AppendConnless(nil, 1, 2, []byte("\xff\xff\xff\xffgie3\x05"))), KindConnless7, DropNone},
		{"0.7 token request", string(AppendTokenRequest(nil, 1)), KindControl7, DropNone},
		{"0.6 connect", "\x10\x00\x00\x01", KindControl6, DropNone},
		{"0.6.5 control with token", "\x18\x00\x00abcd\x01", KindControl6, DropNone},
		{"0.6 TKEN connect", "\x10\x00\x00\x01TKEN\xff\xff\xff\xff", KindControl6, DropNone},
		{"0.6 TKEN accept", "\x10\x00\x00\x03abcd", KindControl6, DropNone},
		{"0.6.5 connect", string(AppendConnect6(nil, TokenInHeader, 1)), KindControl6, DropNone},
		{"0.7 compressed data", "\x10\x00\x01abcdefg", KindData, DropNone},
		{"0.7 data", "\x00\x01\x01\x01\x02\x03\x04\x00\x00", KindData, DropNone},
		{"0.6 compressed", "\x80\x00\x01ab", KindData, DropNone},
		{"0.6 resend request", "\x40\x00\x00", KindData, DropNone},
		{"0.6.5 data with token", "\x08\x00\x01abcd\x40\x00\x01", KindData, DropNone},
		{"nothing", "", KindDrop, DropTooShort},
		{"two bytes", "\x00\x00", KindDrop, DropTooShort},
		{"four FF", "\xff\xff\xff\xff", KindDrop, DropTooShort},
		{"five FF", "\xff\xff\xff\xff\xff", KindDrop, DropTooShort},
		{"0.7 connless cut", "\x21\x00\x00\x00\x00\x00\x00\x00", KindDrop, DropTooShort},
		{"0.7 control cut", "\x04\x00\x00\x00\x00\x00\x00", KindDrop, DropTooShort},
		{"0.6 control cut", "\x10\x00\x00", KindDrop, DropTooShort},
		{"0.6 connless cut", "xe\x00\x00\x00", KindDrop, DropTooShort},
		{"1401 bytes", string(make([]byte, 1401)), KindDrop, DropTooLong},
	} {
		if kind, drop := Classify([]byte(v.b)); kind != v.kind || drop != v.drop {
			t.Errorf("%s: %v, %v, want %v, %v", v.name, kind, drop, v.kind, v.drop)
		}
	}
}

func TestNames(t *testing.T) {
	for d := range DropReason(NumDropReasons) {
		if d.String() == "" || d.Error() != "packet: "+d.String() || d.String() == DropReason(200).String() {
			t.Errorf("drop %d has no name", d)
		}
	}
	if KindData.String() != "data" || Kind(99).String() != "unknown kind" {
		t.Error("the names of kinds differ")
	}
}

func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	all := golden.Datagrams(t, golden.Server16)[:100]
	var scratch Scratch
	payload := make([]byte, 0, MaxPayload)
	out := make([]byte, 0, MaxEncodedSize)
	n := testing.AllocsPerRun(10, func() {
		for _, d := range all {
			Classify(d.B)
			var p Packet
			p.Parse(d.B, &scratch)
			payload = payload[:0]
			var c Chunk
			for it := p.Chunks(); it.Next(&c); {
				payload = AppendChunk(payload, c.Flags, c.Seq, c.Data)
			}
			out = AppendPacket(out[:0], p.Flags, p.Ack, p.NumChunks, p.Token, payload)
		}
		var p Packet
		if p.Parse(all[0].B[:3], &scratch) == nil {
			t.Error("a short packet passed")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, d := range golden.Datagrams(f, golden.Join)[:40] {
		f.Add(d.B)
	}
	f.Add(AppendConnless(nil, 1, 2, []byte("x")))
	f.Add(AppendClose(nil, 1, 2, "reason"))
	f.Fuzz(func(t *testing.T, b []byte) {
		Classify(b)
		var p Packet
		if p.Parse(b, new(Scratch)) != nil {
			return
		}
		if len(p.Payload) > MaxDatagram || p.Ack > SeqMask || p.NumChunks > MaxChunks {
			t.Fatalf("%+v", p)
		}
		if p.Flags&FlagControl != 0 {
			if r := p.AppendReason(nil); len(r) > MaxCloseReason || bytes.IndexFunc(r, func(r rune) bool { return r < ' ' || r > 127 }) >= 0 {
				t.Fatalf("reason %q", r)
			}
			return
		}
		total := 0
		var c Chunk
		for it := p.Chunks(); it.Next(&c); {
			total += len(c.Data) + 2
		}
		if total > len(p.Payload) {
			t.Fatalf("%d bytes of chunks in %d", total, len(p.Payload))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	all := golden.Datagrams(b, golden.Server16)
	var scratch Scratch
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		var p Packet
		p.Parse(all[i%len(all)].B, &scratch)
		var c Chunk
		for it := p.Chunks(); it.Next(&c); {
		}
		i++
	}
}
