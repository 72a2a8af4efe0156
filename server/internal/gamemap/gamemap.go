// Package gamemap reads the maps of a server beside its loop, decides which map is played next, and
// sends maps to clients.
//
// Maps is all of that for one server. Its console commands and votes only plan a change. Between
// two ticks, the loop calls Change. It reads the wanted map and starts the game on it.
package gamemap

import (
	"cmp"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// diskTimeout limits how long a command waits for the disk: a tick. That is enough for a healthy
// disk. Later answers are in the log.
const diskTimeout = time.Second / game.TickRate

// Config is what [Maps] need of a server. All fields must be set.
type Config struct {
	Host    Host
	Rules   Rules
	Votes   Votes
	Players Players
	// Files contains the maps and their settings.
	Files fs.FS
	// AnyNeedsUncompressedTiles reports whether some clients cannot read compressed tile layers.
	AnyNeedsUncompressedTiles bool
	// DDNet lists only the operator's maps, without the embedded ones.
	DDNet bool
	// Background runs a function beside the loop.
	Background func(f func())
	// Wake ends the sleep of the loop. Any goroutine calls it when a map is read.
	Wake func()
}

// Host is the server that plays the maps.
type Host interface {
	// Now returns the time of the datagram, tick or console line that the server handles.
	Now() conn.Time
	// Tick returns the tick of the world. It is 0 until the first one.
	Tick() int32
	// Print prints a line for the log.
	Print(level int, system, line string)
	// Play starts the game on a map, and makes all clients load it.
	Play(m *Map) error
	// EndMatch ends the match with the next tick.
	EndMatch()
	// IsDDRace reports whether the world is one of DDRace, where no end of a match is shown.
	IsDDRace() bool
	// Listings returns the listings of the operators who get the list of maps.
	Listings() iter.Seq[*Listing]
	// Ranks returns the results of races, nil if the server keeps none.
	Ranks() (ranks Ranks, origin game.RankOrigin)
}

// Rules are the game types and mods that maps are played with.
type Rules interface {
	// Wanted returns the choice of the next map's rules.
	Wanted() modhost.Choice
	// Find finds the rules of a choice for a map. Other goroutines call it.
	Find(c modhost.Choice, t *game.Terrain) (modhost.Ruleset, error)
}

// Votes are the votes of the server.
type Votes interface {
	// HasOption reports whether there is an option with a text.
	HasOption(text string) bool
	// Maps returns the maps of options.
	Maps() []string
	// WaitForMods reports whether a command about options must wait for the world. It then runs
	// later.
	WaitForMods(call *console.Call) bool
	// Deciding reports whether the console runs the decision of a vote, and returns its caller.
	Deciding() (caller game.PlayerID, ok bool)
	// ForgetMapVote ends the delay until the next vote about the map.
	ForgetMapVote()
	// HadNoEffect tells players that the last decision had no effect.
	HadNoEffect()
}

// Players are the players of the server.
type Players interface {
	// Name returns the name of a player.
	Name(id game.PlayerID) string
	// Reply sends a chat line to a player who may have left.
	Reply(id game.PlayerID, line string)
}

// Ranks answer requests about results of races.
type Ranks interface {
	// Submit queues a request without waiting. Any goroutine calls answer, once.
	Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer))
}

// Maps are the maps of a server. The goroutine of the loop must call the methods, unless they say
// otherwise.
type Maps struct {
	Settings  Settings
	Downloads Downloads

	cfg     Config
	host    Host
	console *console.Console
	// configured is the value of sv_map in the configuration, when it was read last.
	configured string
	// chunksPerRequest is how many chunks of a map clients request at once.
	chunksPerRequest int

	played   *Map
	plan     plan
	reads    later.Limit
	list     list
	rotation rotation
	random   randomMap
}

// New returns maps without settings; see [Maps.Register].
func New(cfg Config) *Maps {
	m := &Maps{cfg: cfg, host: cfg.Host, reads: later.Limit{Max: maxReads}}
	m.Downloads = Downloads{host: cfg.Host, settings: &m.Settings}
	return m
}

// Configured is called when the server has run its configuration, before it reads the first map.
func (m *Maps) Configured() {
	m.configured = m.Settings.Map
	m.chunksPerRequest = chunksPerRequest(m.Settings.DownloadSpeed)
}

// Reconfigure calls read. That runs the configuration again. The map changes only if the
// configuration names another map than at the last reading, because votes and the rotation change
// the map too.
func (m *Maps) Reconfigure(read func()) {
	wanted := m.Settings.Map
	m.Settings.Map = m.configured
	read()
	if m.Settings.Map == m.configured {
		m.Settings.Map = wanted
	} else {
		m.configured = m.Settings.Map
	}
	if m.rotation.problem != "" {
		m.lookForRotation()
	}
}

// Begin is called when the game begins on a map.
func (m *Maps) Begin(played *Map) { m.played = played }

// Played returns the map that is played, nil before the first.
func (m *Maps) Played() *Map { return m.played }

// Announced returns a file of a map with the address from which clients may download it.
func (m *Maps) Announced(file *bridge.Map) bridge.Map {
	announced := *file
	if base := m.Settings.BaseURL; base != "" {
		announced.URL = fmt.Sprintf("%s/%s_%x.map", strings.TrimSuffix(base, "/"), url.PathEscape(file.Name), file.SHA256)
	}
	return announced
}

// Rotation returns the maps that are played in turn.
func (m *Maps) Rotation() []string { return console.SplitNames(m.Settings.Rotation) }

// Next returns the map after this match, "" for the same one.
func (m *Maps) Next() string {
	return cmp.Or(m.plan.asked, m.plan.next, m.nextInRotation())
}

// nextInRotation returns the map after this one in the rotation, "" if that is empty.
func (m *Maps) nextInRotation() string {
	rotation := m.Rotation()
	if len(rotation) == 0 {
		return ""
	}
	current := slices.Index(rotation, m.Settings.Map) // -1 if it is not in the rotation
	return rotation[(current+1)%len(rotation)]
}

// print prints a line for the log.
func (m *Maps) print(level int, line string) { m.host.Print(level, "server", line) }
