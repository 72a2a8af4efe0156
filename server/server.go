package server

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// Config says what a server is made of. The zero value is a deathmatch on the
// embedded map, on UDP port 8303 of all addresses.
type Config struct {
	// Transport carries the datagrams; nil opens a UDP socket as bindaddr and
	// sv_port say. The server closes it.
	Transport transport.Conn
	// Commands are console lines executed before the server starts, as the
	// arguments of the program are: settings, "exec FILE", "-f", FILE.
	Commands []string
	// Files reads maps and configuration files; nil knows the embedded maps only.
	Files fs.FS
	// Create opens a file for writing, by such a path, for save_config; nil turns
	// that command off.
	Create func(name string) (io.WriteCloser, error)
	// Replays is where matches are recorded while sv_replay is 1, so that
	// "teeyard replay" can run them again; nil records nothing.
	Replays Replays
	// Bans is where bans are kept, such as [bans.Open] makes one in a file; nil
	// keeps them in memory. The server does not close it.
	Bans bans.Store
	// Modes makes a game mode by its sv_gametype; nil knows the built-in ones.
	Modes func(name string) (game.Mode, bool)
	// Mods are laid over the mode, in order.
	Mods []game.Mod
	// Observers watch what happens, in order; see [Observer].
	Observers []Observer
	// Log takes the console's output; nil discards it.
	Log *slog.Logger
	// Seed makes the world's chances; 0 picks one.
	Seed uint64
}

// Server is a game server. Its methods are for one goroutine unless they say
// otherwise.
type Server struct {
	cfg Config
	// now is the time of the datagram, pass or console line that is being handled. Only
	// Feed, Advance and Execute set it, at their beginning. Functions below them take
	// it as an argument, except for those that a bridge calls, which knows no time.
	now       conn.Time
	settings  console.Settings
	console   *console.Console
	transport transport.Conn
	received  []transport.Datagram
	buffers   conn.Buffers
	scratch   packet.Scratch
	tokens    *conn.TokenIssuer

	sessions       [game.MaxPlayers]*session // by client id, nil where nobody is
	sessionPool    [game.MaxPlayers]*session // their storage
	sessionByPeer  map[transport.Peer]*session
	dropping       []*session
	bans           banList
	connectLimiter *limit.Limiter
	spoofLimiter   spoofLimiter
	failedLogins   *limit.Failures
	addrHashKey    maphash.Seed
	leavingSeats   game.PlayerMask         // seats that the next tick clears
	lastNames      [game.MaxPlayers]string // of those who left
	lastClans      [game.MaxPlayers]string
	lastTeams      [game.MaxPlayers]game.Team // as was told last
	bots           bots
	registration   registration
	halfLife       halfLife
	votes          votes

	gameMap          gameMap
	chunksPerRequest int
	world            *game.World
	tuning           game.Tuning
	clock            clock
	pendingCommands  []game.Command
	nextMap          string
	reloadMap        bool
	recorder         recorder
	observed         []event.Event // since the last tick that observers saw

	versions  []*protocolVersion
	view      game.View // of the snapshot under construction
	builder   snapshot.Builder
	next      snapshot.Snapshot
	empty     snapshot.Snapshot
	pool      snapshot.Pool
	infoCache infoCache
	delta     []byte
	buf       []byte
	out       []byte

	shutdownRequested bool
	shutdownReason    string
	started           bool
	drops             [numDrops]atomic.Uint64
	tasks             chan func()
	closed            chan struct{} // closed by Shutdown
}

// New makes a server: it executes the commands, loads the map, and opens the
// socket. Run or Advance bring it to life.
func New(cfg Config) (*Server, error) {
	s := &Server{
		cfg:           cfg,
		sessionByPeer: make(map[transport.Peer]*session),
		received:      make([]transport.Datagram, 64),
		tasks:         make(chan func(), 16),
		closed:        make(chan struct{}),

		addrHashKey:    maphash.MakeSeed(),
		connectLimiter: limit.NewLimiter(connectsTracked, connectRate),
		spoofLimiter:   spoofLimiter{networks: limit.NewLimiter(unprovenTracked, unprovenRate)},
		failedLogins:   newFailedLogins(),
	}
	s.versions = newProtocolVersions(s)
	if s.cfg.Log == nil {
		s.cfg.Log = slog.New(slog.DiscardHandler)
	}
	if s.cfg.Files == nil {
		s.cfg.Files = emptyFS{}
	}
	if s.cfg.Seed == 0 {
		s.cfg.Seed = rand.Uint64()
	}
	if s.cfg.Modes == nil {
		s.cfg.Modes = BuiltinModes
	}
	if err := s.newConsole(); err != nil {
		return nil, err
	}
	s.console.ExecuteArgs(cfg.Commands)

	s.tuning = physics.DefaultTuning()
	s.chunksPerRequest = s.settings.MapDownloadSpeed
	if err := s.loadMap(s.settings.Map); err != nil {
		return nil, fmt.Errorf("server: cannot start without a map: %w", err)
	}
	if s.transport = cfg.Transport; s.transport == nil {
		c, err := udp.Listen(udp.Config{Addr: s.settings.BindAddr, Port: s.settings.Port})
		if err != nil {
			return nil, fmt.Errorf("server: cannot listen (is another server running? sv_port and bindaddr say where): %w", err)
		}
		s.transport = c
	}
	now := conn.Time(s.transport.Now())
	s.now = now
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.tokens = tokens
	epoch := time.Now().Add(-time.Duration(now))
	s.bans = newBanList(cfg.Bans, func() time.Time { return epoch.Add(time.Duration(s.transport.Now())) })
	if err := s.halfLife.open(s); err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.announceStart(now)
	return s, nil
}

// announceStart says what is running and lets the queued commands go.
func (s *Server) announceStart(now conn.Time) {
	s.clock.reset(now)
	s.started = true
	for _, d := range s.versions {
		s.print(console.Standard, "server", fmt.Sprintf("netversion %s", d.NetVersion()))
	}
	s.print(console.Standard, "server", fmt.Sprintf("server name is '%s'", s.settings.Name))
	s.print(console.Standard, "server", fmt.Sprintf("using port %d, map %s, gametype %s", s.Addr().Port(), s.gameMap.Name, s.world.ModeName()))
	s.generateRconPassword()
	s.halfLife.configure(console.Operator)
	s.console.Start()
}

// Addr is the address the server listens on.
func (s *Server) Addr() transport.Peer { return s.transport.LocalAddr() }

// Run serves until ctx ends or the console says shutdown. Clients are told.
func (s *Server) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, s.transport.Wake)
	defer stop()
	for ctx.Err() == nil && !s.shutdownRequested {
		n, err := s.transport.ReadBatch(s.received, int64(s.nextAdvance()))
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		for i := range s.received[:n] {
			d := &s.received[i]
			s.Feed(conn.Time(d.ReceivedAt), d.Peer, d.Data)
		}
		s.Advance(conn.Time(s.transport.Now()))
		s.runTasks()
	}
	s.Shutdown(conn.Time(s.transport.Now()), s.shutdownReason)
	return nil
}

// Do runs f on the server's own goroutine while Run does, between two ticks,
// and returns when it is done. It may be called by any goroutine. ErrClosed says
// that f will not run, the context's error that it may not have run yet.
func (s *Server) Do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	ask := func() { defer close(done); f() }
	select {
	case s.tasks <- ask:
	case <-s.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	s.transport.Wake()
	select {
	case <-done:
		return nil
	case <-s.closed:
		select {
		case <-done:
			return nil
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ErrClosed is returned when the server has shut down.
var ErrClosed = errors.New("server: closed")

// Execute runs a console line with full rights. Call it through Do while the
// server runs.
func (s *Server) Execute(line string) {
	s.now = conn.Time(s.transport.Now())
	s.console.Execute(line, console.Operator)
}

func (s *Server) runTasks() {
	for {
		select {
		case f := <-s.tasks:
			f()
		default:
			return
		}
	}
}

// Advance runs the ticks that are due, keeps the connections going and sends
// what there is to send. It returns when it wants to be called next.
func (s *Server) Advance(now conn.Time) conn.Time {
	s.now = now
	due, skipped := s.clock.due(now)
	if skipped > 0 {
		s.drops[dropTicks].Add(uint64(skipped))
	}
	before := s.clock.tick
	for range due {
		s.tick(now)
	}
	if due > 0 {
		// Every second tick; a stall that ends on an odd one skips no round.
		round := s.settings.HighBandwidth != 0 || crossesMultiple(before, s.clock.tick, 2)
		if round {
			s.sendSnapshots(now, before)
		}
		s.sendCommandLists()
		for _, c := range s.sessions {
			if c != nil {
				s.updateSession(now, c, round)
			}
		}
	}
	s.closeDropped(now)
	s.restartAfterFullReplay()
	s.changeMap(now)
	s.updateRegistration(now)
	s.halfLife.step(now)
	s.transport.Flush()
	return s.nextAdvance()
}

// idleTicks is how many ticks may be due before they are run when nobody is there to see
// them. Waking up costs far more than an empty tick.
const idleTicks = maxCatchUp / 2

// nextAdvance tells when Advance is to be called next, if nothing arrives before.
func (s *Server) nextAdvance() conn.Time {
	if len(s.sessionByPeer) == 0 && len(s.pendingCommands) == 0 {
		return s.clock.tickStart(s.clock.tick + idleTicks)
	}
	return s.clock.nextTick()
}

// crossesMultiple tells whether a multiple of n lies after before, up to tick.
func crossesMultiple(before, tick, n int32) bool { return tick/n != before/n }

// updateSession does a session's upkeep. What is queued for a player leaves with the
// snapshots, as in the original: a datagram for every input timing would cost
// more than all else the server does.
func (s *Server) updateSession(now conn.Time, c *session, round bool) {
	c.conn.Update(now)
	if c.conn.State() == conn.StateError {
		c.drop(c.conn.Reason())
		return
	}
	if c.state != stateInGame && now.Sub(c.lastProgress) > joinTimeout {
		c.drop("Took too long to join")
		return
	}
	c.continueDownload()
	c.reportDroppedLines()
	if round || c.state != stateInGame {
		c.conn.Flush(now)
	}
}

// tick runs one tick of the world.
func (s *Server) tick(now conn.Time) {
	s.clock.tick++
	tick := s.clock.tick
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame {
			continue
		}
		if in, ok := c.inputs.find(tick); ok {
			s.queueCommand(game.Command{Kind: game.CmdInput, Player: c.id, Target: game.Nobody, Input: in})
		}
	}
	s.runBots()
	s.votes.noneDropping = len(s.dropping) == 0
	events := s.stepWorld()
	clear(s.pendingCommands) // let go of texts and profiles
	s.pendingCommands = s.pendingCommands[:0]
	s.releaseSeats()
	s.updateLatencies()
	for _, d := range s.versions {
		d.RecordTick(s.world, events)
	}
	for i := range events {
		s.observeGame(&events[i])
		s.deliverEvent(now, &events[i])
	}
	s.tickVote(now)
	s.notifyObservers(events)
}

// leaveSeat lets a player leave the world with the next tick, which frees the seat.
func (s *Server) leaveSeat(id game.PlayerID, reason string) {
	s.leavingSeats |= game.MaskOne(id)
	p, _ := s.world.Player(id)
	s.lastNames[id], s.lastClans[id] = s.playerName(id), p.Profile.Clan
	s.queueCommand(game.Command{Kind: game.CmdLeave, Player: id, Target: game.Nobody, Text: reason})
}

// releaseSeats is for when the world knows who left: the seats can be given again.
func (s *Server) releaseSeats() {
	if s.leavingSeats == 0 {
		return
	}
	s.leavingSeats = 0
	for _, c := range s.sessions {
		if c != nil && c.readyPending && !c.dropping {
			c.readyPending = false
			c.OnReady()
		}
	}
}

// queueCommand keeps a queueCommand for the next tick.
func (s *Server) queueCommand(cmd game.Command) { s.pendingCommands = append(s.pendingCommands, cmd) }

// queueRequest keeps what a client wants. The limits of clients bound the number; the
// bound here is the last line, and what sessions themselves need to tell the
// world, such as that somebody left, is beyond it.
func (s *Server) queueRequest(cmd game.Command) {
	if len(s.pendingCommands) >= maxRequestsPerTick {
		s.count(dropCommands)
		return
	}
	s.queueCommand(cmd)
}

// maxRequestsPerTick bounds the requests of one tick: what 64 players may do at once.
const maxRequestsPerTick = 64 * 192

// Shutdown tells all clients and closes the socket. Then it takes the server off the
// lists of masters, which may take a second.
func (s *Server) Shutdown(now conn.Time, reason string) {
	if reason == "" {
		reason = "Server shutdown"
	}
	for _, c := range s.sessions {
		if c != nil {
			c.conn.Close(now, reason)
		}
	}
	s.halfLife.close()
	s.transport.Flush()
	s.transport.Close()
	s.closeReplay(replay.EndShutdown)
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.registration.close()
}

// numClients counts the sessions.
func (s *Server) numClients() int { return len(s.sessionByPeer) }

// addrHash numbers addresses, so that the world can tell players behind one
// address without knowing it. The key is of this process alone: neither mods nor
// those who read a replay log can find the addresses by trying all.
func (s *Server) addrHash(p transport.Peer) uint64 {
	return maphash.Comparable(s.addrHashKey, p.Addr().As16())
}
