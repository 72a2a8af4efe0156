package files

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// stuckFolder answers when it is freed.
type stuckFolder struct {
	fs.FS
	freed chan struct{}
}

func (s stuckFolder) Open(name string) (fs.File, error) {
	<-s.freed
	return s.FS.Open(name)
}

// TestReadFromAStuckDisk checks that the loop waits only once in a second for a disk that does not
// answer, and that only a few files are read at once.
func TestReadFromAStuckDisk(t *testing.T) {
	folder := stuckFolder{fstest.MapFS{"x.cfg": {Data: []byte("echo x")}}, make(chan struct{})}
	now := conn.Time(time.Hour)
	tasks := make(chan func(), maxReads)
	f := New(Config{
		Folder: folder, Started: func() bool { return true }, Now: func() conn.Time { return now },
		Background: later.Go, Do: func(f func()) error { tasks <- f; return nil },
	})
	read := 0
	late := func(content []byte, err error) {
		read++
		testenv.Check(t, string(content) == "echo x" && err == nil, "%q, %v", content, err)
	}
	waitAgain := now.Add(diskPause)
	for i := range maxReads {
		_, err := f.Read("x.cfg", late)
		testenv.Check(t, errors.Is(err, console.ErrLater) && f.nextWait == waitAgain, "read %d: %v, the next wait at %v", i, err, f.nextWait)
		now = now.Add(diskPause / 10)
	}
	_, err := f.Read("x.cfg", late)
	testenv.Check(t, errors.Is(err, errStuckDisk), "one too many: %v", err)
	close(folder.freed)
	for range maxReads {
		(<-tasks)()
	}
	testenv.Check(t, read == maxReads && f.reads.Running() == 0, "%d files were read", read)
}
