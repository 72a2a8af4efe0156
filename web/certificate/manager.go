// Package certificate provides the certificate of a server. [Files] reads it from two files of the
// operator. A [Manager] requests and renews it from a certificate authority (CA) over ACME (RFC
// 8555), for DNS names and IP addresses.
package certificate

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/internal/safetext"
)

// LetsEncrypt is the ACME directory of Let's Encrypt.
const LetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// Config configures a Manager.
type Config struct {
	// Names are DNS names and IP addresses, as ParseNames returns them. The first names the files.
	Names []string
	// Folder contains the certificate and the account at the CA. Several servers may share it: then
	// one renews the certificate, and the others read it.
	Folder string
	// CA is the URL of the CA's directory.
	CA string
	// Client sends the requests to the CA. The default is http.DefaultClient.
	Client *http.Client
	// Ports tries to open the ports to which the CA connects, and returns why they are closed. The
	// manager calls it before each request for a certificate.
	Ports func() Ports
	// Info and Warn print a line to the log.
	Info, Warn func(text string)
	// Ready, if not nil, is called when the first certificate has come.
	Ready func()
	// Now returns the time. The default is time.Now.
	Now func() time.Time
}

// Ports says for each port to which a CA connects why it is closed on this machine, or nil.
type Ports struct {
	HTTPS error // 443
	HTTP  error // 80
}

// Manager keeps a certificate. Any goroutine may call its methods.
type Manager struct {
	cfg     Config
	base    string // path of its files, without the extension
	lock    *lockedfile.Mutex
	obtain  func(ctx context.Context, ports Ports) (*pair, error)
	jitter  func(time.Duration) time.Duration // returns a random part
	write   func(path string, b []byte) error // atomicfile.Write
	current atomic.Pointer[pair]
	// challenge is the certificate for the CA's connection of a TLS-ALPN-01 challenge.
	challenge atomic.Pointer[tls.Certificate]
	account   atomic.Pointer[ecdsa.PrivateKey]
	failure   atomic.Pointer[string] // of the last request for a certificate
	failures  atomic.Int64

	mu    sync.Mutex // held by check
	state state
	seen  struct{ state, pem []byte } // last contents of the files
	ports Ports
}

// New returns a manager with the certificate in the folder, if there is one. Call Run to request
// and renew it.
func New(cfg Config) *Manager {
	m := &Manager{cfg: cfg, jitter: randomPart, write: atomicfile.Write}
	if m.cfg.Now == nil {
		m.cfg.Now = time.Now
	}
	if m.cfg.Ports == nil {
		m.cfg.Ports = func() Ports { return Ports{} }
	}
	m.obtain = m.order
	m.base = filepath.Join(cfg.Folder, fileName(cfg.Names, cfg.CA))
	m.lock = lockedfile.MutexAt(m.path(".lock"))
	if key, err := readAccount(m.accountPath()); err == nil {
		m.account.Store(key)
	}
	if p := m.read(); p != nil {
		m.current.Store(p)
	}
	return m
}

// fileName returns the name of the files for a certificate, without the extension. Each list of
// names and each CA has files of its own, so that servers of one folder do not fight.
func fileName(names []string, ca string) string {
	name := strings.ReplaceAll(names[0], ":", "-") // Windows allows no colon
	if len(names) > 1 || ca != LetsEncrypt {
		name += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(strings.Join(names, ",")+" "+ca)))
	}
	return name
}

func (m *Manager) path(extension string) string { return m.base + extension }

func (m *Manager) accountPath() string { return filepath.Join(m.cfg.Folder, "account.pem") }

// Get implements tls.Config.GetCertificate. The configuration must offer the protocol
// acme.ALPNProto besides its own.
func (m *Manager) Get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if isChallenge(hello) {
		if c := m.challenge.Load(); c != nil {
			return c, nil
		}
		return nil, errors.New("certificate: no challenge is open")
	}
	if p := m.current.Load(); p != nil {
		return &p.tls, nil
	}
	return nil, errors.New("certificate: there is none yet")
}

// Valid reports whether there is a certificate that is valid now.
func (m *Manager) Valid() bool {
	p, now := m.current.Load(), m.cfg.Now()
	return p != nil && !now.Before(p.leaf().NotBefore) && !now.After(p.leaf().NotAfter)
}

// Has reports whether the certificate is for a name or an address.
func (m *Manager) Has(name string) bool { return slices.Contains(m.cfg.Names, name) }

// Name returns the first name.
func (m *Manager) Name() string { return m.cfg.Names[0] }

// File returns the path of the file with the certificate and its key.
func (m *Manager) File() string { return m.path(".pem") }

// Expiry returns the end of the certificate, or the zero time without one.
func (m *Manager) Expiry() time.Time {
	if p := m.current.Load(); p != nil {
		return p.leaf().NotAfter
	}
	return time.Time{}
}

// Failures returns the number of requests for a certificate that failed since the last success.
func (m *Manager) Failures() int { return int(m.failures.Load()) }

// Problem returns an error if there is no valid certificate and a request for one has failed.
func (m *Manager) Problem() error {
	text := m.failure.Load()
	if text == nil || m.Valid() {
		return nil
	}
	return errors.New(*text)
}

// checkInterval is the longest time until the manager reads the files again, and firstInterval the
// one without a certificate. Another server may be requesting it.
const (
	checkInterval = time.Minute
	firstInterval = 5 * time.Second
)

// Run requests the certificate and renews it until ctx ends.
func (m *Manager) Run(ctx context.Context) {
	m.begin()
	for {
		t := time.NewTimer(m.check(ctx))
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// begin opens the ports and logs what is known from earlier.
func (m *Manager) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ports = m.cfg.Ports()
	now := m.cfg.Now()
	if p := m.current.Load(); p != nil {
		m.cfg.Info(m.about(p))
		if now.Before(p.leaf().NotBefore.Add(-longestAfter)) {
			m.cfg.Warn(wrongClock(p.leaf(), now))
		}
	}
	if m.state.Failures > 0 && m.wait() > 0 {
		m.warn(safetext.Truncate(safetext.Line(m.state.Reason), 2*maxDetail), m.state.Next)
	}
}

// about describes a certificate.
func (m *Manager) about(p *pair) string {
	return fmt.Sprintf("the certificate of %s is valid until %s", strings.Join(m.cfg.Names, ", "), p.leaf().NotAfter.Local().Format(timeFormat))
}

// timeFormat is the format of a time in a log line.
const timeFormat = "2006-01-02 15:04 -0700"

// check reads the files, and requests a certificate if one is due. It returns the time until the
// next check.
func (m *Manager) check(ctx context.Context) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.read(); p != nil {
		m.use(p)
	}
	if m.wait() <= 0 && ctx.Err() == nil {
		m.takeTurn(ctx)
	}
	longest := checkInterval
	if m.current.Load() == nil {
		longest = firstInterval
	}
	return min(max(m.wait(), time.Second), longest)
}

// takeTurn requests a certificate unless another server does so first.
func (m *Manager) takeTurn(ctx context.Context) {
	if m.ports = m.cfg.Ports(); m.wait() > 0 {
		return
	}
	os.MkdirAll(m.cfg.Folder, 0o700)
	if release, err := m.lock.Lock(); err == nil { // without a lock file the folder cannot be shared
		defer release()
	}
	if p := m.read(); p != nil {
		m.use(p)
	}
	if m.wait() > 0 {
		return
	}
	before := m.state
	m.put(m.failed(before, firstRetry, "the server ended during the request")) // in case it crashes now
	p, err := m.obtain(ctx, m.ports)
	switch {
	case err == nil:
		m.succeed(p)
	case ctx.Err() != nil:
		m.put(before) // the server ends
	default:
		m.fail(before, err)
	}
}

// succeed uses and stores a new certificate.
func (m *Manager) succeed(p *pair) {
	m.use(p)
	m.failures.Store(0)
	now := m.cfg.Now()
	if text := wrongClock(p.leaf(), now); text != "" {
		m.cfg.Warn(text)
	}
	err := m.store(p)
	if e := m.put(state{Serial: p.serial(), Issued: now}); err == nil {
		err = e
	}
	if err != nil {
		m.cfg.Warn(fmt.Sprintf("the new certificate is in use, but it cannot be stored and is lost when the server ends: %v; make room or "+
			"give the server the right to write there", err))
	}
}

// use replaces the certificate.
func (m *Manager) use(p *pair) {
	old := m.current.Swap(p)
	m.failure.Store(nil)
	m.cfg.Info(m.about(p))
	if old == nil && m.cfg.Ready != nil {
		m.cfg.Ready()
	}
}

// fail notes a failed request. The certificate in use stays.
func (m *Manager) fail(before state, err error) {
	why := explain(err, m.ports, m.cfg.Now())
	s := m.failed(before, retryTime(err), why)
	m.put(s)
	m.failures.Store(int64(s.Failures))
	m.warn(why, s.Next)
}

// warn logs why there is no new certificate.
func (m *Manager) warn(why string, next time.Time) {
	names := strings.Join(m.cfg.Names, ", ")
	text := fmt.Sprintf("no certificate for %s (sv_https_domain): %s", names, why)
	if p := m.current.Load(); p != nil {
		text = fmt.Sprintf("the certificate of %s is not renewed, and the old one is used until %s: %s",
			names, p.leaf().NotAfter.Local().Format(timeFormat), why)
	}
	m.failure.Store(&text)
	m.cfg.Warn(fmt.Sprintf("%s. The next attempt is at %s; to try at once, delete %s and restart the server",
		text, next.Local().Format(timeFormat), m.path(".json")))
}
