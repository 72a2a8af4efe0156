package server_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// demoTest is a test server that can record demos in memory.
type demoTest struct {
	*testServer
	folder servertest.Folder
}

func newDemoTest(t testing.TB, commands ...string) *demoTest {
	dt := &demoTest{}
	dt.testServer = newTestServerWith(t, server.Config{Demos: &dt.folder}, commands...)
	return dt
}

// play runs ticks in which clients keep their connections, no faster than the demo can be
// written.
func (dt *demoTest) play(ticks int, clients ...*testclient.Client) {
	for range ticks {
		dt.Idle(1, clients...)
		if dt.Pending() > 1 {
			testenv.Eventually(dt.T, "the demo is written", func() bool { return dt.Pending() == 0 })
		}
	}
}

// awaitLog runs ticks until there is a line in the log since the last call, and returns what
// the recorder logged.
func (dt *demoTest) awaitLog(line string) (said []string) {
	dt.T.Helper()
	testenv.Eventually(dt.T, line, func() bool { dt.Step(1); return strings.Contains(dt.Log.String(), line) })
	for l := range strings.Lines(dt.Log.String()) {
		if text, ok := strings.CutPrefix(l, "[demo_recorder]: "); ok {
			said = append(said, strings.TrimSuffix(text, "\n"))
		}
	}
	dt.Log.Reset()
	return said
}

// shownDemo is what a demo shows.
type shownDemo struct {
	header    demo.Header
	mapFile   []byte
	snapshots int
	players   map[string]bool // names
	tees      int             // at once
	vitals    bool            // somebody's health is shown
	latencies map[int32]bool
	texts     string // all messages
	calls     []bridgetest.Call
}

// read closes the server and reads a demo.
func (dt *demoTest) read(name string) (s shownDemo) {
	dt.T.Helper()
	file := dt.folder.Content(name)
	if file == nil {
		names, _ := dt.folder.Names()
		dt.T.Fatalf("there is no %s, but %q", name, names)
	}
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	s.header, s.mapFile, s.players, s.latencies = *r.Header(), r.Map(), map[string]bool{}, map[int32]bool{}
	var messages bridgetest.ServerMessages
	side := bridge7.NewDemoClientSide(&messages)
	if s.header.Protocol() == 6 {
		side = bridge6.NewDemoClientSide(&messages)
	}
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		if err == io.EOF {
			s.calls = messages.Take()
			return s
		}
		testenv.NoError(dt.T, err)
		switch c.Kind {
		case demo.KindTick:
			s.snapshots++
		case demo.KindSnapshot, demo.KindDelta:
			v := side.ReceiveSnapshot(c.Tick, c.Snapshot)
			s.tees = max(s.tees, len(v.Characters))
			for i := range v.Players {
				p, _ := side.Player(v.Players[i].ID)
				s.players[p.Profile.Name], s.latencies[v.Players[i].Latency] = true, true
			}
			for i := range v.Characters {
				s.vitals = s.vitals || v.Characters[i].Health > 0
			}
		case demo.KindMessage:
			s.texts += string(c.Message) + "\n"
			testenv.NoError(dt.T, side.Receive(bytes.Clone(c.Message), true))
		}
	}
}

// TestDemoOfServer records a game in both formats. A demo shows the players and public texts, and
// nothing else.
func TestDemoOfServer(t *testing.T) {
	dt := newDemoTest(t, "sv_demo_format tw07,ddnet", "sv_spamprotection 0; sv_vote_kick_bantime 0")
	anna := dt.Enter(ip(1), "anna")
	bert := dt.EnterAs(client06DDNet, ip(2), "bert")
	dt.play(50, anna, bert)
	dt.Execute("record cup/final")
	if got, want := dt.awaitLog("final_ddnet"),
		[]string{"Recording to 'demos/cup/final.demo'", "Recording to 'demos/cup/final_ddnet.demo'"}; !slices.Equal(got, want) {
		t.Errorf("the log has %q", got)
	}
	dt.Execute("record")
	if got := dt.awaitLog("active"); !slices.Equal(got, []string{"Demo recording is already active"}) {
		t.Errorf("the log has %q", got)
	}
	dt.play(100, anna, bert)
	first := dt.World().Tick()
	carl := dt.Enter(ip(3), "carl")
	anna.Say("to everybody")
	anna.Send(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("to the team")})
	anna.Send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 1, Message: []byte("to bert")})
	anna.Login("adminpw")
	dt.play(2, anna, bert, carl)
	anna.Rcon("echo a line of the console")
	anna.Rcon("sv_motd a new message; broadcast wide")
	anna.Send(&msg7.ClCallVote{Type: []byte("kick"), Value: []byte("2"), Reason: []byte("fun")})
	dt.play(100, anna, bert, carl)
	carl.Close("good bye")
	dt.play(10, anna, bert)
	last := dt.World().Tick()
	dt.Execute("stoprecord")
	if got := dt.awaitLog("Stopped"); !slices.Equal(got, []string{"Stopped recording"}) {
		t.Errorf("the log has %q", got)
	}
	dt.Execute("stoprecord")
	dt.awaitLog("No active demo recording to stop")
	dt.Shutdown(dt.Now(), "")
	if _, err := dt.folder.Create("cup/final.demo"); err == nil {
		t.Error("the demo has another name")
	}

	for name, protocol := range map[string]int{"cup/final.demo": 7, "cup/final_ddnet.demo": 6} {
		s := dt.read(name)
		h := s.header
		file := dt.MapFile()
		if protocol == 6 {
			file = dt.CompatibleFile()
		}
		if h.Protocol() != protocol || h.Type != "server" || h.MapName != "teeyard1" || h.MapCRC != crc32.ChecksumIEEE(file) ||
			!bytes.Equal(s.mapFile, file) || h.Length < 4 ||
			!regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$`).MatchString(h.Time) {
			t.Errorf("%s: header %+v, map of %d bytes", name, h, len(s.mapFile))
		}
		if ticks := int(last-first) + 100; s.snapshots < ticks/2 || s.snapshots > ticks/2+10 {
			t.Errorf("%s: %d snapshots of %d ticks", name, s.snapshots, ticks)
		}
		if !s.players["anna"] || !s.players["bert"] || !s.players["carl"] || s.tees != 3 || s.vitals {
			t.Errorf("%s: players %v, %d tees, health: %v", name, s.players, s.tees, s.vitals)
		}
		for _, public := range []string{"to everybody", "a new message", "wide", "carl"} {
			if !strings.Contains(s.texts, public) {
				t.Errorf("%s: %q is missing in %q", name, public, s.texts)
			}
		}
		for _, private := range []string{"to the team", "to bert", "adminpw", "a line of the console", "10.0.0."} {
			if strings.Contains(s.texts, private) {
				t.Errorf("%s: %q is there", name, private)
			}
		}
		for _, kind := range []game.EventKind{game.EvPlayerEntered, game.EvPlayerLeft} {
			told := func(c bridgetest.Call) bool {
				ev, ok := c.Args[0].(game.Event)
				return ok && ev.Kind == kind && ev.Player == 2 && !ev.Flag
			}
			// Clients of DDNet are told in the chat.
			if protocol == 7 && !slices.ContainsFunc(s.calls, told) || protocol == 6 && !strings.Contains(s.texts, "'carl' entered") {
				t.Errorf("%s: event %d is missing", name, kind)
			}
		}
		for _, method := range []string{"Vote", "VoteStatus", "Motd"} {
			if !slices.ContainsFunc(s.calls, func(c bridgetest.Call) bool { return c.Method == method }) {
				t.Errorf("%s: no %s", name, method)
			}
		}
	}
}

// TestAutoDemos checks that each match gets a demo, that the oldest go and that one ends
// with its map.
func TestAutoDemos(t *testing.T) {
	dt := newDemoTest(t, "sv_auto_demo_record 1; sv_auto_demo_max 2; sv_demo_format ddnet")
	for _, name := range []string{
		"auto/autorecord_2001-01-01_01-01-01.demo", "auto/autorecord_2001-01-02_01-01-01.demo", "auto/autorecord_my final.demo", "mine.demo",
	} {
		testenv.Must(dt.folder.Create(name)).Close()
	}
	anna := dt.Enter(ip(1), "anna")
	dt.play(5, anna)
	dt.Log.Reset()
	dt.Execute("restart")
	dt.play(2, anna)
	if said := dt.awaitLog("autorecord_"); !slices.ContainsFunc(said,
		func(l string) bool { return strings.HasPrefix(l, "Recording to 'demos/auto/autorecord_2") }) {
		t.Errorf("the log has %q", said)
	}
	dt.Execute("reload")
	dt.awaitLog("Stopped recording")
	dt.Shutdown(dt.Now(), "")
	names, _ := dt.folder.Names()
	names = slices.DeleteFunc(names, func(n string) bool { return n == "auto/autorecord_my final.demo" || n == "mine.demo" })
	if len(names) != 2 || slices.Contains(names, "auto/autorecord_2001-01-01_01-01-01.demo") {
		t.Errorf("%q", names)
	}
}

// TestDemoChangesNothing checks that a demo changes neither the game nor what observers
// see.
func TestDemoChangesNothing(t *testing.T) {
	run := func(record bool) (seen []string) {
		dt := &demoTest{}
		dt.testServer = newTestServerWith(t, server.Config{Demos: &dt.folder, Observers: []server.Observer{server.ObserverFunc(func(tick *server.Tick) {
			for _, e := range tick.Events {
				seen = append(seen, fmt.Sprintf("%T", e))
			}
		})}})
		anna := dt.Enter(ip(1), "anna")
		if record {
			dt.Execute("record")
		}
		for range 200 {
			dt.Input(anna, msg7.PlayerInput{Direction: 1, TargetX: 100, TargetY: -100, Fire: 1, Jump: true})
			dt.play(1)
		}
		seen = append(seen, fmt.Sprint(*dt.World().Frame()))
		dt.Shutdown(dt.Now(), "")
		return seen
	}
	if d := cmp.Diff(run(false), run(true)); d != "" {
		t.Errorf("(-without a demo +with one)\n%s", d)
	}
}
