//go:build peers

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/ws"
)

// carriers are the ways in which a client can carry its datagrams.
var carriers = []struct {
	name   string
	dialer *ws.Dialer // nil for UDP
}{{"udp", nil}, {"one", &ws.Dialer{}}, {"two", &ws.Dialer{Two: true}}}

// BenchmarkWebSocket measures our server with 16 players over UDP, over one WebSocket each, and
// over two. The ratios compare with UDP.
func BenchmarkWebSocket(b *testing.B) {
	home := b.TempDir()
	server := peers.StartTeeyardIn(b, home, "sv_player_slots 64")
	key, err := os.ReadFile(filepath.Join(home, "http.key"))
	if err != nil {
		b.Fatal(err)
	}
	address := fmt.Sprintf("ws://localhost:%d/?key=%s", server.Addr.Port(), strings.TrimSpace(string(key)))
	s := samples{}
	for range b.N {
		for _, c := range carriers {
			cfg := load.Config{Clients: 16}
			if c.dialer != nil {
				cfg.Configure = func(_ int, cfg *client.Config) {
					cfg.Dial = func(ctx context.Context, _ string) (transport.Conn, transport.Peer, error) {
						return c.dialer.Dial(ctx, address)
					}
				}
			}
			s.addLoad(b, rival{c.name + "-", server}, cfg)
		}
		s.addRatio("one-CPU-ratio", "one-ms/tick", "udp-ms/tick")
		s.addRatio("two-CPU-ratio", "two-ms/tick", "udp-ms/tick")
	}
	s.report(b)
}
