package peers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"
	"time"
)

// MariaDB is Debian's database server with its own folder and no password for root.
type MariaDB struct {
	t    testing.TB
	dir  string
	port int
	*Process
}

// NewMariaDB creates the folder of a database server that stops when the test ends.
func NewMariaDB(t testing.TB) *MariaDB {
	t.Helper()
	programs := RequirePrograms(t, "mariadb-install-db", "mariadbd")
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	m := &MariaDB{t: t, dir: filepath.Join(t.TempDir(), "data"), port: port}
	if out, err := exec.Command(programs[0], "--no-defaults", m.user(), "--auth-root-authentication-method=normal", "--skip-test-db", "--datadir="+m.dir,
		m.tmpdir()).CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	return m
}

// user returns the argument for the system user to run as, which MariaDB demands of root.
func (m *MariaDB) user() string {
	u, err := user.Current()
	if err != nil {
		m.t.Fatal(err)
	}
	return "--user=" + u.Username
}

// tmpdir returns the argument for a temporary folder of its own: at its start MariaDB removes all
// temporary tables there, even from other servers.
func (m *MariaDB) tmpdir() string { return "--tmpdir=" + filepath.Dir(m.dir) }

// Start starts the server and waits until it accepts connections.
func (m *MariaDB) Start() {
	m.t.Helper()
	m.Process = Start(m.t, filepath.Dir(m.dir), nil, RequirePrograms(m.t, "mariadbd")[0], "--no-defaults", m.user(), "--datadir="+m.dir, m.tmpdir(),
		"--bind-address=127.0.0.1",
		fmt.Sprint("--port=", m.port), "--socket="+filepath.Join(filepath.Dir(m.dir), "s"), "--innodb-buffer-pool-size=16M", "--skip-log-bin",
		"--performance-schema=off")
	Eventually(m.t, 30*time.Second, "MariaDB listens", func() bool {
		c, err := net.Dial("tcp", m.Addr())
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// Addr returns the server's address.
func (m *MariaDB) Addr() string { return fmt.Sprint("127.0.0.1:", m.port) }

// Kill ends the server like a power failure.
func (m *MariaDB) Kill() {
	if m.Process != nil {
		m.Signal(os.Kill)
		<-m.done
	}
}
