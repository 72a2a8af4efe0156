package bans

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// clocks are the clocks of a test: a monotonic one and a wall clock that can be set.
type clocks struct{ now, wall time.Time }

func newClocks() *clocks {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return &clocks{start, start}
}

func (c *clocks) wait(d time.Duration) { c.now, c.wall = c.now.Add(d), c.wall.Add(d) }

// list opens a file without the goroutine that syncs it. The test syncs.
func (c *clocks) list(t testing.TB, path string) *List {
	t.Helper()
	l := New(func() time.Time { return c.now })
	l.wall = func() time.Time { return c.wall }
	l, err := open(path, l)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *List) mustAdd(t testing.TB, bans ...Ban) {
	t.Helper()
	for _, b := range bans {
		if err := l.Add(b); err != nil {
			t.Fatal(err)
		}
	}
}

func (l *List) mustSync(t testing.TB) {
	t.Helper()
	l.file.sync()
	if err := l.Stored(0); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// nets returns the bans in force as text.
func nets(l *List) string {
	var s []string
	for _, b := range l.All() {
		s = append(s, FormatNet(b.Net))
	}
	return strings.Join(s, " ")
}

// remaining returns how much longer an address is banned.
func (c *clocks) remaining(l *List, addr string) time.Duration {
	b, ok := l.Find(netip.MustParseAddr(addr))
	if !ok {
		return 0
	}
	return b.Until.Sub(c.now)
}

// TestFile checks that bans survive a restart, with the real goroutine and clocks.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bans.json")
	l, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.mustAdd(t, Ban{Net: netip.MustParsePrefix("198.51.100.7/32"), Reason: "line\nfeed"},
		Ban{Net: netip.MustParsePrefix("10.0.0.0/8"), Duration: time.Hour, RconOnly: true},
		Ban{Net: netip.MustParsePrefix("2001:db8::/32"), Duration: time.Nanosecond})
	if err := l.Stored(time.Minute); err != nil {
		t.Fatal(err)
	}
	other, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := other.All()
	if len(got) != 2 || got[0].Reason != "line feed" || !got[1].RconOnly || time.Until(got[1].Until) > time.Hour || time.Until(got[1].Until) < 59*time.Minute {
		t.Errorf("%+v", got)
	}
	other.Remove(Ban{Net: netip.MustParsePrefix("10.0.0.0/8")})
	if err := errors.Join(other.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if nets(l) != "198.51.100.7" {
		t.Errorf("%q, after another list has removed one", nets(l))
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestMalformed checks that a malformed file is an error and is not changed.
func TestMalformed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans.json")
	good := `{"net":"10.0.0.1/32"}` + "\n"
	for _, bad := range []string{"{\n", "x", `{"bans":[{"net":"0.0.0.0/0"}]}`, `{"bans":[{"net":"x"}]}`,
		`{"bans":[{}]}`, "{\n\"bans\": [\n{\"net\":", good + "x\n" + good, good + "{}\n"} {
		write(t, path, bad)
		if _, err := Open(path, nil); !errors.Is(err, ErrFile) || strings.HasPrefix(bad, good) && !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", bad, err)
		}
		if got := read(t, path); got != bad {
			t.Errorf("%q became %q", bad, got)
		}
	}
	// While a server runs, a malformed file is an error until it is corrected.
	write(t, path, good)
	l := newClocks().list(t, path)
	l.mustSync(t)
	l.mustAdd(t, Ban{Net: address(2)})
	write(t, path, good+"x\n"+good)
	if l.file.sync(); !errors.Is(l.Stored(0), ErrFile) || nets(l) != "10.0.0.1 10.0.0.2" {
		t.Errorf("%v, %v", l.Stored(0), nets(l))
	}
	write(t, path, `{"net":"10.0.0.3/32"}`)
	if l.mustSync(t); nets(l) != "10.0.0.3 10.0.0.2" || strings.Count(read(t, path), "\n") != 2 {
		t.Errorf("%v in memory, in the file\n%s", nets(l), read(t, path))
	}
}

// TestOldFile reads files in the format of earlier versions.
func TestOldFile(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "bans.json"), newClocks()
	write(t, path, "{\n\t\"bans\": [\n\t\t{\n\t\t\t\"net\": \"10.0.0.1/32\",\n\t\t\t"+
		"\"span\": 1800000000000,\n\t\t\t\"until\": \"2026-11-21T12:20:00Z\",\n\t\t\t\"reason\": \"r\"\n\t\t},\n"+
		"\t\t{\n\t\t\t\"net\": \"10.0.0.2/32\",\n\t\t\t\"rconOnly\": true\n\t\t}\n\t]\n}\n")
	l := c.list(t, path)
	want := []Ban{
		{Net: address(1), Duration: 30 * time.Minute, Until: c.wall.Add(20 * time.Minute), Reason: "r"},
		{Net: address(2), RconOnly: true},
	}
	compare := cmpopts.EquateComparable(netip.Prefix{}, Range{})
	if d := cmp.Diff(want, l.All(), compare); d != "" {
		t.Error(d)
	}
	l.Remove(Ban{Net: address(2)})
	l.mustSync(t)
	if d := cmp.Diff(want[:1], c.list(t, path).All(), compare); d != "" || strings.Contains(read(t, path), "bans") {
		t.Errorf("%s\n%s", d, read(t, path))
	}
}

// TestTornLine checks that a crash during a write loses only the line being written.
func TestTornLine(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "bans.json"), newClocks()
	l := c.list(t, path)
	for i := range 3 {
		l.mustAdd(t, Ban{Net: address(i), Reason: "line", Duration: time.Hour})
	}
	l.mustSync(t)
	whole := read(t, path)
	good := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n") + 1
	for end := good; end <= len(whole); end++ {
		if end > good+5 && end < len(whole)-5 && end%13 != 0 {
			continue
		}
		for _, zeros := range []int{0, 100} {
			write(t, path, whole[:end]+strings.Repeat("\x00", zeros))
			want := "10.0.0.0 10.0.0.1"
			if end >= len(whole)-1 {
				want += " 10.0.0.2"
			}
			l := c.list(t, path)
			if nets(l) != want {
				t.Fatalf("%d of %d bytes, %d zeros: %v", end, len(whole), zeros, nets(l))
			}
			l.mustAdd(t, Ban{Net: address(9)})
			l.mustSync(t)
			if got := nets(c.list(t, path)); got != want+" 10.0.0.9" {
				t.Fatalf("%d of %d bytes, %d zeros: %v after another ban", end, len(whole), zeros, got)
			}
		}
	}
}

// TestFullDisk checks that bans stay in force while they cannot be written, that Stored reports
// this, and that they are written later.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	path, c, full := filepath.Join(dir, "bans.json"), newClocks(), true
	l := c.list(t, path)
	l.mustAdd(t, Ban{Net: address(0)})
	l.mustSync(t)
	before := read(t, path)
	writeAt := l.file.journal.write
	l.file.journal.write = func(f *os.File, b []byte, offset int64) (int, error) {
		if full {
			n, _ := writeAt(f, b[:10], offset)
			return n, syscall.ENOSPC
		}
		return writeAt(f, b, offset)
	}
	l.mustAdd(t, Ban{Net: address(1), Duration: time.Minute})
	l.Remove(Ban{Net: address(0)})
	for range 3 {
		l.file.sync()
		if err := l.Stored(time.Minute); !errors.Is(err, ErrNotStored) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the error is %v", err)
		}
		if nets(l) != "10.0.0.1" || read(t, path) != before {
			t.Errorf("in force %v, in the file\n%s", nets(l), read(t, path))
		}
		c.wait(time.Second)
	}
	full = false
	if l.mustSync(t); nets(c.list(t, path)) != "10.0.0.1" {
		t.Errorf("stored is\n%s", read(t, path))
	}
	if again := c.list(t, path); c.remaining(again, "10.0.0.1") != 57*time.Second {
		t.Errorf("a ban that was stored after 3 s ends after %v", c.remaining(again, "10.0.0.1"))
	}

	// The folder disappears, as an unmounted disk does, and comes back empty.
	moved := dir + ".moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(moved)
	l.mustAdd(t, Ban{Net: address(2)})
	if l.file.sync(); !errors.Is(l.Stored(0), os.ErrNotExist) {
		t.Errorf("the error is %v", l.Stored(0))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if l.mustSync(t); nets(c.list(t, path)) != "10.0.0.1 10.0.0.2" {
		t.Errorf("stored is\n%s", read(t, path))
	}
}

// TestReadOnly checks that bans in a read-only folder are in force, and that the error is reported
// before the first new ban. Close returns an error only if a change is lost.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans.json")
	write(t, path, `{"net":"10.0.0.1/32"}`+"\n")
	if err := os.Mkdir(path+lockSuffix, 0o700); err != nil { // permissions do not stop root
		t.Fatal(err)
	}
	for _, lost := range []bool{false, true} {
		l, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); l.Stored(0) == nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if err := l.Stored(0); !errors.Is(err, ErrNotStored) || nets(l) != "10.0.0.1" {
			t.Errorf("%v, in force %v", err, nets(l))
		}
		if lost {
			l.mustAdd(t, Ban{Net: address(2)})
		}
		if err := l.Close(); lost != (err != nil) {
			t.Errorf("at the end, lost %v: %v", lost, err)
		}
	}
}

// TestStuckDisk checks that no call waits for a disk that hangs.
func TestStuckDisk(t *testing.T) {
	l, err := Open(filepath.Join(t.TempDir(), "bans.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	stuck, writing := make(chan struct{}), make(chan struct{}, 10)
	writeAt := l.file.journal.write
	l.mu.Lock()
	l.file.journal.write = func(f *os.File, b []byte, offset int64) (int, error) {
		writing <- struct{}{}
		<-stuck
		return writeAt(f, b, offset)
	}
	l.mu.Unlock()
	l.mustAdd(t, Ban{Net: address(1)})
	<-writing
	l.mustAdd(t, Ban{Net: address(2)})
	if nets(l) != "10.0.0.1 10.0.0.2" {
		t.Errorf("in force are %v", nets(l))
	}
	if err := l.Stored(0); err != nil {
		t.Errorf("at once: %v", err)
	}
	if err := l.Stored(time.Millisecond); !errors.Is(err, ErrNotStored) || !errors.Is(err, errSlowDisk) {
		t.Errorf("after waiting: %v", err)
	}
	l.mu.Lock()
	l.file.since = time.Now().Add(-slowDisk - time.Second)
	l.mu.Unlock()
	if err := l.Stored(0); !errors.Is(err, errSlowDisk) {
		t.Errorf("after %v: %v", slowDisk, err)
	}
	close(stuck)
	if err := errors.Join(l.Stored(time.Minute), l.Close()); err != nil {
		t.Error(err)
	}
}

// TestClockJumps sets the wall clock before and after the file is written and read. Bans last as
// long as they should.
func TestClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			path, c := filepath.Join(t.TempDir(), "bans.json"), newClocks()
			l, other := c.list(t, path), c.list(t, path)
			check := func(when string, l *List, address string, want time.Duration) {
				t.Helper()
				if got := c.remaining(l, address); (got - want).Abs() > syncInterval {
					t.Errorf("%s: %s is banned for %v, not %v", when, address, got, want)
				}
			}
			l.mustAdd(t, Ban{Net: address(1), Duration: 5 * time.Minute})
			l.mustSync(t)
			other.mustSync(t)
			l.mustAdd(t, Ban{Net: address(2), Duration: 5 * time.Minute})
			l.mustSync(t) // the other list has not read this one yet
			c.wait(time.Second)
			c.wall = c.wall.Add(jump)
			check("after the jump", l, "10.0.0.1", 5*time.Minute)
			other.mustSync(t)
			check("to the other list", other, "10.0.0.1", 5*time.Minute)
			check("to the other list, read after the jump", other, "10.0.0.2", 5*time.Minute)
			l.mustSync(t)
			c.wait(time.Minute)
			check("a minute later", l, "10.0.0.1", 4*time.Minute)
			again := c.list(t, path)
			check("after a restart", again, "10.0.0.1", 4*time.Minute)
			check("after a restart", again, "10.0.0.2", 4*time.Minute)
			if c.wait(4 * time.Minute); nets(l)+nets(other)+nets(again) != "" {
				t.Errorf("after five minutes: %q, %q, %q", nets(l), nets(other), nets(again))
			}
			// A jump between two runs cannot be detected, but it does not make a ban longer.
			l.mustAdd(t, Ban{Net: address(3), Duration: 5 * time.Minute})
			l.mustSync(t)
			c.wall = c.wall.Add(jump)
			if left := c.remaining(c.list(t, path), "10.0.0.3"); left > 5*time.Minute || jump < 0 && left != 5*time.Minute {
				t.Errorf("after a jump between two runs: %v", left)
			}
		})
	}
}

// TestSharedFile changes a file from two processes. After syncing, both contain the bans of a
// simple model, in which the last change to a network counts.
func TestSharedFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path, c := filepath.Join(dir, "bans.json"), newClocks()
		lists := []*List{c.list(t, path), c.list(t, path)}
		model := map[netip.Prefix]time.Time{}
		pending := []map[netip.Prefix]time.Time{{}, {}} // the zero time means removed
		never := c.now.Add(1e6 * time.Hour)
		n := 0
		r.Repeat(map[string]func(*rapid.T){
			"add": func(r *rapid.T) {
				i, b := rapid.IntRange(0, 1).Draw(r, "list"), Ban{Net: address(rapid.IntRange(1, 9).Draw(r, "address"))}
				// Give files written at the same time different sizes, since they would look the
				// same otherwise.
				n++
				b.Reason = strings.Repeat("r", n*37%127)
				until := never
				if rapid.Bool().Draw(r, "ends") {
					b.Duration = time.Duration(rapid.IntRange(1, 100).Draw(r, "span")) * time.Second
					until = c.now.Add(b.Duration)
				}
				lists[i].mustAdd(t, b)
				pending[i][b.Net] = until
			},
			"remove": func(r *rapid.T) {
				i, net := rapid.IntRange(0, 1).Draw(r, "list"), address(rapid.IntRange(1, 9).Draw(r, "address"))
				before := slices.ContainsFunc(lists[i].All(), func(b Ban) bool { return b.Net == net })
				if lists[i].Remove(Ban{Net: net}) != before {
					r.Fatalf("removing %v: %v", net, !before)
				}
				if before {
					pending[i][net] = time.Time{}
				}
			},
			"sync": func(r *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(r, "list")
				lists[i].mustSync(t)
				for net, until := range pending[i] {
					model[net] = until
				}
				clear(pending[i])
				for _, l := range []*List{lists[i], c.list(t, path)} {
					for _, b := range l.All() {
						if want, ok := model[b.Net]; !ok || !b.Until.IsZero() && !b.Until.Equal(want) || b.Until.IsZero() && want != never {
							r.Fatalf("%v ends %v, not %v", b.Net, b.Until, want)
						}
					}
					n := 0
					for _, until := range model {
						if until.After(c.now) {
							n++
						}
					}
					if n != len(l.All()) {
						r.Fatalf("%d bans, not %d: %v", len(l.All()), n, nets(l))
					}
				}
			},
			"compact": func(r *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(r, "list")
				lists[i].file.journal.lines += 2 * compactAfter
			},
			"wait": func(r *rapid.T) {
				c.wait(time.Duration(rapid.IntRange(1, 40).Draw(r, "s")) * time.Second)
			},
		})
	})
}

// TestCompaction checks that obsolete lines are removed from the file, and that nothing is written
// without changes.
func TestCompaction(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "bans.json"), newClocks()
	l, other := c.list(t, path), c.list(t, path)
	other.mustAdd(t, Ban{Net: address(1000)})
	other.mustSync(t)
	largest, last, compactions := 0, 0, 0
	for range 100 {
		for i := range 40 {
			l.mustAdd(t, Ban{Net: address(i)})
			if i >= 5 {
				l.Remove(Ban{Net: address(i)})
			}
		}
		l.mustSync(t)
		if l.file.journal.changed() {
			t.Fatal("what it has written itself is to be read again")
		}
		lines := strings.Count(read(t, path), "\n")
		if lines < last {
			compactions++
		}
		largest, last = max(largest, lines), lines
	}
	l.mustSync(t)
	other.mustSync(t)
	if largest > compactAfter+100 || compactions < 3 || nets(l) != "10.0.3.232 10.0.0.0 10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4" || nets(l) != nets(other) {
		t.Errorf("%d lines at most, %d compactions; %v, %v", largest, compactions, nets(l), nets(other))
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		c.wait(syncInterval)
		l.mustSync(t)
		other.mustSync(t)
	}
	if after, err := os.Stat(path); err != nil || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Errorf("written without changes: %v, %v", after, err)
	}
}

// TestDeletedFile checks that bans in force are written again after the file was deleted or
// emptied.
func TestDeletedFile(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "bans.json"), newClocks()
	l := c.list(t, path)
	l.mustAdd(t, Ban{Net: address(1)})
	l.mustSync(t)
	for _, spoil := range []func() error{
		func() error { return os.Remove(path) },
		func() error { return os.Truncate(path, 0) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		l.mustSync(t)
		if got := nets(c.list(t, path)); got != "10.0.0.1" || nets(l) != got {
			t.Errorf("%q", got)
		}
	}
	// An operator who deletes a line removes its ban.
	l.mustAdd(t, Ban{Net: address(2)})
	l.mustSync(t)
	first, _, _ := strings.Cut(read(t, path), "\n")
	write(t, path, first)
	if l.mustSync(t); nets(l) != "10.0.0.1" {
		t.Errorf("%q", nets(l))
	}
}
