package listing

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
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/transport"
)

// masters registers the server at the masters of sv_register.
type masters struct {
	l             *Listing
	tokens        *conn.TokenIssuer
	hidden        bool          // the server is on no list, whatever the settings are
	active        *registration // nil for none
	outdated      bool          // active has other settings than the current ones
	unregistering later.Job[struct{}]
}

// registration is a registration with certain settings.
type registration struct {
	registrar    *master.Registrar
	superseded   bool // its events are ignored
	nextInfoTime conn.Time
	info         []byte
}

// infoInterval is the time between two updates of the info for masters.
const infoInterval = time.Second

// advance does the work that is due, without waiting.
func (m *masters) advance(now conn.Time) {
	if m.outdated {
		m.restart()
	}
	r := m.active
	if r == nil {
		return
	}
	if now >= r.nextInfoTime {
		r.nextInfoTime = now.Add(infoInterval)
		m.l.update()
		r.info = query.AppendJSON(r.info[:0], &m.l.browsers.info)
		r.registrar.SetInfo(int64(now), r.info)
	}
	r.registrar.Step(int64(now))
}

// feed handles a datagram from a master, and reports whether it is one.
func (m *masters) feed(now conn.Time, peer transport.Peer, b []byte) bool {
	return m.active != nil && m.active.registrar.Feed(int64(now), peer, b)
}

// restart registers the server with the current settings. The last registration must have ended
// before that, or masters would list the address twice.
func (m *masters) restart() {
	if m.active != nil {
		m.l.print(console.Standard, "register", "the server is leaving the lists of the masters")
		m.unregister()
	}
	if m.isUnregistering() {
		return
	}
	m.outdated = false
	cfg, err := m.config()
	if err == nil && cfg.Protocols == 0 {
		return
	}
	r := &registration{}
	cfg.OnEvent = func(e master.Event) {
		if !r.superseded {
			m.printEvent(&e)
		}
	}
	if err == nil {
		r.registrar, err = master.New(cfg)
	}
	if err != nil {
		m.l.print(console.Warning, "register", fmt.Sprintf("the server is not announced: %v", err))
		return
	}
	m.active = r
	if u, err := url.Parse(cfg.URL); err == nil && u.Host != "" {
		// Hosting panels wait for this line.
		m.l.print(console.Standard, "register", fmt.Sprintf("chose '%s' as master, sending heartbeats", u.Host))
	}
}

// unregister ends the registration in a goroutine.
func (m *masters) unregister() {
	if m.active == nil {
		return
	}
	registrar := m.active.registrar
	m.active.superseded, m.active = true, nil
	m.unregistering.Start(later.Go, func() struct{} {
		registrar.Close()
		return struct{}{}
	})
}

// isUnregistering reports whether a registration has not ended yet.
func (m *masters) isUnregistering() bool {
	m.unregistering.Take()
	return m.unregistering.Running()
}

// close ends the registration and waits for the end, for up to a second.
func (m *masters) close() {
	m.unregister()
	m.unregistering.Wait(later.Forever)
}

// config returns the configuration of a registrar.
func (m *masters) config() (master.Config, error) {
	v, addr := &m.l.Settings, m.l.transport.LocalAddr()
	cfg := master.Config{
		Port: addr.Port(), URL: v.RegisterURL, Local: addr.Addr(),
		Tokens: m.tokens, Send: m.l.transport.Send,
	}
	var err error
	if cfg.Protocols, err = master.ParseProtocols(v.Announce); err != nil || cfg.Protocols == 0 {
		return cfg, err
	}
	if m.hidden {
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
			// The error leaves out the value, since it may be secret.
			return nil, fmt.Errorf(`%w: sv_register_extra must be "Header: Value", separated by commas`, master.ErrConfig)
		}
		h.Add(name, value)
	}
	return h, nil
}

// printEvent prints an event of a registration.
func (m *masters) printEvent(e *master.Event) {
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
		text = fmt.Sprintf("the master's packets do not arrive: let UDP port %d through the firewall or router to this server "+
			"(if the port is different outside, set sv_external_port)", m.l.transport.LocalAddr().Port())
	}
	m.l.print(level, e.System, text)
}
