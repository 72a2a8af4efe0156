package bans

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// journal is the file of a list. It contains a line of JSON for each added or removed ban, in
// order. Processes that share it take turns by locking a file next to it. Earlier versions wrote
// one JSON object with all bans. An old file is still read, and is replaced with the first change.
type journal struct {
	path string
	lock *lockedfile.Mutex
	// write is (*os.File).WriteAt. Tests replace it to simulate failures.
	write func(f *os.File, b []byte, offset int64) (int, error)

	offset int64 // end of the lines read so far
	lines  int   // number of lines before offset
	// tail is the end of these lines. If the file differs there, it has been replaced or edited.
	tail    []byte
	seen    fs.FileInfo // file after the last access, nil if there was none
	rewrite bool        // the file is an old one or has been deleted
	torn    int         // bytes after offset, of a line that was not completely written
}

const (
	maxFile    = 32 << 20
	maxTail    = 256 // longer than the timestamp in each line
	lockSuffix = ".lock"
)

// line is an added or removed ban as a line of the file.
type line struct {
	Ban
	// At is when the line was written, by the wall clock.
	At      time.Time `json:"at,omitzero"`
	Removed bool      `json:"removed,omitempty"`
}

// oldFile is the content of a file in the format of earlier versions.
type oldFile struct {
	Bans *[]line `json:"bans"`
}

func newJournal(path string) *journal {
	// The lock must be next to the file itself, not next to a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return &journal{path: path, lock: lockedfile.MutexAt(path + lockSuffix), write: (*os.File).WriteAt}
}

// acquire locks the file for this process. On file systems without locks it does nothing.
func (j *journal) acquire() (release func(), err error) {
	if release, err = j.lock.Lock(); errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	return release, err
}

// changed reports whether the file has changed since it was last read or written.
func (j *journal) changed() bool {
	info, err := os.Stat(j.path)
	if err != nil {
		return j.offset > 0 || !errors.Is(err, fs.ErrNotExist)
	}
	return !j.sawAs(info)
}

// sawAs reports whether info describes the same file, unchanged since the last access.
func (j *journal) sawAs(info fs.FileInfo) bool {
	return j.seen != nil && os.SameFile(info, j.seen) && info.Size() == j.seen.Size() && info.ModTime().Equal(j.seen.ModTime())
}

// read returns the lines that were added to the file since the last access, or all lines if it was
// replaced. A deleted or emptied file has no lines and will be rewritten, since it was probably
// emptied by accident.
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

// forget resets the state because the file does not exist.
func (j *journal) forget() {
	j.rewrite = j.rewrite || j.offset > 0
	j.offset, j.lines, j.tail, j.seen = 0, 0, nil, nil
}

// parse parses the bytes after offset.
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

// unmarshal parses a line. An unknown field is an error: with a misspelled until, a ban would last
// forever.
func (l *line) unmarshal(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("unexpected %q after the ban", rest[:min(len(rest), 20)])
	}
	return nil
}

// isTorn reports whether a line without a line feed is incomplete because a process or the machine
// crashed while writing it. The caller has removed the zeros that some file systems put in place of
// the rest.
func isTorn(text []byte, err error) bool {
	return text[0] == '{' && errors.Is(err, io.ErrUnexpectedEOF)
}

// check returns an error if the line cannot be valid.
func (l *line) check() error { return l.normalize() }

// passed advances offset past b. b contains the given number of lines.
func (j *journal) passed(b []byte, lines int) {
	j.offset += int64(len(b))
	j.lines += lines
	j.tail = append(j.tail, b[max(0, len(b)-maxTail):]...)
	j.tail = bytes.Clone(j.tail[max(0, len(j.tail)-maxTail):])
}

// append appends lines. The caller must sync the returned file. A crash of the process then loses
// nothing, but a crash of the machine may.
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
		err = f.Truncate(j.offset) // removes an incomplete line
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

// replace replaces the file with a file of the given lines.
func (j *journal) replace(lines []line) error {
	b, err := encode(lines)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		b = []byte("\n") // an empty file would count as emptied by accident
	}
	if err := atomicfile.Write(j.path, b); err != nil {
		return err
	}
	j.offset, j.lines, j.tail, j.rewrite = 0, 0, nil, false
	j.passed(b, len(lines))
	j.wrote()
	return nil
}

// wrote records the state of the file after this process wrote it.
func (j *journal) wrote() {
	if info, err := os.Stat(j.path); err == nil {
		j.seen = info
	}
}

func encode(lines []line) (b []byte, err error) {
	for i := range lines {
		if b, err = lines[i].append(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// append appends the line as JSON. Package json does the same, and needs six times as long, which
// counts with the bans of a fleet.
func (l *line) append(b []byte) (_ []byte, err error) {
	b = append(b, '{')
	field := func(name string) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), `":`...)
	}
	text := func(name string, v encoding.TextAppender) {
		field(name)
		b = append(b, '"')
		var failed error
		b, failed = v.AppendText(b)
		err = errors.Join(err, failed)
		b = append(b, '"')
	}
	if l.Net != (netip.Prefix{}) {
		text("net", l.Net)
	}
	if l.Range != (Range{}) {
		field("range")
		b = append(append(append(b, '"'), l.Range.String()...), '"')
	}
	if l.Duration != 0 {
		field("span")
		b = strconv.AppendInt(b, int64(l.Duration), 10)
	}
	if !l.Until.IsZero() {
		text("until", l.Until)
	}
	if l.Reason != "" {
		field("reason")
		b = appendString(b, l.Reason)
	}
	if l.RconOnly {
		field("rconOnly")
		b = append(b, "true"...)
	}
	if l.Origin != "" {
		field("origin")
		b = appendString(b, l.Origin)
	}
	if l.Made != 0 {
		field("made")
		b = strconv.AppendInt(b, l.Made, 10)
	}
	if !l.At.IsZero() {
		text("at", l.At)
	}
	if l.Removed {
		field("removed")
		b = append(b, "true"...)
	}
	return append(b, "}\n"...), err
}

// appendString appends a text as JSON.
func appendString(b []byte, s string) []byte {
	special := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	if !strings.ContainsFunc(s, special) {
		return append(append(append(b, '"'), s...), '"')
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	e.Encode(s) // of a text there is no error
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
