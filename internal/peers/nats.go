package peers

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// natsVariable names the nats-server of the tests. Without it, it is Debian's.
const natsVariable = "TEEYARD_NATS_SERVER"

// NATS is a nats-server with JetStream and its own folder.
type NATS struct {
	t    testing.TB
	dir  string
	port int
	*Process
}

// NewNATS returns a nats-server that stops when the test ends. config is the rest of its
// configuration, such as users with permissions.
func NewNATS(t testing.TB, config string) *NATS {
	t.Helper()
	RequirePrograms(t, "nats-server")
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	n := &NATS{t: t, dir: t.TempDir(), port: port}
	n.Configure(config)
	return n
}

// Configure changes the configuration for the next start.
func (n *NATS) Configure(config string) {
	n.t.Helper()
	all := fmt.Sprintf("listen: \"127.0.0.1:%d\"\njetstream { store_dir: %q }\n%s\n", n.port, filepath.Join(n.dir, "data"), config)
	WriteFile(n.t, n.config(), []byte(all))
}

func (n *NATS) config() string { return filepath.Join(n.dir, "nats-server.conf") }

// Start starts the server and waits until it accepts connections.
func (n *NATS) Start() {
	n.t.Helper()
	program := cmp.Or(os.Getenv(natsVariable), RequirePrograms(n.t, "nats-server")[0])
	n.Process = Start(n.t, n.dir, nil, program, "-c", n.config())
	Eventually(n.t, 30*time.Second, "nats-server listens", func() bool {
		c, err := net.Dial("tcp", n.Addr())
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// Addr returns the server's address, HOST:PORT.
func (n *NATS) Addr() string { return fmt.Sprint("127.0.0.1:", n.port) }

// URL returns the address as clients write it.
func (n *NATS) URL() string { return "nats://" + n.Addr() }

// Kill ends the server like a power failure.
func (n *NATS) Kill() {
	if n.Process != nil {
		n.Signal(os.Kill)
		<-n.done
	}
}
