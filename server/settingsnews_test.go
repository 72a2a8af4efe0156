package server_test

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestServerInfoIsSentAgain checks that 0.7 clients, those that load the map included, get
// SERVERINFO when the name, the password or the number of clients changes, and for no other
// variable. The original does so from its change hooks.
func TestServerInfoIsSentAgain(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 16; sv_player_slots 12")
	infos := map[string][]msg7.InfoRecord{}
	watch := func(name string, c *testclient.Client) {
		c.OnMessage = func(m testclient.Message) {
			if m, ok := m.(*msg7.ServerInfo); ok {
				infos[name] = append(infos[name], m.Record)
			}
		}
	}
	plays, loads := ts.Enter(ip(1), "plays"), ts.Connect(ip(2)).Info()
	watch("plays", plays)
	watch("loads", loads)
	for _, test := range []struct {
		line  string
		want  int
		right func(r *msg7.InfoRecord) bool
	}{
		{"password secret", 1, func(r *msg7.InfoRecord) bool { return r.Flags&msg7.ServerInfoPassword != 0 }},
		{`password ""`, 1, func(r *msg7.InfoRecord) bool { return r.Flags&msg7.ServerInfoPassword == 0 }},
		{"sv_max_clients 10", 1, func(r *msg7.InfoRecord) bool { return r.MaxClients == 10 }},
		{"sv_max_clients 20", 1, func(r *msg7.InfoRecord) bool { return r.MaxClients == 20 && r.PlayerSlots == 10 }},
		{"sv_name new", 1, func(r *msg7.InfoRecord) bool { return string(r.Name) == "new" }},
		{"sv_max_clients_per_ip 3; sv_rcon_mod_password x; sv_scorelimit 5", 0, nil},
	} {
		clear(infos)
		ts.Execute(test.line)
		for range 5 {
			loads.KeepAlive()
			ts.Idle(1, plays)
		}
		for _, name := range []string{"plays", "loads"} {
			got := infos[name]
			if len(got) != test.want || test.want > 0 && !test.right(&got[0]) {
				t.Errorf("%s: the client that %s got %+v", test.line, name, got)
			}
		}
	}
}

// TestCommandListIsPaced checks that an operator's client gets the commands of the console 16 at
// a time, every eighth tick, as from the original: 48 would be three datagrams at once.
func TestCommandListIsPaced(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		p := ts.EnterAs(kind, ip(1), "admin")
		count := 0
		p.OnMessage = func(m testclient.Message) {
			switch m.(type) {
			case *msg7.RconCmdAdd, *msg6.RconCmdAdd:
				count++
			}
		}
		p.Send(p.Pick(&msg6.RconAuth{Password: []byte("adminpw"), SendCommands: 1}, &msg7.RconAuth{Password: []byte("adminpw")}))
		var sizes []int
		last := int32(-1)
		for before := 0; ts.World().Tick() < 3000; before = count {
			ts.Idle(1, p)
			n := count - before
			if n == 0 && len(sizes) > 0 && ts.World().Tick()-last > 8 {
				break // all are there
			}
			if n == 0 {
				continue
			}
			sizes = append(sizes, n)
			if gap := ts.World().Tick() - last; last >= 0 && gap != 8 {
				t.Errorf("commands %d ticks after those before", gap)
			}
			last = ts.World().Tick()
		}
		if len(sizes) < 10 {
			t.Fatalf("%d commands in %v", count, sizes)
		}
		for i, n := range sizes {
			if n != 16 && (i < len(sizes)-1 || n > 16) {
				t.Errorf("%d commands at once: %v", n, sizes)
				break
			}
		}
	})
}
