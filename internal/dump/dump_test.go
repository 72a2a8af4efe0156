package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// capture returns the datagrams of a capture.
func capture(t testing.TB, name string) (all []Datagram) {
	t.Helper()
	err := ReadCapture(bytes.NewReader(golden.File(t, name)), func(g *Datagram) {
		all = append(all, *g)
		all[len(all)-1].Payload = bytes.Clone(g.Payload)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// explain dumps datagrams as text and as JSON, and checks that neither can harm a terminal.
func explain(t testing.TB, datagrams []Datagram, cfg Config) (string, Stats) {
	t.Helper()
	var text, js []byte
	d := New(cfg, func(r *Record) {
		text = r.AppendText(text)
		js = r.AppendJSON(js)
	})
	for _, g := range datagrams {
		g.Payload = bytes.Clone(g.Payload)
		d.Feed(&g)
	}
	checkSafe(t, text, js)
	return string(text), d.Stats()
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

// TestJoinedDatagrams joins datagrams as a server gives them to the system. They must be explained
// like separate datagrams.
func TestJoinedDatagrams(t *testing.T) {
	for _, name := range []string{golden.Join, golden.Join6} {
		apart := capture(t, name)
		var joined []Datagram
		n := 0
		for i := range apart {
			g := &apart[i]
			g.Time = 0
			if i > 0 && g.Src == apart[i-1].Src && isCompressed(name, g.Payload) && isCompressed(name, apart[i-1].Payload) {
				last := &joined[len(joined)-1]
				last.Payload = slices.Concat(last.Payload, make([]byte, i%50), g.Payload)
				n++
				continue
			}
			joined = append(joined, *g)
		}
		if n < 10 {
			t.Fatalf("%s: only %d are joined", name, n)
		}
		want, _ := explain(t, apart, Config{Objects: true})
		got, stats := explain(t, joined, Config{Objects: true})
		if got != want {
			t.Errorf("%s: explained as\n%s\nwant\n%s", name, got, want)
		}
		if stats.Faults > 0 || stats.Datagrams != len(apart) {
			t.Errorf("%s: %+v, want %d datagrams", name, stats, len(apart))
		}
	}
}

func isCompressed(capture string, b []byte) bool {
	if capture == golden.Join6 {
		return packet.IsCompressed6(b)
	}
	return packet.IsCompressed(b) && b[0]&byte(packet.FlagConnless<<2) == 0
}

func TestGoldenCapture(t *testing.T) {
	text, stats := explain(t, capture(t, golden.Join), Config{Objects: true})
	want := Stats{Datagrams: 743, Connections: 1, Messages: 1061, Snapshots: 417}
	if stats != want {
		t.Errorf("%+v, want %+v", stats, want)
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

// packets are datagrams between a client and a server.
type packets []Datagram

var (
	clientAddr = netip.MustParseAddrPort("10.0.0.9:50000")
	serverAddr = netip.MustParseAddrPort("10.0.0.1:8303")
)

func (p *packets) add(toServer bool, b []byte) {
	src, dst := clientAddr, serverAddr
	if !toServer {
		src, dst = dst, src
	}
	p.between(src, dst, b)
}

func (p *packets) between(src, dst netip.AddrPort, b []byte) {
	*p = append(*p, Datagram{Src: src, Dst: dst, Payload: b})
}

const clientToken, serverToken = 0x11111111, 0x22222222

// begin opens a connection.
func (p *packets) begin() {
	p.add(true, packet.AppendTokenRequest(nil, clientToken))
	p.add(false, packet.AppendTokenReply(nil, clientToken, serverToken))
	p.add(true, packet.AppendConnect(nil, serverToken, clientToken))
	p.add(false, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept))
}

// send adds a packet of messages. The vital ones get consecutive sequence numbers from seq on.
func (p *packets) send(toServer bool, ack, seq int, msgs ...msg7.Message) {
	var payload []byte
	for _, m := range msgs {
		flags := packet.ChunkFlags(0)
		if m.ID().Desc().Vital {
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
	p.add(toServer, packet.AppendPacket(nil, 0, ack, len(msgs), token, payload))
}

// TestFaults breaks one thing at a time. The dump must name each fault, and the line after it must
// be right again.
func TestFaults(t *testing.T) {
	say := &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("fine")}
	chat := &msg7.SvChat{Mode: msg7.ChatAll, Message: []byte("fine")}
	raw := func(toServer bool, n int, payload ...byte) func(*packets) {
		return func(p *packets) {
			p.add(toServer, packet.AppendPacket(nil, 0, 0, n, map[bool]packet.Token{true: serverToken, false: clientToken}[toServer], payload))
		}
	}
	for name, c := range map[string]struct {
		do   func(p *packets)
		want string
	}{
		"nothing": {func(*packets) {}, ""},
		"wrong token": {func(p *packets) { p.add(true, packet.AppendControl(nil, 0, 7, packet.ControlKeepAlive)) },
			"token 00000007, but the receiver assigned 22222222"},
		"wrong ack": {func(p *packets) { p.add(true, packet.AppendControl(nil, 9, serverToken, packet.ControlKeepAlive)) },
			"acknowledges 9, but the last sent was 0"},
		"short chunk":    {raw(true, 2, packet.AppendChunk(nil, 0, 0, say.Append(nil))...), "the header announces 2 chunks, but 1 are complete"},
		"too much":       {raw(true, 0, 1, 2, 3), "3 bytes follow the last of 0 chunks"},
		"unknown":        {raw(true, 1, packet.AppendChunk(nil, 0, 0, []byte{0xbf, 0x01})...), "unknown"},
		"no message":     {raw(true, 1, packet.AppendChunk(nil, 0, 0, nil)...), "!!"},
		"left over":      {raw(true, 1, packet.AppendChunk(nil, packet.ChunkVital, 1, append(say.Append(nil), 1, 2))...), "2 bytes too many"},
		"not vital":      {raw(true, 1, packet.AppendChunk(nil, 0, 0, say.Append(nil))...), "not vital"},
		"out of range":   {raw(true, 1, packet.AppendChunk(nil, packet.ChunkVital, 1, (&msg7.ClEmoticon{Emoticon: 99}).Append(nil))...), "Cl_Emoticon"},
		"wrong side":     {func(p *packets) { p.send(false, 0, 1, say) }, "wrong side"},
		"gap":            {func(p *packets) { p.send(false, 0, 5, chat) }, "sequence 5 follows 0: 4 vital chunks are not in the capture"},
		"no protocol":    {func(p *packets) { p.add(true, []byte{1}) }, "unknown protocol"},
		"server CONNECT": {func(p *packets) { p.add(false, packet.AppendConnect(nil, clientToken, serverToken)) }, "servers do not send CONNECT"},
		"short request":  {func(p *packets) { p.add(true, packet.AppendTokenRequest(nil, 5)[:20]) }, "bytes; servers answer requests of at least 512"},
		"wrong delta":    {func(p *packets) { p.send(false, 0, 1, &msg7.SnapSingle{Tick: 1, DeltaTick: 2, Data: []byte{1, 2}}) }, "snapshot: delta truncated"},
		"wrong checksum": {func(p *packets) {
			p.send(false, 0, 1, &msg7.SnapSingle{Tick: 1, DeltaTick: 2, CRC: 5, Data: []byte{0, 0, 0}})
		}, "the checksum of the snapshot is 0, not 5"},
		"no base": {func(p *packets) { p.send(false, 0, 1, &msg7.SnapEmpty{Tick: 9, DeltaTick: 2}) }, `unresolved="its base, tick 7, is not in the capture"`},
		"harm":    {func(p *packets) { p.add(true, packet.AppendClose(nil, 0, serverToken, "\x1b[2Jbye\u0085\u202e")) }, "bye"},
		"info": {func(p *packets) {
			p.add(false, packet.AppendConnless(nil, 1, 2, []byte("\xff\xff\xff\xffinf3\x01x")))
		}, "inf3"},
	} {
		t.Run(name, func(t *testing.T) {
			var p packets
			p.begin()
			c.do(&p)
			p.add(false, packet.AppendControl(nil, 0, clientToken, packet.ControlKeepAlive))
			text, stats := explain(t, p, Config{Objects: true})
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			if !strings.Contains(text, c.want) || !strings.Contains(lines[len(lines)-1], "KEEPALIVE") {
				t.Errorf("want %q:\n%s", c.want, text)
			}
			if c.want == "" && stats.Faults != 0 {
				t.Errorf("faults where there are none:\n%s", text)
			}
		})
	}
}

// TestServerIsFound checks how dump finds out which address of a capture is the server: by the
// first datagram, by other connections of the address, or by the port.
func TestServerIsFound(t *testing.T) {
	other := netip.MustParseAddrPort("10.0.0.7:40000")
	var p packets
	p.begin()
	p.between(serverAddr, other, packet.AppendControl(nil, 0, clientToken, packet.ControlKeepAlive)) // a client that joined before the capture
	p.between(other, serverAddr, packet.AppendControl(nil, 0, serverToken, packet.ControlKeepAlive))
	p.between(other, netip.MustParseAddrPort("10.0.0.2:53"), []byte("no game"))
	text, stats := explain(t, p, Config{})
	if stats.Connections != 3 {
		t.Fatalf("%+v", stats)
	}
	for _, want := range []string{"#5 2< control KEEPALIVE", "#6 2> control KEEPALIVE", "#7 3> "} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q:\n%s", want, text)
		}
	}
	if _, stats := explain(t, p, Config{Port: 8303}); stats.Datagrams != 6 || stats.Faults != 0 {
		t.Errorf("with a port: %+v", stats)
	}
	text, _ = explain(t, p, Config{Port: 50000})
	if !strings.Contains(text, "#1 1< control TOKEN") {
		t.Errorf("the port that was given is not the server's:\n%s", text)
	}
}

// TestOtherProtocols checks that packets of other protocols are named but not explained.
func TestOtherProtocols(t *testing.T) {
	var p packets
	p.between(clientAddr, netip.MustParseAddrPort("10.0.0.1:27015"), []byte("\xff\xff\xff\xffTSource Engine Query\x00"))
	text, stats := explain(t, p, Config{})
	if stats.Faults != 0 || strings.Count(text, " other ") != 1 {
		t.Errorf("%+v\n%s", stats, text)
	}
}

// TestDamagedCapture checks that the complete part of a file that is cut off is explained.
func TestDamagedCapture(t *testing.T) {
	file := golden.File(t, golden.Join)
	for size, want := range map[int]int{0: 0, 24: 0, 1000: 2, len(file) - 1: 742} {
		n := 0
		err := ReadCapture(bytes.NewReader(file[:size]), func(*Datagram) { n++ })
		if (err == nil) != (size == 24) || err != nil && !errors.Is(err, ErrCapture) || n != want {
			t.Errorf("%d bytes: %d datagrams, %v", size, n, err)
		}
	}
	// A fragment, a broken packet and a packet of another protocol.
	const ethernet, ip = 24 + 16, 24 + 16 + 14
	for want, change := range map[string]func(){
		"a fragment of a datagram": func() { file[ip+6] = 0x20 },
		"malformed packet":         func() { file[ip+6], file[ip] = 0, 0x41 },
		"":                         func() { file[ethernet+12] = 1 },
	} {
		file = golden.File(t, golden.Join)
		change()
		faults := ""
		ReadCapture(bytes.NewReader(file[:1000]), func(g *Datagram) { faults += g.Fault })
		if !strings.Contains(faults, want) || want == "" && faults != "" {
			t.Errorf("%q, want %q", faults, want)
		}
	}
	text, _ := explain(t, []Datagram{{Src: clientAddr, Dst: serverAddr, Payload: []byte("x"), Missing: 5}, {Fault: "broken"}}, Config{})
	if !strings.Contains(text, "5 of 6 bytes are not in the capture") || !strings.Contains(text, "#2 capture bytes=0 !! broken") {
		t.Error(text)
	}
}

// TestManyConnections checks that the Decoder's memory has a limit.
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

// TestEmptyPacket checks that the first packet of a connection may be without chunks.
func TestEmptyPacket(t *testing.T) {
	b := packet.AppendHeader(nil, 0, 0, 0, 0x01020304)
	text, stats := explain(t, []Datagram{{Src: clientAddr, Dst: serverAddr, Payload: b}}, Config{})
	if stats.Datagrams != 1 || stats.Faults != 0 || !strings.Contains(text, "chunks=0") {
		t.Errorf("%s%+v", text, stats)
	}
}

// FuzzDatagrams explains pairs of datagrams of a connection.
func FuzzDatagrams(f *testing.F) {
	for _, name := range []string{golden.Join, golden.Join6} {
		for i, g := range golden.Datagrams(f, name) {
			if i%20 == 0 {
				f.Add(g.B, g.B, g.ToServer)
			}
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte, toServer bool) {
		var p packets
		p.add(toServer, a)
		p.add(!toServer, b)
		p.add(toServer, a)
		explain(t, p, Config{Objects: true})
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

// TestParametersHaveNames checks that game messages show the parameters of their kind, and that
// tunings show the names of the parameters.
func TestParametersHaveNames(t *testing.T) {
	tuning := msg7.SvTuneParams{}
	tuning.Params[12] = 50
	for _, tt := range []struct {
		m    any
		want string
	}{
		{&msg7.SvGameMsg{Kind: msg7.GameMsgTeamSwap}, "Kind=TeamSwap"},
		{&msg7.SvGameMsg{Kind: msg7.GameMsgTeamAll, Params: [3]int32{-1}}, "Kind=TeamAll Team=Spectators"},
		{&msg7.SvGameMsg{Kind: msg7.GameMsgGamePaused, Params: [3]int32{5}}, "Kind=GamePaused ClientID=5"},
		{&msg7.SvGameMsg{Kind: msg7.GameMsgCTFCapture, Params: [3]int32{1, 2, 300}}, "Kind=CTFCapture Team=Blue ClientID=2 Ticks=300"},
		{&tuning, "gravity=50 velramp_start=0"},
		{&msg7.DeTuneParams{Params: tuning.Params}, "gravity=50 velramp_start=0"},
		{&msg6.SvTuneParams{Params: make([]int32, 48)}, "laser_damage=0 player_collision=0"},
		{&msg6.SvTuneParams{Params: make([]int32, 48)}, "ground_elasticity_y=0 47=0"},
	} {
		got := string(fieldsOf(tt.m).appendText(nil))
		if !strings.Contains(got, tt.want) || strings.HasPrefix(tt.want, "Kind") && strings.TrimSpace(got) != tt.want {
			t.Errorf("%T: %s, want %s", tt.m, got, tt.want)
		}
	}
	for kind := msg7.GameMsgTeamSwap; kind <= msg7.GameMsgGamePaused; kind++ {
		if len(kind.ParamNames()) != kind.Params() {
			t.Errorf("%v has %d parameters and the names %v", kind, kind.Params(), kind.ParamNames())
		}
	}
}

// TestTrafficOfDDNet20 explains captures of DDNet 20.1, in which nothing is wrong: a client that
// speaks 0.7 and sends DDNet's messages, and a server with 128 slots that was captured from the
// middle of a game on.
func TestTrafficOfDDNet20(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
	}{
		{"ddnet-20.1-client-over-0.7.pcap", []string{
			`1> system CLIENTVER vital=1 ack=0 bytes=47 ConnectionID=064f9036-4742-456d-a84d-7ce1a1d8e5c3 Version=20010 Text="DDNet 20.1"`,
			"1> game Cl_ShowOthers", "1> game Cl_EnableSpectatorCount",
			"1> game Cl_ShowDistance vital=14 ack=22 bytes=21 X=1356 Y=847", "1> game Cl_CameraInfo",
		}},
		{"ddnet-20.1-midgame.pcap", []string{"#1 1< system SNAPSINGLE", "#2 1> system INPUT", "PlayerSlots=128", "MaxClients=128"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			var all []Datagram
			file := testenv.Must(os.ReadFile(filepath.Join("testdata", c.file)))
			if err := ReadCapture(bytes.NewReader(file), func(g *Datagram) {
				all = append(all, *g)
				all[len(all)-1].Payload = bytes.Clone(g.Payload)
			}); err != nil {
				t.Fatal(err)
			}
			text, stats := explain(t, all, Config{})
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("missing %q", want)
				}
			}
			if stats.Faults != 0 || stats.Datagrams < 40 {
				t.Errorf("%+v", stats)
			}
		})
	}
}

// TestSidesInMidGame checks that the first message that only one side sends shows which side is the
// server, even after packets without messages.
func TestSidesInMidGame(t *testing.T) {
	var p packets
	p.between(serverAddr, clientAddr, packet.AppendControl(nil, 0, clientToken, packet.ControlKeepAlive))
	p.send(false, 0, 1, &msg7.InputTiming{IntendedTick: 5})
	p.send(true, 0, 1, &msg7.ClKill{})
	text, stats := explain(t, p, Config{})
	for _, want := range []string{"#1 1> control KEEPALIVE", "#2 1< system INPUTTIMING", "#3 1> game Cl_Kill"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q:\n%s", want, text)
		}
	}
	if stats.Connections != 1 || stats.Faults != 0 {
		t.Errorf("%+v\n%s", stats, text)
	}
}
