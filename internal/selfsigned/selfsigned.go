// Package selfsigned writes the certificates of tests. It is a package of its own because a test
// program with crypto/x509 takes longer to link.
package selfsigned

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// Write writes a self-signed certificate for localhost, and its key.
func Write(t testing.TB, dir, name string) (certFile, keyFile string) {
	t.Helper()
	key := testenv.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	about := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}}
	cert := testenv.Must(x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key))
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testenv.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	testenv.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: testenv.Must(x509.MarshalPKCS8PrivateKey(key))}), 0o600))
	return certFile, keyFile
}
