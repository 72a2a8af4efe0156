package server

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// capturedPacket is a datagram of a real program and its chunks.
type capturedPacket struct {
	datagram []byte
	flags    packet.Flags
	chunks   []capturedChunk
}

type capturedChunk struct {
	vital bool
	data  []byte
}

// parsePacket takes a datagram apart. It reports false if the datagram is not a packet of a
// connection of the version.
func parsePacket(version conn.Version, datagram []byte) (c capturedPacket, ok bool) {
	var chunks packet.ChunkReader
	var scratch packet.Scratch
	if version == conn.V6 {
		var p packet.Packet6
		if p.Parse(datagram, &scratch) != nil {
			return c, false
		}
		c.flags, chunks = p.Flags, p.Chunks()
	} else {
		var p packet.Packet
		if p.Parse(datagram, &scratch) != nil {
			return c, false
		}
		c.flags, chunks = p.Flags, p.Chunks()
	}
	if c.flags&packet.FlagConnless != 0 {
		return c, false
	}
	c.datagram, c.flags = datagram, c.flags&^packet.FlagCompressed
	var chunk packet.Chunk
	for c.flags&packet.FlagControl == 0 && chunks.Next(&chunk) {
		c.chunks = append(c.chunks, capturedChunk{chunk.Flags&packet.ChunkVital != 0, bytes.Clone(chunk.Data)})
	}
	return c, true
}

// mutator makes damaged datagrams that pass the check of the token.
type mutator struct {
	rand     *rand.Rand
	packets  []capturedPacket
	messages [][]byte
	payload  []byte
	buf      []byte
}

// newMutator returns a mutator of what real clients of a version sent, and of messages
// of which the captures have none.
func newMutator(tb testing.TB, version conn.Version, seed uint64) *mutator {
	m := &mutator{rand: rand.New(rand.NewPCG(seed, 1))}
	captures, messages := []string{golden.Join, golden.Client16}, []testclient.Message{
		&msg7.Info{NetVersion: []byte(msg7.NetVersion)}, &msg7.Ready{}, &msg7.EnterGame{}, &msg7.RequestMapData{},
		&msg7.RconAuth{Password: []byte("adminpw")}, &msg7.RconCmd{Command: []byte("status; say x; tunes; bans")},
		&msg7.Ping{}, &msg7.PingReply{}, &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("hello\x1b\n")},
		&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 2, Message: []byte("psst")}, &msg7.ClSetTeam{Team: -1}, &msg7.ClSetTeam{},
		&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: -1}, &msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 3},
		&msg7.ClStartInfo{Name: []byte("mutant")}, &msg7.ClKill{}, &msg7.ClReadyChange{}, &msg7.ClEmoticon{Emoticon: 3},
		&msg7.ClVote{Vote: 1}, &msg7.ClCallVote{Type: []byte("kick"), Value: []byte("1")}, &msg7.ClSkinChange{},
		&msg7.ClCommand{Name: []byte("x")},
	}
	if version == conn.V6 {
		captures, messages = []string{golden.Join6}, []testclient.Message{
			&msg6.Info{NetVersion: []byte(msg6.NetVersion)}, &msg6.ClientVer{Version: 16040}, &msg6.Ready{}, &msg6.EnterGame{}, &msg6.RequestMapData{Chunk: 3},
			&msg6.RconAuth{Password: []byte("adminpw")}, &msg6.RconCmd{Command: []byte("status; say x; tunes; bans")},
			&msg6.Ping{}, &msg6.PingReply{}, &msg6.WhatIs{}, &msg6.ItIs{}, &msg6.PingEx{}, &msg6.ClSay{Message: []byte("/w victim psst")},
			&msg6.ClSay{Team: true, Message: []byte("hello\x1b\n")}, &msg6.ClSay{Message: []byte(`/w "victim" psst`)}, &msg6.ClSay{Message: []byte("/c again")},
			&msg6.ClSay{Message: []byte("/ready")}, &msg6.ClSetTeam{Team: -1}, &msg6.ClSetTeam{}, &msg6.ClSetSpectatorMode{SpectatorID: -1},
			&msg6.ClSetSpectatorMode{SpectatorID: 3}, &msg6.ClKill{}, &msg6.ClEmoticon{Emoticon: 3}, &msg6.ClVote{Vote: 1}, &msg6.ClStartInfo{},
			&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("1")},
			&msg6.ClChangeInfo{Profile: msg6.PlayerProfile{Name: []byte("other"), Skin: []byte("coala")}},
			&msg6.ClIsDDNetLegacy{Version: 16040}, &msg6.Input{Size: 40, AckTick: 3},
		}
	}
	for _, name := range captures {
		for _, d := range golden.Datagrams(tb, name) {
			if p, ok := parsePacket(version, d.B); ok && d.ToServer {
				m.packets = append(m.packets, p)
			}
		}
	}
	for _, msg := range messages {
		m.messages = append(m.messages, msg.Append(nil))
	}
	if len(m.packets) < 300 {
		tb.Fatalf("only %d datagrams in the captures", len(m.packets))
	}
	return m
}

// damage changes b in place and returns it, or a shorter slice of it.
func (m *mutator) damage(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	r := m.rand
	switch r.IntN(6) {
	case 0:
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
	case 1:
		b[r.IntN(len(b))] = byte(r.Uint32())
	case 2:
		b = b[:r.IntN(len(b)+1)]
	case 3:
		i := r.IntN(len(b))
		m.fill(b[i:min(len(b), i+1+r.IntN(8))])
	case 4: // a varint at its limits
		limits := [...][]byte{{0xbf, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0x40}, {0x7f}, {0x80, 0x80, 0x80, 0x80, 0x80}}
		copy(b[r.IntN(len(b)):], limits[r.IntN(len(limits))])
	}
	return b
}

// fill fills b with random bytes.
func (m *mutator) fill(b []byte) []byte {
	for i := range b {
		b[i] = byte(m.rand.Uint32())
	}
	return b
}

// next returns a damaged datagram with the token and sequence numbers of a connection.
func (m *mutator) next(c *testclient.Client) []byte {
	r := m.rand
	source := &m.packets[r.IntN(len(m.packets))]
	mutation := r.IntN(16)
	if mutation == 0 && c.Version == conn.V7 { // damage the datagram as a whole, except for its token
		m.buf = m.damage(append(m.buf[:0], source.datagram...))
		if len(m.buf) >= packet.HeaderSize {
			binary.BigEndian.PutUint32(m.buf[3:], uint32(c.Token))
		}
		return m.buf
	}
	ack := c.Ack
	defer func() { c.Ack = ack }()
	if r.IntN(64) == 0 {
		c.Ack = r.IntN(packet.SeqSpace)
	}
	if r.IntN(400) == 0 { // any control message
		m.payload = append(m.payload[:0], byte(r.IntN(7)))
		m.payload = append(m.payload, m.fill(make([]byte, 4*r.IntN(3)))...)
		return c.AppendPacket(m.buf[:0], packet.FlagControl, r.IntN(8)/7, m.payload)
	}
	flags := source.flags
	if mutation > 4 || r.IntN(50) > 0 {
		flags &^= packet.FlagControl
	}
	m.payload = m.payload[:0]
	n := 0
	put := func(vital bool, data []byte) {
		if data = bytes.Clone(data); r.IntN(3) > 0 {
			data = m.damage(data)
		}
		if len(data) <= packet.MaxChunkSize6 && len(m.payload)+len(data) <= 1200 {
			m.payload = c.AppendChunk(m.payload, vital, data)
			n++
		}
	}
	for _, chunk := range source.chunks {
		put(chunk.vital, chunk.data)
	}
	switch mutation {
	case 1, 2: // chunks of two datagrams
		for _, chunk := range m.packets[r.IntN(len(m.packets))].chunks {
			put(chunk.vital, chunk.data)
		}
	case 3, 4, 5: // any message
		for range 1 + r.IntN(3) {
			put(r.IntN(8) > 0, m.messages[r.IntN(len(m.messages))])
		}
	case 6: // a random chunk
		put(r.IntN(2) == 0, m.fill(make([]byte, r.IntN(64))))
	case 7:
		m.payload = m.damage(m.payload)
		n = max(n+r.IntN(3)-1, 0)
	}
	if r.IntN(32) == 0 {
		flags |= packet.FlagResend
	}
	m.buf = c.AppendPacket(m.buf[:0], flags, n&0xff, m.payload)
	if r.IntN(8) == 0 {
		m.buf = m.damage(m.buf)
	}
	return m.buf[:min(len(m.buf), packet.MaxDatagram)]
}

// mutations returns how many damaged datagrams a test feeds: TEEYARD_MUTATIONS if it is
// set, else usual, a twentieth of that outside of CI, or 20 times that with TEEYARD_FULL=1.
func mutations(usual int) int {
	usual = testenv.Amount(usual/20, usual)
	if testenv.Full() {
		usual *= 20
	}
	if n, err := strconv.Atoi(os.Getenv("TEEYARD_MUTATIONS")); err == nil {
		usual = n
	}
	return usual
}

// feedOrFail feeds a datagram, and fails the test with its bytes if that panics.
func feedOrFail(t *testing.T, feed func(b []byte), b []byte) {
	defer func() {
		if e := recover(); e != nil {
			t.Fatalf("datagram %x: %v", b, e)
		}
	}()
	feed(b)
}

// TestMutatedPackets feeds the server damaged datagrams of real clients, in sessions of
// all states. The server neither panics nor grows, and a newcomer can play afterwards.
func TestMutatedPackets(t *testing.T) {
	testenv.OneGoroutine(t)
	t.Run("0.7", func(t *testing.T) { testMutatedPackets(t, mutations(600_000), client07) })
	t.Run("0.6", func(t *testing.T) {
		testMutatedPackets(t, mutations(200_000), client06DDNet, client065, client06)
	})
}

func testMutatedPackets(t *testing.T, total int, kinds ...testclient.Config) {
	ts := newTestServer(t, nil)
	m := newMutator(t, kinds[0].Version, 99)
	var clients [6]*testclient.Client
	port, sessions, playing, early := 1000, 0, 0, uint64(0)
	for fed := range total {
		i := fed % len(clients)
		c := clients[i]
		if c == nil || ts.session(c) == nil {
			if c != nil {
				delete(ts.clients, c.Peer)
			}
			port = 1000 + (port-999)%60000
			c = ts.connectAs(kinds[sessions%len(kinds)], local(port))
			clients[i] = c
			sessions++
			switch { // sessions are attacked in all states
			case i == 0 && c.Handshake != conn.HandshakeHeaderToken: // whose session begins with INFO
			case i <= 1:
				c.Info()
			case i == 2:
				c.Info().Ready()
			default:
				c.Join("victim")
			}
		}
		if s := ts.session(c); s != nil && s.state == stateInGame {
			playing++
		}
		feedOrFail(t, func(b []byte) { ts.srv.Feed(ts.now, c.Peer, b) }, m.next(c))
		c.Seq = c.ServerAck // the server need not wait for what it has dropped
		if s := ts.session(c); s != nil {
			s.limits = sessionLimits{} // rate limits would hide what is behind them
		}
		if fed%64 == 0 {
			ts.step(1)
			if ts.srv.shutdown.requested {
				t.Fatal("the server stops")
			}
		}
		if fed == total/4 {
			ts.log.Reset()
			early = heapInUse()
		}
		if ts.log.Len() > 1<<20 {
			ts.log.Reset()
		}
	}
	ts.log.Reset()
	late := heapInUse()
	t.Logf("%d mutated datagrams in %d sessions, %d%% while playing; heap %d -> %d KB; drops %v",
		total, sessions, 100*playing/total, early>>10, late>>10, ts.srv.Drops())
	if late > early+16<<20 {
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
	if playing < total/4 || ts.srv.Drops()["message"] == 0 || sessions < total/4000 {
		t.Errorf("%d sessions, %d of %d datagrams were for players; drops %v", sessions, playing, total, ts.srv.Drops())
	}
	if len(ts.srv.sessionByPeer) > len(clients) {
		t.Errorf("%d sessions for %d clients", len(ts.srv.sessionByPeer), len(clients))
	}
	newcomer := ts.join(ip(1), "newcomer")
	ts.step(50)
	if newcomer.Snapshots == 0 {
		t.Error("no snapshots for a newcomer")
	}
	checkSeats(t, ts.srv)
}

// FuzzServer takes a client of some kind some steps into the game, where it sends b as a
// chunk and as a datagram. The same datagram comes from an address without a session.
func FuzzServer(f *testing.F) {
	kinds := []testclient.Config{client07, client06DDNet, client06, client065}
	for kind, cfg := range kinds {
		m := newMutator(f, cfg.Version, 1)
		for i, b := range m.messages {
			f.Add(uint8(kind), uint8(i), b)
		}
		for i, p := range m.packets {
			if i%97 == 0 {
				f.Add(uint8(kind), uint8(i), p.datagram)
			}
		}
	}
	ts := newTestServerWith(f, Config{Mods: []func() game.Mod{func() game.Mod { return &loudMod{} }}})
	port := 1000
	f.Fuzz(func(t *testing.T, kind, stage uint8, b []byte) {
		if len(b) > packet.MaxDatagram {
			return
		}
		ts.tb = t
		port = 1000 + (port-999)%60000
		c := ts.connectAs(kinds[int(kind)%len(kinds)], local(port))
		for i, step := range []func(){func() { c.Info() }, func() { c.Ready() }, func() { c.StartInfo("fuzz") }, func() { c.EnterGame() }} {
			if i < int(stage&7) {
				step()
			}
		}
		ts.step(1)
		if len(b) <= packet.MaxChunkSize6 {
			vital := stage&0x40 != 0
			payload := c.AppendChunk(c.AppendChunk(nil, vital, b), vital, b[:len(b)/2])
			if len(payload) <= packet.MaxPayload6 {
				ts.feed(c.Peer, c.AppendPacket(nil, 0, 2, payload))
			}
		}
		datagram := bytes.Clone(b)
		if len(b) >= packet.HeaderSize && stage&0x80 == 0 {
			binary.BigEndian.PutUint32(datagram[3:], uint32(c.Token))
		}
		stranger := local(port + 1)
		ts.feed(c.Peer, datagram)
		ts.feed(stranger, datagram)
		ts.step(1)
		c.Close("")
		for _, p := range []transport.Peer{c.Peer, stranger} {
			if s := ts.srv.sessionByPeer[p]; s != nil {
				s.drop("")
			}
		}
		ts.step(2)
		delete(ts.clients, c.Peer)
		checkSeats(t, ts.srv)
		ts.log.Reset()
	})
}

// TestClientMutatedPackets feeds a playing client damaged datagrams of its server.
func TestClientMutatedPackets(t *testing.T) {
	testenv.OneGoroutine(t)
	total := mutations(300_000)
	const token = 0x01020304
	ts := newTestServer(t, nil)
	peer := local(999)
	// framing makes packets as the server does: 0.7 has the same in both directions.
	framing := testclient.New(testclient.Config{})
	framing.Token = token
	var toServer, toClient, recorded [][]byte
	acknowledged := 0 // by the client
	c, err := client.NewSession(client.SessionConfig{
		Name:  "victim",
		Token: func() packet.Token { return token },
		Send: func(b []byte) {
			var p packet.Packet
			if p.ParseHeader(b) == nil && p.Flags&packet.FlagConnless == 0 {
				acknowledged = p.Ack
			}
			toServer = append(toServer, bytes.Clone(b))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	send := ts.send
	ts.send = func(to transport.Peer, b []byte) {
		if to != peer {
			send(to, b)
			return
		}
		var p packet.Packet
		if p.ParseHeader(b) == nil && p.Flags&packet.FlagConnless == 0 {
			framing.Ack = p.Ack
		}
		toClient = append(toClient, bytes.Clone(b))
		recorded = append(recorded[max(0, len(recorded)-4096):], bytes.Clone(b))
	}
	var others []*testclient.Client
	for i := range 4 {
		others = append(others, ts.join(local(1000+i), "other"))
	}
	inputs := rand.New(rand.NewPCG(1, 2))
	tick := func() {
		for _, other := range others {
			ts.input(other, msg7.PlayerInput{Direction: int32(inputs.IntN(3) - 1), TargetX: 1, Fire: int32(inputs.IntN(64)), Jump: inputs.IntN(2) == 0})
		}
		ts.step(1)
		for len(toServer)+len(toClient) > 0 {
			for _, b := range toServer {
				ts.srv.Feed(ts.now, peer, b)
			}
			toServer = toServer[:0]
			for _, b := range toClient {
				c.Feed(ts.now, b)
			}
			toClient = toClient[:0]
		}
		c.Step(ts.now)
	}
	dial := func(ticks int) {
		toServer, toClient = nil, nil
		testenv.NoError(t, c.Dial(ts.now))
		for range ticks {
			tick()
		}
	}
	if dial(250); c.State() != client.Playing {
		t.Fatalf("the client is in state %v: %v", c.State(), c.Err())
	}
	m := &mutator{rand: rand.New(rand.NewPCG(5, 1))}
	for _, b := range recorded {
		if p, ok := parsePacket(conn.V7, b); ok && p.flags&packet.FlagControl == 0 {
			m.packets = append(m.packets, p)
			for _, chunk := range p.chunks {
				m.messages = append(m.messages, chunk.data)
			}
		}
	}
	if len(m.packets) < 100 {
		t.Fatalf("only %d datagrams recorded", len(m.packets))
	}
	early := heapInUse()
	reconnects, playing, stuck := 0, 0, 0
	for i := range total {
		if c.State() == client.Playing {
			playing++
		} else {
			stuck++
		}
		if c.State() == client.Offline || stuck > 200 {
			c.Close(ts.now)
			if s := ts.srv.sessionByPeer[peer]; s != nil {
				s.drop("")
				tick()
			}
			reconnects++
			stuck = 0
			dial(12)
		}
		framing.Seq = acknowledged
		feedOrFail(t, func(b []byte) { c.Feed(ts.now, b) }, m.next(framing))
		toServer = toServer[:0] // answers to nonsense would only end the session
		if i%100 == 0 {
			tick()
		}
	}
	late := heapInUse()
	t.Logf("%d mutated datagrams, %d%% while playing, %d reconnects; heap %d -> %d KB", total, 100*playing/total, reconnects, early>>10, late>>10)
	if playing < total/4 {
		t.Errorf("the client played for %d of %d datagrams", playing, total)
	}
	if late > early+80<<20 { // it may believe in a map of 64 MB
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
}
