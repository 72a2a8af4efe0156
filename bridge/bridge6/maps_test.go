package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestStandardMaps: who checks maps by their names gets those of the original game
// under others; who does not knows them as they are.
func TestStandardMaps(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	for _, c := range []struct {
		name, vanilla string
	}{{"dm1", "dm1_7"}, {"ctf7", "ctf7_7"}, {"ctf8", "ctf8"}, {"teeyard1", "teeyard1"}} {
		for release, want := range map[int32]string{msg6.VersionNone: c.vanilla, 16040: c.name} {
			h, l := newServerSide(t, NewProtocol(), w, 0, release)
			h.capabilitiesSent = true
			h.SendMapChange(&bridge.Map{Name: c.name})
			l.expectSent(c.name, &msg6.MapChange{Name: []byte(want)})
		}
	}
}

// TestMapDetails: DDNet's clients are told of a web server if there is one, and others
// never.
func TestMapDetails(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	m := bridge.Map{Name: "a", File: []byte("file"), CRC: 5, SHA256: [32]byte{7}}
	change := &msg6.MapChange{Name: []byte("a"), CRC: 5, Size: 4}
	for _, release := range []int32{msg6.VersionNone, 16040} {
		h, l := newServerSide(t, NewProtocol(), w, 0, release)
		h.capabilitiesSent = true
		m.URL = ""
		h.SendMapChange(&m)
		l.expectSent("nowhere", change)
		m.URL = "http://maps.example/a.map"
		h.SendMapChange(&m)
		if release == msg6.VersionNone {
			l.expectSent("vanilla", change)
			continue
		}
		l.expectSent("DDNet", &msg6.MapDetails{Name: []byte("a"), SHA256: m.SHA256, CRC: 5, Size: 4, URL: []byte(m.URL)}, change)
	}
}
