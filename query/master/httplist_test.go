package master

import (
	"errors"
	"testing"
)

const listText = `{"communities":[1],"servers":[
 {"addresses":["tw-0.6+udp://192.0.2.1:8303","tw-0.7+udp://[2001:db8::1]:8304","ws://x"],"location":"as:cn","community":"c","info":{"max_clients":8,"max_players":8,"passworded":true,"game_type":"DM","name":"a","map":{"name":"dm1"},"version":"0.6","clients":[]}},
 {"addresses":["tw-0.6+udp://192.0.2.2:8303",7],"location":5,"info":{"max_clients":"many"}},
 {"addresses":["tw-0.6+udp://host:8303","tw-0.6+udp://192.0.2.3:0"]},
 {"addresses":"none"}, 5, null
]}`

func TestParseList(t *testing.T) {
	s, skipped, err := ParseList([]byte(listText))
	if err != nil || len(s) != 2 || skipped != 4 {
		t.Fatalf("%+v, %d skipped: %v", s, skipped, err)
	}
	if len(s[0].Addrs) != 2 || s[0].Info == nil || s[0].Info.Name != "a" || s[0].Location != "as:cn" || s[0].Community != "c" || s[0].Addrs[1].Peer.String() != "[2001:db8::1]:8304" {
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
