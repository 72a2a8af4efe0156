package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web/certificate"
)

// Settings are the variables of a listener. The zero value has the defaults once registered.
type Settings struct {
	http                   string
	httpIsSet              bool // by the operator
	https, cert, key       string
	domain, ca             string
	play                   int
	opened                 bool
	status, metrics, pprof AccessSetting
	proxy                  AccessSetting // Access.Has counts
	websocket              webSocketSetting
	seats                  atomic.Int32 // players that each address may have
}

// SetSeats sets how many players an address may have (sv_max_clients_per_ip). The listeners accept
// eight connections for each, and at least 16.
func (s *Settings) SetSeats(perPerson int) { s.seats.Store(int32(perPerson)) }

// AccessSetting is the access rule of a room and its variable.
type AccessSetting struct {
	// Rule lets no client in before Register.
	Rule AccessRule
	text string
}

// Register adds the variables to a console and sets their defaults.
func (s *Settings) Register(c *console.Console) error {
	const sv = console.Server | console.Save
	for _, v := range []console.StringVar{
		{Name: "sv_http", Help: "Address of the HTTP listener, HOST or HOST:PORT (0 = off; the default port is the game's port); used when the server starts",
			Value: &s.http, Default: defaultHTTP},
		{Name: "sv_https", Help: "Address of the HTTPS listener, HOST or HOST:PORT (0 = off; the default port is 443); used when the server starts",
			Value: &s.https, Default: "0"},
		{Name: "sv_https_domain", Help: "Name or public IP address of the server, or a list with commas: the server gets a certificate for it from the CA of " +
			"sv_https_ca, whose terms you accept, and opens TCP ports 443 and 80; used when the server starts", Value: &s.domain, Size: 512},
		{Name: "sv_https_ca", Help: "ACME directory of the CA for sv_https_domain; used when the server starts", Value: &s.ca,
			Default: certificate.LetsEncrypt, Size: 256},
		{Name: "sv_https_cert", Help: "File with a certificate of your own and its chain; read again when it changes", Value: &s.cert, Size: 256},
		{Name: "sv_https_key", Help: "File with the key of that certificate; read again when it changes", Value: &s.key, Size: 256},
	} {
		v.Flags, v.Size = sv, max(v.Size, 128)
		if err := errors.Join(c.RegisterString(v), c.After(v.Name, s.usedAtStart)); err != nil {
			return fmt.Errorf("web: %w", err)
		}
	}
	if err := errors.Join(
		c.After("sv_http", func(*console.Call) { s.httpIsSet = true }),
		c.RegisterInt(console.IntVar{
			Name: "sv_play", Help: "Let everyone open the page /play: without sv_http the HTTP listener is then on all addresses; used when the server starts",
			Flags: sv, Value: &s.play, Max: 1,
		}),
		c.After("sv_play", s.usedAtStart),
	); err != nil {
		return fmt.Errorf("web: %w", err)
	}
	if err := s.proxy.RegisterWithHelp(c, "sv_http_proxy", "Trusted proxies. They must set X-Forwarded-For and X-Forwarded-Proto (off, or a list such "+
		"as local,10.0.0.0/8; local is this machine)", "off"); err != nil {
		return fmt.Errorf("web: %w", err)
	}
	if err := s.websocket.register(c); err != nil {
		return fmt.Errorf("web: %w", err)
	}
	for _, v := range []struct {
		name, what, initial string
		room                *AccessSetting
	}{
		{"sv_http_status", "/status.json", "all", &s.status},
		{"sv_http_metrics", "/metrics", "local", &s.metrics},
		{"sv_http_pprof", "/debug/pprof/", "off", &s.pprof},
	} {
		if err := v.room.Register(c, v.name, v.what, v.initial); err != nil {
			return fmt.Errorf("web: %w", err)
		}
	}
	return nil
}

// Register adds the variable to a console. What names the pages that the rule opens, and initial is
// the default.
func (s *AccessSetting) Register(c *console.Console, name, what, initial string) error {
	return s.RegisterWithHelp(
		c,
		name,
		"Clients that may read "+what+" over HTTP (all, off, or a list such as local,10.0.0.0/8; local needs the key of http.key)",
		initial,
	)
}

// RegisterWithHelp is Register with another help text.
func (s *AccessSetting) RegisterWithHelp(c *console.Console, name, help, initial string) error {
	err := c.RegisterString(console.StringVar{
		Name: name, Help: help,
		Flags: console.Server | console.Save, Value: &s.text, Default: initial, Size: 256,
	})
	if err != nil {
		return err
	}
	apply := func() error {
		a, err := ParseAccess(s.text)
		if err == nil {
			s.Rule.Set(a)
		}
		return err
	}
	if err := apply(); err != nil {
		return err
	}
	return c.After(name, func(call *console.Call) {
		if err := apply(); err != nil {
			call.Refuse("http", "%s: %v", name, err)
		}
	})
}

// usedAtStart prints that a variable has changed too late.
func (s *Settings) usedAtStart(call *console.Call) {
	if s.opened {
		call.Print("http", "%s takes effect when the server restarts", call.Name)
	}
}

// defaultHTTP is the default of sv_http.
const defaultHTTP = "localhost"

// Listen listens on the address of sv_http, with the game's port if it names none. If sv_play is 1
// or sv_https_domain is set, and sv_http is not set, it listens on all addresses. It returns no
// listeners if sv_http is 0. Call it before the server runs.
func (s *Settings) Listen(ctx context.Context, gamePort uint16) ([]net.Listener, error) {
	s.opened = true
	addr := s.http
	if (s.play != 0 || s.domain != "") && !s.httpIsSet {
		addr = ":" + strconv.Itoa(int(gamePort))
	}
	if addr == "" || addr == "0" {
		return nil, nil
	}
	listeners, err := listen(ctx, addr, gamePort, &s.seats)
	if err != nil {
		return nil, fmt.Errorf("sv_http %q: %w", addr, err)
	}
	return listeners, nil
}

// PlayHindrance returns the sentence that says why sv_play 1 has no effect, or "". reached reports
// whether other machines reach a listener.
func (s *Settings) PlayHindrance(reached bool) string {
	switch {
	case s.play == 0:
		return ""
	case !s.websocket.on.Load():
		return "sv_play 1 has no effect, since sv_websocket 0 keeps all players in browsers out"
	case reached:
		return ""
	}
	return fmt.Sprintf("sv_play 1 does not open the page to other machines, since sv_http %q does not; remove sv_http, or set sv_http 0.0.0.0", s.http)
}
