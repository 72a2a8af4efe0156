//go:build unix

package folder

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestListOpensNoPipes checks that pipes are not opened, since the open could wait for a writer
// forever.
func TestListOpensNoPipes(t *testing.T) {
	s := List{t.TempDir(), t.TempDir()}
	for _, dir := range s {
		testenv.NoError(t, os.Mkdir(filepath.Join(dir, "maps"), 0o755))
	}
	pipe := filepath.Join(s[0], "maps", "f.map")
	testenv.NoError(t, syscall.Mkfifo(pipe, 0o600))
	testenv.NoError(t, os.WriteFile(filepath.Join(s[1], "maps", "f.map"), nil, 0o600))
	testenv.NoError(t, os.Symlink("f.map", filepath.Join(s[0], "maps", "link.map")))
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that opening the pipe would succeed
	testenv.NoError(t, err)
	defer writer.Close()
	if _, err := s.Open("maps/link.map"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("opening a link to a pipe: %v", err)
	}
	if err := s.WriteFile("maps/f.map", nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("replacing a pipe: %v", err)
	}
	if err := testenv.Must(s.Open("maps")).Close(); err != nil {
		t.Error(err)
	}
}
