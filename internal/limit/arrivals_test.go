package limit

import (
	"net/netip"
	"testing"
	"time"
)

// neighbour returns the n-th person of an IPv4 site with 256 persons or of an IPv6 site with 65536.
func neighbour(ipv6 bool, n int) netip.Addr {
	if !ipv6 {
		return netip.AddrFrom4([4]byte{198, 51, 100, byte(n)})
	}
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, byte(n >> 8), byte(n), 15: 1})
}

// TestArrivals lets attackers of a site ask as often as they can. Each time they use another
// address that does not ask again, or they use all addresses of an IPv4 site and keep asking like
// an honest client. The honest client must get in within two seconds, whenever it comes.
func TestArrivals(t *testing.T) {
	rate := Rate{PerSecond: 10, Burst: 128}
	for name, test := range map[string]struct {
		ipv6      bool
		perSecond int
		admitted  int // the most attackers admitted per second
	}{
		"IPv4":            {false, 2000, 20},
		"IPv6":            {true, 2000, 11},
		"IPv6, very many": {true, 8000, 11},
	} {
		a := NewArrivals(Rate{PerSecond: 2, Burst: 16}, rate)
		now, n, admitted := int64(time.Hour), 0, 0
		attack := func(length time.Duration) {
			for end := now + int64(length); now < end; now += int64(time.Second) / int64(test.perSecond) {
				if n++; n%256 != 7 && a.Admit(now, neighbour(test.ipv6, n)) == ArrivalAdmitted {
					admitted++
				}
			}
		}
		attack(20 * time.Second) // uses up the burst
		admitted = 0
		for i := range 10 {
			honest, tries := neighbour(test.ipv6, 7+i*256*11), 0
			for a.Admit(now, honest) != ArrivalAdmitted {
				if tries++; tries > 4 {
					t.Errorf("%s: the honest client %d is not in after %d tries", name, i, tries)
					break
				}
				attack(500 * time.Millisecond)
			}
			attack(30 * time.Second)
		}
		if most := 10 * 32 * test.admitted; admitted > most {
			t.Errorf("%s: %d attackers in 320 s, at most %d may", name, admitted, most)
		}
		// Other persons do not wait.
		if got := a.Admit(now, alice.Addr().Next()); got != ArrivalAdmitted && neighbour(test.ipv6, 0).Is6() {
			t.Errorf("%s: another site: %v", name, got)
		}
	}
}

// TestArrivalsOfPerson checks that a person that connects too often is refused, and that its
// neighbours are not.
func TestArrivalsOfPerson(t *testing.T) {
	a := NewArrivals(Rate{PerSecond: 2, Burst: 16}, Rate{PerSecond: 10, Burst: 128})
	now, got := int64(time.Hour), map[Arrival]int{}
	for range 1000 {
		got[a.Admit(now, alice.Addr())]++
	}
	if got[ArrivalAdmitted] != 16 || got[ArrivalRefused] != 984 {
		t.Errorf("of 1000: %v", got)
	}
	if a.AdmitAgain(now, alice.Addr()) {
		t.Error("a connection may begin anew as often as one likes")
	}
	for i := range 100 {
		if got := a.Admit(now, neighbour(false, 100+i)); got != ArrivalAdmitted {
			t.Fatalf("neighbour %d: %v", i, got)
		}
	}
	if !a.AdmitAgain(now, neighbour(false, 100)) {
		t.Error("a neighbour cannot begin anew")
	}
	if n := testing.AllocsPerRun(100, func() { now += 1e6; a.Admit(now, neighbour(true, int(now))) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
