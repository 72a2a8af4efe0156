package server

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
	"github.com/teeyard/teeyard/server/later"
)

const (
	// mapsPerTick is the number of maps that a session is sent at once.
	mapsPerTick = 32
	// maxListedMaps and maxMapDepth limit the search for maps, in maps and folders.
	maxListedMaps = 4096
	maxMapDepth   = 4
)

// standardMaps are the maps that come with Teeworlds.
var standardMaps = []string{
	"ctf1", "ctf2", "ctf3", "ctf4", "ctf5", "ctf6", "ctf7", "ctf8",
	"dm1", "dm2", "dm3", "dm6", "dm7", "dm8", "dm9", "lms1",
}

// mapList returns the sorted names of the maps that operators can choose from, as a value
// of sv_maplist says: those in Config.Files and the embedded ones. It is called by other
// goroutines.
func (s *Server) mapList(kind string) []string {
	kind = strings.ToLower(kind)
	if kind == "none" {
		return nil
	}
	names := s.appendMapsIn("", maxMapDepth, nil)
	if !s.cfg.DDNet { // whose add_map_votes and random_map are for the operator's maps
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

// appendMapsIn appends the names of the maps in a folder below maps/ and its subfolders.
func (s *Server) appendMapsIn(dir string, depth int, names []string) []string {
	entries, err := fs.ReadDir(s.cfg.Files, path.Join("maps", dir))
	if err != nil {
		return names // without the folder there are none in it
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || len(names) >= maxListedMaps:
		case e.IsDir():
			if depth > 1 {
				names = s.appendMapsIn(name, depth-1, names)
			}
		case strings.HasSuffix(name, ".map"):
			names = append(names, strings.TrimSuffix(name, ".map"))
		}
	}
	return names
}

// canListMaps reports whether operators of a level get the list of maps: those who may
// change the map do.
func (s *Server) canListMaps(level console.Level) bool {
	e, ok := s.console.Lookup("sv_map", console.Operator)
	return ok && e.Level >= level
}

// mapListInterval is the time between two looks at the maps while operators have the list.
const mapListInterval = 30 * time.Second

// mapLists reads the list of maps beside the game, which does not wait for the disk.
type mapLists struct {
	reading later.Job[[]string]
	again   bool                // the list may have changed since reading began
	next    conn.Time           // when it is read again
	votes   later.Job[[]string] // for add_map_votes
	cut     later.Trouble       // there are too many maps
}

// reportCut prints once that there are more maps than the list has.
func (s *Server) reportCut(names []string) {
	why := ""
	if len(names) >= maxListedMaps {
		why = fmt.Sprintf("the folder maps has more than %d maps; the list for operators and add_map_votes omit the rest", maxListedMaps)
	}
	if s.mapLists.cut.Note(why) && why != "" {
		s.print(console.Warning, "server", why)
	}
}

// readMapList begins to read the list of maps, again if it is being read.
func (s *Server) readMapList() {
	l := &s.mapLists
	if l.again = l.reading.Running(); l.again {
		return
	}
	kind := s.settings.MapList
	l.next = s.now.Add(mapListInterval)
	l.reading.Start(s.cfg.Background, func() []string { return s.mapList(kind) })
}

// updateMapList sends operators the changes of the list, and reads it again when that is due.
func (s *Server) updateMapList() {
	l := &s.mapLists
	if names, ok := l.reading.Take(); ok {
		s.reportCut(names)
		for _, c := range s.sessions {
			if c != nil && c.rcon.listsMaps {
				c.rcon.setMaps(names)
			}
		}
		if l.again {
			s.readMapList()
		}
	} else if names, ok := l.votes.Take(); ok {
		s.addMapVotes(names)
	} else if s.now >= l.next && s.hasMapListReaders() {
		s.readMapList()
	}
}

// cmdAddMapVotes adds an option for each map, as of DDNet.
func (s *Server) cmdAddMapVotes(call *console.Call) {
	switch l := &s.mapLists; {
	case s.votes.WaitForMods(call):
	case s.clock.tick == 0: // nobody waits, and the options keep their order
		s.addMapVotes(s.mapList("all"))
	case !l.votes.Running():
		l.votes.Start(s.cfg.Background, func() []string { return s.mapList("all") })
	}
}

func (s *Server) addMapVotes(names []string) {
	s.reportCut(names)
	for _, name := range names {
		if text := "Map: " + name; !s.votes.HasOption(text) {
			s.console.Execute(fmt.Sprintf("add_vote %s %s", console.Quote(text), console.Quote("change_map "+console.Quote(name))), console.Operator)
		}
	}
	s.print(console.Standard, "server", "added maps to votes")
}

// hasMapListReaders reports whether anybody has the list of maps.
func (s *Server) hasMapListReaders() bool {
	return slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil && c.rcon.listsMaps })
}

// mapChanged is a map that is on the list now, or no longer.
type mapChanged struct {
	name    string
	removed bool
}

// setMaps sets the sorted names of the maps that the client is to know.
func (r *rconState) setMaps(names []string) {
	old := r.maps
	r.maps = names
	for len(old) > 0 || len(names) > 0 {
		switch {
		case len(names) == 0 || len(old) > 0 && old[0] < names[0]:
			r.mapChanges = append(r.mapChanges, mapChanged{old[0], true})
			old = old[1:]
		case len(old) == 0 || names[0] < old[0]:
			r.mapChanges = append(r.mapChanges, mapChanged{names[0], false})
			names = names[1:]
		default:
			old, names = old[1:], names[1:]
		}
	}
}

// sendMapList tells an operator of some more of the maps.
func (c *session) sendMapList() {
	n := min(len(c.rcon.mapChanges), mapsPerTick)
	for _, m := range c.rcon.mapChanges[:n] {
		if m.removed {
			c.bridge.SendMapListEntryRemoved(m.name)
		} else {
			c.bridge.SendMapListEntry(m.name)
		}
	}
	if c.rcon.mapChanges = c.rcon.mapChanges[n:]; len(c.rcon.mapChanges) == 0 {
		c.rcon.mapChanges = nil
	}
}
