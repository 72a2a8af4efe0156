package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestStorageReadDir checks that maps are listed from all folders, as they are opened from all.
// Other files belong to other programs and are listed from the first folder only.
func TestStorageReadDir(t *testing.T) {
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
	s := storage{own, system, filepath.Join(own, "missing")}
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

// TestStorageBlame checks that an unreadable later folder is not an error, since the map may be
// embedded.
func TestStorageBlame(t *testing.T) {
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

// TestRecordDir checks that a recording that another server is writing is neither overwritten nor
// removed.
func TestRecordDir(t *testing.T) {
	const name = "auto/demo"
	d := demoDir(t.TempDir())
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
	path := filepath.Join(d.path, "auto", "demo")
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

// TestWriteFile checks that files are replaced as a whole, and only within the folder.
func TestWriteFile(t *testing.T) {
	s := storage{t.TempDir()}
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

// TestStorageFolders checks that files are searched in the folders of teeworlds-server.
func TestStorageFolders(t *testing.T) {
	home, cwd, program, elsewhere := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(cwd)
	t.Setenv("HOME", home)
	t.Setenv("APPDATA", home)
	t.Setenv("XDG_DATA_HOME", "")
	user, ofDDNet := userDir(noOriginal), userDir(ddnetServer)
	if user == "" || ofDDNet == user || !strings.HasPrefix(user, home) || !strings.HasPrefix(ofDDNet, home) {
		t.Fatalf("the user's folders are %q and %q", user, ofDDNet)
	}
	testenv.NoError(t, os.MkdirAll(filepath.Join(program, "data", "maps"), 0o755))
	data := filepath.Join(program, "data")
	folders := func(dir string, o original) (s storage) {
		for _, d := range newStorageFor(dir, o, program) {
			if d == data || d == "." || d == user || d == ofDDNet || d == program || d == elsewhere {
				s = append(s, d) // leave out the folders of this machine
			}
		}
		return s
	}
	check := func(what string, got storage, want ...string) {
		t.Helper()
		if !slices.Equal(got, storage(want)) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("a new server", folders("", noOriginal), ".", user, data)
	check("as the original", folders("", teeworldsServer), user, data, ".", program)
	check("as DDNet-Server", folders("", ddnetServer), ofDDNet, data, ".")
	ofTeeworlds := func(dir string) bool { return strings.Contains(dir, "teeworlds") }
	testenv.Check(t, !slices.ContainsFunc(installDirs(ddnetServer), ofTeeworlds), "DDNet-Server has maps of Teeworlds")
	testenv.Check(t, ofTeeworlds(installDirs(noOriginal)[0]), "the folders of Teeworlds are not the first")
	check("--dir", folders(elsewhere, noOriginal), elsewhere, user, data)
	config := "# comment\r\nadd_path " + elsewhere + "\r\nadd_path $USERDIR\nadd_path " + elsewhere +
		"/missing\nadd_path $NONE\n add_path .\nadd_path $CURRENTDIR"
	testenv.NoError(t, os.WriteFile(filepath.Join(program, "storage.cfg"), []byte(config), 0o600))
	check("storage.cfg beside the program", folders("", teeworldsServer), elsewhere, user, ".")
	testenv.NoError(t, os.WriteFile("storage.cfg", []byte("add_path $DATADIR\nadd_path $APPDIR\n"), 0o600))
	check("storage.cfg here", folders("", noOriginal), data, program)
	check("--dir and storage.cfg", folders(elsewhere, noOriginal), elsewhere, user, data)
	testenv.NoError(t, os.WriteFile("storage.cfg", []byte("nothing\n"), 0o600))
	check("storage.cfg without folders", folders("", noOriginal), elsewhere, user, ".")
	if os.Getuid() > 0 {
		testenv.NoError(t, os.Remove(filepath.Join(program, "storage.cfg")))
		testenv.NoError(t, os.Chmod(cwd, 0o500))
		check("a folder that cannot be written to", folders("", noOriginal), user, ".", data)
	}
}

// TestDiscard checks that Remove spares a fresh file while Discard deletes a file of this server.
func TestDiscard(t *testing.T) {
	d := replayDir(t.TempDir())
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
	s := storage{t.TempDir()}
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

// TestStorageOpenLog checks that logs are appended to and devices are rejected.
func TestStorageOpenLog(t *testing.T) {
	s := storage{t.TempDir(), t.TempDir()}
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
	if _, err := s.OpenLog("dumps"); !errors.Is(err, errNotRegular) {
		t.Errorf("a folder: %v", err)
	}
}

// TestAutoexec checks the name of the configuration file for each kind of server.
func TestAutoexec(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	files := storage{first, second}
	check := func(o original, want string) {
		t.Helper()
		if got := o.autoexec(files); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(ddnetServer, "")
	testenv.NoError(t, os.WriteFile(filepath.Join(first, "autoexec.cfg"), nil, 0o600))
	check(ddnetServer, "autoexec.cfg")
	testenv.NoError(t, os.WriteFile(filepath.Join(second, "autoexec_server.cfg"), nil, 0o600))
	check(ddnetServer, "autoexec_server.cfg")
	check(teeworldsServer, "autoexec.cfg")
	check(noOriginal, "autoexec.cfg")
}

// TestImpliedArgs checks that the program acts as an original server under that server's name.
func TestImpliedArgs(t *testing.T) {
	for name, want := range map[string]int{"teeyard": 0, "/usr/games/teeworlds-server": 2, "./teeworlds_srv": 2, "teeworlds_srv.exe": 2,
		"/usr/games/DDNet-Server": 2, "teeworlds": 0} {
		if got := impliedArgs(name); len(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// FuzzStorageConfig checks that a storage.cfg never lists more folders than it has lines, nor
// invalid folder names.
func FuzzStorageConfig(f *testing.F) {
	f.Add("add_path $USERDIR\nadd_path $DATADIR\r\nadd_path x\n")
	f.Add("\ufeffadd_path \x00\nadd_path $\nadd_path")
	f.Fuzz(func(t *testing.T, text string) {
		p := places{user: "u", data: []string{"d", "e"}, program: "p"}
		list := parseStorageConfig(text, func(dir string) bool { return len(dir)%2 == 0 })
		if len(list) > strings.Count(text, "add_path ") {
			t.Errorf("%q", list)
		}
		for _, dir := range p.storage(list...) {
			if dir == "" || strings.ContainsAny(dir, "\n\x00") {
				t.Errorf("%q", dir)
			}
		}
		if n := len(p.storage(list...)); n > maxFolders {
			t.Errorf("%d folders", n)
		}
	})
}
