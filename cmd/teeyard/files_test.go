package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Maps are listed from all folders, as they are opened from all; what else there is
// belongs to other programs.
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

// What cannot be read in folders of others is no reason to stop: the map may be embedded.
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

// TestRecordDir checks that a recording that another server is writing is neither
// overwritten nor removed.
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
	before, err := os.Open(path) // what a reader or a crash in the middle keeps
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
