package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/acme"

	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/web/certificate"
)

// HTTPSConfig configures HTTPS.
type HTTPSConfig struct {
	// Folder stores the certificates of sv_https_domain.
	Folder string
	// Plain are the listeners of [Settings.Listen]. OpenHTTPS replaces each by one that accepts TLS
	// on the same port, too.
	Plain []net.Listener
	// Info and Warn print a line to the log. Any goroutine may call them.
	Info, Warn func(text string)
	// Ready is called when the first certificate of sv_https_domain has come. It may be nil. Any
	// goroutine may call it.
	Ready func()
}

// HTTPS is the HTTPS of a server, with the certificate of sv_https_cert or of sv_https_domain. The
// methods of a nil HTTPS do nothing.
type HTTPS struct {
	// Listeners are those of sv_https, which accept TLS only.
	Listeners []net.Listener

	cfg     HTTPSConfig
	config  *tls.Config
	manager *certificate.Manager // nil with sv_https_cert
	listen  func(port int) (net.Listener, error)
	serve   func(net.Listener)
	ports   [2]challengePort // for TLS and for plain HTTP
}

// challengePort is a port to which a CA connects.
type challengePort struct {
	port int
	open atomic.Bool
}

// OpenHTTPS prepares the certificate, and listens on the address of sv_https, on port 443 if it
// names none. It returns nil if neither sv_https nor a certificate is set. With an error beside the
// HTTPS, only the listener of sv_https is missing. Call OpenHTTPS before the server runs.
func (s *Settings) OpenHTTPS(ctx context.Context, cfg HTTPSConfig) (*HTTPS, error) {
	s.opened = true
	addr := s.https
	if addr == "0" {
		addr = ""
	}
	h := &HTTPS{cfg: cfg, listen: func(port int) (net.Listener, error) { return s.listenPort(ctx, addr, port) }}
	h.ports[0].port, h.ports[1].port = 443, 80
	switch {
	case addr == "" && s.cert == "" && s.key == "" && s.domain == "":
		return nil, nil
	case s.cert != "" && s.key != "":
		files, err := certificate.OpenFiles(s.cert, s.key, func(err error) {
			cfg.Warn(fmt.Sprintf("the new certificate cannot be used, the server keeps the old one: %v", err))
		})
		if err != nil {
			return nil, err
		}
		if s.domain != "" {
			cfg.Warn("sv_https_domain has no effect, since sv_https_cert names a certificate")
		}
		h.config = tlsConfig(files.Get)
	case s.cert != "" || s.key != "":
		return nil, errors.New("sv_https_cert and sv_https_key must both be set, to the files of a certificate and its key")
	case s.domain != "":
		names, err := certificate.ParseNames(s.domain, s.ca == certificate.LetsEncrypt)
		if err != nil {
			return nil, fmt.Errorf("sv_https_domain: %w", err)
		}
		h.manager = certificate.New(certificate.Config{
			Names: names, Folder: cfg.Folder, CA: s.ca, Ports: h.openPorts, Info: cfg.Info, Warn: cfg.Warn, Ready: cfg.Ready,
		})
		h.config = tlsConfig(h.manager.Get, acme.ALPNProto)
	default:
		return nil, fmt.Errorf("sv_https %q: set sv_https_domain to the name of this server, or sv_https_cert and sv_https_key to your certificate", addr)
	}
	return h, h.open(ctx, s, addr)
}

func tlsConfig(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), protocols ...string) *tls.Config {
	// With HTTP/2 a connection could carry many requests, but Listen limits connections.
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: append([]string{"http/1.1"}, protocols...), GetCertificate: get}
}

// open listens on the address of sv_https, and lets the listeners of sv_http accept TLS.
func (h *HTTPS) open(ctx context.Context, s *Settings, addr string) error {
	for i, l := range h.cfg.Plain {
		if l, ok := l.(*cappedListener); ok {
			h.cfg.Plain[i] = share(l, h.config)
		}
	}
	if addr == "" {
		return nil
	}
	if _, port, err := splitAddr(addr, 443); err == nil && port != "0" && hasPort(h.cfg.Plain, port) {
		return nil
	}
	listeners, err := listen(ctx, addr, 443, &s.seats)
	if err != nil {
		return fmt.Errorf("sv_https %q: %w", addr, err)
	}
	for _, l := range listeners {
		h.Listeners = append(h.Listeners, tls.NewListener(l, h.config))
	}
	return nil
}

// listenPort listens on a port of the host of sv_https.
func (s *Settings) listenPort(ctx context.Context, addr string, port int) (net.Listener, error) {
	host, _, err := splitAddr(addr, 443)
	if err != nil {
		return nil, err
	}
	listeners, err := listen(ctx, net.JoinHostPort(host, strconv.Itoa(port)), 0, &s.seats)
	if err != nil {
		return nil, err
	}
	for _, l := range listeners[1:] {
		l.Close()
	}
	return listeners[0], nil
}

// hasPort reports whether one of the listeners is on a port.
func hasPort(listeners []net.Listener, port string) bool {
	for _, l := range listeners {
		if _, p, err := net.SplitHostPort(l.Addr().String()); err == nil && p == port {
			return true
		}
	}
	return false
}

// Start opens ports 443 and 80 for sv_https_domain, and calls serve with each listener. It requests
// the certificate and renews it until ctx ends.
func (h *HTTPS) Start(ctx context.Context, serve func(net.Listener)) {
	if h == nil || h.manager == nil {
		return
	}
	h.serve = serve
	if p := h.openPorts(); p.HTTPS != nil && p.HTTP != nil {
		h.cfg.Warn(fmt.Sprintf("the CA of sv_https_domain must reach port 443 or 80 from outside, and neither is open here: %v; %v", p.HTTPS, p.HTTP))
	}
	go h.manager.Run(ctx)
}

// openPorts opens the ports to which a CA connects, unless they are open.
func (h *HTTPS) openPorts() (p certificate.Ports) {
	p.HTTPS = h.openPort(&h.ports[0], h.Listeners, func(l net.Listener) net.Listener { return tls.NewListener(l, h.config) })
	p.HTTP = h.openPort(&h.ports[1], h.cfg.Plain, func(l net.Listener) net.Listener { return l })
	return p
}

func (h *HTTPS) openPort(p *challengePort, others []net.Listener, wrap func(net.Listener) net.Listener) error {
	if p.open.Load() {
		return nil
	}
	if port := strconv.Itoa(p.port); !hasPort(others, port) && !hasPort(h.cfg.Plain, port) {
		l, err := h.listen(p.port)
		if err != nil {
			return certificate.PortError(p.port, err)
		}
		h.serve(wrap(l))
	}
	p.open.Store(true)
	return nil
}

// Handler returns a handler that answers the CA's requests, and sends browsers that open a page of
// sv_https_domain without TLS to the same page with it. Next serves all other requests, such as
// those of programs.
func (h *HTTPS) Handler(next http.Handler) http.Handler {
	if h == nil || h.manager == nil {
		return next
	}
	return h.manager.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil && isPage(r) && !isForwarded(r) && h.manager.Valid() {
			if host := hostOf(r); h.manager.Has(host) {
				_, port, _ := net.SplitHostPort(r.Host)
				w.Header().Set("Cache-Control", "no-store")
				http.Redirect(w, r, h.page(host, port)+strings.TrimPrefix(r.URL.RequestURI(), "/"), http.StatusTemporaryRedirect)
				return
			}
		}
		next.ServeHTTP(w, r)
	}))
}

// Page returns the address of the server's page for everyone, or "" without a valid certificate of
// sv_https_domain.
func (h *HTTPS) Page() string {
	if h == nil || h.manager == nil || !h.manager.Valid() {
		return ""
	}
	return h.page(h.manager.Name(), "")
}

// page returns the address of the server's page, on the port of a request. Without one, or if only
// plain HTTP has it, the port is 443 or another one with TLS.
func (h *HTTPS) page(host, port string) string {
	if port == "" || port == strconv.Itoa(h.ports[1].port) {
		port = ""
		if !h.ports[0].open.Load() {
			for _, l := range append(h.cfg.Plain[:len(h.cfg.Plain):len(h.cfg.Plain)], h.Listeners...) {
				_, port, _ = net.SplitHostPort(l.Addr().String())
				break
			}
		}
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return "https://" + host + "/"
}

// Problem returns an error while a valid certificate is missing, for [Monitor.AddProblem].
func (h *HTTPS) Problem() error {
	if h == nil || h.manager == nil {
		return nil
	}
	return h.manager.Problem()
}

// Values returns values for [Monitor.Add].
func (h *HTTPS) Values() []Value {
	if h == nil || h.manager == nil {
		return nil
	}
	return []Value{{
		Name: "certificate_expiry_seconds", Kind: metrics.Gauge, Help: "End of the certificate of sv_https_domain, in Unix time; 0 without one.",
		Read: func() float64 {
			if t := h.manager.Expiry(); !t.IsZero() {
				return float64(t.Unix())
			}
			return 0
		},
	}, {
		Name: "certificate_failures", Kind: metrics.Gauge, Help: "Requests for that certificate that failed since the last one that did not.",
		Read: func() float64 { return float64(h.manager.Failures()) },
	}}
}
