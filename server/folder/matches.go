package folder

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// Matches is a folder for server.Config.Resume: with the match that the next server continues.
type Matches string

// maxResume is the largest match that Load reads, in bytes.
const maxResume = 16 << 20

func (d Matches) path(name string) string { return filepath.Join(string(d), name) }

// Load reads a match.
func (d Matches) Load(name string) ([]byte, error) {
	path := d.path(name)
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxResume+1))
	if err == nil && len(b) > maxResume {
		err = fmt.Errorf("%s: more than %d bytes", d.path(name), maxResume)
	}
	return b, err
}

// Store writes a match. Only the owner can read the file.
func (d Matches) Store(name string, content []byte) error {
	return atomicfile.Write(d.path(name), content)
}

// Remove deletes a match.
func (d Matches) Remove(name string) error { return os.Remove(d.path(name)) }
