package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/internal/access"
)

// TestNames checks which names DDNet-Server 16.4 let in, and which not, with these commands in its
// configuration.
func TestNames(t *testing.T) {
	h := newTestHost(t, access.Config{})
	added := h.run(`name_ban admin 0; name_ban Troll 0 1 "no trolls"; name_ban "white space" 1; name_ban verylongname; ` +
		`name_ban dupe 2; name_ban dupe 0 0 again; name_ban x -1`)
	for name, want := range map[string]string{
		"admin": "banned", "аdmin": "banned", "whitespace": "banned", "white spac": "banned", "verylongnamexxxx": "banned",
		"xtrollx": "banned: no trolls", "TROLL": "banned: no trolls", "dupe": "banned: again",
		"Admin": "", "admin1": "", "a.dmin": "", "tr0ll": "", "verylong": "", "dupe1": "", "x": "",
	} {
		got := ""
		if b := h.Names.Find(name); b != nil {
			got = strings.TrimSuffix(strings.TrimPrefix(b.Message(), "Kicked (your name is "), ")")
		}
		testenv.Check(t, got == want, "%s: %q, want %q", name, got, want)
	}
	for _, line := range []string{
		"added name='verylongname' distance=4 is_substring=0 reason=''",
		"changed name='dupe' distance=0 is_substring=0 reason='again'",
	} {
		testenv.Check(t, strings.Contains(added, line), "the log lacks %s:\n%s", line, added)
	}
	log := h.run("name_ban abc 3; name_unban dupe; name_unban nosuch; name_bans")
	for _, line := range []string{"abc: a distance of 3 would ban all short names", "removed name='dupe'",
		"'nosuch' is not banned", "[name_ban]: name='Troll' distance=0 is_substring=1 reason='no trolls'"} {
		testenv.Check(t, strings.Contains(log, line), "the log lacks %s:\n%s", line, log)
	}
	testenv.Check(t, h.Names.Find("dupe") == nil && h.Names.Find("ab") == nil, "names are banned that are not")
}

// TestNamesAreBounded checks that a full list rejects new names, but changes names that are on it.
func TestNamesAreBounded(t *testing.T) {
	h := newTestHost(t, access.Config{})
	for i := range 1024 {
		h.run(fmt.Sprintf("name_ban name%d 0", i))
	}
	log := h.run("name_ban name1024 0")
	testenv.Check(t, strings.Contains(log, "there are already 1024 banned names") && h.Names.Find("name1024") == nil, "%s", log)
	h.run("name_ban name7 0 0 again")
	testenv.Check(t, h.Names.Find("name7").Message() == "Kicked (your name is banned: again)", "a ban of the full list cannot be changed")
}
