package bans

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/limit"
)

// TestModel compares the list with a simple model.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		l := New(func() time.Time { return now })
		var model []Ban
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
				b := Ban{Net: net(), Reason: "r", RconOnly: rapid.Bool().Draw(t, "rcon")}
				if rapid.Bool().Draw(t, "ends") {
					b.Duration = time.Duration(rapid.IntRange(1, 100).Draw(t, "span")) * time.Second
					b.Until = now.Add(b.Duration).UTC()
					b.Temporary = rapid.Bool().Draw(t, "temporary")
				}
				if err := l.Add(b); err != nil {
					t.Fatal(err)
				}
				for i, m := range model {
					if m.Net == b.Net && m.Temporary == b.Temporary && !(b.Temporary && m.RconOnly != b.RconOnly) {
						if b.RconOnly && !m.RconOnly {
							return
						}
						if b.Temporary && m.Until.After(b.Until) {
							b.Until, b.Duration = m.Until, m.Duration
						}
						model[i] = b
						return
					}
				}
				model = append(model, b)
			},
			"remove": func(t *rapid.T) {
				n, found := net(), false
				model = slices.DeleteFunc(model, func(m Ban) bool {
					found = found || m.Net == n
					return m.Net == n
				})
				if l.Remove(Ban{Net: n}) != found {
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
				if d := cmp.Diff(model, append(model[:0:0], l.All()...), cmpopts.EquateComparable(netip.Prefix{}, Range{})); d != "" {
					t.Fatal(d)
				}
			},
		})
	})
}

// TestUnbannable checks that localhost and very large networks cannot be banned.
func TestUnbannable(t *testing.T) {
	l := New(nil)
	for _, net := range []string{"127.0.0.1/32", "127.0.0.0/8", "::1/128", "0.0.0.0/0", "0.0.0.0/7", "::/0",
		"2000::/15", "::ffff:127.0.0.1/128", "::ffff:0:0/96"} {
		if err := l.Add(Ban{Net: netip.MustParsePrefix(net)}); !errors.Is(err, ErrCannotBan) {
			t.Errorf("%s: %v", net, err)
		}
	}
	if err := l.Add(Ban{}); !errors.Is(err, ErrCannotBan) {
		t.Errorf("nothing: %v", err)
	}
}

// TestFull checks that a full list replaces bans that end, but not permanent ones.
func TestFull(t *testing.T) {
	l := New(nil)
	if err := l.Add(Ban{Net: netip.MustParsePrefix("198.51.100.7/32"), Duration: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for i := range 32768 {
		if err := l.Add(Ban{Net: address(i)}); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, ok := l.Find(netip.MustParseAddr("198.51.100.7")); ok {
		t.Error("a ban for an hour did not make room")
	}
	if err := l.Add(Ban{Net: address(40000)}); !errors.Is(err, ErrCannotBan) {
		t.Errorf("one too many: %v", err)
	}
}

// TestTemporary checks that temporary bans are not stored, do not use up the limit of stored ones,
// and are limited in number.
func TestTemporary(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "bans.json"), time.Unix(1e9, 0)
	l, err := Open(path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(Ban{Net: address(0), Temporary: true}); !errors.Is(err, ErrCannotBan) {
		t.Errorf("a temporary ban for ever: %v", err)
	}
	for i := range maxTemporary + 10 {
		if err := l.Add(Ban{Net: addressOfSite(i), Duration: time.Minute + time.Duration(i), Temporary: true}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.All()); n != maxTemporary {
		t.Errorf("%d temporary bans", n)
	}
	if _, ok := l.Find(addressOfSite(9).Addr()); ok {
		t.Error("the ban that ends first did not make room")
	}
	if b, ok := l.Find(addressOfSite(10).Addr()); !ok || !b.Temporary {
		t.Errorf("%+v, %v", b, ok)
	}
	if err := l.Add(Ban{Net: addressOfSite(10)}); err != nil {
		t.Fatal(err)
	}
	if b, ok := l.Find(addressOfSite(10).Addr()); !ok || b.Temporary {
		t.Errorf("%+v, %v", b, ok)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() // it may still write
	if all := again.All(); len(all) != 1 {
		t.Errorf("the file has %v", all)
	}
	if now = now.Add(2 * time.Minute); len(l.All()) != 1 || len(l.temporary.byNet) != 0 {
		t.Errorf("%d bans are left, want the one for ever; %d", len(l.All()), len(l.temporary.byNet))
	}
}

// TestTemporaryOfSite checks that temporary bans of many neighbours are never combined into a ban
// of their network. Such a ban would lock out others.
func TestTemporaryOfSite(t *testing.T) {
	for _, rconOnly := range []bool{false, true} {
		now := time.Unix(1e9, 0)
		l := New(func() time.Time { return now })
		for i := range 200 {
			for _, a := range []netip.Addr{
				netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}),
				netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 7: byte(i)}),
			} {
				b := Ban{Net: limit.Person(a), Duration: time.Minute, Temporary: true, RconOnly: rconOnly}
				if err := l.Add(b); err != nil {
					t.Fatal(err)
				}
				b.Duration = time.Second // does not shorten the ban
				if err := l.Add(b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := len(l.All()); n != 400 {
			t.Errorf("%d bans, want 400", n)
		}
		for _, honest := range []string{"198.51.100.201", "2001:db8:0:c9::1"} {
			if b, banned := l.Find(netip.MustParseAddr(honest)); banned {
				t.Errorf("%s is %v", honest, b)
			}
		}
		if now = now.Add(59 * time.Second); len(l.All()) != 400 {
			t.Error("they end too early")
		}
		if now = now.Add(time.Second); len(l.All())+len(l.temporary.byNet)+len(l.temporaryRcon.byNet) != 0 {
			t.Error("they do not end")
		}
	}
}

// TestTemporaryFromRcon checks that the end of a ban from the game does not end the ban of the same
// network from rcon.
func TestTemporaryFromRcon(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := New(func() time.Time { return now })
	l.Add(Ban{Net: address(1), Duration: time.Hour, RconOnly: true, Temporary: true})
	l.Add(Ban{Net: address(1), Duration: time.Minute, Temporary: true})
	if b, _ := l.Find(address(1).Addr()); b.RconOnly || b.Duration != time.Minute {
		t.Errorf("first %+v", b)
	}
	now = now.Add(2 * time.Minute)
	if b, ok := l.Find(address(1).Addr()); !ok || !b.RconOnly {
		t.Errorf("after the ban from the game %+v, %v", b, ok)
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.1":                        "[10.0.0.1/32]",
		"10.1.2.3/16":                     "[10.1.0.0/16]",
		"2001:db8::1":                     "[2001:db8::1/128]",
		"10.0.0.0-10.0.255.255":           "[10.0.0.0/16]",
		"10.0.0.5 - 10.0.0.6":             "[10.0.0.5/32 10.0.0.6/32]",
		"[2001:db8::1]":                   "[2001:db8::1/128]",
		"[2001:db8::2]-[2001:db8::3]":     "[2001:db8::2/127]",
		"10.0.0.5-10.0.0.5":               "",
		"10.0.0.5-10.0.0.16":              "[10.0.0.5/32 10.0.0.6/31 10.0.0.8/29 10.0.0.16/32]",
		"255.255.255.254-255.255.255.255": "[255.255.255.254/31]",
		"::ffff:10.0.0.4-10.0.0.7":        "[10.0.0.4/30]",
		"2001:db8::-2001:db8::2:ffff":     "[2001:db8::/111 2001:db8::2:0/112]",
		"10.0.0.2-10.0.0.1":               "",
		"10.0.0.1-2001:db8::1":            "",
		"0.0.0.0-9.255.255.255":           "",
		"127.0.0.1":                       "",
		"10.0.0.1-":                       "",
		"10.0.0/x":                        "",
		"nobody":                          "",
	} {
		b, err := Parse(in)
		if err == nil {
			err = b.normalize()
		}
		nets := b.Networks()
		if want == "" && !errors.Is(err, ErrCannotBan) || want != "" && fmt.Sprint(nets) != want {
			t.Errorf("%s: %v, %v, want %s", in, nets, err, want)
		}
	}
}

// TestParseExact checks that the networks of a range contain exactly its addresses.
func TestParseExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint32Range(1<<24, 1<<24+5000).Draw(t, "first")
		n := rapid.Uint32Range(2, 5000).Draw(t, "addresses")
		addr := func(i uint32) netip.Addr {
			return netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
		}
		b, err := Parse(fmt.Sprintf("%v-%v", addr(first), addr(first+n-1)))
		if err != nil {
			t.Fatal(err)
		}
		nets := b.Networks()
		total := uint32(0)
		for _, net := range nets {
			total += 1 << (32 - net.Bits())
		}
		for _, i := range []uint32{first, first + n/2, first + n - 1} {
			if !slices.ContainsFunc(nets, func(net netip.Prefix) bool { return net.Contains(addr(i)) }) {
				t.Fatalf("%v lacks %v", nets, addr(i))
			}
		}
		if total != n {
			t.Fatalf("%v have %d addresses, want %d", nets, total, n)
		}
	})
}

func TestFindAllocations(t *testing.T) {
	l := New(nil)
	for i := range 10 {
		l.Add(Ban{Net: address(i), RconOnly: i%2 == 0, Temporary: i > 5, Duration: time.Hour})
	}
	if n := testing.AllocsPerRun(100, func() {
		l.Find(address(1).Addr())
		l.Find(address(8).Addr())
		l.Find(address(100).Addr())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// addressOfSite returns an address of the i-th /24 of 10.0.0.0/8.
func addressOfSite(i int) netip.Prefix { return address(i<<8 | 1) }

// address returns the i-th address of 10.0.0.0/8.
func address(i int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32)
}
