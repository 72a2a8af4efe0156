package econ

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/server/internal/logs"
)

// guessHost is a host whose log has no room for strangers.
type guessHost struct{ Host }

func (guessHost) Print(level int, system, line string) {}
func (guessHost) MayLog() bool                         { return false }

// TestGuessesInAll checks that many sites together cannot try many passwords, and that
// operators can log in meanwhile.
func TestGuessesInAll(t *testing.T) {
	c := New(Config{Host: guessHost{}, Logs: logs.New(logs.Config{})})
	c.Settings.Password = "secret"
	now := int64(time.Hour)
	// login returns whether a client logs in, and whether its password was checked.
	login := func(addr, password string) (authed, checked bool) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		cl := newClient(theirs)
		cl.addr = netip.AddrPortFrom(netip.MustParseAddr(addr), 5000)
		c.clients[0] = cl
		c.receive(now, cl, password)
		c.clients[0] = nil
		return cl.authed, cl.authed || cl.tries > 0
	}
	login("198.51.100.7", "secret")
	const seconds = 20
	checked := 0
	for i := range seconds * 100 {
		now += int64(time.Second / 100)
		if _, ok := login(netip.AddrFrom4([4]byte{20, byte(i % 16), byte(i % 400 / 16), byte(i / 400)}).String(), "guess"); ok {
			checked++
		}
	}
	if most := int(2 * (guessRate.Burst + seconds*guessRate.PerSecond)); checked > most || checked < most/2-10 {
		t.Errorf("%d passwords were checked, of at most %d", checked, most)
	}
	for _, addr := range []string{"198.51.100.7", "2001:db8::1", "127.0.0.1"} {
		if authed, _ := login(addr, "secret"); !authed {
			t.Errorf("%s cannot log in", addr)
		}
	}
	for range 10 {
		login("20.0.0.9", "guess")
	}
	if authed, _ := login("20.0.0.9", "secret"); authed {
		t.Error("beyond the limit the right password is told from wrong ones")
	}
}
