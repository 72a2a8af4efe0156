//go:build peers

package tools

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	teeyard "github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport/ws"
)

// TestHTTPSInOneLine starts a server with sv_https_domain and no certificate. It gets one from a
// real CA, which connects to the game's TCP port. HTTPS, HTTP and wss:// then share that port. A
// server that starts again needs no CA.
func TestHTTPSInOneLine(t *testing.T) {
	peers.RequirePrograms(t)
	addr := peers.FreeAddr(t)
	ca := peers.StartPebble(t, int(addr.Port()), int(addr.Port()), time.Hour)
	spare := peers.FreeAddr(t).AddrPort.String()
	home, program := t.TempDir(), peers.Program(t)
	settings := []string{"serve", "--dir", home, "sv_bots 0", "bindaddr 127.0.0.1", peers.PortSetting(addr),
		"sv_http " + addr.AddrPort.String(), "sv_https " + spare, "sv_https_domain 127.0.0.1", "sv_https_ca " + ca.Directory}
	env := []string{"SSL_CERT_FILE=" + ca.Roots}
	s := peers.Start(t, home, env, program, settings...)
	const ready = "/admin the admin page, for everyone who reaches this server"
	peers.Eventually(t, 30*time.Second, "a certificate", func() bool { return strings.Contains(s.Output(), ready) })
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	get := func(url string) (string, *x509.Certificate) {
		answer := testenv.Must(client.Get(url))
		defer answer.Body.Close()
		var cert *x509.Certificate
		if answer.TLS != nil {
			cert = answer.TLS.PeerCertificates[0]
		}
		return string(testenv.Must(io.ReadAll(answer.Body))), cert
	}
	plain, none := get("http://" + addr.AddrPort.String() + "/healthz")
	secure, cert := get("https://" + addr.AddrPort.String() + "/healthz")
	other, _ := get("https://" + spare + "/healthz")
	testenv.Check(t, other == "ok\n", "%q", other)
	testenv.Check(t, plain == "ok\n" && secure == "ok\n" && none == nil, "%q, %q", plain, secure)
	testenv.Check(t, cert != nil && strings.Contains(cert.Issuer.CommonName, "Pebble") && cert.VerifyHostname("127.0.0.1") == nil, "%+v", cert)
	files := testenv.Must(filepath.Glob(filepath.Join(home, "https", "*.pem")))
	testenv.Check(t, len(files) == 2, "%q", files)
	ca.Stop()
	s.Stop()
	s = peers.Start(t, home, env, program, settings...)
	peers.Eventually(t, 30*time.Second, "the certificate of the folder", func() bool { return strings.Contains(s.Output(), ready) })
	_, again := get("https://" + addr.AddrPort.String() + "/healthz")
	testenv.Check(t, again != nil && again.Equal(cert), "another certificate")
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(home, "http.key")))))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	dialer := ws.Dialer{TLS: &tls.Config{InsecureSkipVerify: true}}
	player, err := teeyard.Dial(ctx, "wss://"+addr.AddrPort.String()+"/?key="+key, teeyard.Config{Name: "ada", Dial: dialer.Dial, NoMap: true})
	testenv.Require(t, err == nil, "%v\n%s", err, peers.Tail(s.Output(), 20))
	player.Close()
}
