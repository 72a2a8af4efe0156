package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// logged collects the lines of a log.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, text)
}

// openHTTPS opens the listeners of settings.
func openHTTPS(t *testing.T, log *logged, dir string, lines ...string) (*HTTPS, []net.Listener, error) {
	s := newSettings(t, lines...)
	plain := testenv.Must(s.Listen(t.Context(), 0))
	h, err := s.OpenHTTPS(t.Context(), HTTPSConfig{Folder: dir, Plain: plain, Info: log.add, Warn: log.add})
	t.Cleanup(func() {
		for _, l := range plain {
			l.Close()
		}
		if h != nil {
			for _, l := range h.Listeners {
				l.Close()
			}
		}
	})
	return h, plain, err
}

// insecure is a client that accepts any certificate, and follows no redirects.
var insecure = http.Client{
	Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch returns the body of a page, its header Location and the name in the certificate.
func fetch(t *testing.T, url, host, accept string) (body, location, name string) {
	t.Helper()
	r := testenv.Must(http.NewRequest("GET", url, nil))
	r.Host = host
	r.Header.Set("Accept", accept)
	answer := testenv.Must(insecure.Do(r))
	defer answer.Body.Close()
	if answer.TLS != nil {
		name = answer.TLS.PeerCertificates[0].Subject.CommonName
	}
	return string(testenv.Must(io.ReadAll(answer.Body))), answer.Header.Get("Location"), name
}

// protocol answers with the protocol of a request.
func protocol(w http.ResponseWriter, r *http.Request) {
	if r.TLS != nil {
		io.WriteString(w, "TLS ")
	}
	io.WriteString(w, r.Proto)
}

// TestOpenHTTPS checks that sv_https and the port of sv_http use the operator's certificate, and
// the errors if they cannot.
func TestOpenHTTPS(t *testing.T) {
	dir, log := t.TempDir(), new(logged)
	certFile, keyFile := selfsigned.Write(t, dir, "first")
	cert, key := "sv_https_cert "+console.Quote(certFile), "sv_https_key "+console.Quote(keyFile)
	for _, lines := range [][]string{
		{"sv_https localhost:0"},
		{"sv_https localhost:0", cert},
		{key},
		{"sv_https localhost:0", cert, "sv_https_key " + console.Quote(filepath.Join(dir, "missing"))},
		{"sv_https_domain https://yard.example"},
		{"sv_https_domain 127.0.0.1"},
	} {
		_, _, err := openHTTPS(t, log, dir, lines...)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "sv_https"), "with %q: %v", lines, err)
	}
	if h, _, err := openHTTPS(t, log, dir); err != nil || h != nil {
		t.Error(h, err)
	}
	h, plain, err := openHTTPS(t, log, dir, "sv_http 127.0.0.1:0", "sv_https 127.0.0.1:0", cert, key)
	testenv.NoError(t, err)
	srv := NewServer(h.Handler(http.HandlerFunc(protocol)))
	defer srv.Close()
	shared, secure := plain[0].Addr().String(), h.Listeners[0].Addr().String()
	go srv.Serve(plain[0])
	go srv.Serve(h.Listeners[0])
	for url, want := range map[string]string{
		"http://" + shared: "HTTP/1.1", "https://" + shared: "TLS HTTP/1.1", "https://" + secure: "TLS HTTP/1.1",
	} {
		body, to, name := fetch(t, url, "", "text/html")
		testenv.Check(t, body == want && to == "" && (name == "first") == strings.HasPrefix(url, "https"), "%s: %q, certificate %q, to %q", url, body, name, to)
	}
	// The port of sv_http has TLS already.
	s := newSettings(t, cert, key)
	s.https = shared
	h, err = s.OpenHTTPS(t.Context(), HTTPSConfig{Plain: plain, Info: log.add, Warn: log.add})
	testenv.Check(t, err == nil && len(h.Listeners) == 0, "%v", err)
}

// TestSharedPort checks that connections that send nothing keep no others waiting.
func TestSharedPort(t *testing.T) {
	l := testenv.Must(Listen(t.Context(), "127.0.0.1:0", 0))[0]
	shared := share(l.(*cappedListener), &tls.Config{})
	silent := testenv.Must(net.Dial("tcp", l.Addr().String()))
	defer silent.Close()
	second := testenv.Must(net.Dial("tcp", l.Addr().String()))
	defer second.Close()
	testenv.Must(io.WriteString(second, "hello"))
	c := testenv.Must(shared.Accept())
	b := make([]byte, 5)
	testenv.Must(io.ReadFull(c, b))
	testenv.Check(t, string(b) == "hello", "%q", b)
	c.Close()
	third := testenv.Must(net.Dial("tcp", l.Addr().String()))
	defer third.Close()
	testenv.Must(third.Write([]byte{tlsHandshake}))
	c = testenv.Must(shared.Accept())
	_, isTLS := c.(*tls.Conn)
	testenv.Check(t, isTLS, "%T", c)
	testenv.Check(t, cappedOf(c) != nil, "the connection has no limit")
	c.Close()
	shared.Close()
	_, err := shared.Accept()
	testenv.Check(t, errors.Is(err, net.ErrClosed), "%v", err)
}

// cappedOf returns the connection below TLS.
func cappedOf(c net.Conn) *cappedConn {
	return cappedConnOf(keepConn(context.Background(), c))
}

// TestDomain checks the listener with a certificate of sv_https_domain: plain HTTP stays for
// programs, and browsers are sent to the page with TLS.
func TestDomain(t *testing.T) {
	dir, log := t.TempDir(), new(logged)
	certFile, keyFile := selfsigned.Write(t, t.TempDir(), "own")
	lines := []string{"sv_http 127.0.0.1:0", "sv_https_domain localhost", "sv_https_ca https://127.0.0.1:1/dir"}
	h, _, err := openHTTPS(t, log, dir, lines...)
	testenv.NoError(t, err)
	testenv.Check(t, h.Page() == "", "a link to %s without a certificate", h.Page())
	pem := slices.Concat(testenv.Must(os.ReadFile(certFile)), testenv.Must(os.ReadFile(keyFile)))
	testenv.NoError(t, os.WriteFile(h.manager.File(), pem, 0o600))
	h, plain, err := openHTTPS(t, log, dir, lines...)
	testenv.NoError(t, err)
	srv := NewServer(h.Handler(http.HandlerFunc(protocol)))
	defer srv.Close()
	go srv.Serve(plain[0])
	addr := plain[0].Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	page := "https://localhost:" + port + "/"
	testenv.Check(t, h.Page() == page, "%s", h.Page())
	for _, c := range []struct{ url, host, accept, body, to string }{
		{"http://" + addr + "/play?a=b", "localhost:" + port, "text/html,*/*", "", page + "play?a=b"},
		{"http://" + addr + "/play", "LOCALHOST:" + port, "*/*", "HTTP/1.1", ""},
		{"http://" + addr + "/", "localhost", "text/html", "", page},
		{"http://" + addr + "/", "127.0.0.1:" + port, "text/html", "HTTP/1.1", ""},
		{"https://" + addr + "/play", "localhost:" + port, "text/html", "TLS HTTP/1.1", ""},
	} {
		body, to, _ := fetch(t, c.url, c.host, c.accept)
		testenv.Check(t, to == c.to && (body == c.body || c.to != ""), "%+v: %q to %q", c, body, to)
	}
	values := map[string]float64{}
	for _, v := range h.Values() {
		values[v.Name] = v.Read()
	}
	left := values["certificate_expiry_seconds"] - float64(time.Now().Unix())
	testenv.Check(t, left > 3000 && left < 3700 && values["certificate_failures"] == 0 && h.Problem() == nil, "%v", values)
}

// TestChallengePorts checks that the log names a port that another program has, and what to do. The
// server opens the port when it becomes free.
func TestChallengePorts(t *testing.T) {
	log := new(logged)
	h, _, err := openHTTPS(t, log, t.TempDir(), "sv_http 0", "sv_https 127.0.0.1:0", "sv_https_domain yard.example", "sv_https_ca https://127.0.0.1:1/dir")
	testenv.NoError(t, err)
	taken := []net.Listener{testenv.Must(net.Listen("tcp", "127.0.0.1:0")), testenv.Must(net.Listen("tcp", "127.0.0.1:0"))}
	for i, l := range taken {
		h.ports[i].port = l.Addr().(*net.TCPAddr).Port
	}
	served := make(chan net.Listener, 2)
	h.serve = func(l net.Listener) { served <- l }
	p := h.openPorts()
	testenv.Require(t, p.HTTPS != nil && p.HTTP != nil, "%v", p)
	testenv.Check(t, strings.Contains(p.HTTPS.Error(), "in use") && strings.Contains(p.HTTPS.Error(), "forward it to the server's own TCP port"), "%v", p.HTTPS)
	taken[1].Close()
	p = h.openPorts()
	testenv.Require(t, p.HTTPS != nil && p.HTTP == nil && len(served) == 1, "%v", p)
	p = h.openPorts()
	testenv.Check(t, len(served) == 1 && p.HTTP == nil, "opened twice: %v", p)
	taken[0].Close()
	testenv.Check(t, h.openPorts().HTTPS == nil && len(served) == 2, "not opened")
	close(served)
	for l := range served {
		l.Close()
	}
	// A nil HTTPS does nothing.
	var none *HTTPS
	none.Start(t.Context(), nil)
	w := httptest.NewRecorder()
	none.Handler(http.HandlerFunc(protocol)).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	testenv.Check(t, w.Body.String() == "HTTP/1.1" && none.Page() == "" && none.Problem() == nil && none.Values() == nil, "%q", w.Body)
}
