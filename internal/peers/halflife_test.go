package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/master"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// oldYard is a game server that speaks the Half-Life protocol, for programs of
// the time to ask.
type oldYard struct {
	info    halflife.Info
	players []halflife.Player
	rules   []halflife.Rule
	addr    transport.Peer
}

func (y *oldYard) Info() halflife.Info                             { return y.info }
func (y *oldYard) Players(dst []halflife.Player) []halflife.Player { return append(dst, y.players...) }
func (y *oldYard) Rules(dst []halflife.Rule) []halflife.Rule       { return append(dst, y.rules...) }

func (*oldYard) RunRcon(_ transport.Peer, _ int, line string, print func(string)) {
	switch line {
	case "status":
		print("hostname: Tee Wars")
	case "list":
		for i := range 200 {
			print(fmt.Sprintf("line %03d of a long list", i))
		}
	}
}

const oldPassword = "s3cret"

// startOldYard runs a game server on 127.0.0.1 until the test ends.
func startOldYard(t testing.TB, name string, masters ...transport.Peer) *oldYard {
	t.Helper()
	y := &oldYard{
		info: halflife.Info{Name: name, Map: "dm1", Dir: "teeworlds", Game: "Teeworlds 0.7 DM", Players: 3, Max: 16, Bots: 1, Version: "0.7.5",
			Mod: &halflife.Mod{URL: "https://teeworlds.com/", Version: 1, ClientDLL: true}},
		players: []halflife.Player{{Name: "nameless tee", Score: 5, Time: 61 * time.Second}, {Name: "brainy", Score: -2, Time: time.Hour}, {Name: "(1)bot", Time: time.Minute, Bot: true}},
		rules:   []halflife.Rule{{Name: "sv_gametype", Value: "dm"}, {Name: "sv_scorelimit", Value: "20"}},
	}
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	y.addr = conn.LocalAddr()
	y.info.Address, y.info.Port = y.addr.String(), y.addr.Port()
	srv, err := halflife.NewServer(halflife.ServerConfig{Game: y, Console: y, Send: conn.Send,
		Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{Password: oldPassword}}}}})
	if err != nil {
		t.Fatal(err)
	}
	reg := halflife.NewRegistrar(halflife.RegistrarConfig{Masters: masters, Send: conn.Send,
		Heartbeat: func() halflife.Heartbeat { return halflife.Heartbeat{Info: y.info, Region: halflife.RegionAll} }})
	over := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-over })
	go func() {
		defer close(over)
		batch := make([]transport.Datagram, 16)
		for {
			reg.Advance(conn.Now())
			conn.Flush()
			n, err := conn.ReadBatch(batch, conn.Now()+1e8)
			if err != nil {
				return
			}
			for _, d := range batch[:n] {
				if halflife.IsDatagram(d.Data) && !reg.Feed(d.ReceivedAt, d.Peer, d.Data) {
					srv.Feed(d.ReceivedAt, d.Peer, d.Data)
				}
			}
		}
	}()
	return y
}

// output runs a program and returns what it prints.
func output(t testing.TB, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		t.Logf("%s %s: %v", filepath.Base(path), strings.Join(args, " "), err)
	}
	return string(out)
}

// seenServer is a server as quakestat shows it.
type seenServer struct {
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

// quakestat asks with a protocol and returns what it found.
func quakestat(t testing.TB, protocol string, addr transport.Peer, args ...string) []seenServer {
	t.Helper()
	path := Need(t, "quakestat")[0]
	args = append([]string{"-json", "-utf8", "-retry", "5", "-interval", "1"}, args...)
	out := output(t, path, append(args, "-"+protocol, addr.String())...)
	var found []seenServer
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return found
}

// startMaster runs a master on 127.0.0.1 until the test ends.
func startMaster(t testing.TB, legacy halflife.LegacyPolicy) transport.Peer {
	t.Helper()
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := master.New(master.Config{Send: conn.Send, ListLAN: true, Legacy: legacy})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- m.Run(ctx, conn) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("master: %v", err)
		}
		conn.Close()
	})
	return conn.LocalAddr()
}

// big fills a yard such that its lists take several datagrams.
func (y *oldYard) big() {
	y.players, y.rules = nil, nil
	for i := range 64 {
		y.players = append(y.players, halflife.Player{Name: fmt.Sprintf("player %02d with a long name", i), Score: int32(i), Time: time.Minute})
	}
	for i := range 100 {
		y.rules = append(y.rules, halflife.Rule{Name: fmt.Sprintf("sv_number_%03d", i), Value: strings.Repeat("x", i%30)})
	}
	y.info.Players, y.info.Max, y.info.Bots = 64, 64, 0
}

// TestQuakestat asks in all ways that quakestat knows.
func TestQuakestat(t *testing.T) {
	Need(t, "quakestat")
	y := startOldYard(t, "Tee Wars")
	for protocol, rules := range map[string]map[string]string{
		"hls":   {"gamedir": "teeworlds", "gamename": "Teeworlds 0.7 DM", "protocol": "47", "sv_type": "dedicated", "sv_os": "linux", "cldll": "1", "sv_gametype": "dm", "sv_scorelimit": "20"},
		"hla2s": {"gamedir": "teeworlds", "gamename": "Teeworlds 0.7 DM", "bots": "1", "version": "0.7.5", "game_port": fmt.Sprint(y.addr.Port()), "sv_gametype": "dm", "sv_scorelimit": "20"},
		"hlqs":  {"gamedir": "teeworlds", "description": "Teeworlds 0.7 DM", "address": y.addr.String(), "type": "d"},
	} {
		found := quakestat(t, protocol, y.addr, "-R", "-P")
		if len(found) != 1 {
			t.Fatalf("%s: %d servers", protocol, len(found))
		}
		s := found[0]
		if s.Status != "online" || s.Name != "Tee Wars" || s.Gametype != "teeworlds" || s.Map != "dm1" || s.Numplayers != 3 || s.Maxplayers != 16 {
			t.Errorf("%s: %+v", protocol, s)
		}
		for name, value := range rules {
			if s.Rules[name] != value {
				t.Errorf("%s: rule %s is %q, want %q", protocol, name, s.Rules[name], value)
			}
		}
		scores := map[string]int{}
		for _, p := range s.Players {
			scores[p.Name] = p.Score
		}
		if protocol != "hlqs" && (len(scores) != 3 || scores["nameless tee"] != 5 || scores["brainy"] != -2) {
			t.Errorf("%s: players %v", protocol, scores)
		}
	}
	big := startOldYard(t, "Big Yard")
	big.big()
	s := quakestat(t, "hla2s", big.addr, "-R", "-P")[0]
	if len(s.Players) != 64 || s.Rules["sv_number_000"] != "" || s.Rules["sv_number_099"] != strings.Repeat("x", 9) || s.Rules["sv_number_098"] != strings.Repeat("x", 8) {
		t.Errorf("of a big server: %d players, %d rules", len(s.Players), len(s.Rules))
	}
	if s = quakestat(t, "hls", big.addr, "-R", "-P")[0]; len(s.Players) == 0 || s.Numplayers != 64 || s.Rules["sv_number_020"] != strings.Repeat("x", 20) {
		t.Errorf("of a big server in text: %d players, %d rules", len(s.Players), len(s.Rules))
	}
}

// TestQuakestatMaster asks our master for its list in all ways that quakestat
// knows, also as somebody from afar has to.
func TestQuakestatMaster(t *testing.T) {
	Need(t, "quakestat")
	for legacy, protocols := range map[halflife.LegacyPolicy][]string{halflife.LegacyLAN: {"hlm", "hla2sm", "qwm"}, halflife.LegacyOff: {"hlm", "hla2sm"}} {
		m := startMaster(t, legacy)
		var want []string
		for i := range 3 {
			want = append(want, startOldYard(t, fmt.Sprintf("yard %d", i), m).addr.String())
		}
		slices.Sort(want)
		conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		Eventually(t, 20*time.Second, "all servers are on the list", func() bool {
			list, err := halflife.FetchList(t.Context(), conn, m, halflife.ListConfig{IncludeLAN: true, Format: halflife.ListBatch})
			return err == nil && len(list) == len(want)
		})
		for _, protocol := range protocols {
			var got []string
			for _, s := range quakestat(t, protocol, m) {
				if s.Protocol == protocol {
					continue // the master itself
				}
				got = append(got, s.Address)
				if protocol != "qwm" && (s.Status != "online" || !strings.HasPrefix(s.Name, "yard ")) {
					t.Errorf("%s, legacy %v: %+v", protocol, legacy, s)
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s, legacy %v: %v, want %v", protocol, legacy, got, want)
			}
		}
	}
}

// gamedig asks with npm's gamedig, which scripts/peers installs.
func gamedig(t testing.TB, protocol string, addr transport.Peer, args ...string) (state digState) {
	t.Helper()
	node := Need(t, "node")[0]
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(cache, "teeyard", "peers", "node_modules", "gamedig", "bin", "gamedig.js")
	if !isFile(script) {
		t.Fatalf("TEEYARD_PEERS=1 but there is no %s; run scripts/peers", script)
	}
	out := output(t, node, append([]string{script, "--type", protocol, "--maxRetries", "3", "--givenPortOnly"}, append(args, addr.String())...)...)
	if err := json.Unmarshal([]byte(out), &state); err != nil || state.Error != "" {
		t.Fatalf("%v %s\n%s", err, state.Error, out)
	}
	return state
}

// digState is a server as gamedig shows it.
type digState struct {
	Error      string
	Name, Map  string
	Password   bool
	Version    string
	NumPlayers int
	MaxPlayers int
	Players    []digPlayer
	Bots       []digPlayer
	Raw        struct {
		Folder, Game string
		AppID        int
		Rules        map[string]string
	}
}

type digPlayer struct {
	Name string
	Raw  struct{ Score int }
}

// TestGamedig asks with both protocols.
func TestGamedig(t *testing.T) {
	y := startOldYard(t, "Tee Wars")
	for _, protocol := range []string{"protocol-goldsrc", "protocol-valve"} {
		args := []string{}
		if protocol == "protocol-valve" { // the other takes rules apart in the wrong places
			args = append(args, "--requestRules")
		}
		s := gamedig(t, protocol, y.addr, args...)
		if s.Name != "Tee Wars" || s.Map != "dm1" || s.Password || s.NumPlayers != 3 || s.MaxPlayers != 16 || s.Raw.Folder != "teeworlds" || s.Raw.Game != "Teeworlds 0.7 DM" {
			t.Errorf("%s: %+v", protocol, s)
		}
		scores := map[string]int{}
		for _, p := range append(slices.Clone(s.Players), s.Bots...) {
			scores[p.Name] = p.Raw.Score
		}
		if len(scores) != 3 || scores["nameless tee"] != 5 || scores["brainy"] != -2 {
			t.Errorf("%s: players %v", protocol, scores)
		}
		if protocol == "protocol-valve" && (s.Version != "0.7.5" || s.Raw.AppID != halflife.DefaultAppID || s.Raw.Rules["sv_scorelimit"] != "20" ||
			len(s.Bots) != 1 || s.Bots[0].Name != "(1)bot") {
			t.Errorf("%s: %+v", protocol, s)
		}
	}
	big := startOldYard(t, "Big Yard")
	big.big()
	s := gamedig(t, "protocol-valve", big.addr, "--requestRules")
	if len(s.Players) != 64 || s.Raw.Rules["sv_number_099"] != strings.Repeat("x", 9) || len(s.Raw.Rules) != 100 {
		t.Errorf("of a big server: %d players, %d rules", len(s.Players), len(s.Raw.Rules))
	}
}

// TestXQFRcon runs commands with XQF's rcon.
func TestXQFRcon(t *testing.T) {
	path := Need(t, "xqf-rcon")[0]
	y := startOldYard(t, "Tee Wars")
	run := func(lines ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "--hls", y.addr.Addr().String(), fmt.Sprint(y.addr.Port()))
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("xqf-rcon: %v", err)
		}
		return string(out)
	}
	// It takes 50 ms of silence for the end: on a starved machine not all is seen
	// at the first time.
	Eventually(t, 30*time.Second, "the output of both commands", func() bool {
		out := run(oldPassword, "status", "list")
		for _, want := range []string{"hostname: Tee Wars\n", "line 000 of a long list\n", "line 199 of a long list\n"} {
			if !strings.Contains(out, want) {
				t.Logf("%q is not in\n%s", want, out)
				return false
			}
		}
		return true
	})
	Eventually(t, 30*time.Second, "a wrong password is refused", func() bool {
		out := run("guess", "status")
		if strings.Contains(out, "hostname") {
			t.Fatalf("a wrong password runs commands: %s", out)
		}
		return strings.Contains(out, "Bad rcon_password.")
	})
}
