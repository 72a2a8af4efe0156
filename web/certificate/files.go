package certificate

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// FilesInterval is the time between two checks of the certificate's files.
const FilesInterval = 10 * time.Second

// Files is a certificate in two files of the operator. It reads them again when they change, since
// programs renew certificates every few weeks.
type Files struct {
	// Now returns the time. Tests replace it.
	Now func() time.Time

	certFile, keyFile string
	failed            func(error)

	mu      sync.Mutex
	current *tls.Certificate
	version [2]fileVersion // of current, or of the files that could not be read
	checked time.Time
}

// fileVersion changes when a file does.
type fileVersion struct {
	modified time.Time
	size     int64
}

// OpenFiles reads a certificate. Any goroutine may call failed when changed files cannot be read.
func OpenFiles(certFile, keyFile string, failed func(error)) (*Files, error) {
	f := &Files{certFile: certFile, keyFile: keyFile, Now: time.Now, failed: failed}
	f.checked = f.Now()
	f.version = f.versions()
	return f, f.read()
}

func (f *Files) versions() (v [2]fileVersion) {
	for i, name := range []string{f.certFile, f.keyFile} {
		if info, err := os.Stat(name); err == nil {
			v[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return v
}

func (f *Files) read() error {
	pair, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		return fmt.Errorf("sv_https_cert, sv_https_key: %w", err)
	}
	f.current = &pair
	return nil
}

// Get implements tls.Config.GetCertificate. While the two files do not match, since a program is
// writing them, it returns the previous certificate.
func (f *Files) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.Now(); now.Sub(f.checked) >= FilesInterval {
		f.checked = now
		if v := f.versions(); v != f.version {
			f.version = v
			if err := f.read(); err != nil {
				f.failed(err)
			}
		}
	}
	return f.current, nil
}
