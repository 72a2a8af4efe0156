package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
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
