package conn

import (
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/packet"
)

// BenchmarkFeed feeds the recorded packets of a real server to a client that is online, over and
// over.
func BenchmarkFeed(b *testing.B) {
	var all [][]byte
	for _, d := range golden.Datagrams(b, golden.Join) {
		if !d.ToServer && d.B[0]&byte(packet.FlagControl<<2) == 0 {
			d.B[0], d.B[1] = d.B[0]&^3, 0
			all = append(all, d.B)
		}
	}
	var first packet.Packet
	must(b, first.ParseHeader(all[0]))
	c, err := New(Config{Send: func([]byte) {}})
	must(b, err)
	must(b, c.Dial(0, first.Token))
	must(b, c.Feed(0, packet.AppendTokenReply(nil, first.Token, serverToken), ignoreChunks{}))
	must(b, c.Feed(0, packet.AppendControl(nil, 0, first.Token, packet.ControlAccept), ignoreChunks{}))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := c.Feed(0, all[i], ignoreChunks{}); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(all) {
			i = 0
		}
	}
}

// BenchmarkQueue sends one payload of the size of a snapshot per packet.
func BenchmarkQueue(b *testing.B) {
	c, err := New(Config{Send: func([]byte) {}})
	must(b, err)
	must(b, c.Accept(0, serverToken, clientToken))
	must(b, c.Feed(0, data7(0, 0, serverToken), ignoreChunks{}))
	payload := make([]byte, 300)
	for i := range payload {
		payload[i] = byte(i * i % 11)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Queue(0, payload, false)
		c.Flush(0)
	}
}

// BenchmarkFeed6 is BenchmarkFeed for a 0.6 connection to DDNet-Server.
func BenchmarkFeed6(b *testing.B) {
	var all [][]byte
	for _, d := range golden.Datagrams(b, golden.Join6) {
		if !d.ToServer && d.B[0]&0x30 == 0 {
			d.B[0], d.B[1] = d.B[0]&^3, 0
			all = append(all, d.B)
		}
	}
	var first packet.Packet6
	must(b, first.Parse(all[0], new(packet.Scratch)))
	token, _ := first.CutTrailer()
	c, err := New(Config{Send: func([]byte) {}})
	must(b, err)
	must(b, c.Dial6(0, HandshakeTKEN, 0))
	must(b, c.Feed(0, packet.AppendAccept6(nil, packet.PlacedToken{Place: packet.TokenInTrailer, Token: token}, 0), ignoreChunks{}))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := c.Feed(0, all[i], ignoreChunks{}); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(all) {
			i = 0
		}
	}
}
