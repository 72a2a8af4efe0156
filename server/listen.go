package server

import (
	"fmt"
	"regexp"

	"github.com/teeyard/teeyard/transport/udp"
)

// addrWithPort matches addresses and names with a port.
var addrWithPort = regexp.MustCompile(`^([^:]+|\[.*\]):(\d+)$`)

// checkAddress checks sv_port and bindaddr.
func (s *Server) checkAddress() error {
	if p := s.settings.Port; p < 0 || p > 0xffff {
		return fmt.Errorf("server: sv_port %d: not a port (0 to 65535)", p)
	}
	if m := addrWithPort.FindStringSubmatch(s.settings.BindAddr); m != nil {
		return fmt.Errorf("server: bindaddr %q: the port belongs in sv_port: bindaddr %s; sv_port %s", m[0], m[1], m[2])
	}
	return nil
}

// listen opens the socket, unless the Config has a transport.
func (s *Server) listen() error {
	if s.transport = s.cfg.Transport; s.transport == nil {
		addr := s.settings.BindAddr
		if addr == "" && s.settings.IPv4Only != 0 {
			addr = "0.0.0.0"
		}
		c, err := udp.Listen(udp.Config{Addr: addr, Port: s.settings.Port, Dedicated: true})
		if err != nil {
			return fmt.Errorf("server: cannot listen (is another server running? sv_port and bindaddr set the address): %w", err)
		}
		s.transport = c
	}
	if s.cfg.AddTransport != nil {
		s.transport = s.cfg.AddTransport(s.transport)
	}
	if s.cfg.Broadcast != nil {
		s.cfg.Broadcast.Attach(s.transport.Wake)
	}
	return nil
}
