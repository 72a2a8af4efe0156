package servertest

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// Folder is a folder in memory, for the replay logs, demos and teehistorians of a server. The zero
// value is empty.
type Folder struct {
	// Broken, if set, is the error of Create and of every write. Full is an error of writes only.
	Broken, Full error
	// Hang, if set, makes every write wait until it is closed.
	Hang chan struct{}

	mu    sync.Mutex
	files map[string]*bytes.Buffer
}

// Repair clears Broken and Full, also while the server writes.
func (f *Folder) Repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Broken, f.Full = nil, nil
}

// Create creates a file.
func (f *Folder) Create(name string) (io.WriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Broken != nil {
		return nil, f.Broken
	}
	if f.files[name] != nil {
		return nil, fs.ErrExist
	}
	if f.files == nil {
		f.files = map[string]*bytes.Buffer{}
	}
	f.files[name] = new(bytes.Buffer)
	return file{f, f.files[name]}, nil
}

// Names returns the names of all files, sorted.
func (f *Folder) Names() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.files)), nil
}

// Remove deletes a file.
func (f *Folder) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.files, name)
	return nil
}

// Content returns a copy of a file's content, nil if the file does not exist.
func (f *Folder) Content(name string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files[name] == nil {
		return nil
	}
	return bytes.Clone(f.files[name].Bytes())
}

// file is a file of a Folder.
type file struct {
	f *Folder
	b *bytes.Buffer
}

func (w file) Write(b []byte) (int, error) {
	if w.f.Hang != nil {
		<-w.f.Hang
	}
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if err := cmp.Or(w.f.Broken, w.f.Full); err != nil {
		return 0, err
	}
	return w.b.Write(b)
}

func (w file) WriteAt(b []byte, at int64) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return copy(w.b.Bytes()[at:], b), w.f.Broken
}

func (file) Close() error { return nil }
