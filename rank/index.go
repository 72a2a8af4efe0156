package rank

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
)

// index holds the data of a journal that questions need. A row takes about 100 bytes, so a million
// rows fit into the memory of a small server.
type index struct {
	now      func() int64 // seconds since 1970
	ids      map[ID]struct{}
	names    []string
	nameNo   map[string]uint32
	servers  []string
	serverNo map[string]uint16
	courses  map[string]*course
	maps     map[string]*Entry // entries of kind SetMap
	points   map[uint32]int32
	richest  []place // sorted by points; the times are the negative points; nil if outdated
	saves    map[saveKey]*Entry
	// taken are the most recently loaded saves, to answer repeated requests.
	taken []takenSave
}

type saveKey struct{ mapName, code string }

type takenSave struct {
	id   ID // of the Load
	save *Entry
}

// maxTaken is how many loaded saves are kept.
const maxTaken = 64

// course holds the results of a map. Adding entries does not sort finishes and teams; the next
// question that needs their order does.
type course struct {
	finishes []finish // sorted by sortFinishes
	unsorted bool     // finishes are out of order
	best     map[uint32]best
	ranking  []place // of best, nil if outdated
	local    localRanking
	median   median
	teams    []*team // sorted by sortTeams
	// moved counts new and improved teams. teamsAt is its value when teams was last sorted.
	moved, teamsAt uint32
	teamOf         map[string]*team
}

// localRanking is the ranking of a server's finishes. The value is valid while the course has that
// number of finishes.
type localRanking struct {
	server   string
	finishes int
	ranking  []place
}

// median is the median of the times. The value is valid while the course has that number of
// finishes.
type median struct {
	finishes int
	time     int32
}

// finish is a finish of a player.
type finish struct {
	when   int64
	player uint32
	time   int32
	no     uint32 // index among the finishes on the map
	server uint16
}

// best is a player's best result.
type best struct {
	time int32
	// checkpoints are the times from the fastest run with checkpoints, as written by
	// appendCheckpoints. withTime is the time of that run.
	checkpoints string
	withTime    int32
}

// place is a player's best time.
type place struct {
	player uint32
	time   int32
}

// team is the best time of a team. A team is identified by its set of members.
type team struct {
	id    ID
	names []string // sorted
	time  int32
	no    uint32 // value of moved when the time was set
}

func newIndex(now func() int64) *index {
	return &index{
		now: now, ids: map[ID]struct{}{}, nameNo: map[string]uint32{}, serverNo: map[string]uint16{}, courses: map[string]*course{},
		maps: map[string]*Entry{}, points: map[uint32]int32{}, saves: map[saveKey]*Entry{},
	}
}

// name returns the number that stands for a name.
func (x *index) name(s string) uint32 {
	n, ok := x.nameNo[s]
	if !ok {
		s = strings.Clone(s)
		n = uint32(len(x.names))
		x.names, x.nameNo[s] = append(x.names, s), n
	}
	return n
}

func (x *index) server(s string) uint16 {
	n, ok := x.serverNo[s]
	if !ok && len(x.servers) < 1<<16-1 {
		n = uint16(len(x.servers))
		x.servers, x.serverNo[s] = append(x.servers, s), n
	}
	return n
}

func (x *index) course(name string) *course {
	c := x.courses[name]
	if c == nil {
		c = &course{best: map[uint32]best{}, teamOf: map[string]*team{}}
		x.courses[name] = c
	}
	return c
}

// apply adds an entry unless its ID is known. It reports whether it added the entry.
func (x *index) apply(e *Entry) bool {
	if _, ok := x.ids[e.ID]; ok {
		return false
	}
	x.ids[e.ID] = struct{}{}
	switch e.Kind {
	case Finish:
		if e.Team {
			x.applyTeam(e)
		} else {
			x.applyFinish(e)
		}
	case SetPoints:
		x.points[x.name(e.Names[0])], x.richest = e.Points, nil
	case SetMap:
		x.maps[e.Map] = e
	case Save:
		if k := (saveKey{e.Map, e.Code}); x.saves[k] == nil {
			x.saves[k] = e
		}
	case Load:
		k := saveKey{e.Map, e.Code}
		if s := x.saves[k]; s != nil && s.SaveID == e.SaveID {
			delete(x.saves, k)
			if x.taken = append(x.taken, takenSave{e.ID, s}); len(x.taken) > maxTaken {
				x.taken = slices.Delete(x.taken, 0, 1)
			}
		}
	}
	return true
}

func (x *index) applyFinish(e *Entry) {
	c := x.course(e.Map)
	f := finish{e.When, x.name(e.Names[0]), e.Time, uint32(len(c.finishes)), x.server(e.Server)}
	c.unsorted = c.unsorted || len(c.finishes) > 0 && x.compareFinishes(c.finishes[len(c.finishes)-1], f) > 0
	c.finishes = append(c.finishes, f)
	b, known := c.best[f.player]
	if m := x.maps[e.Map]; m != nil && !known {
		x.points[f.player] = int32(min(int64(x.points[f.player])+int64(m.Points), math.MaxInt32)) // imported points may be of any size
		x.richest = nil
	}
	if !known || f.time < b.time {
		b.time, c.ranking = f.time, nil
	}
	if slices.ContainsFunc(e.Checkpoints, func(t int32) bool { return t != 0 }) && (b.checkpoints == "" || f.time < b.withTime) {
		b.checkpoints, b.withTime = string(appendCheckpoints(nil, e.Checkpoints)), f.time
	}
	c.best[f.player] = b
}

// compareFinishes compares by date, then name, time, and order of addition.
func (x *index) compareFinishes(a, b finish) int {
	if a.when != b.when { // true for most, and names are elsewhere in memory
		return cmp.Compare(a.when, b.when)
	}
	return cmp.Or(cmp.Compare(x.names[a.player], x.names[b.player]), cmp.Compare(a.time, b.time), cmp.Compare(a.no, b.no))
}

// sortFinishes sorts the finishes. Most are in order already, so SortFunc takes only a few passes.
func (x *index) sortFinishes(c *course) {
	if c.unsorted {
		slices.SortFunc(c.finishes, x.compareFinishes)
		c.unsorted = false
	}
}

func (x *index) applyTeam(e *Entry) {
	c := x.course(e.Map)
	names := slices.Sorted(slices.Values(e.Names))
	key := strings.Join(names, "\x00")
	t := c.teamOf[key]
	switch {
	case t == nil:
		t = &team{id: e.TeamID(), names: names}
		c.teams, c.teamOf[key] = append(c.teams, t), t
	case e.Time >= t.time:
		return
	}
	c.moved++
	t.time, t.no = e.Time, c.moved
}

// compareTeams compares by time, then ID. Imports can contain an ID twice. Then the team whose time
// was set last comes first.
func compareTeams(a, b *team) int {
	return cmp.Or(cmp.Compare(a.time, b.time), bytes.Compare(a.id[:], b.id[:]), cmp.Compare(b.no, a.no))
}

// sortTeams sorts the teams.
func (c *course) sortTeams() {
	if c.teamsAt != c.moved {
		slices.SortFunc(c.teams, compareTeams)
		c.teamsAt = c.moved
	}
}
