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

// replayDir is the folder of a server's replay logs. The first log creates it.
type replayDir string

// Create implements server.Replays. Only the operator may read logs, since whispers are in
// them.
func (d replayDir) Create(name string) (io.WriteCloser, error) {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(string(d), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// Names implements server.Replays.
func (d replayDir) Names() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Remove implements server.Replays. Logs that were written to a moment ago stay: another
// server with the same folder is recording them.
func (d replayDir) Remove(name string) error {
	path := filepath.Join(string(d), name)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Minute {
		return fmt.Errorf("%s is being written", path)
	}
	return os.Remove(path)
}
