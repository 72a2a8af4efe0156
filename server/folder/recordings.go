package folder

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Recordings is a folder of replay logs, demos or teehistorians, for the fields of server.Config.
type Recordings struct {
	// Path is the path of the folder. Create creates the folder if necessary.
	Path string
	// Perm are the permissions of each file; 0 means 0600. Replay logs contain whispers.
	Perm fs.FileMode
}

// Create creates a file. The error is fs.ErrExist if it exists.
func (d Recordings) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(d.Perm, 0o600))
}

// Names lists the files in the folder and in its direct subfolders.
func (d Recordings) Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(d.Path), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // list the folders that can be read
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

// Remove refuses to delete a file that was written within the last minute, since another server
// that shares the folder may be recording it.
func (d Recordings) Remove(name string) error {
	path := filepath.Join(d.Path, filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Minute {
		return fmt.Errorf("%s is being written", path)
	}
	return os.Remove(path)
}

// Discard deletes a file that this server has created.
func (d Recordings) Discard(name string) error {
	return os.Remove(filepath.Join(d.Path, filepath.FromSlash(name)))
}
