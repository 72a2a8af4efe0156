package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/teeyard/teeyard/game/mode/ranks"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/console"
)

// ranksListCmd is "teeyard ranks".
type ranksListCmd struct {
	serverFolder
	Map   string `arg:"" optional:"" help:"Name of a map. Without it, all maps are listed."`
	Team  bool   `help:"List the ranks of teams instead."`
	Top   int    `help:"Number of ranks to list; 0 lists all." default:"20"`
	Ranks string `help:"Rank file in that folder (sv_ranks)." default:"ranks.journal" placeholder:"FILE"`
}

func (*ranksListCmd) Help() string {
	return `Lists the finished maps, or the ranks of one map. They come from the server's rank file, which may be
in use by a running server. If servers share a database (teeyard-fleet), the file contains only
the ranks that this server's folder has added to it.

  teeyard ranks
  teeyard ranks Tutorial --team
  teeyard ranks --ddnet`
}

// rankedMap is the content of a rank file for one map.
type rankedMap struct {
	finishes int
	best     map[string]*rank.Entry // by player name
}

// Run lists the ranks.
func (c *ranksListCmd) Run() error {
	path := filepath.Join(c.path(), c.Ranks)
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	courses, err := c.read(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf(
			"%s: no such file; a server creates it with the first finish. Name the server's folder with --dir (or --ddnet for the folder of serve "+
				"--ddnet), and the file in it with --ranks",
			path,
		)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s:\n", safetext.Line(path))
	if c.Map == "" {
		return c.listMaps(courses)
	}
	course := courses[c.Map]
	if course == nil {
		return fmt.Errorf("no finishes on the map %q; %s", c.Map, mapHint(c.Map, courses))
	}
	return c.listRanks(course)
}

// mapHint returns a hint that names the map with the most similar name.
func mapHint(name string, courses map[string]*rankedMap) string {
	names := slices.Sorted(maps.Keys(courses))
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
		return fmt.Sprintf("did you mean %q?", names[i])
	}
	if similar := console.Similar(name, names); similar != "" {
		return fmt.Sprintf("did you mean %q?", similar)
	}
	return "list the finished maps with teeyard ranks"
}

// read reads the file. Entries that were written twice count once.
func (c *ranksListCmd) read(path string) (map[string]*rankedMap, error) {
	courses, seen := map[string]*rankedMap{}, map[rank.ID]bool{}
	err := rank.Read(path, func(e *rank.Entry) {
		if e.Kind != rank.Finish || e.Team != c.Team || seen[e.ID] {
			return
		}
		seen[e.ID] = true
		course := courses[e.Map]
		if course == nil {
			course = &rankedMap{best: map[string]*rank.Entry{}}
			courses[e.Map] = course
		}
		course.finishes++
		slices.Sort(e.Names)
		who := strings.Join(e.Names, " & ")
		if b := course.best[who]; b == nil || e.Time < b.Time {
			course.best[who] = e
		}
	})
	return courses, warnOfDamage(err)
}

// warnOfDamage prints a warning for a file of ranks that is partly unreadable and returns nil,
// since the rest is usable. It returns other errors.
func warnOfDamage(err error) error {
	if errors.Is(err, rank.ErrDamaged) {
		fmt.Fprintln(os.Stderr, safetext.Line(err.Error()))
		return nil
	}
	return err
}

// ranking returns the names of the players who finished, fastest first.
func (m *rankedMap) ranking() []string {
	return slices.SortedFunc(maps.Keys(m.best), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.best[a].Time, m.best[b].Time), cmp.Compare(a, b))
	})
}

func (c *ranksListCmd) listMaps(courses map[string]*rankedMap) error {
	who := "players"
	if c.Team {
		who = "teams"
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "map\tfinishes\t%s\tbest time\tby\n", who)
	for _, name := range slices.Sorted(maps.Keys(courses)) {
		m := courses[name]
		first := m.ranking()[0]
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", cell(name), m.finishes, len(m.best), ranks.Time(m.best[first].Time), cell(first))
	}
	if len(courses) == 0 {
		fmt.Fprintln(w, "(none)")
	}
	return w.Flush()
}

func (c *ranksListCmd) listRanks(m *rankedMap) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	place, before := 0, int32(0)
	ranking := m.ranking()
	for i, who := range ranking {
		if c.Top > 0 && i == c.Top {
			fmt.Fprintf(w, "and %d more; list all with --top 0\n", len(ranking)-i)
			break
		}
		e := m.best[who]
		if e.Time != before { // equal times share a rank
			place, before = i+1, e.Time
		}
		when := ""
		if e.When > 0 {
			when = time.Unix(e.When, 0).UTC().Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(w, "%d.\t%s\t%s\t%s\n", place, ranks.Time(e.Time), cell(who), when)
	}
	return w.Flush()
}

// cell returns text that is safe in a table on the terminal.
func cell(text string) string { return strings.ReplaceAll(safetext.Line(text), "\t", " ") }
