package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/console"
)

// awayDatabase is a database that never answers.
type awayDatabase struct{ rank.SQLite }

var errAway = errors.New("away")

func (awayDatabase) Name() string                                { return "away" }
func (awayDatabase) Setup(context.Context) error                 { return errAway }
func (awayDatabase) Close() error                                { return nil }
func (awayDatabase) Ping(context.Context) error                  { return errAway }
func (awayDatabase) Deliver(context.Context, []rank.Entry) error { return errAway }
func (awayDatabase) Answer(context.Context, *game.RankRequest, game.RankOrigin) (game.RankAnswer, error) {
	return game.RankAnswer{}, errAway
}

// TestDatabaseOfTheConfiguration opens the ranks with the database of add_sqlserver, which does not
// answer. The journal stores finishes and answers requests, and saves are refused.
func TestDatabaseOfTheConfiguration(t *testing.T) {
	var opened DatabaseConfig
	d := databaseSetting{open: func(c DatabaseConfig) (Database, error) {
		opened = c
		return awayDatabase{}, nil
	}}
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, d.register(c))
	testenv.NoError(t, c.ExecuteArgs([]string{"sv_use_sql 0", "add_sqlserver w teeworlds record me secret db.local 3306"}))
	testenv.NoError(t, d.openRanks(filepath.Join(t.TempDir(), "ranks"), slog.New(slog.DiscardHandler)).Close())
	testenv.Check(t, opened == DatabaseConfig{}, "sv_use_sql 0 uses %+v", opened)
	testenv.NoError(
		t,
		c.ExecuteArgs([]string{"sv_use_sql 1", "add_sqlserver r other record u p h 1", "add_sqlserver w teeworlds record me secret db.local 3306 1"}),
	)
	ranks := d.openRanks(filepath.Join(t.TempDir(), "ranks"), slog.New(slog.NewTextHandler(io.Discard, nil)))
	want := DatabaseConfig{Addr: "db.local:3306", User: "me", Password: "secret", Database: "teeworlds", Prefix: "record"}
	testenv.Check(t, opened == want, "%+v", opened)
	answers := make(chan game.RankAnswer, 1)
	ask := func(r game.RankRequest) game.RankAnswer {
		r.Map = "m"
		ranks.Submit(&r, game.RankOrigin{ID: [16]byte{1}}, func(a game.RankAnswer) { answers <- a })
		return <-answers
	}
	a := ask(game.RankRequest{Op: game.RankFinish, Names: []string{"ann"}, Time: 1000})
	testenv.Check(t, a.Err == "", "%+v", a)
	a = ask(game.RankRequest{Op: game.RankTop})
	testenv.Check(t, len(a.Rows) == 1 && a.Err == "", "%+v", a)
	a = ask(game.RankRequest{Op: game.RankSave, Code: "c"})
	testenv.Check(t, a.Err == "the database does not answer: away", "%+v", a)
	testenv.Eventually(t, "the server says that finishes wait", func() bool { return errors.Is(ranks.Err(), errAway) })
	ranks.Close()
	testenv.Check(t, c.Redact("add_sqlserver w teeworlds record me secret h 1") == "add_sqlserver ***", "the password is shown")
}

// TestListOfRanks lists the maps and the ranks of one map, and checks the errors for missing files.
func TestListOfRanks(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) (string, error) {
		out, err := teeyard(t, append([]string{"ranks", "--dir", dir}, args...)...).CombinedOutput()
		return string(out), err
	}
	path := filepath.Join(dir, "ranks.journal")
	got, err := run()
	testenv.Check(t, err != nil && strings.Contains(got, path+": no such file") && strings.Contains(got, "--dir"), "%v: %s", err, got)
	j := rank.Open(rank.Config{Path: path})
	entry := func(n byte, mapName string, ms int32, names ...string) rank.Entry {
		return rank.Entry{ID: rank.ID{n}, Kind: rank.Finish, Map: mapName, Names: names, Team: len(names) > 1, Time: ms, When: 1_700_000_000}
	}
	_, err = j.Add([]rank.Entry{entry(1, "Tutorial", 90_500, "ann"), entry(2, "Tutorial", 80_500, "ben\x1b[2J"), entry(3, "Tutorial", 80_500, "cid"),
		entry(4, "Tutorial", 70_000, "ann"), entry(5, "a b", 1000, "ann"), entry(6, "Tutorial", 95_000, "ben", "ann")})
	testenv.NoError(t, errors.Join(err, j.Close()))
	for _, want := range []struct {
		args []string
		text string
	}{
		{nil, "map       finishes  players  best time  by\nTutorial  4         3        01:10.00   ann\na b       1         1        00:01.00   ann\n"},
		{[]string{"Tutorial"}, "1.  01:10.00  ann      2023-11-14 22:13 UTC\n2.  01:20.50  ben [2J  2023-11-14 22:13 UTC\n2.  01:20.50  cid      " +
			"2023-11-14 22:13 UTC\n"},
		{[]string{"Tutorial", "--top", "1"}, "1.  01:10.00  ann  2023-11-14 22:13 UTC\nand 2 more; list all with --top 0\n"},
		{[]string{"Tutorial", "--team"}, "1.  01:35.00  ann & ben  2023-11-14 22:13 UTC\n"},
	} {
		got, err := run(want.args...)
		testenv.Check(t, err == nil && got == path+":\n"+want.text, "%q: %v\n%s\nwant\n%s", want.args, err, got, want.text)
	}
	// The folders of serve are searched.
	home := t.TempDir()
	data := filepath.Join(home, map[bool]string{true: "DDNet", false: "ddnet"}[runtime.GOOS == "windows"])
	testenv.NoError(t, os.MkdirAll(data, 0o700))
	testenv.NoError(t, os.Rename(path, filepath.Join(data, "ranks.journal")))
	cmd := teeyard(t, "ranks", "--ddnet", "a b")
	cmd.Env = append(cmd.Environ(), "XDG_DATA_HOME="+home, "APPDATA="+home)
	if runtime.GOOS != "darwin" {
		out, err := cmd.CombinedOutput()
		testenv.Check(t, err == nil && strings.HasPrefix(string(out), filepath.Join(data, "ranks.journal")+":\n1.  00:01.00  ann"), "%v: %s", err, out)
	}
	testenv.NoError(t, os.Rename(filepath.Join(data, "ranks.journal"), path))
	got, err = run("tutorial")
	testenv.Check(t, err != nil && strings.Contains(got, `did you mean "Tutorial"?`), "%v: %s", err, got)
	for args, want := range map[string]string{
		"tutorial":     `no player has a finish on the map "tutorial"; did you mean "Tutorial"?`,
		"tutorial ann": `ann has no finish on the map "tutorial"; did you mean "Tutorial"?`,
		"Tutorial dan": `dan has no finish on the map "Tutorial"` + "\n",
		"nothing":      `no player has a finish on the map "nothing"; list the finished maps with teeyard ranks`,
		"Tutorial":     "the finish cannot be verified: it was imported, or recorded without a replay log",
	} {
		out, err := teeyard(t, append([]string{"ranks", "verify", "--dir", dir}, strings.Fields(args)...)...).CombinedOutput()
		testenv.Check(t, err != nil && strings.Contains(string(out), want), "verify %s: %v: %s", args, err, out)
	}
}

// TestImportOfBrokenFiles imports broken files. The command prints only the error and what to do.
func TestImportOfBrokenFiles(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) (stdout string, stderr string, err error) {
		var complaints strings.Builder
		cmd := teeyard(t, append([]string{"ranks", "import", "--dir", dir}, args...)...)
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		return string(out), complaints.String(), err
	}
	sqlite := func(file, commands string) {
		t.Helper()
		out, err := exec.Command("sqlite3", file, commands).CombinedOutput()
		testenv.Require(t, err == nil, "%v: %s", err, out)
	}
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip(err)
	}
	good := filepath.Join(dir, "good")
	columns := "Map, Name, Timestamp TIMESTAMP, Time FLOAT, Server, GameID, DDNet7"
	var checkpoints []string
	for i := range game.MaxCheckpoints {
		checkpoints = append(checkpoints, fmt.Sprint("cp", i+1))
		columns += ", " + checkpoints[i] + " FLOAT DEFAULT 0"
	}
	sqlite(good, "CREATE TABLE record_race ("+columns+"); CREATE TABLE record_teamrace (Map, Name, Timestamp TIMESTAMP, Time FLOAT, ID BLOB, GameID, DDNet7);"+
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) INSERT INTO record_race(Map, Name, Time) SELECT 'm', 'p'||i, i FROM n;"+
		"INSERT INTO record_race(Map, Name, Time) VALUES ('', 'ann', 5), ('m', '', 5), ('m', 'ann', 0);"+
		"INSERT INTO record_race(Map, Name, Timestamp, Time) VALUES ('dates', 'dated', '2023-11-14 22:13:20', 1), ('dates', 'zero', '0000-00-00 00:00:00', 2),"+
		"('dates', 'now', 'now', 3), ('dates', 'month', '2023-13-14 22:13:20', 4), ('dates', 'future', '2999-01-01', 5), ('dates', 'number', 5, 6), "+
		"('dates', 'a name of 17 byte', NULL, 7)")
	whole := testenv.Must(os.ReadFile(good))
	for name, content := range map[string]string{"text": "no database", "empty": "", "cut off": string(whole[:len(whole)/2])} {
		file := filepath.Join(dir, name)
		testenv.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		out, complaints, err := run(file)
		testenv.Check(
			t,
			err != nil && out == "" && strings.Contains(complaints, file) && strings.Contains(complaints, ".recover") == (name == "cut off"),
			"%s: %v, %q, %q",
			name,
			err,
			out,
			complaints,
		)
	}
	// Programs that the file names do not run, and separators in a text do not create rows.
	hostile, made := filepath.Join(dir, "hostile"), filepath.Join(dir, "made")
	sqlite(
		hostile,
		"CREATE TABLE t ("+columns+"); INSERT INTO t(Map, Name, Time) VALUES ('m', 'ann', 5), ('m', 'a'||char(30)||'b', 5), ('m', 'a'||char(31)||'b', 5)",
	)
	sqlite(hostile, "CREATE VIEW record_race AS SELECT edit('x', 'touch "+made+"') AS Map, Name, Timestamp, Time, Server, GameID, DDNet7, "+
		strings.Join(checkpoints, ", ")+" FROM t")
	out, complaints, err := run(hostile)
	_, none := os.Stat(made)
	testenv.Check(
		t,
		err != nil && out == "" && none != nil && strings.Contains(complaints, "the import added nothing"),
		"%v, %q, %q, %v",
		err,
		out,
		complaints,
		none,
	)
	sqlite(hostile, "DROP VIEW record_race; ALTER TABLE t RENAME TO record_race")
	out, complaints, err = run("--into", filepath.Join(dir, "other"), hostile)
	testenv.Check(
		t,
		err != nil && strings.Contains(out, " 1 finish,") && strings.Contains(out, "left out: 3 rows, invalid") &&
			strings.Contains(complaints, "record_teamrace"),
		"%v, %q, %q",
		err,
		out,
		complaints,
	)
	out, complaints, err = run(good) // which lacks three tables
	want := filepath.Join(dir, "ranks.journal") + ": 3010 finishes, 0 team finishes, 0 maps, points of 0 players, 0 saves; 3007 of these are new\n" +
		"left out: 3 rows, invalid: for example without a map, a name or a time, or with column separators in a text\nkept without a date: 4 rows " +
		"whose date is invalid or in the future\nkept with another name: 1 row whose name is longer than 15 bytes or not UTF-8\n"
	testenv.Check(t, err != nil && out == want && strings.Contains(complaints, "record_maps"), "%v, %q, %q", err, out, complaints)
	out, complaints, err = run(good)
	testenv.Check(t, err != nil && out == "" && strings.Contains(complaints, "the import added nothing"), "%v, %q, %q", err, out, complaints)
	list, err := teeyard(t, "ranks", "--dir", dir, "dates").CombinedOutput()
	wantList := "1.  00:01.00  dated            2023-11-14 22:13 UTC\n2.  00:02.00  zero             \n3.  00:03.00  now              \n4.  00:04.00  " +
		"month            \n" +
		"5.  00:05.00  future           \n6.  00:06.00  number           \n7.  00:07.00  a name of 17 by  \n"
	testenv.Check(t, err == nil && strings.HasSuffix(string(list), ":\n"+wantList), "%v\n%s\nwant\n%s", err, list, wantList)

	// An import into a file of another kind fails.
	out, complaints, err = run(good, "--into", good)
	testenv.Check(t, err != nil && out == "" && strings.Contains(complaints, "not a journal of ranks: "+good), "%v, %q, %q", err, out, complaints)
}
