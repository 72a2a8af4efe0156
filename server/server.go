package server

import (
	"context"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/announce"
	"github.com/teeyard/teeyard/server/internal/econ"
	"github.com/teeyard/teeyard/server/internal/files"
	"github.com/teeyard/teeyard/server/internal/fill"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/internal/modhost"
	"github.com/teeyard/teeyard/server/internal/rules"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/storage"
	"github.com/teeyard/teeyard/server/vote"
	"github.com/teeyard/teeyard/server/watchdog"
	"github.com/teeyard/teeyard/transport"
)

// Server is a game server. Its methods must be called by one goroutine, unless they
// say otherwise.
type Server struct {
	cfg Config
	// now is the time of the datagram, pass or console line that is being handled. Only Feed,
	// Advance and Execute set it, at their beginning. Functions below them take it as an argument,
	// except for functions that a bridge calls without a time.
	now      conn.Time
	settings settings
	console  *console.Console
	lines    consoleLines
	output   output
	started  bool // the console's commands can use the world
	shutdown shutdownRequest
	drain    drain
	drops    drops
	tasks    tasks

	ddrace ddraceSettings
	used   bool // a client was here in the last tick

	transport transport.Conn

	// Admission.
	versions []*protocolVersion
	lobby    lobby

	sessionTable
	rooms
	prelude int // ticks that are still to be played at once

	world           *game.World
	tuning          game.Tuning
	clock           clock
	pendingCommands []game.Command // for the next tick
	resume          resumption
	watchdog        watchdog.Watchdog
	observers       observers
	tickTimes       tickTimes
}

// rooms are the concerns of a server that have packages of their own.
type rooms struct {
	rules         *rules.Configured // see gameRules
	access        *access.Control
	chat          *chat.Chat
	votes         *vote.Votes
	maps          *gamemap.Maps
	mods          *modhost.Mods
	bots          *fill.Bots
	storage       *storage.Broker
	record        *record.Recorder
	listing       *listing.Listing
	announcements *announce.Announcer
	files         *files.Files
	logs          *logs.Logs
	econ          *econ.Console
}

// World returns the world of the current map. Use it between ticks, and only for reading.
func (s *Server) World() *game.World { return s.world }

// Addr returns the address that the server listens on.
func (s *Server) Addr() transport.Peer { return s.transport.LocalAddr() }

// queueCommand adds a command to the next tick.
func (s *Server) queueCommand(cmd game.Command) { s.pendingCommands = append(s.pendingCommands, cmd) }

// sayToAll adds a chat line from the server to the next tick.
func (s *Server) sayToAll(text string) {
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// print logs a line and sends it to the administrators at the remote console.
func (s *Server) print(level int, system, line string) {
	s.output.print(console.Operator, level, system, line)
}

// printFor is print for a line that a caller's command prints.
func (s *Server) printFor(who console.Caller, level int, system, line string) {
	s.output.print(who, level, system, line)
}

// countDrop counts something that was received and had no effect.
func (s *Server) countDrop(r dropReason) { s.drops.add(r, 1) }

// Drops returns the number of datagrams, messages and other things that were received and
// had no effect, by reason. It may be called by any goroutine.
func (s *Server) Drops() map[string]uint64 { return s.drops.byReason() }

// Do runs f between two ticks on the goroutine that is in Run, and returns when f has
// returned. It may be called by any goroutine. ErrClosed means that f will not run, the
// error of ctx that it may not have run yet.
func (s *Server) Do(ctx context.Context, f func()) error { return s.tasks.do(ctx, s.transport.Wake, f) }

// Execute runs a console line with full access. Call it through Do while Run runs.
func (s *Server) Execute(line string) {
	s.now = conn.Time(s.transport.Now())
	s.console.Execute(line, console.Operator)
}
