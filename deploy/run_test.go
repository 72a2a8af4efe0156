package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestMain(m *testing.M) { peers.Main(m) }

// composeFile is what docker compose reads in a file.
type composeFile struct {
	Services map[string]struct {
		Command     []string
		Environment map[string]string
		Hostname    string
		Ports       []struct {
			HostIP              string `json:"host_ip"`
			Published, Protocol string
			Target              int
		}
		StopGracePeriod string `json:"stop_grace_period"`
		Networks        map[string]any
		Volumes         []struct{ Source, Target string }
		ReadOnly        bool `json:"read_only"`
	}
	Configs  map[string]struct{ Content, File string }
	Networks map[string]struct{ Internal bool }
}

// TestComposeFiles checks what docker compose makes of the files: who reaches which port, and what
// stays when a container is replaced.
func TestComposeFiles(t *testing.T) {
	for name, servers := range map[string]int{"compose.yaml": 1, "fleet-compose.yaml": 3} {
		var file composeFile
		render(t, "compose", name, &file)
		testenv.Require(t, len(file.Services) > servers, "%s: %d services", name, len(file.Services))
		found := 0
		for service, s := range file.Services {
			if !strings.HasPrefix(service, "teeyard") {
				for _, p := range s.Ports {
					testenv.Check(t, p.HostIP == "127.0.0.1", "%s: %s publishes port %s to %q", name, service, p.Published, p.HostIP)
				}
				continue
			}
			found++
			published := map[string]bool{}
			for _, p := range s.Ports {
				published[p.Protocol] = true
				testenv.Check(t, p.HostIP == "" && p.Published == fmt.Sprint(p.Target),
					"%s: %s publishes %d as %s to %q", name, service, p.Target, p.Published, p.HostIP)
			}
			testenv.Check(t, published["udp"] && published["tcp"], "%s: %s publishes %v, want UDP for players and TCP for pages", name, service, published)
			kept := len(s.Volumes) == 1 && s.Volumes[0].Target == "/data"
			testenv.Check(t, kept && s.ReadOnly, "%s: %s: volumes %v, read-only %t", name, service, s.Volumes, s.ReadOnly)
			delete(s.Networks, "default")
			testenv.Check(t, len(s.Networks) == 1, "%s: %s is in the networks %v", name, service, s.Networks)
			for network := range s.Networks {
				testenv.Check(t, file.Networks[network].Internal, "%s: the network %s is not internal", name, network)
			}
		}
		testenv.Check(t, found == servers, "%s: %d servers, want %d", name, found, servers)
		for config, c := range file.Configs {
			_, err := os.Stat(c.File)
			testenv.Check(t, c.Content != "" || err == nil, "%s: config %s: %v", name, config, err)
		}
	}
	var fleet composeFile
	render(t, "compose", "fleet-compose.yaml", &fleet)
	autoexec := resource{"data": map[string]any{"autoexec.cfg": fleet.Configs["autoexec"].Content}}
	grace, err := time.ParseDuration(fleet.Services["teeyard-1"].StopGracePeriod)
	drain := setting(autoexec, "sv_term_drain")
	testenv.Check(t, err == nil && drain > 0 && grace.Seconds() >= drain+15, "sv_term_drain %v, stop_grace_period %v, %v", drain, grace, err)
	for _, store := range []string{"nats", "mariadb"} {
		s := fleet.Services[store]
		_, outside := s.Networks["default"]
		testenv.Check(t, len(s.Ports) == 0 && !outside && len(s.Volumes) == 1, "%s: %+v", store, s)
	}
}

// hostPort is an address on this machine at which a program may listen.
func hostPort(t *testing.T) string {
	t.Helper()
	return fmt.Sprint("127.0.0.1:", testenv.Must(peers.FreePort()))
}

// TestFleetCompose runs what fleet-compose.yaml runs, without containers: three servers with the
// configuration of the file, NATS, MariaDB and Prometheus. Each question of the dashboards must
// have an answer.
func TestFleetCompose(t *testing.T) {
	prometheus := peers.RequirePrograms(t, "prometheus")[0]
	var file composeFile
	render(t, "compose", "fleet-compose.yaml", &file)
	nats, database := peers.NewNATS(t, ""), peers.NewMariaDB(t)
	nats.Start()
	database.Start()
	databaseHost, databasePort, err := net.SplitHostPort(database.Addr())
	testenv.NoError(t, err)
	// replaced replaces the names of containers by addresses of this machine.
	replaced := func(content string, changes ...string) string {
		for i := 0; i < len(changes); i += 2 {
			testenv.Require(t, strings.Contains(content, changes[i]), "%q is not in\n%s", changes[i], content)
			content = strings.ReplaceAll(content, changes[i], changes[i+1])
		}
		return content
	}
	autoexec := replaced(file.Configs["autoexec"].Content, "nats://nats:4222", nats.URL(), "10.83.4.0/24", "127.0.0.0/8",
		"teeyard teeyard mariadb 3306", fmt.Sprintf(`root "" %s %s`, databaseHost, databasePort))
	var targets []string
	program := peers.FleetProgram(t)
	servers := map[string]*peers.Process{}
	for n := range 3 {
		s := file.Services[fmt.Sprint("teeyard-", n+1)]
		port, own := fmt.Sprint(8303+n), hostPort(t)
		testenv.Require(t, len(s.Command) == 2 && s.Command[1] == "sv_port "+port && s.Environment["TEEYARD_HTTP"] == "0.0.0.0:"+port, "%+v", s)
		targets = append(targets, s.Hostname+":"+port, own)
		home := t.TempDir()
		peers.WriteFile(t, filepath.Join(home, "autoexec.cfg"), []byte(autoexec))
		_, ownPort, err := net.SplitHostPort(own)
		testenv.NoError(t, err)
		servers[own] = peers.Start(t, home, []string{"HOME=" + home, "XDG_DATA_HOME=", "TEEYARD_HTTP=" + own}, program,
			"serve", "bindaddr 127.0.0.1", "sv_fleet_id "+s.Hostname, s.Command[0], "sv_port "+ownPort)
	}
	at := hostPort(t)
	dir := t.TempDir()
	peers.WriteFile(t, filepath.Join(dir, "prometheus.yml"),
		[]byte(replaced(file.Configs["prometheus"].Content, append(targets, "scrape_interval: 15s", "scrape_interval: 1s")...)))
	peers.Start(t, dir, nil, prometheus, "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address="+at)

	var status []byte
	env := file.Services["teeyard-1"].Environment
	peers.Eventually(t, 60*time.Second, "three servers are in the fleet", func() bool {
		cmd := exec.Command(program, "status")
		cmd.Env = append(os.Environ(), "TEEYARD_NATS="+nats.URL(), "TEEYARD_FLEET="+env["TEEYARD_FLEET"], "TEEYARD_FLEET_AS="+env["TEEYARD_FLEET_AS"])
		status, _ = cmd.CombinedOutput()
		return strings.Contains(string(status), "3 servers, 0 players")
	})
	for address, s := range servers {
		testenv.Check(t, !strings.Contains(s.Output(), "no such"), "the configuration of %s is not right", address)
	}
	for _, name := range []string{"grafana-fleet.json", "grafana.json"} {
		var board dashboard
		testenv.NoError(t, json.Unmarshal(testenv.Must(os.ReadFile(name)), &board))
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				var answer string
				expr := strings.NewReplacer("$instance", ".*", "$__rate_interval", "20s").Replace(target.Expr)
				expr = strings.TrimSuffix(expr, " > 0") // hides what does not happen here
				found := peers.Within(60*time.Second, func() bool {
					answer = ask(at, expr)
					return strings.Contains(answer, `"status":"success"`) && strings.Contains(answer, `"value":[`)
				})
				testenv.Check(t, found, "%s: %s: %s: %s", name, p.Title, expr, answer)
			}
		}
	}
	for expr, want := range map[string]string{
		`sum(up{job="teeyard"})`:                                          "3",
		"sum(teeyard_fleet_connected)":                                    "3",
		"count(teeyard_info{map=\"yardrun\",gametype=\"DDraceNetwork\"})": "3",
	} {
		answer := ask(at, expr)
		testenv.Check(t, strings.Contains(answer, `"`+want+`"]`), "%s: %s, want %s", expr, answer, want)
	}
}

// TestDashboards checks that the panels of the dashboards have names and places of their own.
func TestDashboards(t *testing.T) {
	for _, name := range []string{"grafana.json", "grafana-fleet.json"} {
		var board dashboard
		testenv.NoError(t, json.Unmarshal(testenv.Must(os.ReadFile(name)), &board))
		testenv.Check(t, len(board.Panels) > 10, "%s: %d panels", name, len(board.Panels))
		ids, titles, places := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
		for _, p := range board.Panels {
			testenv.Check(t, !ids[p.ID] && !titles[p.Title] && len(p.Targets) > 0, "%s: %s, panel %d", name, p.Title, p.ID)
			ids[p.ID], titles[p.Title] = true, true
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					testenv.Check(t, x < 24 && places[[2]int{x, y}] == "", "%s: %s is over %s", name, p.Title, places[[2]int{x, y}])
					places[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

// dashboard is a dashboard of Grafana.
type dashboard struct {
	Panels []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr string }
	}
}

// ask asks Prometheus, and returns the answer as JSON, or an error as text.
func ask(addr, expr string) string {
	answer, err := http.Get("http://" + addr + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}
