package conn

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	clientToken packet.Token = 0x01020304
	serverToken packet.Token = 0xAABBCCDD

	ms = Time(time.Millisecond)
	s  = Time(time.Second)
)

// Tokens of the 0.6 handshakes, as the server issues them.
var (
	trailerToken = HandshakeTKEN.placeToken(serverToken)
	headerToken  = HandshakeHeaderToken.placeToken(serverToken)
	noToken      = packet.PlacedToken{}
)

// peer is a connection that records the datagrams it sends and the payloads it delivers.
type peer struct {
	Conn
	sent    [][]byte
	got     []string // vital payloads unchanged, others with a "~" in front
	onChunk func(payload []byte)
}

func newPeer(t testing.TB, resendBuffer int) *peer {
	p := new(peer)
	must(t, p.Init(Config{
		Send:         func(b []byte) { p.sent = append(p.sent, bytes.Clone(b)) },
		ResendBuffer: resendBuffer,
	}))
	return p
}

func (p *peer) Chunk(payload []byte, vital bool) {
	text := string(payload)
	if !vital {
		text = "~" + text
	}
	p.got = append(p.got, text)
	if p.onChunk != nil {
		p.onChunk(payload)
	}
}

// takeSent returns the datagrams sent since the last call.
func (p *peer) takeSent() [][]byte {
	sent := p.sent
	p.sent = nil
	return sent
}

// feedFrom feeds the datagrams that q has sent to p.
func (p *peer) feedFrom(now Time, q *peer) {
	for _, b := range q.takeSent() {
		p.Feed(now, b, p)
	}
}

// data, control and closing return datagrams as the other end of p sends them.

func (p *peer) data(flags packet.Flags, ack int, chunks ...[]byte) []byte {
	if p.v6.active {
		return data6(flags, ack, p.v6.token, chunks...)
	}
	return data7(flags, ack, p.token, chunks...)
}

func (p *peer) control(ack int, id packet.ControlID) []byte {
	if p.v6.active {
		return packet.AppendControl6(nil, ack, p.v6.token, id)
	}
	return packet.AppendControl(nil, ack, p.token, id)
}

func (p *peer) chunk(flags packet.ChunkFlags, seq int, data string) []byte {
	if p.v6.active {
		return packet.AppendChunk6(nil, flags, seq, []byte(data))
	}
	return packet.AppendChunk(nil, flags, seq, []byte(data))
}

func (p *peer) vital(seq int, data string) []byte { return p.chunk(packet.ChunkVital, seq, data) }

func data7(flags packet.Flags, ack int, token packet.Token, chunks ...[]byte) []byte {
	return packet.AppendPacket(nil, flags, ack, len(chunks), token, bytes.Join(chunks, nil))
}

func data6(flags packet.Flags, ack int, token packet.PlacedToken, chunks ...[]byte) []byte {
	return packet.AppendPacket6(nil, flags, ack, len(chunks), token, bytes.Join(chunks, nil))
}

func vital7(seq int, data string) []byte {
	return packet.AppendChunk(nil, packet.ChunkVital, seq, []byte(data))
}

func vital6(seq int, data string) []byte {
	return packet.AppendChunk6(nil, packet.ChunkVital, seq, []byte(data))
}

// sentPacket is a packet that was sent.
type sentPacket struct {
	flags     packet.Flags
	control   packet.ControlID
	numChunks int
	chunks    []string // each as flags:seq:data
}

// parseSent parses the datagrams that p sent since the last call.
func (p *peer) parseSent(t testing.TB) []sentPacket {
	t.Helper()
	var sent []sentPacket
	for _, b := range p.takeSent() {
		var got sentPacket
		var payload []byte
		var chunks packet.ChunkReader
		if p.v6.active {
			var q packet.Packet6
			must(t, q.Parse(b, new(packet.Scratch)))
			token := packet.PlacedToken{Place: packet.TokenInHeader, Token: q.Token}
			if !q.HasToken {
				token = noToken
			}
			if p.v6.token.Place == packet.TokenInTrailer {
				trailer, _ := q.CutTrailer()
				token = packet.PlacedToken{Place: packet.TokenInTrailer, Token: trailer}
			}
			if token != p.v6.token {
				t.Fatalf("sent with token %+v", token)
			}
			got.flags, got.numChunks, payload, chunks = q.Flags, q.NumChunks, q.Payload, q.Chunks()
		} else {
			var q packet.Packet
			must(t, q.Parse(b, new(packet.Scratch)))
			if q.Token != p.peerToken {
				t.Fatalf("sent with token %x", q.Token)
			}
			got.flags, got.numChunks, payload, chunks = q.Flags, q.NumChunks, q.Payload, q.Chunks()
		}
		if got.flags&packet.FlagControl != 0 {
			got.control = packet.ControlID(payload[0])
		} else {
			for c := (packet.Chunk{}); chunks.Next(&c); {
				got.chunks = append(got.chunks, fmt.Sprintf("%d:%d:%s", c.Flags, c.Seq, c.Data))
			}
			if chunks.Err() != nil || len(chunks.Rest()) != 0 || len(payload) > p.maxPayload {
				t.Fatalf("payload of %d bytes: %v, %d too many", len(payload), chunks.Err(), len(chunks.Rest()))
			}
		}
		sent = append(sent, got)
	}
	return sent
}

// sentChunks returns the chunks that p sent since the last call, in one line.
func (p *peer) sentChunks(t testing.TB) string {
	t.Helper()
	var all []string
	for _, sent := range p.parseSent(t) {
		all = append(all, strings.Join(sent.chunks, " "))
	}
	return strings.Join(all, " | ")
}

// expectSent compares the datagrams that p sent since the last call with want.
func (p *peer) expectSent(t *testing.T, name string, want ...string) {
	t.Helper()
	sent := p.takeSent()
	if len(sent) != len(want) {
		t.Fatalf("%s: %d datagrams, want %d: %x", name, len(sent), len(want), sent)
	}
	for i, b := range sent {
		if got := hex.EncodeToString(b); got != want[i] {
			t.Fatalf("%s:\n%s, want\n%s", name, got, want[i])
		}
	}
}

// variant is a protocol version with one of its handshakes.
type variant struct {
	version   Version
	handshake Handshake
}

var variants = []variant{{V7, 0}, {V6, HandshakeTKEN}, {V6, HandshakeHeaderToken}, {V6, HandshakePlain}}

func (v variant) String() string {
	if v.version == V7 {
		return "0.7"
	}
	return "0.6 " + v.handshake.String()
}

// dial begins c's connection as a client and feeds it the server's answers until it is online.
func (v variant) dial(t testing.TB, now Time, c *Conn, h Handler) {
	t.Helper()
	if v.version == V7 {
		must(t, c.Dial(now, clientToken))
		must(t, c.Feed(now, packet.AppendTokenReply(nil, clientToken, serverToken), h))
		must(t, c.Feed(now, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept), h))
		return
	}
	must(t, c.Dial6(now, v.handshake, clientToken))
	must(t, c.Feed(now, packet.AppendAccept6(nil, v.handshake.placeToken(serverToken), clientToken), h))
}

// accept begins c's connection as the server of that client.
func (v variant) accept(t testing.TB, now Time, c *Conn) {
	t.Helper()
	if v.version == V7 {
		must(t, c.Accept(now, serverToken, clientToken))
		return
	}
	must(t, c.Accept6(now, v.handshake, serverToken))
}

// connect returns a client and a server that are online.
func (v variant) connect(t testing.TB, now Time, resendBuffer int) (client, server *peer) {
	t.Helper()
	client, server = newPeer(t, resendBuffer), newPeer(t, resendBuffer)
	v.dial(t, now, &client.Conn, client)
	v.accept(t, now, &server.Conn)
	client.sent, server.sent = nil, nil
	must(t, client.Queue(now, []byte("hi"), false))
	client.Flush(now)
	server.feedFrom(now, client)
	must(t, server.Queue(now, []byte("hi"), false))
	server.Flush(now)
	client.feedFrom(now, server)
	if client.State() != StateOnline || server.State() != StateOnline || len(client.got) != 1 || len(server.got) != 1 {
		t.Fatalf("client %v, server %v", client.State(), server.State())
	}
	client.got, server.got = nil, nil
	return client, server
}

// eachVariant runs a test for each variant, with connections that have been online since time 0.
func eachVariant(t *testing.T, resendBuffer int, test func(t *testing.T, client, server *peer)) {
	for _, v := range variants {
		t.Run(v.String(), func(t *testing.T) {
			client, server := v.connect(t, 0, resendBuffer)
			test(t, client, server)
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ignoreChunks is a Handler that does nothing.
type ignoreChunks struct{}

func (ignoreChunks) Chunk([]byte, bool) {}

// splitmix returns a small random generator.
func splitmix(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}
