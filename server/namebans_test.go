package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestNameBanOf checks which names DDNet-Server 16.4 let in, and which not, with these commands in its configuration.
func TestNameBanOf(t *testing.T) {
	ts := newTestServer(t, nil, `name_ban admin 0; name_ban Troll 0 1 "no trolls"; name_ban "white space" 1; name_ban verylongname; name_ban dupe 2; name_ban dupe 0 0 again; name_ban x -1`)
	for name, want := range map[string]string{
		"admin": "banned", "аdmin": "banned", "whitespace": "banned", "white spac": "banned", "verylongnamexxxx": "banned",
		"xtrollx": "banned: no trolls", "TROLL": "banned: no trolls", "dupe": "banned: again",
		"Admin": "", "admin1": "", "a.dmin": "", "tr0ll": "", "verylong": "", "dupe1": "", "x": "",
	} {
		got := ""
		if b := ts.srv.nameBanOf(name); b != nil {
			got = strings.TrimSuffix(strings.TrimPrefix(b.text(), "Kicked (your name is "), ")")
		}
		testenv.Check(t, got == want, "%s: %q, want %q", name, got, want)
	}
	for _, line := range []string{
		"added name='verylongname' distance=4 is_substring=0 reason=''",
		"changed name='dupe' distance=0 is_substring=0 reason='again'",
	} {
		testenv.Check(t, strings.Contains(ts.log.String(), line), "the log lacks %s:\n%s", line, ts.log)
	}
	ts.srv.Execute("name_ban abc 3; name_unban dupe; name_unban nosuch; name_bans")
	log := ts.log.String()
	for _, line := range []string{"abc: a distance of 3 would ban all short names", "removed name='dupe'", "'nosuch' is not banned", "[name_ban]: name='Troll' distance=0 is_substring=1 reason='no trolls'"} {
		testenv.Check(t, strings.Contains(log, line), "the log lacks %s:\n%s", line, log)
	}
	testenv.Check(t, ts.srv.nameBanOf("dupe") == nil && ts.srv.nameBanOf("ab") == nil, "names are banned that are not")
}

// TestNameBans: who has a name that is banned does not get in.
func TestNameBans(t *testing.T) {
	ts := newTestServer(t, nil, "name_ban boss 0 0 ask first")
	c := ts.connect(ip(1)).Join("boss")
	ts.step(2)
	testenv.Check(t, c.Closed && c.Reason == "Kicked (your name is banned: ask first)", "boss: closed %v, %q", c.Closed, c.Reason)
	ts.join(ip(2), "boss 2")
}

// TestNameBansAreBounded checks that a full list takes no new name, but changes of those on it.
func TestNameBansAreBounded(t *testing.T) {
	ts := newTestServer(t, nil)
	for i := range maxNameBans + 1 {
		ts.srv.Execute(fmt.Sprintf("name_ban name%d 0", i))
	}
	ts.srv.Execute("name_ban name7 0 0 again")
	testenv.Check(t, len(ts.srv.nameBans) == maxNameBans && ts.srv.nameBanOf("name1024") == nil, "%d names are banned", len(ts.srv.nameBans))
	testenv.Check(t, strings.Contains(ts.log.String(), "there are already 1024 banned names"), "the operator is not told")
	testenv.Check(t, ts.srv.nameBanOf("name7").reason == "again", "a ban of the full list cannot be changed")
}
