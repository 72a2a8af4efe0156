package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// dataDirs are where Teeworlds is usually installed. They are searched after the
// operator's own folder.
var dataDirs = []string{
	"/usr/share/games/teeworlds/data",
	"/usr/share/teeworlds/data",
	"/usr/local/share/teeworlds/data",
}

// storage reads from a list of folders, of which the first that has a file counts, and
// writes to the first.
type storage []string

// newStorage returns a storage of the operator's folder, then the user's, then the
// system's.
func newStorage(dir string) storage {
	s := storage{dir}
	if home, err := os.UserHomeDir(); err == nil {
		s = append(s, filepath.Join(home, ".teeworlds"), filepath.Join(home, ".local", "share", "teeworlds"))
	}
	return append(s, dataDirs...)
}

// errNotRegular is returned for a pipe or device, which may never answer.
var errNotRegular = errors.New("not a regular file")

// Open implements fs.FS. Configuration is read from the operator's own folder only, since
// files elsewhere were written for other programs. It opens no pipes and devices.
func (s storage) Open(name string) (fs.File, error) {
	dirs := s
	if filepath.Ext(name) != ".map" {
		dirs = s[:1]
	}
	var first error
	for i, dir := range dirs {
		info, err := fs.Stat(os.DirFS(dir), name)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
		}
		var f fs.File
		if err == nil {
			f, err = os.DirFS(dir).Open(name)
		}
		if err == nil {
			return f, nil
		}
		first = moreImportantError(first, err, i == 0)
	}
	return nil, first
}

// moreImportantError returns the one of two errors to report. That a file does not exist
// is reported only if there is nothing else, and that another folder than the first is not
// readable never: the home of a service often is not.
func moreImportantError(first, err error, own bool) error {
	if !own && errors.Is(err, fs.ErrPermission) || first != nil && !errors.Is(first, fs.ErrNotExist) {
		return first
	}
	return err
}

// ReadDir implements fs.ReadDirFS. It lists the maps of all folders.
func (s storage) ReadDir(name string) ([]fs.DirEntry, error) {
	dirs := s
	if name != "maps" && !strings.HasPrefix(name, "maps/") {
		dirs = s[:1]
	}
	var all []fs.DirEntry
	var first error
	for i, dir := range dirs {
		entries, err := fs.ReadDir(os.DirFS(dir), name)
		if err != nil {
			first = moreImportantError(first, err, i == 0)
		}
		for _, e := range entries {
			if !slices.ContainsFunc(all, func(o fs.DirEntry) bool { return o.Name() == e.Name() }) {
				all = append(all, e)
			}
		}
	}
	if len(all) > 0 {
		first = nil
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, first
}

// WriteFile replaces a file of the first folder as a whole.
func (s storage) WriteFile(name string, content []byte) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a path within the folder", name)
	}
	path := filepath.Join(s[0], filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, content)
}

// recordDir is a folder of recordings. The first one creates it. It implements
// server.Folder.
type recordDir struct {
	path string
	perm fs.FileMode // of files
}

// replayDir returns the folder of a server's replay logs. Only the operator may read them,
// since whispers are in them.
func replayDir(dir string) recordDir { return recordDir{filepath.Join(dir, "replays"), 0o600} }

// demoDir returns the folder of a server's demos, which anybody may see.
func demoDir(dir string) recordDir { return recordDir{filepath.Join(dir, "demos"), 0o644} }

func (d recordDir) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.perm)
}

// Names looks into the folder and those directly in it.
func (d recordDir) Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(d.path), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // what can be read counts
		case err != nil:
			return err
		case e.IsDir() && strings.Count(name, "/") > 0:
			return fs.SkipDir
		case e.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Remove leaves files that were written to a moment ago: another server with the same folder
// is recording them.
func (d recordDir) Remove(name string) error {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Minute {
		return fmt.Errorf("%s is being written", path)
	}
	return os.Remove(path)
}
