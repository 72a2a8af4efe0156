package ddnetdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
)

// cutter forwards connections. It cuts off each connection after a number of bytes in one
// direction.
type cutter struct {
	net.Listener
	to string

	mu    sync.Mutex
	after int64 // 0 for never
	back  bool  // counts the bytes from the server
	cuts  int
}

func newCutter(t *testing.T, to string) *cutter {
	c := &cutter{Listener: testenv.Must(net.Listen("tcp", "127.0.0.1:0")), to: to}
	t.Cleanup(func() { c.Close() })
	go func() {
		for {
			conn, err := c.Accept()
			if err != nil {
				return
			}
			go c.forward(conn)
		}
	}()
	return c
}

func (c *cutter) forward(conn net.Conn) {
	defer conn.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	c.mu.Lock()
	after, back := c.after, c.back
	c.mu.Unlock()
	limited := func(dst io.Writer, src io.Reader, cut bool) {
		if cut && after > 0 {
			src = io.LimitReader(src, after)
		}
		io.Copy(dst, src)
		if cut && after > 0 {
			c.mu.Lock()
			c.cuts++
			c.mu.Unlock()
		}
		conn.Close()
		server.Close()
	}
	go limited(conn, server, back)
	limited(server, conn, !back)
}

func (c *cutter) set(after int64, back bool) {
	c.mu.Lock()
	c.after, c.back = after, back
	c.mu.Unlock()
}

func number(n int) (id rank.ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// startMariaDB starts a MariaDB server and creates DDNet's tables in it.
func startMariaDB(t testing.TB) (*peers.MariaDB, *Store) {
	m := peers.NewMariaDB(t)
	m.Start()
	s := testenv.Must(Open(Config{Addr: m.Addr(), User: "root", Database: "teeworlds"}))
	t.Cleanup(func() { s.Close() })
	testenv.NoError(t, s.Setup(t.Context()))
	return m, s
}

func finish(n int) rank.Entry {
	return rank.Entry{ID: number(n), Kind: rank.Finish, When: 1_700_000_000 + int64(n), Map: "m", Names: []string{fmt.Sprint("p", n%7)},
		Time: int32(60_000 + 20*n), Checkpoints: []int32{1500}, Server: "GER", GameID: "game"}
}

// TestFinishesAreThereOnce delivers finishes over connections that are cut off at different bytes
// in both directions, to a database server that is killed in between. The tables contain each
// finish once.
func TestFinishesAreThereOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m, direct := startMariaDB(t)
	c := newCutter(t, m.Addr())
	testenv.NoError(t, direct.Setup(ctx)) // a second time
	testenv.Must(direct.db.ExecContext(ctx, "INSERT INTO record_maps(Map, Server, Mapper, Points) VALUES ('m', 'Novice', 'me', 3)"))

	s := testenv.Must(Open(Config{Addr: c.Addr().String(), User: "root", Database: "teeworlds"}))
	defer s.Close()
	const n = 60
	failed := 0
	for i := range n {
		c.set(int64(100+37*i), i%2 == 1)
		s.db.SetMaxIdleConns(0) // gives each finish a connection that is cut off
		for try := 0; s.Deliver(ctx, []rank.Entry{finish(i)}) != nil; try++ {
			if failed++; try > 0 {
				c.set(0, false)
			}
			testenv.Require(t, try < 5, "finish %d cannot be delivered", i)
		}
	}
	testenv.Check(t, failed > 10, "only %d deliveries failed", failed)
	c.set(0, false)

	// A journal delivers to the database while it is killed and restarted.
	path := filepath.Join(t.TempDir(), "ranks.journal")
	shared := rank.OpenShared(rank.Config{Path: path}, s)
	stored := make(chan game.RankAnswer, n)
	for i := range n {
		r := game.RankRequest{Op: game.RankFinish, Map: "m", Names: []string{"ann"}, Time: int32(30_000 + 20*i)}
		shared.Submit(&r, game.RankOrigin{ID: number(1000 + i), Server: "GER"}, func(a game.RankAnswer) { stored <- a })
		a := <-stored
		testenv.Check(t, a.Err == "", "finish %d while the database is away: %+v", i, a)
		switch i {
		case 20:
			m.Kill()
		case 40:
			m.Start()
		case 50: // restart the game server as well
			testenv.NoError(t, shared.Close())
			shared = rank.OpenShared(rank.Config{Path: path}, s)
		}
	}
	count := func() (rows, names, points int) {
		row := direct.db.QueryRowContext(ctx, "SELECT COUNT(*), COUNT(DISTINCT Name), (SELECT SUM(Points) FROM record_points) FROM record_race")
		if row.Scan(&rows, &names, &points) != nil {
			return 0, 0, 0
		}
		return rows, names, points
	}
	deadline := time.Now().Add(20 * time.Second)
	for rows, _, _ := count(); rows < 2*n && time.Now().Before(deadline); rows, _, _ = count() {
		time.Sleep(100 * time.Millisecond)
	}
	rows, names, points := count()
	testenv.Check(t, rows == 2*n && names == 8 && points == 8*3, "%d rows of %d finishes, %d names, %d points", rows, 2*n, names, points)
	testenv.NoError(t, shared.Close())

	long := finish(n)
	long.Names, long.Time = []string{"long"}, 123_456_780
	testenv.NoError(t, direct.Deliver(ctx, []rank.Entry{long}))

	// Import everything from the database.
	j := rank.Open(rank.Config{Path: filepath.Join(t.TempDir(), "imported")})
	r, err := rank.Import(ctx, direct, "record", j.Add)
	testenv.Check(t, err == nil && r.Finishes == 2*n+1 && r.Points == 9 && r.Maps == 1 && r.New == 2*n+11, "%+v, %v", r, err)
	// The journal gives the same answers as the database.
	for _, name := range []string{"p1", "p2"} {
		testenv.Must(direct.db.ExecContext(ctx, "INSERT INTO record_teamrace(Map, Name, Timestamp, Time, "+
			"ID, GameID) VALUES ('m', ?, '2026-01-01', 70.5, '0123456789abcdef', 'g')", name))
	}
	testenv.NoError(t, direct.Deliver(ctx, []rank.Entry{
		{ID: number(5000), Kind: rank.Finish, Team: true, Map: "m", Names: []string{"p2", "p1"}, Time: 60_500, When: 1_700_000_000},
		{ID: number(5001), Kind: rank.Finish, Team: true, Map: "m", Names: []string{"p2", "p3", "p1"}, Time: 80_500, When: 1_700_000_000},
	}))
	_, err = rank.Import(ctx, direct, "record", j.Add)
	testenv.NoError(t, err)
	for op := game.RankBest; op <= game.RankSaves; op++ {
		for _, name := range []string{"", "p1", "p3", "nobody", "ann", "long"} {
			for _, from := range []int32{-8, -1, 0, 1, 3} {
				r := game.RankRequest{Op: op, Map: "m", Name: name, From: from, Asker: "p1", Code: "none"}
				if op == game.RankSave || op == game.RankLoad || name == "" && op == game.RankSaves {
					continue
				}
				origin := game.RankOrigin{ID: number(9000), Server: "GER"}
				theirs, err := direct.Answer(ctx, &r, origin)
				testenv.NoError(t, err)
				answers := make(chan game.RankAnswer, 1)
				j.Submit(&r, origin, func(a game.RankAnswer) { answers <- a })
				ours := <-answers
				for _, a := range []*game.RankAnswer{&theirs, &ours} {
					for _, row := range a.Rows {
						testenv.Check(t, row.Age >= 0, "%+v", row)
					}
					for i := range a.Rows {
						a.Rows[i].Age = 0
					}
					if a.Info != nil {
						a.Info.Age = 0
					}
					for len(a.Checkpoints) > 0 && a.Checkpoints[len(a.Checkpoints)-1] == 0 {
						a.Checkpoints = a.Checkpoints[:len(a.Checkpoints)-1]
					}
				}
				if op == game.RankTeamTop {
					theirs.Percent = 0
				}
				if diff := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%+v (-database +journal):\n%s", r, diff)
				}
			}
		}
	}
	testenv.NoError(t, j.Close())

	// A save is loaded once. A repeated request gets it again.
	ask := func(id int, r game.RankRequest) game.RankAnswer {
		r.Map, r.Code = "m", "c"
		return testenv.Must(direct.Answer(ctx, &r, game.RankOrigin{ID: number(id), Server: "GER"}))
	}
	save := game.RankRequest{Op: game.RankSave, Text: "2\t1\nann\tx", Names: []string{"ann"}}
	first, again, other := ask(7000, save), ask(7000, save), ask(7001, save)
	testenv.Check(t, first.Found && again.Found && !other.Found, "the code was taken twice")
	found := ask(0, game.RankRequest{Op: game.RankSaved})
	testenv.Require(t, found.Found && found.Save.Text == save.Text && ask(0, game.RankRequest{Op: game.RankSaves, Name: "ann"}).Count == 1, "%+v", found)
	load := game.RankRequest{Op: game.RankLoad, SaveID: found.Save.ID}
	testenv.Check(t, ask(7002, load).Found && !ask(7003, load).Found && ask(7002, load).Save.Text == save.Text &&
		!ask(0, game.RankRequest{Op: game.RankSaved}).Found, "loaded twice")
	again = ask(7000, save)
	testenv.Check(t, again.Found && !ask(0, game.RankRequest{Op: game.RankSaved}).Found, "who asks again after it was loaded has it twice: %+v", again)
	testSavesOnce(t, direct, s, c)
}

// testSavesOnce saves and loads over connections that are cut off at different bytes. Then several
// servers load the same save.
func testSavesOnce(t *testing.T, direct, s *Store, c *cutter) {
	ctx := t.Context()
	there := func(code string) (n int) {
		testenv.NoError(t, direct.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM record_saves WHERE Code = ?", code).Scan(&n))
		return n
	}
	lost, unsure := 0, 0
	for i := range 70 {
		code, origin := fmt.Sprint("code ", i), game.RankOrigin{ID: number(10_000 + 2*i), Server: "GER"}
		try := func(r game.RankRequest, origin game.RankOrigin, before int) game.RankAnswer {
			c.set(int64(150+11*i), i%2 == 1)
			a, err := s.Answer(ctx, &r, origin)
			c.set(0, false)
			switch {
			case err == nil:
			case errors.Is(err, rank.ErrUnsure):
				unsure++
			default:
				lost++
				testenv.Check(t, there(code) == before, "cut off in request %d, which changed something: %v", i, err)
			}
			if err != nil {
				a, err = s.Answer(ctx, &r, origin)
			}
			testenv.Check(t, err == nil && a.Found && there(code) == 1-before, "request %d: %+v, %v, %d there", i, a, err, there(code))
			return a
		}
		a := try(game.RankRequest{Op: game.RankSave, Map: "m", Code: code, Text: "state " + code, Names: []string{"ann"}}, origin, 0)
		origin.ID = number(10_001 + 2*i)
		a = try(game.RankRequest{Op: game.RankLoad, Map: "m", Code: code, SaveID: a.Save.ID}, origin, 1)
		testenv.Check(t, a.Save.Text == "state "+code, "another save: %+v", a.Save)
	}
	testenv.Check(t, lost > 10, "only %d requests were cut off", lost)
	t.Logf("%d requests were cut off, %d in the commit", lost+unsure, unsure)

	save := game.RankRequest{Op: game.RankSave, Map: "m", Code: "wanted", Text: "state"}
	a := testenv.Must(direct.Answer(ctx, &save, game.RankOrigin{ID: number(20_000)}))
	load := game.RankRequest{Op: game.RankLoad, Map: "m", Code: "wanted", SaveID: a.Save.ID}
	loads := make(chan game.RankAnswer)
	for i := range 8 {
		go func() {
			a, err := []*Store{direct, s}[i%2].Answer(ctx, &load, game.RankOrigin{ID: number(20_001 + i)})
			testenv.Check(t, err == nil, "%v", err)
			loads <- a
		}()
	}
	found := 0
	for range 8 {
		if (<-loads).Found {
			found++
		}
	}
	testenv.Check(t, found == 1, "a save was loaded %d times", found)
}

// TestImportIntoTheDatabase imports a journal into a database that already has some of the rows,
// the second half while a server runs. Then it restarts the server. No row is lost or duplicated,
// and long times keep their hundredths.
func TestImportIntoTheDatabase(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, s := startMariaDB(t)
	for _, q := range []string{
		"INSERT INTO record_maps(Map, Server, Mapper, Points) VALUES ('m', 'Novice', 'theirs', 3)",
		"INSERT INTO record_points(Name, Points) VALUES ('ann', 50), ('ben', 5)",
		"INSERT INTO record_saves(Savegame, Map, Code, SaveID) VALUES ('of others', 'm', 'c', 'x'), ('mine', 'm', 'd', 'y')",
	} {
		testenv.Must(s.db.ExecContext(ctx, q))
	}
	path := filepath.Join(t.TempDir(), "ranks.journal")
	j := rank.Open(rank.Config{Path: path}) // as of a server without a database
	entries := []rank.Entry{
		{ID: number(1), Kind: rank.Finish, Map: "m", Names: []string{"ann"}, Time: 123_456_780, When: 1_700_000_000, Server: "GER"},
		{ID: number(2), Kind: rank.Finish, Team: true, Map: "m", Names: []string{"ann", "ben"}, Time: 70_500, SaveID: "30313233343536373839616263646566"},
		{ID: number(3), Kind: rank.SetMap, Map: "m", Server: "Brutal", Points: 9},
		{ID: number(4), Kind: rank.SetMap, Map: "n", Server: "Brutal", Text: "me", Points: 9, When: 1_600_000_000},
		{ID: number(5), Kind: rank.SetPoints, Names: []string{"ann"}, Points: 17},
		{ID: number(6), Kind: rank.SetPoints, Names: []string{"ben"}, Points: 17},
		{ID: number(7), Kind: rank.Save, Map: "m", Code: "c", Text: "my own", SaveID: "z", When: 1_700_000_000},
		{ID: number(8), Kind: rank.Save, Map: "m", Code: "d", Text: "mine", SaveID: "y"},
		{ID: number(9), Kind: rank.Save, Map: "m", Code: "loaded", Text: "mine", SaveID: "w"},
		{ID: number(10), Kind: rank.Load, Map: "m", Code: "loaded", SaveID: "w"},
	}
	testenv.Must(j.Add(entries[:4]))
	list := func(query string) (text string) {
		testenv.NoError(t, s.Query(ctx, query, func(c []string) error {
			text += fmt.Sprintln(c)
			return nil
		}))
		return text
	}
	for round := range 2 {
		shared := rank.OpenShared(rank.Config{Path: path}, s)
		if round == 0 {
			testenv.Eventually(t, "what was there is delivered", func() bool { return list("SELECT COUNT(*) FROM record_delivered") == "[4]\n" })
			testenv.Must(j.Add(entries[4:])) // without any request to the server
			testenv.NoError(t, j.Close())
		}
		testenv.Eventually(t, "all is delivered", func() bool { return list("SELECT COUNT(*) FROM record_delivered") == "[8]\n" })
		testenv.NoError(t, shared.Close())
		for query, want := range map[string]string{
			"SELECT Name, Time FROM record_race":                                        "[ann 123456.78]\n",
			"SELECT ID, Name, Time FROM record_teamrace ORDER BY Name":                  "[0123456789abcdef ann 70.5]\n[0123456789abcdef ben 70.5]\n",
			"SELECT Map, Mapper, Points FROM record_maps ORDER BY Map":                  "[m theirs 3]\n[n me 9]\n",
			"SELECT Name, Points FROM record_points ORDER BY Name":                      "[ann 53]\n[ben 17]\n",
			"SELECT Code, Savegame, IFNULL(SaveID, '') FROM record_saves ORDER BY Code": "[c of others x]\n[c 2 my own z]\n[d mine y]\n",
		} {
			got := list(query)
			testenv.Check(t, got == want, "%s: %s, want %s", query, got, want)
		}
	}

	// The last save is a save with a date.
	for i, when := range []string{"0000-00-00", "2020-01-01"} {
		testenv.Must(s.db.ExecContext(ctx, "INSERT INTO record_saves(Savegame, Map, Code, Timestamp) VALUES ('x\nann\t1', 'm', ?, ?)",
			fmt.Sprint("dated ", i), when))
		a := testenv.Must(s.Answer(ctx, &game.RankRequest{Op: game.RankSaves, Map: "m", Name: "ann"}, game.RankOrigin{}))
		testenv.Check(t, int(a.Count) == i+1 && (a.Save.Age > 0) == (i == 1), "%+v", a.Save)
	}
}

// TestDeliveredAgain delivers teams in one batch, some of which the tables have. Then it delivers
// all of them again, finally without the recorded IDs. The tables do not change.
func TestDeliveredAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, s := startMariaDB(t)
	for _, q := range []string{
		"INSERT INTO record_maps(Map, Server, Mapper, Points) VALUES ('m', 'Novice', 'me', 3)",
		"INSERT INTO record_teamrace(Map, Name, Time, ID) VALUES ('m', 'ann', 70.5, 'there'), ('m', 'ben', " +
			"70.5, 'there'), ('m', 'ann', 80, 'slower'), ('m', 'ben', 80, 'slower'), " +
			"('n', 'ann', 9, 'other map'), ('n', 'ben', 9, 'other map'), ('m', 'ann', 9, 'three'), ('m', 'ben', 9, 'three'), ('m', 'cid', 9, 'three')",
		"INSERT INTO record_teamrace(Map, Name, Time, ID, DDNet7) VALUES ('m', 'dan', 9, 'of 0.7', TRUE), ('m', 'eve', 9, 'of 0.7', TRUE)",
	} {
		testenv.Must(s.db.ExecContext(ctx, q))
	}
	var entries []rank.Entry
	add := func(mapName string, ms int32, names ...string) {
		n := len(entries) + 1
		entries = append(entries, rank.Entry{ID: number(n), Kind: rank.Finish, Team: len(names) > 1, Map: mapName,
			Names: names, Time: ms, When: 1_700_000_000 + int64(n), Server: "GER"})
	}
	add("m", 75_000, "ben", "ann") // slower than the stored time
	add("m", 60_000, "ann", "ben")
	add("m", 65_000, "ann", "ben")
	add("m", 61_000, "dan", "eve")
	add("m", 59_000, "eve", "dan") // better than the previous one in the batch
	add("n", 8000, "dan", "eve")
	add("m", 8000, "ben", "cid", "ann")
	add("m", 50_000, "ann")
	add("m", 55_000, "ann")
	dump := func() (text string) {
		for _, q := range []string{
			"SELECT IF(ID < 'a', HEX(ID), ID), Map, GROUP_CONCAT(Name ORDER BY Name), MIN(Time), MAX(Time) FROM record_teamrace GROUP BY ID ORDER BY ID",
			"SELECT Map, Name, Time, UNIX_TIMESTAMP(Timestamp) FROM record_race ORDER BY Time", "SELECT Name, Points FROM record_points",
		} {
			testenv.NoError(t, s.Query(ctx, q, func(c []string) error {
				text += fmt.Sprintln(c)
				return nil
			}))
		}
		return text
	}
	const want = `[00000000000000000000000000000004 m dan,eve 59 59]
[00000000000000000000000000000006 n dan,eve 8 8]
[of 0.7 m dan,eve 9 9]
[other map n ann,ben 9 9]
[slower m ann,ben 80 80]
[there m ann,ben 60 60]
[three m ann,ben,cid 8 8]
[m ann 50 1700000008]
[m ann 55 1700000009]
[ann 3]
`
	for i := range 3 {
		testenv.NoError(t, s.Deliver(ctx, entries))
		got := dump()
		testenv.Check(t, got == want, "delivery %d:\n%swant\n%s", i+1, got, want)
		if i == 1 {
			testenv.Must(s.db.ExecContext(ctx, "DELETE FROM record_delivered"))
		}
	}
}
