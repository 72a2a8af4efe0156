package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// resumeDir is the folder with the match that the next server continues. It implements
// server.ResumeStore.
type resumeDir string

// maxResume is the largest match that Load reads, in bytes.
const maxResume = 16 << 20

func (d resumeDir) path(name string) string { return filepath.Join(string(d), name) }

// Load reads a match.
func (d resumeDir) Load(name string) ([]byte, error) {
	f, err := openInput(d.path(name))
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
func (d resumeDir) Store(name string, content []byte) error {
	return atomicfile.Write(d.path(name), content)
}

// Remove deletes a match.
func (d resumeDir) Remove(name string) error { return os.Remove(d.path(name)) }
