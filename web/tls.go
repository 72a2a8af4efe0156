package web

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// certificateInterval is the time between two checks of the certificate's files.
const certificateInterval = 10 * time.Second

// certificate is a certificate in two files. It reads them again when they change, since programs
// renew certificates every few weeks.
type certificate struct {
	certFile, keyFile string
	now               func() time.Time
	failed            func(error) // called when changed files cannot be read

	mu      sync.Mutex
	current *tls.Certificate
	version [2]fileVersion // of current, or of the files that could not be read
	checked time.Time
}

// fileVersion changes when a file does.
type fileVersion struct {
	modified time.Time
	size     int64
}

// openCertificate reads a certificate.
func openCertificate(certFile, keyFile string, failed func(error)) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, now: time.Now, failed: failed}
	c.checked = c.now()
	c.version = c.versions()
	return c, c.read()
}

func (c *certificate) versions() (v [2]fileVersion) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			v[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return v
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("sv_https_cert, sv_https_key: %w", err)
	}
	c.current = &pair
	return nil
}

// get implements tls.Config.GetCertificate. While the two files do not match, since a program is
// writing them, it returns the previous certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= certificateInterval {
		c.checked = now
		if v := c.versions(); v != c.version {
			c.version = v
			if err := c.read(); err != nil {
				c.failed(err)
			}
		}
	}
	return c.current, nil
}

// ListenTLS listens on the address of sv_https, on port 443 if it names none, with the certificate
// of sv_https_cert and sv_https_key. It returns no listeners if sv_https is 0. Any goroutine may
// call failed when the certificate's files have changed and cannot be read. Call ListenTLS before
// the server runs.
func (s *Settings) ListenTLS(ctx context.Context, failed func(error)) ([]net.Listener, error) {
	s.opened = true
	if s.https == "" || s.https == "0" {
		return nil, nil
	}
	if s.cert == "" || s.key == "" {
		return nil, fmt.Errorf("sv_https %q: sv_https_cert and sv_https_key must name the files of a certificate and its key", s.https)
	}
	cert, err := openCertificate(s.cert, s.key, failed)
	if err != nil {
		return nil, err
	}
	listeners, err := listen(ctx, s.https, 443, &s.seats)
	if err != nil {
		return nil, fmt.Errorf("sv_https %q: %w", s.https, err)
	}
	for i, l := range listeners {
		listeners[i] = cert.listen(l)
	}
	return listeners, nil
}

// listen returns a listener that runs TLS over the connections of l.
func (c *certificate) listen(l net.Listener) net.Listener {
	// With HTTP/2 a connection could carry many requests, but Listen limits connections.
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.get})
}
