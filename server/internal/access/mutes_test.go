package access_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/internal/access"
)

// addr returns the nth address of a test.
func addr(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}) }

// TestMutes checks that a list finds, replaces and removes mutes by person, and drops ended ones.
func TestMutes(t *testing.T) {
	var l access.Mutes
	var now conn.Time
	add := func(a netip.Addr, seconds int) { l.Add(now, access.NewMute(now, a, "", seconds, "")) }
	v6 := netip.MustParseAddr("2001:db8::1")
	add(addr(1), 10)
	add(v6, 20)
	m := l.Find(now, v6.Next()) // of the same person
	testenv.Require(t, m != nil && m.SecondsLeft(now) == 20, "%+v", m)
	add(addr(1), 30)
	all := l.All(now)
	testenv.Check(t, len(all) == 2 && all[1].Person.Addr() == addr(1) && all[1].SecondsLeft(now.Add(time.Millisecond)) == 30, "%+v", all)
	now = now.Add(20 * time.Second)
	testenv.Check(t, l.Find(now, v6) == nil && len(l.All(now)) == 1, "a mute that has ended counts")
	testenv.Check(t, l.Remove(addr(1)) && !l.Remove(addr(1)) && len(l.All(now)) == 0, "%+v", l.All(now))
}

// TestMutesAreBounded checks that a full list drops the mute that ends first, whoever it is of,
// unless the new one replaces another.
func TestMutesAreBounded(t *testing.T) {
	var l access.Mutes
	var now conn.Time
	for i := range access.MaxMutes {
		testenv.Require(t, !l.Full(), "full with %d mutes", i)
		l.Add(now, access.NewMute(now, addr(i), "", 1000-i, ""))
	}
	testenv.Require(t, l.Full(), "there is still room")
	l.Add(now, access.NewMute(now, addr(3), "", 5000, ""))
	last := access.MaxMutes - 1
	testenv.Check(t, l.Find(now, addr(last)) != nil, "a mute that replaces another takes the place of a third one")
	l.Add(now, access.NewMute(now, addr(9999), "", 5000, ""))
	testenv.Check(t, l.Find(now, addr(last)) == nil && l.Find(now, addr(9999)) != nil && len(l.All(now)) == access.MaxMutes, "%d mutes", len(l.All(now)))
}

// TestMuteTexts checks the lines about a mute that tools parse.
func TestMuteTexts(t *testing.T) {
	var now conn.Time
	m := access.NewMute(now, addr(7), "o'neil", 60, "spam")
	testenv.Check(t, m.Describe(now.Add(time.Second)) == `addr=10.0.0.7 seconds=59 name='o’neil' reason='spam'`, "%s", m.Describe(now.Add(time.Second)))
	testenv.Check(t, m.Announcement(60) == "'o'neil' has been muted for 60 seconds (spam)", "%s", m.Announcement(60))
	bare := access.NewMute(now, addr(7), "", 60, "")
	testenv.Check(t, bare.Describe(now) == "addr=10.0.0.7 seconds=60", "%s", bare.Describe(now))
}
