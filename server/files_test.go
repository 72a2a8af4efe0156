package server

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// failingStore is a store in memory that says that it is on a disk.
type failingStore struct {
	bans.Store
	err   error
	waits int
}

func (s *failingStore) Stored(limit time.Duration) error {
	if limit > 0 {
		s.waits++
	}
	return s.err
}

// TestUnstoredBans checks that it is said in the reply and in the log when bans cannot be
// stored, and that they are in force.
func TestUnstoredBans(t *testing.T) {
	store := &failingStore{Store: bans.New(nil)}
	ts := newTestServerWith(t, Config{Bans: store})
	k := hlClient{ts, public(1)}
	logged := func(want string) {
		t.Helper()
		if n := strings.Count(ts.log.String(), want); n != 1 {
			t.Errorf("the log says %q %d times:\n%s", want, n, ts.log.String())
		}
		ts.log.Reset()
	}
	if got := k.rcon("adminpw", "ban 10.0.0.7 5"); strings.Contains(got, "stored") {
		t.Errorf("all is well: %q", got)
	}
	ts.log.Reset()
	store.err = errors.New("no space left")
	for _, line := range []string{"ban 10.0.0.8 5", "addip 5 10.0.0.9", "unban 10.0.0.7", "removeip 10.0.0.9", "unban 0", "unban_all"} {
		if got := k.rcon("adminpw", line); !strings.Contains(got, "no space left (in force") {
			t.Errorf("%s: %q", line, got)
		}
		ts.step(2)
		logged("no space left")
	}
	k.rcon("adminpw", "ban 10.0.1.1 5")
	ts.now = ts.now.Add(time.Minute)
	if c := ts.dial(ip(1<<8 | 1)); !strings.HasPrefix(c.Reason, "You have been banned") {
		t.Errorf("in spite of the ban: %q", c.Reason)
	}
	ts.log.Reset()
	store.err = nil
	ts.step(2)
	logged("all bans are stored now")

	// Of bans that no command makes, the log says so.
	store.err = errors.New("read-only file system")
	if err := ts.srv.access.Bans.Add(console.Operator, bans.Ban{Net: netip.PrefixFrom(ip(5).Addr(), 32), Duration: time.Hour}); err != nil {
		t.Fatal(err)
	}
	ts.step(50)
	logged("read-only file system (in force")

	// Many commands at once do not wait for the disk one by one.
	store.waits = 0
	ts.srv.Execute(strings.TrimSuffix(strings.Repeat("addip 1 10.0.0.1;", 50), ";"))
	if store.waits > 1 {
		t.Errorf("50 commands waited %d times", store.waits)
	}
}

// TestSlowDisk checks that the game goes on while a file is written, and that the log says
// how that ends.
func TestSlowDisk(t *testing.T) {
	result, written := make(chan error), []string(nil)
	ts := newTestServerWith(t, Config{WriteFile: func(name string, content []byte) error {
		written = append(written, name)
		return <-result
	}})
	run := func(line, want string) {
		t.Helper()
		ts.log.Reset()
		ts.srv.Execute(line)
		if got := ts.log.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for _, c := range []struct {
		line string
		err  error
		want string
	}{
		{"writeip", errors.New("no space left"), "listip.cfg: not written: no space left\n"},
		{"save_config x", nil, "configs/x.cfg: written\n"},
	} {
		run(c.line, "the disk is slow")
		run("save_config y", "saving config to 'configs/y.cfg': the disk is slow")
		run("bans_save b.cfg", "saving banlist to 'b.cfg': the disk is slow")
		run("save_config z", "the disk is slow")
		run(c.line, "other files are still being written")
		ts.step(10)
		ts.log.Reset()
		result <- c.err
		(<-ts.srv.tasks.queue)()
		for _, name := range []string{"configs/y.cfg", "b.cfg", "configs/z.cfg"} {
			result <- nil
			(<-ts.srv.tasks.queue)()
			if got := ts.log.String(); !strings.HasSuffix(got, "[server]: "+name+": written\n") {
				t.Errorf("%q after %s", got, name)
			}
		}
		if got := ts.log.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q later, want %q", c.line, got, c.want)
		}
	}
	go func() { result <- nil }()
	run("save_config x", "saved config to 'configs/x.cfg'")
	if len(written) != 9 {
		t.Errorf("written %q", written)
	}
}

// TestBansSaveReplaces: bans_save replaces lists of bans and nothing else, under whatever name.
func TestBansSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	files := map[string]string{
		"ours.cfg":     "ban 10.3.0.1-10.3.0.9 7 range\nban 10.4.0.0/16 -1 \"a; b\"\nban 2001:db8::1 9 v6\n",
		"theirs.cfg":   "ban_range 10.3.0.1 10.3.0.9 7 old\nban [2001:db8:0:0:0:0:0:1] -1 for ever\n",
		"empty.cfg":    "",
		"autoexec.cfg": "sv_name \"my server\"\n",
		"storage.cfg":  "add_path $USERDIR\n",
		"mixed.cfg":    "ban 10.0.0.1 7 x\nsv_name a\n",
		"short.cfg":    "ban 10.0.0.1\n",
		"notes.txt":    "ban nobody 5 minutes\n",
		"absolute.cfg": "",
	}
	for name, content := range files {
		testenv.NoError(t, os.WriteFile(path(name), []byte(content), 0o600))
	}
	ts := newTestServerWith(t, Config{
		Files:     os.DirFS(dir),
		WriteFile: func(name string, content []byte) error { return os.WriteFile(path(name), content, 0o600) },
		OpenLog: func(name string) (io.WriteCloser, error) {
			if !filepath.IsAbs(name) {
				name = path(name)
			}
			return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		},
	}, "sv_audit_log audit.txt; ban 10.9.9.9 5 rude", "logfile "+console.Quote(filepath.ToSlash(path("absolute.cfg"))))
	defer ts.srv.Shutdown(ts.now, "")
	for name, want := range map[string]string{
		"ours.cfg": "", "theirs.cfg": "", "empty.cfg": "", "new.cfg": "",
		"autoexec.cfg": "not a list of bans", "storage.cfg": "not a list of bans", "mixed.cfg": "not a list of bans",
		"short.cfg": "not a list of bans", "notes.txt": "not a list of bans",
		"audit.txt": "open as a log", "./x/../AUDIT.txt": "open as a log", "absolute.cfg": "open as a log",
	} {
		ts.log.Reset()
		ts.srv.Execute("bans_save " + name)
		if strings.Contains(ts.log.String(), console.ErrLater.Error()) {
			(<-ts.srv.tasks.queue)()
		}
		content, _ := os.ReadFile(path(name))
		saved := strings.HasPrefix(string(content), "ban 10.9.9.9 5 ")
		if saved != (want == "") || !strings.Contains(ts.log.String(), want) {
			t.Errorf("%s: saved %v, want %q:\n%s", name, saved, want, ts.log.String())
		}
	}
}

// TestBanByAnotherServer checks that players who are banned on a server with the same
// bans are told, and dropped at once.
func TestBanByAnotherServer(t *testing.T) {
	store := bans.New(nil)
	one, other := newTestServerWith(t, Config{Bans: store}), newTestServerWith(t, Config{Bans: store})
	p, q := other.join(ip(1), "rude"), other.join(ip(2), "kind")
	one.srv.Execute("ban 10.0.0.1 5 rude")
	other.idle(2, p, q)
	if p.Reason != "You have been banned for 5 minutes (rude)" || other.session(p) != nil || other.session(q) == nil {
		t.Errorf("dropped with %q; the other: %q", p.Reason, q.Reason)
	}
}

// TestExecWaitsForWrites executes a file that is being written.
func TestExecWaitsForWrites(t *testing.T) {
	dir := t.TempDir()
	release := make(chan bool)
	ts := newTestServerWith(t, Config{
		Files: os.DirFS(dir),
		WriteFile: func(name string, content []byte) error {
			<-release
			return os.WriteFile(filepath.Join(dir, name), content, 0o600)
		},
	})
	ts.background = later.Go
	ts.srv.Execute("ban 10.9.9.9 5 rude; bans_save b.cfg; unban_all; exec b.cfg")
	testenv.Check(t, len(ts.srv.access.Bans.Store.All()) == 0, "it did not wait: %s", ts.log.String())
	close(release)
	testenv.Eventually(t, "the file is executed", func() bool {
		select {
		case task := <-ts.srv.tasks.queue:
			task()
		default:
		}
		return len(ts.srv.access.Bans.Store.All()) == 1
	})
}
