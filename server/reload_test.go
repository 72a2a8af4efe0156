package server_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
)

// TestReload reads a partly changed configuration again, while a client plays.
func TestReload(t *testing.T) {
	box, _ := maps.Find("testbox")
	config := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"maps/box.map": {Data: box.Data},
		"autoexec.cfg": config("sv_name first; sv_motd hello\nsv_map teeyard1\nsv_port 8310\nexec more.cfg\nadd_vote \"a\" restart\nsay good morning\n"),
		"more.cfg":     config("sv_scorelimit 7\n"),
	}
	commands := []string{"-f", "autoexec.cfg", "sv_warmup 3; restart; ban 1.2.3.4"}
	ts := newTestServerWith(t, server.Config{Files: files}, commands...)
	a := ts.Enter(ip(1), "a")
	ts.Execute("sv_map box; sv_scorelimit 3; unban_all")
	ts.Idle(5, a)
	reload := func() string {
		t.Helper()
		ts.Log.Reset()
		server.ReloadNow(ts.Server, console.ReadConfiguration(files, commands))
		ts.Idle(5, a)
		if a.Closed {
			t.Fatalf("a player is dropped: %s", a.Reason)
		}
		return ts.Log.String()
	}

	// Nothing has changed but for what an operator did meanwhile.
	if got, want := reload(), "[console]: executing 'autoexec.cfg'\n[console]: executing 'more.cfg'\n"+
		"[server]: the configuration was read again\n"; got != want {
		t.Errorf("prints\n%s", got)
	}
	settings := func() (all []string) {
		for _, name := range []string{"sv_name", "sv_warmup", "sv_map", "sv_scorelimit", "sv_motd"} {
			all = append(all, value(ts, name))
		}
		return all
	}
	if v := settings(); v[2] != "box" || v[3] != "7" || len(ts.Bans()) != 0 || len(ts.Votes().Options) != 1 {
		t.Errorf("settings %q, bans %v, votes %v", v, ts.Bans(), ts.Votes().Options)
	}

	// Arguments still win over the file, and what takes effect later says so.
	files["autoexec.cfg"] = config("sv_name second\nsv_warmup 9; sv_port 8311\n" +
		"add_vote \"a\" \"sv_scorelimit 5\"; add_vote b restart\ntune_reset\nsv_bots many\nkick 0\nshutdown\n")
	got := reload()
	if v := settings(); !slices.Equal(v, []string{"second", "3", "box", "7", "hello"}) || ended(ts) {
		t.Errorf("settings %q", v)
	}
	if o := ts.Votes().Options; len(o) != 2 || o[0].Command != "sv_scorelimit 5" {
		t.Errorf("votes %v", o)
	}
	for _, want := range []string{"sv_port takes effect when the server restarts", "autoexec.cfg:5: sv_bots: 'many' is not a number"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, got)
		}
	}

	// Another map is played; a file that is gone changes nothing.
	files["autoexec.cfg"] = config("sv_map testbox\n")
	if reload(); ts.Map().Name != "testbox" {
		t.Errorf("%s is played", ts.Map().Name)
	}
	files["autoexec.cfg"] = config("sv_map nowhere\n")
	if got := reload(); strings.Count(got, "failed to load map") != 1 {
		t.Errorf("a map that is not there prints\n%s", got)
	}
	delete(files, "autoexec.cfg")
	if got := reload(); strings.Contains(got, "was read again") || !strings.Contains(got,
		"[server]: the configuration was read only in part: failed to open 'autoexec.cfg'") || value(ts, "sv_name") != "second" {
		t.Errorf("%s, prints\n%s", value(ts, "sv_name"), got)
	}
}
