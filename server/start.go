package server

import (
	"cmp"
	crand "crypto/rand"
	"embed"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/transport"
)

// New creates a server: it runs the commands of the configuration, loads the map and
// opens the socket. Call Run next, or Feed and Advance.
func New(cfg Config) (_ *Server, err error) {
	s := &Server{
		cfg:          cfg,
		sessionTable: sessionTable{sessionByPeer: make(map[transport.Peer]*session)},
		tasks:        newTasks(),
	}
	crand.Read(s.addrHashKey[:])
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
		s.cfg.Modes = builtin.Modes()
	}
	if b := s.cfg.Broadcast; b != nil {
		s.cfg.Observers = append(slices.Clip(s.cfg.Observers), b)
	}
	s.observers.list = s.cfg.Observers
	s.ddrace.collect = &s.ddrace.configured
	var epoch time.Time
	s.newRooms(&epoch)
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
	if s.resume.keeper.Enabled == 0 && !s.mods.MayDeclare(s.maps.Settings.Map != gamemap.DefaultMap) {
		if err := s.console.CheckArgs(); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	s.maps.Configured()
	if err := s.checkAddress(); err != nil {
		return nil, err
	}

	defer func() {
		if err != nil {
			s.logs.Close()
		}
	}()
	s.logs.Open()
	if err := s.storage.Open(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.startFirstWorld(); err != nil {
		return nil, fmt.Errorf("server: cannot start: %w", err)
	}
	if err := s.console.CheckArgs(); err != nil { // with what the mode and the mods have declared
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	now := conn.Time(s.transport.Now())
	s.now = now
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.lobby.tokens = tokens
	epoch = time.Now().Add(-time.Duration(now))
	if err := s.listing.Open(s.transport, tokens); err != nil {
		s.transport.Close()
		return nil, fmt.Errorf("server: %w", err)
	}
	s.announceStart(now)
	return s, nil
}

// startFirstWorld reads the first map and creates a world on it, unless the match of the server
// before goes on.
func (s *Server) startFirstWorld() error {
	if s.resumeWorld() {
		return nil
	}
	m, err := s.maps.Read()
	if err != nil {
		return err
	}
	return s.startWorld(m)
}

// announceStart begins the first tick, logs the versions, the port and the map, and runs the
// commands that waited for the world.
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
	s.print(console.Standard, "server", fmt.Sprintf("server name is '%s'", s.listing.Settings.Name))
	s.print(console.Standard, "server", fmt.Sprintf("using port %d, map %s, gametype %s", s.Addr().Port(), s.maps.Played().Name, s.world.ModeName()))
	if password := s.access.Logins.Generate(); password != "" {
		s.print(console.Standard, "server", fmt.Sprintf("rcon password: %s (generated, since sv_rcon_password is not set)", password))
	}
	s.listing.Start()
	s.econ.Open(int64(now))
	s.console.Start()
	s.announceProblems()
}
