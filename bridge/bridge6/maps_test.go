package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestStandardMaps checks that a map with the name of an original map gets another name for clients
// that verify maps by name.
func TestStandardMaps(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	for _, c := range []struct {
		name, vanilla string
	}{{"dm1", "dm1_7"}, {"ctf7", "ctf7_7"}, {"ctf8", "ctf8"}, {"teeyard1", "teeyard1"}} {
		for release, want := range map[int32]string{msg6.VersionNone: c.vanilla, 16040: c.name} {
			srv, l := newServerSide(t, NewProtocol(), w, 0, release)
			srv.capabilitiesSent = true
			srv.SendMapChange(&bridge.Map{Name: c.name})
			l.expectSent(c.name, &msg6.MapChange{Name: []byte(want)})
		}
	}
}

// TestMapReload checks that DDNet's clients learn from 18.9 on that a map is the one they have.
func TestMapReload(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	a, b := &bridge.Map{Name: "a", SHA256: [32]byte{7}}, &bridge.Map{Name: "b", SHA256: [32]byte{8}}
	changeA, changeB := &msg6.MapChange{Name: []byte("a")}, &msg6.MapChange{Name: []byte("b")}
	for release, reload := range map[int32][]msg6.Message{18080: {changeA}, 18090: {&msg6.MapReload{}, changeA}} {
		srv, l := newServerSide(t, NewProtocol(), w, 0, release)
		srv.capabilitiesSent = true
		srv.SendMapChange(a)
		l.expectSent("the first map", changeA)
		srv.Reset()
		srv.SendMapChange(a)
		l.expectSent("the same map", reload...)
		srv.SendMapChange(b)
		l.expectSent("another map", changeB)
	}
}

// TestMapDetails checks that MAP_DETAILS is sent only to DDNet's clients, and only if there is a
// URL.
func TestMapDetails(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	m := bridge.Map{Name: "a", File: []byte("file"), CRC: 5, SHA256: [32]byte{7}}
	change := &msg6.MapChange{Name: []byte("a"), CRC: 5, Size: 4}
	for _, release := range []int32{msg6.VersionNone, 16040} {
		srv, l := newServerSide(t, NewProtocol(), w, 0, release)
		srv.capabilitiesSent = true
		m.URL = ""
		srv.SendMapChange(&m)
		l.expectSent("nowhere", change)
		m.URL = "http://maps.example/a.map"
		srv.SendMapChange(&m)
		if release == msg6.VersionNone {
			l.expectSent("vanilla", change)
			continue
		}
		l.expectSent("DDNet", &msg6.MapDetails{Name: []byte("a"), SHA256: m.SHA256, CRC: 5, Size: 4, URL: []byte(m.URL)}, change)
	}
}
