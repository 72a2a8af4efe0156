//go:build peers

package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
)

// TestHalfLifeToolsOnTeeyard runs the tools for Half-Life servers against our server and our
// master, as programs.
func TestHalfLifeToolsOnTeeyard(t *testing.T) {
	peers.RequirePrograms(t, "quakestat", "xqf-rcon", "node")
	master := peers.FreeAddr(t)
	p := peers.Start(t, t.TempDir(), nil, peers.Program(t), "master", "--addr", "127.0.0.1", "--port", fmt.Sprint(master.Port()), "--lan")
	peers.Eventually(t, 20*time.Second, "the master listens", func() bool { return strings.Contains(p.Output(), "listening on") })
	s := peers.StartTeeyard(t, "sv_hl_master "+master.String()+"; sv_rcon_password \""+rconPassword+"\"; sv_hostname yard.example; "+
		"sv_timelimit 30; sv_max_clients 16; sv_player_slots 16")
	const players = 3
	defer peers.Join(t, s, load.Config{Clients: players}).Stop()

	// teeyard query also lists the players, and so does A2S, whose list is up to a second old.
	var names []string
	peers.Eventually(t, 20*time.Second, "all players are listed", func() bool {
		out, err := peers.RunTeeyard(t, "", "query", s.Addr.String(), "--json")
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
	for protocol, want := range map[string]serverListing{
		"hls":   {Gametype: "teeworlds", Rules: map[string]string{"gamename": "Teeworlds DM", "sv_timelimit": "30", "sv_hostname": "yard.example"}},
		"hla2s": {Gametype: "teeworlds", Rules: map[string]string{"gamename": "Teeworlds DM", "sv_timelimit": "30", "version": "0.7.5"}},
		"hlqs":  {Gametype: "teeworlds", Rules: map[string]string{"description": "Teeworlds DM", "type": "d"}},
		"tees":  {Gametype: "DM", Rules: map[string]string{"gametype": "DM"}},
	} {
		t.Run("quakestat/"+protocol, func(t *testing.T) {
			want.Name, want.Numplayers = "bench", players
			got := checkQuakestat(t, protocol, s.Addr, want)
			scores := got.scores()
			switch protocol {
			case "hlqs": // this protocol has no players
			case "tees":
				// gamedig reads two of the five fields that 0.6 has for a player. So, with any
				// server, the second name is the first player's clan or country.
				if len(got.Players) != players || !slices.ContainsFunc(names, func(name string) bool { _, ok := scores[name]; return ok }) {
					t.Errorf("players %v, want some of %q", scores, names)
				}
			default:
				checkNames(t, scores, names)
			}
		})
	}
	for _, protocol := range gamedigProtocols {
		t.Run("gamedig/"+protocol, func(t *testing.T) {
			got := checkGamedig(t, protocol, s.Addr, "bench", "Teeworlds DM")
			checkNames(t, got.scores(), names)
			if protocol == "protocol-valve" && got.Raw.Rules["sv_timelimit"] != "30" {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("xqf-rcon", func(t *testing.T) {
		checkXQFRcon(t, s.Addr, "status\nsv_timelimit\n", "id=", "name='"+names[0]+"'", "name='"+names[2]+"'", "Value: 30")
		out := s.Output()
		if !strings.Contains(out, " rcon='status'") || !strings.Contains(out, ": wrong password") || strings.Contains(out, rconPassword) ||
			strings.Contains(out, "guess") {
			t.Errorf("the log lacks a command or a wrong password, or has a password:\n%s", peers.Tail(out, 2000))
		}
	})
	t.Run("masters", func(t *testing.T) {
		if list := awaitListed(t, master, 1); list[0] != s.Addr {
			t.Errorf("the list is %v", list)
		}
		for _, protocol := range []string{"hlm", "hla2sm", "qwm"} {
			if got := quakestatMaster(t, protocol, master, "bench"); !slices.Equal(got, []string{s.Addr.String()}) {
				t.Errorf("%s: %v", protocol, got)
			}
		}
		if out, err := peers.RunTeeyard(t, "", "browse", "--halflife", master.String()); err != nil ||
			!strings.Contains(strings.Join(strings.Fields(out), " "), "3/16 Teeworlds DM dm1 bench "+s.Addr.String()) {
			t.Errorf("browse: %v\n%s", err, out)
		}
	})
	t.Run("teeyard rcon", func(t *testing.T) {
		for _, protocol := range []string{"auto", "halflife", "game"} {
			out, err := peers.RunTeeyard(t, rconPassword, "rcon", s.Addr.String(), "--protocol", protocol, "sv_timelimit")
			if err != nil || !strings.Contains(out, "Value: 30") {
				t.Errorf("%s: %v, %q", protocol, err, out)
			}
		}
	})
}

// checkNames fails the test unless the players in scores have the given names. The names must be
// sorted.
func checkNames(t testing.TB, scores map[string]int, names []string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(scores)); !slices.Equal(got, names) {
		t.Errorf("players %q, want %q", got, names)
	}
}

// TestQueryDetectsProtocols checks that teeyard query finds out the protocol of other servers.
func TestQueryDetectsProtocols(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start func(testing.TB, string) *peers.Server
		want  string
	}{
		"teeworlds-server": {peers.StartOriginal, "answers as  0.7\n"},
		"DDNet-Server":     {peers.StartDDNet, "answers as  0.6 (plain, extended, 64 players), 0.7\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.start(t, "")
			peers.Eventually(t, 30*time.Second, "an answer in all forms", func() bool {
				out, _ := peers.RunTeeyard(t, "", "query", s.Addr.String())
				return strings.Contains(out, c.want)
			})
		})
	}
}

// TestRconOfTheGame runs commands without a player on servers that accept rcon commands from
// strangers.
func TestRconOfTheGame(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds-server", "DDNet-Server")
	for name, c := range map[string]struct {
		start  func(testing.TB, string) *peers.Server
		joined bool
	}{"teeworlds-server": {peers.StartOriginal, false}, "teeyard": {peers.StartTeeyard, false}, "DDNet-Server": {peers.StartDDNet, true}} {
		s := c.start(t, "sv_rcon_password \""+rconPassword+"\"")
		before := len(s.Output())
		if out, err := peers.RunTeeyard(t, rconPassword, "rcon", s.Addr.String(), "--protocol", "game", "sv_name rconyard", "sv_name"); err != nil ||
			!strings.Contains(out, "Value: rconyard\n") {
			t.Errorf("%s: %v, %q", name, err, out)
		}
		if out, err := peers.RunTeeyard(t, rconPassword, "rcon", s.Addr.String(), "--protocol", "game", "nonsense"); err == nil ||
			!strings.Contains(out, `refused: "nonsense": No such command: nonsense.`) {
			t.Errorf("%s: %v, %q", name, err, out)
		}
		log := s.Output()[before:]
		if joined := strings.Contains(log, "has entered the game") || strings.Contains(log, "team_join"); joined != c.joined ||
			!strings.Contains(log, "authed") {
			t.Errorf("%s: a player joined: %v\n%s", name, joined, peers.Tail(log, 2000))
		}
	}
}

// TestEcon runs commands on the external consoles of teeworlds-server and of our server.
func TestEcon(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t, "teeworlds-server")
	for name, start := range map[string]func(testing.TB, string) *peers.Server{"teeworlds-server": peers.StartOriginal, "teeyard": peers.StartTeeyard} {
		t.Run(name, func(t *testing.T) { testEcon(t, start) })
	}
}

func testEcon(t *testing.T, start func(testing.TB, string) *peers.Server) {
	addr := peers.FreeAddr(t)
	s := start(t, fmt.Sprintf("ec_bindaddr 127.0.0.1; ec_port %d; ec_password %q; sv_rcon_password other; sv_timelimit 30", addr.Port(), rconPassword))
	econ := func(password, line string) (string, error) {
		return peers.RunTeeyard(t, password, "rcon", addr.String(), "--protocol", "econ", line)
	}
	if out, err := econ(rconPassword, "sv_timelimit"); err != nil || !strings.Contains(out, "Value: 30\n") {
		t.Errorf("%v, %q", err, out)
	}
	if out, err := econ(rconPassword, "tunes"); err != nil || strings.Count(out, "\n") < 30 || !strings.Contains(out, "gravity") {
		t.Errorf("%v, %q", err, out)
	}
	if out, err := econ("guess", "sv_timelimit"); err == nil || !strings.Contains(out, "wrong password for the external console") {
		t.Errorf("a wrong password: %v, %q", err, out)
	}
	if out, err := econ(rconPassword, "shutdown"); err != nil {
		t.Errorf("%v, %q", err, out)
	}
	peers.Eventually(t, 10*time.Second, "the server ends", func() bool { return !s.Running() })
	if out, err := econ(rconPassword, "status"); err == nil {
		t.Errorf("no server runs, but %q", out)
	}
}
