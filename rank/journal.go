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

// ErrFile is returned for files of another format, and for files that are too large.
var ErrFile = errors.New("rank: not a journal of ranks")

// ErrNotStored is returned by [Journal.Err] while results wait to be written. The waiting results
// count in answers, and the journal tries to write them again.
var ErrNotStored = errors.New("rank: not stored")

const (
	// magic begins a file. Its last byte is the version of the format.
	magic = "TEERANK\x01"
	// maxPending limits the entries that wait while the disk fails. Further ones are rejected.
	maxPending = 4096
	// maxFile is the largest file that is read, in bytes. A finish takes about 100 bytes.
	maxFile = 4 << 30
)

// Config is the configuration of a Journal.
type Config struct {
	// Path is the file. The file is read when the journal opens, and created with the first result.
	Path string
	// Report, if not nil, is called on another goroutine with messages that are not errors, such as
	// a repair of the file.
	Report func(text string)
	// Prepare, if not nil, prepares a Remote, for example by creating tables. The journal calls
	// Prepare until it succeeds.
	Prepare func(context.Context) error
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// NoRetry makes Submit and Add fail if the file cannot be written, as command-line tools need.
	// Otherwise the journal tries again.
	NoRetry bool
}

// Journal stores results in a file. It is safe for concurrent use.
type Journal struct {
	queue       *recordfile.Queue[job]
	undelivered undelivered

	// The fields below belong to the journal's goroutine.

	file    *recordfile.File
	index   *index
	now     func() time.Time
	noRetry bool
	pending []pending // may not be in the file yet
}

// job is a queued request.
type job struct {
	request *game.RankRequest
	origin  game.RankOrigin
	entries []Entry // for Add
	answer  func(game.RankAnswer)
	added   func(n int, err error)
}

// pending is an entry that waits to be written.
type pending struct {
	Entry
	written bool // in the file, but perhaps not on the disk
	done    func(error)
}

// Open opens the journal in a file. Close closes it.
func Open(cfg Config) *Journal { return start(newJournal(cfg)) }

func start(j *Journal) *Journal {
	j.queue.Wake() // reads the file before the first request
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

// Submit queues a request. The caller limits the number of queued requests. answer is called on
// another goroutine. For a result or a save that is when it is on the disk.
func (j *Journal) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	refuse := func(err error) {
		a := r.Answer()
		a.Err = err.Error()
		answer(a)
	}
	j.submit(job{request: r, origin: from, answer: answer}, refuse)
}

// Add adds entries, such as imported ones, and waits until they are on the disk. It returns how
// many of them were new.
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
		refuse(errors.New("the journal of ranks is closed"))
	}
}

// Err returns the journal's current error, or nil.
func (j *Journal) Err() error { return j.queue.Err() }

// Close writes pending entries and closes the journal. Later requests are rejected.
func (j *Journal) Close() error { return j.queue.Close() }

func (j *Journal) run() {
	// With a remote, entries that other processes append must be delivered, even without any
	// request.
	again := func() bool { return len(j.pending) > 0 || j.undelivered.remote != "" }
	j.queue.Run(j.exchange, again, func() {
		for _, p := range j.pending {
			p.done(ErrNotStored)
		}
	})
}

// exchange reads entries that other processes wrote, answers requests and writes new entries.
func (j *Journal) exchange(queue []job) error {
	err := j.work(queue)
	if err != nil && j.noRetry {
		for _, p := range j.pending {
			p.done(err)
		}
		j.pending, j.file.Reload = nil, true // the index already contains them
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

// without handles requests while the file cannot be read or locked. Results wait, and questions are
// answered from memory.
func (j *Journal) without(queue []job, err error) error {
	for i := range queue {
		j.handle(&queue[i])
	}
	if len(j.pending) > 0 {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return err
}

// write writes the pending entries. The file is locked and has been read.
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

// read updates the index with new entries of the file.
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

// repair rewrites a damaged file with its good records.
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

// writes reports whether the request adds an entry.
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

// handle answers a question, or makes the entry of a request pending.
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
			q.answer(a) // the code is in use
			return
		}
	case game.RankLoad:
		e.Kind = Load
		if i := slices.IndexFunc(j.index.taken, func(t takenSave) bool { return t.id == e.ID }); i >= 0 {
			saved = j.index.taken[i].save // a repeated request gets the same save again
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

// keep makes an entry pending. If the entry is already stored, it calls done at once. It returns an
// error for an entry that cannot be stored.
func (j *Journal) keep(e Entry, done func(error)) error {
	switch {
	case !e.valid():
		return errors.New("rank: a value of the result is out of range")
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

// add handles the entries of Add.
func (j *Journal) add(q *job) {
	left, n := 1, 0
	var failed error
	done := func(err error) {
		if failed == nil { // the others have the same error
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

// SaveID returns an ID in the form of a UUID.
func SaveID(id ID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
