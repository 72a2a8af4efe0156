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

// listing keeps the server on the lists of masters while sv_register says so.
type listing struct {
	*announcement // nil while there is none
	stale         bool
	gone          chan struct{} // closed when the last announcement is off the lists
}

// announcement is a registrar of certain settings.
type announcement struct {
	reg    *master.Registrar
	over   bool // what it says does not matter any more
	infoAt conn.Time
	info   []byte
}

// infoEvery is how often masters may hear what has changed.
const infoEvery = time.Second

// registerHooks makes changed settings count, from the next tick on.
func (s *Server) registerHooks() error {
	for _, name := range []string{
		"sv_register", "sv_register_url", "sv_register_udp", "sv_register_extra", "sv_register_community_token",
		"sv_register_port", "sv_external_port",
	} {
		if err := s.console.After(name, func(*console.Call) { s.listing.stale = true }); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	return nil
}

// register does what is due about masters. It never waits for them.
func (s *Server) register(now conn.Time) {
	l := &s.listing
	if l.stale {
		s.renewListing()
	}
	if l.announcement == nil {
		return
	}
	if now >= l.infoAt {
		l.infoAt = now.Add(infoEvery)
		s.answers()
		l.info = query.AppendJSON(l.info[:0], &s.browsed.info)
		l.reg.SetInfo(int64(now), l.info)
	}
	l.reg.Step(int64(now))
}

// feed takes a datagram of a stranger. It reports whether a master sent it.
func (l *listing) feed(now conn.Time, peer transport.Peer, b []byte) bool {
	return l.announcement != nil && l.reg.Feed(int64(now), peer, b)
}

// renewListing announces the server as the settings are now. What was announced
// before has to be off the lists first, or masters would know the address twice.
func (s *Server) renewListing() {
	l := &s.listing
	if l.announcement != nil {
		s.print(console.Standard, "register", "the server is taken off the lists of the masters")
		l.end()
	}
	if l.leaving() {
		return
	}
	l.stale = false
	cfg, err := s.masters()
	if err == nil && cfg.Protocols == 0 {
		return
	}
	a := &announcement{}
	cfg.OnEvent = func(e master.Event) {
		if !a.over {
			s.tellOfMaster(&e)
		}
	}
	if err == nil {
		a.reg, err = master.New(cfg)
	}
	if err != nil {
		s.print(console.Standard, "register", fmt.Sprintf("the server is not announced: %v", err))
		return
	}
	l.announcement = a
	if u, err := url.Parse(cfg.URL); err == nil && u.Host != "" {
		// In the words that hosting panels wait for.
		s.print(console.Standard, "register", fmt.Sprintf("chose '%s' as master, sending heartbeats", u.Host))
	}
}

// end takes the server off the lists, beside the game.
func (l *listing) end() {
	if l.announcement == nil {
		return
	}
	reg, gone := l.reg, make(chan struct{})
	l.over, l.announcement, l.gone = true, nil, gone
	go func() {
		defer close(gone)
		reg.Close()
	}()
}

// leaving tells whether that is going on.
func (l *listing) leaving() bool {
	if l.gone == nil {
		return false
	}
	select {
	case <-l.gone:
		l.gone = nil
		return false
	default:
		return true
	}
}

// close takes the server off the lists, for which it waits a second at most.
func (l *listing) close() {
	l.end()
	if l.gone != nil {
		<-l.gone
	}
}

// masters is to whom the settings want the server announced, and how.
func (s *Server) masters() (master.Config, error) {
	v := &s.settings
	cfg := master.Config{
		Port: s.Addr().Port(), URL: v.RegisterURL, Local: s.Addr().Addr(),
		Tokens: s.tokens, Send: s.net.Send,
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
	if cfg.Header, err = headers(v.RegisterExtra); err != nil {
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

// headers reads a list of "Header: Value", separated by commas.
func headers(list string) (http.Header, error) {
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

// tellOfMaster tells the operator what became of an announcement.
func (s *Server) tellOfMaster(e *master.Event) {
	text := e.Text
	switch e.Kind {
	case master.Failed:
		text = "not registered, it is tried again: " + text
	case master.Chosen:
		text = fmt.Sprintf("chose '%s' as master, sending heartbeats", e.Master)
	case master.Registered:
		text = "successfully registered"
		if e.Master != "" {
			text += fmt.Sprintf(" at '%s'", e.Master)
		}
	case master.Unreachable:
		text = fmt.Sprintf("the master's packets do not arrive: a firewall or router has to let UDP port %d through to this server (sv_external_port, if it is another one outside)", s.Addr().Port())
	}
	s.print(console.Standard, e.System, text)
}
