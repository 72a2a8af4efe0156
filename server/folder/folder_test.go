package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestListReadDir checks that maps are listed from all folders, as they are opened from all.
// Other files belong to other programs and are listed from the first folder only.
func TestListReadDir(t *testing.T) {
	own, system := t.TempDir(), t.TempDir()
	for _, name := range []string{
		filepath.Join(own, "maps", "b.map"), filepath.Join(own, "maps", "c.map"), filepath.Join(own, "notes", "x"),
		filepath.Join(system, "maps", "a.map"), filepath.Join(system, "maps", "b.map"), filepath.Join(system, "maps", "sub", "d.map"),
		filepath.Join(system, "notes", "y"), filepath.Join(system, "others", "z"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := List{own, system, filepath.Join(own, "missing")}
	list := func(dir string) (names []string) {
		entries, err := fs.ReadDir(s, dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for dir, want := range map[string][]string{
		"maps": {"a.map", "b.map", "c.map", "sub"}, "maps/sub": {"d.map"}, "notes": {"x"},
	} {
		if got := list(dir); !slices.Equal(got, want) {
			t.Errorf("%s has %q, not %q", dir, got, want)
		}
	}
	if _, err := fs.ReadDir(s, "others"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder of others: %v", err)
	}
	if _, err := fs.ReadDir(s, "maps/../.."); err == nil {
		t.Error("left the folder")
	}
}

// TestListBlame checks that an unreadable later folder is not an error, since the map may be
// embedded.
func TestListBlame(t *testing.T) {
	missing, forbidden, broken := fs.ErrNotExist, fs.ErrPermission, errors.New("broken")
	for _, c := range []struct {
		own, other, want error
	}{
		{missing, missing, missing},
		{missing, forbidden, missing},
		{missing, broken, broken},
		{forbidden, missing, forbidden},
		{broken, missing, broken},
		{nil, forbidden, nil},
		{nil, missing, missing},
	} {
		var first error
		if c.own != nil {
			first = moreImportantError(nil, c.own, true)
		}
		if got := moreImportantError(first, c.other, false); got != c.want {
			t.Errorf("%v, then %v: %v, want %v", c.own, c.other, got, c.want)
		}
	}
}

// TestRecordings checks that a recording that another server is writing is neither overwritten nor
// removed.
func TestRecordings(t *testing.T) {
	const name = "auto/demo"
	d := Recordings{Path: t.TempDir()}
	f, err := d.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := d.Create(name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created again: %v", err)
	}
	if _, err := d.Create("demo"); err != nil {
		t.Error(err)
	}
	if names, err := d.Names(); !slices.Equal(names, []string{name, "demo"}) || err != nil {
		t.Errorf("names: %q, %v", names, err)
	}
	path := filepath.Join(d.Path, "auto", "demo")
	if err := d.Remove(name); err == nil {
		t.Error("removed while it is written")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(name); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestListWriteFile checks that files are replaced as a whole, and only within the folder.
func TestListWriteFile(t *testing.T) {
	s := List{t.TempDir()}
	path := filepath.Join(s[0], "configs", "a.cfg")
	for _, content := range []string{"first, and longer", "second"} {
		if err := s.WriteFile("configs/a.cfg", []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Open(path) // a reader keeps the old content, also after a crash in the middle
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := s.WriteFile("configs/a.cfg", []byte("third")); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(before); string(b) != "second" || err != nil {
		t.Errorf("the old file has %q, %v", b, err)
	}
	if b, err := os.ReadFile(path); string(b) != "third" || err != nil {
		t.Errorf("the new file has %q, %v", b, err)
	}
	if err := s.WriteFile("../a.cfg", nil); err == nil {
		t.Error("left the folder")
	}
}

// TestRecordingsDiscard checks that Remove spares a fresh file and Discard deletes it.
func TestRecordingsDiscard(t *testing.T) {
	d := Recordings{Path: t.TempDir()}
	f := testenv.Must(d.Create("a.twreplay"))
	testenv.NoError(t, f.Close())
	if err := d.Remove("a.twreplay"); err == nil {
		t.Error("a fresh log is deleted")
	}
	testenv.NoError(t, d.Discard("a.twreplay"))
	if names := testenv.Must(d.Names()); len(names) != 0 {
		t.Errorf("there is %q", names)
	}
}

// TestLastLineOfALog checks that a log with a truncated last line continues with whole lines.
func TestLastLineOfALog(t *testing.T) {
	s := List{t.TempDir()}
	for before, want := range map[string]string{
		"": "", "a\n": "a\n", "a": "a\n", "{\"a\":1}": "{\"a\":1}\n", "{\"a\":1}\n{\"a": "{\"a\":1}\n", "{\"a": "", "[12:00][a]: {": "[12:00][a]: {\n",
		strings.Repeat("{\"a\":1}\n", 20_000) + "{": strings.Repeat("{\"a\":1}\n", 20_000),
		"{" + strings.Repeat("a", 2*maxLogLine):     "{" + strings.Repeat("a", 2*maxLogLine) + "\n",
	} {
		path := filepath.Join(s[0], "audit")
		testenv.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		f := testenv.Must(s.OpenLog("audit"))
		io.WriteString(f, "next\n")
		testenv.NoError(t, f.Close())
		if got := string(testenv.Must(os.ReadFile(path))); got != want+"next\n" {
			t.Errorf("%.30q becomes %.50q", before, got)
		}
	}
}

// TestListOpenLog checks that logs are appended to and devices are rejected.
func TestListOpenLog(t *testing.T) {
	s := List{t.TempDir(), t.TempDir()}
	other := filepath.Join(t.TempDir(), "sub", "abs.log")
	for _, name := range []string{"dumps/x.txt", other} {
		for range 2 {
			f := testenv.Must(s.OpenLog(name))
			_, err := f.Write([]byte("line\n"))
			testenv.NoError(t, errors.Join(err, f.Close()))
		}
	}
	for _, path := range []string{filepath.Join(s[0], "dumps", "x.txt"), other} {
		if b, err := os.ReadFile(path); string(b) != "line\nline\n" {
			t.Errorf("%s has %q, %v", path, b, err)
		}
	}
	if _, err := s.OpenLog("dumps"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
}

// TestMatches stores matches in folders with and without the right to write.
func TestMatches(t *testing.T) {
	dir := t.TempDir()
	d := Matches(dir)
	_, err := d.Load("a.state")
	testenv.Check(t, errors.Is(err, fs.ErrNotExist), "%v", err)
	testenv.NoError(t, d.Store("a.state", []byte("a match")))
	b := testenv.Must(d.Load("a.state"))
	testenv.Check(t, string(b) == "a match", "%q", b)
	if runtime.GOOS != "windows" {
		mode := testenv.Must(os.Stat(filepath.Join(dir, "a.state"))).Mode()
		testenv.Check(t, mode.Perm() == 0o600, "others may read addresses: %v", mode)
	}
	// A failed write keeps the old file.
	testenv.NoError(t, os.Mkdir(filepath.Join(dir, "folder.state"), 0o700))
	for _, c := range []struct {
		dir  Matches
		name string
	}{{d, "folder.state"}, {Matches(filepath.Join(dir, "a.state")), "b.state"}, {Matches(filepath.Join(dir, "none")), "b.state"}} {
		err := c.dir.Store(c.name, []byte("another"))
		testenv.Check(t, err != nil, "stored in %s as %s", c.dir, c.name)
	}
	if os.Getuid() > 0 {
		testenv.NoError(t, os.Chmod(dir, 0o500))
		testenv.Check(t, d.Store("a.state", []byte("another")) != nil, "stored in a folder that is read-only")
		testenv.NoError(t, os.Chmod(dir, 0o700))
	}
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "large.state"), make([]byte, maxResume+1), 0o600))
	_, err = d.Load("large.state")
	testenv.Check(t, err != nil, "a file of any size is read")
	b = testenv.Must(d.Load("a.state"))
	testenv.Check(t, string(b) == "a match", "%q", b)
	testenv.NoError(t, d.Remove("a.state"))
	left := testenv.Must(os.ReadDir(dir))
	testenv.Check(t, len(left) == 2, "%v", left)
}
