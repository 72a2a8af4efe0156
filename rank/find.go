package rank

import (
	"bytes"
	"fmt"
	"os"

	"github.com/teeyard/teeyard/internal/recordfile"
)

// Read calls found with the entries of a journal's file, in their order, an entry as often as it was
// written. The journal may be open.
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
	_, _, err = recordfile.Scan(f, info.Size()-int64(len(magic)), maxEntry, func(body []byte) bool {
		e := new(Entry)
		if !e.parse(body) {
			return false
		}
		found(e)
		return true
	})
	return err
}

// Best returns the best finish on a map of a player, or of all if name is "", from a journal's file. It
// is nil if there is none.
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
