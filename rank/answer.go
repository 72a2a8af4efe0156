package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/teeyard/teeyard/game"
)

// The numbers of rows per answer. localRows is for the rows of the player's own server.
const (
	rows      = 5
	localRows = 3
)

// answer answers a question of players.
func (x *index) answer(r *game.RankRequest, server string, a *game.RankAnswer) {
	a.Server = server
	c := x.courses[r.Map]
	if c == nil {
		c = new(course)
	}
	player, known := x.nameNo[r.Name]
	switch r.Op {
	case game.RankBest:
		if top := x.ranking(c); len(top) > 0 {
			a.Rows = []game.RankRow{x.row(1, top[0])}
		}
		if b, ok := c.best[player]; ok && known {
			a.Found, a.Own = true, &game.RankRow{Names: []string{r.Name}, Time: b.time}
			a.Checkpoints = (&decoder{b: []byte(b.checkpoints)}).checkpoints()
		}
	case game.RankOf:
		if !known {
			return
		}
		var own *game.RankRow
		if own, a.Percent = x.rankOf(x.ranking(c), player); own != nil {
			a.Found, a.Own = true, own
			if own, _ = x.rankOf(x.localRanking(c, server), player); own != nil {
				a.Local = []game.RankRow{*own}
			}
		}
	case game.RankTop:
		a.Rows = x.top(x.ranking(c), r.From, rows)
		a.Local = x.top(x.localRanking(c, server), r.From, localRows)
	case game.RankTeamOf:
		c.sortTeams()
		for i, t := range c.teams {
			if slices.Contains(t.names, r.Name) {
				rank := c.teamRank(i)
				a.Found, a.Percent = true, Percent(rank, len(c.teams))
				a.Own = &game.RankRow{Rank: int32(rank), Names: t.names, Time: t.time}
				return
			}
		}
	case game.RankTeamTop:
		c.sortTeams()
		of := make([]int, 0, len(c.teams))
		for i, t := range c.teams {
			if r.Name == "" || slices.Contains(t.names, r.Name) {
				of = append(of, i)
			}
		}
		for _, i := range part(of, r.From, rows, func(i, j int) bool { return c.teams[i].time == c.teams[j].time }) {
			a.Rows = append(a.Rows, game.RankRow{Rank: int32(c.teamRank(i)), Names: c.teams[i].names, Time: c.teams[i].time})
		}
		a.Found = len(a.Rows) > 0
	case game.RankTimes:
		x.times(c, r, a, player, known)
	case game.RankPoints:
		points, ok := x.points[player]
		if !known || !ok {
			return
		}
		better := 0
		for _, p := range x.points {
			if p > points {
				better++
			}
		}
		a.Found, a.Own = true, &game.RankRow{Rank: int32(better) + 1, Names: []string{r.Name}, Points: points}
	case game.RankTopPoints:
		x.topPoints(r.From, a)
	case game.RankMapInfo:
		x.mapInfo(r, a)
	case game.RankSaved:
		if e := x.saves[saveKey{r.Map, r.Code}]; e != nil {
			a.Found, a.Save = true, x.saveState(e)
		}
	case game.RankSaves:
		for k, e := range x.saves {
			if k.mapName == r.Map && slices.Contains(e.Names, r.Name) {
				if age := x.age(e.When); a.Count == 0 || a.Save.Age < 0 || age >= 0 && age < a.Save.Age {
					a.Save = &game.RankSaveState{Age: age}
				}
				a.Count++
			}
		}
	}
}

// age returns how many seconds ago the time when was, or -1 if it is unknown.
func (x *index) age(when int64) int64 {
	if when <= 0 {
		return -1
	}
	return max(x.now()-when, 0)
}

func (x *index) saveState(e *Entry) *game.RankSaveState {
	return &game.RankSaveState{ID: e.SaveID, Text: e.Text, Age: x.age(e.When), Who: e.Names}
}

// ranking returns the best times of a course in ascending order. Equal times are sorted by name.
func (x *index) ranking(c *course) []place {
	if c.ranking == nil && len(c.best) > 0 {
		c.ranking = make([]place, 0, len(c.best))
		for p, b := range c.best {
			c.ranking = append(c.ranking, place{p, b.time})
		}
		x.sort(c.ranking)
	}
	return c.ranking
}

func (x *index) sort(p []place) {
	slices.SortFunc(p, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(x.names[a.player], x.names[b.player]))
	})
}

// localRanking returns the ranking of a server's times. As in DDNet, these are the times of all
// servers whose names contain its name.
func (x *index) localRanking(c *course, server string) []place {
	server = strings.ToLower(server)
	local := make([]bool, len(x.servers))
	all := true
	for i, s := range x.servers {
		local[i] = strings.Contains(strings.ToLower(s), server)
		all = all && local[i]
	}
	if all {
		return x.ranking(c)
	}
	if l := &c.local; l.server == server && l.finishes == len(c.finishes) {
		return l.ranking
	}
	times := map[uint32]int32{}
	for i := range c.finishes {
		f := &c.finishes[i]
		if t, ok := times[f.player]; local[f.server] && (!ok || f.time < t) {
			times[f.player] = f.time
		}
	}
	ranking := make([]place, 0, len(times))
	for p, t := range times {
		ranking = append(ranking, place{p, t})
	}
	x.sort(ranking)
	c.local = localRanking{server, len(c.finishes), ranking}
	return ranking
}

func (x *index) row(rank int, p place) game.RankRow {
	return game.RankRow{Rank: int32(rank), Names: []string{x.names[p.player]}, Time: p.time}
}

// rankOf returns the row and the percentage of a player in a ranking, or nil if the player has no
// time.
func (x *index) rankOf(ranking []place, player uint32) (*game.RankRow, int32) {
	i := slices.IndexFunc(ranking, func(p place) bool { return p.player == player })
	if i < 0 {
		return nil, 0
	}
	rank := rankAt(ranking, i)
	row := x.row(rank, ranking[i])
	return &row, Percent(rank, len(ranking))
}

// rankAt returns the rank of entry i. Entries with equal times share a rank.
func rankAt(ranking []place, i int) int {
	for i > 0 && ranking[i-1].time == ranking[i].time {
		i--
	}
	return i + 1
}

func (c *course) teamRank(i int) int {
	for i > 0 && c.teams[i-1].time == c.teams[i].time {
		i--
	}
	return i + 1
}

// Percent returns the percentage of n players that the holder of a rank beats, rounded as in DDNet.
func Percent(rank, n int) int32 {
	if n <= 1 {
		return 100
	}
	behind := float32(float64(rank-1) / float64(n-1))
	return int32(math.Floor(float64(100 - float32(100*behind))))
}

// top returns n rows of a ranking, beginning at place from.
func (x *index) top(ranking []place, from int32, n int) []game.RankRow {
	of := make([]int, len(ranking))
	for i := range of {
		of[i] = i
	}
	var list []game.RankRow
	for _, i := range part(of, from, n, func(i, j int) bool { return ranking[i].time == ranking[j].time }) {
		list = append(list, x.row(rankAt(ranking, i), ranking[i]))
	}
	return list
}

// part returns n elements of a list, beginning at place from: 1 is the first, and negative places
// count from the end. Equal elements keep their order in both directions.
func part(of []int, from int32, n int, equal func(i, j int) bool) []int {
	if from < 0 {
		slices.Reverse(of)
		for i := 0; i < len(of); {
			j := i + 1
			for j < len(of) && equal(of[i], of[j]) {
				j++
			}
			slices.Reverse(of[i:j])
			i = j
		}
	}
	start := min(max(abs(from)-1, 0), int64(len(of)))
	return of[start:min(start+int64(n), int64(len(of)))]
}

func abs(n int32) int64 {
	if n < 0 {
		return -int64(n)
	}
	return int64(n)
}

// times answers with the most recent times on a course, or the oldest ones if r.From is negative.
func (x *index) times(c *course, r *game.RankRequest, a *game.RankAnswer, player uint32, known bool) {
	if r.Name != "" && !known {
		return
	}
	x.sortFinishes(c)
	of := make([]int, 0, len(c.finishes))
	for i := range c.finishes {
		if r.Name == "" || c.finishes[i].player == player {
			of = append(of, i)
		}
	}
	from := max(r.From, -math.MaxInt32)
	if from >= 0 {
		from = -max(from, 1)
	} else {
		from = -from
	}
	for _, i := range part(of, from, rows, func(i, j int) bool { return c.finishes[i].when == c.finishes[j].when }) {
		f := &c.finishes[i]
		a.Rows = append(a.Rows, game.RankRow{Names: []string{x.names[f.player]}, Time: f.time, Age: x.age(f.when), Server: x.servers[f.server]})
	}
}

func (x *index) topPoints(from int32, a *game.RankAnswer) {
	if x.richest == nil {
		for p, n := range x.points {
			x.richest = append(x.richest, place{p, -n})
		}
		x.sort(x.richest)
	}
	list := x.richest
	for i := min(max(int64(from)-1, 0), int64(len(list))); i < int64(len(list)) && len(a.Rows) < rows; i++ {
		a.Rows = append(a.Rows, game.RankRow{Rank: int32(rankAt(list, int(i))), Names: []string{x.names[list[i].player]}, Points: -list[i].time})
	}
}

// mapInfo answers with the map that matches the name best: an equal name, then one that begins with
// it, then one that has its letters in this order. % and _ are wildcards as in SQL. Among equal
// matches the shortest name wins.
func (x *index) mapInfo(r *game.RankRequest, a *game.RankAnswer) {
	if r.Name == "" {
		r.Name = r.Map
	}
	var found *Entry
	begins, letters := r.Name+"%", ""
	for _, c := range r.Name {
		letters += string(c) + "%"
	}
	class := func(name string) int {
		switch {
		case name == r.Name:
			return 0
		case like(name, begins):
			return 1
		default:
			return 2
		}
	}
	for name, m := range x.maps {
		if like(name, letters) && (found == nil ||
			cmp.Or(cmp.Compare(class(name), class(found.Map)), cmp.Compare(len(name), len(found.Map)), cmp.Compare(name, found.Map)) < 0) {
			found = m
		}
	}
	if found == nil {
		return
	}
	m := &game.RankMap{Name: found.Map, Server: found.Server, Mapper: found.Text, Points: found.Points, Stars: found.Stars, Age: x.age(found.When)}
	a.Found, a.Info = true, m
	c := x.courses[found.Map]
	if c == nil {
		return
	}
	m.Finishes, m.Finishers = int32(len(c.finishes)), int32(len(c.best))
	if n := len(c.finishes); n != c.median.finishes {
		times := make([]int32, n)
		for i := range times {
			times[i] = c.finishes[i].time
		}
		slices.Sort(times)
		c.median = median{n, int32((int64(times[(n-1)/2]) + int64(times[n/2])) / 2)}
	}
	m.Median = c.median.time
	if no, ok := x.nameNo[r.Asker]; ok {
		m.Own = c.best[no].time
	}
}

// like reports whether a text matches an SQL pattern, ignoring case. % matches any text and _ any
// character.
func like(text, pattern string) bool {
	t, p := []rune(text), []rune(pattern)
	i, j := 0, 0
	again, from := -1, 0 // the last %, and the position in t after the text that it matches
	for i < len(t) {
		switch {
		case j < len(p) && p[j] == '%':
			again, from = j, i
			j++
		case j < len(p) && (p[j] == '_' || unicode.ToLower(p[j]) == unicode.ToLower(t[i])):
			i++
			j++
		case again >= 0:
			from++
			i, j = from, again+1
		default:
			return false
		}
	}
	return strings.Trim(string(p[j:]), "%") == ""
}
