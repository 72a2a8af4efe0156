package server

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/vote"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// Server is a game server. Its methods must be called by one goroutine, unless they
// say otherwise.
type Server struct {
	cfg Config
	// now is the time of the datagram, pass or console line that is being handled. Only
	// Feed, Advance and Execute set it, at their beginning. Functions below them take
	// it as an argument, except for those that a bridge calls, which knows no time.
	now      conn.Time
	settings console.Settings
	rules    game.Rules // as configured; see gameRules
	console  *console.Console
	line     *consoleLine // that runs or is answered, nil if nobody waits for it
	// chatCommands are sorted by name.
	chatCommands []chatCommand
	modCommands  modCommands
	started      bool // the console's commands can use the world
	// configuredMap is what the configuration set sv_map to when it was read last.
	configuredMap string
	shutdown      shutdownRequest
	drain         drain
	drops         [numDrops]atomic.Uint64
	tasks         chan func() // from Do
	files         operatorFiles
	mapReads      later.Limit
	closed        chan struct{} // closed by Shutdown

	// missingGameType is the sv_gametype that the world was to have, "" if it has it, and
	// missingErr why it has not. reportedGameType is the last that was printed. nextGameTypeErr is what is
	// wrong with an sv_gametype that is not used yet.
	missingGameType, reportedGameType string
	gameTypeSet                       bool // somebody has set sv_gametype
	inactiveTimeSet                   bool // somebody has set sv_inactivekick_time
	ddrace                            ddraceSettings
	randomMap                         randomMap
	used                              bool // a client was here in the last tick
	missingErr, nextGameTypeErr       error

	transport   transport.Conn
	datagrams   []transport.Datagram // of one ReadBatch
	connBuffers conn.Buffers
	scratch     packet.Scratch
	sendBuf     []byte

	// Admission.
	versions     []*protocolVersion
	tokens       *conn.TokenIssuer
	access       *access.Control
	strangerPace pace
	speechLimits speechLimits
	addrHashKey  hashKey

	sessions        [game.MaxPlayers]*session // by client id, nil for free ones
	sessionPool     [game.MaxPlayers]*session // reused, by client id
	sessionByPeer   map[transport.Peer]*session
	droppedSessions []*session
	seats           seats
	bots            bots
	botsThink       bool // in this tick
	prelude         int  // ticks that are still to be played at once
	votes           *vote.Votes
	snapshotBuffers snapshotBuffers

	gameMap          *gameMap // that is played
	mapChange        mapChange
	mapBudget        mapBudget
	nextBurst        conn.Time // of downloads over bad networks, 0 without one
	chunksPerRequest int
	world            *game.World
	tuning           game.Tuning
	clock            clock
	pendingCommands  []game.Command // for the next tick
	asked            askedOfWorld   // by the console, with those
	record           *record.Recorder
	storage          storageHost
	resume           resumption
	watchdog         watchdog
	hookClock        hookClock
	hookStops        []game.Command // space for takeHookStops
	observed         []event.Event  // since the last tick that observers saw
	observedTick     Tick           // what they see

	tickTimes     TickTimes
	infoCache     infoCache
	mapLists      mapLists
	announcements announcements
	rotation      rotation
	registration  registration
	halfLife      halfLife
	econ          econHost
	dialect       logline.Dialect

	logFile logFile
	fileLog *slog.Logger // writes to logFile, nil if there is none
	// firstLogFile is logfile as the operator of the machine set it. Who sets it later may not name files beside dumps.
	firstLogFile string
	auditLog     logFile
	modReload    modReload
	operator     auditEntry // the line of an operator that runs, zero if none does
}

// shutdownRequest is set by the command shutdown.
type shutdownRequest struct {
	requested bool
	reason    string
}

// New creates a server: it runs the commands of the configuration, loads the map and
// opens the socket. Call Run next, or Feed and Advance.
func New(cfg Config) (_ *Server, err error) {
	s := &Server{
		cfg:           cfg,
		hookClock:     hookClock{threadTime: cfg.ThreadTime},
		sessionByPeer: make(map[transport.Peer]*session),
		datagrams:     make([]transport.Datagram, 64),
		tasks:         make(chan func(), 16),
		files:         operatorFiles{writes: later.Limit{Max: maxWrites}, reads: later.Limit{Max: maxExecReads}},
		mapReads:      later.Limit{Max: maxMapReads},
		closed:        make(chan struct{}),
	}
	crand.Read(s.addrHashKey[:])
	s.versions = newProtocolVersions(s)
	s.votes = newVotes(s)
	if s.cfg.Log == nil {
		s.cfg.Log = slog.New(slog.DiscardHandler)
	}
	if s.cfg.Files == nil {
		s.cfg.Files = embed.FS{} // has no files
	}
	s.cfg.Seed = cmp.Or(s.cfg.Seed, rand.Uint64())
	if s.cfg.Background == nil {
		s.cfg.Background = later.Go
	}
	if s.cfg.Dialect == nil {
		s.cfg.Dialect = new(logline.DialectVar)
	}
	if s.cfg.Modes == nil {
		s.cfg.Modes = BuiltinModes()
	}
	if b := s.cfg.Broadcast; b != nil {
		s.cfg.Observers = append(slices.Clip(s.cfg.Observers), b)
	}
	s.ddrace.collect = &s.ddrace.configured
	s.record, s.resume.keeper = s.newRecorder(), s.newKeeper()
	var epoch time.Time
	s.access = newAccess(s, &epoch)
	if err := s.newConsole(); err != nil {
		return nil, err
	}
	s.tuning = physics.DefaultTuning() // which the commands can change
	if err := s.addChatCommands(); err != nil {
		return nil, err
	}
	if cfg.AddToConsole != nil {
		if err := cfg.AddToConsole(s.console); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	if err := s.console.ExecuteArgs(cfg.Commands); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if !s.rulesMayDeclare() {
		if err := s.console.CheckArgs(); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	s.configuredMap = s.settings.Map
	if p := s.settings.Port; p < 0 || p > 0xffff {
		return nil, fmt.Errorf("server: sv_port %d: not a port (0 to 65535)", p)
	}
	if m := addrWithPort.FindStringSubmatch(s.settings.BindAddr); m != nil {
		return nil, fmt.Errorf("server: bindaddr %q: the port belongs in sv_port: bindaddr %s; sv_port %s", m[0], m[1], m[2])
	}

	defer func() {
		if err != nil {
			s.closeLogs()
		}
	}()
	s.openLogFile()
	s.openAuditLog()
	s.chunksPerRequest = chunksPerRequest(s.settings.MapDownloadSpeed)
	if err := s.openStorage(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.openRanks(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.startFirstWorld(); err != nil {
		return nil, fmt.Errorf("server: cannot start: %w", err)
	}
	if err := s.console.CheckArgs(); err != nil { // with what the mode and the mods have declared
		return nil, fmt.Errorf("server: %w", err)
	}
	if s.transport = cfg.Transport; s.transport == nil {
		addr := s.settings.BindAddr
		if addr == "" && s.settings.IPv4Only != 0 {
			addr = "0.0.0.0"
		}
		c, err := udp.Listen(udp.Config{Addr: addr, Port: s.settings.Port, Dedicated: true})
		if err != nil {
			return nil, fmt.Errorf("server: cannot listen (is another server running? sv_port and bindaddr set the address): %w", err)
		}
		s.transport = c
	}
	if cfg.AddTransport != nil {
		s.transport = cfg.AddTransport(s.transport)
	}
	if cfg.Broadcast != nil {
		cfg.Broadcast.Attach(s.transport.Wake)
	}
	now := conn.Time(s.transport.Now())
	s.now = now
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.tokens = tokens
	epoch = time.Now().Add(-time.Duration(now))
	if err := s.halfLife.open(s); err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.announceStart(now)
	return s, nil
}

// addrWithPort matches addresses and names with a port.
var addrWithPort = regexp.MustCompile(`^([^:]+|\[.*\]):(\d+)$`)

// startFirstWorld reads the first map and creates a world on it, unless the match of the server
// before goes on.
func (s *Server) startFirstWorld() error {
	if s.resumeWorld() {
		return nil
	}
	m, err := s.readMap(s.settings.Map)
	if err != nil {
		return err
	}
	if err = s.readRules(m, s.wantedGameType(), s.settings.Mods, s.settings.ResetFile); err != nil {
		return err
	}
	return s.startWorld(m)
}

// announceStart begins the first tick, logs what is running and runs the commands that
// waited for the world.
func (s *Server) announceStart(now conn.Time) {
	s.clock.reset(now)
	s.started, s.ddrace.collect = true, nil
	defer s.resumeSeats(now)
	for i, v := range s.versions {
		name := "version" // programs take the first for the dialect of all lines
		if i > 0 {
			name = "netversion"
		}
		s.print(console.Standard, "server", fmt.Sprintf("%s %s", name, v.NetVersion()))
	}
	s.print(console.Standard, "server", fmt.Sprintf("server name is '%s'", s.settings.Name))
	s.print(console.Standard, "server", fmt.Sprintf("using port %d, map %s, gametype %s", s.Addr().Port(), s.gameMap.Name, s.world.ModeName()))
	if password := s.access.Logins.Generate(); password != "" {
		s.print(console.Standard, "server", fmt.Sprintf("rcon password: %s (generated, since sv_rcon_password is not set)", password))
	}
	s.halfLife.configure(console.Operator)
	s.openEcon()
	s.console.Start()
	s.announceProblems()
}

// World returns the world of the current map. Use it between ticks, and only for reading.
func (s *Server) World() *game.World { return s.world }

// Addr returns the address that the server listens on.
func (s *Server) Addr() transport.Peer { return s.transport.LocalAddr() }

// Run serves until ctx ends or the command shutdown runs. It sends the reason to the clients.
func (s *Server) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, s.transport.Wake)
	defer stop()
	defer s.startWatchdog()()
	gatherer, _ := s.transport.(transport.Gatherer)
	for ctx.Err() == nil && !s.shutdown.requested {
		n, err := s.transport.ReadBatch(s.datagrams, int64(s.nextAdvanceTime()))
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		delay := s.feedBatch(s.datagrams[:n])
		now := s.transport.Now()
		s.Advance(conn.Time(now))
		if gatherer != nil && delay > 0 {
			gatherer.Gather(now + int64(delay))
		}
		s.runTasks()
	}
	s.Shutdown(conn.Time(s.transport.Now()), s.shutdown.reason)
	return nil
}

// Do runs f between two ticks on the goroutine that is in Run, and returns when f has
// returned. It may be called by any goroutine. ErrClosed means that f will not run, the
// error of ctx that it may not have run yet.
func (s *Server) Do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	task := func() { defer close(done); f() }
	select {
	case s.tasks <- task:
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

// ErrClosed is returned by Do after the server has shut down.
var ErrClosed = errors.New("server: closed")

// Execute runs a console line with full access. Call it through Do while Run runs.
func (s *Server) Execute(line string) {
	s.now = conn.Time(s.transport.Now())
	s.console.Execute(line, console.Operator)
}

// runTasks runs what Do was given.
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

// Shutdown tells all clients the reason, closes the socket and unregisters the server
// from the masters, which may take a second.
func (s *Server) Shutdown(now conn.Time, reason string) {
	reason = cmp.Or(reason, "Server shutdown")
	s.now = now
	s.closeResume()
	for _, c := range s.sessions {
		if c != nil {
			c.drop(reason)
		}
	}
	s.closeDropped(now)
	if s.seats.leaving != 0 {
		s.tick(now) // in which they leave, so that the log and observers have it
	}
	s.asked.lose(s, "the server shuts down")
	s.asked.end()
	s.halfLife.unregister()
	s.closeEcon()
	select {
	case <-s.closed:
	default:
		s.print(console.Standard, "server", fmt.Sprintf("shut down (%s)", reason))
	}
	s.transport.Flush()
	s.transport.Close()
	s.bots.ways.end()
	s.record.Close(replay.EndShutdown)
	s.closeStorage()
	s.closeFiles()
	s.closeLogs()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.registration.close()
}

// numClients returns the number of sessions with a connection.
func (s *Server) numClients() int { return len(s.sessionByPeer) }
