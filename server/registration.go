package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/transport"
)

// registration registers the server at masters while sv_register says so.
type registration struct {
	*activeRegistration // nil for none
	outdated            bool
	unregistering       later.Job[struct{}]
}

// activeRegistration is a registration with certain settings.
type activeRegistration struct {
	registrar    *master.Registrar
	superseded   bool // its events are ignored
	nextInfoTime conn.Time
	info         []byte
}

// infoInterval is the time between two updates of the info that masters get.
const infoInterval = time.Second

// updateRegistration does what is due about masters, without waiting for anything.
func (s *Server) updateRegistration(now conn.Time) {
	l := &s.registration
	if l.outdated {
		s.restartRegistration()
	}
	if l.activeRegistration == nil {
		return
	}
	if now >= l.nextInfoTime {
		l.nextInfoTime = now.Add(infoInterval)
		s.browserReplies()
		l.info = query.AppendJSON(l.info[:0], &s.infoCache.info)
		l.registrar.SetInfo(int64(now), l.info)
	}
	l.registrar.Step(int64(now))
}

// handle handles a datagram if a master sent it, and reports whether one did.
func (l *registration) handle(now conn.Time, peer transport.Peer, b []byte) bool {
	return l.activeRegistration != nil && l.registrar.Feed(int64(now), peer, b)
}

// restartRegistration registers the server with the current settings. The registration
// before must have ended, or masters would have the address twice.
func (s *Server) restartRegistration() {
	l := &s.registration
	if l.activeRegistration != nil {
		s.print(console.Standard, "register", "the server is leaving the lists of the masters")
		l.unregister()
	}
	if l.isUnregistering() {
		return
	}
	l.outdated = false
	cfg, err := s.registrarConfig()
	if err == nil && cfg.Protocols == 0 {
		return
	}
	a := &activeRegistration{}
	cfg.OnEvent = func(e master.Event) {
		if !a.superseded {
			s.printMasterEvent(&e)
		}
	}
	if err == nil {
		a.registrar, err = master.New(cfg)
	}
	if err != nil {
		s.print(console.Warning, "register", fmt.Sprintf("the server is not announced: %v", err))
		return
	}
	l.activeRegistration = a
	if u, err := url.Parse(cfg.URL); err == nil && u.Host != "" {
		// Hosting panels wait for this line.
		s.print(console.Standard, "register", fmt.Sprintf("chose '%s' as master, sending heartbeats", u.Host))
	}
}

// unregister ends the registration in a goroutine.
func (l *registration) unregister() {
	if l.activeRegistration == nil {
		return
	}
	reg := l.registrar
	l.superseded, l.activeRegistration = true, nil
	l.unregistering.Start(later.Go, func() struct{} {
		reg.Close()
		return struct{}{}
	})
}

// isUnregistering reports whether unregister is still at work.
func (l *registration) isUnregistering() bool {
	l.unregistering.Take()
	return l.unregistering.Running()
}

// close ends the registration, and waits for that for up to a second.
func (l *registration) close() {
	l.unregister()
	l.unregistering.Wait(later.Forever)
}

// registrarConfig returns the configuration of a registrar from the settings.
func (s *Server) registrarConfig() (master.Config, error) {
	v := &s.settings
	cfg := master.Config{
		Port: s.Addr().Port(), URL: v.RegisterURL, Local: s.Addr().Addr(),
		Tokens: s.tokens, Send: s.transport.Send,
	}
	var err error
	if cfg.Protocols, err = master.ParseProtocols(v.Announce); err != nil || cfg.Protocols == 0 {
		return cfg, err
	}
	if s.drain.active {
		cfg.Protocols = 0
		return cfg, nil
	}
	if v.ExternalPort < 0 || v.ExternalPort > 0xffff {
		return cfg, fmt.Errorf("%w: sv_external_port %d is not a port", master.ErrConfig, v.ExternalPort)
	}
	if v.ExternalPort != 0 {
		cfg.Port = uint16(v.ExternalPort)
	}
	if cfg.Header, err = parseHeaders(v.RegisterExtra); err != nil {
		return cfg, err
	}
	if v.RegisterCommunityToken != "" {
		cfg.Header.Set("Community-Token", v.RegisterCommunityToken)
	}
	if v.RegisterURL == "" && v.RegisterUDP == "" {
		return cfg, fmt.Errorf("%w: sv_register_url and sv_register_udp are both empty", master.ErrConfig)
	}
	return cfg, cfg.AddMasters(v.RegisterUDP)
}

// parseHeaders parses HTTP headers "Name: Value" separated by commas.
func parseHeaders(list string) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			// The error leaves out the value, which may be secret.
			return nil, fmt.Errorf(`%w: sv_register_extra must be "Header: Value", separated by commas`, master.ErrConfig)
		}
		h.Add(name, value)
	}
	return h, nil
}

// printMasterEvent prints what became of a registration.
func (s *Server) printMasterEvent(e *master.Event) {
	text, level := e.Text, console.Standard
	switch e.Kind {
	case master.EventFailed:
		level = console.Warning
		text = "not registered, trying again: " + text
	case master.EventMasterChosen:
		text = fmt.Sprintf("chose '%s' as master, sending heartbeats", e.Master)
	case master.EventRegistered:
		text = "successfully registered"
		if e.Master != "" {
			text += fmt.Sprintf(" at '%s'", e.Master)
		}
	case master.EventUnreachable:
		level = console.Warning
		text = fmt.Sprintf("the master's packets do not arrive: let UDP port %d through the firewall or router to this server (if the port is different outside, set sv_external_port)", s.Addr().Port())
	}
	s.print(level, e.System, text)
}
