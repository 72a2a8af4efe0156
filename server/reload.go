package server

import (
	"context"
	"fmt"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Reload reads the configuration again and reopens the log files. It runs commands as [Config]
// does; only variables and lasting commands such as votes take effect (see
// [console.Console.Reload]). Clients stay connected. The map changes only if the configuration
// names another map than at the last reading, because votes and the rotation change the map too.
// Any goroutine may call Reload while Run runs; the call waits for the disk. The errors are the
// errors of [Server.Do].
func (s *Server) Reload(ctx context.Context, commands []string) error {
	cfg := console.ReadConfiguration(s.cfg.Files, commands)
	return s.Do(ctx, func() { s.reload(cfg) })
}

func (s *Server) reload(cfg *console.Configuration) {
	s.now = conn.Time(s.transport.Now())
	var err error
	s.maps.Reconfigure(func() { err = s.runConfiguration(cfg) })
	s.logs.Reopen()
	s.econ.Retry(int64(s.now))
	if err == nil {
		s.print(console.Standard, "server", "the configuration was read again")
	}
}

// runConfiguration runs the commands of a configuration that was read again.
func (s *Server) runConfiguration(cfg *console.Configuration) error {
	before := s.ddrace.configured
	s.ddrace.configured, s.ddrace.reloads = nil, true
	s.ddrace.collect = &s.ddrace.configured
	err := s.console.Reload(cfg)
	if s.ddrace.collect, s.ddrace.reloads = nil, false; err != nil {
		s.ddrace.configured = before
	}
	if err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("the configuration was read only in part: %v", err))
	}
	return err
}
