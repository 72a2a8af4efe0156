//go:build peers

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestEventsWithoutNATS kills nats-server again and again while two servers have events and entries
// of their audit logs. Then the streams have each of them once.
func TestEventsWithoutNATS(t *testing.T) {
	events, kills := 400, 2
	if testenv.Full() {
		events, kills = 5000, 20
	}
	n := peers.NewNATS(t, "")
	n.Start()
	dir := t.TempDir()
	members := []*member{startMember(t, n, "a", filepath.Join(dir, "a.json")), startMember(t, n, "b", filepath.Join(dir, "b.json"))}
	for k := range events {
		switch k % (events / kills) {
		case events / kills / 3:
			n.Kill()
		case events / kills * 2 / 3:
			n.Start()
		}
		for _, m := range members {
			m.bus.ObserveTick(&server.Tick{Events: []event.Event{event.Kill{Killer: event.Player{Name: fmt.Sprint(k)}}}})
			m.bus.Audit(fmt.Appendf(nil, `{"n":%d}`, k))
		}
		time.Sleep(2 * time.Millisecond)
	}
	nc := testenv.Must(nats.Connect(n.URL()))
	defer nc.Close()
	js := testenv.Must(nc.JetStream())
	for _, name := range []string{"test_EVENTS", "test_AUDIT"} {
		peers.Eventually(t, patience, fmt.Sprintf("%s has %d messages", name, 2*events), func() bool {
			info, err := js.StreamInfo(name)
			return err == nil && info.State.Msgs >= uint64(2*events)
		})
		info := testenv.Must(js.StreamInfo(name))
		testenv.Check(t, info.State.Msgs == uint64(2*events), "%s has %d messages", name, info.State.Msgs)
	}
	o := connect(t, n, "alice")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got := map[string][]string{}
	count := 0
	testenv.NoError(t, o.Events(ctx, time.Now().Add(-time.Hour), "", "kill", func(e bus.Event) {
		var kill event.Kill
		testenv.NoError(t, json.Unmarshal(e.Event, &kill))
		got[e.Server] = append(got[e.Server], kill.Killer.Name)
		if count++; count == 2*events {
			cancel()
		}
	}))
	for server, all := range got {
		slices.Sort(all)
		testenv.Check(t, len(slices.Compact(all)) == events, "%s has %d different events", server, len(slices.Compact(all)))
	}
	testenv.Check(t, len(got) == 2, "events of %d servers", len(got))
}
