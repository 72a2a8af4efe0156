package server_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
)

// TestMissingGameType: a game type that does not exist is said last at the start, at once to an
// operator who sets one, once for each, and in status while it lasts.
func TestMissingGameType(t *testing.T) {
	const there = "(game types: dm, tdm, ctf, lms, lts, "
	ts := newTestServer(t, nil, "sv_gametype ctff; sv_map testbox")
	lines := strings.Split(strings.TrimSpace(ts.Log.String()), "\n")
	if n := strings.Count(ts.Log.String(), "ctff"); n != 1 ||
		!strings.Contains(lines[len(lines)-2], "[server]: sv_gametype 'ctff' does not exist: dm is played instead "+there) {
		t.Errorf("%d times, at the end of\n%s", n, ts.Log.String())
	}
	if p := ts.Problems(); len(p) != 1 || !strings.HasPrefix(p[0], "sv_gametype 'ctff' does not exist") || ts.World().ModeName() != "DM" {
		t.Errorf("problems %q", p)
	}
	p := ts.Enter(local(1), "boss")
	p.Login("adminpw")
	ts.Idle(20, p)
	run := func(line string, want ...string) {
		t.Helper()
		p.RconLines = nil
		p.Rcon(line)
		ts.Idle(20, p)
		var got []string
		for _, l := range p.RconLines {
			if _, text, ok := strings.Cut(l, "][server]: "); ok && !strings.HasPrefix(text, "id=0 ") {
				got = append(got, text)
			}
		}
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	run("status", "sv_gametype 'ctff' does not exist: dm is played instead "+there)
	run("sv_gametype ctff; reload")
	run("sv_gametype tdmm", "sv_gametype 'tdmm' does not exist: the next map will play dm "+there)
	run("sv_gametype tdmm; reload")
	run("status", "sv_gametype 'tdmm' does not exist: dm is played instead")
	run("sv_gametype tdm", "sv_gametype takes effect with the next map, or after reload")
	run("reload")
	run("status")
	if p := ts.Problems(); len(p) != 0 || ts.World().ModeName() != "TDM" {
		t.Errorf("problems %q of %s", p, ts.World().ModeName())
	}
	run("sv_gametype mod; reload", "sv_gametype takes effect with the next map, or after reload")
	run("tune gravity 1")
	ts.Step(1)
	if got, g := ts.World().ModeName(), ts.World().Tuning()[physics.TuneParamIndex("gravity")]; got != "MOD" || g != 100 || len(ts.Problems()) != 0 {
		t.Errorf("%s, gravity %d", got, g)
	}
}

// TestMissingMapsOfVotes checks that the start warns about options for maps that do not exist, with
// the file and line, and about no others.
func TestMissingMapsOfVotes(t *testing.T) {
	files := fstest.MapFS{"autoexec.cfg": {Data: []byte(`add_vote a "change_map nosuch"
add_vote b "change_map teeyard1"
add_vote c sv_map "no such"
add_vote d "sv_map testbox; restart"
add_vote e "change_map"
add_vote f "sv_scorelimit 3"
`)}}
	ts := newTestServerWith(t, server.Config{Files: files}, "-f", "autoexec.cfg")
	for _, want := range []string{
		"autoexec.cfg:1: option 'a': map 'nosuch' is missing, and the vote will fail: copy it to maps/nosuch.map in the server's folder\n",
		"autoexec.cfg:3: option 'c': map 'no such' is missing",
	} {
		if !strings.Contains(ts.Log.String(), want) {
			t.Errorf("%q is not in\n%s", want, ts.Log.String())
		}
	}
	if n := strings.Count(ts.Log.String(), "is missing"); n != 2 {
		t.Errorf("%d maps are missing in\n%s", n, ts.Log.String())
	}
}

// TestMissingMapsOfRotation: a map of sv_maprotation that is not there is said at once with its
// place, last at the start, and in status until it is there. The disk is not asked again before
// it has answered.
func TestMissingMapsOfRotation(t *testing.T) {
	box, _ := maps.Find("testbox")
	files := fstest.MapFS{"autoexec.cfg": {Data: []byte("sv_name x\nsv_maprotation teeyard1 dm1 testbox dm1\n")}}
	ts := newTestServerWith(t, server.Config{Files: files}, "-f", "autoexec.cfg")
	const problem = "sv_maprotation: map 'dm1' is missing, so the game stays on the map before it: copy it to maps/dm1.map in the server's folder, or remove it"
	lines := strings.Split(strings.TrimSpace(ts.Log.String()), "\n")
	if n := strings.Count(ts.Log.String(), problem); n != 2 ||
		!strings.Contains(ts.Log.String(), "[server]: autoexec.cfg:2: "+problem) || lines[len(lines)-2] != "[server]: "+problem {
		t.Errorf("%d times in\n%s", n, ts.Log.String())
	}
	if p := ts.Problems(); len(p) != 1 || p[0] != problem {
		t.Errorf("problems %q", p)
	}
	ts.Log.Reset()
	if ts.Execute("status"); ts.Log.String() != "[server]: "+problem+"\n" {
		t.Errorf("status says %q", ts.Log.String())
	}
	files["maps/dm1.map"] = &fstest.MapFile{Data: box.Data}
	ts.Idle(50 * 35)
	if p := ts.Problems(); len(p) != 0 {
		t.Errorf("when it is there: %q", p)
	}
	delete(files, "maps/dm1.map")
	ts.Execute("sv_maprotation dm1")
	files["maps/dm1.map"] = &fstest.MapFile{Data: box.Data}
	if len(ts.Problems()) != 1 {
		t.Error("no problem without it")
	}
	server.ReloadNow(ts.Server, console.ReadConfiguration(nil, nil))
	if ts.Step(1); len(ts.Problems()) != 0 {
		t.Errorf("after a reload: %q", ts.Problems())
	}
	ts.Log.Reset()
	if ts.Execute("sv_maprotation a ../b teeyard1"); !strings.Contains(ts.Log.String(), "sv_maprotation: maps 'a', '../b' are missing") {
		t.Errorf("who sets it is told %q", ts.Log.String())
	}
	ts.Idle(50 * 100)
	if n := strings.Count(ts.Log.String(), "sv_maprotation: maps 'a', '../b' are missing"); n != 1 || len(ts.Problems()) != 1 {
		t.Errorf("%d times in\n%s, %q", n, ts.Log.String(), ts.Problems())
	}
	disk, checks := make(chan struct{}), 0
	ts.Background = func(f func()) {
		checks++
		go func() { <-disk; f() }()
	}
	for range 20 {
		ts.Execute("sv_maprotation a")
		ts.Idle(50 * 10)
	}
	if checks != 1 {
		t.Errorf("%d checks wait for the disk", checks)
	}
	ts.Execute("sv_maprotation dm1")
	close(disk)
	for len(ts.Problems()) != 0 {
		ts.Idle(1)
		runtime.Gosched()
	}
}
