package access_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/internal/access"
)

// TestWrongRcon checks that wrong passwords of a person are counted and end in a ban, if the
// address is proven and not localhost.
func TestWrongRcon(t *testing.T) {
	h := newTestHost(t, access.Config{})
	wrong := func(a netip.Addr, proven bool, tries int, banned bool) {
		t.Helper()
		n, ban := h.Guesses.WrongRcon(h.now, a, proven)
		testenv.Check(t, n == tries && (ban != nil) == banned, "%v: try %d, %+v; want %d, banned %v", a, n, ban, tries, banned)
	}
	for i := range 3 {
		wrong(addr(20), true, i+1, i == 2)
		wrong(addr(21), false, i+1, false)
	}
	b, banned := h.Bans.Find(addr(20))
	testenv.Check(t, banned && b.Temporary &&
		h.Bans.Message(&b) == "You have been banned for 5 minutes (Too many remote console authentication tries)", "%+v", b)
	wrong(addr(20), true, 1, false) // the count begins again
	h.Guesses.RightRcon(h.now, addr(20), true)
	wrong(addr(20), true, 1, false)
	h.now = h.now.Add(11 * time.Minute)
	wrong(addr(21), true, 1, false)
	for range 5 {
		wrong(netip.MustParseAddr("127.0.0.1"), true, 0, false)
	}
	h.run("sv_rcon_bantime 0; sv_rcon_max_tries 1")
	wrong(addr(22), true, 1, false)
	h.run("sv_rcon_max_tries 0")
	wrong(addr(22), true, 0, false)
}

// TestTryGame checks the answers to passwords of the game, and that all together have a limit.
func TestTryGame(t *testing.T) {
	h := newTestHost(t, access.Config{})
	try := func(n int, password string) string { return h.Guesses.TryGame(h.now, addr(n), true, password) }
	testenv.Check(t, try(1, "any") == "", "there is no password to know")
	h.run("password secret")
	testenv.Check(t, try(1, "secret") == "" && try(1, "guess") == access.WrongPassword, "wrong answers")
	answers := map[string]int{}
	for i := range 200 {
		answers[try(300+i, "guess")]++
	}
	testenv.Check(t, answers[access.WrongPassword] > 0 && answers[access.TooManyGuesses] > 0 && len(answers) == 2, "%v", answers)
	testenv.Check(t, try(1, "secret") == "", "a player who knew the password must wait")
}

// TestCrowded checks the limits of clients at an address and in a network.
func TestCrowded(t *testing.T) {
	h := newTestHost(t, access.Config{})
	h.run("sv_max_clients_per_ip 2; sv_max_clients_per_network 3")
	for _, test := range []struct {
		a              netip.Addr
		person, site   int
		want, switched string // with sv_max_clients_per_network 0
	}{
		{addr(1), 2, 3, "", ""},
		{addr(1), 3, 3, "Only 2 players with the same IP are allowed", "Only 2 players with the same IP are allowed"},
		{addr(1), 1, 4, "Only 3 players from the same network are allowed", ""},
		{netip.IPv6Loopback(), 1, 4, "", ""},
		{netip.IPv6Loopback(), 3, 4, "Only 2 players with the same IP are allowed", "Only 2 players with the same IP are allowed"},
	} {
		got := h.Arrivals.Crowded(test.a, test.person, test.site)
		testenv.Check(t, got == test.want, "%+v: %q", test, got)
		h.run("sv_max_clients_per_network 0")
		got = h.Arrivals.Crowded(test.a, test.person, test.site)
		testenv.Check(t, got == test.switched, "%+v: without a limit of the network: %q", test, got)
		h.run("sv_max_clients_per_network 3")
	}
}

// TestStrangersAreLimited checks that a second of strangers gets a bounded number of answers and
// log lines, and that loopback has no limit of its own.
func TestStrangersAreLimited(t *testing.T) {
	h := newTestHost(t, access.Config{})
	answers, lines := 0, 0
	for i := range 1000 {
		if h.Arrivals.AllowUnproven(h.now, addr(i<<8)) {
			answers++
		}
		if h.Arrivals.MayLog(h.now) {
			lines++
		}
	}
	testenv.Check(t, answers == 10 && lines == 40, "%d answers, %d lines", answers, lines)
	h.run("sv_van_conn_per_second 1000")
	h.now = h.now.Add(2 * time.Second)
	near, far := 0, 0
	for range 100 {
		if h.Arrivals.AllowUnproven(h.now, netip.IPv6Loopback()) {
			near++
		}
		if h.Arrivals.AllowUnproven(h.now, addr(1<<8)) {
			far++
		}
	}
	testenv.Check(t, near == 100 && far == 4, "%d answers to loopback, %d to a network", near, far)
}
