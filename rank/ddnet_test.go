package rank

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tables is a Source whose tables are lists of columns by the end of their names.
type tables map[string][][]string

func (tables) UnixTime(column string) string { return column }

func (t tables) Query(_ context.Context, query string, row func([]string) error) error {
	_, table, _ := strings.Cut(query, "FROM record_")
	table, _, _ = strings.Cut(table, " ")
	for _, columns := range t[table] {
		if err := row(slices.Clone(columns)); err != nil {
			return err
		}
	}
	return nil
}

// TestImport imports tables twice, the second time with a row more, points that have changed and one
// that cannot be.
func TestImport(t *testing.T) {
	j := Open(Config{Path: filepath.Join(t.TempDir(), "file")})
	race := func(name, time string) []string {
		return append([]string{"m", name, "1700000000", time, "GER", "game", "0", "1.5"}, make([]string, game.MaxCheckpoints-1)...)
	}
	from := tables{
		"race":     {race("ann", "61.98"), race("ben", "61.979999")},
		"teamrace": {{"0A", "m", "0", "70.5", "game", "0", "ann"}, {"0A", "m", "0", "70.5", "game", "0", "ben"}, {"0B", "m", "0", "71.5", "game", "0", "cid"}},
		"maps":     {{"m", "Novice", "me", "3", "2", "1600000000"}},
		"points":   {{"ann", "17"}},
		"saves":    {{"m", "code", "2\t2\t0\nann\tx\nben\ty\n1\t2", "1700000000", "GER", "uuid"}},
	}
	r, err := Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r == Imported{Finishes: 2, TeamFinishes: 2, Maps: 1, Points: 1, Saves: 1, New: 7}, "%+v, %v", r, err)
	from["race"] = append(from["race"], race("cid", "50"), race("eve", "-1"))
	from["points"][0][1] = "20"
	r, err = Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r.New == 2 && r.Refused == 1, "again: %+v, %v", r, err)
	ask := func(r game.RankRequest) game.RankAnswer {
		r.Map = "m"
		c := make(chan game.RankAnswer, 1)
		j.Submit(&r, game.RankOrigin{Server: "GER"}, func(a game.RankAnswer) { c <- a })
		return <-c
	}
	a := ask(game.RankRequest{Op: game.RankOf, Name: "ben"})
	testenv.Check(t, a.Own.Rank == 2 && a.Own.Time == 61980 && a.Percent == 50, "%+v", a.Own)
	a = ask(game.RankRequest{Op: game.RankBest, Name: "ann"})
	testenv.Check(t, a.Own.Time == 61980 && len(a.Checkpoints) == 1 && a.Checkpoints[0] == 1500, "%+v", a)
	a = ask(game.RankRequest{Op: game.RankTeamOf, Name: "ben"})
	testenv.Check(t, a.Own.Time == 70500 && len(a.Own.Names) == 2, "%+v", a.Own)
	a = ask(game.RankRequest{Op: game.RankPoints, Name: "ann"})
	testenv.Check(t, a.Own.Points == 20, "%+v", a.Own)
	a = ask(game.RankRequest{Op: game.RankSaves, Name: "ben"})
	testenv.Check(t, a.Count == 1, "%+v", a)
	testenv.NoError(t, j.Close())
	_, err = Import(t.Context(), from, "record; DROP", j.Add)
	testenv.Check(t, errors.Is(err, ErrPrefix), "%v", err)
}
