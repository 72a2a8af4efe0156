// Package atomicfile replaces files in one step.
package atomicfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces or creates the file at path. A reader finds either the old or the new content,
// even after a power failure. If path is a symbolic link, Write replaces the link's target. Only
// the owner may read a new file; a replaced file keeps its permissions.
func Write(path string, b []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	err := write(path, b)
	// The name of the temporary file is random, so it does not help the reader of an error.
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = &fs.PathError{Op: "write", Path: path, Err: onPath.Err}
	case errors.As(err, &onLink):
		err = &fs.PathError{Op: "replace", Path: path, Err: onLink.Err}
	}
	return err
}

func write(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if info, e := os.Stat(path); e == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(b)
	}
	err = cmp.Or(err, f.Sync())
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
