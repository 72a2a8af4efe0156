package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) { peers.Main(m) }

// pebble is Pebble with a client that watches it.
type pebble struct {
	*peers.Pebble
	tlsPort, httpPort int
	client            *http.Client

	mu       sync.Mutex
	profiles []string // of the orders
	accounts int      // new ones
}

// lifetime is the lifetime of Pebble's certificates.
const lifetime = time.Hour

func startPebble(t *testing.T) *pebble {
	peers.RequirePrograms(t)
	p := &pebble{tlsPort: testenv.Must(peers.FreePort()), httpPort: testenv.Must(peers.FreePort())}
	p.Pebble = peers.StartPebble(t, p.tlsPort, p.httpPort, lifetime)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(testenv.Must(os.ReadFile(p.Roots)))
	p.client = &http.Client{Transport: p.watch(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}})}
	return p
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watch notes the requests of clients. Debian's Pebble knows no profiles and ignores them, so watch
// adds some to the directory.
func (p *pebble) watch(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		var body []byte
		if r.Body != nil {
			body = testenv.Must(io.ReadAll(r.Body))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		answer, err := next.RoundTrip(r)
		if err != nil {
			return answer, err
		}
		if strings.Contains(r.URL.Path, "authZ") || strings.Contains(r.URL.Path, "my-order") {
			time.Sleep(20 * time.Millisecond) // not a second, as the client does without this header
			answer.Header.Set("Retry-After", time.Unix(0, 0).UTC().Format(http.TimeFormat))
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case r.URL.Path == "/dir":
			var directory map[string]any
			testenv.Must(0, json.NewDecoder(answer.Body).Decode(&directory))
			directory["meta"].(map[string]any)["profiles"] = map[string]string{"classic": "x", string(shortLived): "y"}
			answer.Body = io.NopCloser(bytes.NewReader(testenv.Must(json.Marshal(directory))))
		case strings.Contains(r.URL.Path, "sign-me-up") && answer.StatusCode == http.StatusCreated:
			p.accounts++
		case strings.Contains(r.URL.Path, "order-plz"):
			var signed struct{ Payload string }
			var order struct{ Profile string }
			testenv.Must(0, json.Unmarshal(body, &signed))
			testenv.Must(0, json.Unmarshal(testenv.Must(base64.RawURLEncoding.DecodeString(signed.Payload)), &order))
			p.profiles = append(p.profiles, order.Profile)
		}
		return answer, nil
	})
}

// serve answers challenges at the ports to which Pebble connects.
func (p *pebble) serve(t *testing.T, m *Manager, ports Ports) {
	if ports.HTTPS == nil {
		l := testenv.Must(tls.Listen("tcp", fmt.Sprint(":", p.tlsPort), &tls.Config{NextProtos: []string{"http/1.1", acme.ALPNProto}, GetCertificate: m.Get}))
		p.listen(t, l, http.NotFoundHandler())
	}
	if ports.HTTP == nil {
		p.listen(t, testenv.Must(net.Listen("tcp", fmt.Sprint(":", p.httpPort))), m.Handler(http.NotFoundHandler()))
	}
}

func (p *pebble) listen(t *testing.T, l net.Listener, h http.Handler) {
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
}

// TestPebble gets certificates from a real CA: for names over TLS, and for addresses over HTTP. It
// renews them before their end, and keeps the last one when the CA is gone.
func TestPebble(t *testing.T) {
	p := startPebble(t)
	closed := errors.New("closed by the test")
	dir := t.TempDir()
	var last func(*testing.T) // renews the last certificate without Pebble
	for _, c := range []struct {
		name    string
		names   []string
		ports   Ports
		profile string
		closed  bool
	}{
		{"closed ports", []string{"yard.example"}, Ports{HTTPS: closed, HTTP: closed}, "", true},
		{"addresses over HTTP", []string{"127.0.0.1", "::1"}, Ports{HTTPS: closed}, string(shortLived), false},
		{"name and address over TLS", []string{"yard.example", "::1"}, Ports{HTTP: closed}, string(shortLived), false},
		{"names over TLS", []string{"yard.example", "www.yard.example"}, Ports{HTTP: closed}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var later time.Duration
			var warnings []string
			m := New(Config{
				Names: c.names, Folder: dir, CA: p.Directory, Client: p.client, Ports: func() Ports { return c.ports }, Info: func(string) {},
				Warn: func(text string) { warnings = append(warnings, text) }, Now: func() time.Time { return time.Now().Add(later) },
			})
			check := func() *pair {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				m.check(ctx)
				return m.current.Load()
			}
			p.serve(t, m, c.ports)
			p.profiles = nil
			first := check()
			if c.closed {
				text := strings.Join(warnings, "\n")
				testenv.Check(t, strings.Contains(text, "TCP port 443 of yard.example") && strings.Contains(text, closed.Error()), "%s", text)
				testenv.Check(t, len(warnings) == 1 && m.Problem() != nil, "%s", text)
				return
			}
			testenv.Require(t, m.Valid() && len(warnings) == 0, "no certificate: %q", warnings)
			life := first.leaf().NotAfter.Sub(first.leaf().NotBefore)
			testenv.Check(t, life < lifetime+time.Minute && len(first.tls.Certificate) == 2, "%v, %d certificates", life, len(first.tls.Certificate))
			later = lifetime / 2
			testenv.Check(t, check() == first, "renewed too early")
			later = lifetime * 7 / 10
			testenv.Check(t, check() != first && m.Valid() && len(warnings) == 0, "not renewed before the end: %q", warnings)
			testenv.Check(t, p.accounts == 1 && len(p.profiles) == 2 && p.profiles[0] == c.profile, "%d accounts, profiles %q", p.accounts, p.profiles)
			last = func(t *testing.T) {
				old := check()
				later += lifetime * 7 / 10
				testenv.Require(t, check() == old && len(warnings) == 1 && m.Failures() == 1, "%q", warnings)
				testenv.Check(t, strings.Contains(warnings[0], "the old one is used until"), "%q", warnings)
				testenv.Check(t, strings.Contains(warnings[0], "the CA cannot be reached"), "%q", warnings)
			}
		})
	}
	p.Stop()
	last(t)
}
