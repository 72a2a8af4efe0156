// Package recordfile keeps records in a file to which several processes append. Each record has a
// head and a body. The head has 4 bytes with the length of the body, and 4 bytes with the CRC-32C
// of length and body, both little endian. The file begins with a text that names its owner.
//
// Processes take turns by locking a file next to it. If the file is damaged, or does not end with a
// whole record, the good records are read. Before the next write, the bad parts are kept in a file
// beside it, and the fault is reported.
package recordfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// File is a file of records. Only one goroutine may use it.
type File struct {
	// Path is the path of the file. The file need not exist.
	Path string
	// Magic is the text at the beginning of the file.
	Magic string
	// MaxRecord limits the body of a record, and MaxFile the file, in bytes.
	MaxRecord int
	MaxFile   int64
	// ErrFile is the error for a file of another kind, or one that is too large.
	ErrFile error
	// Report, if not nil, is called with a text about a file that was damaged or cut off.
	Report func(text string)
	// WriteAt is (*os.File).WriteAt, and Sync is (*os.File).Sync. Tests replace them to simulate
	// failures.
	WriteAt func(f *os.File, b []byte, offset int64) (int, error)
	Sync    func(f *os.File) error

	// Offset is the end of the last record that was read or written.
	Offset int64
	// Damaged is the number of bytes before Offset that are not records, and tail the number of
	// bytes after it.
	Damaged int
	tail    int64
	// Reload makes the next Update read the whole file.
	Reload bool

	lock *lockedfile.Mutex
	seen fs.FileInfo // state after the last read or write, nil if there was no file
	// uncertain means that a write failed, so that the bytes after Offset are unknown.
	uncertain bool
}

// Open fills in the missing fields. It does not touch the file.
func Open(f File) *File {
	// The lock must be next to the file itself, not next to a link to it.
	if target, err := filepath.EvalSymlinks(f.Path); err == nil {
		f.Path = target
	}
	f.lock, f.WriteAt, f.Sync = lockedfile.MutexAt(f.Path+".lock"), (*os.File).WriteAt, (*os.File).Sync
	return &f
}

// Lock waits for other processes. A process that only reads may continue without the lock if it
// cannot create the lock file.
func (f *File) Lock(writes bool) (release func(), err error) {
	release, err = f.lock.Lock()
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, errors.ErrUnsupported): // no other machine shares such a file system
	case !writes && errors.Is(err, fs.ErrPermission): // the file is read-only for this process
	default:
		return nil, err
	}
	return func() {}, nil
}

// Changed reports whether the file has changed since it was last read or written, or needs a
// repair.
func (f *File) Changed() bool {
	info, err := os.Stat(f.Path)
	if err != nil {
		return f.seen != nil || !errors.Is(err, fs.ErrNotExist)
	}
	return f.Reload || f.uncertain || f.Damaged > 0 || f.tail > 0 || !f.sawAs(info)
}

// sawAs reports whether the file was last seen in its current state.
func (f *File) sawAs(info fs.FileInfo) bool {
	return f.seen != nil && os.SameFile(info, f.seen) && info.Size() == f.seen.Size() && info.ModTime().Equal(f.seen.ModTime())
}

// Update calls found with the body of each new record. If the file is another one, or if all is
// set, it calls forget first and then found for all records. found returns false for a body that is
// not a valid record; it must not keep the body. anew reports whether Update called forget.
func (f *File) Update(all bool, forget func(), found func(body []byte) bool) (anew bool, err error) {
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		return false, fmt.Errorf("%w: %s is not a regular file", f.ErrFile, f.Path) // opening a pipe may block for ever
	}
	file, err := os.Open(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if f.seen != nil || f.Reload {
			f.forget()
			forget()
			return true, nil
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	if !f.Reload && !f.uncertain && f.sawAs(info) {
		return false, nil
	}
	if info.Size() > f.MaxFile {
		return false, fmt.Errorf("%w: %s has more than %d bytes", f.ErrFile, f.Path, f.MaxFile)
	}
	shorter := f.seen != nil && os.SameFile(info, f.seen) && info.Size() < f.Offset
	if shorter {
		f.report("%s has become %d bytes shorter; the removed records no longer count", f.Path, f.Offset-info.Size())
	}
	anew = all || f.Reload || f.seen == nil || !os.SameFile(info, f.seen) || shorter
	from := f.Offset
	if anew {
		from = min(int64(len(f.Magic)), info.Size())
		begin := make([]byte, from)
		if _, err := file.ReadAt(begin, 0); err != nil && err != io.EOF {
			return false, fmt.Errorf("read %s: %w", f.Path, err)
		}
		if !bytes.HasPrefix([]byte(f.Magic), begin) {
			return false, fmt.Errorf("%w: %s", f.ErrFile, f.Path)
		}
		f.forget()
		forget()
		f.Reload = true // until all is read
	}
	end, damaged, err := Scan(io.NewSectionReader(file, from, info.Size()-from), info.Size()-from, f.MaxRecord, found)
	if err != nil {
		f.Reload = true
		return anew, fmt.Errorf("read %s: %w", f.Path, err)
	}
	f.Offset, f.Damaged, f.seen, f.Reload, f.uncertain = from+end, f.Damaged+int(damaged), info, false, false
	f.tail = info.Size() - f.Offset
	return anew, nil
}

func (f *File) forget() { f.Offset, f.Damaged, f.tail, f.seen, f.Reload = 0, 0, 0, nil, false }

func (f *File) report(format string, args ...any) {
	if f.Report != nil {
		f.Report(fmt.Sprintf(format, args...))
	}
}

// CutTail removes an incomplete record at the end, if there is one, and keeps its bytes beside the
// file. The file must be locked and up to date.
func (f *File) CutTail() error {
	if f.tail == 0 {
		return nil
	}
	file, err := os.OpenFile(f.Path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	kept, err := os.OpenFile(f.Path+".tail", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(kept, io.NewSectionReader(file, f.Offset, f.tail))
	err = cmp.Or(err, kept.Sync())
	err = cmp.Or(err, kept.Close())
	if err == nil {
		err = file.Truncate(f.Offset)
	}
	if err != nil {
		return err
	}
	f.report("the last %d bytes of %s are an incomplete record, for example after a crash; they were moved to %[2]s.tail", f.tail, f.Path)
	f.tail = 0
	f.seen, err = file.Stat()
	return err
}

// Append writes records after the last one that was read or written, and syncs. It returns an error
// if the file would become too large. The file must be locked and up to date. After an error, only
// the next Update shows whether the records are in the file.
func (f *File) Append(records []byte) (err error) {
	if max(f.Offset, int64(len(f.Magic)))+int64(len(records)) > f.MaxFile {
		return fmt.Errorf("%w: %s would have more than %d bytes", f.ErrFile, f.Path, f.MaxFile)
	}
	defer func() { f.uncertain = f.uncertain || err != nil }()
	if err := f.CutTail(); err != nil {
		return err
	}
	if f.Offset < int64(len(f.Magic)) {
		f.Offset = 0
		records = append([]byte(f.Magic), records...)
	}
	file, err := os.OpenFile(f.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := f.WriteAt(file, records, f.Offset); err != nil {
		_ = file.Truncate(f.Offset)
		return err
	}
	if err := f.Sync(file); err != nil {
		return err
	}
	f.Offset += int64(len(records))
	f.seen, err = file.Stat()
	return err
}

// Replace replaces the whole file by other records. It keeps a copy of a damaged file beside the
// new one.
func (f *File) Replace(records []byte) error {
	if f.Damaged == 0 {
		if err := f.CutTail(); err != nil {
			return err
		}
	} else {
		old, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(f.Path+".damaged", old); err != nil {
			return err
		}
		f.report("%s was damaged in %d of %d bytes; it now has the good records only, %[1]s.damaged has everything", f.Path, f.Damaged+int(f.tail), len(old))
	}
	b := append([]byte(f.Magic), records...)
	if err := atomicfile.Write(f.Path, b); err != nil {
		return err
	}
	f.Offset, f.Damaged, f.tail = int64(len(b)), 0, 0
	var err error
	f.seen, err = os.Stat(f.Path)
	return err
}

// HeadSize is the length of the head of a record.
const HeadSize = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// Begin appends an empty head, which End fills in.
func Begin(dst []byte) []byte { return append(dst, make([]byte, HeadSize)...) }

// End completes a record: the head that Begin appended at offset at, with all bytes after it as
// body.
func End(dst []byte, at int) []byte {
	head := dst[at : at+HeadSize]
	binary.LittleEndian.PutUint32(head, uint32(len(dst)-at-HeadSize))
	binary.LittleEndian.PutUint32(head[4:], checksum(head[:4], dst[at+HeadSize:]))
	return dst
}

// window is how many bytes Scan reads at once.
const window = 256 << 10

// Scan calls found for the bodies of the records in the size bytes of r. It returns the end of the
// last record, and how many bytes before it are not records. The bytes after the end belong to a
// record that was not completely written. Scan skips damaged bytes between records.
func Scan(r io.Reader, size int64, maxRecord int, found func(body []byte) bool) (end, damaged int64, err error) {
	buf := make([]byte, 0, min(size, int64(window+HeadSize+maxRecord)))
	start := int64(0) // offset of buf in r
	at := 0           // offset in buf
	// Bytes that look like a record take as much work as a record, so the search needs a limit.
	work := 8*size + int64(maxRecord)
	for work > 0 {
		if left := size - start - int64(len(buf)); left > 0 && len(buf)-at < HeadSize+maxRecord {
			buf, start, at = append(buf[:0], buf[at:]...), start+int64(at), 0
			n := min(left, int64(cap(buf)-len(buf)))
			buf = buf[:len(buf)+int(n)]
			if _, err := io.ReadFull(r, buf[len(buf)-int(n):]); err != nil {
				return end, damaged, err
			}
		}
		b := buf[at:]
		if len(b) < HeadSize {
			return end, damaged, nil
		}
		n := int64(binary.LittleEndian.Uint32(b))
		if n > int64(maxRecord) || n > int64(len(b)-HeadSize) {
			at++
			continue
		}
		body := b[HeadSize : HeadSize+n]
		if checksum(b[:4], body) != binary.LittleEndian.Uint32(b[4:]) || !found(body) {
			work -= n
			at++
			continue
		}
		damaged += start + int64(at) - end
		at += HeadSize + int(n)
		end = start + int64(at)
	}
	return end, damaged, nil // the rest is damaged, too, or was not searched
}
