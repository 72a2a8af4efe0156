package record

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// nameList is a folder that keeps only the names of its files.
type nameList []string

func (l *nameList) Create(name string) (io.WriteCloser, error) {
	*l = append(*l, name)
	return nopFile{io.Discard}, nil
}

func (l *nameList) Names() ([]string, error) { return slices.Clone(*l), nil }

func (l *nameList) Remove(name string) error {
	*l = slices.DeleteFunc(*l, func(n string) bool { return n == name })
	return nil
}

// nopFile is a file that keeps nothing.
type nopFile struct{ io.Writer }

func (nopFile) Close() error { return nil }

// TestRotationAfterClockChange checks that a clock that is set back does not make new logs the
// oldest.
func TestRotationAfterClockChange(t *testing.T) {
	l := nameList{"2026-02-01_000000_m.twreplay", "2026-02-02_000000_m.twreplay"}
	logs := recordings{dir: &l}
	for day := 9; day > 0; day-- {
		_, _, err := logs.create(fmt.Sprintf("2026-01-0%d_000000_m", day), ReplaySuffix)
		testenv.NoError(t, err)
		logs.rotate(replayName, 2)
	}
	slices.Sort(l)
	if !slices.Equal(l, nameList{"2026-01-01_000000_m.twreplay", "2026-01-02_000000_m.twreplay"}) {
		t.Errorf("left are %q", l)
	}
}
