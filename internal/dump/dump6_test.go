package dump

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

func TestGoldenCapture6(t *testing.T) {
	text, stats := explain(t, capture(t, golden.Join6), Config{Objects: true})
	// The client asks for the server's information from a second socket.
	want := Stats{Datagrams: 1058, Connections: 2, Messages: 1543, Snapshots: 580}
	if stats != want {
		t.Errorf("%+v, want %+v", stats, want)
	}
	for _, part := range []string{
		"#1 1> control CONNECT ack=0 bytes=12 tokens=trailer", "#2 1< control CONNECTACCEPT", "tokens=trailer token=002c669a", "#3 1> control ACCEPT",
		"1> control CLOSE", `1> system CLIENTVER vital=1 ack=0 bytes=47 ConnectionID=b89cfce9-df84-434f-a1e2-04c3ad3736c3 Version=16040 Text="DDNet 16.4"`,
		"1< system MAP_CHANGE vital=4 ack=2 bytes=12 Name=dm1 CRC=-233464210 Size=5805",
		`Message="hello world"`, "1< game Sv_TuneParams vital=8 ack=4 bytes=101 Params={ground_control_speed=1000 ground_control_accel=200 ground_friction=50",
		"connless gie3 bytes=15 extra=30435 Token=35", `connless iext bytes=121 texts=[7791395 "0.6.4, 16.4" "My DDNet server" dm1`,
		"Input={Direction=0 TargetX=1 TargetY=0 Jump=0", "ClientInfo 0={Name=capture", "GameInfoEx 0={Flags=", "DDNetCharacter 0={Flags=",
		"Ex 32767={UUID=", "DDNetLaser ", "Missing=3",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("missing: %s", part)
		}
	}
	if strings.Contains(text, "!!") || strings.Contains(text, " other ") {
		t.Error("something is said to be wrong with a good capture")
	}
}

// TestWithoutHandshake6 explains a capture that begins after the handshake.
func TestWithoutHandshake6(t *testing.T) {
	text, stats := explain(t, capture(t, golden.Join6)[10:], Config{Port: 8312})
	if stats.Faults != 0 || stats.Messages < 1500 || stats.Snapshots < 500 {
		t.Errorf("%+v", stats)
	}
	if !strings.Contains(text, "control CLOSE") || strings.Contains(text, " ? ") {
		t.Error("the end is not read well")
	}
}

// six builds a 0.6 connection with its token in one of the possible places.
type six struct {
	packets
	guard packet.PlacedToken
}

func (p *six) begin() {
	p.add(true, packet.AppendConnect6(nil, p.guard.Place, clientToken))
	p.add(false, packet.AppendAccept6(nil, p.guard, clientToken))
	if p.guard.Place == packet.TokenInTrailer {
		p.control(true, 0, packet.ControlClientAccept)
	}
}

func (p *six) control(toServer bool, ack int, id packet.ControlID) {
	p.add(toServer, packet.AppendControl6(nil, ack, p.guard, id))
}

func (p *six) raw(toServer bool, n int, payload []byte) {
	room := append(make([]byte, 0, len(payload)+packet.TokenTrailerSize), payload...)
	p.add(toServer, packet.AppendPacket6(nil, 0, 0, n, p.guard, room))
}

func (p *six) send(toServer bool, seq int, msgs ...msg6.Message) {
	var payload []byte
	for _, m := range msgs {
		flags := packet.ChunkFlags(0)
		if m.ID().Desc().Vital {
			flags = packet.ChunkVital
		}
		payload = packet.AppendChunk6(payload, flags, seq, m.Append(nil))
		if flags != 0 {
			seq++
		}
	}
	p.raw(toServer, len(msgs), payload)
}

// TestPlaces6 follows connections with tokens in each place.
func TestPlaces6(t *testing.T) {
	for place, name := range placeNames {
		p := six{guard: packet.PlacedToken{Place: place, Token: serverToken}}
		p.begin()
		p.send(true, 1, &msg6.Info{NetVersion: []byte(msg6.NetVersion)})
		p.send(false, 1, &msg6.MapChange{Name: []byte("dm1")})
		p.add(true, packet.AppendPacket6(nil, packet.FlagResend, 1, 0, p.guard, nil))
		p.control(false, 1, packet.ControlKeepAlive)
		p.add(true, packet.AppendClose6(nil, 1, p.guard, "bye"))
		// Repeat that with a CONNECT that is sent twice.
		p.begin()
		p.add(true, packet.AppendConnect6(nil, p.guard.Place, clientToken))
		p.send(true, 1, &msg6.Info{})
		p.send(false, 1, &msg6.SvMotd{})
		p.control(true, 1, packet.ControlKeepAlive)
		// A client that connects again without closing.
		p.begin()
		p.send(true, 1, &msg6.Info{})
		p.control(false, 1, packet.ControlKeepAlive)
		p.add(true, packet.AppendClose6(nil, 0, p.guard, ""))
		text, stats := explain(t, p.packets, Config{})
		if stats.Faults != 0 || stats.Messages != 5 || strings.Contains(text, "again") {
			t.Errorf("%s: %+v\n%s", name, stats, text)
		}
		for _, want := range []string{"CONNECT ack=0", "tokens=" + name, "system MAP_CHANGE vital=1", "asks-resend", "KEEPALIVE", "reason=bye"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: missing %q:\n%s", name, want, text)
			}
		}
		// The same without the handshake.
		var q six
		q.guard = p.guard
		q.control(true, 0, packet.ControlKeepAlive)
		q.add(true, packet.AppendClose6(nil, 1, q.guard, "bye"))
		if text, stats := explain(t, q.packets, Config{}); stats.Faults != 0 || !strings.Contains(text, "reason=bye") {
			t.Errorf("%s: %s", name, text)
		}
		q = six{guard: p.guard}
		q.add(true, packet.AppendClose6(nil, 1, q.guard, "bye"))
		if text, stats := explain(t, q.packets, Config{}); stats.Faults != 0 || !strings.Contains(text, "reason=bye") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestFaults6 breaks one thing at a time, as TestFaults does.
func TestFaults6(t *testing.T) {
	say := &msg6.ClSay{Message: []byte("fine")}
	other := packet.PlacedToken{Place: packet.TokenInTrailer, Token: 7}
	snap := func(m msg6.Message) func(*six) { return func(p *six) { p.send(false, 1, m) } }
	raw := func(n int, flags packet.ChunkFlags, b ...byte) func(*six) {
		return func(p *six) { p.raw(true, n, packet.AppendChunk6(nil, flags, 1, b)) }
	}
	pickup := func(n int) []byte {
		var b snapshot.Builder
		b.Add(msg6.TypeEx, 0x7fff, msg6.SizeEx)
		b.Add(0x7ffe, 0, 2)
		u, _ := msg6.TypeUUID(msg6.TypeDDNetPickup)
		(&msg6.Ex{UUID: u}).PutInts(b.Add(msg6.TypeEx, 0x7ffd, msg6.SizeEx))
		b.Add(0x7ffd, 5, n)
		var s snapshot.Snapshot
		b.Finish(&s)
		sizes := snapshot.ItemSizes(msg6.Sizes)
		delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
		return (&msg6.SnapSingle{Tick: 1, DeltaTick: 2, CRC: s.CRC(), Data: delta}).Append(nil)
	}
	for name, c := range map[string]struct {
		do   func(p *six)
		want string
	}{
		"nothing": {func(*six) {}, ""},
		"wrong token": {func(p *six) { p.add(true, packet.AppendControl6(nil, 0, other, packet.ControlKeepAlive)) },
			"token 00000007, but the connection's token is 22222222"},
		"no token": {func(p *six) {
			p.add(true, packet.AppendControl6(nil, 0, packet.PlacedToken{}, packet.ControlKeepAlive))
		}, "no token; the connection's token is 22222222"},
		"token in the header": {func(p *six) {
			g := packet.PlacedToken{Place: packet.TokenInHeader, Token: serverToken}
			p.add(true, packet.AppendPacket6(nil, packet.FlagResend, 0, 0, g, make([]byte, 4)))
		}, "a token in the header"},
		"wrong ack":            {func(p *six) { p.control(true, 9, packet.ControlKeepAlive) }, "acknowledges 9, but the last sent was 0"},
		"unknown control":      {func(p *six) { p.control(true, 0, 77) }, "unknown control message"},
		"server CONNECT":       {func(p *six) { p.add(false, packet.AppendConnect6(nil, packet.TokenInTrailer, 1)) }, "servers do not send CONNECT"},
		"client CONNECTACCEPT": {func(p *six) { p.add(true, packet.AppendAccept6(nil, p.guard, 1)) }, "clients do not send CONNECTACCEPT"},
		"server ACCEPT":        {func(p *six) { p.control(false, 0, packet.ControlClientAccept) }, "servers do not send ACCEPT"},
		"no payload":           {func(p *six) { p.add(true, []byte{0x10, 0, 0}) }, "!!"},
		"short chunk": {func(p *six) { p.raw(true, 2, packet.AppendChunk6(nil, 0, 0, []byte{1})) },
			"the header announces 2 chunks, but 1 are complete"},
		"too much": {func(p *six) {
			p.raw(true, 1, append(packet.AppendChunk6(nil, packet.ChunkVital, 1, say.Append(nil)), 1, 2, 3))
		}, "3 bytes follow the last of 1 chunks"},
		"unknown": {raw(1, 0, 0xbf, 0x01), "msg6: system message 63: unknown"},
		"unknown UUID": {raw(1, 0, append([]byte{1}, "0123456789abcdefmore"...)...),
			"system EX ack=0 bytes=21 UUID=30313233-3435-3637-3839-616263646566 hex=6d6f7265"},
		"unknown UUID, game": {raw(1, 0, append([]byte{0}, "0123456789abcdef"...)...), "game GAME_EX"},
		"left over":          {raw(1, packet.ChunkVital, append(say.Append(nil), 1, 2)...), "2 bytes too many"},
		"not vital":          {raw(1, 0, say.Append(nil)...), "not vital"},
		"out of range":       {raw(1, packet.ChunkVital, (&msg6.ClEmoticon{Emoticon: 99}).Append(nil)...), "Cl_Emoticon"},
		"wrong side":         {func(p *six) { p.send(false, 1, say) }, "wrong side"},
		"gap":                {func(p *six) { p.send(true, 5, say) }, "sequence 5 follows 0"},
		"wrong delta":        {snap(&msg6.SnapSingle{Tick: 1, DeltaTick: 2, Data: []byte{1, 2}}), "snapshot: delta truncated"},
		"wrong checksum":     {snap(&msg6.SnapSingle{Tick: 1, DeltaTick: 2, CRC: 5, Data: []byte{0, 0, 0}}), "the checksum of the snapshot is 0, not 5"},
		"no base":            {snap(&msg6.SnapEmpty{Tick: 9, DeltaTick: 2}), `unresolved="its base, tick 7, is not in the capture"`},
		"object too small": {func(p *six) { p.raw(false, 1, packet.AppendChunk6(nil, 0, 0, pickup(4))) },
			"DDNetPickup 5: msg6: DDNetPickup = 4: wrong size"},
		"object not known":      {func(p *six) { p.raw(false, 1, packet.AppendChunk6(nil, 0, 0, pickup(5))) }, `"type 32766 0"=[0 0]`},
		"request without token": {func(p *six) { p.add(true, packet.AppendConnless6(nil, []byte("\xff\xff\xff\xffgie3"))) }, "no token: servers do not answer"},
		"text without end": {func(p *six) { p.add(false, packet.AppendConnless6(nil, []byte("\xff\xff\xff\xffinf3a\x00b"))) },
			"the last text has no end"},
		"heartbeat":         {func(p *six) { p.add(false, packet.AppendConnless6(nil, []byte("\xff\xff\xff\xffbea2\x20\x6f"))) }, "bea2 bytes=16 hex=206f"},
		"connless nonsense": {func(p *six) { p.add(false, packet.AppendConnless6(nil, []byte("hi"))) }, "unknown message"},
		"harm":              {func(p *six) { p.add(true, packet.AppendClose6(nil, 0, p.guard, "\x1b[2Jbye\u0085\u202e")) }, "bye"},
	} {
		t.Run(name, func(t *testing.T) {
			p := six{guard: packet.PlacedToken{Place: packet.TokenInTrailer, Token: serverToken}}
			p.begin()
			c.do(&p)
			p.control(false, 0, packet.ControlKeepAlive)
			text, stats := explain(t, p.packets, Config{Objects: true})
			text = strings.ReplaceAll(text, "type 32766 0=", `"type 32766 0"=`)
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

// TestVersionsInTurn uses the same addresses for one version after the other.
func TestVersionsInTurn(t *testing.T) {
	var p six
	p.guard = packet.PlacedToken{Place: packet.TokenInTrailer, Token: serverToken}
	for range 2 {
		p.packets.begin()
		p.packets.send(true, 0, 1, &msg7.Info{NetVersion: []byte(msg7.NetVersion)})
		p.packets.send(false, 1, 1, &msg7.SvTuneParams{}) // this packet is compressed
		p.add(true, packet.AppendClose(nil, 1, serverToken, ""))
		p.begin()
		p.send(true, 1, &msg6.Info{NetVersion: []byte(msg6.NetVersion)})
		p.send(false, 1, &msg6.SvTuneParams{Params: make([]int32, 45)})
		p.add(true, packet.AppendClose6(nil, 1, p.guard, ""))
	}
	text, stats := explain(t, p.packets, Config{})
	if stats.Faults != 0 || stats.Messages != 8 || stats.Connections != 1 {
		t.Errorf("%+v\n%s", stats, text)
	}
	if n := strings.Count(text, "system INFO vital=1"); n != 4 {
		t.Errorf("%d logins:\n%s", n, text)
	}
}

// TestVersionWithoutHandshake checks that a packet which only one version can have settles the
// version. Zeros are sure to be compressed.
func TestVersionWithoutHandshake(t *testing.T) {
	chunk6 := func(m msg6.Message) []byte {
		return packet.AppendPacket6(nil, 0, 0, 1, packet.PlacedToken{}, packet.AppendChunk6(nil, packet.ChunkVital, 1, m.Append(nil)))
	}
	chunk7 := func(m msg7.Message) []byte {
		return packet.AppendPacket(nil, 0, 0, 1, clientToken, packet.AppendChunk(nil, packet.ChunkVital, 1, m.Append(nil)))
	}
	for _, c := range []struct {
		name    string
		guessed int // records before that, which fit both versions
		b       []byte
		want    string
	}{
		{"0.6, guessed wrong", 7, chunk6(&msg6.SvTuneParams{Params: make([]int32, 45)}), "Sv_TuneParams vital=1"},
		{"0.7, guessed wrong", 6, chunk7(&msg7.SvTuneParams{}), "Sv_TuneParams vital=1"},
		{"0.6", 0, chunk6(&msg6.SvMotd{}), "Sv_Motd vital=1"},
		{"0.7", 0, chunk7(&msg7.SvMotd{}), "Sv_Motd vital=1"},
	} {
		var text []byte
		d := New(Config{Port: serverAddr.Port()}, func(r *Record) { text = r.AppendText(text) })
		g := Datagram{Src: serverAddr, Dst: clientAddr, Payload: c.b}
		f, _ := d.flowOf(&g)
		f.version = c.guessed
		d.Feed(&g)
		if !strings.Contains(string(text), c.want) || d.Stats().Faults != 0 {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
