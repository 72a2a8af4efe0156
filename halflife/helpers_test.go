package halflife_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

func TestMain(m *testing.M) {
	testenv.AtOnce(8)
	os.Exit(m.Run())
}

// fakeGame is a game server with settable info, players and rules.
type fakeGame struct {
	info     wire.Info
	players  []wire.Player
	rules    []wire.Rule
	commands []string
	output   []string // printed by each command
}

func (y *fakeGame) Info() wire.Info                         { return y.info }
func (y *fakeGame) Players(dst []wire.Player) []wire.Player { return append(dst, y.players...) }
func (y *fakeGame) Rules(dst []wire.Rule) []wire.Rule       { return append(dst, y.rules...) }
func (y *fakeGame) RunRcon(_ transport.Peer, level int, line string, print func(string), done func()) {
	y.commands = append(y.commands, fmt.Sprintf("%d %s", level, line))
	for _, text := range y.output {
		print(text)
	}
	done()
}

func newFakeGame() *fakeGame {
	y := &fakeGame{info: halflifetest.Info(), players: halflifetest.Players(), rules: halflifetest.Rules(), output: []string{"done"}}
	y.info.Version, y.info.Keywords = "0.7.5", "dm"
	return y
}

// setPlayers sets n players with long names.
func (y *fakeGame) setPlayers(n int) {
	y.players = nil
	for i := range n {
		y.players = append(y.players, wire.Player{Index: i + 1, Name: fmt.Sprintf("player %02d of a long name", i),
			Score: int32(i - 5), Time: time.Duration(i) * time.Second})
	}
}

// setRules sets n rules.
func (y *fakeGame) setRules(n int) {
	y.rules = nil
	for i := range n {
		y.rules = append(y.rules, wire.Rule{Name: fmt.Sprintf("sv_rule_number_%03d", i), Value: strings.Repeat("x", i%40)})
	}
}

// testServer is a server without a network.
type testServer struct {
	t      testing.TB
	game   *fakeGame
	srv    *halflife.Server
	bans   *bans.List
	now    int64
	wall   time.Time
	sent   []sentDatagram
	events []halflife.RconEvent
}

type sentDatagram struct {
	to transport.Peer
	b  []byte
}

const (
	adminPassword = "s3cret"
	modPassword   = "look"
)

func newTestServer(t testing.TB, set halflife.Settings) *testServer {
	t.Helper()
	l := &testServer{t: t, game: newFakeGame(), now: 1e9, wall: time.Unix(1e9, 0)}
	l.bans = bans.New(func() time.Time { return l.wall })
	if set.Rcon.Passwords == nil {
		set.Rcon.Passwords = []halflife.RconPassword{{adminPassword, 0}, {modPassword, 1}}
	}
	var err error
	l.srv, err = halflife.NewServer(halflife.ServerConfig{
		Game: l.game, Console: l.game, Bans: l.bans, Settings: set, MaxAnswerAge: -1,
		Send: func(to transport.Peer, b []byte) {
			l.sent = append(l.sent, sentDatagram{to, append([]byte(nil), b...)})
		},
		OnRcon: func(e halflife.RconEvent) { l.events = append(l.events, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// advance advances both clocks.
func (l *testServer) advance(d time.Duration) {
	l.now += int64(d)
	l.wall = l.wall.Add(d)
}

// ask feeds a datagram and returns the answers. It checks that all of them go to the sender.
func (l *testServer) ask(peer transport.Peer, b []byte) [][]byte {
	l.t.Helper()
	l.sent = l.sent[:0]
	l.srv.Feed(l.now, peer, b)
	var out [][]byte
	for _, s := range l.sent {
		if s.to != peer {
			l.t.Errorf("a datagram of %v was answered to %v", peer, s.to)
		}
		if len(s.b) > wire.MaxDatagram {
			l.t.Errorf("a datagram of %d bytes was sent", len(s.b))
		}
		out = append(out, s.b)
	}
	return out
}

// askOne feeds a datagram and returns its only answer, or nil if there is none.
func (l *testServer) askOne(peer transport.Peer, b []byte) []byte {
	l.t.Helper()
	out := l.ask(peer, b)
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	l.t.Fatalf("%d answers to %q", len(out), b)
	return nil
}

// queryA2S gets a challenge, sends a request with it and returns the answers.
func (l *testServer) queryA2S(peer transport.Peer, kind wire.RequestKind) [][]byte {
	l.t.Helper()
	c, err := wire.ParseA2SChallenge(l.askOne(peer, wire.AppendA2SRequest(nil, kind, wire.NoChallenge)))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.ask(peer, wire.AppendA2SRequest(nil, kind, c))
}

// challenge gets an rcon challenge with a padded request, as our own client does.
func (l *testServer) challenge(peer transport.Peer) uint32 {
	l.t.Helper()
	req := append(wire.AppendTextRequest(nil, wire.RequestRconChallenge), make([]byte, 8)...)
	c, err := wire.ParseRconChallenge(l.askOne(peer, req))
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// rcon sends a command and returns its output, or "" if the server does not answer.
func (l *testServer) rcon(peer transport.Peer, challenge uint32, password, command string) string {
	l.t.Helper()
	req, err := wire.AppendRcon(nil, challenge, password, command)
	if err != nil {
		l.t.Fatal(err)
	}
	var text []byte
	for _, b := range l.ask(peer, req) {
		if part, err := wire.ParsePrint(b); err == nil {
			text = append(text, part...)
		} else {
			text = append(text, b...)
		}
	}
	return string(text)
}

// Addresses for tests: public ones and one of a local network.
var (
	alice        = transport.MustParsePeer("198.51.100.7:4711")
	bob          = transport.MustParsePeer("203.0.113.9:4712")
	lanPeer      = transport.MustParsePeer("192.168.1.5:4713")
	loopbackPeer = transport.MustParsePeer("127.0.0.1:4714")
	ipv6Peer     = transport.MustParsePeer("[2001:db8:1:2::3]:4715")
)

// checkEqual checks that the parsed value equals the sent one.
func checkEqual(t *testing.T, want, got any, err error) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

func textRequest(kind wire.RequestKind) []byte { return wire.AppendTextRequest(nil, kind) }
