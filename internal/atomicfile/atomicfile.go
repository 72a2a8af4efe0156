// Package atomicfile replaces files as a whole.
package atomicfile

import (
	"cmp"
	"os"
	"path/filepath"
)

// Write replaces the file at path, or makes it: whoever reads it, even after a power
// cut, finds the old content or the new one. Only the owner may read it.
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
