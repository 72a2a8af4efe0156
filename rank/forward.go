package rank

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// Remote is a store that several servers share, such as a database.
type Remote interface {
	// Name identifies the store in the journal.
	Name() string
	// Deliver adds entries in their order and leaves out those whose IDs it already has. After an
	// error the first entries may have been added.
	Deliver(ctx context.Context, entries []Entry) error
	// Answer answers a question, or stores or loads a save. A repeated request with the same origin
	// ID gets the same answer. If the error is [ErrUnsure], the request may have been carried out.
	// After any other error it was not.
	Answer(ctx context.Context, r *game.RankRequest, from game.RankOrigin) (game.RankAnswer, error)
	// Ping returns an error if the store does not answer.
	Ping(ctx context.Context) error
}

// ErrUnsure means that a [Remote] may or may not have carried out a request.
var ErrUnsure = errors.New("rank: the request may have been carried out")

const (
	// deliverBatch is the number of entries per delivery.
	deliverBatch = 100
	// deliverTimeout limits a delivery, and answerTimeout an answer.
	deliverTimeout = 30 * time.Second
	answerTimeout  = 5 * time.Second
	// pingInterval is the time between two looks whether a remote answers, while nothing waits for
	// it.
	pingInterval = 10 * time.Second
	// maxQuestions limits the questions that wait for a remote.
	maxQuestions = 256
)

// Shared is a journal with a Remote. It delivers all entries of the journal to the Remote, and the
// Remote answers the questions. While the Remote is unavailable, the journal answers questions.
// Saves wait for the Remote, since other servers could load them.
type Shared struct {
	*Journal
	remote    Remote
	questions chan job
	deliver   chan struct{}
	stop      context.CancelFunc
	stopped   chan struct{}
	trouble   atomic.Pointer[error]

	// The fields below belong to the goroutine that delivers.

	prepare func(context.Context) error // nil after it succeeded
	report  func(string)
	said    string // last reported error of prepare
}

// OpenShared opens the journal in a file and connects it to a Remote. Close closes the journal and
// ends the delivery.
func OpenShared(cfg Config, remote Remote) *Shared {
	ctx, stop := context.WithCancel(context.Background())
	j := newJournal(cfg)
	j.undelivered.remote = remote.Name()
	s := &Shared{Journal: start(j), remote: remote, questions: make(chan job, maxQuestions), deliver: make(chan struct{}, 1),
		stop: stop, stopped: make(chan struct{}), prepare: cfg.Prepare, report: cfg.Report}
	go s.answer(ctx)
	go s.run(ctx)
	return s
}

// Submit submits a request. The Remote answers questions, saves and loads; the journal stores
// finishes.
func (s *Shared) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	if r.Op == game.RankFinish {
		s.Journal.Submit(r, from, func(a game.RankAnswer) {
			answer(a)
			s.wakeUp()
		})
		return
	}
	select {
	case s.questions <- job{request: r, origin: from, answer: answer}:
	default:
		a := r.Answer()
		a.Err = "too many requests are waiting for the database"
		answer(a)
	}
}

// Close closes the journal and ends the delivery. When the journal is opened again, the delivery
// continues.
func (s *Shared) Close() error {
	err := s.Journal.Close()
	s.stop()
	<-s.stopped
	return err
}

func (s *Shared) wakeUp() {
	select {
	case s.deliver <- struct{}{}:
	default:
	}
}

// answer answers questions, one after the other.
func (s *Shared) answer(ctx context.Context) {
	var failed time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-s.questions:
			insists := q.writes() || q.request.Op == game.RankSaved
			if !insists && time.Since(failed) < answerTimeout { // one question already waited for the remote
				s.Journal.Submit(q.request, q.origin, q.answer)
				continue
			}
			limited, cancel := context.WithTimeout(ctx, answerTimeout)
			a, err := s.remote.Answer(limited, q.request, q.origin)
			cancel()
			if err != nil {
				failed = time.Now()
			}
			switch {
			case err == nil:
				q.answer(a)
			case q.writes() && errors.Is(err, ErrUnsure):
				s.trouble.Store(&err)
				go s.settle(ctx, q)
			case insists:
				a = q.request.Answer()
				a.Err = "the database does not answer: " + err.Error()
				q.answer(a)
			default:
				s.Journal.Submit(q.request, q.origin, q.answer)
			}
		}
	}
}

// settle repeats a request about a save until the remote says whether it was carried out. Otherwise
// a player told that a save failed could have it twice, and one told that it is still stored could
// have lost it.
func (s *Shared) settle(ctx context.Context, q job) {
	t := time.NewTicker(recordfile.RetryInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		limited, cancel := context.WithTimeout(ctx, answerTimeout)
		a, err := s.remote.Answer(limited, q.request, q.origin)
		cancel()
		if err == nil {
			s.trouble.Store(nil)
			q.answer(a)
			return
		}
	}
}

func (s *Shared) run(ctx context.Context) {
	defer close(s.stopped)
	t := time.NewTicker(recordfile.RetryInterval)
	defer t.Stop()
	var pinged time.Time
	for {
		s.tryPrepare(ctx)
		for ctx.Err() == nil && s.next(ctx) {
		}
		if time.Since(pinged) >= pingInterval && s.Undelivered() == 0 {
			s.ping(ctx)
			pinged = time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-s.deliver:
		case <-t.C:
		}
	}
}

// tryPrepare prepares the remote. An error is only reported, since the current work may succeed
// without the missing tables.
func (s *Shared) tryPrepare(ctx context.Context) {
	if s.prepare == nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := s.prepare(limited)
	if err == nil {
		s.prepare = nil
		return
	}
	if text := "the database is not ready; results wait in the journal: " + err.Error(); s.report != nil && ctx.Err() == nil && text != s.said {
		s.said = text
		s.report(text)
	}
}

// ping keeps the error of a remote that does not answer, so that operators see it before a player
// finishes.
func (s *Shared) ping(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := s.remote.Ping(limited); err != nil {
		err = fmt.Errorf("the database does not answer: %w", err)
		s.trouble.Store(&err)
	} else {
		s.trouble.Store(nil)
	}
}

// next delivers the next batch. It reports whether there may be more entries.
func (s *Shared) next(ctx context.Context) bool {
	batch := s.undelivered.first(deliverBatch)
	if len(batch) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	if err := s.remote.Deliver(ctx, batch); err != nil {
		err = fmt.Errorf("results wait for the database: %w", err)
		s.trouble.Store(&err)
		return false
	}
	s.trouble.Store(nil)
	_, err := s.Add([]Entry{deliveredTo(s.remote.Name(), batch)})
	return err == nil
}

// deliveredTo returns the entry that records the delivery of a batch to a remote. If that entry is
// lost, the batch is delivered again and the remote ignores it.
func deliveredTo(remote string, batch []Entry) Entry {
	e := Entry{Kind: delivered, Text: remote, SaveID: hex.EncodeToString(batch[len(batch)-1].ID[:])}
	rand.Read(e.ID[:])
	return e
}

// Err returns the current error of the journal or the remote, or nil.
func (s *Shared) Err() error {
	if err := s.Journal.Err(); err != nil {
		return err
	}
	if err := s.trouble.Load(); err != nil {
		return remoteError{*err}
	}
	return nil
}

// Undelivered returns the number of entries of the journal that the remote may not have yet. It is
// 0 until the file has been read.
func (s *Shared) Undelivered() int {
	s.undelivered.mu.Lock()
	defer s.undelivered.mu.Unlock()
	return len(s.undelivered.list)
}

// remoteError is an error of the remote. The journal keeps all results until the remote is back.
type remoteError struct{ error }

// Away reports that nothing on this machine is at fault.
func (remoteError) Away() bool { return true }

func (e remoteError) Unwrap() error { return e.error }

// undelivered holds the entries in the file that a remote may not have, the oldest first.
type undelivered struct {
	remote string // empty if there is none
	mu     sync.Mutex
	list   [][]byte // encoded, since a million may wait while the remote is unavailable
}

// note adds an entry of the file, or removes entries that it makes obsolete.
func (u *undelivered) note(e *Entry) {
	if u.remote == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case e.Kind == Load: // loads a save from before there was a remote
		u.list = slices.DeleteFunc(u.list, func(body []byte) bool {
			if Kind(body[len(e.ID)]) != Save {
				return false
			}
			o := decoded(body)
			return o.Map == e.Map && o.Code == e.Code && o.SaveID == e.SaveID
		})
	case e.Kind != delivered:
		u.list = append(u.list, bytes.Clone(e.append(nil)[recordfile.HeadSize:]))
	case e.Text == u.remote:
		last, err := hex.DecodeString(e.SaveID)
		if i := slices.IndexFunc(u.list, func(body []byte) bool { return bytes.HasPrefix(body, last) }); err == nil && len(last) == len(e.ID) && i >= 0 {
			clear(u.list[:i+1])
			u.list = u.list[i+1:]
		}
	}
}

func (u *undelivered) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = nil
}

// first returns the oldest n entries.
func (u *undelivered) first(n int) (entries []Entry) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, body := range u.list[:min(n, len(u.list))] {
		entries = append(entries, decoded(body))
	}
	return entries
}

// decoded returns the entry of a body that append wrote.
func decoded(body []byte) (e Entry) {
	e.parse(body)
	return e
}
