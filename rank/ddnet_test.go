package rank

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tables is a Source with rows for each table. The keys are the ends of the names of the tables.
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

func savedTeam(names ...string) string {
	var s ddrace.SavedTeam
	for _, name := range names {
		s.Tees = append(s.Tees, ddrace.SavedTee{Name: name})
	}
	return string(s.Append(nil))
}

// TestImport imports tables twice. For the second import, the tables have a new row, changed points
// and an invalid row.
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
		"saves":    {{"m", "code", savedTeam("ann", "ben"), "1700000000", "GER", "uuid"}},
	}
	r, err := Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r == Imported{Finishes: 2, TeamFinishes: 2, Maps: 1, Points: 1, Saves: 1, New: 7}, "%+v, %v", r, err)
	from["race"] = append(from["race"], race("cid", "50"), race("eve", "-1"), race("", "50"))
	from["maps"] = append(from["maps"], []string{"", "Novice", "me", "3", "2", "1600000000"})
	for table, rows := range from { // a separator in a text splits a row into two
		from[table] = append(rows, rows[0][:1], []string{}, append(slices.Clone(rows[0]), "more"))
	}
	from["points"][0][1] = "20"
	r, err = Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r.New == 2 && r.Refused == 18, "again: %+v, %v", r, err)
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
	testenv.Must(j.Add([]Entry{{ID: number(1), Kind: SetPoints, Names: []string{"cat"}, Points: math.MaxInt32},
		{ID: number(2), Kind: Finish, Names: []string{"cat"}, Map: "m", Time: 1}}))
	a = ask(game.RankRequest{Op: game.RankPoints, Name: "cat"})
	testenv.Check(t, a.Own.Points == math.MaxInt32, "too many points: %+v", a.Own)
	testenv.NoError(t, j.Close())
	_, err = Import(t.Context(), from, "record; DROP", j.Add)
	testenv.Check(t, errors.Is(err, ErrPrefix), "%v", err)
}

// TestImportOfBrokenRows imports rows with invalid dates, names, points and saves. The valid parts
// are imported, and each kind of fault is counted.
func TestImportOfBrokenRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	j := Open(Config{Path: path})
	race := func(name, when string) []string {
		return append([]string{"m", name, when, "61.98", "GER", "game", "0"}, make([]string, game.MaxCheckpoints)...)
	}
	const future = "4102444800" // 2100
	from := tables{
		"race": {race("good", "1700000000"), race("unknown", ""), race("zero", "0"), race("garbage", "no date"), race("before", "-1"), race("tomorrow", future),
			race("nameless tee 123", "1700000000"), race("fifteen bytes \u00e9", "1700000000"), race("caf\xe9", "1700000000")},
		"teamrace": {{"0A", "m", future, "70.5", "game", "0", "ann"}, {"0A", "m", future, "70.5", "game", "0", "nameless tee 123"}},
		"maps": {{"m", "Novice", "me", "3", "2", future}, {"n", "Novice", "me", "", "", ""}, {"minus", "Novice", "me", "-3", "2", ""},
			{"stars", "Novice", "me", "3", "many", ""}, {"large", "Novice", "me", "3000000000", "2", ""}},
		"points": {{"nameless tee 123", "17"}, {"minus", "-3"}, {"text", "many"}, {"half", "1.5"}},
		"saves": {{"m", "good", savedTeam("ann"), "no date", "GER", "uuid"}, {"m", "bad", "2\t1\t0\nann\tx", "1700000000", "GER", "uuid"},
			{"m", "empty", "", "1700000000", "GER", "uuid"}},
	}
	want := Imported{Finishes: 9, TeamFinishes: 1, Maps: 5, Points: 4, Saves: 3, New: 14, BadPoints: 6, BadSaves: 2, Undated: 6, Renamed: 5}
	r, err := Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r == want, "%+v, %v", r, err)
	from["race"][3][2] = "" // as it was imported before
	want.New, want.Undated = 0, 5
	r, err = Import(t.Context(), from, "record", j.Add)
	testenv.Check(t, err == nil && r == want, "again: %+v, %v", r, err)
	testenv.NoError(t, j.Close())

	got := map[string]int64{}
	testenv.NoError(t, Read(path, func(e *Entry) { got[fmt.Sprint(e.Kind, e.Map, e.Names, e.Points)] = e.When }))
	const known = 1_700_000_000
	diff := cmp.Diff(map[string]int64{
		"1m[good] 0": known, "1m[unknown] 0": 0, "1m[zero] 0": 0, "1m[garbage] 0": 0, "1m[before] 0": 0, "1m[tomorrow] 0": 0,
		"1m[nameless tee 12] 0": known, "1m[fifteen bytes ] 0": known, "1m[caf?] 0": known, "1m[ann nameless tee 12] 0": 0,
		"3m[] 3": 0, "3n[] 0": 0, "2[nameless tee 12] 17": 0, "4m[ann] 0": 0,
	}, got)
	testenv.Check(t, diff == "", "%s", diff)

	j = Open(Config{Path: path})
	c := make(chan game.RankAnswer, 1)
	ask := func(r game.RankRequest) game.RankAnswer {
		r.Map = "m"
		j.Submit(&r, game.RankOrigin{Server: "GER"}, func(a game.RankAnswer) { c <- a })
		return <-c
	}
	a := ask(game.RankRequest{Op: game.RankTimes, Name: "tomorrow"})
	testenv.Check(t, len(a.Rows) == 1 && a.Rows[0].Age == -1, "%+v", a.Rows)
	a = ask(game.RankRequest{Op: game.RankTimes})
	testenv.Check(t, len(a.Rows) == 5 && a.Rows[0].Age > 0, "what has no date is the last: %+v", a.Rows)
	_, err = j.Add([]Entry{{ID: number(1), Kind: Save, Map: "m", Code: "dated", Text: savedTeam("ann"), Names: []string{"ann"}, When: known}})
	testenv.NoError(t, err)
	a = ask(game.RankRequest{Op: game.RankSaves, Name: "ann"})
	testenv.Check(t, a.Count == 2 && a.Save.Age > 0, "the last save is one with a date: %+v", a.Save)
	testenv.NoError(t, j.Close())
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestReadRow reads rows around the limit and a far longer one. Rows over the limit have no
// columns, cost little memory, and do not affect the next row.
func TestReadRow(t *testing.T) {
	end := func() io.Reader { return strings.NewReader("\x1e") }
	short := strings.NewReader("a\x1f\x1fb\x1e")
	r := bufio.NewReader(io.MultiReader(short, io.LimitReader(zeros{}, maxRow-1), end(), io.LimitReader(zeros{}, maxRow), end(),
		io.LimitReader(zeros{}, 1<<30), end(), strings.NewReader("c\x1fd\x1erest")))
	var got []string
	allocated := testenv.Allocated(func() {
		for {
			columns, err := readRow(r)
			if err != nil {
				testenv.Check(t, err == io.EOF, "%v", err)
				return
			}
			if len(columns) == 1 {
				columns[0] = fmt.Sprint(len(columns[0]))
			}
			got = append(got, strings.Join(columns, ","))
		}
	})
	want := []string{"a,,b", fmt.Sprint(maxRow - 1), "", "", "c,d"}
	testenv.Check(t, slices.Equal(got, want), "%q, want %q", got, want)
	testenv.Check(t, allocated < 30*maxRow, "%d bytes allocated", allocated)
}

// TestImportOfHugeTexts imports an SQLite file. Rows with texts of some MiB are left out. Views
// that create longer or very many texts reach the memory limit of sqlite3.
func TestImportOfHugeTexts(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "sqlite")
	sqlite := func(commands string) {
		t.Helper()
		out, err := exec.Command("sqlite3", file, commands).CombinedOutput()
		testenv.Require(t, err == nil, "%v: %s", err, out)
	}
	columns := ""
	for i := range game.MaxCheckpoints {
		columns += fmt.Sprint(", cp", i+1)
	}
	sqlite("CREATE TABLE record_race (Map, Name, Timestamp, Time, Server, GameID, DDNet7" + columns +
		"); CREATE TABLE record_teamrace (Map, Name, Timestamp, Time, ID, GameID, DDNet7);" +
		"CREATE TABLE record_maps (Map, Server, Mapper, Points, Stars, Timestamp); CREATE TABLE record_points " +
		"(Name, Points); CREATE TABLE record_saves (Map, Code, Savegame, Timestamp, Server, SaveID);" +
		"INSERT INTO record_race(Map, Name, Time, Server) VALUES ('m', 'ann', 5, 'GER'), ('m', 'ben', 5, " +
		"printf('%.*c', 1100000, 'x')), ('m', 'cid', 5, printf('%.*c', 5000000, 'x')), ('m', 'eve', 5, 'GER');" +
		"INSERT INTO record_maps VALUES ('m', 'Novice', printf('%.*c', 2000000, 'x'), 3, 2, NULL), ('n', 'Novice', 'me', 3, 2, NULL)")
	importAll := func() (Imported, error) {
		j := Open(Config{Path: filepath.Join(t.TempDir(), "file")})
		r, err := Import(t.Context(), SQLite(file), "record", j.Add)
		testenv.NoError(t, j.Close())
		return r, err
	}
	r, err := importAll()
	testenv.Check(t, err == nil && r == Imported{Finishes: 2, Maps: 1, New: 3, Refused: 3}, "%+v, %v", r, err)
	views := []string{
		"SELECT printf('%.*c', 70000000, 'x') AS Name, 0 AS Points",
		// sqlite3 sorts all of them
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 300) SELECT printf('%.*c', 1000000, 'x') AS Name, i AS Points FROM n",
	}
	for _, view := range views[:testenv.Amount(1, len(views))] {
		sqlite("ALTER TABLE record_points RENAME TO points; CREATE VIEW record_points AS " + view)
		r, err = importAll()
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "more than the 64 MiB that sqlite3 may use") &&
			r.New == 3 && r.Points == 0, "%+v, %v", r, err)
		sqlite("DROP VIEW record_points; ALTER TABLE points RENAME TO record_points")
	}
}
