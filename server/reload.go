package server

import (
	"context"
	"fmt"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Reload reads the configuration again and opens the log files again, which may have been moved
// away: it runs commands like those of [Config], of which only variables and what lasts, such as
// votes, count; see [console.Console.Reload]. Nobody is dropped. The map changes only if the
// configuration has another one than when it was read last, since votes and the rotation change
// it, too. Any goroutine may call Reload while Run runs, and waits for the disk then. The error
// is that of Do.
func (s *Server) Reload(ctx context.Context, commands []string) error {
	cfg := console.ReadConfiguration(s.cfg.Files, commands)
	return s.Do(ctx, func() { s.reload(cfg) })
}

func (s *Server) reload(cfg *console.Configuration) {
	s.now = conn.Time(s.transport.Now())
	wanted := s.settings.Map
	s.settings.Map = s.configuredMap
	before := s.race.configured
	s.race.configured, s.race.reloads = nil, true
	s.race.collect = &s.race.configured
	err := s.console.Reload(cfg)
	if s.race.collect, s.race.reloads = nil, false; err != nil {
		s.race.configured = before
	}
	if err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("the configuration is read in part only: %v", err))
	}
	if s.settings.Map == s.configuredMap {
		s.settings.Map = wanted
	} else {
		s.configuredMap = s.settings.Map
	}
	s.ReopenLogs()
	s.retryEcon()
	if s.rotation.problem != "" {
		s.lookForRotation()
	}
	if err == nil {
		s.print(console.Standard, "server", "the configuration was read again")
	}
}
