package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"time"
)

// pair is a certificate with its key.
type pair struct {
	tls tls.Certificate
	pem []byte // the chain and the key
}

func (p *pair) leaf() *x509.Certificate { return p.tls.Leaf }

func (p *pair) serial() string { return p.leaf().SerialNumber.Text(16) }

// parsePair parses a chain and a key, and checks that the certificate is for all names.
func parsePair(b []byte, names []string) (*pair, error) {
	t, err := tls.X509KeyPair(b, b)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if isAddress(name) {
			name = "[" + name + "]"
		}
		if err := t.Leaf.VerifyHostname(name); err != nil {
			return nil, err
		}
	}
	return &pair{t, b}, nil
}

// state is what the servers of a folder know about their requests for a certificate.
type state struct {
	// Serial names the certificate, and Issued is the time when it came, by the clock of this
	// machine. With a wrong clock that is another time than the certificate's.
	Serial string    `json:"serial,omitempty"`
	Issued time.Time `json:"issued,omitzero"`
	// Failures is the number of failed requests since then. Next is the time of the next one.
	Failures int       `json:"failures,omitempty"`
	Next     time.Time `json:"next,omitzero"`
	Reason   string    `json:"reason,omitempty"`
}

// maxWait limits the time until a request after a failure. A later time was written with a wrong
// clock.
const maxWait = 8 * 24 * time.Hour

// read reads the state and the certificate, which another server of the folder may have renewed. It
// returns the certificate if it is a newer one.
func (m *Manager) read() *pair {
	// Without a change of the file, what is in memory is newer: the disk may be full.
	if b, err := os.ReadFile(m.path(".json")); !bytes.Equal(b, m.seen.state) && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		m.seen.state, m.state = b, state{}
		if json.Unmarshal(b, &m.state) != nil {
			m.state = state{}
		}
		m.failures.Store(int64(m.state.Failures))
	}
	b, err := os.ReadFile(m.path(".pem"))
	if err != nil || bytes.Equal(b, m.seen.pem) {
		return nil
	}
	m.seen.pem = b
	p, err := parsePair(b, m.cfg.Names)
	if err != nil {
		m.cfg.Warn(fmt.Sprintf("%s is not a certificate of this server, and the server requests another one: %v", m.path(".pem"), err))
		return nil
	}
	if old := m.current.Load(); old != nil && p.leaf().NotAfter.Before(old.leaf().NotAfter) {
		return nil
	}
	return p
}

// put uses and writes a state.
func (m *Manager) put(s state) error {
	m.state = s
	b, err := json.MarshalIndent(s, "", "\t")
	if err == nil {
		err = m.write(m.path(".json"), b)
	}
	if err == nil {
		m.seen.state = b
	}
	return err
}

// store writes a certificate.
func (m *Manager) store(p *pair) error {
	err := m.write(m.path(".pem"), p.pem)
	if err == nil {
		m.seen.pem = p.pem
	}
	return err
}

// wait returns the time until the next request, at most 0 if it is due.
func (m *Manager) wait() time.Duration {
	now, wait := m.cfg.Now(), time.Duration(0)
	if p := m.current.Load(); p != nil {
		wait = m.renewAt(p, now).Sub(now)
	}
	if until := m.state.Next.Sub(now); until <= maxWait {
		wait = max(wait, until)
	}
	return wait
}

// renewAt returns the time to renew a certificate: after two thirds of its life. A server without
// its own ports waits longer, since another server of the folder may have them.
func (m *Manager) renewAt(p *pair, now time.Time) time.Time {
	begin, life := p.leaf().NotBefore, p.leaf().NotAfter.Sub(p.leaf().NotBefore)
	if m.state.Serial == p.serial() && !m.state.Issued.After(now) {
		begin = m.state.Issued
	}
	wait := life * 2 / 3
	if m.ports.HTTP != nil && m.ports.HTTPS != nil {
		wait += life / 12
	}
	return begin.Add(wait)
}

// Times to wait after the first failed request. Each further failure doubles them.
const (
	firstRetry    = 15 * time.Minute // the CA rejected the request, and allows few in an hour
	networkRetry  = time.Minute      // the request did not reach the CA
	longestRetry  = 12 * time.Hour
	retriesToMost = 10 // doublings that exceed longestRetry in any case
)

// failed returns the state after another failure.
func (m *Manager) failed(s state, retry time.Duration, reason string) state {
	s.Reason = reason
	wait := max(retry, min(retry<<min(s.Failures, retriesToMost), longestRetry))
	s.Failures++
	s.Next = m.cfg.Now().Add(wait + m.jitter(wait/4)).Truncate(time.Second)
	return s
}

// randomPart returns a random part of a time.
func randomPart(d time.Duration) time.Duration { return mathrand.N(max(d, 1)) }

// readAccount reads the key of the account at the CA.
func readAccount(path string) (*ecdsa.PrivateKey, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return nil, fmt.Errorf("%s: no PEM block; delete the file to get a new account", path)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete the file to get a new account", path, err)
	}
	return key, nil
}

// openAccount returns the key of the account. If there is none, it makes one. With an error beside
// the key, the key is in memory only.
func (m *Manager) openAccount() (*ecdsa.PrivateKey, error) {
	key, err := readAccount(m.accountPath())
	if errors.Is(err, fs.ErrNotExist) {
		if key = m.account.Load(); key == nil {
			key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return nil, err
			}
		}
		var b []byte
		if b, err = marshalKey(key); err == nil {
			err = m.write(m.accountPath(), b)
		}
	}
	m.account.Store(key)
	return key, err
}

// marshalKey returns a key in a PEM block.
func marshalKey(key *ecdsa.PrivateKey) ([]byte, error) {
	b, err := x509.MarshalECPrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: b}), err
}
