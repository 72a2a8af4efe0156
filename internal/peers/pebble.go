package peers

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
)

// Pebble is Pebble, the CA for tests of Let's Encrypt.
type Pebble struct {
	*Process
	Directory string // URL of the ACME directory
	Roots     string // file with the certificate of its HTTPS server
}

// StartPebble starts Pebble and a name server, in which every name has the address 127.0.0.1. For
// challenges, Pebble connects to two ports.
func StartPebble(t testing.TB, tlsPort, httpPort int, lifetime time.Duration) *Pebble {
	programs := RequirePrograms(t, "pebble", "pebble-challtestsrv")
	dir, names, port := t.TempDir(), FreeAddr(t).AddrPort.String(), FreeAddr(t).Port()
	certFile, keyFile := selfsigned.Write(t, dir, "pebble")
	listen, config := fmt.Sprintf("127.0.0.1:%d", port), filepath.Join(dir, "pebble.json")
	WriteFile(t, config, testenv.Must(json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": "", "certificate": certFile, "privateKey": keyFile, "tlsPort": tlsPort, "httpPort": httpPort,
		"certificateValidityPeriod": int(lifetime / time.Second),
	}})))
	Start(t, dir, nil, programs[1], "-dns01", names, "-http01", "", "-https01", "", "-tlsalpn01", "", "-management", "", "-defaultIPv6", "")
	// Pebble checks every authorization at once, and rejects no nonce by chance.
	p := Start(t, dir, []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0", "PEBBLE_WFE_NONCEREJECT=0"}, programs[0],
		"-config", config, "-dnsserver", names, "-strict", "false")
	Eventually(t, 30*time.Second, "pebble listens", func() bool {
		c, err := net.Dial("tcp", listen)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return &Pebble{p, fmt.Sprintf("https://localhost:%d/dir", port), certFile}
}
