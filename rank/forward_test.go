package rank

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// unsureStore is a remote whose first answers are lost.
type unsureStore struct {
	lost  int
	asked map[ID]int
}

func (*unsureStore) Ping(context.Context) error             { return nil }
func (*unsureStore) Name() string                           { return "unsure" }
func (*unsureStore) Deliver(context.Context, []Entry) error { return errAway }
func (s *unsureStore) Answer(_ context.Context, r *game.RankRequest, from game.RankOrigin) (game.RankAnswer, error) {
	s.asked[from.ID]++
	a := r.Answer()
	if s.lost--; s.lost >= 0 {
		return a, fmt.Errorf("%w: %w", ErrUnsure, errAway)
	}
	a.Found = true
	return a, nil
}

// TestLostAnswer loads a save while the connection fails. Shared repeats the request with the same
// ID and returns the remote's answer, not an error. A remote that is not ready is prepared again,
// and reported once.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	store := &unsureStore{lost: 1, asked: map[ID]int{}}
	prepared, said := make(chan struct{}), 0
	left := 3
	s := OpenShared(Config{Path: filepath.Join(t.TempDir(), "file"), Report: func(string) { said++ }, Prepare: func(context.Context) error {
		if left--; left > 0 {
			return errAway
		}
		close(prepared)
		return nil
	}}, store)
	answers := make(chan game.RankAnswer)
	s.Submit(&game.RankRequest{Op: game.RankLoad, Map: "m", Code: "c"}, game.RankOrigin{ID: number(1)}, func(a game.RankAnswer) { answers <- a })
	a := <-answers
	testenv.Check(t, a.Found && a.Err == "" && store.asked[number(1)] == 2, "%+v, asked %v", a, store.asked)
	s.wakeUp()
	<-prepared
	s.Submit(&game.RankRequest{Op: game.RankFinish, Map: "m", Names: []string{"p"}, Time: 60}, game.RankOrigin{ID: number(2)}, func(game.RankAnswer) {})
	var away interface{ Away() bool }
	testenv.Eventually(t, "the finish waits for the remote", func() bool { return errors.As(s.Err(), &away) && away.Away() })
	testenv.Check(t, s.Undelivered() == 1, "%d entries wait", s.Undelivered())
	testenv.NoError(t, s.Close())
	testenv.Check(t, said == 1, "said %d times that the remote is away", said)
}

// TestDeliversWhatOthersAppend imports into the file of a running server. The server delivers the
// entries without any request.
func TestDeliversWhatOthersAppend(t *testing.T) {
	t.Parallel()
	path, store := filepath.Join(t.TempDir(), "file"), t.TempDir()
	s := OpenShared(Config{Path: path}, folderStore(store))
	j := Open(Config{Path: path})
	for n := 1; n <= 2; n++ {
		added, err := j.Add([]Entry{{ID: number(n), Kind: Finish, Map: "m", Names: []string{"ann"}, Time: 1000}})
		testenv.Require(t, err == nil && added == 1, "%d, %v", added, err)
		testenv.Eventually(t, "it is in the store", func() bool { return len(testenv.Must(os.ReadDir(store))) == n && s.Undelivered() == 0 })
	}
	testenv.NoError(t, j.Close())
	testenv.NoError(t, s.Close())
}

// silentStore is a remote that may not answer.
type silentStore struct {
	unsureStore
	silent atomic.Bool
}

func (s *silentStore) Ping(context.Context) error {
	if s.silent.Load() {
		return errAway
	}
	return nil
}

// TestPing checks that a remote that is away is known before a player finishes, and so is its
// return.
func TestPing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		store := new(silentStore)
		store.silent.Store(true)
		s := OpenShared(Config{Path: path}, store)
		var away interface{ Away() bool }
		for _, silent := range []bool{true, false, true} {
			store.silent.Store(silent)
			time.Sleep(2 * pingInterval)
			testenv.Check(t, errors.As(s.Err(), &away) == silent, "silent %v: %v", silent, s.Err())
		}
		testenv.NoError(t, s.Close())
	})
}
