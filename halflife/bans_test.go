package halflife_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/halflife"
)

// TestBanListModel compares the list with a simple one.
func TestBanListModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		l := halflife.NewBanList()
		l.Now = func() time.Time { return now }
		var model []halflife.Ban
		addrs := rapid.SampledFrom([]netip.Addr{
			netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.1.1"), netip.MustParseAddr("10.1.0.1"),
			netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2"), netip.MustParseAddr("2001:db9::1"), netip.MustParseAddr("::ffff:10.0.0.1"),
		})
		net := func() netip.Prefix {
			a := addrs.Draw(t, "addr").Unmap()
			bits := rapid.SampledFrom([]int{8, 16, 17, 24, 31, 32}).Draw(t, "bits")
			if a.Is6() {
				bits *= 4
			}
			return netip.PrefixFrom(a, bits).Masked()
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				b := halflife.Ban{Net: net(), Reason: "r", RconOnly: rapid.Bool().Draw(t, "rcon")}
				if rapid.Bool().Draw(t, "ends") {
					b.Span = time.Duration(rapid.IntRange(1, 100).Draw(t, "span")) * time.Second
					b.Until = now.Add(b.Span).UTC()
				}
				if err := l.Add(b); err != nil {
					t.Fatal(err)
				}
				for i, m := range model {
					if m.Net == b.Net {
						if b.RconOnly && !m.RconOnly {
							return
						}
						model[i] = b
						return
					}
				}
				model = append(model, b)
			},
			"remove": func(t *rapid.T) {
				n, found := net(), false
				for i, m := range model {
					if m.Net == n {
						model, found = append(model[:i:i], model[i+1:]...), true
						break
					}
				}
				if l.Remove(n) != found {
					t.Fatalf("removing %v: found is not %v", n, found)
				}
			},
			"wait": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "s")) * time.Second) },
			"": func(t *rapid.T) {
				kept := model[:0:0]
				for _, m := range model {
					if m.Until.IsZero() || now.Before(m.Until) {
						kept = append(kept, m)
					}
				}
				model = kept
				a := addrs.Draw(t, "who")
				game, rcon := false, false
				for _, m := range model {
					if m.Net.Contains(a.Unmap()) {
						game, rcon = game || !m.RconOnly, rcon || m.RconOnly
					}
				}
				if b, ok := l.Find(a); ok != (game || rcon) || ok && b.RconOnly == game {
					t.Fatalf("%v: %+v %v, want from the game %v, from rcon %v", a, b, ok, game, rcon)
				}
				if d := cmp.Diff(model, append(model[:0:0], l.All()...), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); d != "" {
					t.Fatal(d)
				}
			},
		})
	})
}

// TestBanFile: bans survive, the old file is there until the new one is, and a
// file that is none is not overwritten.
func TestBanFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bans.json")
	l, err := halflife.OpenBans(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []halflife.Ban{
		{Net: netip.MustParsePrefix("198.51.100.7/32"), Reason: "line\nfeed"},
		{Net: netip.MustParsePrefix("10.0.0.0/8"), Span: time.Hour, RconOnly: true},
		{Net: netip.MustParsePrefix("2001:db8::/32"), Span: time.Nanosecond},
	} {
		if err := l.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := halflife.OpenBans(path)
	if err != nil {
		t.Fatal(err)
	}
	got := again.All()
	if len(got) != 2 || got[0].Reason != "line feed" || !got[1].RconOnly || time.Until(got[1].Until) > time.Hour || time.Until(got[1].Until) < 59*time.Minute {
		t.Errorf("%+v", got)
	}
	again.Remove(netip.MustParsePrefix("10.0.0.0/8"))
	deadline := time.Now().Add(10 * time.Second)
	for {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), "10.0.0.0") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a change is not written")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	for _, bad := range []string{"", "{", `{"bans":[{"net":"0.0.0.0/0"}]}`, `{"bans":[{"net":"x"}]}`, `{"bans":[{}]}`} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := halflife.OpenBans(path); !errors.Is(err, halflife.ErrBanFile) {
			t.Errorf("%q: %v", bad, err)
		}
		if b, err := os.ReadFile(path); string(b) != bad || err != nil {
			t.Errorf("%q became %q, %v", bad, b, err)
		}
	}
	// Where nothing can be written, that is said.
	broken, err := halflife.OpenBans(filepath.Join(t.TempDir(), "no", "folder", "bans.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Add(halflife.Ban{Net: netip.MustParsePrefix("10.0.0.1/32")}); err != nil {
		t.Fatal(err)
	}
	if err := broken.Close(); err == nil || broken.Err() == nil {
		t.Error("no error for a file that cannot be written")
	}
}

// TestUnbannable: the machine itself and most of the world cannot be banned.
func TestUnbannable(t *testing.T) {
	l := halflife.NewBanList()
	for _, net := range []string{"127.0.0.1/32", "127.0.0.0/8", "::1/128", "0.0.0.0/0", "0.0.0.0/7", "::/0", "2000::/15", "::ffff:127.0.0.1/128", "::ffff:0:0/96"} {
		if err := l.Add(halflife.Ban{Net: netip.MustParsePrefix(net)}); !errors.Is(err, halflife.ErrBan) {
			t.Errorf("%s: %v", net, err)
		}
	}
	if err := l.Add(halflife.Ban{}); !errors.Is(err, halflife.ErrBan) {
		t.Errorf("nothing: %v", err)
	}
}

// TestBanListFull: bans for a time make room, bans for ever do not.
func TestBanListFull(t *testing.T) {
	l := halflife.NewBanList()
	net := func(i int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32)
	}
	if err := l.Add(halflife.Ban{Net: netip.MustParsePrefix("198.51.100.7/32"), Span: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for i := range 32768 {
		if err := l.Add(halflife.Ban{Net: net(i)}); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, ok := l.Find(netip.MustParseAddr("198.51.100.7")); ok {
		t.Error("a ban for an hour did not make room")
	}
	if err := l.Add(halflife.Ban{Net: net(40000)}); !errors.Is(err, halflife.ErrBan) {
		t.Errorf("one too many: %v", err)
	}
}

// TestIPCommands does what operators type.
func TestIPCommands(t *testing.T) {
	l := halflife.NewBanList()
	now := time.Unix(1e9, 0)
	l.Now = func() time.Time { return now }
	if got := halflife.ListIP(l, ""); got != "IP filter list: empty\n" {
		t.Errorf("%q", got)
	}
	for _, test := range [][3]string{
		{"0", "198.51.100.7", "banned 198.51.100.7 for ever"},
		{"0.001", "198.51.100.8", "banned 198.51.100.8 for ever"},
		{"30", "10.1.0.0", "banned 10.1.0.0/16 for 30 minutes"},
		{"2.5", "10.2", "banned 10.2.0.0/16 for 2.5 minutes"},
		{"0", "192.0.2.0/24", "banned 192.0.2.0/24 for ever"},
		{"0", "192.0.2.64/26", "banned 192.0.2.64/26 for ever"},
		{"0", "2001:db8::1", "banned 2001:db8::1 for ever"},
		{"1", "0.0.0.0", "halflife: cannot ban 0.0.0.0/0: that is too much of the world"},
		{"1", "127.0.0.1", "halflife: cannot ban 127.0.0.1/32: this machine cannot be banned"},
		{"1", "1.2.3.4.5", `halflife: cannot ban: "1.2.3.4.5" is no address`},
		{"1", "300.1", `halflife: cannot ban: "300.1" is no address`},
		{"1", "10.0.0.0/x", `halflife: cannot ban: "10.0.0.0/x" is no network`},
		{"1.2.3.4", "5", "halflife: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH], with 0 minutes for ever"},
		{"-1", "10.3", "halflife: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH], with 0 minutes for ever"},
		{"nan", "10.3", "halflife: cannot ban: usage: addip MINUTES ADDRESS[/LENGTH], with 0 minutes for ever"},
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
	if err := l.Add(halflife.Ban{Net: netip.MustParsePrefix("198.51.100.9/32"), Span: time.Minute, RconOnly: true}); err != nil {
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
	if got := string(halflife.WriteIP(l)); got != "addip 0 198.51.100.7\naddip 0 198.51.100.8\naddip 0 192.0.2.0\naddip 0 192.0.2.64/26\naddip 0 2001:db8::1/128\n" {
		t.Errorf("%q", got)
	}
	now = now.Add(10 * time.Minute)
	for _, test := range []struct {
		net  string
		all  bool
		want string
		left int
	}{
		{"10.2", false, "removeip: couldn't find 10.2.0.0/16.\n", 6}, // has ended
		{"10.1", false, "IP filter removed.\n", 5},
		{"192.0.2.0/24", true, "IP filter removed.\n", 3},
		{"198.0.0.0", true, "IP filter removed.\n", 1},
		{"198.0.0.0", true, "removeip: couldn't find 198.0.0.0/8.\n", 1},
		{"nobody", false, "halflife: cannot ban: \"nobody\" is no address\n", 1},
	} {
		if got := halflife.RemoveIP(l, test.net, test.all); got != test.want || len(l.All()) != test.left {
			t.Errorf("removeip %s: %q, %v left", test.net, got, l.All())
		}
	}
}

// TestWriteIPReads: what writeip writes is what addip reads.
func TestWriteIPReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, again := halflife.NewBanList(), halflife.NewBanList()
		for range rapid.IntRange(1, 20).Draw(t, "bans") {
			b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
			l.Add(halflife.Ban{Net: netip.PrefixFrom(netip.AddrFrom4([4]byte(b)), rapid.IntRange(8, 32).Draw(t, "bits"))})
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
