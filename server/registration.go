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
	"github.com/teeyard/teeyard/transport"
)

// registration keeps the server on the lists of masters while sv_register says so.
type registration struct {
	*activeRegistration // nil while there is none
	outdated            bool
	unregistered        chan struct{} // closed when the last announcement is off the lists
}

// activeRegistration is a registrar of certain settings.
type activeRegistration struct {
	registrar  *master.Registrar
	superseded bool // what it says does not matter any more
	nextInfo   conn.Time
	info       []byte
}

// infoInterval is how often masters may hear what has changed.
const infoInterval = time.Second

// updateRegistration does what is due about masters. It never waits for them.
func (s *Server) updateRegistration(now conn.Time) {
	l := &s.registration
	if l.outdated {
		s.restartRegistration()
	}
	if l.activeRegistration == nil {
		return
	}
	if now >= l.nextInfo {
		l.nextInfo = now.Add(infoInterval)
		s.browserReplies()
		l.info = query.AppendJSON(l.info[:0], &s.infoCache.info)
		l.registrar.SetInfo(int64(now), l.info)
	}
	l.registrar.Step(int64(now))
}

// handle takes a datagram of a stranger. It reports whether a master sent it.
func (l *registration) handle(now conn.Time, peer transport.Peer, b []byte) bool {
	return l.activeRegistration != nil && l.registrar.Feed(int64(now), peer, b)
}

// restartRegistration announces the server as the settings are now. What was announced
// before has to be off the lists first, or masters would know the address twice.
func (s *Server) restartRegistration() {
	l := &s.registration
	if l.activeRegistration != nil {
		s.print(console.Standard, "register", "the server is taken off the lists of the masters")
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
		s.print(console.Standard, "register", fmt.Sprintf("the server is not announced: %v", err))
		return
	}
	l.activeRegistration = a
	if u, err := url.Parse(cfg.URL); err == nil && u.Host != "" {
		// In the words that hosting panels wait for.
		s.print(console.Standard, "register", fmt.Sprintf("chose '%s' as master, sending heartbeats", u.Host))
	}
}

// unregister takes the server off the lists, beside the game.
func (l *registration) unregister() {
	if l.activeRegistration == nil {
		return
	}
	reg, gone := l.registrar, make(chan struct{})
	l.superseded, l.activeRegistration, l.unregistered = true, nil, gone
	go func() {
		defer close(gone)
		reg.Close()
	}()
}

// isUnregistering tells whether that is going on.
func (l *registration) isUnregistering() bool {
	if l.unregistered == nil {
		return false
	}
	select {
	case <-l.unregistered:
		l.unregistered = nil
		return false
	default:
		return true
	}
}

// close takes the server off the lists, for which it waits a second at most.
func (l *registration) close() {
	l.unregister()
	if l.unregistered != nil {
		<-l.unregistered
	}
}

// registrarConfig is to whom the settings want the server announced, and how.
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
	if v.ExternalPort < 0 || v.ExternalPort > 0xffff {
		return cfg, fmt.Errorf("%w: %d is no port", master.ErrConfig, v.ExternalPort)
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
		return cfg, fmt.Errorf("%w: sv_register_url and sv_register_udp name no master", master.ErrConfig)
	}
	return cfg, cfg.AddMasters(v.RegisterUDP)
}

// parseHeaders reads a list of "Header: Value", separated by commas.
func parseHeaders(list string) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			// The value may be a secret, so it is not repeated.
			return nil, fmt.Errorf(`%w: sv_register_extra wants "Header: Value", separated by commas`, master.ErrConfig)
		}
		h.Add(name, value)
	}
	return h, nil
}

// printMasterEvent tells the operator what became of an announcement.
func (s *Server) printMasterEvent(e *master.Event) {
	text := e.Text
	switch e.Kind {
	case master.EventFailed:
		text = "not registered, it is tried again: " + text
	case master.EventMasterChosen:
		text = fmt.Sprintf("chose '%s' as master, sending heartbeats", e.Master)
	case master.EventRegistered:
		text = "successfully registered"
		if e.Master != "" {
			text += fmt.Sprintf(" at '%s'", e.Master)
		}
	case master.EventUnreachable:
		text = fmt.Sprintf("the master's packets do not arrive: a firewall or router has to let UDP port %d through to this server (sv_external_port, if it is another one outside)", s.Addr().Port())
	}
	s.print(console.Standard, e.System, text)
}
