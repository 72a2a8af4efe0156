package broadcast

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestDelay checks that a segment is readable once it is as old as the delay, and after at least a
// minute under rules that would let players profit from it.
func TestDelay(t *testing.T) {
	w := newWatchedServer(t)
	w.join("anna")
	seen := func(last, wait int) {
		t.Helper()
		if i := w.info("/live.json"); i.Last != last || i.Wait != wait {
			t.Errorf("%d is the last segment, with %d s to wait; want %d and %d", i.Last, i.Wait, last, wait)
		}
	}
	w.run(3940 * time.Millisecond)
	seen(-1, 8)
	w.run(9 * time.Second)
	seen(0, 1)
	w.Execute("sv_live_delay 0")
	seen(5, 1)
	w.Execute("sv_live_delay 20")
	seen(5, 21) // segments stay readable
	w.run(20 * time.Second)
	seen(5, 1)
	w.Execute("sv_live_delay 2; sv_tournament_mode 1")
	w.run(60 * time.Second)
	seen(15, 1)
	if i := w.info("/live.json"); i.Delay != 60 {
		t.Errorf("the delay is %d s", i.Delay)
	}
	w.Execute("sv_tournament_mode 0; sv_strict_spectate_mode 1")
	w.run(10 * time.Second)
	seen(20, 1)
	w.Execute("sv_strict_spectate_mode 0")
	w.run(2 * time.Second)
	if i := w.info("/live.json"); i.Last < 48 || i.Delay != 2 {
		t.Errorf("without such rules: %+v", i)
	}
}

// TestDelayIsForPeople checks that a match of bots is visible at once. From the first player on,
// all segments are delayed, also after the players left, and a later match is not shown before
// their end.
func TestDelayIsForPeople(t *testing.T) {
	w := newWatchedServer(t, "dbg_dummies 2")
	w.run(8 * time.Second)
	before := w.info("/live.json")
	if before.Last < 2 || before.Delay != 0 || before.Wait != 0 {
		t.Errorf("with bots: %+v", before)
	}
	anna := w.join("anna")
	joined := w.Now()
	w.run(5 * time.Second)
	i := w.info("/live.json")
	if i.Match != before.Match || i.Last > before.Last+1 || i.Delay != 10 || i.Wait < 5 || i.Wait > 8 {
		t.Errorf("when somebody has joined: %+v after %+v", i, before)
	}
	for _, file := range [][]byte{w.segments(i.Match, 0, i.Last), w.demo(i.Match)} {
		if s := read(t, file); s.names["anna"] || len(s.names) != 2 || strings.Contains(s.texts, "anna") {
			t.Errorf("what is seen has %v and %q", s.names, s.texts)
		}
	}
	anna.Close("bye")
	left := w.Now()
	w.run(2 * time.Second)
	w.Execute("restart")
	last := i.Last
	for w.Now() < left.Add(traceTicks*20*time.Millisecond+13*time.Second) {
		w.run(time.Second)
		j := w.info("/live.json")
		if j.Match != i.Match {
			break
		}
		if j.Last < last {
			t.Errorf("the end goes back from %d to %d", last, j.Last)
		}
		if last = j.Last; last > i.Last && w.Now() < joined.Add(10*time.Second) {
			t.Errorf("segment %d is seen after %v", last, w.Now().Sub(joined))
		}
	}
	ended := w.info("/b/" + i.Match + ".json")
	if ended.Live || ended.Last < 7 || w.Now() < left.Add(10*time.Second) {
		t.Errorf("%v after they have left: %+v", w.Now().Sub(left), ended)
	}
	next := w.info("/live.json")
	if next.Match == i.Match || next.Delay != 0 || next.Last < 3 || ended.Next != next.Match {
		t.Errorf("then: %+v", next)
	}
}

// TestPrelude checks that bots that join for viewers have played for some seconds already.
func TestPrelude(t *testing.T) {
	w := newWatchedServer(t, "sv_bots 3")
	w.run(5 * time.Second)
	w.info("/live.json")
	testenv.Eventually(t, "bots come", func() bool { // after exploring the map
		w.run(20 * time.Millisecond)
		return w.inGame == 3
	})
	came := w.info("/live.json").LastTick
	for w.Advance(w.Now()) == w.Now() {
		w.encoded()
	}
	w.encoded()
	if j := w.info("/live.json"); j.LastTick < came+12*50-segmentTicks {
		t.Errorf("%d ticks are there at once", j.LastTick-came)
	}
	last := w.info("/live.json").LastTick
	w.join("anna")
	w.run(time.Second)
	if j := w.info("/live.json"); j.LastTick > last+segmentTicks {
		t.Errorf("time runs away: %+v", j)
	}
}

// TestPassword checks that a match with a password is visible only to viewers in sv_http_broadcast.
func TestPassword(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.run(5 * time.Second)
	public := w.info("/live.json")
	w.Execute("password secret")
	w.run(5 * time.Second)
	i := w.info("/live.json")
	if i.Match != public.Match || i.Live || i.Next != "" || i.Reason != "the server has a password" {
		t.Errorf("with a password: %+v", i)
	}
	w.Execute("sv_http_broadcast 192.0.2.0/24")
	private := w.info("/live.json")
	if !private.Live || private.Match == public.Match || private.Previous != public.Match {
		t.Errorf("to those who are let in: %+v", private)
	}
	w.body("/b/" + private.Match + "/0.seg")
	w.Execute("sv_http_broadcast all")
	for _, path := range []string{".json", ".demo", "/head", "/0.seg"} {
		if a := w.get("/b/" + private.Match + path); a.Code != 404 {
			t.Errorf("%s: %d", path, a.Code)
		}
	}
	w.Execute("password \"\"")
	w.run(5 * time.Second)
	if i := w.info("/live.json"); !i.Live || i.Previous != public.Match || i.Reason != "" {
		t.Errorf("without it: %+v", i)
	}
	w.Execute("sv_broadcast 0")
	w.run(time.Second)
	if i := w.info("/live.json"); i.Live || !strings.Contains(i.Reason, "sv_broadcast") {
		t.Errorf("switched off: %+v", i)
	}
	w.Execute("sv_http_broadcast off")
	if a := w.get("/live.json"); a.Code != 403 {
		t.Errorf("without access: %d", a.Code)
	}
}

// TestUndelayed checks that operators see everything at once and that no cache stores it.
func TestUndelayed(t *testing.T) {
	w := newWatchedServer(t, "password secret; sv_live_delay 60")
	w.run(5 * time.Second)
	w.rooms = w.broadcast.Undelayed()
	i := w.info("/live.json")
	if !i.Live || i.Last != 1 || i.Delay != 0 {
		t.Errorf("%+v", i)
	}
	if a := w.get("/b/" + i.Match + "/1.seg"); a.Code != 200 || a.Header().Get("Cache-Control") != "no-store" ||
		a.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", a.Code, a.Header())
	}
}

// TestMatchesFollow checks that a new map and a restart begin a new match, and that viewers find
// it.
func TestMatchesFollow(t *testing.T) {
	w := newWatchedServer(t)
	w.join("anna")
	w.run(15 * time.Second)
	first := w.info("/live.json")
	w.Execute("restart")
	w.run(5 * time.Second)
	if i := w.info("/live.json"); i.Match != first.Match || !i.Live || i.Next != "" {
		t.Errorf("before its end is seen: %+v", i)
	}
	w.run(10 * time.Second)
	second := w.info("/live.json")
	first = w.info("/b/" + first.Match + ".json")
	if second.Previous != first.Match || first.Live || first.Next != second.Match || first.Map.Name != second.Map.Name {
		t.Errorf("after a restart: %+v and %+v", first, second)
	}
	w.Execute("sv_map yardrun")
	w.run(30 * time.Second)
	third := w.info("/live.json")
	second = w.info("/b/" + second.Match + ".json")
	if third.Previous != second.Match || second.Next != third.Match || third.Map.Name == second.Map.Name {
		t.Errorf("after a change of the map: %+v and %+v", second, third)
	}
	if got := w.body("/map/" + third.Map.SHA256); len(got) != third.Map.Size {
		t.Errorf("the map has %d bytes", len(got))
	}
	for _, i := range []Info{first, second, third} {
		if got, want := len(ticks(t, w.segments(i.Match, i.First, i.Last))), int(i.LastTick-i.FirstTick)/2+1; got != want {
			t.Errorf("%d snapshots, want %d", got, want)
		}
	}
}

// TestPrivacy checks that viewers see public chat and no other messages of players, operators or
// the server, and no player's health.
func TestPrivacy(t *testing.T) {
	w := newWatchedServer(t, "sv_rcon_password hunter; sv_live_delay 0; sv_gametype tdm")
	anna, bert := w.join("anna"), w.join("bert")
	anna.Say("to everybody")
	anna.Send(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("to the team")})
	anna.Send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 1, Message: []byte("to one")})
	anna.Login("hunter").Rcon("echo secret-echo").Rcon("status")
	bert.Login("a-wrong-guess")
	w.run(10 * time.Second)
	if len(anna.RconLines) == 0 {
		t.Error("nothing was said on the console")
	}
	i := w.info("/live.json")
	all := w.segments(i.Match, 0, i.Last)
	seen := read(t, all)
	if seen.tees == 0 || !seen.names["anna"] || !seen.names["bert"] {
		t.Errorf("%d tees of %v", seen.tees, seen.names)
	}
	if !strings.Contains(seen.texts, "to everybody") {
		t.Errorf("what was said to all is missing in %q", seen.texts)
	}
	all = append(all, w.demo(i.Match)...)
	for _, page := range []string{"/live.json", "/b/" + i.Match + ".json"} {
		all = append(all, w.body(page)...)
	}
	for _, secret := range []string{"to the team", "to one", "secret-echo", "hunter", "a-wrong-guess", "10.0.1."} {
		if strings.Contains(seen.texts, secret) || bytes.Contains(all, []byte(secret)) {
			t.Errorf("%q has left the server", secret)
		}
	}
}

// shown is the content of a demo.
type shown struct {
	texts string // messages
	tees  int
	names map[string]bool
}

// read reads a demo and checks that it contains no player's health.
func read(t *testing.T, file []byte) shown {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	var messages bridgetest.ServerMessages
	side := bridge7.NewDemoClientSide(&messages)
	s := shown{names: map[string]bool{}}
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		if isEnd(r, err) {
			return s
		}
		testenv.NoError(t, err)
		switch c.Kind {
		case demo.KindMessage:
			s.texts += string(c.Message)
		case demo.KindSnapshot, demo.KindDelta:
			v := side.ReceiveSnapshot(c.Tick, c.Snapshot)
			for k := range v.Characters {
				s.tees++
				if v.Characters[k].Health > 0 || v.Characters[k].Armor > 0 {
					t.Fatalf("tick %d shows health: %+v", c.Tick, v.Characters[k])
				}
			}
			for k := range v.Players {
				p, _ := side.Player(v.Players[k].ID)
				s.names[p.Profile.Name] = true
			}
		}
	}
}

// TestBotsForWatchers checks that bots play while viewers watch, and leave some time after them.
func TestBotsForWatchers(t *testing.T) {
	w := newWatchedServer(t, "sv_bots 3; sv_live_delay 0")
	w.run(5 * time.Second)
	if n := w.inGame; n != 0 {
		t.Errorf("%d play for nobody", n)
	}
	testenv.Eventually(t, "three play for one who watches", func() bool { // after exploring the map
		w.body("/b/" + w.info("/live.json").Match + "/0.seg")
		w.run(time.Second)
		return w.inGame == 3
	})
	w.run(90 * time.Second)
	if n := w.inGame; n != 0 {
		t.Errorf("%d play when nobody watches any more", n)
	}
}
