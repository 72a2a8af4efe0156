package ranks

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLines checks the texts that internal/peers does not compare with DDNet's server.
func TestLines(t *testing.T) {
	ann := []string{"ann"}
	team := game.RankRow{Rank: 2, Names: []string{"ann", "ben", "cid"}, Time: 3_661_230}
	for _, c := range []struct {
		a     game.RankAnswer
		toAll bool
		want  string
	}{
		{game.RankAnswer{Op: game.RankOf, Name: "ann", Asker: "ann", Own: &game.RankRow{Rank: 3, Names: ann, Time: 59_990}, Percent: 50, Server: "GER"}, true,
			"ann - 00:59.99 - better than 50%|Global rank 3 - GER unranked"},
		{game.RankAnswer{Op: game.RankOf, Name: "ann"}, false, "ann is not ranked"},
		{game.RankAnswer{Op: game.RankTeamOf, Name: "ann", Asker: "ben", Own: &team, Percent: 7}, true,
			"2. ann, ben & cid Team time: 01:01:01.23, better than 7%, requested by ben"},
		{game.RankAnswer{Op: game.RankTeamTop, Rows: []game.RankRow{team}}, false,
			"------- Team Top 5 -------|2. ann, ben & cid Team Time: 01:01:01.23|-------------------------------"},
		{game.RankAnswer{Op: game.RankTeamTop, Name: "ann", From: 9}, false, "ann has no team ranks in the specified range"},
		{game.RankAnswer{Op: game.RankTimes, Rows: []game.RankRow{{Names: ann, Time: 1860, Age: 90061, Server: "GER"},
			{Names: ann, Time: 1860, Age: -1, Server: "UNK"}}}, false,
			"------------- Last Times -------------|[GER] ann, 1 day and 1 hour ago, 00:01.86|ann, 00:01.86, don't know when|" +
				"----------------------------------------------------"},
		{game.RankAnswer{Op: game.RankFinish, Points: 1}, false, "You earned 1 point for finishing this map!"},
		{game.RankAnswer{Op: game.RankSaves, Name: "ann", Map: "m", Count: 2, Save: &game.RankSaveState{Age: 61}}, false,
			"ann has 2 saves on m, last saved 1 min and 1 sec ago"},
		{game.RankAnswer{Op: game.RankSaves, Name: "ann", Map: "m", Count: 1, Save: &game.RankSaveState{Age: -1}}, false, "ann has 1 save on m"},
		{game.RankAnswer{Op: game.RankMapInfo, Name: "x"}, false, `No map like "x" found.`},
		{game.RankAnswer{Op: game.RankMapInfo, Info: &game.RankMap{Name: "M", Mapper: "me", Server: "Novice", Points: 1, Stars: 2, Age: -1,
			Finishes: 3, Finishers: 1, Median: 61_900, Own: 5000}}, false,
			`"M" by me on Novice, ★★✰✰✰, 1 point, 3 finishes by 1 tee in 01:01 median, your time: 00:05.00`},
	} {
		lines, toAll := Lines(&c.a, false)
		got := strings.Join(lines, "|")
		testenv.Check(t, got == c.want && toAll == c.toAll, "%q to all: %v, want %q", got, toAll, c.want)
	}
	for _, a := range []game.RankAnswer{{Op: game.RankOf, Own: &team, Percent: 7}, {Op: game.RankTeamOf, Own: &team, Percent: 7}} {
		lines, toAll := Lines(&a, true)
		testenv.Check(t, !toAll && len(lines) == 1 && strings.HasSuffix(lines[0], "time: 01:01:01.23, better than 7%"), "hidden: %q to all: %v", lines, toAll)
	}
}
