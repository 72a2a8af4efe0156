//go:build unix

package fifo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	p, err := Open(path)
	testenv.NoError(t, err)
	info, err := os.Stat(path)
	testenv.NoError(t, err)
	testenv.Check(t, info.Mode() == os.ModeNamedPipe|0o600, "mode %v", info.Mode())
	if _, err := Open(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second reader: %v", err)
	}

	tooLong := 0
	p.TooLong = func([]byte) { tooLong++ }
	var got []string
	over := make(chan error)
	go func() {
		over <- p.Lines(func(line []byte) { got = append(got, string(line)); closeAt(p, string(line)) })
	}()
	long := strings.Repeat("x", MaxLine-1)
	for _, text := range []string{
		"say one\nsay two\r\n\n  \nhalf", " a line\n", long + "\n", strings.Repeat("y", 3*MaxLine) + "\n", "last\n",
	} {
		w, err := os.OpenFile(path, os.O_WRONLY, 0) // each time another writer
		testenv.NoError(t, err)
		_, err = w.WriteString(text)
		testenv.NoError(t, errors.Join(err, w.Close()))
	}
	testenv.NoError(t, <-over)
	if want := []string{"say one", "say two", "half a line", long, "last"}; !slices.Equal(got, want) {
		t.Errorf("read %.40q, want %.40q", got, want)
	}
	testenv.Check(t, tooLong == 1, "%d lines are too long", tooLong)

	// The pipe has stayed.
	p, err = Open(path)
	testenv.NoError(t, err)
	p.Close()
}

// closeAt closes a pipe at the last line of the test.
func closeAt(p *Pipe, line string) {
	if line == "last" {
		p.Close()
	}
}

// TestOpenFile checks that a file in the place of the pipe is not touched.
func TestOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "autoexec.cfg")
	testenv.NoError(t, os.WriteFile(path, []byte("sv_name x\n"), 0o600))
	_, err := Open(path)
	testenv.Check(t, err != nil && strings.Contains(fmt.Sprint(err), "autoexec.cfg: this is a file and not a named pipe; delete it"), "%v", err)
	b, err := os.ReadFile(path)
	testenv.NoError(t, err)
	testenv.Check(t, string(b) == "sv_name x\n", "%q", b)
	_, err = Open(filepath.Join(t.TempDir(), "missing", "pipe"))
	testenv.Check(t, errors.Is(err, os.ErrNotExist), "%v", err)
}
