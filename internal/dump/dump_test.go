package dump

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// explain dumps a capture, as text and as JSON, and checks that neither can harm a
// terminal.
func explain(t testing.TB, capture []byte, cfg Config) (text string, d *Decoder, err error) {
	t.Helper()
	var out, js []byte
	d = New(cfg, func(r *Record) {
		out = r.AppendText(out)
		js = r.AppendJSON(js)
	})
	err = ReadCapture(bytes.NewReader(capture), d.Feed)
	checkSafe(t, out, js)
	return string(out), d, err
}

func checkSafe(t testing.TB, text, js []byte) {
	t.Helper()
	for _, b := range [][]byte{text, js} {
		if !utf8.Valid(b) {
			t.Errorf("invalid UTF-8")
		}
		for _, r := range string(b) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%q in the output", r)
			}
		}
	}
	for line := range bytes.Lines(js) {
		if !json.Valid(line) {
			t.Fatalf("no JSON: %s", line)
		}
	}
}

func TestGoldenCapture(t *testing.T) {
	text, d, err := explain(t, golden.File(t, golden.Join), Config{Objects: true})
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{Datagrams: 743, Connections: 1, Messages: 1061, Snapshots: 417}
	if d.Stats() != want {
		t.Errorf("%+v, want %+v", d.Stats(), want)
	}
	for _, part := range []string{
		"#1 1> control TOKEN", "#4 1< control ACCEPT", "#743 1> control CLOSE",
		`1> system INFO vital=1 ack=0 bytes=25 NetVersion="0.7 802f1be60a05665f" Password="" ClientVersion=1797`,
		"1< system MAP_CHANGE vital=1 ack=1 bytes=47 Name=dm1 CRC=1683261464 Size=6793",
		`1> game Cl_Say vital=5 ack=12 bytes=15 Mode=All Target=-1 Message="hello world"`,
		"Tick=242 DeltaTick=2 snapshot={items=17 new=0 changed=0 gone=0}",
		"Input={Direction=0 TargetX=1 TargetY=0 Jump=false",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("missing: %s", part)
		}
	}
	if strings.Contains(text, "!!") || strings.Contains(text, " other ") {
		t.Error("something is said to be wrong with a good capture")
	}
}

// packets are datagrams between a client and a server as a pcap file.
type packets struct {
	buf []byte
	n   int
}

var (
	clientAddr = netip.MustParseAddrPort("10.0.0.9:50000")
	serverAddr = netip.MustParseAddrPort("10.0.0.1:8303")
)

func (p *packets) add(t testing.TB, toServer bool, b []byte) {
	t.Helper()
	src, dst := clientAddr, serverAddr
	if !toServer {
		src, dst = dst, src
	}
	p.between(t, src, dst, b)
}

func (p *packets) between(t testing.TB, src, dst netip.AddrPort, b []byte) {
	t.Helper()
	frame := make([]byte, 12, 1500) // no addresses of cards
	frame = append(frame, 8, 0, 4<<4|5, 0)
	frame = binary.BigEndian.AppendUint16(frame, uint16(20+8+len(b)))
	frame = append(frame, 0, 0, 0, 0, 64, 17, 0, 0) // lifetime and protocol
	frame = append(append(frame, src.Addr().AsSlice()...), dst.Addr().AsSlice()...)
	for _, v := range []int{int(src.Port()), int(dst.Port()), 8 + len(b), 0} {
		frame = binary.BigEndian.AppendUint16(frame, uint16(v))
	}
	p.frame(append(frame, b...))
}

func (p *packets) frame(b []byte) {
	le := binary.LittleEndian
	if p.n++; p.n == 1 {
		for _, v := range []uint32{0xa1b2c3d4, 4<<16 | 2, 0, 0, 65535, 1} {
			p.buf = le.AppendUint32(p.buf, v)
		}
	}
	for _, v := range []int{1795231813, p.n * 1000, len(b), len(b)} {
		p.buf = le.AppendUint32(p.buf, uint32(v))
	}
	p.buf = append(p.buf, b...)
}

const clientToken, serverToken = 0x11111111, 0x22222222

// begin opens a connection.
func (p *packets) begin(t testing.TB) {
	p.add(t, true, packet.AppendTokenRequest(nil, clientToken))
	p.add(t, false, packet.AppendTokenReply(nil, clientToken, serverToken))
	p.add(t, true, packet.AppendConnect(nil, serverToken, clientToken))
	p.add(t, false, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept))
}

// send adds a packet of messages, the vital ones with consecutive numbers from seq.
func (p *packets) send(t testing.TB, toServer bool, ack, seq int, msgs ...msg7.Message) {
	t.Helper()
	var payload []byte
	for _, m := range msgs {
		flags := packet.ChunkFlags(0)
		if m.ID().Vital() {
			flags = packet.ChunkVital
		}
		payload = packet.AppendChunk(payload, flags, seq, m.Append(nil))
		if flags != 0 {
			seq++
		}
	}
	token := packet.Token(clientToken)
	if toServer {
		token = serverToken
	}
	p.add(t, toServer, packet.AppendPacket(nil, 0, ack, len(msgs), token, payload))
}

// TestFaults breaks one thing after the other. Each has to be told, and the line
// that follows has to be right again.
func TestFaults(t *testing.T) {
	say := &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("fine")}
	chat := &msg7.SvChat{Mode: msg7.ChatAll, Message: []byte("fine")}
	raw := func(toServer bool, n int, payload ...byte) func(*packets) {
		return func(p *packets) {
			p.add(t, toServer, packet.AppendPacket(nil, 0, 0, n, map[bool]packet.Token{true: serverToken, false: clientToken}[toServer], payload))
		}
	}
	for name, c := range map[string]struct {
		do   func(p *packets)
		want string
	}{
		"nothing":        {func(*packets) {}, ""},
		"wrong token":    {func(p *packets) { p.add(t, true, packet.AppendControl(nil, 0, 7, packet.ControlKeepAlive)) }, "token 00000007, but the receiver has handed out 22222222"},
		"wrong ack":      {func(p *packets) { p.add(t, true, packet.AppendControl(nil, 9, serverToken, packet.ControlKeepAlive)) }, "acknowledges 9, but the last sent was 0"},
		"short chunk":    {raw(true, 2, packet.AppendChunk(nil, 0, 0, say.Append(nil))...), "the header promises 2 chunks, 1 are whole"},
		"too much":       {raw(true, 0, 1, 2, 3), "3 bytes follow the last of 0 chunks"},
		"unknown":        {raw(true, 1, packet.AppendChunk(nil, 0, 0, []byte{0xbf, 0x01})...), "unknown"},
		"no message":     {raw(true, 1, packet.AppendChunk(nil, 0, 0, nil)...), "!!"},
		"left over":      {raw(true, 1, packet.AppendChunk(nil, packet.ChunkVital, 1, append(say.Append(nil), 1, 2))...), "2 bytes too many"},
		"not vital":      {raw(true, 1, packet.AppendChunk(nil, 0, 0, say.Append(nil))...), "not vital"},
		"out of range":   {raw(true, 1, packet.AppendChunk(nil, packet.ChunkVital, 1, (&msg7.ClEmoticon{Emoticon: 99}).Append(nil))...), "Cl_Emoticon"},
		"wrong side":     {func(p *packets) { p.send(t, false, 0, 1, say) }, "wrong side"},
		"gap":            {func(p *packets) { p.send(t, false, 0, 5, chat) }, "sequence 5 follows 0: 4 vital chunks are not in the capture"},
		"no protocol":    {func(p *packets) { p.add(t, true, []byte{1}) }, "no protocol"},
		"server CONNECT": {func(p *packets) { p.add(t, false, packet.AppendConnect(nil, clientToken, serverToken)) }, "servers do not send CONNECT"},
		"short request":  {func(p *packets) { p.add(t, true, packet.AppendTokenRequest(nil, 5)[:20]) }, "bytes; servers answer from 512 on"},
		"wrong delta":    {func(p *packets) { p.send(t, false, 0, 1, &msg7.SnapSingle{Tick: 1, DeltaTick: 2, Data: []byte{1, 2}}) }, "snapshot: delta truncated"},
		"wrong checksum": {func(p *packets) {
			p.send(t, false, 0, 1, &msg7.SnapSingle{Tick: 1, DeltaTick: 2, CRC: 5, Data: []byte{0, 0, 0}})
		}, "the checksum of the snapshot is 0, not 5"},
		"no base": {func(p *packets) { p.send(t, false, 0, 1, &msg7.SnapEmpty{Tick: 9, DeltaTick: 2}) }, `unresolved="its base, tick 7, is not in the capture"`},
		"harm":    {func(p *packets) { p.add(t, true, packet.AppendClose(nil, 0, serverToken, "\x1b[2Jbye\u0085\u202e")) }, "bye"},
		"info": {func(p *packets) {
			p.add(t, false, packet.AppendConnless(nil, 1, 2, []byte("\xff\xff\xff\xffinf3\x01x")))
		}, "inf3"},
	} {
		t.Run(name, func(t *testing.T) {
			var p packets
			p.begin(t)
			c.do(&p)
			p.add(t, false, packet.AppendControl(nil, 0, clientToken, packet.ControlKeepAlive))
			text, d, err := explain(t, p.buf, Config{Objects: true})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			if !strings.Contains(text, c.want) || !strings.Contains(lines[len(lines)-1], "KEEPALIVE") {
				t.Errorf("want %q:\n%s", c.want, text)
			}
			if c.want == "" && d.Stats().Faults != 0 {
				t.Errorf("faults where there are none:\n%s", text)
			}
		})
	}
}

// TestServerIsFound: who the server is follows from the first datagram, from what
// is known of others, or from the port.
func TestServerIsFound(t *testing.T) {
	other := netip.MustParseAddrPort("10.0.0.7:40000")
	var p packets
	p.begin(t)
	p.between(t, serverAddr, other, packet.AppendControl(nil, 0, clientToken, packet.ControlKeepAlive)) // joined before the capture
	p.between(t, other, serverAddr, packet.AppendControl(nil, 0, serverToken, packet.ControlKeepAlive))
	p.between(t, other, netip.MustParseAddrPort("10.0.0.2:53"), []byte("no game"))
	text, d, err := explain(t, p.buf, Config{})
	if err != nil || d.Stats().Connections != 3 {
		t.Fatalf("%v, %+v", err, d.Stats())
	}
	for _, want := range []string{"#5 2< control KEEPALIVE", "#6 2> control KEEPALIVE", "#7 3> "} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q:\n%s", want, text)
		}
	}
	if _, d, _ := explain(t, p.buf, Config{Port: 8303}); d.Stats().Datagrams != 6 || d.Stats().Faults != 0 {
		t.Errorf("with a port: %+v", d.Stats())
	}
	text, _, _ = explain(t, p.buf, Config{Port: 50000})
	if !strings.Contains(text, "#1 1< control TOKEN") {
		t.Errorf("the port that was given is not the server's:\n%s", text)
	}
}

// TestOtherProtocols are named, not explained.
func TestOtherProtocols(t *testing.T) {
	var p packets
	p.between(t, clientAddr, netip.MustParseAddrPort("10.0.0.1:27015"), []byte("\xff\xff\xff\xffTSource Engine Query\x00"))
	text, d, err := explain(t, p.buf, Config{})
	if err != nil || d.Stats().Faults != 0 || strings.Count(text, " other ") != 1 {
		t.Errorf("%v, %+v\n%s", err, d.Stats(), text)
	}
}

func TestCaptureFiles(t *testing.T) {
	file := golden.File(t, golden.Join)
	want, _, _ := explain(t, file, Config{})
	// Cut off: what is there is told, then that it ends.
	for _, n := range []int{0, 3, 23, 24, 30, 1000, len(file) - 1} {
		got, _, err := explain(t, file[:n], Config{})
		if n != 24 && !errors.Is(err, ErrCapture) || !strings.HasPrefix(want, got) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, _, err := explain(t, []byte("this is no capture at all"), Config{}); !errors.Is(err, ErrCapture) {
		t.Errorf("no capture: %v", err)
	}
	// Datagrams that were captured in part.
	var p packets
	p.begin(t)
	short := bytes.Clone(p.buf)
	const first = 24
	n := binary.LittleEndian.Uint32(short[first+8:])
	binary.LittleEndian.PutUint32(short[first+8:], n-100)
	short = append(short[:first+16+n-100], short[first+16+n:]...)
	text, _, err := explain(t, short, Config{})
	if err != nil || !strings.Contains(text, "100 of 520 bytes are not in the capture") {
		t.Errorf("snapped: %v\n%.300s", err, text)
	}
}

// TestManyConnections: what is remembered is bounded.
func TestManyConnections(t *testing.T) {
	d := New(Config{}, func(*Record) {})
	for i := range 5000 {
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 5)
		d.Feed(&Datagram{Src: src, Dst: serverAddr, Payload: packet.AppendTokenRequest(nil, 1)})
	}
	if len(d.flows) > maxFlows || d.Stats().Connections != 5000 {
		t.Errorf("%d flows, %+v", len(d.flows), d.Stats())
	}
}

func FuzzCapture(f *testing.F) {
	f.Add(golden.File(f, golden.Join)[:5000])
	f.Add(golden.File(f, golden.Join6)[:5000])
	var p packets
	p.begin(f)
	f.Add(p.buf)
	f.Fuzz(func(t *testing.T, b []byte) {
		explain(t, b, Config{Objects: true})
	})
}

// FuzzDatagrams leaves the frames alone, so that it gets to the messages: pairs of
// datagrams of a connection.
func FuzzDatagrams(f *testing.F) {
	for _, name := range []string{golden.Join, golden.Join6} {
		for i, g := range golden.Datagrams(f, name) {
			if i%20 == 0 {
				f.Add(g.B, g.B, g.ToServer)
			}
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte, toServer bool) {
		var out, js []byte
		d := New(Config{Objects: true}, func(r *Record) {
			out = r.AppendText(out)
			js = r.AppendJSON(js)
		})
		for i, x := range [][]byte{a, b, a} {
			src, dst := clientAddr, serverAddr
			if toServer != (i == 1) {
				src, dst = dst, src
			}
			d.Feed(&Datagram{Src: src, Dst: dst, Payload: bytes.Clone(x)})
		}
		checkSafe(t, out, js)
	})
}

func BenchmarkGolden(b *testing.B) {
	file := golden.File(b, golden.Join)
	b.SetBytes(int64(len(file)))
	for range b.N {
		var line []byte
		d := New(Config{}, func(r *Record) { line = r.AppendText(line[:0]) })
		if err := ReadCapture(bytes.NewReader(file), d.Feed); err != nil {
			b.Fatal(err)
		}
	}
}
