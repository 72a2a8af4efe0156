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
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fakeCA issues certificates for 90 days, or fails. Its clock is right.
type fakeCA struct {
	now      time.Time
	err      error
	mu       sync.Mutex
	requests int
}

const days = 24 * time.Hour

func (ca *fakeCA) obtain(names []string) (*pair, error) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	ca.requests++
	if ca.err != nil {
		return nil, ca.err
	}
	key := testenv.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	about := x509.Certificate{SerialNumber: big.NewInt(int64(ca.requests)), NotBefore: ca.now.Add(-time.Hour), NotAfter: ca.now.Add(90 * days)}
	for _, name := range names {
		if isAddress(name) {
			about.IPAddresses = append(about.IPAddresses, net.ParseIP(name))
		} else {
			about.DNSNames = append(about.DNSNames, name)
		}
	}
	der := testenv.Must(x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key))
	return parsePair(append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), testenv.Must(marshalKey(key))...), names)
}

// machine is a server's machine with its own clock.
type machine struct {
	*Manager
	now      time.Time
	ready    int
	warnings []string
}

func newMachine(ca *fakeCA, folder string, names ...string) *machine {
	s := &machine{now: ca.now}
	s.Manager = New(Config{
		Names: names, Folder: folder, CA: LetsEncrypt, Now: func() time.Time { return s.now }, Info: func(string) {},
		Warn: func(text string) { s.warnings = append(s.warnings, text) }, Ready: func() { s.ready++ },
	})
	s.obtain = func(context.Context, Ports) (*pair, error) { return ca.obtain(names) }
	s.jitter = func(time.Duration) time.Duration { return 0 }
	return s
}

// serial returns the serial number of the certificate in use, or 0.
func (s *machine) serial() int64 {
	c, err := s.Get(helloOf("h2", "http/1.1"))
	if err != nil {
		return 0
	}
	return c.Leaf.SerialNumber.Int64()
}

// lastWarning checks that the last warning has all texts, and forgets the warnings.
func (s *machine) lastWarning(t *testing.T, texts ...string) {
	t.Helper()
	last := ""
	if len(s.warnings) > 0 {
		last = s.warnings[len(s.warnings)-1]
	}
	for _, text := range texts {
		testenv.Check(t, strings.Contains(last, text), "%q is not in the warning %q", text, last)
	}
	s.warnings = nil
}

var start = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// errRejected is an error of a CA.
var errRejected = &acme.Error{StatusCode: 400, ProblemType: "urn:ietf:params:acme:error:rejectedIdentifier", Detail: "not\nthat one"}

// TestRenewal checks that a certificate is renewed after two thirds of its life, also after a
// restart, and by one server of a folder for all.
func TestRenewal(t *testing.T) {
	t.Parallel()
	ca, dir := &fakeCA{now: start}, t.TempDir()
	s, other := newMachine(ca, dir, "yard.example"), newMachine(ca, dir, "yard.example")
	at := func(after time.Duration, serial int64, machines ...*machine) {
		t.Helper()
		ca.now = start.Add(after)
		for _, m := range machines {
			m.now = ca.now
			m.check(t.Context())
			testenv.Check(t, m.serial() == serial && int64(ca.requests) == serial, "after %v: certificate %d, %d requests", after, m.serial(), ca.requests)
			testenv.Check(t, m.Valid() && m.ready <= 1 && m.Problem() == nil, "after %v: valid %v, ready %d", after, m.Valid(), m.ready)
		}
	}
	testenv.Check(t, s.serial() == 0 && !s.Valid(), "a certificate out of nowhere")
	at(0, 1, s, other)
	at(59*days, 1, s, other)
	restarted := newMachine(ca, dir, "yard.example")
	testenv.Check(t, restarted.serial() == 1, "the certificate is not read at the start")
	at(60*days, 1, restarted)
	at(60*days+time.Hour, 2, restarted, s, other)
	at(100*days, 2, s)
	testenv.Check(t, len(s.warnings)+len(other.warnings)+len(restarted.warnings) == 0, "%q", s.warnings)
	for _, name := range []string{"yard.example.pem", "yard.example.json"} {
		info := testenv.Must(os.Stat(filepath.Join(dir, name)))
		testenv.Check(t, info.Mode().Perm()&0o077 == 0 || filepath.Separator == '\\', "%s has mode %v", name, info.Mode())
	}
	// Other names, and another CA, have files of their own.
	third := newMachine(ca, dir, "yard.example", "192.0.2.1")
	testenv.Check(t, third.serial() == 0, "a certificate for other names is used")
	ca.now = s.now
	third.check(t.Context())
	testenv.Check(t, third.serial() == 3 && third.Has("192.0.2.1") && !third.Has("192.0.2.2"), "certificate %d", third.serial())
	s.check(t.Context())
	testenv.Check(t, s.serial() == 2 && ca.requests == 3, "certificate %d, %d requests", s.serial(), ca.requests)
}

// TestSharedFolder checks that one of several servers that start at once requests a certificate for
// all.
func TestSharedFolder(t *testing.T) {
	t.Parallel()
	ca, dir := &fakeCA{now: start}, filepath.Join(t.TempDir(), "https")
	var machines []*machine
	var all sync.WaitGroup
	for range 4 {
		m := newMachine(ca, dir, "yard.example")
		machines = append(machines, m)
		all.Go(func() { m.check(t.Context()) })
	}
	all.Wait()
	for _, m := range machines {
		m.check(t.Context()) // one that came while another requested it did not wait
		testenv.Check(t, m.serial() == 1 && m.ready == 1 && len(m.warnings) == 0, "certificate %d, %q", m.serial(), m.warnings)
	}
	testenv.Check(t, ca.requests == 1, "%d requests", ca.requests)
}

// TestFailure checks that a server keeps its certificate when the renewal fails, says so, waits
// longer after each failure, and does not ask again at once after a restart or a crash.
func TestFailure(t *testing.T) {
	t.Parallel()
	ca, dir := &fakeCA{now: start}, t.TempDir()
	s := newMachine(ca, dir, "yard.example")
	s.check(t.Context())
	s.now, ca.err = start.Add(61*days), errRejected
	s.check(t.Context())
	testenv.Check(t, s.serial() == 1 && s.Failures() == 1 && s.Problem() == nil && ca.requests == 2, "certificate %d, %d failures", s.serial(), s.Failures())
	s.lastWarning(t, "is not renewed, and the old one is used until 2027-02-2", "the CA rejects the request: not that one", "next attempt is at 2027-01-27 ")
	for _, wait := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour} {
		s.now = s.now.Add(wait - time.Second)
		restarted := newMachine(ca, dir, "yard.example")
		restarted.now = s.now
		before := ca.requests
		restarted.begin()
		restarted.lastWarning(t, "not that one", "to try at once, delete")
		restarted.check(t.Context())
		s.check(t.Context())
		testenv.Check(t, ca.requests == before && restarted.Failures() > 0, "a request before %v", wait)
		s.now = s.now.Add(time.Second)
		s.check(t.Context())
		testenv.Check(t, ca.requests == before+1, "%d requests after %v", ca.requests, wait)
	}
	s.now = s.now.Add(40 * days) // more failures, and the end of the certificate
	s.check(t.Context())
	testenv.Check(t, !s.Valid() && s.serial() == 1, "certificate %d", s.serial())
	testenv.Check(t, s.Problem() != nil && strings.Contains(s.Problem().Error(), "not that one"), "%v", s.Problem())
	// A program that crashes during a request finds a failure when it starts again.
	s.obtain = func(context.Context, Ports) (*pair, error) { panic("crash") }
	s.now = s.now.Add(longestRetry)
	func() {
		defer func() { _ = recover() }()
		s.check(t.Context())
	}()
	restarted := newMachine(ca, dir, "yard.example")
	restarted.now = s.now
	before := ca.requests
	restarted.check(t.Context())
	testenv.Check(t, ca.requests == before, "a request right after a crash")
	// The operator deletes the state to try at once.
	testenv.NoError(t, os.Remove(restarted.path(".json")))
	ca.err, ca.now = nil, restarted.now
	restarted.check(t.Context())
	testenv.Check(t, restarted.serial() == int64(ca.requests) && restarted.Failures() == 0 && restarted.Problem() == nil, "certificate %d", restarted.serial())
}

// TestEndDuringRequest checks that a server that ends during a request does not count a failure.
func TestEndDuringRequest(t *testing.T) {
	t.Parallel()
	ca := &fakeCA{now: start}
	s := newMachine(ca, t.TempDir(), "yard.example")
	ctx, cancel := context.WithCancel(t.Context())
	s.obtain = func(context.Context, Ports) (*pair, error) { cancel(); return nil, context.Canceled }
	s.check(ctx)
	testenv.Check(t, s.Failures() == 0 && len(s.warnings) == 0 && s.wait() <= 0, "%d failures, %q", s.Failures(), s.warnings)
}

// TestNothingIsStored checks that a server that cannot write uses its certificate, says so, and
// asks for no other while it runs.
func TestNothingIsStored(t *testing.T) {
	t.Parallel()
	ca, dir := &fakeCA{now: start}, filepath.Join(t.TempDir(), "https")
	testenv.NoError(t, os.WriteFile(dir, nil, 0o600)) // a file in place of the folder
	s := newMachine(ca, dir, "yard.example")
	s.check(t.Context())
	testenv.Check(t, s.serial() == 1 && s.Problem() == nil, "certificate %d", s.serial())
	s.lastWarning(t, "in use, but it cannot be stored", dir, "make room")
	s.now = start.Add(59 * days)
	s.check(t.Context())
	testenv.Check(t, ca.requests == 1, "%d requests", ca.requests)
	s.now, ca.err = start.Add(61*days), errRejected
	for range 10 {
		s.check(t.Context())
	}
	testenv.Check(t, ca.requests == 2 && s.serial() == 1, "%d requests after a failure", ca.requests)
}

// TestFullDisk checks that a server renews its certificate on a full disk, says that the new one is
// not stored, and leaves the old file whole, so that the server still has that one after a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ca, dir := &fakeCA{now: start}, t.TempDir()
	s := newMachine(ca, dir, "yard.example")
	s.check(t.Context())
	files := func() (all string) {
		for _, e := range testenv.Must(os.ReadDir(dir)) {
			all += e.Name() + "\n"
			if filepath.Ext(e.Name()) == ".pem" {
				all += string(testenv.Must(os.ReadFile(filepath.Join(dir, e.Name()))))
			}
		}
		return all
	}
	before := files()
	ca.now = start.Add(61 * days)
	s.now = ca.now
	s.write = func(path string, _ []byte) error { return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC} }
	for range 3 {
		s.check(t.Context())
	}
	testenv.Check(t, s.serial() == 2 && s.Valid() && s.Problem() == nil && ca.requests == 2, "certificate %d, %d requests", s.serial(), ca.requests)
	testenv.Check(t, len(s.warnings) == 1, "%q", s.warnings)
	s.lastWarning(t, "in use, but it cannot be stored", s.path(".pem"), syscall.ENOSPC.Error(), "make room")
	testenv.Check(t, files() == before, "the files are now %s", files())

	restarted := newMachine(ca, dir, "yard.example")
	restarted.now = s.now
	testenv.Check(t, restarted.serial() == 1 && restarted.Valid(), "certificate %d after a restart", restarted.serial())
	restarted.check(t.Context())
	testenv.Check(t, restarted.serial() == 3 && files() != before, "certificate %d with room", restarted.serial())
}

// TestClock checks that a server with a wrong clock says so, and asks no more often than others.
func TestClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{-200 * days, -2 * time.Hour, 26 * time.Hour, 200 * days} {
		ca, dir := &fakeCA{now: start}, t.TempDir()
		s := newMachine(ca, dir, "yard.example")
		s.now = start.Add(wrong)
		s.check(t.Context())
		testenv.Check(t, s.serial() == 1, "%v: no certificate", wrong)
		s.lastWarning(t, "the clock of this machine is wrong", "set the clock")
		for after := time.Duration(0); after < 180*days; after += 6 * time.Hour {
			ca.now, s.now = start.Add(after), start.Add(after+wrong)
			s.check(t.Context())
		}
		testenv.Check(t, ca.requests == 3, "%v: %d requests in 180 days", wrong, ca.requests)
	}
	// A clock that is set right later.
	ca, dir := &fakeCA{now: start}, t.TempDir()
	s := newMachine(ca, dir, "yard.example")
	s.now, ca.err = start.Add(300*days), errRejected
	s.check(t.Context())
	s.now, ca.err = start, nil
	s.check(t.Context())
	testenv.Check(t, s.serial() == 2, "the time of a wrong clock keeps the server from asking")
	var expired error = &url.Error{Op: "Get", URL: LetsEncrypt, Err: x509.CertificateInvalidError{Reason: x509.Expired}}
	testenv.Check(t, strings.Contains(explain(expired, Ports{}, start), "clock of this machine says 2026-11-27 "), "%s", explain(expired, Ports{}, start))
}

// TestExplain checks that the log says which port is closed and what to do.
func TestExplain(t *testing.T) {
	challenge := func(kind, detail string) error {
		return &acme.AuthorizationError{Errors: []error{&acme.Error{ProblemType: "urn:ietf:params:acme:error:" + kind, Detail: detail}}}
	}
	refused, noName := challenge("connection", "Connection refused"), challenge("dns", "NXDOMAIN")
	taken := Ports{HTTPS: PortError(443, errors.New("address already in use")), HTTP: PortError(80, fs.ErrPermission)}
	for _, c := range []struct {
		err   error
		ports Ports
		want  []string
	}{
		{&challengeError{"yard.example", challengeTLS, refused}, Ports{}, []string{"TCP port 443 of yard.example: Connection refused; open", "name points"}},
		{&challengeError{"192.0.2.1", challengeHTTP, refused}, Ports{}, []string{"TCP port 80 of 192.0.2.1", "address is this machine's"}},
		{&challengeError{"yard.example", challengeTLS, refused}, taken, []string{"does not open port 443 (address already in use): let the program that has"}},
		{&challengeError{"yard.example", challengeHTTP, refused}, taken, []string{"does not open port 80 (permission denied): allow it with \"sysctl "}},
		{&challengeError{"yard.example", challengeTLS, noName}, taken, []string{"NXDOMAIN; let the name point to"}},
		{&acme.OrderError{Problem: &acme.Error{Detail: "no"}}, Ports{}, []string{"the CA rejects the request: no"}},
		{&url.Error{Op: "Get", URL: "x", Err: errors.New("refused")}, Ports{}, []string{"the CA cannot be reached", "refused; check the connection"}},
		{context.DeadlineExceeded, Ports{}, []string{"did not answer in time"}},
		{errors.New("account.pem: no PEM block"), Ports{}, []string{"account.pem: no PEM"}},
	} {
		for _, want := range c.want {
			got := explain(c.err, c.ports, start)
			testenv.Check(t, strings.Contains(got, want), "%v: %q is not in %q", c.err, want, got)
		}
	}
	limited := &acme.Error{StatusCode: 429, ProblemType: "urn:ietf:params:acme:error:rateLimited", Header: map[string][]string{"Retry-After": {"7200"}}}
	testenv.Check(t, retryTime(limited) > 119*time.Minute && retryTime(limited) <= 2*time.Hour, "%v", retryTime(limited))
	testenv.Check(t, retryTime(errRejected) == firstRetry && retryTime(refused) == firstRetry && retryTime(errors.New("x")) == networkRetry, "retry times")
}

// TestChallengeTurns checks that the challenge fits the port that is open, and that both have a
// turn if ports may be forwarded.
func TestChallengeTurns(t *testing.T) {
	closed := errors.New("closed")
	for _, c := range []struct {
		ports    Ports
		failures int64
		want     string
	}{
		{Ports{}, 0, challengeTLS},
		{Ports{}, 1, challengeHTTP},
		{Ports{HTTPS: closed, HTTP: closed}, 2, challengeTLS},
		{Ports{HTTPS: closed, HTTP: closed}, 3, challengeHTTP},
		{Ports{HTTPS: closed}, 0, challengeHTTP},
		{Ports{HTTP: closed}, 1, challengeTLS},
	} {
		var m Manager
		m.failures.Store(c.failures)
		got := m.challenges(c.ports)
		testenv.Check(t, got[0] == c.want && got[0] != got[1], "%+v: %v", c, got)
	}
}

func TestParseNames(t *testing.T) {
	for list, want := range map[string]string{
		"Yard.Example.":                "yard.example",
		"[2A00:1450::5],1.2.3.4":       "2a00:1450::5 1.2.3.4",
		" xn--bcher-kva.example , a.b": "xn--bcher-kva.example a.b",
		"::ffff:8.8.8.8, 8.8.8.8":      "8.8.8.8",
		"":                             "", "https://a.b": "", "a.b:443": "", "*.a.b": "", "bücher.example": "", "localhost": "",
		"10.0.0.1": "", "127.0.0.1": "", "::1": "", "fe80::1%eth0": "", "100.64.3.4": "", "a..b": "", "1.2.3.4,192.168.1.1": "",
	} {
		got, err := ParseNames(list, true)
		testenv.Check(t, strings.Join(got, " ") == want && (err != nil) == (want == ""), "%q: %q, %v", list, got, err)
	}
	got, err := ParseNames("localhost,127.0.0.1,[::1]", false)
	testenv.Check(t, strings.Join(got, " ") == "localhost 127.0.0.1 ::1" && err == nil, "%q, %v", got, err)
}

func helloOf(protocols ...string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{SupportedProtos: protocols}
}
