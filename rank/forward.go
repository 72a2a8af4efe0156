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

// Remote is a store for many servers, such as a database.
type Remote interface {
	// Name tells it from others, in the journal.
	Name() string
	// Deliver adds entries in their order, each once: those whose IDs it has are left out. If it returns
	// an error, the first entries may be there.
	Deliver(ctx context.Context, entries []Entry) error
	// Answer answers a question, or adds or takes out a save. Who repeats a request with the same origin ID
	// gets the same answer. An error that is [ErrUnsure] means that it may have been carried out; any other, that it was not.
	Answer(ctx context.Context, r *game.RankRequest, from game.RankOrigin) (game.RankAnswer, error)
}

// ErrUnsure means that nobody knows whether a [Remote] did what it was asked for.
var ErrUnsure = errors.New("rank: it may have been stored")

const (
	// deliverBatch is how many entries are delivered at once.
	deliverBatch = 100
	// deliverTimeout limits a delivery, and answerTimeout an answer.
	deliverTimeout = 30 * time.Second
	answerTimeout  = 5 * time.Second
	// maxQuestions is how many questions wait for a remote.
	maxQuestions = 256
)

// Shared is a journal with a remote: all that is in the journal is delivered, and the remote answers
// questions. While it is away the journal answers them, but saves have to wait for it, since others
// could load them.
type Shared struct {
	*Journal
	remote    Remote
	questions chan job
	deliver   chan struct{}
	stop      context.CancelFunc
	stopped   chan struct{}
	trouble   atomic.Pointer[error]

	// Of the goroutine that delivers:

	prepare func(context.Context) error // nil when it has succeeded
	report  func(string)
	said    string // the last error of prepare
}

// OpenShared returns the journal in a file with a remote. Close ends both.
func OpenShared(cfg Config, remote Remote) *Shared {
	ctx, stop := context.WithCancel(context.Background())
	j := newJournal(cfg)
	j.undelivered.remote = remote.Name()
	s := &Shared{Journal: start(j), remote: remote, questions: make(chan job, maxQuestions), deliver: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{}), prepare: cfg.Prepare, report: cfg.Report}
	go s.answer(ctx)
	go s.run(ctx)
	return s
}

// Submit is that of the journal, for questions with the answers of the remote.
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
		a.Err = "too many questions wait for the database"
		answer(a)
	}
}

// Close ends the delivery, which goes on when the journal is opened again.
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
			if !insists && time.Since(failed) < answerTimeout { // one of them waited for the remote, which is enough
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

// settle asks again until the remote says what became of a save: who was told that there is none would have it twice, and
// who was told that it is still there would have lost it.
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
	for {
		s.tryPrepare(ctx)
		for ctx.Err() == nil && s.next(ctx) {
		}
		select {
		case <-ctx.Done():
			return
		case <-s.deliver:
		case <-t.C:
		}
	}
}

// tryPrepare makes the remote ready. What needs it waits, but there may be nothing to do that is missing.
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
	if text := "the database is not ready; what is to be in it waits: " + err.Error(); s.report != nil && ctx.Err() == nil && text != s.said {
		s.said = text
		s.report(text)
	}
}

// next delivers the next finishes. It reports whether there may be more.
func (s *Shared) next(ctx context.Context) bool {
	batch := s.undelivered.first(deliverBatch)
	if len(batch) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	if err := s.remote.Deliver(ctx, batch); err != nil {
		err = fmt.Errorf("finishes wait for the database: %w", err)
		s.trouble.Store(&err)
		return false
	}
	s.trouble.Store(nil)
	_, err := s.Add([]Entry{deliveredTo(s.remote.Name(), batch)})
	return err == nil
}

// deliveredTo is the entry that says that a remote has a batch, and what was before it. If it is lost, they are delivered
// again and left out.
func deliveredTo(remote string, batch []Entry) Entry {
	e := Entry{Kind: delivered, Text: remote, SaveID: hex.EncodeToString(batch[len(batch)-1].ID[:])}
	rand.Read(e.ID[:])
	return e
}

// Err returns what keeps the journal or the remote from working.
func (s *Shared) Err() error {
	if err := s.Journal.Err(); err != nil {
		return err
	}
	if err := s.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// undelivered are the entries in the file that a remote may not have, the oldest first: finishes, and what was imported.
type undelivered struct {
	remote string // "" if there is none
	mu     sync.Mutex
	list   [][]byte // encoded, since there may be a million while the remote is away
}

// note notes an entry of the file.
func (u *undelivered) note(e *Entry) {
	if u.remote == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case e.Kind == Load: // of a save from before there was a remote
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

// first returns the oldest n.
func (u *undelivered) first(n int) (entries []Entry) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, body := range u.list[:min(n, len(u.list))] {
		entries = append(entries, decoded(body))
	}
	return entries
}

// decoded returns the entry of a body that append made.
func decoded(body []byte) (e Entry) {
	e.parse(body)
	return e
}
