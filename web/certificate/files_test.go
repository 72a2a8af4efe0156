package certificate

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFilesReload checks that a new certificate is used without a restart, and the old one
// until the new files are complete.
func TestFilesReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := selfsigned.Write(t, dir, "first")
	var failures []error
	c := testenv.Must(OpenFiles(certFile, keyFile, func(err error) { failures = append(failures, err) }))
	now := time.Now()
	c.Now = func() time.Time { return now }
	name := func() string {
		now = now.Add(FilesInterval)
		pair := testenv.Must(c.Get(nil))
		return testenv.Must(x509.ParseCertificate(pair.Certificate[0])).Subject.CommonName
	}
	testenv.Check(t, name() == "first", "not the first")
	other := t.TempDir()
	selfsigned.Write(t, other, "second")
	testenv.NoError(t, os.Rename(filepath.Join(other, "cert.pem"), certFile))
	testenv.NoError(t, os.Chtimes(certFile, now, now.Add(time.Second)))
	testenv.Check(t, name() == "first" && len(failures) == 1, "with the old key: %v", failures)
	testenv.Check(t, name() == "first" && len(failures) == 1, "the failure is reported again: %v", failures)
	testenv.NoError(t, os.Rename(filepath.Join(other, "key.pem"), keyFile))
	testenv.NoError(t, os.Chtimes(keyFile, now, now.Add(2*time.Second)))
	testenv.Check(t, name() == "second" && len(failures) == 1, "the new one is not used: %v", failures)
	testenv.NoError(t, os.Remove(keyFile))
	testenv.Check(t, name() == "second" && len(failures) == 2, "without a key: %v", failures)
}
