package ddnetdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/rank"
)

// ranking selects the best time of each name with its rank.
const ranking = "SELECT RANK() OVER w AS Ranking, MIN(Time) AS Time, Name FROM #_race " +
	"WHERE Map = ? AND Server LIKE ? GROUP BY Name WINDOW w AS (ORDER BY MIN(Time))"

// teamRanking selects the time of each team with its rank, and the number of teams.
const teamRanking = "SELECT RANK() OVER w AS Ranking, COUNT(*) OVER () AS Teams, MIN(Time) AS Time, ID FROM #_teamrace " +
	"WHERE Map = ? GROUP BY ID WINDOW w AS (ORDER BY MIN(Time))"

// ago is the age of a row in seconds, or -1 for the date 0000-00-00 of old rows.
const ago = "IF(Timestamp = 0, -1, GREATEST(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(Timestamp), 0))"

// Answer implements rank.Remote.
func (s *Store) Answer(ctx context.Context, r *game.RankRequest, from game.RankOrigin) (a game.RankAnswer, err error) {
	a = r.Answer()
	a.Server = from.Server
	// The answer begins at place From and goes forwards, or backwards if From is negative.
	skip, order, back := max(abs(r.From)-1, 0), "ASC", "DESC"
	if r.From < 0 {
		order, back = back, order
	}
	local := "%" + escape(from.Server) + "%"
	switch r.Op {
	case game.RankBest:
		err = s.best(ctx, r, &a)
	case game.RankOf:
		err = s.rankOf(ctx, r.Map, r.Name, local, &a)
	case game.RankTop:
		top := func(server string, n int, rows *[]game.RankRow) error {
			return s.query(ctx, "SELECT Ranking, Time, Name FROM ("+ranking+") AS a ORDER BY Ranking "+order+", Name LIMIT ?, ?",
				[]any{r.Map, server, skip, n}, func(c []string) error {
					*rows = append(*rows, game.RankRow{Rank: integer(c[0]), Names: []string{strings.Clone(c[2])}, Time: ms(c[1])})
					return nil
				})
		}
		if err = top("%", 5, &a.Rows); err == nil {
			err = top(local, 3, &a.Local)
		}
	case game.RankTeamOf:
		err = s.teams(ctx, &a, "SELECT ID FROM #_teamrace WHERE Map = ? AND Name = ? ORDER BY Time, ID LIMIT 1", []any{r.Map, r.Name}, "ASC")
		if len(a.Rows) > 0 {
			a.Found, a.Own, a.Rows = true, &a.Rows[0], nil
		}
	case game.RankTeamTop:
		if r.Name == "" {
			err = s.teams(ctx, &a, "SELECT ID FROM #_teamrace WHERE Map = ? GROUP BY ID ORDER BY MIN(Time) "+order+", ID LIMIT ?, 5", []any{r.Map, skip}, order)
		} else {
			err = s.teams(ctx, &a, "SELECT ID FROM #_teamrace WHERE Map = ? AND Name = ? ORDER BY Time "+order+", ID LIMIT ?, 5",
				[]any{r.Map, r.Name, skip}, order)
		}
		a.Found = len(a.Rows) > 0
	case game.RankTimes:
		where, args := "Map = ?", []any{r.Map}
		if r.Name != "" {
			where, args = "Map = ? AND Name = ?", append(args, r.Name)
		}
		err = s.query(ctx, "SELECT Time, "+ago+", Server, Name FROM #_race WHERE "+where+" ORDER BY Timestamp "+back+", Name, Time LIMIT ?, 5",
			append(args, skip), func(c []string) error {
				row := game.RankRow{Time: ms(c[0]), Age: int64(integer(c[1])), Server: strings.Clone(c[2]), Names: []string{strings.Clone(c[3])}}
				a.Rows = append(a.Rows, row)
				return nil
			})
	case game.RankPoints:
		err = s.query(ctx, "SELECT (SELECT COUNT(*) + 1 FROM #_points AS o WHERE o.Points > p.Points), Points FROM #_points AS p WHERE Name = ?",
			[]any{r.Name}, func(c []string) error {
				a.Found, a.Own = true, &game.RankRow{Rank: integer(c[0]), Names: []string{r.Name}, Points: integer(c[1])}
				return nil
			})
	case game.RankTopPoints:
		err = s.query(ctx, "SELECT RANK() OVER (ORDER BY Points DESC) AS Ranking, Points, Name FROM #_points ORDER BY Ranking, Name LIMIT ?, 5",
			[]any{max(int64(r.From)-1, 0)}, func(c []string) error {
				a.Rows = append(a.Rows, game.RankRow{Rank: integer(c[0]), Points: integer(c[1]), Names: []string{strings.Clone(c[2])}})
				return nil
			})
	case game.RankMapInfo:
		err = s.mapInfo(ctx, r, &a)
	case game.RankSave, game.RankSaved, game.RankLoad, game.RankSaves:
		err = s.saves(ctx, r, from, &a)
	}
	return a, err
}

// rankOf answers with the rank of a player, both among all times and among the times of a server.
// The query reads the finishes on the map once. DDNet-Server reads them for each of the two.
func (s *Store) rankOf(ctx context.Context, mapName, name, local string, a *game.RankAnswer) error {
	const best = "SELECT MIN(Time) AS Best, MIN(IF(Server LIKE ?, Time, NULL)) AS BestThere FROM #_race WHERE Map = ?"
	// The fourth column is o.BestThere as FLOAT. MariaDB would convert it to DOUBLE and add digits.
	return s.query(ctx, "SELECT MAX(o.Best), SUM(a.Best < o.Best) + 1, COUNT(a.Best), (SELECT MIN(Time) FROM "+
		"#_race WHERE Map = ? AND Name = ? AND Server LIKE ?), "+
		"SUM(a.BestThere < o.BestThere) + 1 FROM ("+best+" GROUP BY Name) AS a, ("+best+" AND Name = ?) AS o",
		[]any{mapName, name, local, local, mapName, local, mapName, name}, func(c []string) error {
			if c[0] == "" {
				return nil
			}
			a.Found, a.Own = true, &game.RankRow{Rank: integer(c[1]), Names: []string{name}, Time: ms(c[0])}
			a.Percent = rank.Percent(int(integer(c[1])), int(integer(c[2])))
			if c[3] != "" {
				a.Local = []game.RankRow{{Rank: integer(c[4]), Names: []string{name}, Time: ms(c[3])}}
			}
			return nil
		})
}

// best answers with the best time on the map, the best time of the player, and the checkpoints of
// the player's fastest run with checkpoints.
func (s *Store) best(ctx context.Context, r *game.RankRequest, a *game.RankAnswer) error {
	err := s.query(ctx, "SELECT Name, Time FROM #_race WHERE Map = ? ORDER BY Time, Name LIMIT 1", []any{r.Map}, func(c []string) error {
		a.Rows = append(a.Rows, game.RankRow{Rank: 1, Names: []string{strings.Clone(c[0])}, Time: ms(c[1])})
		return nil
	})
	if err != nil || r.Name == "" {
		return err
	}
	var list []string
	for i := range game.MaxCheckpoints {
		list = append(list, fmt.Sprint("cp", i+1))
	}
	return s.query(ctx, "SELECT (SELECT MIN(Time) FROM #_race WHERE Map = ? AND Name = ?), "+strings.Join(list, ", ")+
		" FROM #_race WHERE Map = ? AND Name = ? ORDER BY ("+strings.Join(list, " + ")+" > 0) DESC, Time LIMIT 1",
		[]any{r.Map, r.Name, r.Map, r.Name}, func(c []string) error {
			a.Found, a.Own = true, &game.RankRow{Names: []string{r.Name}, Time: ms(c[0])}
			for _, t := range c[1:] {
				a.Checkpoints = append(a.Checkpoints, ms(t))
			}
			return nil
		})
}

// teams answers with the teams whose IDs a query selects.
func (s *Store) teams(ctx context.Context, a *game.RankAnswer, ids string, args []any, order string) error {
	last := ""
	return s.query(ctx, "SELECT HEX(t.ID), t.Ranking, t.Time, t.Teams, r.Name FROM ("+teamRanking+") AS t INNER JOIN ("+ids+") AS l ON t.ID = l.ID "+
		"INNER JOIN #_teamrace AS r ON r.ID = t.ID ORDER BY t.Ranking "+order+", t.ID, r.Name", append([]any{a.Map}, args...), func(c []string) error {
		if c[0] != last {
			last = strings.Clone(c[0])
			a.Percent = rank.Percent(int(integer(c[1])), int(integer(c[3])))
			a.Rows = append(a.Rows, game.RankRow{Rank: integer(c[1]), Time: ms(c[2])})
		}
		row := &a.Rows[len(a.Rows)-1]
		row.Names = append(row.Names, strings.Clone(c[4]))
		return nil
	})
}

func (s *Store) mapInfo(ctx context.Context, r *game.RankRequest, a *game.RankAnswer) error {
	name := r.Name
	if name == "" {
		name = r.Map
	}
	// Wildcards in the name act as wildcards, as in DDNet.
	fuzzy, prefix := "", strings.ReplaceAll(name, `\`, `\\`)+"%"
	for _, c := range name {
		fuzzy += strings.ReplaceAll(string(c), `\`, `\\`) + "%"
	}
	err := s.query(ctx, "SELECT Map, Server, Mapper, Points, Stars, "+ago+" FROM #_maps WHERE Map LIKE CONVERT(? USING utf8mb4) COLLATE utf8mb4_general_ci "+
		"ORDER BY Map = ? DESC, Map LIKE ? DESC, LENGTH(Map), Map LIMIT 1", []any{fuzzy, name, prefix}, func(c []string) error {
		a.Found, a.Info = true, &game.RankMap{
			Name: strings.Clone(c[0]), Server: strings.Clone(c[1]), Mapper: strings.Clone(c[2]), Points: integer(c[3]),
			Stars: integer(c[4]), Age: int64(integer(c[5])),
		}
		return nil
	})
	if err != nil || !a.Found {
		return err
	}
	m := a.Info
	err = s.query(ctx, "SELECT SUM(Finishes), COUNT(*), (SELECT MIN(Time) FROM #_race WHERE Map = ? AND Name = ?) FROM "+
		"(SELECT COUNT(*) AS Finishes FROM #_race WHERE Map = ? GROUP BY Name) AS a", []any{m.Name, r.Asker, m.Name}, func(c []string) error {
		m.Finishes, m.Finishers, m.Own = integer(c[0]), integer(c[1]), ms(c[2])
		return nil
	})
	if err != nil || m.Finishes == 0 {
		return err
	}
	// Select the middle time, or the middle two. MEDIAN takes ten times as long, and MySQL lacks
	// it.
	sum, n := int64(0), 2-m.Finishes%2
	err = s.query(ctx, "SELECT Time FROM #_race WHERE Map = ? ORDER BY Time LIMIT ?, ?", []any{m.Name, (m.Finishes - 1) / 2, n}, func(c []string) error {
		sum += int64(ms(c[0]))
		return nil
	})
	m.Median = int32(sum / int64(n))
	return err
}

// errTaken means that the code of a save is already in use and nothing was saved.
var errTaken = errors.New("the code is already in use")

// saves stores and loads saves. Each save is loaded once. Every change is in a transaction together
// with the ID of its request.
func (s *Store) saves(ctx context.Context, r *game.RankRequest, from game.RankOrigin, a *game.RankAnswer) error {
	saved := func(query func(context.Context, string, ...any) *sql.Row, where string, args ...any) (*game.RankSaveState, error) {
		var text string
		var id sql.NullString
		var age int64
		err := query(ctx, s.with("SELECT Savegame, SaveID, "+ago+" FROM #_saves WHERE "+where), args...).Scan(&text, &id, &age)
		if err == sql.ErrNoRows {
			return nil, nil
		}
		return &game.RankSaveState{ID: id.String, Text: text, Age: age, Who: rank.SavedNames(text)}, err
	}
	switch r.Op {
	case game.RankSaved:
		state, err := saved(s.db.QueryRowContext, "Map = ? AND Code = ? AND DDNet7 = FALSE", r.Map, r.Code)
		a.Found, a.Save = err == nil && state != nil, state
		return err
	case game.RankSaves:
		return s.query(ctx, "SELECT COUNT(*), IFNULL(MIN(NULLIF("+ago+", -1)), -1) FROM #_saves WHERE Map = ? AND Savegame LIKE ?",
			[]any{r.Map, "%\n" + escape(r.Name) + "\t%"}, func(c []string) error {
				if a.Count = integer(c[0]); a.Count > 0 {
					a.Save = &game.RankSaveState{Age: int64(integer(c[1]))}
				}
				return nil
			})
	case game.RankSave:
		id := rank.SaveID(from.ID)
		err := s.transact(ctx, func(tx *sql.Tx) error {
			fresh, err := s.isNew(ctx, tx, from.ID)
			if err != nil || !fresh { // the request was carried out before; the save may have been loaded since
				return err
			}
			res, err := tx.ExecContext(ctx, s.with("INSERT IGNORE INTO #_saves(Savegame, Map, Code, Timestamp, "+
				"Server, SaveID, DDNet7) VALUES (?, ?, ?, CURRENT_TIMESTAMP, ?, ?, FALSE)"),
				r.Text, r.Map, r.Code, cut(from.Server, 4), id)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 1 {
				return err
			}
			return errTaken
		})
		if err == errTaken {
			return nil
		}
		if a.Found = err == nil; a.Found {
			a.Save.ID = id
		}
		return err
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		var text sql.NullString
		err := tx.QueryRowContext(ctx, s.with("SELECT Savegame FROM #_delivered WHERE ID = ?"), from.ID[:]).Scan(&text)
		if err == nil { // a repeated request gets the same save again
			if a.Found = text.Valid; a.Found {
				a.Save = &game.RankSaveState{ID: r.SaveID, Text: text.String, Who: rank.SavedNames(text.String)}
			}
			return nil
		}
		if err != sql.ErrNoRows {
			return err
		}
		state, err := saved(tx.QueryRowContext, "Map = ? AND Code = ? AND IFNULL(SaveID, '') = ? FOR UPDATE", r.Map, r.Code, r.SaveID)
		if err != nil || state == nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, s.with("DELETE FROM #_saves WHERE Map = ? AND Code = ? AND IFNULL(SaveID, '') = ?"),
			r.Map, r.Code, r.SaveID); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, s.with("INSERT INTO #_delivered(ID, Savegame) VALUES (?, ?)"), from.ID[:], state.Text)
		a.Found, a.Save = err == nil, state
		return err
	})
}

// escape returns a LIKE pattern that matches only the text.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func abs(n int32) int64 {
	if n < 0 {
		return -int64(n)
	}
	return int64(n)
}

func ms(text string) int32 {
	s, err := strconv.ParseFloat(text, 64)
	if t := math.Round(s * 1000); err == nil && t > 0 && t <= math.MaxInt32 {
		return int32(t)
	}
	return 0
}

func integer(text string) int32 {
	n, _ := strconv.ParseFloat(text, 64)
	return int32(min(max(n, math.MinInt32), math.MaxInt32))
}
