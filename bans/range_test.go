package bans

import (
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRanges compares bans of overlapping ranges and networks with a simple model.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		l := New(func() time.Time { return now })
		var model []Ban
		addr := func() netip.Addr {
			return netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(0, 40).Draw(t, "addr"))})
		}
		ban := func() Ban {
			a, b := addr(), addr()
			if b.Less(a) {
				a, b = b, a
			}
			if a == b {
				return Ban{Net: netip.PrefixFrom(a, rapid.IntRange(26, 32).Draw(t, "bits")).Masked()}
			}
			return Ban{Range: Range{a, b}}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				b := ban()
				if rapid.Bool().Draw(t, "ends") {
					b.Duration = time.Duration(rapid.IntRange(1, 100).Draw(t, "s")) * time.Second
				}
				if err := l.Add(b); err != nil {
					t.Fatal(err)
				}
				if b.Duration > 0 {
					b.Until = now.Add(b.Duration)
				}
				model = append(slices.DeleteFunc(model, b.SameTarget), b)
			},
			"remove": func(t *rapid.T) {
				b := ban()
				if len(model) > 0 && rapid.Bool().Draw(t, "there") {
					b = model[0]
				}
				if got, want := l.Remove(b), slices.ContainsFunc(model, b.SameTarget); got != want {
					t.Fatalf("removing %s: found %v", b.Target(), got)
				}
				model = slices.DeleteFunc(model, b.SameTarget)
			},
			"wait": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "s")) * time.Second) },
			"": func(t *rapid.T) {
				model = slices.DeleteFunc(model, func(b Ban) bool { return b.ended(now) })
				a := addr()
				b, ok := l.Find(a)
				if want := slices.ContainsFunc(model, func(b Ban) bool { return b.Contains(a) }); ok != want || ok && !b.Contains(a) {
					t.Fatalf("%v: %v %s, want %v", a, ok, b.Target(), want)
				}
				if got := l.All(); len(got) != len(model) {
					t.Fatalf("%d bans, want %d", len(got), len(model))
				}
			},
		})
		for _, b := range model {
			l.Remove(b)
		}
		if n := len(l.stored.pieces); n != 0 || l.stored.lengths != [33 + 129]int{} || len(l.stored.ending) != 0 {
			t.Fatalf("%d pieces are left, %v, %d", n, l.stored.lengths, len(l.stored.ending))
		}
	})
}

// TestUnbannableRange checks that the error for a range names the range, not a network in it.
func TestUnbannableRange(t *testing.T) {
	l := New(nil)
	for text, want := range map[string]string{
		"1.0.0.0-126.255.255.255": "bans: cannot ban 1.0.0.0-126.255.255.255: too large; the limit is /8 for IPv4 and /16 for IPv6",
		"127.0.0.0-127.0.0.9":     "bans: cannot ban 127.0.0.0-127.0.0.9: it contains localhost",
	} {
		b, err := Parse(text)
		if err == nil {
			err = l.Add(b)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRangesInAFile checks that ranges survive a restart, and that another process can remove them.
func TestRangesInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans.json")
	open := func() *List {
		l, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	for _, s := range []string{"10.0.0.5-10.0.0.20", "10.0.0.5-10.0.0.21", "2001:db8::1-2001:db8::9", "10.0.0.8/30"} {
		b, err := Parse(s)
		if err == nil {
			err = l.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	l.Remove(Ban{Range: Range{netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("10.0.0.20")}})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	var got []string
	for _, b := range l.All() {
		got = append(got, b.Target())
	}
	if want := []string{"10.0.0.5-10.0.0.21", "2001:db8::1-2001:db8::9", "10.0.0.8/30"}; !slices.Equal(got, want) {
		t.Errorf("after a restart %q, want %q", got, want)
	}
	if b, ok := l.Find(netip.MustParseAddr("10.0.0.21")); !ok || b.Target() != "10.0.0.5-10.0.0.21" {
		t.Errorf("%s, %v", b.Target(), ok)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// FuzzFile parses arbitrary files. Parsed bans can be written and read again.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"net":"10.0.0.0/24","until":"2030-01-01T00:00:00Z","reason":"x"}` + "\n" + `{"range":"10.0.0.5-10.0.0.9","removed":true}` + "\n"))
	f.Add([]byte(`{"range":"2001:db8::-2001:db8::ffff"}` + "\n" + `{"range":"9.9.9.9-1.1.1.1"}`))
	f.Add([]byte(`{"bans":[{"net":"10.0.0.1/32"},{"range":"1.1.1.1-1.1.1.2"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		now := time.Unix(1e9, 0)
		lines, err := new(journal).parse(b)
		if err != nil {
			return
		}
		tab := newTable(maxStored)
		for i, l := range lines {
			tab.apply(l, i, now)
		}
		encoded, err := encode(lines)
		if err != nil {
			t.Fatal(err)
		}
		again, err := new(journal).parse(encoded)
		if err != nil || len(again) != len(lines) {
			t.Fatalf("%d lines, then %d, %v\n%s", len(lines), len(again), err, encoded)
		}
		for i := range lines {
			if !again[i].SameTarget(lines[i].Ban) {
				t.Fatalf("%s, then %s", lines[i].Target(), again[i].Target())
			}
		}
	})
}
