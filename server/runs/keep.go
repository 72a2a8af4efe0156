package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// cutDelay is the time until the log is expected to contain the end of a run. It is also the
	// pause between attempts, at most cutTries, to find that end.
	cutDelay = 3 * time.Second
	cutTries = 5
	// tempSuffix is the end of the names of files that are not whole yet.
	tempSuffix = ".new"
)

// job is a part of a log that is to be kept.
type job struct {
	log        string
	begin, end int32
	run        Run
}

func (k *Keeper) work() {
	defer close(k.done)
	for {
		select {
		case <-k.stopped.Done():
			return
		case j := <-k.jobs:
			if err := k.keep(j); err != nil && k.stopped.Err() == nil && !k.warned {
				k.warned = true
				k.cfg.Log.Warn(fmt.Sprintf("the finish in ticks %d to %d of %s cannot be kept: %v; further failures are not logged",
					j.begin, j.end, j.log, err))
			}
		}
	}
}

// keep writes the file of a run. If another member of the same team already caused that file, keep
// only adds the names.
func (k *Keeper) keep(j job) (err error) {
	to := filepath.Join(k.cfg.Dir, File(j.log, j.begin, j.end))
	if _, err := os.Stat(to); err == nil {
		return j.run.note(to)
	}
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for range cutTries {
		if k.wait(cutDelay); k.stopped.Err() != nil {
			return k.stopped.Err()
		}
		if err = k.copy(to, j); !errors.Is(err, ErrEarly) {
			break
		}
	}
	if err == nil {
		k.trim(dir, filepath.Base(to))
		err = j.run.note(to)
	}
	return err
}

// copy creates the file of a run.
func (k *Keeper) copy(to string, j job) error {
	in, err := os.Open(filepath.Join(k.cfg.Dir, filepath.FromSlash(j.log)))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "*"+tempSuffix)
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	if err = errors.Join(k.cfg.Cut(k.stopped, out, in, j.begin, j.end), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

// trim deletes the oldest files beyond the size limit and temporary files that a killed server left
// behind, but never the file named last.
func (k *Keeper) trim(dir, last string) {
	entries, _ := os.ReadDir(dir)
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(e.Name(), infoSuffix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(b.Name(), a.Name()))
	})
	size := int64(0)
	for _, f := range files {
		size += f.Size()
		isLeft := strings.HasSuffix(f.Name(), tempSuffix) && time.Since(f.ModTime()) > time.Hour
		if f.Name() != last && (size > k.cfg.Settings.megabytes.Load()<<20 || isLeft) {
			os.Remove(filepath.Join(dir, f.Name()))
			os.Remove(infoName(filepath.Join(dir, f.Name())))
		}
	}
}
