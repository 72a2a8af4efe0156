package peers

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/transport"
)

// gameServer is a server program under measurement.
type gameServer struct {
	*Process
	addr transport.Peer
}

// common are the settings that all servers under measurement get.
const common = "sv_register 0; sv_max_clients 64; sv_max_clients_per_ip 64; sv_scorelimit 0; sv_timelimit 0; " +
	"sv_inactivekick_time 0; sv_spamprotection 0; sv_name bench"

// local keeps a server from other networks. DDNet-Server 16.4 cannot do that.
const local = "bindaddr 127.0.0.1"

func port(addr transport.Peer) string { return fmt.Sprintf("sv_port %d", addr.Port()) }

// freePort is a UDP port that nobody uses at the moment.
func freePort(t testing.TB) transport.Peer {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return transport.UDPPeer(netip.MustParseAddr("127.0.0.1"), uint16(port))
}

// buildDir is where build puts our binary, "" if nobody asked for it.
var buildDir string

var build = sync.OnceValues(func() (string, error) {
	var err error
	if buildDir, err = os.MkdirTemp("", "teeyard"); err != nil {
		return "", err
	}
	path := filepath.Join(buildDir, "teeyard")
	out, err := exec.Command("go", "build", "-o", path, "github.com/teeyard/teeyard/cmd/teeyard").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// ready waits until a client can join, so that the first of a benchmark does not
// wait for the program to start.
func (s *gameServer) ready(t testing.TB) *gameServer {
	t.Helper()
	swarm := load.Start(t.Context(), load.Config{Servers: []transport.Peer{s.addr}, Clients: 1})
	defer swarm.Stop()
	if err := swarm.WaitJoined(20 * time.Second); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	time.Sleep(1200 * time.Millisecond) // servers ban who leaves within a second
	return s
}

// startTeeyard starts our server as a process of its own.
func startTeeyard(t testing.TB, settings string) *gameServer {
	t.Helper()
	Need(t)
	return runTeeyard(t, t.TempDir(), "sv_map dm1; "+settings)
}

// runTeeyard starts our server in a folder, with any map.
func runTeeyard(t testing.TB, home, settings string) *gameServer {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	addr := freePort(t)
	p := Start(t, home, nil, path, "serve", common, local, port(addr), settings)
	return (&gameServer{p, addr}).ready(t)
}

// startOriginal starts teeworlds-server 0.7.5.
func startOriginal(t testing.TB, settings string) *gameServer {
	t.Helper()
	return runOriginal(t, t.TempDir(), "sv_map dm1; "+settings)
}

// runOriginal starts teeworlds-server with a home folder and any map.
func runOriginal(t testing.TB, home, settings string) *gameServer {
	t.Helper()
	path := Need(t, "teeworlds-server")[0]
	addr := freePort(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home}
	p := Start(t, home, env, path, common, local, port(addr), settings)
	return (&gameServer{p, addr}).ready(t)
}

// original maps, which DDNet wants to be given to play with 0.7 clients.
const originalMaps = "/usr/share/games/teeworlds/data/maps"

// startDDNet starts DDNet-Server with the 0.7 protocol on.
func startDDNet(t testing.TB, settings string) *gameServer {
	t.Helper()
	path := Need(t, "DDNet-Server")[0]
	home := t.TempDir()
	maps := filepath.Join(home, ".local", "share", "ddnet", "maps7")
	if err := os.MkdirAll(maps, 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(originalMaps, "dm1.map"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(maps, "dm1.map"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	addr := freePort(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share")}
	p := Start(t, home, env, path, common, local, "sv_ipv4only 1", "sv_connlimit 64", port(addr), "sv_map dm1", settings)
	return (&gameServer{p, addr}).ready(t)
}
