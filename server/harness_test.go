package server_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// The tests of this package share servers with raw clients, and networks with players that play by
// the rules.

// testServer is a server with raw clients.
type testServer = servertest.Server

// testSettings are the settings of most test servers, after servertest.Settings.
const testSettings = `sv_spamprotection 1; sv_register 1; sv_register_url ""; sv_register_udp ""; console_output_level 0`

func newTestServer(tb testing.TB, files fs.FS, commands ...string) *testServer {
	tb.Helper()
	return newTestServerWith(tb, server.Config{Files: files}, commands...)
}

// newTestServerWith starts a server with a configuration.
func newTestServerWith(tb testing.TB, cfg server.Config, commands ...string) *testServer {
	tb.Helper()
	return servertest.New(tb, cfg, append([]string{testSettings}, commands...)...)
}

// The kinds of raw clients, and their addresses.
var (
	client07, client06DDNet, client06 = testclient.V07, testclient.V06DDNet, testclient.V06
	client065, client064              = testclient.V06Header, testclient.V06Plain
	ip, local, ipv6, inSite           = servertest.IP, servertest.Local, servertest.IPv6, servertest.InSite
)

// bothVersions runs a test with a 0.7 and with a 0.6 client.
func bothVersions(t *testing.T, test func(t *testing.T, kind testclient.Config)) {
	t.Run("0.7", func(t *testing.T) { test(t, client07) })
	t.Run("0.6", func(t *testing.T) { test(t, client06DDNet) })
}

// clients returns the clients in a state.
func clients(s *servertest.Server, state server.ClientState) (found []server.Client) {
	for _, c := range s.Clients(nil) {
		if c.State == state {
			found = append(found, c)
		}
	}
	return found
}

// value returns the value of a setting.
func value(ts *servertest.Server, setting string) string {
	_, after, _ := strings.Cut(ts.Console(setting), "Value: ")
	return strings.TrimSuffix(after, "\n")
}

// joinWithCode adds a client of DDNet that plays and has sent a timeout code.
func joinWithCode(ts *testServer, peer transport.Peer, name, code string) *testclient.Client {
	ts.T.Helper()
	return ts.EnterAs(client06DDNet, peer, name).Say("/timeout " + code)
}

const timeoutCode = "U5E72ARPGZqkk8fH"

// memoryStore stores the match of a server in memory.
type memoryStore struct{ content []byte }

func (m *memoryStore) Load(string) ([]byte, error) {
	if m.content == nil {
		return nil, fs.ErrNotExist
	}
	return m.content, nil
}

func (m *memoryStore) Store(_ string, b []byte) error {
	m.content = bytes.Clone(b)
	return nil
}

func (m *memoryStore) Remove(string) error {
	m.content = nil
	return nil
}

// reader reads a replay log.
func reader(s *servertest.Folder, name string) *replay.Reader {
	return testenv.Must(replay.NewReader(bytes.NewReader(s.Content(name))))
}

// verifiedLog is the content of a replay log.
type verifiedLog struct {
	replay.Result
	header   *replay.Header
	size     int
	commands map[game.CommandKind]int
	names    map[string]bool // of players
	kills    int
}

// verify replays all logs, oldest first. Their number must be n.
func verify(t testing.TB, s *servertest.Folder, n int, mods ...func() game.Mod) (logs []verifiedLog) {
	t.Helper()
	names, _ := s.Names()
	if len(names) != n {
		t.Fatalf("%d logs, want %d", len(names), n)
	}
	for _, name := range names {
		r := reader(s, name)
		l := verifiedLog{header: r.Header(), size: len(s.Content(name)), commands: map[game.CommandKind]int{}, names: map[string]bool{}}
		var err error
		l.Result, err = replay.Verify(r, replay.VerifyConfig{
			Modes: builtin.Modes().New, Mods: mods, OnTick: func(_ *game.World, tick *replay.Tick, events []game.Event) {
				for _, c := range tick.Commands {
					if l.commands[c.Kind]++; c.Kind == game.CmdProfile {
						l.names[c.Profile.Name] = true
					}
				}
				for i := range events {
					if events[i].Kind == game.EvKill {
						l.kills++
					}
				}
			},
		})
		// A log that is still written has no end.
		if between := strings.Contains(fmt.Sprint(err), "where a block or the end should follow"); err != nil && !between {
			t.Errorf("%v (%+v)", err, l.Result)
		}
		logs = append(logs, l)
	}
	return logs
}

// ended reports whether a command has asked a server to end.
func ended(ts *servertest.Server) bool {
	_, ended := ts.ShutdownRequested()
	return ended
}

// banned reports whether an address is banned from the game.
func banned(ts *servertest.Server, peer transport.Peer) bool {
	return slices.ContainsFunc(ts.Bans(), func(b bans.Ban) bool { return b.Net.Contains(peer.Addr()) })
}

// teamOf returns the team of a player.
func teamOf(ts *servertest.Server, id game.PlayerID) game.Team {
	p, _ := ts.World().Player(id)
	return p.Team
}

// testNetwork is a server and players on a network in virtual time.
type testNetwork struct {
	*servertest.Server
	rand    *rand.Rand
	players []*player
}

// newTestNetwork starts a server with console commands.
func newTestNetwork(t testing.TB, link servertest.Link, seed uint64, commands ...string) *testNetwork {
	t.Helper()
	return newTestNetworkWith(t, link, seed, server.Config{}, commands...)
}

// newRecordedNetwork starts a network with a server whose matches are recorded.
func newRecordedNetwork(t testing.TB, s *servertest.Folder, seed uint64, commands ...string) *testNetwork {
	t.Helper()
	return newTestNetworkWith(t, servertest.Link{Delay: 20 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, seed,
		server.Config{Replays: s}, commands...)
}

// play lets so many players join and wander for a while.
func (tn *testNetwork) play(players int, length time.Duration) {
	tn.T.Helper()
	for i := range players {
		p := tn.join(i+1, fmt.Sprintf("bot %d", i))
		p.moveRandomly()
	}
	tn.Wait(length)
}

// newTestNetworkWith starts a server with a configuration.
func newTestNetworkWith(t testing.TB, link servertest.Link, seed uint64, cfg server.Config, commands ...string) *testNetwork {
	t.Helper()
	cfg.Seed = seed
	commands = append([]string{testSettings + "; sv_max_clients_per_network 0"}, commands...)
	return &testNetwork{Server: servertest.Over(t, link, cfg, commands...), rand: rand.New(rand.NewPCG(seed, 2))}
}

// player is a client on a test network that plays by the rules, and a record of its messages.
type player struct {
	*client.Session
	network *testNetwork
	peer    transport.Peer
	name    string
	rand    *rand.Rand
	input   game.Input
	said    int // lines of sayNextLine
	// redial makes it connect again whenever it is offline.
	redial bool
	// onMessage and onSnapshot, if set, see everything.
	onMessage  func(m testclient.Message)
	onSnapshot func(tick int32, s *snapshot.Snapshot)

	decoder6  msg6.Decoder
	decoder7  msg7.Decoder
	snapshots int
	chat      map[int32][]string // by the author's client id
	// leaveReasons are of the players who left, as 0.7 clients are told.
	leaveReasons []string
	rconLines    []string
	rconCommands []string
	// views has the views of the snapshots by tick, if it is not nil.
	views map[int32]game.View
}

// The kinds of players.
var (
	player07      = client.SessionConfig{Version: client.Version07}
	player06DDNet = client.SessionConfig{Version: client.Version06, DDNetVersion: 16040}
	player06      = client.SessionConfig{Version: client.Version06}
	player06Old   = client.SessionConfig{Version: client.Version06, DDNetVersion: -1, LegacyHandshake: true}
)

// named returns a configuration with a name.
func named(cfg client.SessionConfig, name string) client.SessionConfig {
	cfg.Name = name
	return cfg
}

// join adds a 0.7 player and waits until it plays. n gives it an address of its own.
func (tn *testNetwork) join(n int, name string) *player {
	tn.T.Helper()
	p := tn.dial(n, named(player07, name))
	tn.untilPlaying(p)
	return p
}

// dial adds a player that begins to connect.
func (tn *testNetwork) dial(n int, cfg client.SessionConfig) *player {
	tn.T.Helper()
	return tn.dialFrom(transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, byte(1 + n>>8), byte(n)}), 50000), cfg)
}

// dialFrom is dial from an address.
func (tn *testNetwork) dialFrom(peer transport.Peer, cfg client.SessionConfig) *player {
	tn.T.Helper()
	ip := peer.Addr().As16()
	p := &player{
		network: tn, peer: peer, name: cfg.Name, chat: map[int32][]string{},
		rand: rand.New(rand.NewPCG(uint64(ip[14]-1)<<8|uint64(ip[15]), 3)),
	}
	cfg.Send = func(b []byte) { tn.Net.Send(peer, servertest.Addr, b) }
	cfg.Token = func() packet.Token { return packet.Token(tn.rand.Uint32() &^ (1 << 31)) }
	cfg.OnMessage = p.record
	cfg.OnSnapshot = func(tick int32, s *snapshot.Snapshot) {
		p.snapshots++
		if p.onSnapshot != nil {
			p.onSnapshot(tick, s)
		}
		if p.views == nil && p.Version() == client.Version07 {
			return // which learns of players from messages
		}
		if v := p.ClientSide().ReceiveSnapshot(tick, s); p.views != nil {
			p.views[tick] = copyView(v)
		}
	}
	p.Session = testenv.Must(client.NewSession(cfg))
	tn.Net.Handle(peer, func(now int64, from transport.Peer, b []byte) {
		if from == servertest.Addr {
			p.Feed(conn.Time(now), slices.Clone(b))
		}
	})
	testenv.NoError(tn.T, p.Dial(tn.Now()))
	tn.Net.Every(5*time.Millisecond, func(now int64) {
		if p.redial && p.State() == client.Offline {
			p.Dial(conn.Time(now))
		}
		p.Step(conn.Time(now))
	})
	tn.players = append(tn.players, p)
	return p
}

// untilPlaying lets time pass until players play.
func (tn *testNetwork) untilPlaying(players ...*player) {
	tn.T.Helper()
	tn.WaitUntil(2*time.Minute, "playing", func() bool { return allPlay(players) })
}

// allPlay reports whether players are in the game and know their ids.
func allPlay(players []*player) bool {
	return !slices.ContainsFunc(players, func(p *player) bool { return p.State() != client.Playing || p.ID() < 0 })
}

// record keeps what tests ask for.
func (p *player) record(payload []byte, vital bool) {
	var m testclient.Message
	var err error
	if p.Version() == client.Version06 {
		m, err = p.decoder6.Decode(payload)
	} else {
		m, err = p.decoder7.Decode(payload)
	}
	if err != nil || !vital {
		return
	}
	switch m := m.(type) {
	case *msg6.SvChat:
		p.chat[m.ClientID] = append(p.chat[m.ClientID], string(m.Message))
	case *msg7.SvChat:
		p.chat[m.ClientID] = append(p.chat[m.ClientID], string(m.Message))
	case *msg7.SvClientDrop:
		p.leaveReasons = append(p.leaveReasons, string(m.Reason))
	case *msg6.RconLine:
		p.rconLines = append(p.rconLines, string(m.Line))
	case *msg7.RconLine:
		p.rconLines = append(p.rconLines, string(m.Line))
	case *msg7.RconCmdAdd:
		p.rconCommands = append(p.rconCommands, string(m.Name))
	}
	if p.onMessage != nil {
		p.onMessage(m)
	}
}

// checkStats checks that players understood all that they received.
func checkStats(t testing.TB, players ...*player) {
	t.Helper()
	for _, p := range players {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.UnknownMessages != 0 {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
}

// on returns a function for messages of one type, and ignores the others.
func on[M testclient.Message](f func(m M)) func(testclient.Message) {
	return func(m testclient.Message) {
		if m, ok := m.(M); ok {
			f(m)
		}
	}
}

// id returns the player's client id.
func (p *player) id() game.PlayerID { return p.ClientSide().OwnID() }

// names returns the players that it sees.
func (p *player) names() map[game.PlayerID]string {
	names := map[game.PlayerID]string{}
	for id := range game.PlayerID(game.MaxPlayers) {
		if info, ok := p.ClientSide().Player(id); ok {
			names[id] = info.Profile.Name
		}
	}
	return names
}

// heard reports whether the player received a chat line from any player.
func (p *player) heard(text string) bool {
	for _, lines := range p.chat {
		if slices.Contains(lines, text) {
			return true
		}
	}
	return false
}

// send sends a message of the player's version.
func (p *player) send(m testclient.Message) { p.SendMessage(p.network.Now(), m.Append(nil)) }

// do sends a message that has the same meaning in both versions, and lets a second pass.
func (p *player) do(send func(c bridge.ClientSide)) {
	p.network.T.Helper()
	testenv.NoError(p.network.T, p.Request(p.network.Now(), send))
	p.network.Wait(time.Second)
}

// command is do for a command to the game.
func (p *player) command(c game.Command) {
	p.network.T.Helper()
	p.do(func(side bridge.ClientSide) { side.SendCommand(&c) })
}

// login opens the remote console.
func (p *player) login(password string) {
	p.Request(p.network.Now(), func(c bridge.ClientSide) { c.SendRconAuth("", password) })
	p.network.Wait(200 * time.Millisecond)
}

// rcon runs a line and returns its output.
func (p *player) rcon(line string) string {
	before := len(p.rconLines)
	p.Request(p.network.Now(), func(c bridge.ClientSide) { c.SendRconCmd(line) })
	p.network.Wait(200 * time.Millisecond)
	return strings.Join(p.rconLines[before:], "\n")
}

// sayNextLine says the next of a numbered series of lines.
func (p *player) sayNextLine() {
	p.said++
	p.send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: fmt.Appendf(nil, "line %d", p.said)})
}

// moveRandomly changes the player's input from now on, at random, every 20 ms.
func (p *player) moveRandomly() {
	p.network.Net.Every(20*time.Millisecond, func(int64) { p.changeInput() })
}

// changeInput changes the input at random.
func (p *player) changeInput() {
	in := &p.input
	if p.rand.IntN(8) == 0 {
		in.Direction = int32(p.rand.IntN(3) - 1)
	}
	if p.rand.IntN(10) == 0 {
		in.Jump = !in.Jump
	}
	if p.rand.IntN(12) == 0 {
		in.Hook = !in.Hook
	}
	if p.rand.IntN(4) == 0 {
		in.TargetX, in.TargetY = int32(p.rand.IntN(400)-200), int32(p.rand.IntN(400)-200)
	}
	if p.rand.IntN(5) == 0 {
		in.Fire = (in.Fire + 1) & 63
	}
	if p.rand.IntN(40) == 0 {
		in.WantedWeapon = int32(1 + p.rand.IntN(5))
	}
	p.SetInput(*in)
}

// copyView returns a copy of a view that is valid only for a while.
func copyView(v *game.View) game.View {
	w, f := *v, *v.Frame
	f.Players, f.Characters = slices.Clone(f.Players), slices.Clone(f.Characters)
	f.Projectiles, f.Lasers = slices.Clone(f.Projectiles), slices.Clone(f.Lasers)
	f.Pickups, f.Flags = slices.Clone(f.Pickups), slices.Clone(f.Flags)
	w.Frame = &f
	return w
}
