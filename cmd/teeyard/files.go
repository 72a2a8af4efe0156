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
)

// dataDirs are where Teeworlds and its maps are usually installed. They are
// looked through after the operator's own folder.
var dataDirs = []string{
	"/usr/share/games/teeworlds/data",
	"/usr/share/teeworlds/data",
	"/usr/local/share/teeworlds/data",
}

// storage reads from a list of folders, the first that has a file wins, and
// writes to the first.
type storage []string

// newStorage is the operator's folder, then the user's, then the system's.
func newStorage(dir string) storage {
	s := storage{dir}
	if home, err := os.UserHomeDir(); err == nil {
		s = append(s, filepath.Join(home, ".teeworlds"), filepath.Join(home, ".local", "share", "teeworlds"))
	}
	return append(s, dataDirs...)
}

// Open implements fs.FS. Configuration is read from the operator's own folder
// only: what lies elsewhere was written for another program.
func (s storage) Open(name string) (fs.File, error) {
	dirs := s
	if filepath.Ext(name) != ".map" {
		dirs = s[:1]
	}
	var first error
	for i, dir := range dirs {
		f, err := os.DirFS(dir).Open(name)
		if err == nil {
			return f, nil
		}
		first = moreImportantError(first, err, i == 0)
	}
	return nil, first
}

// moreImportantError chooses what to tell of two errors. That a file is not there is told only if
// nothing else is wrong; that another folder than the own one may not be looked into is
// nothing wrong: a service often has such a home.
func moreImportantError(first, err error, own bool) error {
	if !own && errors.Is(err, fs.ErrPermission) || first != nil && !errors.Is(first, fs.ErrNotExist) {
		return first
	}
	return err
}

// ReadDir implements fs.ReadDirFS: of the maps it lists those of all folders.
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

// Create opens a file of the operator's folder for writing.
func (s storage) Create(name string) (io.WriteCloser, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%q leaves the folder", name)
	}
	path := filepath.Join(s[0], filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// replayDir is the folder that a server's replay logs are in. It is made when
// there is something to record.
type replayDir string

// Create implements server.Replays. Logs have what people whispered in them, so
// they are for the operator's eyes.
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

// Remove implements server.Replays.
func (d replayDir) Remove(name string) error { return os.Remove(filepath.Join(string(d), name)) }
