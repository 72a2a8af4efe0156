package bans

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// journal is the file of a list: a line of JSON for each ban that was added or removed, in
// this order. Processes that share it take turns by locking a file next to it. Before
// there were journals, the file was one JSON object with all bans; it is still read, and
// replaced with the first change.
type journal struct {
	path string
	lock *lockedfile.Mutex
	// write is (*os.File).WriteAt; tests fail here.
	write func(f *os.File, b []byte, offset int64) (int, error)

	offset int64 // of the end of the lines read so far
	lines  int   // up to there
	// tail is the end of the last of them, by which one sees that the file has been
	// replaced or edited since.
	tail    []byte
	seen    fs.FileInfo // of the file then, nil if there was none
	rewrite bool        // it is an old file, or has been deleted
	torn    int         // bytes of a line that was not written to its end, behind offset
}

const (
	maxFile    = 32 << 20
	maxTail    = 256 // longer than the time in each line
	lockSuffix = ".lock"
)

// line is a line of the file.
type line struct {
	Ban
	// At is when the line was written, by the clock of Until.
	At      time.Time `json:"at,omitzero"`
	Removed bool      `json:"removed,omitempty"`
}

// oldFile is the content of an old file.
type oldFile struct {
	Bans *[]line `json:"bans"`
}

func newJournal(path string) *journal {
	// The lock must be next to the file itself, not to a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return &journal{path: path, lock: lockedfile.MutexAt(path + lockSuffix), write: (*os.File).WriteAt}
}

// acquire locks the file for this process. File systems without locks are not shared.
func (j *journal) acquire() (release func(), err error) {
	if release, err = j.lock.Lock(); errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	return release, err
}

// changed reports whether the file is not as it was when it was last read or written.
func (j *journal) changed() bool {
	info, err := os.Stat(j.path)
	if err != nil {
		return j.offset > 0 || !errors.Is(err, fs.ErrNotExist)
	}
	return !j.sawAs(info)
}

// sawAs reports whether the file was as it is now.
func (j *journal) sawAs(info fs.FileInfo) bool {
	return j.seen != nil && os.SameFile(info, j.seen) && info.Size() == j.seen.Size() && info.ModTime().Equal(j.seen.ModTime())
}

// read returns the lines that were added to the file since it was last read or written,
// or all lines if it has been replaced. A file that was deleted or emptied has none and
// must be rewritten: that is more often an accident than meant.
func (j *journal) read() (lines []line, all bool, err error) {
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		j.forget()
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, false, err
	case info.Size() == 0:
		j.forget()
		j.seen = info
		return nil, false, nil
	case j.sawAs(info):
		return nil, false, nil
	case info.Size() > maxFile:
		return nil, false, fmt.Errorf("%w %s: more than %d bytes", ErrFile, j.path, maxFile)
	}
	next := journal{offset: j.offset, lines: j.lines, tail: j.tail, seen: info, rewrite: j.rewrite}
	before := make([]byte, len(j.tail))
	_, err = f.ReadAt(before, j.offset-int64(len(before)))
	if all = j.offset == 0 || j.seen == nil || info.Size() <= j.seen.Size() || err != nil || !bytes.Equal(before, j.tail); all {
		next.offset, next.lines, next.tail, next.rewrite = 0, 0, nil, false
	}
	b := make([]byte, info.Size()-next.offset)
	n, err := f.ReadAt(b, next.offset)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	b = b[:n]
	if lines, err = next.parse(b); err != nil {
		return nil, false, fmt.Errorf("%w %s: %w", ErrFile, j.path, err)
	}
	next.path, next.lock, next.write = j.path, j.lock, j.write
	*j = next
	return lines, all, nil
}

// forget notes that there is no file.
func (j *journal) forget() {
	j.rewrite = j.rewrite || j.offset > 0
	j.offset, j.lines, j.tail, j.seen = 0, 0, nil, nil
}

// parse reads what follows at offset.
func (j *journal) parse(b []byte) (lines []line, err error) {
	var old oldFile
	if j.offset == 0 && json.Unmarshal(b, &old) == nil && old.Bans != nil {
		lines = *old.Bans
		for i := range lines {
			if err := lines[i].check(); err != nil {
				return nil, err
			}
		}
		j.passed(b, len(lines))
		j.rewrite = true
		return lines, nil
	}
	end := 0
	j.torn = 0
	for text := range bytes.Lines(b) {
		whole := text[len(text)-1] == '\n'
		if !whole {
			text = bytes.TrimRight(text, "\x00")
		}
		if len(bytes.TrimSpace(text)) > 0 {
			var l line
			err := l.unmarshal(text)
			if !whole && isTorn(text, err) {
				j.torn = len(b) - end
				break
			}
			if err == nil {
				err = l.check()
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", j.lines+len(lines)+1, err)
			}
			lines = append(lines, l)
		}
		end += len(text)
	}
	j.passed(b[:end], len(lines))
	return lines, nil
}

// unmarshal parses a line. A name that it does not know is an error, since bans without until last for ever.
func (l *line) unmarshal(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%q follows the ban", rest[:min(len(rest), 20)])
	}
	return nil
}

// isTorn reports whether a line that does not end is only the beginning of one: a process
// or the machine crashed while writing it. Some file systems have zeros in place of the
// rest, which the caller has removed.
func isTorn(text []byte, err error) bool {
	return text[0] == '{' && errors.Is(err, io.ErrUnexpectedEOF)
}

// check returns an error if there can be no such line.
func (l *line) check() error { return l.normalize() }

// passed moves the offset behind bytes with so many lines.
func (j *journal) passed(b []byte, lines int) {
	j.offset += int64(len(b))
	j.lines += lines
	j.tail = append(j.tail, b[max(0, len(b)-maxTail):]...)
	j.tail = bytes.Clone(j.tail[max(0, len(j.tail)-maxTail):])
}

// append appends lines. It returns the file, not yet synced; a crash of the process loses
// nothing then, but one of the machine may.
func (j *journal) append(lines []line) (_ *os.File, err error) {
	b, err := encode(lines)
	if err != nil {
		return nil, err
	}
	if len(j.tail) > 0 && j.tail[len(j.tail)-1] != '\n' {
		b = append([]byte("\n"), b...)
	}
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > j.offset {
		err = f.Truncate(j.offset) // a torn line
	}
	if err == nil {
		if _, err = j.write(f, b, j.offset); err != nil {
			_ = f.Truncate(j.offset)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	j.passed(b, len(lines))
	return f, nil
}

// replace replaces the file.
func (j *journal) replace(lines []line) error {
	b, err := encode(lines)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		b = []byte("\n") // since an empty file is not meant
	}
	if err := atomicfile.Write(j.path, b); err != nil {
		return err
	}
	j.offset, j.lines, j.tail, j.rewrite = 0, 0, nil, false
	j.passed(b, len(lines))
	j.wrote()
	return nil
}

// wrote notes that the file is as it is now because of this process.
func (j *journal) wrote() {
	if info, err := os.Stat(j.path); err == nil {
		j.seen = info
	}
}

func encode(lines []line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
