package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/folder"
)

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
	folders := func(dir string, o original) (s folder.List) {
		for _, d := range newStorageFor(dir, o, program) {
			if d == data || d == "." || d == user || d == ofDDNet || d == program || d == elsewhere {
				s = append(s, d) // leave out the folders of this machine
			}
		}
		return s
	}
	check := func(what string, got folder.List, want ...string) {
		t.Helper()
		if !slices.Equal(got, folder.List(want)) {
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

// TestAutoexec checks the name of the configuration file for each kind of server.
func TestAutoexec(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	files := folder.List{first, second}
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
