package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first, and longer", "second"} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); string(b) != content || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err) // Windows allows links only to some users
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("third")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(path); string(b) != "third" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions are now %v, %v", info.Mode(), err)
	}
	missing := filepath.Join(dir, "no", "folder")
	if err := Write(missing, nil); err == nil || !strings.HasPrefix(err.Error(), "write "+missing+": ") {
		t.Errorf("in a folder that does not exist: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "folder"), nil); err == nil || !strings.HasPrefix(err.Error(), "replace "+filepath.Join(dir, "folder")+": ") {
		t.Errorf("with a folder in place of the file: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
}
