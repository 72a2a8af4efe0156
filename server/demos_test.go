package server

import (
	"bytes"
	"errors"
	"fmt"
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
)

// demoTest is a test server that can record demos in memory.
type demoTest struct {
	*testServer
	folder memoryReplays
}

func newDemoTest(t testing.TB, commands ...string) *demoTest {
	dt := &demoTest{}
	dt.testServer = newTestServerWith(t, Config{Demos: &dt.folder}, commands...)
	return dt
}

// play runs ticks in which clients keep their connections, no faster than the demo can be
// written.
func (dt *demoTest) play(ticks int, clients ...*testclient.Client) {
	for range ticks {
		dt.idle(1, clients...)
		if w := dt.srv.demos.writer; w != nil && len(w.jobs) > 1 {
			testenv.Eventually(dt.tb, "the demo is written", func() bool { return len(w.jobs) == 0 })
		}
	}
}

// awaitLog runs ticks until there is a line in the log since the last call, and returns what
// the recorder logged.
func (dt *demoTest) awaitLog(line string) (said []string) {
	dt.tb.Helper()
	testenv.Eventually(dt.tb, line, func() bool { dt.step(1); return strings.Contains(dt.log.String(), line) })
	for l := range strings.Lines(dt.log.String()) {
		if text, ok := strings.CutPrefix(l, "[demo_recorder]: "); ok {
			said = append(said, strings.TrimSuffix(text, "\n"))
		}
	}
	dt.log.Reset()
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
	dt.tb.Helper()
	dt.folder.mu.Lock()
	file := dt.folder.files[name]
	dt.folder.mu.Unlock()
	if file == nil {
		names, _ := dt.folder.Names()
		dt.tb.Fatalf("there is no %s, but %q", name, names)
	}
	r := testenv.Must(demo.NewReader(bytes.NewReader(bytes.Clone(file.Bytes()))))
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
		testenv.NoError(dt.tb, err)
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
			testenv.NoError(dt.tb, side.Receive(bytes.Clone(c.Message), true))
		}
	}
}

// TestDemoOfServer records a game in both formats. Whoever plays the demos sees the players
// and reads what is public, and nothing else.
func TestDemoOfServer(t *testing.T) {
	dt := newDemoTest(t, "sv_demo_format tw07,ddnet", "sv_spamprotection 0; sv_vote_kick_bantime 0")
	anna := dt.join(ip(1), "anna")
	bert := dt.joinAs(client06DDNet, ip(2), "bert")
	dt.play(50, anna, bert)
	dt.srv.Execute("record cup/final")
	if got, want := dt.awaitLog("final_ddnet"), []string{"Recording to 'demos/cup/final.demo'", "Recording to 'demos/cup/final_ddnet.demo'"}; !slices.Equal(got, want) {
		t.Errorf("the log has %q", got)
	}
	dt.srv.Execute("record")
	if got := dt.awaitLog("active"); !slices.Equal(got, []string{"Demo recording is already active"}) {
		t.Errorf("the log has %q", got)
	}
	dt.play(100, anna, bert)
	first := dt.srv.clock.tick
	carl := dt.join(ip(3), "carl")
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
	last := dt.srv.clock.tick
	dt.srv.Execute("stoprecord")
	if got := dt.awaitLog("Stopped"); !slices.Equal(got, []string{"Stopped recording"}) {
		t.Errorf("the log has %q", got)
	}
	dt.srv.Execute("stoprecord")
	dt.awaitLog("No active demo recording to stop")
	dt.srv.Shutdown(dt.now, "")
	if _, err := dt.folder.Create("cup/final.demo"); err == nil {
		t.Error("the demo has another name")
	}

	for name, protocol := range map[string]int{"cup/final.demo": 7, "cup/final_ddnet.demo": 6} {
		s := dt.read(name)
		h := s.header
		m := &dt.srv.gameMap.Map
		if protocol == 6 {
			m = dt.srv.gameMap.compatibleMap()
		}
		if h.Protocol() != protocol || h.Type != "server" || h.MapName != "teeyard1" || h.MapCRC != m.CRC || !bytes.Equal(s.mapFile, m.File) || h.Length < 4 ||
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

// TestDemoNames checks which files record makes.
func TestDemoNames(t *testing.T) {
	dt := newDemoTest(t)
	for range 2 {
		dt.srv.Execute("record twice")
		dt.awaitLog("Recording")
		dt.srv.Execute("stoprecord")
		dt.awaitLog("Stopped")
	}
	for _, bad := range []string{"../out", "/etc/x", `a\b`, "c:x", "a/../../b", strings.Repeat("x", 300)} {
		dt.srv.Execute(fmt.Sprintf("record %q", bad))
		dt.awaitLog("Unable to open 'demos/")
	}
	dt.srv.Execute("record")
	dt.awaitLog("Recording")
	dt.srv.Shutdown(dt.now, "")
	names, _ := dt.folder.Names()
	if len(names) != 3 || !regexp.MustCompile(`^demo_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.demo$`).MatchString(names[0]) || names[1] != "twice.1.demo" || names[2] != "twice.demo" {
		t.Errorf("%q", names)
	}

	none := newTestServer(t, nil)
	none.srv.Execute("record")
	none.step(1)
	if !strings.Contains(none.log.String(), "Unable to record: the server has no folder to write to") {
		t.Errorf("without a folder: %s", none.log.String())
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
	anna := dt.join(ip(1), "anna")
	dt.play(5, anna)
	dt.log.Reset()
	dt.srv.Execute("restart")
	dt.play(2, anna)
	if said := dt.awaitLog("autorecord_"); !slices.ContainsFunc(said, func(l string) bool { return strings.HasPrefix(l, "Recording to 'demos/auto/autorecord_2") }) {
		t.Errorf("the log has %q", said)
	}
	dt.srv.Execute("reload")
	dt.awaitLog("Stopped recording")
	dt.srv.Shutdown(dt.now, "")
	names, _ := dt.folder.Names()
	names = slices.DeleteFunc(names, func(n string) bool { return n == "auto/autorecord_my final.demo" || n == "mine.demo" })
	if len(names) != 2 || slices.Contains(names, "auto/autorecord_2001-01-01_01-01-01.demo") {
		t.Errorf("%q", names)
	}
}

// TestFullDiskKeepsOldDemos checks that a demo that cannot be begun leaves no file and takes
// the place of none.
func TestFullDiskKeepsOldDemos(t *testing.T) {
	dt := newDemoTest(t, "sv_auto_demo_record 1; sv_auto_demo_max 2; sv_demo_format tw07,ddnet")
	old := []string{"auto/autorecord_2001-01-01_01-01-01.demo", "auto/autorecord_2001-01-01_01-01-01_ddnet.demo", "auto/autorecord_2001-01-02_01-01-01.demo"}
	for _, name := range old {
		testenv.Must(dt.folder.Create(name)).Close()
	}
	dt.folder.full = errors.New("disk full")
	anna := dt.join(ip(1), "anna")
	for range 3 {
		dt.srv.Execute("restart")
		dt.play(2, anna)
		dt.awaitLog("Unable to open 'demos/auto/autorecord_")
	}
	dt.srv.Shutdown(dt.now, "")
	if names, _ := dt.folder.Names(); !slices.Equal(names, old) {
		t.Errorf("left are %q", names)
	}
}

// TestDemoFormatSetting checks that a value that is no format leaves one that is.
func TestDemoFormatSetting(t *testing.T) {
	ts := newTestServer(t, nil)
	for _, c := range [][2]string{{"tw06", "tw07"}, {"ddnet", "ddnet"}, {"", "ddnet"}, {"tw07, ddnet", "tw07, ddnet"}, {"ddnet ddnet", "tw07, ddnet"}} {
		ts.srv.Execute(fmt.Sprintf("sv_demo_format %q", c[0]))
		if got := ts.srv.settings.DemoFormat; got != c[1] {
			t.Errorf("%q: %q", c[0], got)
		}
	}
}

// TestDemoTrouble checks that a full or stuck disk ends the demo and nothing else.
func TestDemoTrouble(t *testing.T) {
	ticks := func(dt *demoTest, n int) {
		before := dt.srv.clock.tick
		dt.step(n)
		if dt.srv.clock.tick != before+int32(n) {
			t.Error("the game stood still")
		}
	}
	t.Run("not created", func(t *testing.T) {
		dt := newDemoTest(t)
		dt.folder.broken = errors.New("read-only")
		dt.srv.Execute("record x")
		dt.awaitLog("Unable to open 'demos/x.demo' for recording: read-only")
		if ticks(dt, 10); len(dt.srv.demos.files) != 0 {
			t.Error("still recording")
		}
	})
	t.Run("full", func(t *testing.T) {
		dt := newDemoTest(t)
		anna := dt.join(ip(1), "anna")
		dt.srv.Execute("record x")
		dt.awaitLog("Recording")
		dt.folder.mu.Lock()
		dt.folder.broken = errors.New("disk full")
		dt.folder.mu.Unlock()
		dt.play(600, anna)
		dt.awaitLog("stopped recording 'demos/x.demo': disk full")
		dt.folder.mu.Lock()
		dt.folder.broken = nil
		dt.folder.mu.Unlock()
		dt.srv.Execute("record x")
		dt.awaitLog("Recording to 'demos/x.1.demo'")
		dt.srv.Shutdown(dt.now, "")
		if s := dt.read("x.demo"); s.snapshots != 0 {
			t.Errorf("%d snapshots on a full disk", s.snapshots)
		}
	})
	t.Run("stuck", func(t *testing.T) {
		dt := newDemoTest(t)
		dt.folder.hang = make(chan struct{})
		defer close(dt.folder.hang)
		for i := range maxDemoOpens + 2 {
			dt.srv.Execute(fmt.Sprint("record x", i))
			ticks(dt, 2*10*(demoQueue-1))
			if i == 0 && len(dt.srv.demos.files) != 1 {
				t.Error("the recording ends before the queue is full")
			}
			ticks(dt, 2*10+20)
			if len(dt.srv.demos.files) != 0 || dt.srv.demos.writer.made > demoQueue {
				t.Fatalf("record %d: %d files, %d batches", i, len(dt.srv.demos.files), dt.srv.demos.writer.made)
			}
		}
		dt.awaitLog("stopped recording 'demos/x0.demo': the disk is too slow")
		dt.srv.Execute("record again")
		dt.awaitLog("Unable to record: the disk does not answer")
	})
}

// TestDemoChangesNothing checks that a demo changes neither the game nor what observers
// see.
func TestDemoChangesNothing(t *testing.T) {
	run := func(record bool) (seen []string) {
		dt := &demoTest{}
		dt.testServer = newTestServerWith(t, Config{Demos: &dt.folder, Observers: []Observer{ObserverFunc(func(tick *Tick) {
			for _, e := range tick.Events {
				seen = append(seen, fmt.Sprintf("%T", e))
			}
		})}})
		anna := dt.join(ip(1), "anna")
		if record {
			dt.srv.Execute("record")
		}
		for range 200 {
			dt.input(anna, msg7.PlayerInput{Direction: 1, TargetX: 100, TargetY: -100, Fire: 1, Jump: true})
			dt.play(1)
		}
		seen = append(seen, fmt.Sprint(*dt.srv.world.Frame()))
		dt.srv.Shutdown(dt.now, "")
		return seen
	}
	if d := cmp.Diff(run(false), run(true)); d != "" {
		t.Errorf("(-without a demo +with one)\n%s", d)
	}
}

// TestDemoAllocs checks that recording adds no allocation to a tick.
func TestDemoAllocs(t *testing.T) {
	dt := newDemoTest(t, "sv_scorelimit 0; sv_inactivekick_time 0")
	for i := range 16 {
		dt.join(ip(i+1), fmt.Sprint("p", i))
	}
	count := func() float64 {
		dt.play(60)
		return testing.AllocsPerRun(100, func() { dt.play(1) })
	}
	without := count()
	dt.srv.Execute("record")
	dt.awaitLog("Recording")
	if with := count(); with > without+1 { // the writer's goroutine has its own
		t.Errorf("%v allocations a tick, %v without a demo", with, without)
	}
	dt.srv.Shutdown(dt.now, "")
	if s := dt.read(testenv.Must(dt.folder.Names())[0]); s.tees != 16 {
		t.Errorf("%d tees", s.tees)
	}
}
