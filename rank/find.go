package rank

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/teeyard/teeyard/internal/recordfile"
)

// ErrDamaged means that a part of a journal's file is not readable. All the rest was read.
var ErrDamaged = errors.New("rank: a part of the file is damaged")

// Read calls found with the entries of a journal's file, in their order, an entry as often as it was
// written. The journal may be open. For what cannot be read the error at the end wraps ErrDamaged.
func Read(path string, found func(*Entry)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	begin := make([]byte, min(int64(len(magic)), info.Size()))
	if _, err := f.ReadAt(begin, 0); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if !bytes.HasPrefix([]byte(magic), begin) || info.Size() > maxFile {
		return fmt.Errorf("%w: %s", ErrFile, path)
	}
	if len(begin) < len(magic) { // nothing is in it yet, as on a full disk
		return nil
	}
	if _, err := f.Seek(int64(len(magic)), 0); err != nil {
		return err
	}
	size := info.Size() - int64(len(magic))
	end, damaged, err := recordfile.Scan(f, size, maxEntry, func(body []byte) bool {
		e := new(Entry)
		if !e.parse(body) {
			return false
		}
		found(e)
		return true
	})
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	case damaged > 0:
		return fmt.Errorf("%w: %d of %d bytes of %s, before byte %d", ErrDamaged, damaged, info.Size(), path, int64(len(magic))+end)
	case end < size:
		return fmt.Errorf("%w: the last %d bytes of %s are no whole record", ErrDamaged, size-end, path)
	}
	return nil
}

// Best returns the best finish on a map of a player, or of all if name is "", from a journal's file. It
// is nil if there is none. With an error that wraps ErrDamaged it is that of what can be read.
func Best(path, mapName, name string, team bool) (best *Entry, err error) {
	err = Read(path, func(e *Entry) {
		if e.Kind != Finish || e.Team != team || e.Map != mapName || best != nil && best.Time <= e.Time {
			return
		}
		for _, n := range e.Names {
			if name == "" || n == name {
				best = e
				return
			}
		}
	})
	return best, err
}
