package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport/ws"
)

// TestClassroom lets 24 players with two WebSocket connections each join from one address. One
// setting allows it.
func TestClassroom(t *testing.T) {
	testenv.Long(t)
	const players = 24
	join := func(s *service, name string) error {
		key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(s.dir, keyFile)))))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		c, err := client.Dial(ctx, "ws://"+s.http+"/?key="+key, client.Config{Name: name, Dial: (&ws.Dialer{Two: true}).Dial, NoMap: true})
		if err == nil {
			t.Cleanup(func() { c.Close(); <-c.Done() })
		}
		return err
	}
	const seats = "sv_bots 0; sv_max_clients 64; sv_player_slots 64; "
	s := startService(t, seats+"sv_max_clients_per_ip 24")
	for i := range players {
		testenv.NoError(t, join(s, fmt.Sprint("pupil ", i)))
	}
	err := join(s, "one more")
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "Only 24 players"), "%v", err)

	s = startService(t, seats)
	for i := range 4 {
		testenv.NoError(t, join(s, fmt.Sprint("pupil ", i)))
	}
	err = join(s, "one more")
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "Only 4 players"), "%v", err)
}
