package peers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// Debian's map folders of the original and of DDNet. Both have maps of the same names that differ.
const (
	OriginalMaps = "/usr/share/games/teeworlds/data/maps"
	DDNetMaps    = "/usr/share/games/ddnet/data/maps"
)

// Server is a running server program.
type Server struct {
	*Process
	Addr transport.Peer
}

// CommonSettings make the servers comparable.
const CommonSettings = "sv_register 0; sv_max_clients 64; sv_max_clients_per_ip 64; sv_scorelimit 0; sv_timelimit 0; " +
	"sv_inactivekick_time 0; sv_spamprotection 0; sv_name bench; sv_map dm1"

// StartTeeyard starts our server and waits until a client can join.
func StartTeeyard(t testing.TB, settings string) *Server {
	t.Helper()
	return StartTeeyardIn(t, t.TempDir(), settings)
}

// StartTeeyardIn is StartTeeyard with the server's working folder.
func StartTeeyardIn(t testing.TB, home, settings string) *Server {
	t.Helper()
	RequirePrograms(t)
	return startTeeyard(t, Program(t), home, settings)
}

// StartTeeyardWithDatabase is StartTeeyardIn with the program that can keep ranks in a database.
func StartTeeyardWithDatabase(t testing.TB, home, settings string) *Server {
	t.Helper()
	RequirePrograms(t)
	return startTeeyard(t, FleetProgram(t), home, settings)
}

func startTeeyard(t testing.TB, program, home, settings string) *Server {
	t.Helper()
	addr := FreeAddr(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME="} // the user that runs the test may have an autoexec.cfg
	return awaitJoin(t, &Server{Start(t, home, env, program, "serve", CommonSettings, "sv_bots 0", "bindaddr 127.0.0.1", PortSetting(addr), settings), addr})
}

// StartOriginal starts teeworlds-server 0.7.5 and waits until a client can join.
func StartOriginal(t testing.TB, settings string) *Server {
	t.Helper()
	return StartOriginalIn(t, t.TempDir(), settings)
}

// StartOriginalIn is StartOriginal with the server's home folder.
func StartOriginalIn(t testing.TB, home, settings string) *Server {
	t.Helper()
	addr := FreeAddr(t)
	return awaitJoin(t, &Server{RunOriginal(t, home, CommonSettings, PortSetting(addr), settings), addr})
}

// RunOriginal starts teeworlds-server 0.7.5 with the given settings only, without waiting for it.
func RunOriginal(t testing.TB, home string, settings ...string) *Process {
	t.Helper()
	return RunOriginalWith(t, home, nil, settings...)
}

// RunOriginalWith is RunOriginal with additional environment variables.
func RunOriginalWith(t testing.TB, home string, env []string, settings ...string) *Process {
	t.Helper()
	env = append([]string{"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home}, env...)
	return Start(t, home, env, RequirePrograms(t, "teeworlds-server")[0], append([]string{"bindaddr 127.0.0.1"}, settings...)...)
}

// StartDDNet starts DDNet-Server 16.4 and waits until a 0.7 client can join.
func StartDDNet(t testing.TB, settings string) *Server {
	t.Helper()
	home := t.TempDir()
	file, err := os.ReadFile(filepath.Join(OriginalMaps, "dm1.map"))
	if err != nil {
		t.Fatal(err)
	}
	WriteFile(t, filepath.Join(home, ".local", "share", "ddnet", "maps7", "dm1.map"), file)
	return awaitJoin(t, runDDNet(t, home, settings))
}

// StartDDNet06 starts DDNet-Server 16.4 without maps for 0.7, so that it speaks only 0.6.
func StartDDNet06(t testing.TB, settings string) *Server {
	t.Helper()
	return StartDDNetIn(t, t.TempDir(), settings)
}

// StartDDNetIn is StartDDNet06 with the server's home folder. The server's files are below
// .local/share/ddnet in it.
func StartDDNetIn(t testing.TB, home, settings string) *Server {
	t.Helper()
	s := runDDNet(t, home, settings)
	Eventually(t, 10*time.Second, "DDNet-Server listens", func() bool { return strings.Contains(s.Output(), "server name is") })
	return s
}

func runDDNet(t testing.TB, home, settings string) *Server {
	t.Helper()
	addr := FreeAddr(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share")}
	// DDNet-Server listens on all networks; no setting prevents that.
	p := Start(t, home, env, RequirePrograms(t, "DDNet-Server")[0], CommonSettings, "sv_ipv4only 1", "sv_connlimit 200", PortSetting(addr), settings)
	return &Server{p, addr}
}

// awaitJoin waits until a client can join, so that a test's first client need not wait for the
// server's start.
func awaitJoin(t testing.TB, s *Server) *Server {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		swarm := load.Start(t.Context(), load.Config{Clients: 1, Servers: []transport.Peer{s.Addr}})
		err := swarm.WaitJoined(joinTime)
		if err == nil {
			time.Sleep(1200 * time.Millisecond) // servers ban clients that leave within a second
		}
		swarm.Stop()
		// When many programs start at once, a client may time out before the server listens.
		if err == nil || !errors.Is(err, client.ErrNoAnswer) || time.Now().After(deadline) {
			s.joined(t, err)
			return s
		}
	}
}

// joinTime is the time limit for clients to join.
const joinTime = 30 * time.Second

// joined fails the test if clients could not join the server.
func (s *Server) joined(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v\n%s", s.name, err, Tail(s.Output(), 2000))
	}
}

// Join makes clients of ours join a server and play. The caller stops them.
func Join(t testing.TB, s *Server, cfg load.Config) *load.Swarm {
	t.Helper()
	cfg.Servers = []transport.Peer{s.Addr}
	swarm := load.Start(t.Context(), cfg)
	err := swarm.WaitJoined(joinTime)
	if err != nil {
		swarm.Stop()
	}
	s.joined(t, err)
	return swarm
}

// PortSetting returns the line that sets the port of a server.
func PortSetting(addr transport.Peer) string { return fmt.Sprintf("sv_port %d", addr.Port()) }

// WriteFile writes a file and creates its folder.
func WriteFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// built holds the programs that tests have built.
type built struct {
	mu   sync.Mutex
	dir  string // "" until the first build
	path map[string]string
}

var programs = built{path: map[string]string{}}

// build builds a program once and returns its path.
func (b *built) build(name string) (path string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if path := b.path[name]; path != "" {
		return path, nil
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "teeyard"); err != nil {
			return "", err
		}
	}
	path = filepath.Join(b.dir, name)
	if out, err := exec.Command("go", "build", "-o", path, "github.com/teeyard/teeyard/cmd/"+name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	b.path[name] = path
	return path, nil
}

// Program builds the teeyard program once and returns its path. Packages that call it need [Main].
func Program(t testing.TB) string {
	t.Helper()
	path, err := programs.build("teeyard")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// FleetProgram is Program for the program with the bus and the database of a fleet.
func FleetProgram(t testing.TB) string {
	t.Helper()
	path, err := programs.build("teeyard-fleet")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Tests are the tests of a package: a [testing.M].
type Tests interface{ Run() int }

// Main is for TestMain: it runs the tests and removes the programs that Program built.
func Main(m Tests) {
	code := m.Run()
	os.RemoveAll(programs.dir)
	os.Exit(code)
}

// MainWithScreens is [Main] for packages whose tests mostly use displays. It waits for other such
// packages before the first test, because players of a test must not wait in the middle of a match.
func MainWithScreens(m Tests) {
	if testenv.Peers {
		testenv.TakeScreen()
	}
	Main(m)
}
