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
	// mapsPerTick is how many maps a session is told at once.
	mapsPerTick = 32
	// maxListedMaps and maxMapDepth bound what is looked through for maps.
	maxListedMaps = 4096
	maxMapDepth   = 4
)

// standardMaps are those that come with Teeworlds.
var standardMaps = []string{
	"ctf1", "ctf2", "ctf3", "ctf4", "ctf5", "ctf6", "ctf7", "ctf8",
	"dm1", "dm2", "dm3", "dm6", "dm7", "dm8", "dm9", "lms1",
}

// mapList is what operators may choose from, as sv_maplist says: the maps of the
// storage and the embedded ones, by name.
func (s *Server) mapList() []string {
	kind := strings.ToLower(s.settings.MapList)
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

// appendMapsIn adds the maps of a folder below maps/ and of those in it.
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

// canListMaps tells whether a new operator is to be told of the maps: who may change
// them is.
func (s *Server) canListMaps(level console.Level) bool {
	e, ok := s.console.Lookup("sv_map", console.Operator)
	return ok && e.Level >= level
}

// mapsPerTick tells an operator more of the maps.
func (c *session) sendMapList() {
	n := min(len(c.rcon.mapsToList), mapsPerTick)
	for _, name := range c.rcon.mapsToList[:n] {
		c.bridge.SendMapListEntry(name)
	}
	c.rcon.mapsToList = c.rcon.mapsToList[n:]
}
