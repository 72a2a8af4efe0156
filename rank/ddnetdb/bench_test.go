package ddnetdb

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
)

// BenchmarkDelivery delivers imported finishes and team finishes, in batches as the journal does.
// The tables already contain as many rows.
func BenchmarkDelivery(b *testing.B) {
	_, s := startMariaDB(b)
	const others = 20_000
	fill(b, s, "teamrace(Map, Name, Time, ID)", others, func(i int) string {
		return fmt.Sprintf("('map %d', 'other %d', 60, UNHEX('%032x'))", i/2%100, i%977, i/2)
	})
	fill(b, s, "race(Map, Name, Time, Timestamp, Server)", others, func(i int) string {
		return fmt.Sprintf("('map %d', 'other %d', %d, FROM_UNIXTIME(%d), 'GER')", i%100, i%977, 60+i%77, 1_600_000_000+i)
	})
	const batches, batch = 10, 100
	id := 0
	for name, team := range map[string]bool{"finishes": false, "teams": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				for range batches {
					entries := make([]rank.Entry, batch)
					for i := range entries {
						id++
						e := finish(id)
						e.Map = fmt.Sprint("map ", id%100)
						if e.Team = team; team {
							e.Names = []string{fmt.Sprint("b", id%499), fmt.Sprint("a", id%997)}
						}
						entries[i] = e
					}
					testenv.NoError(b, s.Deliver(b.Context(), entries))
				}
				b.ReportMetric(batches*batch/time.Since(start).Seconds(), "finishes/s")
			}
		})
	}
}

// fill adds n rows to a table.
func fill(b *testing.B, s *Store, table string, n int, row func(i int) string) {
	for i := 0; i < n; {
		var rows []string
		for ; i < n && len(rows) < 2000; i++ {
			rows = append(rows, row(i))
		}
		testenv.Must(s.db.ExecContext(b.Context(), "INSERT INTO "+s.prefix+"_"+table+" VALUES "+strings.Join(rows, ", ")))
	}
}

// BenchmarkQuestions measures each question of players for a map with 56,000 finishes by 9000
// players.
func BenchmarkQuestions(b *testing.B) {
	_, s := startMariaDB(b)
	fill(b, s, "race(Map, Name, Time, Timestamp, Server, cp1, cp2)", 80_000, func(i int) string {
		h := uint32(i) * 2654435761
		name := "m"
		if i >= 56_000 {
			name = fmt.Sprint("map ", i%100)
		}
		return fmt.Sprintf("('%s', 'player %d', %.2f, FROM_UNIXTIME(%d), '%s', 1.5, 2.5)", name, h>>8%9000,
			60+float64(h>>4%50_000)/50, 1_600_000_000+i, []string{"GER", "USA", "CHL"}[i%3])
	})
	testenv.Must(s.db.ExecContext(b.Context(), "INSERT INTO record_maps(Map, Server, Mapper, Points, Stars) VALUES ('m', 'Novice', 'me', 3, 2)"))
	for _, q := range []struct {
		name string
		r    game.RankRequest
	}{
		{"best", game.RankRequest{Op: game.RankBest, Name: "player 77"}},
		{"rank", game.RankRequest{Op: game.RankOf, Name: "player 77"}},
		{"top5", game.RankRequest{Op: game.RankTop, From: 1}},
		{"times", game.RankRequest{Op: game.RankTimes, From: 1}},
		{"mapinfo", game.RankRequest{Op: game.RankMapInfo, Name: "m", Asker: "player 77"}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				q.r.Map = "m"
				a, err := s.Answer(b.Context(), &q.r, game.RankOrigin{Server: "GER"})
				testenv.NoError(b, err)
				testenv.Require(b, a.Found || len(a.Rows) > 0, "%+v", a)
			}
		})
	}
}
