package rank

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/teeyard/teeyard/internal/recordfile"
)

// ErrDamaged is returned when a part of a journal's file is unreadable. The rest was read.
var ErrDamaged = errors.New("rank: a part of the file is damaged")

// Read calls found with the entries of a journal's file in their order. An entry that was written
// several times is reported several times. The journal may be open. If a part of the file is
// unreadable, Read skips it and returns an error that wraps ErrDamaged.
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
	if len(begin) < len(magic) { // nothing was written yet, as on a full disk
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
		return fmt.Errorf("%w: %s: %d of %d bytes are unreadable, the last before byte %d", ErrDamaged, path, damaged, info.Size(), int64(len(magic))+end)
	case end < size:
		return fmt.Errorf("%w: %s: the last %d bytes are not a complete record", ErrDamaged, path, size-end)
	}
	return nil
}

// Best returns the best finish on a map from a journal's file: of a player, or of all if name is
// "". It returns nil if there is none. With an error that wraps ErrDamaged, the finish is the best
// of the readable entries.
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
