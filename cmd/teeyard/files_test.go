package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
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
