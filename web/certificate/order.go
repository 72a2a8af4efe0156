package certificate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
)

const (
	// orderTime limits a request for a certificate.
	orderTime = 3 * time.Minute
	// tries limits how often a single request to the CA is sent again.
	tries = 5
)

// Types of challenges. For the first the CA connects to port 443, for the second to port 80.
const (
	challengeTLS  = "tls-alpn-01"
	challengeHTTP = "http-01"
)

// shortLived is the profile of certificates for a few days. Let's Encrypt has certificates for
// addresses only in it.
const shortLived acme.ProfileName = "shortlived"

// order requests a certificate from the CA.
func (m *Manager) order(ctx context.Context, ports Ports) (*pair, error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	account, err := m.openAccount()
	if account == nil {
		return nil, err
	}
	if err != nil {
		m.cfg.Warn(fmt.Sprintf("the key of the account at the CA cannot be stored, so the next start opens another account: %v", err))
	}
	c := &acme.Client{Key: account, DirectoryURL: m.cfg.CA, HTTPClient: m.cfg.Client, UserAgent: "teeyard", RetryBackoff: retryDelay}
	if _, err := c.Register(ctx, &acme.Account{}, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, err
	}
	dir, err := c.Discover(ctx)
	if err != nil {
		return nil, err
	}
	var options []acme.OrderOption
	if _, ok := dir.Profiles[shortLived]; ok && slices.ContainsFunc(m.cfg.Names, isAddress) {
		options = append(options, acme.WithOrderIssuanceProfile(shortLived))
	}
	o, err := c.AuthorizeOrder(ctx, identifiers(m.cfg.Names), options...)
	if err != nil {
		return nil, err
	}
	for _, url := range o.AuthzURLs {
		if err := m.authorize(ctx, c, url, ports); err != nil {
			return nil, err
		}
	}
	if o, err = c.WaitOrder(ctx, o.URI); err != nil {
		return nil, err
	}
	return m.finalize(ctx, c, o)
}

// retryDelay is an acme.Client.RetryBackoff that gives up soon. The manager tries again later.
func retryDelay(n int, _ *http.Request, r *http.Response) time.Duration {
	if n > tries || r.StatusCode == http.StatusTooManyRequests {
		return -1
	}
	return time.Duration(n) * 200 * time.Millisecond
}

// authorize proves to the CA that a name leads to this server.
func (m *Manager) authorize(ctx context.Context, c *acme.Client, url string, ports Ports) error {
	a, err := c.GetAuthorization(ctx, url)
	if err != nil || a.Status == acme.StatusValid {
		return err
	}
	kinds := m.challenges(ports)
	i := slices.IndexFunc(a.Challenges, func(c *acme.Challenge) bool { return c.Type == kinds[0] })
	if i < 0 {
		i = slices.IndexFunc(a.Challenges, func(c *acme.Challenge) bool { return c.Type == kinds[1] })
	}
	if i < 0 {
		return fmt.Errorf("the CA offers neither %s nor %s for %s", challengeTLS, challengeHTTP, a.Identifier.Value)
	}
	ch := a.Challenges[i]
	if ch.Type == challengeTLS {
		cert, err := c.TLSALPN01ChallengeCert(ch.Token, a.Identifier.Value)
		if err != nil {
			return err
		}
		m.challenge.Store(&cert)
		defer m.challenge.Store(nil)
	}
	if _, err := c.Accept(ctx, ch); err != nil {
		return err
	}
	if _, err = c.WaitAuthorization(ctx, a.URI); err != nil {
		return &challengeError{name: a.Identifier.Value, kind: ch.Type, err: err}
	}
	return nil
}

// challengeError is the error of a challenge.
type challengeError struct {
	name, kind string
	err        error
}

func (e *challengeError) Error() string { return e.err.Error() }
func (e *challengeError) Unwrap() error { return e.err }

// challenges returns both types of challenges. The one whose port is open on this machine is first.
// If both are open, or both may be forwarded from elsewhere, each failure changes the order.
func (m *Manager) challenges(ports Ports) [2]string {
	httpFirst := m.failures.Load()%2 == 1
	if (ports.HTTPS == nil) != (ports.HTTP == nil) {
		httpFirst = ports.HTTP == nil
	}
	if httpFirst {
		return [2]string{challengeHTTP, challengeTLS}
	}
	return [2]string{challengeTLS, challengeHTTP}
}

// finalize lets the CA sign a new key.
func (m *Manager) finalize(ctx context.Context, c *acme.Client, o *acme.Order) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	var about x509.CertificateRequest
	for _, name := range m.cfg.Names {
		if isAddress(name) {
			about.IPAddresses = append(about.IPAddresses, net.ParseIP(name))
		} else {
			about.DNSNames = append(about.DNSNames, name)
		}
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &about, key)
	if err != nil {
		return nil, err
	}
	chain, _, err := c.CreateCertFromOrder(ctx, o, request, true)
	if err != nil {
		return nil, err
	}
	b, err := marshalKey(key)
	if err != nil {
		return nil, err
	}
	for _, der := range slices.Backward(chain) { // the chain goes first
		b = append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), b...)
	}
	p, err := parsePair(b, m.cfg.Names)
	if err != nil {
		return nil, fmt.Errorf("the CA's certificate is not what was requested: %w", err)
	}
	return p, nil
}

// isChallenge reports whether a CA connects for a TLS-ALPN-01 challenge (RFC 8737).
func isChallenge(hello *tls.ClientHelloInfo) bool {
	return len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acme.ALPNProto
}

// challengePath is the path below which a CA expects the answers to HTTP-01 challenges.
const challengePath = "/.well-known/acme-challenge/"

// token matches the token of a challenge. Only servers with HTTPS need the 100 kB for it.
var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`) })

// Handler returns a handler that answers HTTP-01 challenges. Next serves all other requests. An
// answer needs only the account, so each server of the folder can give it for the others.
func (m *Manager) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, ok := strings.CutPrefix(r.URL.Path, challengePath)
		key := m.account.Load()
		if !ok || key == nil || !token().MatchString(t) {
			next.ServeHTTP(w, r)
			return
		}
		answer, err := (&acme.Client{Key: key}).HTTP01ChallengeResponse(t)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte(answer))
	})
}
