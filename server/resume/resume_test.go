package resume_test

import (
	"bytes"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/resume"
)

// store is a Store in memory.
type store struct {
	content []byte // nil for nothing
	err     error  // of all methods
	stores  int
	hang    chan struct{} // closed when the disk answers again
}

func (s *store) Load(string) ([]byte, error) {
	if s.content == nil {
		return nil, fs.ErrNotExist
	}
	return s.content, s.err
}

func (s *store) Store(_ string, b []byte) error {
	if s.hang != nil {
		<-s.hang
	}
	if s.err == nil {
		s.content = bytes.Clone(b)
		s.stores++
	}
	return s.err
}

func (s *store) Remove(string) error {
	s.content = nil
	return s.err
}

// newKeeper returns the Keeper of a server that starts, and its warnings.
func newKeeper(s *store, background func(func())) (k *resume.Keeper, warnings *[]string) {
	warnings = new([]string)
	return resume.New(resume.Config{
		Store: s, Name: func() string { return "match" }, Background: background,
		Warn: func(text string) { *warnings = append(*warnings, text) },
	}), warnings
}

// newMatch returns a match that a server can continue.
func newMatch() *resume.Match {
	return &resume.Match{
		Time: time.Now().UnixMilli(), MapSHA256: "00ff", Key: make([]byte, resume.KeySize),
		Seats: []resume.Seat{{ID: 3, Name: "anna"}}, World: []byte("the world"),
	}
}

// TestMatchIsContinuedOnce checks that a match comes back as it was, and not a second time.
func TestMatchIsContinuedOnce(t *testing.T) {
	var s store
	k, _ := newKeeper(&s, later.Now)
	if _, err := k.Load(); !errors.Is(err, fs.ErrNotExist) || k.Kept() {
		t.Errorf("an empty store: %v, kept: %v", err, k.Kept())
	}
	want := newMatch()
	k.Keep(want)
	testenv.Check(t, k.Kept() && !k.Busy(), "the match is not kept")

	next, _ := newKeeper(&s, later.Now)
	got := testenv.Must(next.Load())
	want.Tried = true
	testenv.Check(t, reflect.DeepEqual(want, got), "kept %+v, loaded %+v", want, got)
	third, _ := newKeeper(&s, later.Now)
	if _, err := third.Load(); err == nil || err.Error() != "a server that resumed it ended too soon" || !third.Kept() {
		t.Errorf("the second time: %v", err)
	}
	third.Keep(nil)
	testenv.Check(t, s.content == nil && !third.Kept(), "the match is not removed")
}

// TestAge checks that a match of more than a minute ago or later is not continued.
func TestAge(t *testing.T) {
	for ms, want := range map[int64]string{-61_000: "it is 1m1s old", 100_000: "it is -1m40s old", -50_000: "<nil>"} {
		m := newMatch()
		m.Time += ms
		k, _ := newKeeper(&store{content: testenv.Must(m.Append(nil))}, later.Now)
		_, err := k.Load()
		got := "<nil>"
		if err != nil {
			got = err.Error()
		}
		testenv.Check(t, got == want, "%d ms: %s, want %s", ms, got, want)
	}
}

// TestDamagedMatch checks that a match with any bit flipped, or cut anywhere, is not continued.
func TestDamagedMatch(t *testing.T) {
	whole := testenv.Must(newMatch().Append(nil))
	testenv.Must(resume.Parse(whole))
	_, ofOlderProgram, _ := bytes.Cut(whole, []byte(" "))
	testenv.Must(resume.Parse(ofOlderProgram))
	for d := range testenv.Damaged(whole, 4000) {
		if _, err := resume.Parse(d.File); err == nil {
			t.Errorf("%v: it counts", d)
		}
	}
}

// TestFullDisk checks that a failure is reported once.
func TestFullDisk(t *testing.T) {
	s := store{err: errors.New("no space left")}
	k, warnings := newKeeper(&s, later.Now)
	for range 3 {
		k.Keep(newMatch())
	}
	k.Close()
	want := []string{"the match cannot be stored for the next start (sv_resume 0 turns this off): no space left"}
	testenv.Check(t, slices.Equal(*warnings, want), "the warnings are %q", *warnings)
}

// TestStuckDisk checks that one match waits for the disk, and that the loop does not.
func TestStuckDisk(t *testing.T) {
	s := store{hang: make(chan struct{})}
	k, _ := newKeeper(&s, later.Go)
	for range 5 {
		k.Keep(newMatch())
	}
	testenv.Check(t, k.Busy(), "the disk is not busy")
	close(s.hang)
	testenv.Eventually(t, "the match is stored", func() bool { return !k.Busy() })
	testenv.Check(t, s.stores == 1, "%d matches were stored", s.stores)
}
