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
			h, l := newHost(t, NewVersion(), w, 0, release)
			h.able = true
			h.MapChange(&bridge.Map{Name: c.name})
			wants(t, c.name, l, &msg6.MapChange{Name: []byte(want)})
		}
	}
}
