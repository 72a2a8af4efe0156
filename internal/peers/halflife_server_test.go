package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// startMasterProgram runs teeyard master until the test ends.
func startMasterProgram(t testing.TB) transport.Peer {
	t.Helper()
	Need(t)
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	addr := freePort(t)
	p := Start(t, t.TempDir(), nil, path, "master", "--addr", "127.0.0.1", "--port", fmt.Sprint(addr.Port()), "--lan")
	Eventually(t, 20*time.Second, "the master listens", func() bool { return strings.Contains(p.Output(), "listening on") })
	return addr
}

// teeyard runs our program with the rcon password in the environment.
func teeyard(t testing.TB, args ...string) (string, error) {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "TEEYARD_RCON_PASSWORD="+oldPassword)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestRunningServer has the programs of the time look at our server and our master,
// as they run: with players, rules, rcon, and on the list.
func TestRunningServer(t *testing.T) {
	Need(t, "quakestat", "xqf-rcon", "node")
	m := startMasterProgram(t)
	s := startTeeyard(t, "sv_hl_master "+m.String()+"; sv_rcon_password "+oldPassword+"; sv_hostname yard.example; sv_timelimit 30; sv_max_clients 16; sv_player_slots 16")
	const players = 3
	swarm := load.Start(t.Context(), load.Config{Servers: []transport.Peer{s.addr}, Clients: players})
	defer swarm.Stop()
	if err := swarm.WaitJoined(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	// Our own query says who is there, also in A2S, where it is a second old.
	var names []string
	Eventually(t, 20*time.Second, "all players are listed", func() bool {
		out, err := teeyard(t, "query", s.addr.String(), "--json")
		var seen struct {
			Protocols []string
			HalfLife  struct {
				Forms   []string
				Players []struct{ Name string }
			} `json:"half_life"`
		}
		if err != nil || json.Unmarshal([]byte(out), &seen) != nil {
			t.Logf("%v: %s", err, out)
			return false
		}
		names = nil
		for _, p := range seen.HalfLife.Players {
			names = append(names, p.Name)
		}
		slices.Sort(names)
		return slices.Equal(seen.Protocols, []string{"0.6", "0.7"}) && slices.Equal(seen.HalfLife.Forms, []string{"A2S", "Half-Life"}) &&
			len(names) == players && !slices.Contains(names, "(connecting)")
	})
	listed := func(t *testing.T, got []string) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, names) {
			t.Errorf("players %q, want %q", got, names)
		}
	}
	for protocol, want := range map[string]seenServer{
		"hls":   {Gametype: "teeworlds", Rules: map[string]string{"gamename": "Teeworlds DM", "sv_timelimit": "30", "sv_hostname": "yard.example"}},
		"hla2s": {Gametype: "teeworlds", Rules: map[string]string{"gamename": "Teeworlds DM", "sv_timelimit": "30", "version": "0.7.5"}},
		"hlqs":  {Gametype: "teeworlds", Rules: map[string]string{"description": "Teeworlds DM", "type": "d"}},
		"tees":  {Gametype: "DM", Rules: map[string]string{"gametype": "DM"}},
	} {
		t.Run("quakestat/"+protocol, func(t *testing.T) {
			found := quakestat(t, protocol, s.addr, "-R", "-P")
			if len(found) != 1 {
				t.Fatalf("%d servers", len(found))
			}
			got := found[0]
			if got.Status != "online" || got.Name != "bench" || got.Map != "dm1" || got.Numplayers != players || got.Gametype != want.Gametype || got.Maxplayers != 16 {
				t.Errorf("%+v", got)
			}
			for name, value := range want.Rules {
				if got.Rules[name] != value {
					t.Errorf("rule %s is %q, want %q of %v", name, got.Rules[name], value, got.Rules)
				}
			}
			var seen []string
			for _, p := range got.Players {
				seen = append(seen, p.Name)
			}
			switch protocol {
			case "hlqs": // which tells nothing of players
			case "tees":
				// Of what 0.6 tells about a player it takes two fields of five, and so
				// calls the second one after the clan or country of the first, with
				// any server. The first it gets right.
				if len(seen) != players || !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(seen, name) }) {
					t.Errorf("players %q, of %q", seen, names)
				}
			default:
				listed(t, seen)
			}
		})
	}
	for _, protocol := range []string{"protocol-goldsrc", "protocol-valve"} {
		t.Run("gamedig/"+protocol, func(t *testing.T) {
			var args []string
			if protocol == "protocol-valve" {
				args = append(args, "--requestRules")
			}
			got := gamedig(t, protocol, s.addr, args...)
			if got.Name != "bench" || got.Map != "dm1" || got.Password || got.NumPlayers != players || got.MaxPlayers != 16 || got.Raw.Folder != "teeworlds" || got.Raw.Game != "Teeworlds DM" {
				t.Errorf("%+v", got)
			}
			var seen []string
			for _, p := range slices.Concat(got.Players, got.Bots) {
				seen = append(seen, p.Name)
			}
			listed(t, seen)
			if protocol == "protocol-valve" && (got.Version != "0.7.5" || got.Raw.AppID != halflife.DefaultAppID || got.Raw.Rules["sv_timelimit"] != "30") {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("xqf-rcon", func(t *testing.T) {
		run := func(password string) string {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, Need(t, "xqf-rcon")[0], "--hls", s.addr.Addr().String(), fmt.Sprint(s.addr.Port()))
			cmd.Stdin = strings.NewReader(password + "\nstatus\nsv_timelimit\n")
			out, _ := cmd.CombinedOutput()
			return string(out)
		}
		Eventually(t, 30*time.Second, "status lists the players", func() bool {
			out := run(oldPassword)
			return strings.Count(out, "id=") == players && strings.Contains(out, "name='"+names[0]+"'") && strings.Contains(out, "Value: 30")
		})
		Eventually(t, 30*time.Second, "a wrong password is refused", func() bool {
			out := run("guess")
			if strings.Contains(out, "id=") {
				t.Fatalf("a wrong password runs commands: %s", out)
			}
			return strings.Contains(out, "Bad rcon_password.")
		})
		out := s.Output()
		if !strings.Contains(out, " rcon='status'") || !strings.Contains(out, ": wrong password") || strings.Contains(out, oldPassword) || strings.Contains(out, "guess") {
			t.Errorf("the log has not what it should have:\n%s", tail(out, 2000))
		}
	})
	t.Run("masters", func(t *testing.T) {
		conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		Eventually(t, 30*time.Second, "the server is on the list", func() bool {
			list, err := halflife.FetchList(t.Context(), conn, m, halflife.ListConfig{IncludeLAN: true})
			return err == nil && slices.Equal(list, []transport.Peer{s.addr})
		})
		for _, protocol := range []string{"hlm", "hla2sm", "qwm"} {
			var got []string
			for _, f := range quakestat(t, protocol, m) {
				if f.Protocol == protocol {
					continue // the master itself
				}
				got = append(got, f.Address)
				if protocol != "qwm" && (f.Status != "online" || f.Name != "bench" || f.Numplayers != players) {
					t.Errorf("%s: %+v", protocol, f)
				}
			}
			if !slices.Equal(got, []string{s.addr.String()}) {
				t.Errorf("%s: %v", protocol, got)
			}
		}
		if out, err := teeyard(t, "browse", "--halflife", m.String()); err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), "3/16 Teeworlds DM dm1 bench "+s.addr.String()) {
			t.Errorf("browse: %v\n%s", err, out)
		}
	})
	t.Run("teeyard rcon", func(t *testing.T) {
		for _, protocol := range []string{"auto", "halflife", "game"} {
			out, err := teeyard(t, "rcon", s.addr.String(), "--protocol", protocol, "sv_timelimit")
			if err != nil || !strings.Contains(out, "Value: 30") {
				t.Errorf("%s: %v, %q", protocol, err, out)
			}
		}
	})
}

// TestQueryOriginals has teeyard query find out what others speak.
func TestQueryOriginals(t *testing.T) {
	for name, c := range map[string]struct {
		start func(testing.TB, string) *gameServer
		want  string
	}{
		"teeworlds-server": {startOriginal, "answers as  0.7\n"},
		"DDNet-Server":     {startDDNet, "answers as  0.6 (plain, extended, 64 players), 0.7\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.start(t, "")
			Eventually(t, 30*time.Second, "an answer in all forms", func() bool {
				out, err := teeyard(t, "query", s.addr.String())
				if !strings.Contains(out, c.want) {
					t.Logf("%v: %s", err, out)
					return false
				}
				return true
			})
		})
	}
}

// TestEcon runs commands on the external console of teeworlds-server.
func TestEcon(t *testing.T) {
	Need(t, "teeworlds-server")
	port, err := FreePort() // of UDP, but nobody uses it for TCP either
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	s := startOriginal(t, "ec_bindaddr 127.0.0.1; ec_port "+fmt.Sprint(port)+"; ec_password "+oldPassword+"; sv_rcon_password other; sv_timelimit 30")
	out, err := teeyard(t, "rcon", addr, "--protocol", "econ", "sv_timelimit")
	if err != nil || !strings.Contains(out, "Value: 30\n") {
		t.Errorf("%v, %q", err, out)
	}
	if out, err = teeyard(t, "rcon", addr, "--protocol", "econ", "tunes"); err != nil || strings.Count(out, "\n") < 30 || !strings.Contains(out, "gravity") {
		t.Errorf("%v, %q", err, out)
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "rcon", addr, "--protocol", "econ", "sv_timelimit")
	cmd.Env = append(os.Environ(), "TEEYARD_RCON_PASSWORD=guess")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "wrong password of the external console") {
		t.Errorf("a wrong password: %v, %q", err, out)
	}
	if out, err = teeyard(t, "rcon", addr, "--protocol", "econ", "shutdown"); err != nil {
		t.Errorf("%v, %q", err, out)
	}
	Eventually(t, 10*time.Second, "the server ends", func() bool { return !s.Running() })
	if out, err = teeyard(t, "rcon", addr, "--protocol", "econ", "status"); err == nil {
		t.Errorf("nobody is there, but %q", out)
	}
}

// askA2S asks a server for its A2S info for so long, as load.QueryInfo does
// for the game's own.
func askA2S(addr transport.Peer, span time.Duration) (answers int, err error) {
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	batch := make([]transport.Datagram, 64)
	conn.Send(addr, halflife.AppendA2SRequest(nil, halflife.RequestA2SInfo, halflife.NoChallenge))
	conn.Flush()
	n, err := conn.ReadBatch(batch, conn.Now()+int64(2*time.Second))
	if err != nil || n == 0 {
		return 0, fmt.Errorf("no challenge: %v", err)
	}
	challenge, err := halflife.ParseA2SChallenge(batch[0].Data)
	if err != nil {
		return 0, err
	}
	question := halflife.AppendA2SRequest(nil, halflife.RequestA2SInfo, challenge)
	answers, last, err := load.RepeatQuery(conn, addr, question, span)
	if err == nil {
		_, _, err = halflife.ParseInfo(last)
	}
	return answers, err
}

// BenchmarkHalfLifeInfo is our answer to A2S_INFO beside the original's own server
// information, over loopback, in turns.
func BenchmarkHalfLifeInfo(b *testing.B) { compareAnswers(b, askA2S, load.QueryInfo) }
