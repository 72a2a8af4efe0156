// Package depcheck checks rules of the project: the imports of each package, the functions that
// pure packages must not use, a doc comment for every exported name, and some wording. Its tests
// apply the rules to the whole module.
//
// The rules are tables in this file. An exception is a line in a table, so that reviewers see it.
package depcheck

import (
	"slices"
	"strings"
)

// Module is the path of the module.
const Module = "github.com/teeyard/teeyard"

// rooms lists, for each room (a folder of the module), the other rooms that its packages may
// import. The room of a package is the longest matching folder. A package without a room is an
// error.
var rooms = map[string][]string{
	// The wire and the game stand alone; only the bridge translates.
	"protocol": {},
	"game":     {},
	// Tests of mods let bots play.
	"game/modtest": {"bot", "game"},
	"event":        {"game"},
	"bridge":       {"event", "game", "protocol", "internal/limit", "internal/safetext"},
	"bot":          {"game"},
	"script":       {"game", "game/modtest", "internal/similar"},
	// These modes use the same API as the mods of users.
	"mods": {"game"},

	// Stores values of mods. Package app passes the store to the server.
	"store": {"game", "internal/recordfile"},
	// Stores the results of races. Package app passes the store to the server.
	"rank": {"game", "internal/recordfile"},
	// A database for many servers, with its driver.
	"rank/ddnetdb": {"game", "rank"},

	"bans":       {"internal/atomicfile", "internal/limit", "internal/safetext"},
	"fleet/bans": {"bans"},
	// Reports the state of a server, and does not need the server.
	"fleet/agones": {},
	"fleet/bus":    {"web", "event", "fleet/bans", "game", "server", "internal/metrics"},
	// Commands for operators, which do not need the program.
	"fleet/command": {"bans", "fleet/bans", "fleet/bus", "server/console", "internal/safetext", "internal/words"},
	"transport":     {},
	// Accepts connections from strangers.
	"transport/ws": {"transport", "internal/limit", "internal/safetext"},
	"format":       {"protocol", "game/terrain"},
	"maps":         {"format"},

	// Makes the messages and snapshots of a client, and writes them into demos.
	"recorder": {"bridge", "event", "game", "protocol", "format", "internal/safetext", "internal/words"},

	// Runs the recorded matches again.
	"recorder/historian": {"bridge", "event", "game", "format", "internal/safetext", "internal/teeverify", "recorder"},

	// Sessions use connections of protocol; the bridge makes all messages.
	"server": {
		"recorder", "bot", "bridge", "event", "game", "protocol", "transport", "format", "maps", "query", "halflife", "bans",
		"internal/atomicfile", "internal/limit", "internal/lookalike", "internal/safetext", "internal/similar", "internal/uuid", "internal/words",
	},
	"server/internal/access": {
		"bans", "protocol", "server/console", "server/internal/later", "server/logline",
		"internal/limit", "internal/lookalike", "internal/safetext", "internal/words",
	},
	"server/chat": {"bridge", "game", "protocol", "server/console"},
	// Rooms below the server, which never import it.
	"server/internal/announce": {"internal/safetext", "protocol", "server/console", "server/internal/later"},
	"server/internal/econ":     {"internal/limit", "internal/safetext", "server/console", "server/internal/later", "server/logline", "server/internal/logs"},
	"server/internal/files":    {"game", "internal/safetext", "protocol", "server/console", "server/internal/later", "server/internal/logs"},
	"server/internal/later":    {},
	"server/internal/logs":     {"game", "internal/safetext", "server/console", "server/internal/later", "server/logline"},
	"server/watchdog":          {},
	"server/fifo":              {},
	"server/mapsource":         {"format", "maps", "transport"},
	"server/internal/fill":     {"bot", "game", "protocol", "server/console", "server/internal/later"},
	"server/internal/listing": {
		"bans", "bridge", "game", "halflife", "protocol", "query", "transport", "internal/words",
		"server/internal/access", "server/console", "server/internal/later",
	},
	"server/internal/modhost": {"bridge", "game", "protocol", "server/console", "server/internal/later"},
	"server/internal/gamemap": {
		"bridge", "format", "game", "maps", "protocol", "internal/safetext", "server/console", "server/internal/later", "server/internal/modhost",
	},
	"server/record": {
		"bridge", "format", "game", "internal/safetext", "internal/uuid", "recorder", "server/console", "server/internal/later",
	},
	"server/runs":           {"game", "internal/atomicfile", "server/console", "server/record", "server/storage"},
	"server/resume":         {"game", "server/console", "server/internal/later", "transport"},
	"server/internal/rules": {"game", "server/console"},
	"server/storage":        {"game", "internal/uuid", "server/console", "server/internal/later", "server/resume"},
	"server/vote": {
		"bans", "bridge", "event", "game", "protocol", "server/internal/access", "server/console", "server/logline", "internal/limit", "internal/safetext",
	},
	"server/folder": {"internal/atomicfile"},
	// Runs a server with its clients in tests.
	"server/servertest": {"client", "event", "game", "protocol", "server", "transport", "internal/netsim", "internal/testclient"},
	"client":            {"bridge", "event", "game", "protocol", "query", "transport", "format", "internal/atomicfile", "internal/safetext"},

	"query":    {"protocol", "transport", "internal/limit", "internal/safetext", "internal/uuid"},
	"halflife": {"bans", "internal/atomicfile", "transport", "internal/limit", "internal/metrics", "internal/safetext", "internal/webpage", "internal/words"},

	// The messages alone, for programs that need no server or client.
	"halflife/wire": {"internal/safetext"},

	// The HTTP listener imports the server, and not the other way round.
	"web": {"query", "server", "transport", "internal/limit", "internal/metrics", "internal/webpage", "web/certificate"},

	// Asks a CA for the certificate of a server.
	"web/certificate": {"internal/atomicfile", "internal/safetext"},

	// Serves the page on which people play. Its client runs in the browser.
	"web/play":        {"bridge", "query", "server", "web", "web/viewer", "internal/webpage"},
	"web/play/engine": {"bridge", "client", "event", "game", "protocol"},
	"web/play/wasm":   {"web/play/engine"},

	// The operator's console runs console lines of the server and shows its state.
	"web/admin": {"bans", "event", "game", "server", "web", "internal/atomicfile", "internal/limit", "internal/safetext", "internal/webpage", "web/viewer"},
	// Records the match for viewers.
	"web/broadcast": {"bridge", "format", "game", "recorder", "server", "web", "internal/limit", "internal/metrics", "internal/safetext", "internal/webpage"},
	// Shows files that the server wrote, and does not need a server.
	"web/recordings": {
		"format", "game", "recorder", "server/record", "server/runs", "web", "internal/safetext", "internal/webpage",
	},

	// The documentation, and the pages that show it.
	"docs":         {},
	"web/handbook": {"internal/webpage", "web", "web/viewer", "docs"}, // docs in tests

	// Small packages that several rooms share.
	"internal/limit":      {},
	"internal/confined":   {},
	"internal/atomicfile": {},
	"internal/recordfile": {"internal/atomicfile"},
	"internal/safetext":   {},
	"internal/uuid":       {},
	"internal/words":      {},
	"internal/lookalike":  {},
	"internal/similar":    {},
	"internal/metrics":    {},
	"internal/webpage":    {},

	"internal/netsim":      {"transport"},
	"internal/browsertest": {"internal/testenv"},
	"internal/golden":      {"protocol", "format", "internal/pcap"},
	"internal/pcap":        {},
	"internal/depcheck":    {},
	"internal/doccheck":    {},
	"internal/dissector":   {"protocol"},
	"internal/annotate":    {"protocol", "internal/dump", "internal/golden", "internal/pcap"}, // the last three in tests
	"internal/dump":        {"protocol", "format", "game", "internal/pcap"},                   // explains demos, too
	"internal/teeverify":   {"format", "game", "protocol"},
	"internal/load":        {"bridge", "client", "event", "game", "protocol", "transport"},
	"internal/testenv":     {},
	"internal/selfsigned":  {"internal/testenv"},
	"internal/release":     {"server"}, // its version
	"internal/mutants":     {},
	"internal/typecheck":   {},
	"internal/demotest":    {"format", "protocol"},
	"internal/messagetest": {"protocol", "internal/golden", "internal/testenv"},
	"internal/replaytest":  {"format", "game", "maps"},
	"internal/testclient":  {"protocol", "transport"},
	"internal/hostile":     {"protocol", "transport"},
	"internal/bridgetest":  {"bridge", "event", "format", "game", "internal/testenv", "maps", "protocol"},
	"internal/peers":       everything,

	"internal/halflifetest": {"halflife/wire"},

	// The program, as a package for programs with mods of their own.
	"app":               everything,
	"cmd":               {"app"},
	"cmd/teeyard-fleet": {"app", "rank/ddnetdb", "fleet/bus", "fleet/command"},
	"examples":          everything,
}

// everything allows the import of any room.
var everything = []string{"*"}

// limited lists packages that only some rooms may import: packages of other modules, and packages
// of this module that are exceptions in their room. A pattern that ends in /... includes the
// packages below. The room "main" stands for all commands.
var limited = []struct {
	pattern string
	rooms   []string
	why     string
}{
	// query/master dials HTTP masters over one address family at a time, because they list the
	// address that a request comes from. server/internal/econ is a console over TCP, web the
	// HTTP listener, and server/mapsource follows no redirect into a local network.
	{
		"net", []string{"transport", "query/master", "server/internal/econ", "server/mapsource", "web", "fleet/bus",
			"internal/peers", "internal/testenv", "app", "examples"},
		"only transport opens sockets",
	},
	// Scripts use only the game, so no other package needs their language.
	{"github.com/arnodel/golua/...", []string{"script"}, "only script runs Lua"},
	{"golang.org/x/net/...", []string{"transport"}, "only transport opens sockets"},
	// Programs with a server or a client can be built without WebSockets.
	{Module + "/transport/ws", []string{"transport/ws", "internal/peers", "app", "examples"}, "app hands it over"},
	// A program that is run again must call confined.Begun first, so libraries cannot use it.
	{Module + "/internal/confined", []string{"internal/confined", "app"}, "only app runs its program again"},
	// A plain server needs no database driver.
	{Module + "/rank/ddnetdb", []string{"cmd/teeyard-fleet"}, "only teeyard-fleet has a database"},
	{"github.com/go-sql-driver/mysql/...", []string{"rank/ddnetdb"}, "only teeyard-fleet has a database"},
	{"database/sql/...", []string{"rank/ddnetdb"}, "only teeyard-fleet has a database"},
	// A plain server needs no bus.
	{Module + "/fleet/bus", []string{"fleet/bus", "fleet/command", "cmd/teeyard-fleet"}, "only teeyard-fleet has a bus"},
	{"github.com/nats-io/...", []string{"fleet/bus"}, "only fleet/bus speaks NATS"},
	{"github.com/tdewolff/...", []string{"internal/webpage"}, "only webpage changes scripts"},
	{"github.com/yuin/goldmark/...", []string{"web/handbook"}, "only handbook renders Markdown"},
	{"golang.org/x/crypto/...", []string{"web"}, "only web has certificates"},
	{"github.com/coder/websocket/...", []string{"transport/ws"}, "only transport opens sockets"},
	{"golang.org/x/sys/...", []string{"transport", "internal/confined", "internal/peers", "app"}, "only transport calls the system"},
	{"syscall", []string{"transport", "internal/confined", "internal/peers", "server/fifo", "server/mapsource", "app"}, "only transport calls the system"},
	// web keeps net/http from logging.
	{"log/...", []string{"server", "client", "web", "internal/peers", "app", "main"}, "libraries return errors and count; they do not log"},
	{"testing/...", []string{"internal", "server/servertest"}, "testing is for tests"},
}

// pure lists the rooms that depend on their arguments only, with the standard packages they
// must not import and the functions they must not use.
var pure = map[string]struct {
	imports []string
	uses    map[string][]string
}{
	"game": {
		imports: []string{
			"time", "net/...", "os/...", "sync/...", "log/...", "math/rand/...", "crypto/rand", "context", "io/fs", "syscall",
			"runtime/debug", "runtime/metrics", "runtime/pprof", "runtime/trace", "hash/maphash", "math/big",
		},
		// The results of some math functions differ between machines. Package game/vec has exact
		// ones. Package runtime is allowed because it finds the place of a mod's panic.
		uses: map[string][]string{"math": inexact, "runtime": {"GC", "GOMAXPROCS", "Gosched", "NumCPU", "NumGoroutine", "ReadMemStats", "Stack"}},
	},
	"script": {
		imports: []string{
			"time", "net/...", "os/...", "sync/...", "log/...", "math/rand/...", "crypto/rand", "context", "io/fs", "syscall",
			"hash/maphash", "math/big",
		},
		uses: map[string][]string{"math": inexact},
	},
	"mods": {
		imports: []string{
			"time", "net/...", "os/...", "sync/...", "log/...", "math/rand/...", "crypto/rand", "context", "io/fs", "syscall",
			"runtime/...", "hash/maphash", "math/big",
		},
		uses: map[string][]string{"math": inexact},
	},
	"bot": {
		imports: []string{"time", "net/...", "os/...", "sync/...", "log/...", "math/rand/...", "crypto/rand", "context", "io/fs", "syscall", "runtime/..."},
	},
	"protocol": {
		imports: []string{"net", "net/http/...", "os/...", "sync/...", "log/...", "math/rand/...", "context", "io/fs", "syscall"},
		// Times come in as arguments.
		uses: map[string][]string{"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}},
	},
}

// inexact lists the functions of package math whose results differ between machines.
var inexact = []string{
	"Sin", "Cos", "Tan", "Sincos", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh",
	"Pow", "Pow10", "Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Hypot", "Cbrt", "FMA", "Gamma", "Lgamma", "Erf", "Erfc",
}

// Package describes a package for the rules, without its tests, for all platforms.
type Package struct {
	Path       string   // import path
	Command    bool     // the package is a main package
	Imports    []string // import paths
	Uses       []string // selectors on imported packages, as "path.Name"
	Goroutines bool     // there is a go statement
}

// reserved reports whether a package outside the module is for a folder by the rules of limited.
func reserved(path, folder string) bool {
	for _, l := range limited {
		if match(l.pattern, path) && allows(l.rooms, folder) {
			return true
		}
	}
	return false
}

// Check returns the rules that a package breaks, one sentence each.
func Check(p Package) []string {
	var faults []string
	fault := func(parts ...string) { faults = append(faults, strings.Join(parts, "")) }
	folder := strings.TrimPrefix(strings.TrimPrefix(p.Path, Module), "/")
	room, may := lookUp(rooms, folder)
	if room == "" {
		fault("is in no room that depcheck knows")
	}
	for _, path := range p.Imports {
		for _, l := range limited {
			if match(l.pattern, path) && !allows(l.rooms, folder) && !(p.Command && slices.Contains(l.rooms, "main")) {
				fault("imports ", path, ": ", l.why)
			}
		}
		if own, ok := strings.CutPrefix(path, Module+"/"); ok {
			if !within(own, room) && !allows(may, own) {
				fault("imports ", own, ", which ", room, " may not")
			}
			continue
		}
		if _, rule := lookUp(pure, folder); rule.imports != nil && !p.Command {
			if !standard(path) && !reserved(path, folder) {
				fault("imports ", path, ": ", room, " uses the standard library only")
			}
			for _, pattern := range rule.imports {
				if match(pattern, path) {
					fault("imports ", path, ": ", room, " is pure")
				}
			}
		}
	}
	if _, rule := lookUp(pure, folder); rule.imports != nil && !p.Command {
		for pkg, names := range rule.uses {
			for _, name := range names {
				if slices.Contains(p.Uses, pkg+"."+name) {
					fault("uses ", pkg, ".", name, ": ", room, " is pure")
				}
			}
		}
		if p.Goroutines {
			fault("starts goroutines: ", room, " is pure")
		}
	}
	return faults
}

// lookUp returns the entry for the longest prefix of folder in a table.
func lookUp[T any](table map[string]T, folder string) (room string, found T) {
	for prefix, v := range table {
		if within(folder, prefix) && len(prefix) > len(room) {
			room, found = prefix, v
		}
	}
	return room, found
}

// within reports whether folder is room or below it.
func within(folder, room string) bool {
	return room != "" && (folder == room || strings.HasPrefix(folder, room+"/"))
}

// allows reports whether folder is in one of the rooms.
func allows(rooms []string, folder string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return r == "*" || within(folder, r) })
}

// match reports whether an import path matches a pattern.
func match(pattern, path string) bool {
	if p, ok := strings.CutSuffix(pattern, "/..."); ok {
		return within(path, p)
	}
	return path == pattern
}

// standard reports whether an import path is of the standard library: its first element has
// no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
