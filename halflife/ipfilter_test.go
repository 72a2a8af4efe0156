package halflife_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"pgregory.net/rapid"
)

// TestIPCommands runs the commands with the arguments that operators type.
func TestIPCommands(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := bans.New(func() time.Time { return now })
	if got := halflife.ListIP(l, ""); got != "IP filter list: empty\n" {
		t.Errorf("%q", got)
	}
	for _, test := range [][3]string{
		{"0", "198.51.100.7", "banned 198.51.100.7 forever"},
		{"0.001", "198.51.100.8", "banned 198.51.100.8 forever"},
		{"30", "10.1.0.0", "banned 10.1.0.0/16 for 30 minutes"},
		{"2.5", "10.2", "banned 10.2.0.0/16 for 2.5 minutes"},
		{"0", "192.0.2.0/24", "banned 192.0.2.0/24 forever"},
		{"0", "192.0.2.64/26", "banned 192.0.2.64/26 forever"},
		{"0", "2001:db8::1", "banned 2001:db8::1 forever"},
		{"1", "0.0.0.0", "bans: cannot ban 0.0.0.0/0: too large; the limit is /8 for IPv4 and /16 for IPv6"},
		{"1", "127.0.0.1", "bans: cannot ban 127.0.0.1/32: it contains localhost"},
		{"1", "1.2.3.4.5", `bans: cannot ban: "1.2.3.4.5" is not an address`},
		{"1", "300.1", `bans: cannot ban: "300.1" is not an address`},
		{"1", "10.0.0.0/x", `bans: cannot ban: "10.0.0.0/x" is not a network`},
		{"1.2.3.4", "5", "bans: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH]; 0 minutes means forever"},
		{"-1", "10.3", "bans: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH]; 0 minutes means forever"},
		{"nan", "10.3", "bans: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH]; 0 minutes means forever"},
	} {
		b, err := halflife.AddIP(l, test[0], test[1])
		got := b.String()
		if err != nil {
			got = err.Error()
		}
		if got != test[2] {
			t.Errorf("addip %s %s: %s", test[0], test[1], got)
		}
	}
	if err := l.Add(bans.Ban{Net: netip.MustParsePrefix("198.51.100.9/32"), Duration: time.Minute, RconOnly: true}); err != nil {
		t.Fatal(err)
	}
	want := `IP filter list:
198. 51.100.  7 : permanent
198. 51.100.  8 : permanent
 10.  1.  0.  0 : 30.000 min
 10.  2.  0.  0 : 2.500 min
192.  0.  2.  0 : permanent
192.0.2.64/26   : permanent
2001:db8::1     : permanent
198. 51.100.  9 : 1.000 min (rcon only)
`
	if d := cmp.Diff(want, halflife.ListIP(l, "")); d != "" {
		t.Error(d)
	}
	if got := halflife.ListIP(l, "10."); got != "IP filter list:\n10.1.0.0/16        : 30 min\n10.2.0.0/16        : 2.5 min\n" {
		t.Errorf("%q", got)
	}
	if got := string(halflife.WriteIP(l)); got != "addip 0 198.51.100.7\naddip 0 198.51.100.8\n"+
		"addip 0 192.0.2.0\naddip 0 192.0.2.64/26\naddip 0 2001:db8::1/128\n" {
		t.Errorf("%q", got)
	}
	now = now.Add(10 * time.Minute)
	for _, test := range []struct {
		net  string
		all  bool
		want string
		left int
	}{
		{"10.2", false, "removeip: couldn't find 10.2.0.0/16.\n", 6}, // expired
		{"10.1", false, "IP filter removed.\n", 5},
		{"192.0.2.0/24", true, "IP filter removed.\n", 3},
		{"198.0.0.0", true, "IP filter removed.\n", 1},
		{"198.0.0.0", true, "removeip: couldn't find 198.0.0.0/8.\n", 1},
		{"nobody", false, "bans: cannot ban: \"nobody\" is not an address\n", 1},
	} {
		if got := halflife.RemoveIP(l, test.net, test.all); got != test.want || len(l.All()) != test.left {
			t.Errorf("removeip %s: %q, %v left", test.net, got, l.All())
		}
	}
}

// TestWriteIPReads checks that addip reads the lines of WriteIP.
func TestWriteIPReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, again := bans.New(nil), bans.New(nil)
		for range rapid.IntRange(1, 20).Draw(t, "bans") {
			b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
			l.Add(bans.Ban{Net: netip.PrefixFrom(netip.AddrFrom4([4]byte(b)), rapid.IntRange(8, 32).Draw(t, "bits"))})
		}
		for _, line := range strings.Split(strings.TrimSpace(string(halflife.WriteIP(l))), "\n") {
			if f := strings.Fields(line); len(f) == 3 {
				if _, err := halflife.AddIP(again, f[1], f[2]); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
		}
		if a, b := fmt.Sprint(l.All()), fmt.Sprint(again.All()); strings.ReplaceAll(b, "addip", "") != a {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}
