//go:build unix

package ddnetdb

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
)

// TestMain runs the game servers that tests kill.
func TestMain(m *testing.M) {
	if path := os.Getenv("RANK_TEST_FILE"); path != "" {
		first, end := testenv.Must(strconv.Atoi(os.Getenv("RANK_TEST_FIRST"))), testenv.Must(strconv.Atoi(os.Getenv("RANK_TEST_END")))
		keepFinishes(path, os.Getenv("RANK_TEST_DATABASE"), first, end)
		return
	}
	os.Exit(m.Run())
}

// gameServer returns the command that runs keepFinishes.
func gameServer(path, addr string, first, end int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RANK_TEST_FILE="+path, "RANK_TEST_DATABASE="+addr, fmt.Sprint("RANK_TEST_FIRST=", first), fmt.Sprint("RANK_TEST_END=", end))
	return cmd
}

// keepFinishes submits the finishes with the numbers from first to end, and prints the number of
// each answered one. It ends when the database has them, unless the process is killed before.
func keepFinishes(path, addr string, first, end int) {
	s := rank.OpenShared(rank.Config{Path: path}, testenv.Must(Open(Config{Addr: addr, User: "root", Database: "teeworlds"})))
	for n := first; n < end; n++ {
		r := game.RankRequest{Op: game.RankFinish, Map: "m", Names: []string{fmt.Sprint("p", n%7)}, Time: int32(20 * n)}
		if r.Team = n%4 == 0; r.Team {
			r.Names = []string{fmt.Sprint("a", n), fmt.Sprint("b", n)} // a team that occurs only once
		}
		answer := make(chan game.RankAnswer, 1)
		s.Submit(&r, game.RankOrigin{ID: number(n), Server: "GER"}, func(a game.RankAnswer) { answer <- a })
		if a := <-answer; a.Err != "" {
			fmt.Println(a.Err)
			return
		}
		fmt.Println(n)
		time.Sleep(time.Millisecond)
	}
	for s.Undelivered() > 0 {
		time.Sleep(20 * time.Millisecond)
	}
	s.Close()
}

// TestEverythingIsKilled kills a game server and MariaDB in turns at different moments, while
// connections are cut off. In the end the tables contain every answered finish once. With
// TEEYARD_FULL=1 it runs ten rounds.
func TestEverythingIsKilled(t *testing.T) {
	t.Parallel()
	rounds := 2
	if os.Getenv("TEEYARD_FULL") == "1" {
		rounds = 10
	}
	ctx := t.Context()
	m, direct := startMariaDB(t)
	c := newCutter(t, m.Addr())
	path := filepath.Join(t.TempDir(), "ranks.journal")
	answered := map[rank.ID]bool{}
	for round := range rounds {
		c.set(int64(2000+1777*round), round%2 == 1)
		cmd := gameServer(path, c.Addr().String(), 100_000*(round+1), math.MaxInt)
		out := testenv.Must(cmd.StdoutPipe())
		testenv.NoError(t, cmd.Start())
		lines, most := 0, 60+23*round
		for s := bufio.NewScanner(out); s.Scan(); {
			n, err := strconv.Atoi(s.Text())
			testenv.Require(t, err == nil, "%q", s.Text())
			answered[number(n)] = true
			switch lines++; lines {
			case most / 3:
				m.Kill()
			case most / 2:
				m.Start()
			case most:
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
	}
	c.set(0, false)
	written := map[rank.ID]bool{}
	teams := 0
	testenv.NoError(t, rank.Read(path, func(e *rank.Entry) {
		if e.Kind == rank.Finish {
			testenv.Check(t, !written[e.ID], "%x is in the file twice", e.ID)
			written[e.ID] = true
			if e.Team {
				teams++
			}
		}
	}))
	for id := range answered {
		testenv.Check(t, written[id], "%x was answered and is lost", id)
	}
	shared := rank.OpenShared(rank.Config{Path: path}, direct)
	rows, times, members, both := 0, 0, 0, 0
	deadline := time.Now().Add(30 * time.Second)
	for rows+members/2 < len(written) && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
		testenv.NoError(t, direct.db.QueryRowContext(ctx, "SELECT COUNT(*), COUNT(DISTINCT Time), (SELECT COUNT(*) FROM record_teamrace), "+
			"(SELECT COUNT(DISTINCT Name) FROM record_teamrace) FROM record_race").Scan(&rows, &times, &members, &both))
	}
	testenv.NoError(t, shared.Close())
	c.mu.Lock()
	cuts := c.cuts
	c.mu.Unlock()
	testenv.Check(t, rows == len(written)-teams && times == rows, "%d rows with %d times of %d finishes", rows, times, len(written)-teams)
	testenv.Check(t, teams > 0 && members == 2*teams && both == members, "%d rows of %d members of %d teams", members, both, teams)
	t.Logf("%d finishes answered, %d written, %d rows and %d teams, %d connections cut off, %d times both killed",
		len(answered), len(written), rows, teams, cuts, rounds)
}

// TestServersShareADatabase lets several servers deliver finishes to one MariaDB, which is killed
// twice, hangs, and loses connections. Each server is killed once, and submits the finish again
// that it was about to store. In the end the tables contain each finish once. With TEEYARD_FULL=1
// there are ten servers and 10,000 finishes.
func TestServersShareADatabase(t *testing.T) {
	t.Parallel()
	servers, each := 3, 80
	if testenv.Full() {
		servers, each = 10, 1000
	}
	total := servers * each
	m, direct := startMariaDB(t)
	c := newCutter(t, m.Addr())
	c.set(3000, true)
	answered := make(chan int)
	var running sync.WaitGroup
	for i := range servers {
		path, first := filepath.Join(t.TempDir(), "ranks.journal"), 100_000*(i+1)
		running.Go(func() {
			next, end, kill := first, first+each, first+each*(i+1)/(servers+1)
			for ended := false; !ended && !t.Failed(); {
				from := min(next, end-1) // the answer to a finish says that the journal has been read
				cmd := gameServer(path, c.Addr().String(), from, end)
				out, err := cmd.StdoutPipe()
				if err == nil {
					err = cmd.Start()
				}
				if err != nil {
					t.Error(err)
					return
				}
				for s := bufio.NewScanner(out); s.Scan(); {
					n, err := strconv.Atoi(s.Text())
					if err != nil || n != from {
						t.Errorf("%q instead of %d", s.Text(), from)
						cmd.Process.Kill()
						break
					}
					from++
					if n < next {
						continue
					}
					next++
					answered <- n
					if n == kill {
						cmd.Process.Kill()
					}
				}
				ended = cmd.Wait() == nil
			}
		})
	}
	go func() { running.Wait(); close(answered) }()
	count := 0
	for range answered {
		switch count++; count {
		case total / 8, 5 * total / 8:
			m.Kill()
		case 2 * total / 8, 6 * total / 8:
			m.Start()
			c.set(int64(20*count), count > total/2)
		case 4 * total / 8:
			m.Signal(syscall.SIGSTOP) // it hangs until it is killed
		case total:
			c.set(0, false)
		}
	}
	testenv.Check(t, count == total, "%d finishes answered, want %d", count, total)
	rows, times, members, both := 0, 0, 0, 0
	testenv.NoError(t, direct.db.QueryRowContext(t.Context(), "SELECT COUNT(*), COUNT(DISTINCT Time), (SELECT COUNT(*) FROM record_teamrace), "+
		"(SELECT COUNT(DISTINCT Name) FROM record_teamrace) FROM record_race").Scan(&rows, &times, &members, &both))
	teams := total / 4
	testenv.Check(t, rows == total-teams && times == rows, "%d rows with %d times of %d finishes", rows, times, total-teams)
	testenv.Check(t, members == 2*teams && both == members, "%d rows of %d members of %d teams", members, both, teams)
	c.mu.Lock()
	defer c.mu.Unlock()
	testenv.Check(t, c.cuts > 0, "no connection was cut off")
	t.Logf("%d servers, %d finishes: %d rows and %d teams, %d connections cut off", servers, total, rows, teams, c.cuts)
}
