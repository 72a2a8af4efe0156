package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// real is a datagram of a real client, taken apart.
type real struct {
	flags  packet.Flags
	chunks []realChunk
	raw    []byte
}

type realChunk struct {
	vital bool
	data  []byte
}

// realPackets are the datagrams that real clients sent.
func realPackets(tb testing.TB) []real {
	var out []real
	var scratch packet.Scratch
	for _, name := range []string{golden.Join, golden.Client16} {
		for _, d := range golden.Datagrams(tb, name) {
			if !d.ToServer {
				continue
			}
			var p packet.Packet
			if p.Parse(d.B, &scratch) != nil || p.Flags&packet.FlagConnless != 0 {
				continue
			}
			r := real{flags: p.Flags &^ packet.FlagCompressed, raw: d.B}
			if p.Flags&packet.FlagControl == 0 {
				var c packet.Chunk
				for it := p.Chunks(); it.Next(&c); {
					r.chunks = append(r.chunks, realChunk{c.Flags&packet.ChunkVital != 0, append([]byte(nil), c.Data...)})
				}
			}
			out = append(out, r)
		}
	}
	if len(out) < 1000 {
		tb.Fatalf("only %d datagrams in the captures", len(out))
	}
	return out
}

// mutator makes damaged datagrams that get past the token.
type mutator struct {
	rand    *rand.Rand
	packets []real
	seeds   [][]byte // messages of all kinds
	payload []byte
	buf     []byte
}

func newMutator(tb testing.TB, seed uint64) *mutator {
	m := &mutator{rand: rand.New(rand.NewPCG(seed, 1)), packets: realPackets(tb)}
	for _, msg := range []msg7.Message{
		&msg7.Info{NetVersion: []byte(msg7.NetVersion)}, &msg7.Ready{}, &msg7.EnterGame{}, &msg7.RequestMapData{},
		&msg7.RconAuth{Password: []byte("adminpw")}, &msg7.RconCmd{Command: []byte("status; say x; tunes; bans")},
		&msg7.Ping{}, &msg7.PingReply{}, &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("hello\x1b\n")},
		&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 2, Message: []byte("psst")}, &msg7.ClSetTeam{Team: -1}, &msg7.ClSetTeam{},
		&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: -1}, &msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 3},
		&msg7.ClStartInfo{Name: []byte("mutant")}, &msg7.ClKill{}, &msg7.ClReadyChange{}, &msg7.ClEmoticon{Emoticon: 3},
		&msg7.ClVote{Vote: 1}, &msg7.ClCallVote{Type: []byte("kick"), Value: []byte("1")}, &msg7.ClSkinChange{},
		&msg7.ClCommand{Name: []byte("x")},
	} {
		m.seeds = append(m.seeds, msg.Append(nil))
	}
	return m
}

// bits damages b in place and returns it, perhaps shorter.
func (m *mutator) bits(b []byte) []byte {
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
		for j := i; j < min(len(b), i+1+r.IntN(8)); j++ {
			b[j] = byte(r.Uint32())
		}
	case 4: // a varint at its limits
		limits := [...][]byte{{0xbf, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0x40}, {0x7f}, {0x80, 0x80, 0x80, 0x80, 0x80}}
		copy(b[r.IntN(len(b)):], limits[r.IntN(len(limits))])
	}
	return b
}

// next makes a datagram for the session that has token, ack and sequence.
func (m *mutator) next(token packet.Token, ack int, seq *int) []byte {
	r := m.rand
	src := &m.packets[r.IntN(len(m.packets))]
	flags := src.flags
	how := r.IntN(16)
	if how == 0 { // the datagram as it was, damaged as a whole but for its token
		m.buf = append(m.buf[:0], src.raw...)
		m.buf = m.bits(m.buf)
		if len(m.buf) >= packet.HeaderSize {
			m.buf[3], m.buf[4], m.buf[5], m.buf[6] = byte(token>>24), byte(token>>16), byte(token>>8), byte(token)
		}
		return m.buf
	}
	if r.IntN(400) == 0 { // any control message
		m.buf = packet.AppendControl(m.buf[:0], ack, token, packet.ControlID(r.IntN(7)))
		for range r.IntN(3) * 4 {
			m.buf = append(m.buf, byte(r.Uint32()))
		}
		return m.buf
	}
	if flags&packet.FlagControl != 0 && (how > 4 || r.IntN(50) > 0) {
		flags &^= packet.FlagControl
	}
	m.payload = m.payload[:0]
	n := 0
	put := func(vital bool, data []byte) {
		f, s := packet.ChunkFlags(0), 0
		if vital {
			f, s = packet.ChunkVital, (*seq+1)&packet.SeqMask
		}
		start := len(m.payload)
		m.payload = packet.AppendChunk(m.payload, f, s, data)
		body := m.payload[len(m.payload)-len(data):]
		whole := true
		if r.IntN(3) > 0 {
			cut := m.bits(body)
			if len(cut) != len(body) { // the header has to agree, mostly
				m.payload = packet.AppendChunk(m.payload[:start], f, s, append([]byte(nil), cut...))
			}
		}
		if vital && whole {
			*seq = (*seq + 1) & packet.SeqMask
		}
		n++
	}
	for i := range src.chunks {
		put(src.chunks[i].vital, src.chunks[i].data)
	}
	switch how {
	case 1, 2: // splice
		other := &m.packets[r.IntN(len(m.packets))]
		for i := range other.chunks {
			if len(m.payload)+len(other.chunks[i].data) < 1300 {
				put(other.chunks[i].vital, other.chunks[i].data)
			}
		}
	case 3, 4, 5: // any message
		for range 1 + r.IntN(3) {
			put(r.IntN(8) > 0, m.seeds[r.IntN(len(m.seeds))])
		}
	case 6: // random chunk
		b := make([]byte, r.IntN(64))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		put(r.IntN(2) == 0, b)
	case 7:
		m.payload = m.bits(m.payload)
		n += r.IntN(3) - 1
	}
	if r.IntN(32) == 0 {
		flags |= packet.FlagResend
	}
	if r.IntN(64) == 0 {
		ack = r.IntN(packet.SeqSpace)
	}
	if len(m.payload) > packet.MaxPayload {
		m.payload = m.payload[:packet.MaxPayload]
	}
	m.buf = packet.AppendPacket(m.buf[:0], flags, ack, max(n, 0)&0xff, token, m.payload)
	if r.IntN(8) == 0 {
		m.buf = m.bits(m.buf)
	}
	if len(m.buf) > packet.MaxDatagram {
		m.buf = m.buf[:packet.MaxDatagram]
	}
	return m.buf
}

// TestMutatedPackets feeds the server damaged datagrams of real clients, on live
// sessions in all states. TEEYARD_MUTATIONS is how many.
func TestMutatedPackets(t *testing.T) {
	total := 600_000
	if v, err := strconv.Atoi(os.Getenv("TEEYARD_MUTATIONS")); err == nil {
		total = v
	}
	if testenv.Race {
		total /= 10
	}
	l := newLab(t, nil)
	m := newMutator(t, 99)
	const clients = 6
	var ps [clients]*puppet
	port, sessions, playing, fed := 1000, 0, 0, 0
	feed := func(p *puppet, b []byte) {
		defer func() {
			if e := recover(); e != nil {
				t.Fatalf("datagram %d, %x: %v", fed, b, e)
			}
		}()
		l.srv.Feed(l.now, p.peer, b)
	}
	start := time.Now()
	early := uint64(0)
	for fed = 0; fed < total; fed++ {
		i := fed % clients
		p := ps[i]
		if p == nil || p.session() == nil {
			if p != nil {
				delete(l.puppets, p.peer)
			}
			port = 1000 + (port-999)%60000
			p = l.puppet(local(port)).connect()
			ps[i] = p
			sessions++
			switch i { // sessions are attacked at all stages
			case 0:
			case 1:
				p.info()
			case 2:
				p.info().ready()
			default:
				p.info().ready().profile("victim").enter()
			}
		}
		if c := p.session(); c != nil && c.state == stateInGame {
			playing++
		}
		b := m.next(p.token, p.ack, &p.seq)
		feed(p, b)
		p.seq = p.taken // what was lost is not waited for
		if c := p.session(); c != nil {
			c.allowed = allowances{} // see what is behind
		}
		if fed%64 == 0 {
			l.step(1)
			if l.srv.settings.Map == "" || l.srv.shutdownRequested {
				t.Fatal("the server was told to stop")
			}
		}
		if fed == total/4 {
			l.log.Reset()
			early = heap()
		}
		if l.log.Len() > 1<<20 {
			l.log.Reset()
		}
		if fed%4096 == 0 && len(l.puppets) > 64 {
			t.Fatalf("%d puppets", len(l.puppets))
		}
	}
	took := time.Since(start)
	l.log.Reset()
	for _, p := range l.puppets {
		p.lines, p.chat = nil, nil
	}
	late := heap()
	t.Logf("%d mutated datagrams on %d sessions in %v (%v each); %d%% while playing; heap %d -> %d KB; drops %v",
		total, sessions, took, took/time.Duration(total), 100*playing/total, early>>10, late>>10, l.srv.Drops())
	if late > early+16<<20 {
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
	if playing < total/4 || l.srv.Drops()["message"] == 0 {
		t.Errorf("%d of %d datagrams were for players", playing, total)
	}
	if len(l.srv.sessionByPeer) > clients {
		t.Errorf("%d sessions for %d clients", len(l.srv.sessionByPeer), clients)
	}
	// The world and the sessions still agree, and a newcomer can play.
	q := l.play(ip(1), "newcomer")
	l.step(50)
	if q.ids[msg7.IDSnapSingle]+q.ids[msg7.IDSnap]+q.ids[msg7.IDSnapEmpty] == 0 {
		t.Error("no snapshots for a newcomer")
	}
	checkSeats(t, l.srv)
}

// checkSeats compares the sessions with the seats of the world.
func checkSeats(t testing.TB, s *Server) {
	t.Helper()
	n := 0
	for id, c := range s.sessions {
		_, seated := s.world.Player(game.PlayerID(id))
		if c != nil {
			n++
			if s.sessionByPeer[c.peer] != c {
				t.Errorf("session %d is not found by its address", id)
			}
		}
		if want := c != nil && c.state >= stateReady; seated != want {
			t.Errorf("seat %d: session %v, seated %v", id, c != nil, seated)
		}
	}
	if n != len(s.sessionByPeer) {
		t.Errorf("%d sessions, %d addresses", n, len(s.sessionByPeer))
	}
}

// FuzzServerFeed feeds the server datagrams after a client's way into the game
// up to some stage. The token is put into place, so that the bytes matter.
func FuzzServerFeed(f *testing.F) {
	for i, r := range realPackets(f) {
		if i%97 == 0 {
			f.Add(uint8(i), r.raw)
		}
	}
	var ms []msg7.Message
	for i := range 5 {
		ms = append(ms, &msg7.ClSay{Mode: msg7.ChatMode(i & 3), Target: int32(i - 1), Message: []byte(fmt.Sprint("hello ", i))})
	}
	l := newLab(f, nil)
	p := &puppet{l: l}
	f.Add(uint8(4), append([]byte(nil), p.packet(0, true, ms...)...))
	port := 1000
	f.Fuzz(func(t *testing.T, stage uint8, b []byte) {
		if len(b) > packet.MaxDatagram {
			return
		}
		l.tb = t
		port = 1000 + (port-999)%60000
		p := l.puppet(local(port)).connect()
		if stage > 0 {
			p.info()
		}
		if stage > 1 {
			p.ready()
		}
		if stage > 2 {
			p.profile("fuzz").enter()
		}
		l.step(1)
		if len(b) >= packet.HeaderSize && stage&0x80 == 0 {
			b[3], b[4], b[5], b[6] = byte(p.token>>24), byte(p.token>>16), byte(p.token>>8), byte(p.token)
		}
		l.srv.Feed(l.now, p.peer, b)
		l.step(1)
		l.feed(p.peer, append(packet.AppendControl(nil, p.ack, p.token, packet.ControlClose), 0))
		if c := p.session(); c != nil {
			c.drop("")
		}
		l.step(2)
		delete(l.puppets, p.peer)
		checkSeats(t, l.srv)
		l.log.Reset()
	})
}

// TestClientMutatedPackets feeds a playing client damaged datagrams of its
// server.
func TestClientMutatedPackets(t *testing.T) {
	total := 300_000
	if v, err := strconv.Atoi(os.Getenv("TEEYARD_MUTATIONS")); err == nil {
		total = v / 10
	}
	if testenv.Race {
		total /= 10
	}
	const token = 0x01020304
	l := newLab(t, nil)
	peer := local(999)
	var up, down, recorded [][]byte
	ack, theirs := 0, 0
	c, err := client.NewSession(client.SessionConfig{
		Name:  "victim",
		Token: func() packet.Token { return token },
		Send: func(b []byte) {
			var k packet.Packet
			if k.ParseHeader(b) == nil && k.Flags&packet.FlagConnless == 0 {
				ack = k.Ack // the last it took, so the one after is due
			}
			up = append(up, bytes.Clone(b))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	puppets := l.out
	l.out = func(to transport.Peer, b []byte) {
		if to == peer {
			var k packet.Packet
			if k.ParseHeader(b) == nil && k.Flags&packet.FlagConnless == 0 {
				theirs = k.Ack
			}
			down = append(down, bytes.Clone(b))
			if len(recorded) < 4096 {
				recorded = append(recorded, bytes.Clone(b))
			}
			return
		}
		puppets(to, b)
	}
	var others []*puppet
	for i := range 4 {
		others = append(others, l.play(local(1000+i), "other"))
	}
	inputs := rand.New(rand.NewPCG(1, 2))
	tick := func() {
		for _, p := range others {
			p.hold(msg7.PlayerInput{Direction: int32(inputs.IntN(3) - 1), TargetX: 1, Fire: int32(inputs.IntN(64)), Jump: inputs.IntN(2) == 0})
		}
		l.step(1)
		for len(up)+len(down) > 0 {
			for _, b := range up {
				l.srv.Feed(l.now, peer, b)
			}
			up = up[:0]
			for _, b := range down {
				c.Feed(l.now, b)
			}
			down = down[:0]
		}
		c.Step(l.now)
	}
	if err := c.Dial(l.now); err != nil {
		t.Fatal(err)
	}
	for range 250 {
		tick()
	}
	if c.State() != client.Playing {
		t.Fatalf("the client is in state %v: %v", c.State(), c.Err())
	}
	m := newMutator(t, 5)
	m.packets, m.seeds = nil, nil
	var scratch packet.Scratch
	for _, b := range recorded {
		var k packet.Packet
		if k.Parse(b, &scratch) == nil && k.Flags&packet.FlagControl == 0 {
			r := real{flags: k.Flags &^ packet.FlagCompressed, raw: b}
			var chunk packet.Chunk
			for it := k.Chunks(); it.Next(&chunk); {
				data := bytes.Clone(chunk.Data)
				r.chunks = append(r.chunks, realChunk{chunk.Flags&packet.ChunkVital != 0, data})
				m.seeds = append(m.seeds, data)
			}
			m.packets = append(m.packets, r)
		}
	}
	if len(m.packets) < 100 {
		t.Fatalf("only %d datagrams recorded", len(m.packets))
	}
	early := heap()
	rejoined, playing, stuck := 0, 0, 0
	for i := range total {
		if c.State() != client.Playing {
			stuck++
		}
		if c.State() == client.Offline || stuck > 200 {
			c.Close(l.now)
			rejoined++
			stuck = 0
			if old := l.srv.sessionByPeer[peer]; old != nil {
				old.drop("")
				tick()
			}
			up, down = nil, nil
			if err := c.Dial(l.now); err != nil {
				t.Fatal(err)
			}
			for range 12 {
				tick()
			}
		}
		if c.State() == client.Playing {
			playing++
		}
		seq := ack
		b := m.next(token, theirs, &seq)
		func() {
			defer func() {
				if e := recover(); e != nil {
					panic(fmt.Sprintf("datagram %d, %x: %v", i, b, e))
				}
			}()
			c.Feed(l.now, b)
		}()
		up = up[:0] // answers to nonsense would only end the session
		if i%100 == 0 {
			tick()
		}
	}
	late := heap()
	t.Logf("%d mutated datagrams, %d%% while playing, %d new connections; heap %d -> %d KB", total, 100*playing/total, rejoined, early>>10, late>>10)
	if playing < total/4 {
		t.Errorf("the client played for %d of %d datagrams", playing, total)
	}
	if late > early+80<<20 { // it may believe in a map of 64 MB
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
}
