package rank

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
	"github.com/teeyard/teeyard/internal/testenv"
)

const now = 1_800_000_000

// tester runs requests on a journal without its goroutine.
type tester struct {
	*Journal
	t   *testing.T
	err error
}

func open(t *testing.T, path string) *tester {
	return &tester{newJournal(Config{Path: path, Now: func() time.Time { return time.Unix(now, 0) }}), t, nil}
}

// ask submits requests together, the first with the given ID, and returns the answers so far.
func (j *tester) ask(id int, requests ...game.RankRequest) []game.RankAnswer {
	j.t.Helper()
	var answers []game.RankAnswer
	var queue []job
	for i := range requests {
		queue = append(queue, job{request: &requests[i], origin: game.RankOrigin{ID: number(id + i), Server: "GER", GameID: "g", Log: "log"},
			answer: func(a game.RankAnswer) { answers = append(answers, a) }})
	}
	j.err = j.exchange(queue)
	return answers
}

// one submits a request that must succeed.
func (j *tester) one(id int, r game.RankRequest) game.RankAnswer {
	j.t.Helper()
	a := j.ask(id, r)
	testenv.Require(j.t, len(a) == 1 && a[0].Err == "" && j.err == nil, "%+v, %v", a, j.err)
	return a[0]
}

func number(n int) (id ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

func finishOf(name string, ms int32) game.RankRequest {
	return game.RankRequest{Op: game.RankFinish, Map: "m", Names: []string{name}, Time: ms, Checkpoints: []int32{0, 500}, Begin: 100, End: 100 + ms/20}
}

// times returns all times in the order in which they were stored.
func (j *tester) times() string {
	j.t.Helper()
	var list []string
	for from := int32(-1); ; from -= rows {
		a := j.one(0, game.RankRequest{Op: game.RankTimes, Map: "m", From: from})
		if len(a.Rows) == 0 {
			return strings.Join(list, ", ")
		}
		for _, r := range a.Rows {
			list = append(list, fmt.Sprint(r.Names[0], " ", r.Time))
		}
	}
}

// TestCrashes ends the server at each byte that it writes, and after the last. The next server
// repeats the unanswered requests, after which each result is stored once.
func TestCrashes(t *testing.T) {
	dir := t.TempDir()
	requests := []game.RankRequest{finishOf("ann", 2000), finishOf("ben", 1980),
		{Op: game.RankSave, Map: "m", Code: "c", Text: "state", Names: []string{"ann"}}}
	crash := errors.New("the process is gone")
	for cut := 0; ; cut++ {
		path := filepath.Join(dir, fmt.Sprint(cut))
		j := open(t, path)
		j.one(1, finishOf("cid", 3000))
		whole := false
		j.file.WriteAt = func(f *os.File, b []byte, at int64) (int, error) {
			whole = cut > len(b)
			n, _ := f.WriteAt(b[:min(cut, len(b))], at)
			if whole {
				return n, nil
			}
			panic(crash)
		}
		func() {
			defer func() {
				if p := recover(); p != nil && p != crash {
					panic(p)
				}
			}()
			j.ask(2, requests...)
		}()
		j = open(t, path)
		a := j.ask(2, requests...)
		testenv.Require(t, len(a) == 3 && a[0].Err == "" && a[2].Found && j.err == nil, "after a crash at byte %d: %+v, %v", cut, a, j.err)
		j = open(t, path)
		got := j.times()
		testenv.Check(t, got == "ann 2000, ben 1980, cid 3000", "after a crash at byte %d: %s", cut, got)
		if whole {
			return
		}
	}
}

// TestADiskThatFails lets writing and syncing fail in every way. Results count meanwhile and are
// written once in the end.
func TestADiskThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	j := open(t, path)
	j.one(1, finishOf("ann", 2000))
	full := errors.New("no space left")
	for part := 0; part < 300; part += 7 {
		j.file.WriteAt = func(f *os.File, b []byte, at int64) (int, error) {
			f.WriteAt(b[:min(part, len(b))], at)
			return 0, full
		}
		a := j.ask(100+part, finishOf(fmt.Sprint("p", part), int32(3000+part)), game.RankRequest{Op: game.RankOf, Map: "m", Name: fmt.Sprint("p", part)})
		testenv.Require(t, len(a) == 1 && a[0].Found && a[0].Own.Time == int32(3000+part) && errors.Is(j.err, full) &&
			errors.Is(j.err, ErrNotStored), "answers before it is on the disk: %+v, %v", a, j.err)
	}
	j.file.WriteAt = (*os.File).WriteAt
	j.file.Sync = func(*os.File) error { return full }
	testenv.Check(t, len(j.ask(0)) == 0 && errors.Is(j.err, full) && len(j.pending) == 43, "%d wait, %v", len(j.pending), j.err)
	open(t, path).one(2, finishOf("ben", 1000)) // another server continues with the file as it is
	j.file.Sync = (*os.File).Sync
	j.ask(0)
	testenv.Check(t, j.err == nil && len(j.pending) == 0, "%d wait, %v", len(j.pending), j.err)
	want := j.times()
	testenv.Check(t, strings.Count(want, ",") == 44 && strings.Contains(want, "ben 1000") && want == open(t, path).times(), "%s", want)

	// A folder that cannot be written to.
	j = open(t, filepath.Join(path, "no folder"))
	a := j.ask(1, finishOf("ann", 2000), game.RankRequest{Op: game.RankTop, Map: "m"})
	testenv.Check(t, len(a) == 1 && len(a[0].Rows) == 1 && errors.Is(j.err, ErrNotStored), "%+v, %v", a, j.err)
	many := make([]game.RankRequest, maxPending+10)
	for i := range many {
		many[i] = finishOf("ann", int32(5000+i))
	}
	testenv.Check(t, len(j.ask(10, many...)) == 11, "of those that do not fit, others were refused")
}

func TestTwoServersShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	a, b := open(t, path), open(t, path)
	a.one(1, finishOf("ann", 2000))
	b.one(2, finishOf("ben", 1000))
	a.one(3, finishOf("cid", 3000))
	testenv.Check(t, a.times() == "ann 2000, ben 1000, cid 3000" && b.times() == a.times(), "%s and %s", a.times(), b.times())
}

func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	j := open(t, path)
	for i := range 5 {
		j.one(i+1, finishOf(fmt.Sprint("p", i), 1000))
	}
	whole := testenv.Must(os.ReadFile(path))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2]++
	testenv.NoError(t, os.WriteFile(path, damaged, 0o600))
	read := 0
	err := Read(path, func(*Entry) { read++ })
	testenv.Check(t, errors.Is(err, ErrDamaged) && read > 0, "%d entries are read, and %v is said", read, err)
	j = open(t, path)
	said := ""
	j.file.Report = func(text string) { said += text }
	j.one(9, finishOf("new", 2000))
	testenv.Check(t, strings.Contains(said, "was damaged in"), "said %q", said)
	testenv.Check(t, bytes.Equal(testenv.Must(os.ReadFile(path+".damaged")), damaged), "the damaged file was not kept")
	testenv.Check(t, open(t, path).times() == "new 2000, p0 1000, p1 1000, p3 1000, p4 1000", "%s", open(t, path).times())

	other := filepath.Join(dir, "other")
	testenv.NoError(t, os.WriteFile(other, []byte("autoexec.cfg"), 0o600))
	j = open(t, other)
	a := j.ask(1, finishOf("ann", 1000))
	testenv.Check(t, len(a) == 0 && errors.Is(j.err, ErrFile) && string(testenv.Must(os.ReadFile(other))) == "autoexec.cfg", "%+v, %v", a, j.err)
}

// TestCutOffFiles cuts off the end of the file, and appends zeros as a failing disk may do. The
// journal reports the bytes of the incomplete record, keeps them, and continues after the last
// complete record.
func TestCutOffFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	said := ""
	reported := func() *tester {
		j := open(t, path)
		j.file.Report = func(text string) { said += text + "\n" }
		return j
	}
	j := reported()
	for i := range 5 {
		j.one(i+1, finishOf(fmt.Sprint("p", i), 1000))
	}
	whole := testenv.Must(os.ReadFile(path))
	record := (len(whole) - len(magic)) / 5
	testenv.NoError(t, os.Truncate(path, int64(len(whole)-10)))
	testenv.NoError(t, j.exchange(nil)) // of the running server
	want := fmt.Sprintf("%s has become 10 bytes shorter; the removed records no longer count\nthe last "+
		"%d bytes of %[1]s are an incomplete record, for example after a crash; they were moved to %[1]s.tail\n", path, record-10)
	testenv.Check(t, said == want, "said %q, want %q", said, want)
	cut := whole[len(whole)-record : len(whole)-10]
	testenv.Check(t, bytes.Equal(testenv.Must(os.ReadFile(path+".tail")), cut), "the tail was not kept")

	zeros := make([]byte, 2*record)
	testenv.NoError(t, os.WriteFile(path, append(whole[:len(whole)-2*record:len(whole)-2*record], zeros...), 0o600))
	said = ""
	j = reported()
	testenv.NoError(t, j.exchange(nil)) // at the start, before the first finish
	testenv.Check(t, strings.HasPrefix(said, fmt.Sprint("the last ", 2*record, " bytes of ")), "said %q", said)
	testenv.Check(t, bytes.Equal(testenv.Must(os.ReadFile(path+".tail")), append(bytes.Clone(cut), zeros...)), "the second tail is not behind the first")
	said = ""
	j.one(9, finishOf("new", 2000))
	testenv.Check(t, said == "" && open(t, path).times() == "new 2000, p0 1000, p1 1000, p2 1000", "said %q, %s", said, open(t, path).times())

	// Bytes that cannot be copied are not dropped. Finishes wait.
	testenv.NoError(t, os.WriteFile(path, append(testenv.Must(os.ReadFile(path)), "rest"...), 0o600))
	testenv.NoError(t, os.Remove(path+".tail"))
	testenv.NoError(t, os.Mkdir(path+".tail", 0o700))
	j = reported()
	a := j.ask(10, finishOf("waits", 3000))
	testenv.Check(t, len(a) == 0 && errors.Is(j.err, ErrNotStored) && bytes.HasSuffix(testenv.Must(os.ReadFile(path)), []byte("rest")), "%+v, %v", a, j.err)
	testenv.NoError(t, os.Remove(path+".tail"))
	testenv.NoError(t, j.exchange(nil))
	testenv.Check(t, string(testenv.Must(os.ReadFile(path+".tail"))) == "rest" &&
		strings.Contains(open(t, path).times(), "waits 3000"), "%s", open(t, path).times())
}

// TestSavesAreLoadedOnce checks that only one of several servers can load a save, and that it gets
// the save again when it repeats the request.
func TestSavesAreLoadedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	a, b := open(t, path), open(t, path)
	save := game.RankRequest{Op: game.RankSave, Map: "m", Code: "c", Text: "state", Names: []string{"ann", "ben"}}
	kept := a.one(1, save)
	testenv.Check(t, kept.Found && !b.one(2, save).Found && b.one(1, save).Found, "the code was taken twice")
	saves := b.one(0, game.RankRequest{Op: game.RankSaves, Map: "m", Name: "ben"})
	testenv.Check(t, saves.Count == 1 && saves.Save.Age == 0, "%+v", saves)
	saved := b.one(0, game.RankRequest{Op: game.RankSaved, Map: "m", Code: "c"})
	testenv.Require(t, saved.Found && saved.Save.Text == "state" && saved.Save.ID == kept.Save.ID, "%+v", saved)
	load := game.RankRequest{Op: game.RankLoad, Map: "m", Code: "c", SaveID: saved.Save.ID}
	wrong := load
	wrong.SaveID = "another"
	testenv.Check(t, !b.one(3, wrong).Found, "another save was loaded")
	got := a.one(4, load)
	testenv.Check(t, got.Found && got.Save.Text == "state" && !b.one(5, load).Found &&
		!a.one(0, game.RankRequest{Op: game.RankSaved, Map: "m", Code: "c"}).Found, "loaded twice: %+v", got)
	again := open(t, path).one(4, load)
	testenv.Check(t, again.Found && again.Save.Text == "state", "who asks again after a crash: %+v", again)
	testenv.Check(t, a.one(6, save).Found, "the code is free again")
}

// TestGoroutine uses a journal as a server does, across a restart.
func TestGoroutine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for i := range 2 {
		j := Open(Config{Path: path})
		answers := make(chan game.RankAnswer, 3)
		request := func(id int, r game.RankRequest) {
			j.Submit(&r, game.RankOrigin{ID: number(id)}, func(a game.RankAnswer) { answers <- a })
		}
		request(1+i, finishOf("ann", 2000))
		<-answers
		request(0, game.RankRequest{Op: game.RankTimes, Map: "m"})
		a := <-answers
		testenv.Check(t, len(a.Rows) == 1+2*i, "%+v", a)
		n, err := j.Add([]Entry{{ID: number(50), Kind: SetMap, Map: "m", Points: 3}, {ID: number(51), Kind: SetPoints, Names: []string{"ben"}, Points: 7}})
		testenv.Check(t, n == 2-2*i && err == nil, "%d added, %v", n, err)
		request(10+i, finishOf(fmt.Sprint("new", i), 5))
		testenv.NoError(t, j.Close())
		<-j.queue.Done()
		a = <-answers
		testenv.Check(t, a.Err == "" && a.Points == 3, "%+v", a)
		request(1, finishOf("cid", 1))
		testenv.Check(t, (<-answers).Err != "", "stored after the end")
	}
}

// FuzzEntry parses arbitrary bodies of records. A parsed entry can be written and read again.
func FuzzEntry(f *testing.F) {
	body := func(e Entry) []byte { return e.append(nil)[len(recordfile.Begin(nil)):] }
	f.Add(body(Entry{ID: number(1), Kind: Finish, Map: "m", Names: []string{"a", "b"}, Team: true, Time: 1, Checkpoints: []int32{0, 5}, When: now}))
	f.Add(body(Entry{Kind: Save, Map: "m", Code: "c", Text: "t", Server: "GER"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e, again Entry
		ok := false
		n := testenv.Allocated(func() { ok = e.parse(b) })
		testenv.Require(t, n <= uint64(1<<16+20*len(b)), "%d bytes allocated for an input of %d", n, len(b))
		if !ok {
			return
		}
		testenv.Require(t, len(body(e)) <= maxEntry && again.parse(body(e)), "an entry that cannot be read again: %+v", e)
		e.Checkpoints, again.Checkpoints = nil, nil
		testenv.Require(t, cmp.Equal(e, again), "%+v and %+v", e, again)
		x := newIndex(func() int64 { return now })
		x.apply(&e)
		for op := game.RankFinish; op <= game.RankSaves; op++ {
			for _, from := range []int32{-1 << 31, -1, 0, 1, 1<<31 - 1} {
				x.answer(&game.RankRequest{Op: op, Map: e.Map, Name: "a", From: from}, "GER", new(game.RankAnswer))
			}
		}
	})
}

// TestACommandFails adds more entries than fit on the disk. Add returns an error and how many were
// added, and the file contains exactly these.
func TestACommandFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	entries := make([]Entry, 100)
	for i := range entries {
		entries[i] = Entry{ID: number(i + 1), Kind: Finish, Map: "m", Names: []string{"ann"}, Time: int32(1000 + i)}
	}
	room := int64(3)
	full := func(f *os.File, b []byte, at int64) (int, error) {
		n, _ := f.WriteAt(b[:min(int64(len(b)), max(room-at, 0))], at)
		if n < len(b) {
			return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
		}
		return n, nil
	}
	command := func(fails bool) *Journal {
		j := newJournal(Config{Path: path, NoRetry: true})
		if fails {
			j.file.WriteAt = full
		}
		return start(j)
	}
	for _, first := range []int{0, 30} {
		j := command(true)
		n, err := j.Add(entries[:first])
		testenv.Require(t, n == first && err == nil, "%d, %v", n, err)
		n, err = j.Add(entries)
		testenv.Check(t, n == 0 && errors.Is(err, syscall.ENOSPC) && errors.Is(err, ErrNotStored) && len(err.Error()) < 500, "%d were added, %v", n, err)
		testenv.NoError(t, j.Close())
		read := 0
		testenv.NoError(t, Read(path, func(*Entry) { read++ }))
		testenv.Check(t, read == first, "%d of %d are in the file", read, first)
		room = 2500 // all entries together take 5000 bytes
	}
	j := command(false)
	n, err := j.Add(entries)
	testenv.Check(t, n == 70 && err == nil, "there is room again: %d, %v", n, err)
	testenv.NoError(t, j.Close())

	// The file has another format or cannot be locked.
	other := filepath.Join(t.TempDir(), "other")
	testenv.NoError(t, os.WriteFile(other, []byte("autoexec.cfg"), 0o600))
	for _, path = range []string{other, filepath.Join(other, "no folder")} {
		j := command(false)
		n, err := j.Add(entries)
		testenv.Check(t, n == 0 && errors.Is(err, ErrNotStored), "%s: %d, %v", path, n, err)
		j.Close()
	}
}
