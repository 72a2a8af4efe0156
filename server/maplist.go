package server

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server/console"
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
	for _, m := range maps.All() {
		names = append(names, m.Name)
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

// sendMapList sends an operator some more of the maps.
func (c *session) sendMapList() {
	select {
	case c.rcon.mapsToList = <-c.rcon.mapList:
	default:
	}
	n := min(len(c.rcon.mapsToList), mapsPerTick)
	for _, name := range c.rcon.mapsToList[:n] {
		c.bridge.SendMapListEntry(name)
	}
	c.rcon.mapsToList = c.rcon.mapsToList[n:]
}
