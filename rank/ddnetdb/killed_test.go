package ddnetdb

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
)

// TestMain runs the game server that TestEverythingIsKilled kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("RANK_TEST_FILE"); path != "" {
		keepFinishes(path, os.Getenv("RANK_TEST_DATABASE"), testenv.Must(strconv.Atoi(os.Getenv("RANK_TEST_FIRST"))))
		return
	}
	os.Exit(m.Run())
}

// keepFinishes submits finishes until the process is killed, and prints the number of each answered
// one.
func keepFinishes(path, addr string, first int) {
	s := rank.OpenShared(rank.Config{Path: path}, testenv.Must(Open(Config{Addr: addr, User: "root", Database: "teeworlds"})))
	for n := first; ; n++ {
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
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RANK_TEST_FILE="+path, "RANK_TEST_DATABASE="+c.Addr().String(), fmt.Sprint("RANK_TEST_FIRST=", 100_000*(round+1)))
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
