package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tester runs requests on a journal without its goroutine.
type tester struct {
	*Journal
	t       *testing.T
	answers []game.StoreAnswer
	err     error
}

func open(t *testing.T, path string) *tester { return &tester{newJournal(path), t, nil, nil} }

// ask submits requests together and returns the answers so far.
func (j *tester) ask(requests ...game.StoreRequest) []game.StoreAnswer {
	j.t.Helper()
	j.answers = nil
	var queue []job
	for i, r := range requests {
		r.ID = int32(i + 1)
		queue = append(queue, job{r, func(a game.StoreAnswer) { j.answers = append(j.answers, a) }})
	}
	j.err = j.exchange(queue)
	return j.answers
}

// does submits requests that must succeed.
func (j *tester) does(requests ...game.StoreRequest) {
	j.t.Helper()
	for _, a := range j.ask(requests...) {
		testenv.Check(j.t, a.Err == "", "%+v", a)
	}
	testenv.Check(j.t, len(j.answers) == len(requests) && j.err == nil, "%d answers to %d requests: %v", len(j.answers), len(requests), j.err)
}

func put(key, value string) game.StoreRequest {
	return game.StoreRequest{Op: game.StorePut, Space: "s", Key: key, Value: value}
}
func best(row string, score int64) game.StoreRequest {
	return game.StoreRequest{Op: game.StoreBest, Space: "s", Key: "times",
		Row: game.Row{Name: row, Score: score, Value: "v" + fmt.Sprint(score)}, LowFirst: true}
}
func add(row string, n int64) game.StoreRequest {
	return game.StoreRequest{Op: game.StoreAdd, Space: "s", Key: "points", Row: game.Row{Name: row, Score: n}}
}

func (j *tester) wantValue(key, want string) {
	j.t.Helper()
	j.does(game.StoreRequest{Op: game.StoreGet, Space: "s", Key: key})
	a := j.answers[0]
	testenv.Check(j.t, a.Value == want && a.Found == (want != ""), "%s is %q, want %q", key, a.Value, want)
}

func (j *tester) wantTop(table string, low bool, want string) {
	j.t.Helper()
	j.does(game.StoreRequest{Op: game.StoreTop, Space: "s", Key: table, LowFirst: low, Limit: 3})
	var got []string
	for _, r := range j.answers[0].Rows {
		got = append(got, fmt.Sprint(r.Name, " ", r.Score, r.Value))
	}
	testenv.Check(j.t, strings.Join(got, ", ") == want, "%s: %q, want %q", table, got, want)
}

func TestWhatIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	j := open(t, path)
	j.wantValue("k", "")
	_, err := os.Stat(path)
	testenv.Check(t, errors.Is(err, os.ErrNotExist), "a question made the file: %v", err)
	j.does(put("k", "one"), put("k", "two"), put("gone", "x"), put("gone", ""),
		best("ann", 500), best("ben", 300), best("ann", 400), best("ben", 310), best("cid", 300), best("dan", 1),
		game.StoreRequest{Op: game.StoreDrop, Space: "s", Key: "times", Row: game.Row{Name: "dan"}},
		add("ann", 2), add("ben", 5), add("ann", 4), game.StoreRequest{Op: game.StorePut, Space: "other", Key: "k", Value: "theirs"})
	for range 2 {
		j.wantValue("k", "two")
		j.wantValue("gone", "")
		j.wantTop("times", true, "ben 300v300, cid 300v300, ann 400v400")
		j.wantTop("points", false, "ann 6, ben 5")
		j.does(game.StoreRequest{Op: game.StoreRow, Space: "s", Key: "points", Row: game.Row{Name: "ben"}},
			game.StoreRequest{Op: game.StoreRow, Space: "s", Key: "points", Row: game.Row{Name: "eve"}})
		testenv.Check(t, j.answers[0].Found && j.answers[0].Rows[0].Score == 5 && !j.answers[1].Found, "%+v", j.answers)
		j = open(t, path) // after a restart
	}
}

func TestTwoServersShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	a, b := open(t, path), open(t, path)
	a.does(put("k", "a"), add("ann", 1))
	b.does(add("ann", 10))
	b.wantValue("k", "a")
	a.does(add("ann", 100))
	a.wantTop("points", false, "ann 111")
	a.file.Reload, a.file.Damaged = true, 0
	a.does(put("k", "aa")) // reads the whole file again
	b.wantTop("points", false, "ann 111")
	testenv.NoError(t, b.file.Replace(b.tables.appendAll(nil)))
	a.does(put("k", "aaa")) // of a new file
	b.wantValue("k", "aaa")
	a.wantTop("points", false, "ann 111")
}

func TestTornAndDamagedFiles(t *testing.T) {
	whole := newTables()
	b := []byte(magic)
	var ends []int
	for i := range 20 {
		r := record{writer: 7, number: uint64(i + 1), op: opAdd, space: "s", key: "points", row: fmt.Sprint("p", i%3), score: 1, value: "value"}
		whole.apply(&r)
		b = r.append(b)
		ends = append(ends, len(b))
	}
	dir := t.TempDir()
	for cut := range len(b) {
		if cut%17 != 0 && cut > len(magic) {
			continue
		}
		for _, rest := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
			if cut < len(magic) && rest != "" {
				continue
			}
			path := filepath.Join(dir, fmt.Sprint(cut, len(rest)))
			testenv.NoError(t, os.WriteFile(path, append(bytes.Clone(b[:cut]), rest...), 0o600))
			j := open(t, path)
			said := ""
			j.file.Report = func(text string) { said += text }
			j.does(put("k", "new"))
			tail, _ := os.ReadFile(path + ".tail")
			good := len(magic)
			for _, e := range ends {
				if e <= cut {
					good = e
				}
			}
			testenv.Check(t, rest != "" || len(tail) == max(cut-good, 0), "cut at %d: %d bytes kept", cut, len(tail))
			testenv.Check(t, len(tail) == 0 && said == "" || strings.HasPrefix(said, fmt.Sprintf("the last %d bytes of ", len(tail))) &&
				bytes.HasSuffix(append(bytes.Clone(b[:cut]), rest...), tail),
				"cut at %d: said %q, kept %d bytes", cut, said, len(tail))
			j = open(t, path)
			j.wantValue("k", "new")
			n := int64(0)
			for _, r := range j.tables.rows[name{"s", "points"}] {
				n += r.score
			}
			kept := int64(len(ends) - len(ends[slices.IndexFunc(ends, func(e int) bool { return e > cut }):]))
			// The last byte of a record is zero.
			testenv.Check(t, (n == kept || rest != "" && n == kept+1) && j.file.Damaged == 0, "cut at %d: %d of %d records", cut, n, kept)
		}
	}
	path := filepath.Join(dir, "damaged")
	damaged := bytes.Clone(b)
	damaged[ends[3]+20]++
	testenv.NoError(t, os.WriteFile(path, damaged, 0o600))
	j := open(t, path)
	said := ""
	j.file.Report = func(text string) { said += text }
	j.wantTop("points", false, "p0 7value, p2 6value, p1 6value")
	testenv.Check(t, strings.HasPrefix(said, path+" was damaged in "), "said %q before anything is changed", said)
	j.does(put("k", "new"))
	testenv.Check(t, bytes.Equal(testenv.Must(os.ReadFile(path+".damaged")), damaged), "the damaged file was not kept")
	j = open(t, path)
	j.wantTop("points", false, "p0 7value, p2 6value, p1 6value")
	testenv.Check(t, j.file.Damaged == 0, "the new file is damaged")

	other := filepath.Join(dir, "other")
	testenv.NoError(t, os.WriteFile(other, []byte("autoexec.cfg"), 0o600))
	j = open(t, other)
	a := j.ask(put("k", "v"), game.StoreRequest{Op: game.StoreGet, Space: "s", Key: "k"})
	testenv.Check(t, len(a) == 2 && strings.Contains(a[0].Err, "not a storage file") && errors.Is(j.err, ErrFile), "%+v, %v", a, j.err)
	testenv.Check(t, string(testenv.Must(os.ReadFile(other))) == "autoexec.cfg", "a file of another program was changed")
}

func TestADiskThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	j := open(t, path)
	j.does(add("ann", 1))
	full := errors.New("no space left")
	part := 10
	j.file.WriteAt = func(f *os.File, b []byte, at int64) (int, error) {
		f.WriteAt(b[:min(part, len(b))], at)
		return 0, full
	}
	a := j.ask(add("ann", 10), game.StoreRequest{Op: game.StoreRow, Space: "s", Key: "points", Row: game.Row{Name: "ann"}})
	testenv.Check(t, errors.Is(j.err, ErrNotStored) && errors.Is(j.err, full), "%v", j.err)
	testenv.Check(t, len(a) == 1 && a[0].Rows[0].Score == 11, "answers before it is on the disk: %+v", a)
	part = 1000 // all is written, but the write reports a failure
	j.ask()
	j.file.WriteAt = (*os.File).WriteAt
	unsynced := 0
	j.file.Sync = func(*os.File) error {
		unsynced++
		return full
	}
	testenv.Check(t, len(j.ask()) == 0 && unsynced == 1 && errors.Is(j.err, full), "not synced: %+v, %v", j.answers, j.err)
	testenv.Check(t, len(j.pending) == 1, "%d wait", len(j.pending))
	open(t, path).does(add("ben", 1)) // another server continues with the file as it is
	j.file.Sync = (*os.File).Sync
	stored := []game.StoreAnswer(nil)
	j.pending[0].job.answer = func(a game.StoreAnswer) { stored = append(stored, a) }
	j.ask()
	testenv.Check(t, j.err == nil && len(stored) == 1 && stored[0].Err == "", "%v, %+v", j.err, stored)
	j.wantTop("points", false, "ann 11, ben 1")
	open(t, path).wantTop("points", false, "ann 11, ben 1")

	j.file.WriteAt = func(*os.File, []byte, int64) (int, error) { return 0, full }
	refused := j.ask(slices.Repeat([]game.StoreRequest{put("k", "v")}, maxPending+10)...)
	testenv.Check(t, len(refused) == 10 && refused[0].Err != "" && len(j.pending) == maxPending, "%d refused, %d wait", len(refused), len(j.pending))
}

func TestTheFileStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	j := open(t, path)
	largest := int64(0)
	value := strings.Repeat("x", game.MaxStoreValue)
	for range 20 {
		var many []game.StoreRequest
		for range 50 {
			many = append(many, put("k", value))
		}
		j.does(many...)
		largest = max(largest, j.file.Offset)
	}
	testenv.Check(t, largest > compactAfter && largest < 2*compactAfter, "%d bytes", largest)
	j.does(add("ann", 1))
	j.file.Reload = true
	j.does(add("ann", 1))
	open(t, path).wantTop("points", false, "ann 2")
}

func TestTheStorageCanBeFull(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "file"))
	j.does(put("k", "v"))
	j.tables.bytes += maxBytes
	a := j.ask(put("k2", "v"), put("k", ""))
	testenv.Check(t, len(a) == 2 && a[0].Err == errFull.Error() && a[1].Err == "", "%+v", a)
}

// TestGoroutine uses a journal as a server does.
func TestGoroutine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for i := range 2 {
		j := New(path, nil)
		answers := make(chan game.StoreAnswer, 3)
		request := func(r game.StoreRequest) {
			j.Submit(&r, func(a game.StoreAnswer) { answers <- a })
		}
		request(add("ann", 1))
		request(game.StoreRequest{Op: game.StoreTop, Space: "s", Key: "points", Limit: 5})
		for range 2 {
			if a := <-answers; a.Op == game.StoreTop {
				testenv.Check(t, a.Rows[0].Score == int64(i+1), "%+v", a)
			}
		}
		request(add("ben", 1))
		j.Close()
		<-j.queue.Done() // on a slow disk, Close does not wait for it
		testenv.NoError(t, j.Err())
		testenv.Check(t, (<-answers).Err == "", "lost at the end")
		request(add("cid", 1))
		testenv.Check(t, (<-answers).Err != "", "stored after the end")
	}
}

// FuzzFile reads arbitrary files. A rewritten file contains the valid records.
func FuzzFile(f *testing.F) {
	var all []byte
	for _, r := range []record{
		{writer: 1, number: 1, op: opPut, space: "s", key: "k", value: "v"},
		{writer: 1, number: 2, op: opBest, space: "s", key: "t", row: "r", score: -5, lowFirst: true},
		{writer: 1, number: 3, op: opAdd, space: "s", key: "t", row: "r", score: 1 << 62, value: "v"},
		{writer: 2, number: 9, op: opDrop, space: "s", key: "t", row: "r"},
		{op: opRow, space: "s", key: "t", row: "r2"}, {op: opWriter, writer: 3, number: 4},
	} {
		all = r.append(all)
	}
	f.Add(all)
	f.Add(append([]byte{1, 2, 3}, all...))
	f.Add(all[:len(all)-3])
	f.Fuzz(func(t *testing.T, b []byte) {
		tables := newTables()
		var end, damaged int
		n := testenv.Allocated(func() { end, damaged = scan(b, tables) })
		testenv.Require(t, n <= uint64(1<<20+100*len(b)), "%d bytes allocated for an input of %d", n, len(b))
		testenv.Require(t, end <= len(b) && damaged >= 0 && damaged <= len(b) && tables.bytes >= 0, "end %d, damaged %d, bytes %d", end, damaged, tables.bytes)
		again := newTables()
		anew := tables.appendAll(nil)
		end, damaged = scan(anew, again)
		testenv.Require(t, end == len(anew) && damaged == 0, "the file made anew ends at %d of %d, %d damaged", end, len(anew), damaged)
		if diff := cmp.Diff(contents(tables), contents(again)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func scan(b []byte, into *tables) (end, damaged int) {
	e, d, err := recordfile.Scan(bytes.NewReader(b), int64(len(b)), maxRecord, into.applyRecord)
	if err != nil {
		panic(err)
	}
	return int(e), int(d)
}

// contents returns the content of tables without the order of changes.
func contents(t *tables) map[string]string {
	all := map[string]string{"bytes": fmt.Sprint(t.bytes)}
	for n, v := range t.values {
		all[fmt.Sprintf("value %q", n)] = v
	}
	for n, rows := range t.rows {
		for of, r := range rows {
			all[fmt.Sprintf("row %q %q", n, of)] = fmt.Sprint(r.score, r.value)
		}
		all[fmt.Sprintf("order %q", n)] = fmt.Sprint(t.sorted(n, func(x, y *row) int { return 0 }))
	}
	for id, w := range t.writers {
		all[fmt.Sprint("writer ", id)] = fmt.Sprint(w.number)
	}
	return all
}

// TestOtherThanFiles checks that only regular files are opened. Opening a pipe could block forever.
func TestOtherThanFiles(t *testing.T) {
	j := newJournal(t.TempDir())
	err := j.read()
	testenv.Check(t, errors.Is(err, ErrFile), "%v", err)
}
