package rank

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// ErrFile means that the file is not one of this package, or too large to be.
var ErrFile = errors.New("rank: not a file of ranks")

// ErrNotStored is what [Journal.Err] returns while results are not in the file. They count for
// questions, and writing them is tried again.
var ErrNotStored = errors.New("rank: not stored")

const (
	// magic is the start of a file; its last byte is the version of the format.
	magic = "TEERANK\x01"
	// maxPending is how many entries wait while the disk fails; others are refused.
	maxPending = 4096
	// maxFile is the largest file that is read, in bytes. A finish takes about 100.
	maxFile = 4 << 30
)

// Config says what a Journal is.
type Config struct {
	// Path is the file, which is read at once and made with the first result.
	Path string
	// Report, if not nil, is told by another goroutine what is no error, such as that a file was damaged.
	Report func(text string)
	// Prepare, if not nil, makes a remote ready, such as by making tables. It is called until it succeeds.
	Prepare func(context.Context) error
	// Now returns the time; time.Now if it is nil.
	Now func() time.Time
	// NoRetry makes Submit and Add fail if the file cannot be written, as commands want it. Otherwise writing is tried again.
	NoRetry bool
}

// Journal keeps results in a file. Its methods may be called by several goroutines.
type Journal struct {
	queue       *recordfile.Queue[job]
	undelivered undelivered

	// Of the goroutine:

	file    *recordfile.File
	index   *index
	now     func() time.Time
	noRetry bool
	pending []pending // that may not be in the file
}

// job is a request that waits.
type job struct {
	request *game.RankRequest
	origin  game.RankOrigin
	entries []Entry // of Add
	answer  func(game.RankAnswer)
	added   func(n int, err error)
}

// pending is an entry that is to be written.
type pending struct {
	Entry
	written bool // it is in the file, but may not be on the disk
	done    func(error)
}

// Open returns the journal in a file. Close ends it.
func Open(cfg Config) *Journal { return start(newJournal(cfg)) }

func start(j *Journal) *Journal {
	j.queue.Wake() // reads the file before somebody asks
	go j.run()
	return j
}

func newJournal(cfg Config) *Journal {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	j := &Journal{
		file: recordfile.Open(recordfile.File{Path: cfg.Path, Magic: magic, MaxRecord: maxEntry, MaxFile: maxFile, ErrFile: ErrFile, Report: cfg.Report}),
		now:  cfg.Now, noRetry: cfg.NoRetry, queue: recordfile.NewQueue[job](ErrNotStored),
	}
	j.index = newIndex(j.seconds)
	return j
}

func (j *Journal) seconds() int64 { return j.now().Unix() }

// Submit queues a request, of which the caller limits the number. answer is called by another
// goroutine; for a result or a save when it is on the disk.
func (j *Journal) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	refuse := func(err error) {
		a := r.Answer()
		a.Err = err.Error()
		answer(a)
	}
	j.submit(job{request: r, origin: from, answer: answer}, refuse)
}

// Add adds entries, such as those of an import, and waits until they are on the disk. It returns how
// many were not there yet.
func (j *Journal) Add(entries []Entry) (added int, err error) {
	type result struct {
		n   int
		err error
	}
	c := make(chan result, 1)
	j.submit(job{entries: entries, added: func(n int, err error) { c <- result{n, err} }}, func(err error) { c <- result{0, err} })
	r := <-c
	return r.n, r.err
}

func (j *Journal) submit(q job, refuse func(error)) {
	if !j.queue.Submit(q) {
		refuse(errors.New("the ranks are closed"))
	}
}

// Err returns what keeps the journal from working, nil if nothing does.
func (j *Journal) Err() error { return j.queue.Err() }

// Close writes what is not written yet. Requests after it are refused.
func (j *Journal) Close() error { return j.queue.Close() }

func (j *Journal) run() {
	// Who has a remote delivers what others append, even if nobody asks anything.
	again := func() bool { return len(j.pending) > 0 || j.undelivered.remote != "" }
	j.queue.Run(j.exchange, again, func() {
		for _, p := range j.pending {
			p.done(ErrNotStored)
		}
	})
}

// exchange reads what others have written, answers requests and writes what is new.
func (j *Journal) exchange(queue []job) error {
	err := j.work(queue)
	if err != nil && j.noRetry {
		for _, p := range j.pending {
			p.done(err)
		}
		j.pending, j.file.Reload = nil, true // since the index has them
	}
	return err
}

func (j *Journal) work(queue []job) error {
	writes := len(j.pending) > 0
	for i := range queue {
		writes = writes || queue[i].writes()
	}
	if writes || j.file.Changed() {
		release, err := j.file.Lock(writes)
		if err == nil {
			defer release()
			err = j.read()
		}
		if err != nil {
			return j.without(queue, err)
		}
	}
	for i := range queue {
		j.handle(&queue[i])
	}
	return j.write()
}

// without handles requests while the file cannot be read or locked: results wait, and questions
// are answered from memory.
func (j *Journal) without(queue []job, err error) error {
	for i := range queue {
		j.handle(&queue[i])
	}
	if len(j.pending) > 0 {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return err
}

// write writes what is pending. The file is locked and read.
func (j *Journal) write() error {
	if j.file.Damaged > 0 {
		if err := j.repair(); err != nil {
			return fmt.Errorf("%w: %w", ErrNotStored, err)
		}
	}
	if err := j.file.CutTail(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	if len(j.pending) == 0 {
		return nil
	}
	var b []byte
	for i := range j.pending {
		if p := &j.pending[i]; !p.written {
			b = p.append(b)
		}
	}
	if err := j.file.Append(b); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	for i := range j.pending {
		if p := &j.pending[i]; !p.written {
			j.undelivered.note(&p.Entry)
		}
	}
	stored := j.pending
	j.pending = nil
	for i := range stored {
		stored[i].done(nil)
	}
	return nil
}

// read brings the index up to date with the file.
func (j *Journal) read() error {
	inFile := map[ID]bool{}
	for i := range j.pending {
		inFile[j.pending[i].ID] = false
	}
	anew, err := j.file.Update(false, func() {
		*j.index = *newIndex(j.seconds)
		j.undelivered.forget()
	}, func(body []byte) bool {
		e := new(Entry)
		if !e.parse(body) {
			return false
		}
		j.index.apply(e)
		j.undelivered.note(e)
		if _, ok := inFile[e.ID]; ok {
			inFile[e.ID] = true
		}
		return true
	})
	if err != nil {
		return err
	}
	for i := range j.pending {
		p := &j.pending[i]
		p.written = p.written && !anew || inFile[p.ID]
		if anew && !p.written {
			j.index.apply(&p.Entry)
		}
	}
	return nil
}

// repair makes a file anew of what is good in a damaged one.
func (j *Journal) repair() error {
	f, err := os.Open(j.file.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	var good []byte
	_, _, err = recordfile.Scan(f, j.file.Offset, maxEntry, func(body []byte) bool {
		var e Entry
		if !e.parse(body) {
			return false
		}
		good = e.append(good)
		return true
	})
	if err != nil {
		return err
	}
	return j.file.Replace(good)
}

// writes reports whether the request adds something.
func (q *job) writes() bool {
	if q.request == nil {
		return true
	}
	switch q.request.Op {
	case game.RankFinish, game.RankSave, game.RankLoad:
		return true
	}
	return false
}

// handle answers a request or makes what it adds pending.
func (j *Journal) handle(q *job) {
	if q.request == nil {
		j.add(q)
		return
	}
	r := q.request
	a := r.Answer()
	a.Server = q.origin.Server
	if !q.writes() {
		j.index.answer(r, q.origin.Server, &a)
		q.answer(a)
		return
	}
	e := Entry{
		ID: q.origin.ID, When: j.seconds(), Map: r.Map, Server: q.origin.Server, GameID: q.origin.GameID, Log: q.origin.Log,
		Names: r.Names, Team: r.Team, Time: r.Time, Checkpoints: r.Checkpoints, Begin: r.Begin, End: r.End,
		Code: r.Code, SaveID: r.SaveID,
	}
	saved := j.index.saves[saveKey{r.Map, r.Code}]
	switch r.Op {
	case game.RankFinish:
		e.Kind = Finish
	case game.RankSave:
		e.Kind, e.Text, e.SaveID = Save, r.Text, SaveID(e.ID)
		a.Found = saved == nil || saved.SaveID == e.SaveID
		if a.Found {
			a.Save.ID = e.SaveID
		} else {
			q.answer(a) // the code is taken
			return
		}
	case game.RankLoad:
		e.Kind = Load
		if i := slices.IndexFunc(j.index.taken, func(t takenSave) bool { return t.id == e.ID }); i >= 0 {
			saved = j.index.taken[i].save // who asks again gets it again
		} else if saved == nil || saved.SaveID != r.SaveID {
			q.answer(a)
			return
		}
		a.Found, a.Save = true, j.index.saveState(saved)
	}
	before := int32(0)
	if r.Op == game.RankFinish && !r.Team && len(r.Names) > 0 {
		if no, ok := j.index.nameNo[r.Names[0]]; ok {
			before = j.index.points[no]
		}
	}
	refuse := func(err error) {
		a.Found, a.Save = false, r.Answer().Save
		a.Err = err.Error()
	}
	err := j.keep(e, func(err error) {
		if err != nil {
			refuse(err)
		}
		q.answer(a)
	})
	if err != nil {
		refuse(err)
		q.answer(a)
		return
	}
	if r.Op == game.RankFinish && !r.Team {
		if no, ok := j.index.nameNo[r.Names[0]]; ok {
			a.Points = j.index.points[no] - before
		}
	}
}

// keep makes an entry pending, or calls done at once if it is there. It returns an error for
// one that cannot be kept.
func (j *Journal) keep(e Entry, done func(error)) error {
	switch {
	case !e.valid():
		return errors.New("rank: a result with impossible values")
	case len(j.pending) >= maxPending:
		return ErrNotStored
	}
	if i := slices.IndexFunc(j.pending, func(p pending) bool { return p.ID == e.ID }); i >= 0 {
		before := j.pending[i].done
		j.pending[i].done = func(err error) {
			before(err)
			done(err)
		}
		return nil
	}
	if !j.index.apply(&e) {
		done(nil)
		return nil
	}
	j.pending = append(j.pending, pending{Entry: e, done: done})
	return nil
}

// add adds the entries of Add.
func (j *Journal) add(q *job) {
	left, n := 1, 0
	var failed error
	done := func(err error) {
		if failed == nil { // the others say the same
			failed = err
		}
		if left--; left == 0 {
			q.added(n, failed)
		}
	}
	for i := range q.entries {
		e := &q.entries[i]
		if _, there := j.index.ids[e.ID]; there && !slices.ContainsFunc(j.pending, func(p pending) bool { return p.ID == e.ID }) {
			continue
		}
		left++
		err := j.keep(*e, func(err error) {
			if err == nil {
				n++
			}
			done(err)
		})
		if err != nil {
			done(err)
		}
	}
	done(nil)
}

// SaveID returns the ID of a save in the form of a UUID.
func SaveID(id ID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
