package wire

import (
	"strconv"

	"github.com/teeyard/teeyard/internal/safetext"
)

// Filter selects servers of a master's list. The zero value selects all servers.
type Filter struct {
	// Dir and Map must equal the fields of Info. Empty ones match every server.
	Dir, Map string
	// Dedicated, Secure, Linux and Proxy select only servers with that property.
	Dedicated, Secure, Linux, Proxy bool
	// NotEmpty, NotFull and Empty select by the number of players. On the wire, the keys of these
	// fields are empty, full and noplayers.
	NotEmpty, NotFull, Empty bool
	// NotApp is the Steam id of a game whose servers are left out. 0 leaves out none.
	NotApp uint64
}

// Append appends the filter as \key\value pairs.
func (f *Filter) Append(dst []byte) []byte {
	p := infoString(dst)
	text := func(key, value string, limit int) {
		if value != "" {
			p.addText(key, value, limit)
		}
	}
	flag := func(key string, v bool) {
		if v {
			p.addBool(key, v)
		}
	}
	text("gamedir", f.Dir, maxDir)
	text("map", f.Map, maxMap)
	flag("empty", f.NotEmpty)
	flag("full", f.NotFull)
	flag("noplayers", f.Empty)
	flag("dedicated", f.Dedicated)
	flag("secure", f.Secure)
	flag("linux", f.Linux)
	flag("proxy", f.Proxy)
	if f.NotApp != 0 {
		p.addText("napp", strconv.FormatUint(f.NotApp, 10), 20)
	}
	return p
}

// ParseFilter reads a filter in the format of Append. It ignores unknown keys.
func ParseFilter(b []byte) (f Filter) {
	n := 0
	forEachPair(beforeNUL(b), func(key, value []byte) {
		if n++; n > maxPairs || len(value) > 127 {
			return
		}
		yes := parseCount(value) != 0
		switch string(key) {
		case "gamedir":
			f.Dir = safetext.Line(value)
		case "map":
			f.Map = safetext.Line(value)
		case "empty":
			f.NotEmpty = yes
		case "full":
			f.NotFull = yes
		case "noplayers":
			f.Empty = yes
		case "dedicated":
			f.Dedicated = yes
		case "type":
			f.Dedicated = firstLetter(value) == 'd'
			f.Proxy = firstLetter(value) == 'p'
		case "secure":
			f.Secure = yes
		case "linux":
			f.Linux = yes
		case "proxy":
			f.Proxy = yes
		case "napp":
			f.NotApp = uint64(parseCount(value))
		}
	})
	return f
}

// Matches reports whether the filter selects the server.
func (f *Filter) Matches(i *Info) bool {
	return (f.Dir == "" || f.Dir == i.Dir) &&
		(f.Map == "" || f.Map == i.Map) &&
		(!f.Dedicated || i.Type == 'd') &&
		(!f.Secure || i.Secure) &&
		(!f.Linux || i.OS == 'l') &&
		(!f.Proxy || i.Type == 'p') &&
		(!f.NotEmpty || i.Players > 0) &&
		(!f.NotFull || i.Players < i.Max) &&
		(!f.Empty || i.Players == 0) &&
		(f.NotApp == 0 || f.NotApp != i.AppID)
}
