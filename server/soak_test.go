package server

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// soakReplays keeps replay logs in a folder until they are verified.
type soakReplays struct {
	dir    string
	mu     sync.Mutex
	closed []string // whole, and not verified yet
}

type soakReplay struct {
	*os.File
	s *soakReplays
}

func (s *soakReplays) Create(name string) (io.WriteCloser, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return soakReplay{f, s}, err
}

func (s *soakReplays) Names() ([]string, error) { return nil, nil }
func (s *soakReplays) Remove(string) error      { return errors.New("not in this test") }

func (f soakReplay) Close() error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.s.closed = append(f.s.closed, f.Name())
	return f.File.Close()
}

// verify verifies and removes the logs that are whole, and returns their number and ticks.
func (s *soakReplays) verify(t *testing.T) (logs, ticks int) {
	s.mu.Lock()
	names := s.closed
	s.closed = nil
	s.mu.Unlock()
	for _, name := range names {
		f := testenv.Must(os.Open(name))
		res, err := replay.Verify(testenv.Must(replay.NewReader(f)), replay.VerifyConfig{Modes: builtin.Modes().New})
		f.Close()
		if err != nil || res.End != replay.EndMapChange && res.End != replay.EndShutdown {
			t.Fatalf("%s: %v (%+v)", name, err, res)
		}
		testenv.NoError(t, os.Remove(name))
		ticks += int(res.Ticks)
	}
	return len(names), ticks
}

// soakTest is a server with people who come and go.
type soakTest struct {
	*testNetwork
	replays     soakReplays
	people      []*soakPerson
	strangers   int
	logs, ticks int // verified
	did         map[string]int
}

// soakPerson is a client of the soak.
type soakPerson struct {
	*player
	admin bool
	link  netsim.Link
	away  int // seconds until it comes back
}

func newSoakTest(t *testing.T) *soakTest {
	dir := t.TempDir()
	testenv.NoError(t, os.Mkdir(filepath.Join(dir, "maps"), 0o700))
	for name, b := range map[string][]byte{"yard2": maps.Default().Data, "broken": maps.Default().Data[:1000]} {
		testenv.NoError(t, os.WriteFile(filepath.Join(dir, "maps", name+".map"), b, 0o600))
	}
	st := &soakTest{did: map[string]int{}, replays: soakReplays{dir: t.TempDir()}}
	st.testNetwork = newTestNetworkWith(t, netsim.Link{Delay: 15 * time.Millisecond}, 1, Config{Files: os.DirFS(dir), Replays: &st.replays},
		`sv_scorelimit 5; sv_timelimit 5; sv_maprotation "teeyard1 yard2 testbox"; sv_bots 3; sv_vote_kick_bantime 1`,
		`add_vote "yard 1" sv_map teeyard1; add_vote "yard 2" change_map yard2; add_vote broken change_map broken; add_vote restart restart 1`)
	for i, kind := range []client.SessionConfig{player07, player07, player06DDNet, player06, player06Old, player07} {
		p := &soakPerson{
			player: st.dial(i+1, named(kind, fmt.Sprint("player ", i))), admin: i == 0,
			link: netsim.Link{Delay: time.Duration(10+20*i) * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.01 * float64(i)},
		}
		p.setLink(p.link)
		p.moveRandomly()
		p.views = nil
		st.people = append(st.people, p)
	}
	return st
}

// setLink sets the quality of a person's network.
func (p *soakPerson) setLink(l netsim.Link) {
	a, b := p.peer.Addr(), p.network.addr.Addr()
	testenv.NoError(p.network.t, errors.Join(p.network.net.SetLink(a, b, l), p.network.net.SetLink(b, a, l)))
}

// soakLines are what the operator runs.
var soakLines = []string{
	"change_map teeyard1", "change_map yard2", "change_map testbox", "change_map broken", "change_map nowhere",
	"sv_map testbox", "sv_map yard2", "sv_map broken", "reload", "restart 1", "restart",
	"sv_bots 0", "sv_bots 3", "sv_bots 5", "pause 2", "tune gravity 0.4", "tune_reset", "say hello", "status", "bans",
	"ban 10.9.9.9 1", "unban 10.9.9.9", "kick 3 test", "set_team 2 -1", "set_team_all 0", "sv_scorelimit 3", "sv_scorelimit 20",
	"vote yes", "vote no", "sv_motd hello", "cmdlist", "dump_variables", "votes", "mutes",
}

// second is what a person may do in a second.
func (p *soakPerson) second(st *soakTest) {
	now, r := st.now(), p.rand
	oneOf := func(n int) bool { return r.IntN(n) == 0 }
	did := func(what string) { st.did[what]++ }
	if p.away > 0 {
		if p.away--; p.away == 0 {
			p.setLink(p.link)
		}
		return
	}
	if p.State() == client.Offline {
		if oneOf(4) {
			p.Dial(now)
			did("dial")
		}
		return
	}
	if p.State() != client.Playing {
		return
	}
	did(fmt.Sprintf("second of playing %v", p.Version()))
	ask := func(what string, send func(c bridge.ClientSide)) {
		if p.Request(now, send) == nil {
			did(what)
		}
	}
	command := func(what string, c game.Command) {
		ask(what, func(side bridge.ClientSide) { side.SendCommand(&c) })
	}
	switch {
	case oneOf(90):
		p.Close(now)
		did("leave")
	case oneOf(300): // without a word, for longer than the server waits
		p.setLink(netsim.Link{Loss: 1})
		p.away = 5 + r.IntN(15)
		did("vanish")
	case oneOf(20):
		command("say", game.Command{Kind: game.CmdSay, Chat: game.ChatMode(1 + r.IntN(2)), Target: game.Nobody, Text: "hello " + strconv.Itoa(r.IntN(1000))})
	case oneOf(20):
		command("kill", game.Command{Kind: game.CmdKill})
	case oneOf(30):
		command("team", game.Command{Kind: game.CmdSetTeam, Team: game.Team(r.IntN(2) - 1)})
	case oneOf(40):
		ask("option vote", func(c bridge.ClientSide) {
			c.SendCallVote(event.VoteOption, []string{"yard 1", "yard 2", "broken", "restart"}[r.IntN(4)], "why not", false)
		})
	case oneOf(60):
		ask("kick vote", func(c bridge.ClientSide) { c.SendCallVote(event.VoteKick, strconv.Itoa(r.IntN(6)), "go", false) })
	case oneOf(5):
		ask("vote", func(c bridge.ClientSide) { c.SendVote(int32(1 - 2*r.IntN(4)/3)) })
	case p.admin && oneOf(5):
		ask("login", func(c bridge.ClientSide) { c.SendRconAuth("", "adminpw") })
		ask("rcon", func(c bridge.ClientSide) { c.SendRconCmd(soakLines[r.IntN(len(soakLines))]) })
	case !p.admin && oneOf(100):
		ask("wrong password", func(c bridge.ClientSide) { c.SendRconAuth("", "guess") })
	}
}

// stranger sends what browsers and those who never join send.
func (st *soakTest) stranger(r *rand.Rand) {
	from := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 77, 0, byte(r.IntN(64))}), uint16(1024+r.IntN(60000)))
	var b []byte
	switch r.IntN(3) {
	case 0:
		b = packet.AppendTokenRequest(nil, packet.Token(r.Uint32()))
	case 1:
		b = query.AppendRequest(nil, query.Request{Format: query.FormatExtended6, Token: int32(r.IntN(1 << 16))})
	default:
		b = make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	st.net.Send(from, st.addr, b)
	st.strangers++
}

// play lets people play.
func (st *soakTest) play(length time.Duration) {
	for range int(length / time.Second) {
		for _, p := range st.people {
			p.second(st)
			// What the test's player remembers is not the server's.
			clear(p.chat)
			p.leaveReasons, p.rconLines, p.rconCommands = nil, nil, nil
		}
		for range 5 {
			st.stranger(st.rand)
		}
		st.run(time.Second)
		st.settle()
	}
}

// settle waits for the server's other goroutines, since a second on the network is too short for
// them, and verifies the complete logs.
func (st *soakTest) settle() {
	testenv.Eventually(st.t, "the logs are written", func() bool { return st.srv.record.Pending() == 0 })
	logs, ticks := st.replays.verify(st.t.(*testing.T))
	st.logs, st.ticks = st.logs+logs, st.ticks+ticks
}

// soakState has the resources of a server.
type soakState struct {
	heap, goroutines, files int
	tables                  map[string]int // bytes of slices, 64 for each entry of a map, by the path of fields
}

// measure makes all players leave and returns the resources of the server then, in a new world.
func (st *soakTest) measure() (s soakState) {
	for _, p := range st.people {
		p.away = 0
		p.setLink(p.link)
		p.Close(st.now())
	}
	const step = 10 * time.Second
	for range loadingPatience/step + 1 { // the goodbye of a client that loads a map may get lost
		st.run(step)
		st.settle()
	}
	st.srv.Execute("sv_map teeyard1; reload")
	st.run(time.Second)
	st.settle()
	if n := st.srv.numClients(); n != 0 || st.srv.bots.Count() != 0 {
		st.t.Fatalf("%d clients and %d bots are left", n, st.srv.bots.Count())
	}
	testenv.Eventually(st.t, "the bots' goroutine ends", st.srv.bots.Explored)
	s.tables = map[string]int{}
	countTables(reflect.ValueOf(st.srv), "", map[uintptr]bool{}, s.tables)
	s.heap = int(heapInUse())
	s.goroutines = runtime.NumGoroutine()
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.files = len(files)
	}
	return s
}

// countTables adds up the sizes of the tables in a value, by the path of its fields.
func countTables(v reflect.Value, path string, seen map[uintptr]bool, sizes map[string]int) {
	switch path {
	case ".cfg", ".transport", ".record.replay.writer", ".console": // the test's, or of another goroutine
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if p := v.Pointer(); p != 0 && !seen[p] {
			seen[p] = true
			countTables(v.Elem(), path, seen, sizes)
		}
	case reflect.Interface:
		if !v.IsNil() {
			countTables(v.Elem(), path, seen, sizes)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			countTables(v.Field(i), path+"."+v.Type().Field(i).Name, seen, sizes)
		}
	case reflect.Map:
		sizes[path] += 64 * v.Len()
		for i := v.MapRange(); i.Next(); {
			countTables(i.Value(), path+"[]", seen, sizes)
		}
	case reflect.Slice:
		sizes[path] += v.Cap() * int(v.Type().Elem().Size())
		fallthrough
	case reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
			for i := range v.Len() {
				countTables(v.Index(i), path+"[]", seen, sizes)
			}
		}
	}
}

// TestSoak lets people of both versions play for a day of virtual time: they join and leave,
// lose datagrams, vote and change the map, while strangers ask. After the first part, an
// hour of the day, nothing grows any more: neither the heap nor the number of goroutines, of
// entries in tables and of open files. Each of the recorded logs reruns to the same worlds.
// The normal tests have some minutes of it.
func TestSoak(t *testing.T) {
	testenv.Long(t)
	part, parts := time.Minute, testenv.Amount(2, 3)
	switch {
	case testenv.Full() && !testenv.Race:
		part, parts = time.Hour, 24
	case testenv.Race:
		part, parts = 10*time.Second, 2
	}
	st := newSoakTest(t)
	st.play(part)
	first := st.measure()
	t.Logf("after %v: heap %d KB, %d goroutines, %d files, %d tables", part, first.heap>>10, first.goroutines, first.files, len(first.tables))
	var last soakState
	for i := 2; i <= parts; i++ {
		st.play(part)
		last = st.measure()
		t.Logf("after %v: heap %d KB, %d goroutines, %d files", time.Duration(i)*part, last.heap>>10, last.goroutines, last.files)
	}
	if last.heap > first.heap+first.heap/8+maxSnapBytes {
		t.Errorf("the heap grew from %d to %d KB", first.heap>>10, last.heap>>10)
	}
	if last.goroutines > first.goroutines || last.files > first.files {
		t.Errorf("%d goroutines and %d files became %d and %d", first.goroutines, first.files, last.goroutines, last.files)
	}
	for path, n := range last.tables {
		// The first part may not have seen the most that there can be, as of snapshots that wait
		// for a client that is silent.
		if n > 2*first.tables[path]+maxSnapBytes {
			t.Errorf("%s had %d bytes after the first part, and %d at the end", path, first.tables[path], n)
		}
	}
	st.srv.Shutdown(st.now(), "")
	st.settle()
	if left, _ := os.ReadDir(st.replays.dir); len(left) != 0 || st.logs == 0 {
		t.Errorf("%d logs were not ended, %d verified", len(left), st.logs)
	}
	var did []string
	for what, n := range st.did {
		did = append(did, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(did)
	t.Logf("%d logs of %d ticks verified; drops %v; %d strangers; %s", st.logs, st.ticks, st.srv.Drops(), st.strangers, strings.Join(did, ", "))
	for _, what := range []string{"dial", "leave", "vanish", "option vote", "kick vote", "vote", "rcon"} {
		if st.did[what] == 0 && !testenv.Race {
			t.Errorf("nobody did: %s", what)
		}
	}
}
