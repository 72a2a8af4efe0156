//go:build peers

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/master"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

const rconPassword = "s3cret words"

// fakeGame is the game behind a Half-Life server.
type fakeGame struct {
	info    wire.Info
	players []wire.Player
	rules   []wire.Rule
	addr    transport.Peer
}

func (g *fakeGame) Info() wire.Info                         { return g.info }
func (g *fakeGame) Players(dst []wire.Player) []wire.Player { return append(dst, g.players...) }
func (g *fakeGame) Rules(dst []wire.Rule) []wire.Rule       { return append(dst, g.rules...) }

func (*fakeGame) RunRcon(_ transport.Peer, _ int, line string, print func(string), done func()) {
	defer done()
	switch line {
	case "status":
		print("hostname: Tee Wars")
	case "list":
		for i := range 200 {
			print(fmt.Sprintf("line %03d of a long list", i))
		}
	}
}

// startHalfLife runs a Half-Life server on 127.0.0.1 until the test ends.
func startHalfLife(t testing.TB, name string, masters ...transport.Peer) *fakeGame {
	t.Helper()
	g := &fakeGame{
		info: wire.Info{Name: name, Map: "dm1", Dir: "teeworlds", Game: "Teeworlds 0.7 DM", Players: 3, Max: 16, Bots: 1, Version: "0.7.5",
			Mod: &wire.Mod{URL: "https://teeworlds.com/", Version: 1, ClientDLL: true}},
		players: []wire.Player{{Name: "nameless tee", Score: 5, Time: 61 * time.Second}, {Name: "brainy", Score: -2, Time: time.Hour},
			{Name: "(1)bot", Time: time.Minute, Bot: true}},
		rules: []wire.Rule{{Name: "sv_gametype", Value: "dm"}, {Name: "sv_scorelimit", Value: "20"}},
	}
	conn := listen(t)
	g.addr = conn.LocalAddr()
	g.info.Address, g.info.Port = g.addr.String(), g.addr.Port()
	srv, err := halflife.NewServer(halflife.ServerConfig{Game: g, Console: g, Send: conn.Send,
		Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{Password: rconPassword}}}}})
	if err != nil {
		t.Fatal(err)
	}
	reg := halflife.NewRegistrar(halflife.RegistrarConfig{Masters: masters, Send: conn.Send,
		Heartbeat: func() wire.Heartbeat { return wire.Heartbeat{Info: g.info, Region: wire.RegionAll} }})
	done := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-done })
	go func() {
		defer close(done)
		batch := make([]transport.Datagram, 16)
		for {
			reg.Advance(conn.Now())
			conn.Flush()
			n, err := conn.ReadBatch(batch, conn.Now()+1e8)
			if err != nil {
				return
			}
			for _, d := range batch[:n] {
				if wire.IsDatagram(d.Data) && !reg.Feed(d.ReceivedAt, d.Peer, d.Data) {
					srv.Feed(d.ReceivedAt, d.Peer, d.Data)
				}
			}
		}
	}()
	return g
}

// startBigHalfLife is startHalfLife with lists that need several datagrams.
func startBigHalfLife(t testing.TB) *fakeGame {
	t.Helper()
	g := startHalfLife(t, "Big Yard")
	g.players, g.rules = nil, nil
	for i := range 64 {
		g.players = append(g.players, wire.Player{Name: fmt.Sprintf("player %02d with a long name", i), Score: int32(i), Time: time.Minute})
	}
	for i := range 100 {
		g.rules = append(g.rules, wire.Rule{Name: fmt.Sprintf("sv_number_%03d", i), Value: strings.Repeat("x", i%30)})
	}
	g.info.Players, g.info.Max, g.info.Bots = 64, 64, 0
	return g
}

// listen opens a UDP socket of 127.0.0.1 until the test ends.
func listen(t testing.TB) *udp.Conn {
	t.Helper()
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// output runs a program with a standard input and returns its output.
func output(t testing.TB, stdin, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s %s: %v", filepath.Base(path), strings.Join(args, " "), err)
	}
	return string(out)
}

// serverListing is a server in quakestat's output.
type serverListing struct {
	Protocol   string
	Address    string
	Status     string
	Name       string
	Gametype   string
	Map        string
	Numplayers int
	Maxplayers int
	Rules      map[string]string
	Players    []struct {
		Name  string
		Score int
		Time  string
	}
}

// quakestat queries an address for rules and players with a protocol, and returns the servers
// found.
func quakestat(t testing.TB, protocol string, addr transport.Peer) []serverListing {
	t.Helper()
	out := output(t, "", peers.RequirePrograms(t, "quakestat")[0], "-json", "-utf8", "-retry", "5", "-interval", "1", "-R", "-P", "-"+protocol, addr.String())
	var found []serverListing
	if err := json.Unmarshal([]byte(out), &found); err != nil || len(found) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return found
}

// quakestatMaster returns the addresses in a master's list, sorted. It fails the test if a server
// in the list does not answer, or has another name.
func quakestatMaster(t testing.TB, protocol string, master transport.Peer, namePrefix string) []string {
	t.Helper()
	var addrs []string
	for _, s := range quakestat(t, protocol, master) {
		if s.Protocol == protocol {
			continue // the master itself
		}
		addrs = append(addrs, s.Address)
		if protocol != "qwm" && (s.Status != "online" || !strings.HasPrefix(s.Name, namePrefix)) {
			t.Errorf("%s: %+v", protocol, s)
		}
	}
	slices.Sort(addrs)
	return addrs
}

// scores returns the players that quakestat has found.
func (s *serverListing) scores() map[string]int {
	scores := map[string]int{}
	for _, p := range s.Players {
		scores[p.Name] = p.Score
	}
	return scores
}

// checkQuakestat queries with a protocol and compares everything but the players. Fields of want
// that are "" or 0 are not compared.
func checkQuakestat(t testing.TB, protocol string, addr transport.Peer, want serverListing) serverListing {
	t.Helper()
	got := quakestat(t, protocol, addr)[0]
	if got.Status != "online" || got.Map != "dm1" || got.Maxplayers != 16 || got.Numplayers != want.Numplayers || got.Name != want.Name ||
		got.Gametype != want.Gametype {
		t.Errorf("%s: %+v", protocol, got)
	}
	for name, value := range want.Rules {
		if got.Rules[name] != value {
			t.Errorf("%s: rule %s is %q, want %q of %v", protocol, name, got.Rules[name], value, got.Rules)
		}
	}
	return got
}

// gamedigListing is a server in gamedig's output.
type gamedigListing struct {
	Error      string
	Name, Map  string
	Password   bool
	Version    string
	NumPlayers int
	MaxPlayers int
	Players    []gamedigPlayer
	Bots       []gamedigPlayer
	Raw        struct {
		Folder, Game string
		AppID        int
		Rules        map[string]string
	}
}

type gamedigPlayer struct {
	Name string
	Raw  struct{ Score int }
}

// gamedig's protocols. Only the second one is asked for rules: gamedig splits the answer to the
// first in the wrong places.
var gamedigProtocols = []string{"protocol-goldsrc", "protocol-valve"}

// gamedig queries a server with npm's gamedig, which scripts/peers installs.
func gamedig(t testing.TB, protocol string, addr transport.Peer) (s gamedigListing) {
	t.Helper()
	node := peers.RequirePrograms(t, "node")[0]
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(cache, "teeyard", "peers", "node_modules", "gamedig", "bin", "gamedig.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("there is no %s; run scripts/peers", script)
	}
	args := []string{script, "--type", protocol, "--maxRetries", "3", "--givenPortOnly", addr.String()}
	if protocol == "protocol-valve" {
		args = append(args, "--requestRules")
	}
	out := output(t, "", node, args...)
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.Error != "" {
		t.Fatalf("%v %s\n%s", err, s.Error, out)
	}
	return s
}

// checkGamedig queries with a protocol and compares everything but players and rules.
func checkGamedig(t testing.TB, protocol string, addr transport.Peer, name, game string) gamedigListing {
	t.Helper()
	s := gamedig(t, protocol, addr)
	if s.Name != name || s.Map != "dm1" || s.Password || s.NumPlayers != 3 || s.MaxPlayers != 16 || s.Raw.Folder != "teeworlds" || s.Raw.Game != game ||
		protocol == "protocol-valve" && (s.Version != "0.7.5" || s.Raw.AppID != halflife.DefaultAppID) {
		t.Errorf("%s: %+v", protocol, s)
	}
	return s
}

// scores returns the players that gamedig has found, with the bots.
func (s *gamedigListing) scores() map[string]int {
	scores := map[string]int{}
	for _, p := range slices.Concat(s.Players, s.Bots) {
		scores[p.Name] = p.Raw.Score
	}
	return scores
}

// checkXQFRcon runs commands with XQF's rcon until it prints all of want. It also checks that a
// wrong password runs no command.
func checkXQFRcon(t testing.TB, addr transport.Peer, commands string, want ...string) {
	t.Helper()
	run := func(password string) string {
		// XQF's rcon sends the password as it was typed, so a password of several words needs
		// quotes.
		return output(t, password+"\n"+commands, peers.RequirePrograms(t, "xqf-rcon")[0], "--hls", addr.Addr().String(), fmt.Sprint(addr.Port()))
	}
	containsAll := func(out string) bool {
		return !slices.ContainsFunc(want, func(part string) bool { return !strings.Contains(out, part) })
	}
	// After 50 ms of silence XQF's rcon takes the output for complete, and so misses some of it on
	// a busy machine.
	peers.Eventually(t, 30*time.Second, "the output of the commands", func() bool { return containsAll(run(strconv.Quote(rconPassword))) })
	peers.Eventually(t, 30*time.Second, "a wrong password is refused", func() bool {
		out := run("guess")
		if strings.Contains(out, want[0]) {
			t.Fatalf("a wrong password runs commands: %s", out)
		}
		return strings.Contains(out, "Bad rcon_password.")
	})
}

// TestQuakestat queries our implementation with all of quakestat's protocols.
func TestQuakestat(t *testing.T) {
	g := startHalfLife(t, "Tee Wars")
	for protocol, rules := range map[string]map[string]string{
		"hls": {"gamedir": "teeworlds", "gamename": "Teeworlds 0.7 DM", "protocol": "47", "sv_type": "dedicated", "sv_os": "linux", "cldll": "1",
			"sv_gametype": "dm", "sv_scorelimit": "20"},
		"hla2s": {"gamedir": "teeworlds", "gamename": "Teeworlds 0.7 DM", "bots": "1", "version": "0.7.5", "game_port": fmt.Sprint(g.addr.Port()),
			"sv_gametype": "dm", "sv_scorelimit": "20"},
		"hlqs": {"gamedir": "teeworlds", "description": "Teeworlds 0.7 DM", "address": g.addr.String(), "type": "d"},
	} {
		s := checkQuakestat(t, protocol, g.addr, serverListing{Name: "Tee Wars", Gametype: "teeworlds", Numplayers: 3, Rules: rules})
		if scores := s.scores(); protocol != "hlqs" && (len(scores) != 3 || scores["nameless tee"] != 5 || scores["brainy"] != -2) {
			t.Errorf("%s: players %v", protocol, scores)
		}
	}
	big := startBigHalfLife(t)
	s := quakestat(t, "hla2s", big.addr)[0]
	if len(s.Players) != 64 || s.Rules["sv_number_000"] != "" || s.Rules["sv_number_099"] != strings.Repeat("x", 9) ||
		s.Rules["sv_number_098"] != strings.Repeat("x", 8) {
		t.Errorf("of a big server: %d players, %d rules", len(s.Players), len(s.Rules))
	}
	if s = quakestat(t, "hls", big.addr)[0]; len(s.Players) == 0 || s.Numplayers != 64 || s.Rules["sv_number_020"] != strings.Repeat("x", 20) {
		t.Errorf("of a big server in text: %d players, %d rules", len(s.Players), len(s.Rules))
	}
}

// TestQuakestatMaster queries our master with all of quakestat's protocols, also with the checks
// that the master applies to clients on other networks.
func TestQuakestatMaster(t *testing.T) {
	peers.RequirePrograms(t, "quakestat")
	for legacy, protocols := range map[halflife.LegacyPolicy][]string{halflife.LegacyLAN: {"hlm", "hla2sm", "qwm"}, halflife.LegacyOff: {"hlm", "hla2sm"}} {
		m := startMaster(t, legacy)
		var want []string
		for i := range 3 {
			want = append(want, startHalfLife(t, fmt.Sprintf("yard %d", i), m).addr.String())
		}
		slices.Sort(want)
		awaitListed(t, m, len(want))
		for _, protocol := range protocols {
			if got := quakestatMaster(t, protocol, m, "yard "); !slices.Equal(got, want) {
				t.Errorf("%s, legacy %v: %v, want %v", protocol, legacy, got, want)
			}
		}
	}
}

// startMaster runs a master on 127.0.0.1 until the test ends.
func startMaster(t testing.TB, legacy halflife.LegacyPolicy) transport.Peer {
	t.Helper()
	conn := listen(t)
	m, err := master.New(master.Config{Send: conn.Send, ListLAN: true, Legacy: legacy})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx, conn) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("master: %v", err)
		}
	})
	return conn.LocalAddr()
}

// awaitListed waits until a master lists n servers, and returns them.
func awaitListed(t testing.TB, master transport.Peer, n int) (list []transport.Peer) {
	t.Helper()
	conn := listen(t)
	peers.Eventually(t, 30*time.Second, "all servers are on the list", func() bool {
		var err error
		list, err = halflife.FetchList(t.Context(), conn, master, halflife.ListConfig{IncludeLAN: true, Format: wire.ListBatch})
		return err == nil && len(list) == n
	})
	return list
}

// TestGamedig queries our implementation with gamedig.
func TestGamedig(t *testing.T) {
	g := startHalfLife(t, "Tee Wars")
	for _, protocol := range gamedigProtocols {
		s := checkGamedig(t, protocol, g.addr, "Tee Wars", "Teeworlds 0.7 DM")
		if scores := s.scores(); len(scores) != 3 || scores["nameless tee"] != 5 || scores["brainy"] != -2 {
			t.Errorf("%s: players %v", protocol, scores)
		}
		if protocol == "protocol-valve" && (s.Raw.Rules["sv_scorelimit"] != "20" || len(s.Bots) != 1 || s.Bots[0].Name != "(1)bot") {
			t.Errorf("%s: %+v", protocol, s)
		}
	}
	s := gamedig(t, "protocol-valve", startBigHalfLife(t).addr)
	if len(s.Players) != 64 || s.Raw.Rules["sv_number_099"] != strings.Repeat("x", 9) || len(s.Raw.Rules) != 100 {
		t.Errorf("of a big server: %d players, %d rules", len(s.Players), len(s.Raw.Rules))
	}
}

// TestXQFRcon runs commands with XQF's rcon.
func TestXQFRcon(t *testing.T) {
	checkXQFRcon(t, startHalfLife(t, "Tee Wars").addr, "status\nlist\n", "hostname: Tee Wars\n", "line 000 of a long list\n", "line 199 of a long list\n")
}
