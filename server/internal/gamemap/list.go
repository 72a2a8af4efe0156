package gamemap

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

const (
	// MaxListed is the largest number of maps in the list, and maxDepth the depth of their folders.
	MaxListed = 4096
	maxDepth  = 4
	// ListInterval is the time between two readings of the list while operators get it.
	ListInterval = 30 * time.Second
	// sentAtOnce is the number of maps that an operator is sent at once.
	sentAtOnce = 32
)

// standardMaps are the maps that come with Teeworlds.
var standardMaps = []string{
	"ctf1", "ctf2", "ctf3", "ctf4", "ctf5", "ctf6", "ctf7", "ctf8",
	"dm1", "dm2", "dm3", "dm6", "dm7", "dm8", "dm9", "lms1",
}

// list is the list of maps for operators. Goroutines read it.
type list struct {
	reading later.Job[[]string]
	again   bool                // the list may have changed since reading began
	next    conn.Time           // when it is read again
	votes   later.Job[[]string] // for add_map_votes
	cut     later.Trouble       // there are too many maps
}

// names returns the sorted names of the maps that operators can choose from, by a value of
// sv_maplist: those in Config.Files and the embedded ones. Other goroutines call it.
func (m *Maps) names(kind string) []string {
	kind = strings.ToLower(kind)
	if kind == "none" {
		return nil
	}
	names := m.appendNamesIn("", maxDepth, nil)
	if !m.cfg.DDNet { // add_map_votes and random_map of DDNet are for the operator's maps
		for _, m := range maps.All() {
			names = append(names, m.Name)
		}
	}
	if kind == "standard" {
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(standardMaps, n) })
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// appendNamesIn appends the names of the maps in a folder below maps and its subfolders.
func (m *Maps) appendNamesIn(dir string, depth int, names []string) []string {
	entries, err := fs.ReadDir(m.cfg.Files, path.Join("maps", dir))
	if err != nil {
		return names // without the folder there are none in it
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || len(names) >= MaxListed:
		case e.IsDir():
			if depth > 1 {
				names = m.appendNamesIn(name, depth-1, names)
			}
		case strings.HasSuffix(name, ".map"):
			names = append(names, strings.TrimSuffix(name, ".map"))
		}
	}
	return names
}

// MayList reports whether operators of a level get the list of maps. They do if they may change the
// map.
func (m *Maps) MayList(level console.Level) bool {
	e, ok := m.console.Lookup("sv_map", console.Operator)
	return ok && e.Level >= level
}

// List returns a function that reads the list of maps for operators of a level. Any goroutine may
// call the function. It may take long.
func (m *Maps) List(level console.Level) func() []string {
	if !m.MayList(level) {
		return func() []string { return nil }
	}
	kind := m.Settings.List
	return func() []string { return m.names(kind) }
}

// ReadList begins to read the list. If it is being read, it is read again afterwards.
func (m *Maps) ReadList() {
	l := &m.list
	if l.again = l.reading.Running(); l.again {
		return
	}
	kind := m.Settings.List
	l.next = m.host.Now().Add(ListInterval)
	l.reading.Start(m.cfg.Background, func() []string { return m.names(kind) })
}

// UpdateList updates the listings of operators when the list was read, and reads it again when that
// is due.
func (m *Maps) UpdateList() {
	l := &m.list
	if names, ok := l.reading.Take(); ok {
		m.reportCut(names)
		for listing := range m.host.Listings() {
			listing.update(names)
		}
		if l.again {
			m.ReadList()
		}
	} else if names, ok := l.votes.Take(); ok {
		m.addVotes(names)
	} else if now := m.host.Now(); now >= l.next {
		l.next = now.Add(ListInterval)
		if m.hasListings() {
			m.ReadList()
		}
	}
}

// hasListings reports whether operators get the list.
func (m *Maps) hasListings() bool {
	for range m.host.Listings() {
		return true
	}
	return false
}

// reportCut prints once that there are more maps than the list has.
func (m *Maps) reportCut(names []string) {
	why := ""
	if len(names) >= MaxListed {
		why = fmt.Sprintf("the folder maps has more than %d maps; the list for operators and add_map_votes omit the rest", MaxListed)
	}
	if m.list.cut.Note(why) && why != "" {
		m.print(console.Warning, why)
	}
}

// cmdAddMapVotes adds an option for each map, as DDNet-Server does.
func (m *Maps) cmdAddMapVotes(call *console.Call) {
	switch l := &m.list; {
	case m.cfg.Votes.WaitForMods(call):
	case m.host.Tick() == 0: // nobody waits, and the options keep their order
		m.addVotes(m.names("all"))
	case !l.votes.Running():
		l.votes.Start(m.cfg.Background, func() []string { return m.names("all") })
	}
}

func (m *Maps) addVotes(names []string) {
	m.reportCut(names)
	for _, name := range names {
		if text := "Map: " + name; !m.cfg.Votes.HasOption(text) {
			m.console.Execute(fmt.Sprintf("add_vote %s %s", console.Quote(text), console.Quote("change_map "+console.Quote(name))), console.Operator)
		}
	}
	m.print(console.Standard, "added maps to votes")
}

// Listing is what an operator in the game knows of the list of maps.
type Listing struct {
	names   []string // known to the operator when changes are sent
	changes []change
}

// change is a map that the list has gained or lost.
type change struct {
	name    string
	removed bool
}

// ListScreen shows the list to an operator. It is a part of bridge.ServerSide.
type ListScreen interface {
	// SendMapListEntry adds a map.
	SendMapListEntry(name string)
	// SendMapListEntryRemoved removes a map.
	SendMapListEntryRemoved(name string)
}

// update makes the changes that lead to sorted names.
func (l *Listing) update(names []string) {
	old := l.names
	l.names = names
	for len(old) > 0 || len(names) > 0 {
		switch {
		case len(names) == 0 || len(old) > 0 && old[0] < names[0]:
			l.changes = append(l.changes, change{old[0], true})
			old = old[1:]
		case len(old) == 0 || names[0] < old[0]:
			l.changes = append(l.changes, change{names[0], false})
			names = names[1:]
		default:
			old, names = old[1:], names[1:]
		}
	}
}

// Send shows some more of the changes.
func (l *Listing) Send(to ListScreen) {
	n := min(len(l.changes), sentAtOnce)
	for _, c := range l.changes[:n] {
		if c.removed {
			to.SendMapListEntryRemoved(c.name)
		} else {
			to.SendMapListEntry(c.name)
		}
	}
	if l.changes = l.changes[n:]; len(l.changes) == 0 {
		l.changes = nil
	}
}
