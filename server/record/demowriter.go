package record

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/internal/later"
)

// demoQueue is the largest number of batches that wait for the disk: five seconds in two formats.
const demoQueue = 25

// demoBatch holds the records that the writer gets at once. Waking the writer costs more than
// making a record.
type demoBatch struct {
	records [10]recorder.Record
	n       int
}

// maxDemoOpens is how many demos may wait to be opened and ended.
const maxDemoOpens = 8

// demoJob is a batch for a file; without one, the file is to be opened or ended.
type demoJob struct {
	file  *demoFile
	batch *demoBatch
	end   bool
}

// demoNews reports that a file was opened under a name, or cannot be written.
type demoNews struct {
	file *demoFile
	name string // with suffix, "" if it was not opened
	err  error
}

// demoWriter encodes and writes demos in a goroutine.
type demoWriter struct {
	jobs    chan demoJob
	blank   chan *demoBatch // to be filled again
	made    int             // batches, counted by the loop
	opened  later.Limit     // files
	news    chan demoNews
	pending atomic.Int32 // jobs that are not done
	demos   recordings
}

func newDemoWriter(dir Folder) *demoWriter {
	w := &demoWriter{
		// There is room for all batches, and to open and end so many files.
		jobs:   make(chan demoJob, demoQueue+2*maxDemoOpens),
		blank:  make(chan *demoBatch, demoQueue),
		opened: later.Limit{Max: maxDemoOpens},
		news:   make(chan demoNews, 2*maxDemoOpens),
		demos:  recordings{dir: dir},
	}
	go w.run()
	return w
}

// enqueue passes a job to the goroutine.
func (w *demoWriter) enqueue(j demoJob) {
	w.pending.Add(1)
	w.jobs <- j
}

// open has a file created. It returns false if too many wait.
func (w *demoWriter) open(f *demoFile) bool {
	if !w.opened.Enter() {
		return false
	}
	w.enqueue(demoJob{file: f})
	return true
}

// write has the batch of a file written.
func (w *demoWriter) write(f *demoFile) {
	if f.batch != nil {
		w.enqueue(demoJob{file: f, batch: f.batch})
		f.batch = nil
	}
}

// end has a file completed.
func (w *demoWriter) end(f *demoFile) {
	w.write(f)
	w.enqueue(demoJob{file: f, end: true})
}

// blankBatch returns an empty batch, nil if all wait for the disk.
func (w *demoWriter) blankBatch() *demoBatch {
	select {
	case b := <-w.blank:
		b.n = 0
		return b
	default:
	}
	if w.made == demoQueue {
		return nil
	}
	w.made++
	return new(demoBatch)
}

// readNews returns the next news of the writer, if any.
func (w *demoWriter) readNews() (n demoNews, ok bool) {
	select {
	case n = <-w.news:
		return n, true
	default:
		return n, false
	}
}

// waitForNews waits until something happened.
func (w *demoWriter) waitForNews(timeout time.Duration) {
	for end := time.Now().Add(timeout); len(w.news) == 0 && time.Now().Before(end); {
		time.Sleep(timeout / 20)
	}
}

// run handles all jobs. When it has done so, it closes news.
func (w *demoWriter) run() {
	defer close(w.news)
	for j := range w.jobs {
		f, err := j.file, error(nil)
		switch {
		case j.batch != nil:
			err = f.write(j.batch)
			w.blank <- j.batch
		case j.end:
			err = f.close()
			w.opened.Leave()
		default:
			err = w.create(f)
		}
		if err != nil {
			w.news <- demoNews{f, f.created, err}
			f.abandon()
		}
		w.pending.Add(-1)
	}
}

// create creates a file and writes the header and the map. If it cannot, no new file remains, and
// the old ones stay.
func (w *demoWriter) create(f *demoFile) (err error) {
	if f.file, f.created, err = w.demos.create(f.name, DemoSuffix); err != nil {
		f.file, f.created = nil, ""
		return err
	}
	if f.out, err = demo.NewWriter(f.file, f.header, f.mapFile); err == nil {
		err = f.out.Flush() // a full disk shows at once
	}
	if err != nil {
		f.abandon()
		w.demos.remove(f.created)
		f.created = ""
		return err
	}
	if f.rotate != nil {
		w.demos.rotate(f.rotate, f.keep)
	}
	w.news <- demoNews{file: f, name: f.created}
	return nil
}

// write writes a batch. Of a server that is killed all is there up to the last keyframe.
func (f *demoFile) write(b *demoBatch) error {
	if f.file == nil {
		return nil
	}
	for i := range b.records[:b.n] {
		r := &b.records[i]
		if r.Keyframe {
			if err := f.out.Flush(); err != nil {
				return err
			}
		}
		if err := r.WriteTo(f.out); err != nil {
			return err
		}
	}
	return nil
}

// close completes the file.
func (f *demoFile) close() error {
	if f.file == nil {
		return nil
	}
	err := errors.Join(f.out.Close(), f.file.Close())
	f.file = nil
	return err
}

// abandon leaves a file as it is.
func (f *demoFile) abandon() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
