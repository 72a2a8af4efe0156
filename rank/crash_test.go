package rank

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// rounds returns how often a loop runs: all with TEEYARD_FULL=1, otherwise some.
func rounds(all, some int) int {
	if os.Getenv("TEEYARD_FULL") == "1" {
		return all
	}
	return some
}

var errCrash, errDisk, errAway = errors.New("the process is gone"), errors.New("no space left"), errors.New("the store is away")

// faultyStore is a Remote that records the IDs it received. The store fails after some entries, or
// stores all entries and then reports a failure.
type faultyStore struct {
	has   map[ID]bool
	after int // number of entries until it fails, negative for never
}

func (*faultyStore) Name() string               { return "store" }
func (*faultyStore) Ping(context.Context) error { return nil }
func (*faultyStore) Answer(context.Context, *game.RankRequest, game.RankOrigin) (game.RankAnswer, error) {
	return game.RankAnswer{}, errAway
}

func (s *faultyStore) Deliver(_ context.Context, entries []Entry) error {
	for i := range entries {
		if s.after == i {
			return errAway
		}
		s.has[entries[i].ID] = true
	}
	if s.after >= 0 {
		return errAway // the caller does not learn that all was stored
	}
	return nil
}

// world is two servers that share a folder and a store. Faults occur at any step.
type world struct {
	t        *testing.T
	rand     *rand.Rand
	path     string
	servers  [2]*tester
	store    faultyStore
	waiting  [2][]int     // unanswered finishes, which a server repeats after a crash
	answered map[int]bool // finishes that must not be lost
	last     int
	faults   map[string]int
}

func (w *world) start(i int) {
	w.servers[i] = open(w.t, w.path)
	w.servers[i].undelivered.remote = w.store.Name()
	w.servers[i].exchange(nil) // as the goroutine does at its start
}

// fail prepares a fault for the next write of a server.
func (w *world) fail(j *tester) (name string) {
	name = []string{"none", "none", "crash in a write", "crash before the sync", "crash after the sync", "full disk", "failed sync"}[w.rand.Intn(7)]
	j.file.WriteAt, j.file.Sync = (*os.File).WriteAt, (*os.File).Sync
	switch name {
	case "crash in a write", "full disk":
		j.file.WriteAt = func(f *os.File, b []byte, at int64) (int, error) {
			n := w.rand.Intn(len(b) + 1)
			f.WriteAt(b[:n], at)
			if name == "full disk" {
				return n, errDisk
			}
			panic(errCrash)
		}
	case "crash before the sync":
		j.file.Sync = func(*os.File) error { panic(errCrash) }
	case "crash after the sync":
		j.file.Sync = func(f *os.File) error {
			f.Sync()
			panic(errCrash)
		}
	case "failed sync":
		j.file.Sync = func(*os.File) error { return errDisk }
	}
	return name
}

// do runs jobs on a server. If the server crashes, do starts it again and repeats the unanswered
// jobs.
func (w *world) do(i int, jobs []job) {
	j := w.servers[i]
	name := w.fail(j)
	crashed := func() (crashed bool) {
		defer func() {
			if p := recover(); p == errCrash {
				crashed = true
			} else if p != nil {
				panic(p)
			}
		}()
		j.err = j.exchange(jobs)
		return false
	}()
	if crashed || j.err != nil {
		w.faults[name]++
	}
	j.file.WriteAt, j.file.Sync = (*os.File).WriteAt, (*os.File).Sync
	if crashed {
		if w.rand.Intn(3) == 0 { // an incomplete last record
			w.faults["torn line"]++
			f := testenv.Must(os.OpenFile(w.path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600))
			if info := testenv.Must(f.Stat()); info.Size() > int64(len(magic)) {
				f.Write([]byte{90, 0, 0, 0, 1, 2}[:1+w.rand.Intn(6)])
			}
			f.Close()
		}
		w.start(i)
		for n := range w.answered {
			_, there := w.servers[i].index.ids[number(n)]
			testenv.Require(w.t, there, "finish %d was answered, and is lost after: %s", n, name)
		}
		w.ask(i, w.waiting[i]...)
	}
}

// ask submits finishes to a server.
func (w *world) ask(i int, finishes ...int) {
	var jobs []job
	for _, n := range finishes {
		r := finishOf(fmt.Sprint("p", n%5), int32(1000+n))
		jobs = append(jobs, job{request: &r, origin: game.RankOrigin{ID: number(n)}, answer: func(a game.RankAnswer) {
			if a.Err == "" {
				w.answered[n] = true
				w.waiting[i] = deleted(w.waiting[i], n)
			}
		}})
	}
	w.do(i, jobs)
}

func deleted(list []int, n int) (rest []int) {
	for _, m := range list {
		if m != n {
			rest = append(rest, m)
		}
	}
	return rest
}

// deliver lets a server deliver a batch, as Shared does.
func (w *world) deliver(i int, after int) {
	batch := w.servers[i].undelivered.first(1 + w.rand.Intn(5))
	if len(batch) == 0 {
		return
	}
	w.store.after = after
	if w.store.Deliver(context.Background(), batch) != nil {
		w.faults["store cut off"]++
		if w.rand.Intn(4) == 0 { // the server crashes
			w.faults["crash in a delivery"]++
			w.start(i)
			w.ask(i, w.waiting[i]...)
		}
		return
	}
	w.do(i, []job{{entries: []Entry{deliveredTo(w.store.Name(), batch)}, added: func(int, error) {}}})
}

// TestNeverLostOrDoubled lets two servers share a folder and deliver finishes to a store. Processes
// crash at each step, the disk gets full, records are torn and the store is cut off. An answered
// finish is never lost. In the end the file and the store contain each finish once.
func TestNeverLostOrDoubled(t *testing.T) {
	faults, finishes := map[string]int{}, 0
	for seed := range rounds(200, 10) {
		w := &world{t: t, rand: rand.New(rand.NewSource(int64(seed))), path: filepath.Join(t.TempDir(), "file"),
			store: faultyStore{has: map[ID]bool{}, after: -1}, answered: map[int]bool{}, faults: faults}
		w.start(0)
		w.start(1)
		for range 80 {
			i := w.rand.Intn(2)
			switch w.rand.Intn(3) {
			case 0, 1:
				w.last++
				w.waiting[i] = append(w.waiting[i], w.last)
				w.ask(i, w.last)
			default:
				w.deliver(i, w.rand.Intn(8)-4)
			}
		}
		for i, j := range w.servers {
			j.file.WriteAt, j.file.Sync = (*os.File).WriteAt, (*os.File).Sync
			testenv.NoError(t, j.exchange(nil))
			testenv.Require(t, len(w.waiting[i]) == 0, "server %d: no answer to %v", i, w.waiting[i])
		}
		last := open(t, w.path)
		last.undelivered.remote = w.store.Name()
		testenv.NoError(t, last.exchange(nil))
		w.store.after = -1
		testenv.NoError(t, w.store.Deliver(context.Background(), last.undelivered.first(1000)))
		written := map[ID]int{}
		testenv.NoError(t, Read(w.path, func(e *Entry) {
			if e.Kind == Finish {
				written[e.ID]++
			}
		}))
		rows := len(last.index.course("m").finishes)
		testenv.Require(t, rows == w.last && len(w.answered) == w.last && len(w.store.has) == w.last,
			"seed %d: of %d finishes %d are in the file, %d answered, %d in the store",
			seed, w.last, rows, len(w.answered), len(w.store.has))
		for n := 1; n <= w.last; n++ {
			testenv.Require(t, written[number(n)] == 1, "seed %d: finish %d is in the file %d times", seed, n, written[number(n)])
		}
		finishes += w.last
	}
	t.Logf("%d finishes, faults: %v", finishes, faults)
}

// TestMain runs the process that TestKilledProcesses kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("RANK_TEST_FILE"); path != "" {
		keepFinishes(path, testenv.Must(strconv.Atoi(os.Getenv("RANK_TEST_FIRST"))))
		return
	}
	testenv.AtOnce(4)
	os.Exit(m.Run())
}

// folderStore is a Remote that creates a file for each finish.
type folderStore string

func (folderStore) Name() string               { return "folder" }
func (folderStore) Ping(context.Context) error { return nil }
func (folderStore) Answer(context.Context, *game.RankRequest, game.RankOrigin) (game.RankAnswer, error) {
	return game.RankAnswer{}, errAway
}

func (dir folderStore) Deliver(_ context.Context, entries []Entry) error {
	for i := range entries {
		f, err := os.OpenFile(filepath.Join(string(dir), fmt.Sprintf("%x", entries[i].ID)), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// keepFinishes submits finishes until the process is killed, and prints the number of each answered
// one.
func keepFinishes(path string, first int) {
	s := OpenShared(Config{Path: path}, folderStore(filepath.Join(filepath.Dir(path), "store")))
	for n := first; ; n++ {
		r := finishOf(fmt.Sprint("p", n%5), int32(1000+n%1000))
		answer := make(chan game.RankAnswer, 1)
		s.Submit(&r, game.RankOrigin{ID: number(n)}, func(a game.RankAnswer) { answer <- a })
		if a := <-answer; a.Err != "" {
			fmt.Println(a.Err)
			return
		}
		fmt.Println(n)
	}
}

// TestKilledProcesses kills two servers that share a folder while they store finishes. Each
// answered finish is in the file once and arrives in the store.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	store := filepath.Join(filepath.Dir(path), "store")
	testenv.NoError(t, os.Mkdir(store, 0o700))
	answered := map[ID]bool{}
	for round := range rounds(20, 2) {
		done := make(chan []string, 2)
		for i := range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "RANK_TEST_FILE="+path, fmt.Sprint("RANK_TEST_FIRST=", 1_000_000*(2*round+i)+1))
			out := testenv.Must(cmd.StdoutPipe())
			testenv.NoError(t, cmd.Start())
			most := 5 + (7*round+11*i)%40
			go func() {
				var lines []string
				for s := bufio.NewScanner(out); s.Scan(); {
					if lines = append(lines, s.Text()); len(lines) == most {
						cmd.Process.Kill()
					}
				}
				cmd.Wait()
				done <- lines
			}()
		}
		for range 2 {
			for _, line := range <-done {
				n, err := strconv.Atoi(strings.TrimSpace(line))
				testenv.Require(t, err == nil, "%q", line)
				answered[number(n)] = true
			}
		}
	}
	s := OpenShared(Config{Path: path}, folderStore(store))
	written := map[ID]int{}
	testenv.NoError(t, Read(path, func(e *Entry) {
		if e.Kind == Finish {
			written[e.ID]++
		}
	}))
	lost := 0
	for id := range answered {
		if written[id] == 0 {
			lost++
		}
	}
	for id, n := range written {
		testenv.Check(t, n == 1, "%x is in the file %d times", id, n)
	}
	testenv.Check(t, len(answered) > 0 && lost == 0, "%d of %d are lost", lost, len(answered))
	testenv.Eventually(t, "all are in the store", func() bool {
		names, err := os.ReadDir(store)
		return err == nil && len(names) == len(written)
	})
	testenv.NoError(t, s.Close())
	t.Logf("%d finishes answered, %d in the file", len(answered), len(written))
}
