package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/console"
)

// awayDatabase never answers.
type awayDatabase struct{ rank.SQLite }

var errAway = errors.New("away")

func (awayDatabase) Name() string                                { return "away" }
func (awayDatabase) Setup(context.Context) error                 { return errAway }
func (awayDatabase) Close() error                                { return nil }
func (awayDatabase) Deliver(context.Context, []rank.Entry) error { return errAway }
func (awayDatabase) Answer(context.Context, *game.RankRequest, game.RankOrigin) (game.RankAnswer, error) {
	return game.RankAnswer{}, errAway
}

// TestDatabaseOfTheConfiguration opens the ranks with the database of DDNet's add_sqlserver, which is away:
// the journal keeps finishes and answers, and saves are refused.
func TestDatabaseOfTheConfiguration(t *testing.T) {
	var opened DatabaseConfig
	d := databaseSetting{open: func(c DatabaseConfig) (Database, error) {
		opened = c
		return awayDatabase{}, nil
	}}
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, d.register(c))
	testenv.NoError(t, c.ExecuteArgs([]string{"add_sqlserver r other record u p h 1", "add_sqlserver w teeworlds record me secret db.local 3306 1"}))
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

// TestListOfRanks lists maps and the ranks of one, and says what is missing.
func TestListOfRanks(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (string, error) {
		out, err := teeyard(t, append([]string{"ranks", "--dir", dir}, args...)...).CombinedOutput()
		return string(out), err
	}
	path := filepath.Join(dir, "ranks.journal")
	got, err := run()
	testenv.Check(t, err != nil && strings.Contains(got, path+" is not there") && strings.Contains(got, "--dir"), "%v: %s", err, got)
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
		{[]string{"Tutorial"}, "1.  01:10.00  ann      2023-11-14 22:13 UTC\n2.  01:20.50  ben [2J  2023-11-14 22:13 UTC\n2.  01:20.50  cid      2023-11-14 22:13 UTC\n"},
		{[]string{"Tutorial", "--top", "1"}, "1.  01:10.00  ann  2023-11-14 22:13 UTC\nand 2 more: --top 0 lists all\n"},
		{[]string{"Tutorial", "--team"}, "1.  01:35.00  ann & ben  2023-11-14 22:13 UTC\n"},
	} {
		got, err := run(want.args...)
		testenv.Check(t, err == nil && got == path+":\n"+want.text, "%q: %v\n%s\nwant\n%s", want.args, err, got, want.text)
	}
	got, err = run("tutorial")
	testenv.Check(t, err != nil && strings.Contains(got, `is it "Tutorial"?`), "%v: %s", err, got)
}
