package rank

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// BenchmarkMillion reads a file with a million finishes by 20,000 players on 2000 maps. A tenth of
// them are on one map, for which it then requests ranks.
func BenchmarkMillion(b *testing.B) {
	const rows, maps = 1_000_000, 2000
	path := filepath.Join(b.TempDir(), "file")
	file := []byte(magic)
	for i := range maps {
		e := Entry{ID: number(rows + i), Kind: SetMap, Map: fmt.Sprint("map ", i), Server: "Novice", Text: "somebody", Points: int32(1 + i%20), When: now}
		file = e.append(file)
	}
	for i := range rows {
		h := uint32(i) * 2654435761
		on := h >> 8 % maps
		if i%10 == 0 {
			on = 7
		}
		e := Entry{ID: number(i), Kind: Finish, When: now + int64(i), Map: fmt.Sprint("map ", on), Names: []string{fmt.Sprint("player ", h%20000)},
			Time: int32(60_000 + h>>4%500_000*20), Checkpoints: []int32{10_000, 20_000, 30_000, 40_000},
			Server: []string{"GER", "USA"}[i%2], GameID: "01234567-89ab-cdef-0123-456789abcdef", Log: "2026-11-21_030405_map.twreplay"}
		file = e.append(file)
	}
	testenv.NoError(b, os.WriteFile(path, file, 0o600))
	size := len(file)
	file = nil
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		j := newJournal(Config{Path: path})
		start := time.Now()
		testenv.NoError(b, j.exchange(nil))
		b.ReportMetric(time.Since(start).Seconds(), "s/start")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
		b.ReportMetric(float64(size)/(1<<20), "MB/file")
		for op, name := range map[game.RankOp]string{
			game.RankBest: "best", game.RankOf: "rank", game.RankTop: "top5", game.RankTimes: "times",
			game.RankPoints: "points", game.RankTopPoints: "toppoints", game.RankMapInfo: "mapinfo",
		} {
			start := time.Now()
			for range 10 {
				j.index.answer(&game.RankRequest{Op: op, Map: "map 7",
					Name: map[bool]string{true: "map 7", false: "player 77"}[op == game.RankMapInfo], From: 1}, "GER", new(game.RankAnswer))
			}
			b.ReportMetric(float64(time.Since(start).Microseconds())/10, "us/"+name)
		}
	}
}
