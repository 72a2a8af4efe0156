package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Folder stores recordings. One goroutine calls all methods of a value, and the game does not wait
// for them. Names are paths in the folder, with slashes.
type Folder interface {
	// Create creates a file, and the folders in its name. The error is fs.ErrExist if
	// the file exists.
	Create(name string) (io.WriteCloser, error)
	// Names returns the names of all files.
	Names() ([]string, error)
	// Remove deletes a file.
	Remove(name string) error
}

// recordings creates files in a folder and deletes old ones.
type recordings struct {
	dir Folder
	own []string // names of the files of this process, in order
}

// create creates a file. If there is a file of this name already, from another server or the same
// second, the name gets a number. create returns the name with the suffix.
func (r *recordings) create(name, suffix string) (f io.WriteCloser, created string, err error) {
	for i := range 100 {
		created = name + suffix
		if i > 0 {
			created = fmt.Sprintf("%s.%d%s", name, i, suffix)
		}
		if f, err = r.dir.Create(created); !errors.Is(err, fs.ErrExist) {
			if err == nil {
				r.own = append(r.own, created)
			}
			return f, created, err
		}
	}
	return nil, created, err
}

// probeSize is the size of the file that probe writes, in bytes.
const probeSize = 64 << 10

// probe writes a file and deletes it, and returns why that is not possible.
func (r *recordings) probe() error {
	f, name, err := r.create("probe", ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeSize))
	err = errors.Join(err, f.Close())
	r.remove(name)
	return err
}

// discarder is a Folder that deletes files which this server has just created. Remove leaves alone
// the files that others may be writing.
type discarder interface {
	Discard(name string) error
}

// remove deletes a useless file of this server.
func (r *recordings) remove(name string) {
	r.own = slices.DeleteFunc(r.own, func(n string) bool { return n == name })
	if d, ok := r.dir.(discarder); ok {
		_ = d.Discard(name)
		return
	}
	_ = r.dir.Remove(name)
}

// rotate deletes the oldest files whose names match, so that at most keep are left. 0 keeps all.
// Files that cannot be deleted stay. The order of the names is the order in time, except for files
// of this process, since the clock may have been set. Call rotate when the new file has content: a
// full disk must not cost the old files.
func (r *recordings) rotate(match *regexp.Regexp, keep int) {
	if keep == 0 {
		return
	}
	all, err := r.dir.Names()
	if err != nil {
		return
	}
	r.own = slices.DeleteFunc(r.own, func(n string) bool { return !slices.Contains(all, n) })
	names := slices.DeleteFunc(all, func(n string) bool { return !match.MatchString(n) })
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(r.own, a), slices.Index(r.own, b)), strings.Compare(a, b))
	})
	for len(names) > keep {
		_ = r.dir.Remove(names[0])
		names = names[1:]
	}
}
