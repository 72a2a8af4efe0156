package record

import (
	"errors"
	"io"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game/replay"
)

// errFull is the error of a recording that has reached its size limit.
var errFull = errors.New("record: the recording is full")

// logJobKind is what a logWriter is to do.
type logJobKind uint8

const (
	jobOpen logJobKind = iota
	jobBlock
	jobEnd
	jobProbe
)

// logJob is work for a logWriter.
type logJob struct {
	kind     logJobKind
	name     string
	suffix   string
	match    *regexp.Regexp // matches the names of files that rotation may delete
	header   *replay.Header // nil for teehistorians, whose blocks are written as they are
	maxFiles int
	maxSize  int64
	block    []byte
	reason   replay.EndReason
	result   *replay.MatchResult // nil for none
	probed   func(error)         // gets what jobProbe led to
}

// logQueue and logQueueBytes limit the jobs that wait for the disk, and the bytes in them. They are
// enough for more than a minute of a normal match.
const (
	logQueue      = 128
	logQueueBytes = 16 << 20
)

// logWriter writes replay logs or teehistorians in a goroutine.
type logWriter struct {
	jobs        chan logJob
	freeBlocks  chan []byte
	queuedBytes atomic.Int64 // bytes of blocks in jobs
	trouble     atomic.Pointer[error]
	created     atomic.Pointer[string] // the name of the log
	pending     atomic.Int32           // jobs that are not done
	done        chan struct{}

	logs    recordings
	file    io.WriteCloser
	size    int64
	maxSize int64
	raw     bool
	packer  replay.Encoder
	buf     []byte
}

func newLogWriter(dir Folder) *logWriter {
	w := &logWriter{
		logs: recordings{dir: dir}, jobs: make(chan logJob, logQueue), freeBlocks: make(chan []byte, 4), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// enqueue passes a job to the goroutine. It returns false if the queue is full.
func (w *logWriter) enqueue(j logJob) bool {
	if w.queuedBytes.Load() > logQueueBytes {
		return false
	}
	w.queuedBytes.Add(int64(len(j.block)))
	w.pending.Add(1)
	select {
	case w.jobs <- j:
		return true
	default:
		w.queuedBytes.Add(-int64(len(j.block)))
		w.pending.Add(-1)
		return false
	}
}

// spareBlock returns a buffer to use again, nil if there is none.
func (w *logWriter) spareBlock() []byte {
	select {
	case spare := <-w.freeBlocks:
		return spare
	default:
		return nil
	}
}

// close ends the goroutine. It returns false if the goroutine has not ended after closeTimeout.
func (w *logWriter) close() bool {
	close(w.jobs)
	select {
	case <-w.done:
		return true
	case <-time.After(closeTimeout):
		return false
	}
}

func (w *logWriter) run() {
	defer close(w.done)
	for j := range w.jobs {
		if err := w.handle(&j); err != nil {
			w.trouble.Store(&err)
			w.closeFile()
		}
		if j.block != nil {
			w.queuedBytes.Add(-int64(len(j.block)))
			if cap(j.block) <= maxSpareBlock {
				select {
				case w.freeBlocks <- j.block[:0]:
				default:
				}
			}
		}
		w.pending.Add(-1)
	}
	w.closeFile()
}

// maxSpareBlock is the largest buffer that is reused, in bytes.
const maxSpareBlock = 256 << 10

// handle does a job.
func (w *logWriter) handle(j *logJob) error {
	switch {
	case j.kind == jobProbe:
		j.probed(w.logs.probe())
		return nil
	case j.kind == jobOpen:
		w.closeFile()
		return w.open(j)
	case w.file == nil:
		return nil
	case j.kind == jobBlock:
		return w.writeBlock(j.block)
	case w.raw:
		return w.closeFile()
	}
	w.buf = w.packer.AppendEnd(w.buf[:0], j.reason, j.result)
	return errors.Join(w.write(), w.closeFile())
}

// open creates a file and writes its header. If the header cannot be written, the file is removed.
func (w *logWriter) open(j *logJob) (err error) {
	if w.raw = j.header == nil; w.raw {
		w.buf = append(w.buf[:0], j.block...)
	} else if w.buf, err = w.packer.AppendHeader(w.buf[:0], j.header); err != nil {
		return err
	}
	var name string
	if w.file, name, err = w.logs.create(j.name, j.suffix); err != nil {
		w.file = nil
		return err
	}
	w.size, w.maxSize = 0, j.maxSize
	err = w.write()
	w.buf = nil // headers are large and blocks are not
	if err != nil {
		w.closeFile()
		w.logs.remove(name)
		return err
	}
	w.created.Store(&name)
	w.logs.rotate(j.match, j.maxFiles)
	return nil
}

// writeBlock writes a block, or the end of a file that would become too large with it.
func (w *logWriter) writeBlock(block []byte) error {
	if w.raw {
		if w.size+int64(len(block)) > w.maxSize {
			return errFull
		}
		w.buf = append(w.buf[:0], block...)
		return w.write()
	}
	if w.buf = w.packer.AppendTicks(w.buf[:0], block); w.size+int64(len(w.buf)) > w.maxSize {
		w.buf = w.packer.AppendEnd(w.buf[:0], replay.EndSizeLimit, nil)
		return errors.Join(errFull, w.write())
	}
	return w.write()
}

func (w *logWriter) write() error {
	w.size += int64(len(w.buf))
	_, err := w.file.Write(w.buf)
	return err
}

func (w *logWriter) closeFile() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}
