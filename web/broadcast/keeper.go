package broadcast

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// keeper writes matches to a folder. Several servers may share the folder. It runs in its own
// goroutine. While a disk is stuck or full, the matches continue in memory.
type keeper struct {
	dir     string
	shelf   *shelf
	archive *archive
	max     func() int64 // bytes of all files
	delay   func() time.Duration
	warn    func(text string)

	wake chan struct{} // a segment was added to the shelf
	stop chan struct{} // closed when no more will be added
	done chan struct{}

	openFile func(path string) (diskFile, error) // creates a file

	trouble atomic.Pointer[error] // why a match is not kept; nil once the folder accepts files again

	files   map[*match]*matchFile // files being written
	trimmed time.Time             // when the folder was last trimmed
}

// diskFile is the part of os.File that the keeper uses.
type diskFile interface {
	io.WriteCloser
	io.WriterAt
}

// createFile creates a file and fails if it exists.
func createFile(path string) (diskFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// matchFile is the file of a running match.
type matchFile struct {
	diskFile
	path    string
	written int   // number of segments
	size    int64 // bytes
}

const (
	// probeInterval is the time between two attempts to write to a failing folder, each with a file
	// of probeSize bytes.
	probeInterval = time.Second
	probeSize     = 64 << 10
	// trimInterval is the time between two trims of the folder while a match is written.
	trimInterval = 10 * time.Second
	// An incomplete file that was changed within othersTime is assumed to be in use by another
	// server.
	othersTime = 2 * time.Minute
	// minSegments is the minimum number of segments for a match to be kept.
	minSegments = 5
	demoSuffix  = ".demo"
	infoSuffix  = ".json"
	marksSuffix = ".marks"
)

// poke makes the keeper look at the shelf.
func (k *keeper) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run writes until stop is closed.
func (k *keeper) run() {
	defer close(k.done)
	k.files = make(map[*match]*matchFile)
	k.recoverAll()
	k.archive.refresh()
	retry := time.NewTicker(probeInterval)
	defer retry.Stop()
	for {
		select {
		case <-k.wake:
			k.pass()
		case <-retry.C:
			if k.trouble.Load() != nil && k.probe() == nil {
				k.trouble.Store(nil)
			}
		case <-k.archive.asked:
			k.archive.answer()
		case <-k.stop:
			k.pass()
			return
		}
	}
}

// probe writes a file to the folder and deletes it. It returns the error of that attempt.
func (k *keeper) probe() error {
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(k.dir, fmt.Sprintf("probe-%d.tmp", os.Getpid()))
	os.Remove(path)
	f, err := k.openFile(path)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeSize))
	err = errors.Join(err, f.Close())
	os.Remove(path)
	return err
}

// pass writes all pending data.
func (k *keeper) pass() {
	k.shelf.mu.Lock()
	matches := slices.Clone(k.shelf.matches)
	k.shelf.mu.Unlock()
	for m := range k.files { // no longer on the shelf
		if !slices.Contains(matches, m) {
			k.drop(m, nil)
		}
	}
	for _, m := range matches {
		if err := k.write(m); err != nil {
			k.trouble.Store(&err)
			k.drop(m, err)
		}
	}
	if now := time.Now(); len(k.files) > 0 && now.Sub(k.trimmed) > trimInterval {
		k.trimmed = now
		k.trim()
	}
}

// write writes the pending segments of a match, and completes the file if the match has ended.
func (k *keeper) write(m *match) error {
	f := k.files[m]
	k.shelf.mu.Lock()
	from := 0
	if f != nil {
		from = f.written
	}
	todo := m.keep && !m.sealed && (len(m.segments) > from || m.ended) && k.max() > 0
	lost := m.inMemory > from || m.kept > 0 && from == 0
	segments, ended := slices.Clone(m.segments[from:]), m.ended
	k.shelf.mu.Unlock()
	switch {
	case !todo:
		return nil
	case f == nil && len(segments) < minSegments:
		return nil
	case lost:
		return errors.New("the disk is too slow")
	case f == nil:
		var err error
		if f, err = k.create(m); err != nil {
			return err
		}
	}
	for i := range segments {
		if _, err := f.Write(segments[i].data); err != nil {
			return err
		}
		k.shelf.onDisk(m, f.written, f.size)
		k.trouble.Store(nil)
		f.written++
		f.size += int64(segments[i].size)
	}
	if ended {
		return k.seal(m, f)
	}
	return nil
}

// create creates the file of a match, with its header and map.
func (k *keeper) create(m *match) (*matchFile, error) {
	k.trim()
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(k.dir, m.id+demoSuffix)
	file, err := k.openFile(path)
	if err != nil {
		return nil, err
	}
	f := &matchFile{diskFile: file, path: path, size: headSize + int64(m.mapSize)}
	k.files[m] = f
	k.shelf.mu.Lock()
	m.path = path
	mapFile := m.mapFile
	k.shelf.mu.Unlock()
	if _, err := f.Write(m.header.Append(nil, m.mapSize)); err != nil {
		return nil, err
	}
	_, err = f.Write(mapFile)
	return f, err
}

// seal completes the file of a match and writes its description and marks beside it.
func (k *keeper) seal(m *match, f *matchFile) error {
	k.shelf.mu.Lock()
	head := m.fullHead(len(m.segments))
	info := newRecording(m, k.delay())
	marks, sizes := m.appendMarks(nil)
	k.shelf.mu.Unlock()
	if _, err := f.WriteAt(head, 0); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(k.dir, m.id+marksSuffix), marks, 0o644); err != nil {
		return err
	}
	info.Marks = sizes
	if err := info.write(filepath.Join(k.dir, m.id+infoSuffix)); err != nil {
		return err
	}
	delete(k.files, m)
	k.shelf.mu.Lock()
	m.sealed, m.mapFile = true, nil
	k.shelf.mu.Unlock()
	k.archive.refresh()
	return nil
}

// drop closes and deletes the incomplete file of a match.
func (k *keeper) drop(m *match, err error) {
	if err != nil {
		k.warn(fmt.Sprintf("match %s cannot be stored in %s: %v", m.id, k.dir, err))
	}
	k.shelf.lost(m)
	if f := k.files[m]; f != nil {
		f.Close()
		os.Remove(f.path)
		os.Remove(strings.TrimSuffix(f.path, demoSuffix) + marksSuffix)
		delete(k.files, m)
	}
}

// kept is a file in the folder.
type kept struct {
	id       string
	size     int64
	complete bool // its description exists
	changed  time.Time
}

// list returns the demos in the folder, oldest first.
func (k *keeper) list() (files []kept) {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return nil
	}
	infos, marks := map[string]bool{}, map[string]int64{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), infoSuffix); ok {
			infos[id] = true
		} else if id, ok := strings.CutSuffix(e.Name(), marksSuffix); ok {
			if info, err := e.Info(); err == nil {
				marks[id] = info.Size()
			}
		}
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), demoSuffix)
		info, err := e.Info()
		if ok && err == nil && isMatchID(id) && info.Mode().IsRegular() {
			files = append(files, kept{id, info.Size() + marks[id], infos[id], info.ModTime()})
		}
	}
	return files // sorted, since ids begin with the time
}

// trim deletes the oldest matches until the rest fits the limit. It spares matches that are being
// written.
func (k *keeper) trim() {
	files := k.list()
	total, n := int64(0), len(files)
	for _, f := range files {
		total += f.size
	}
	for _, f := range files {
		if total <= k.max() && n <= maxRecordings {
			return
		}
		if !f.complete && (time.Since(f.changed) < othersTime || k.isWriting(f.id)) {
			continue
		}
		if k.remove(f.id) == nil {
			total -= f.size
			n--
		}
	}
	for m, f := range k.files {
		if total > k.max() && f.size > k.max() {
			k.drop(m, fmt.Errorf("it is larger than the limit for all matches, %d MB (sv_broadcast_max_mb)", k.max()>>20))
		}
	}
}

func (k *keeper) isWriting(id string) bool {
	for m := range k.files {
		if m.id == id {
			return true
		}
	}
	return false
}

// remove deletes the files of a match.
func (k *keeper) remove(id string) error {
	k.shelf.mu.Lock()
	for _, m := range k.shelf.matches {
		if m.id == id && m.sealed {
			defer k.shelf.lost(m)
		}
	}
	k.shelf.mu.Unlock()
	path := filepath.Join(k.dir, id)
	if err := os.Remove(path + demoSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	os.Remove(path + infoSuffix)
	os.Remove(path + marksSuffix)
	k.archive.forget(id)
	return nil
}

// recoverAll completes the files that a killed server left behind.
func (k *keeper) recoverAll() {
	for _, f := range k.list() {
		if time.Since(f.changed) < othersTime {
			continue
		}
		if f.complete {
			if _, err := readRecording(k.dir, f.id); err == nil {
				continue
			}
		}
		path := filepath.Join(k.dir, f.id)
		info, lost, err := recoverRecording(f.id, path+demoSuffix, f.changed.Add(k.delay()))
		if err == nil {
			err = info.write(path + infoSuffix)
		}
		switch {
		case err != nil:
			k.warn(fmt.Sprintf("%s is unreadable and is ignored: %v", path+demoSuffix, err))
		case lost != "":
			k.warn(fmt.Sprintf("%s was incomplete and has been repaired: %s", path+demoSuffix, lost))
		}
	}
}
