package master

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// FuzzFeed sends arbitrary datagrams, from the addresses of masters and of a stranger, to a server
// that registers with masters of all kinds. Masters get no more bytes back than they sent, and
// strangers get none. A stored challenge always fits into an HTTP header.
func FuzzFeed(f *testing.F) {
	sent := 0
	r, err := New(Config{
		Port: 8303, URL: "http://master.test/", Protocols: AllProtocols, Tokens: newTokens(f),
		Masters6: []string{"203.0.113.1"}, Masters7: []string{"203.0.113.2"},
		Send: func(_ transport.Peer, b []byte) { sent += len(b) },
		Resolve: func(_ context.Context, address string, port uint16) (transport.Peer, error) {
			ip, err := netip.ParseAddr(address)
			return transport.UDPPeer(ip, port), err
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(r.stop)
	now := int64(time.Hour)
	step := func() {
		now += int64(10 * time.Millisecond)
		r.Step(now) // without SetInfo there are no HTTP requests
		r.running.Wait()
	}
	step() // resolves the masters
	step() // sends the first requests

	challenge := tagChallenge + r.http.challenge + ":tw0.6/ipv4\x00dG9rZW4=\x00"
	for _, payload := range []string{
		challenge, challenge[:len(challenge)-2], challenge[:len(tagChallenge)+len(r.http.challenge)],
		tagChallenge, tagCount, tagCount + "\x00\x05", tagProbe, tagAccepted, tagRefused,
	} {
		f.Add([]byte(payload))
	}
	stranger := transport.MustParsePeer("198.51.100.1:8300")
	senders := []transport.Peer{
		master6, master7, transport.UDPPeer(master6.Addr(), 9), transport.UDPPeer(master7.Addr(), 9), stranger,
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > packet.MaxConnlessPayload {
			return
		}
		for _, from := range senders {
			own := r.cfg.Tokens.Token(conn.Time(now), from.Addr())
			for _, datagram := range [][]byte{
				b, append([]byte(query.Header6), b...),
				packet.AppendConnless(nil, own, 7, b), packet.AppendConnless(nil, r.globalToken(), 7, b),
			} {
				sent = 0
				took := r.Feed(now, from, datagram)
				if sent > len(datagram) || sent > 0 && (from == stranger || !took) {
					t.Fatalf("%v gets %d bytes for %q; taken: %v", from, sent, datagram, took)
				}
			}
		}
		for _, w := range r.http.states {
			for _, c := range []byte(w.token) {
				if len(w.token) > 64 || c <= ' ' || c > '~' {
					t.Fatalf("token %q", w.token)
				}
			}
		}
		step()
	})
}
