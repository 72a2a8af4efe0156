// Package folder has the folders of the file system that a server uses: for its maps and
// configuration, for recordings, and for the match that the next server continues.
package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// ErrNotRegular is the error for a pipe or device. Reading from it may never end.
var ErrNotRegular = errors.New("not a regular file")

// List is a list of folders. Reads take a file from the first folder that contains it; writes go to
// the first folder. It is an fs.FS for server.Config.Files; its methods WriteFile and OpenLog are
// for the fields of these names.
type List []string

// Open implements fs.FS. It opens no pipes and devices.
func (s List) Open(name string) (fs.File, error) {
	var first error
	for i, dir := range s {
		info, err := fs.Stat(os.DirFS(dir), name)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
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

// Find returns the first folder that contains a file.
func (s List) Find(name string) (dir string, found bool) {
	for _, dir := range s {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return dir, true
		}
	}
	return "", false
}

// OpenAbsolute implements console.AbsoluteFS.
func (s List) OpenAbsolute(path string) (fs.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// OpenLog opens a log to append to. A relative name is in the first folder. Other users may not
// read the file, since it contains players' addresses.
func (s List) OpenLog(name string) (io.WriteCloser, error) {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s[0], path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return nil, err
	}
	endLastLine(f, path)
	return f, nil
}

// maxLogLine is the number of bytes at the end of a log in which endLastLine searches the last
// line.
const maxLogLine = 64 << 10

// endLastLine completes a log whose last line is cut off, for example after a power failure. It
// removes a truncated JSON object and ends any other line with a line break.
func endLastLine(f *os.File, path string) {
	r, err := os.Open(path)
	if err != nil {
		return
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil || info.Size() == 0 {
		return
	}
	b := make([]byte, min(info.Size(), maxLogLine))
	from := info.Size() - int64(len(b))
	if _, err := r.ReadAt(b, from); err != nil || b[len(b)-1] == '\n' {
		return
	}
	begin := bytes.LastIndexByte(b, '\n') + 1
	if line := b[begin:]; line[0] == '{' && !json.Valid(line) && (begin > 0 || from == 0) && f.Truncate(from+int64(begin)) == nil {
		return
	}
	_, _ = f.WriteString("\n")
}

// moreImportantError returns the error to report out of two. An error about a missing file is
// reported only if the other is one, too. A permission error counts in the first folder only (own),
// since a service often may not read the home folder.
func moreImportantError(first, err error, own bool) error {
	if !own && errors.Is(err, fs.ErrPermission) || first != nil && !errors.Is(first, fs.ErrNotExist) {
		return first
	}
	return err
}

// ReadDir implements fs.ReadDirFS. It lists maps in all folders and other files in the first
// folder.
func (s List) ReadDir(name string) ([]fs.DirEntry, error) {
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

// WriteFile replaces a regular file of the first folder as a whole.
func (s List) WriteFile(name string, content []byte) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a path within the folder", name)
	}
	path := filepath.Join(s[0], filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, content)
}
