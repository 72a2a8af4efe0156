package master

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

const listText = `{"communities":[1],"servers":[
 {"addresses":["tw-0.6+udp://192.0.2.1:8303","tw-0.7+udp://[2001:db8::1]:8304","ws://x"],"location":"as:cn","community":"c",
  "info":{"max_clients":8,"max_players":8,"passworded":true,"game_type":"DM","name":"a","map":{"name":"dm1"},"version":"0.6","clients":[]}},
 {"addresses":["tw-0.6+udp://192.0.2.2:8303",7],"location":5,"info":{"max_clients":"many"}},
 {"addresses":["tw-0.6+udp://host:8303","tw-0.6+udp://192.0.2.3:0"]},
 {"addresses":"none"}, 5, null
]}`

func TestParseList(t *testing.T) {
	s, skipped, err := ParseList([]byte(listText))
	if err != nil || len(s) != 2 || skipped != 4 {
		t.Fatalf("%+v, %d skipped: %v", s, skipped, err)
	}
	if len(s[0].Addrs) != 2 || s[0].Info == nil || s[0].Info.Name != "a" || s[0].Location != "as:cn" ||
		s[0].Community != "c" || s[0].Addrs[1].Peer.String() != "[2001:db8::1]:8304" {
		t.Errorf("%+v", s[0])
	}
	if s[1].Info != nil || s[1].Location != "" || len(s[1].Addrs) != 1 {
		t.Errorf("%+v", s[1])
	}
	for _, bad := range []string{"", "[]", "{}", `{"servers":5}`, `{"servers":[`} {
		if _, _, err := ParseList([]byte(bad)); !errors.Is(err, ErrList) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte(listText))
	f.Fuzz(func(t *testing.T, b []byte) {
		servers, _, _ := ParseList(b)
		for _, s := range servers {
			if len(s.Addrs) == 0 || len(s.Addrs) > maxAddrs {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// elsewhere is a connection that claims a public remote address.
type elsewhere struct{ net.Conn }

func (elsewhere) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("203.0.113.1:80"))
}

// TestFetchLeavesOutLocalNetworks checks that a public master cannot make a client send to its own
// local network.
func TestFetchLeavesOutLocalNetworks(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"servers": [{"addresses": ["tw-0.6+udp://127.0.0.1:53"]}, {"addresses": ["tw-0.6+udp://198.51.100.1:8303"]},
			{"addresses": ["tw-0.6+udp://198.51.100.2:8303", "tw-0.7+udp://[fd00::1]:53"]}]}`)
	}))
	defer web.Close()
	far := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return elsewhere{c}, err
	}}}
	defer far.CloseIdleConnections()
	if servers, skipped, err := Fetch(t.Context(), far, web.URL); len(servers) != 2 || skipped != 1 || len(servers[len(servers)-1].Addrs) != 1 || err != nil {
		t.Errorf("%+v, %d left out, %v", servers, skipped, err)
	}
	if servers, skipped, err := Fetch(t.Context(), nil, web.URL); len(servers) != 3 || skipped != 0 || err != nil {
		t.Errorf("from a local master: %+v, %d left out, %v", servers, skipped, err)
	}
}
