// Package atomicfile replaces files as a whole.
package atomicfile

import (
	"cmp"
	"os"
	"path/filepath"
)

// Write replaces or creates the file at path. A reader finds either the old or the new
// content, even after a power failure. Only the owner may read the file.
func Write(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
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
