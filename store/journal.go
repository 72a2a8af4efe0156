package store

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// ErrFile is returned for files of another format, and for files that are too large.
var ErrFile = errors.New("store: not a storage file")

// ErrNotStored is returned by [Journal.Err] while changes wait to be written. Later requests see
// them, and the journal tries to write them again.
var ErrNotStored = errors.New("store: not stored")

const (
	// maxPending limits the changes that wait while the disk fails. Further ones are rejected.
	maxPending = 4096
	// maxFile is the largest file that is read, in bytes. Files are compacted long before.
	maxFile = 256 << 20
	// compactAfter is how many bytes more than necessary a file may contain.
	compactAfter = 1 << 20
)

// Journal is a storage in a file. It is safe for concurrent use.
type Journal struct {
	queue *recordfile.Queue[job]

	// The fields below belong to the journal's goroutine.

	file    *recordfile.File
	tables  *tables
	id      uint64
	number  uint64
	pending []change // may not be in the file yet
}

// job is a queued request.
type job struct {
	game.StoreRequest
	answer func(game.StoreAnswer)
}

// change is a record that waits to be written.
type change struct {
	record
	job     job
	written bool // in the file, but perhaps not on the disk
}

// New returns a storage that keeps its data in a file. The first request reads the file, and the
// first change creates it. Close closes it. report, if not nil, is called on another goroutine with
// a message about a damaged file.
func New(path string, report func(text string)) *Journal {
	j := newJournal(path)
	j.file.Report = report
	go j.run()
	return j
}

func newJournal(path string) *Journal {
	return &Journal{
		file:  recordfile.Open(recordfile.File{Path: path, Magic: magic, MaxRecord: maxRecord, MaxFile: maxFile, ErrFile: ErrFile}),
		queue: recordfile.NewQueue[job](ErrNotStored), tables: newTables(), id: rand.Uint64() | 1,
	}
}

// Submit queues a request. The caller limits the number of queued requests. answer is called on
// another goroutine. For a change that is when it is on the disk.
func (j *Journal) Submit(r *game.StoreRequest, answer func(game.StoreAnswer)) {
	if q := (job{*r, answer}); !j.queue.Submit(q) {
		q.refuse(errors.New("the storage is closed"))
	}
}

// Err returns the storage's current error, or nil.
func (j *Journal) Err() error { return j.queue.Err() }

// Close writes pending changes and closes the storage. Later requests are rejected.
func (j *Journal) Close() error { return j.queue.Close() }

func (j *Journal) run() {
	j.queue.Run(j.exchange, func() bool { return len(j.pending) > 0 }, func() {
		for _, c := range j.pending {
			c.job.refuse(ErrNotStored)
		}
	})
}

// exchange reads changes of other processes, answers requests and writes changes.
func (j *Journal) exchange(queue []job) (err error) {
	writes := len(j.pending) > 0
	for i := range queue {
		writes = writes || queue[i].changes()
	}
	if writes || j.file.Changed() {
		release, err := j.file.Lock(writes)
		if err != nil {
			return j.fail(queue, err)
		}
		defer release()
		if err := j.read(); err != nil {
			return j.fail(queue, err)
		}
	}
	for i := range queue {
		j.handle(queue[i])
	}
	if len(j.pending) == 0 {
		return j.repair()
	}
	if err := j.append(); err != nil {
		j.file.Reload = true
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	for _, c := range j.pending {
		c.job.answer(c.job.newAnswer())
	}
	j.pending = nil
	return nil
}

// repair repairs a damaged or truncated file at once, not only with the next change, so that it is
// reported.
func (j *Journal) repair() error {
	var err error
	if j.file.Damaged > 0 {
		err = j.file.Replace(j.tables.appendAll(nil))
	} else {
		err = j.file.CutTail()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return nil
}

// fail rejects requests because the file cannot be read. Pending changes stay pending.
func (j *Journal) fail(queue []job, err error) error {
	j.file.Reload = true
	for i := range queue {
		queue[i].refuse(err)
	}
	return err
}

// read updates the tables with new records of the file.
func (j *Journal) read() error {
	anew, err := j.file.Update(len(j.pending) > 0, func() { *j.tables = *newTables() }, j.tables.applyRecord)
	if anew && err == nil {
		j.restorePending()
	}
	return err
}

// restorePending applies the changes that are not in the file.
func (j *Journal) restorePending() {
	stored := j.tables.writers[j.id].number
	for i := range j.pending {
		c := &j.pending[i]
		if c.written = c.number <= stored; !c.written {
			j.tables.apply(&c.record)
		}
	}
}

// handle answers a request, or makes its change pending.
func (j *Journal) handle(q job) {
	if !q.changes() {
		a := q.newAnswer()
		j.tables.answer(&q.StoreRequest, &a)
		q.answer(a)
		return
	}
	c := change{record: record{writer: j.id, number: j.number + 1, space: q.Space, key: q.Key}, job: q}
	switch q.Op {
	case game.StorePut:
		c.op, c.value = opPut, q.Value
	case game.StoreBest:
		c.op, c.lowFirst = opBest, q.LowFirst
	case game.StoreAdd:
		c.op = opAdd
	case game.StoreDrop:
		c.op = opDrop
	}
	if c.op != opPut {
		c.row, c.score, c.value = q.Row.Name, q.Row.Score, q.Row.Value
	}
	if err := j.tables.check(&c.record); err != nil {
		q.refuse(err)
		return
	}
	if len(j.pending) >= maxPending {
		q.refuse(ErrNotStored)
		return
	}
	j.number++
	j.tables.apply(&c.record)
	j.pending = append(j.pending, c)
}

// append writes the pending changes, or rewrites the file. The file is locked and has been read.
func (j *Journal) append() error {
	needed := len(magic) + j.tables.bytes
	if j.file.Damaged > 0 || j.file.Offset > int64(2*needed+compactAfter) {
		return j.file.Replace(j.tables.appendAll(nil))
	}
	var b []byte
	for i := range j.pending {
		if c := &j.pending[i]; !c.written {
			b = c.append(b)
		}
	}
	return j.file.Append(b)
}

// changes reports whether the request changes the storage.
func (q *job) changes() bool {
	switch q.Op {
	case game.StorePut, game.StoreBest, game.StoreAdd, game.StoreDrop:
		return true
	}
	return false
}

func (q *job) newAnswer() game.StoreAnswer {
	return game.StoreAnswer{ID: q.ID, Op: q.Op, Space: q.Space, Key: q.Key}
}

func (q *job) refuse(err error) {
	a := q.newAnswer()
	a.Err = err.Error()
	q.answer(a)
}
