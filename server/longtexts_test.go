package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/vote"
)

// TestLongTextsAreAnswered gives the console texts that are one byte too long for what takes them.
// It says so each time, whether it cuts them or leaves them out, and says nothing of the longest.
func TestLongTextsAreAnswered(t *testing.T) {
	ts := newTestServer(t, nil, "sv_register 0; sv_max_clients_per_ip 64")
	for i := range 3 {
		ts.Enter(ip(i+1), fmt.Sprint("player", i))
	}
	for i := range 1022 {
		ts.Execute(fmt.Sprintf("name_ban someone%d 0", i))
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		line string // %s is the text
		most int
		want string
	}{
		{"ban 10.9.9.9 5 %s", 63, "the reason has 64 bytes and was cut to 63"},
		{"ban_range 10.9.9.1 10.9.9.9 5 %s", 63, "was cut to 63"},
		{"muteid 1 60 %s", 63, "was cut to 63"},
		{"muteip 10.9.9.9 60 %s", 63, "was cut to 63"},
		{"name_ban %s 1", 64, "the name has 65 bytes and was cut to 64"},
		{"name_ban longreason 1 0 %s", 63, "was cut to 63"},
		{`add_vote "%s" "say x"`, 63, "it has 64 bytes; at most 63 are allowed"},
		{`add_vote "long" "say %s"`, 511 - 4, "it has 512 bytes; at most 511 are allowed"},
		{"force_vote spectate 2 %s", 15, "was cut to 15"},
		{"auth_add alice mod %s", 32, "the password has 33 bytes; clients send at most 32"},
		{"auth_add %s mod pw", 32, "the name has 33 bytes; clients send at most 32"},
		{"auth_add z%s mod pw", 62, "1 to 63 bytes"},
		{"say %s", bridge.MaxText, "the text has 1001 bytes and was cut to 1000"},
		{"broadcast %s", bridge.MaxText, "was cut to 1000"},
		{"say %s", console.MaxCommand - 4, "the command has 2048 bytes; at most 2047 are allowed"},
		{"say x;%s", console.MaxLine - 6, "Line of 32769 bytes is too long; at most 32768 are allowed."},
		{"kick 2 %s", server.MaxKickReason, "the reason has 119 bytes and was cut to 118"},
	} {
		for _, n := range []int{test.most, test.most + 1} {
			if len(clients(ts, server.ClientInGame)) < 3 {
				ts.Step(5)
				ts.Enter(ip(3), "again")
			}
			ts.Execute("auth_remove alice; remove_vote long")
			ts.Log.Reset()
			ts.Execute(fmt.Sprintf(test.line, x(n)))
			if n > test.most != strings.Contains(ts.Log.String(), test.want) {
				t.Errorf("%.30s with %d bytes: %.300s", test.line, n, ts.Log.String())
			}
			ts.Step(1)
		}
	}

	// Lists that are full.
	for i := range access.MaxMutes + 1 {
		ts.Log.Reset()
		ts.Execute(fmt.Sprintf("muteip 10.8.%d.%d %d", i/256, i%256, 1000+i))
	}
	if want := "there are already 256 mutes: the new one replaces the one that ends first"; !strings.Contains(ts.Log.String(), want) {
		t.Errorf("one mute too many: %s", ts.Log.String())
	}
	ts.Log.Reset()
	if ts.Execute("name_ban another 0"); !strings.Contains(ts.Log.String(), "there are already 1024 banned names") {
		t.Errorf("one name too many: %s", ts.Log.String())
	}
	for i := range vote.MaxOptions {
		ts.Execute(fmt.Sprintf("add_vote o%d say x", i))
	}
	ts.Log.Reset()
	if ts.Execute(`add_vote "another" "say x"`); !strings.Contains(ts.Log.String(), "maximum number of vote options reached") {
		t.Errorf("one vote too many: %s", ts.Log.String())
	}
	for i := range 1024 {
		ts.Execute(fmt.Sprintf("auth_add x%d mod pw", i))
	}
	ts.Log.Reset()
	if ts.Execute("auth_add another mod pw"); !strings.Contains(ts.Log.String(), "there are already 1024 logins") {
		t.Errorf("one login too many: %s", ts.Log.String())
	}
}

// TestLongValuesAreAnswered sets each variable that is a text to one that is too long.
func TestLongValuesAreAnswered(t *testing.T) {
	ts := newTestServer(t, nil)
	n := 0
	for e, ok := ts.Language().Next("", console.Operator); ok; e, ok = ts.Language().Next(e.Name, console.Operator) {
		var most int
		allowed, _ := ts.Language().Values(e.Name)
		if got, _ := fmt.Sscanf(allowed, "text of at most %d bytes", &most); got != 1 {
			continue
		}
		n++
		ts.Log.Reset()
		ts.Execute(e.Name + " " + strings.Repeat("x", most+1))
		if want := fmt.Sprintf("%s: cut to %d bytes", e.Name, most); !strings.Contains(ts.Log.String(), want) &&
			!strings.Contains(ts.Log.String(), e.Name+": ") {
			t.Errorf("%s of %d bytes: %s", e.Name, most+1, ts.Log.String())
		}
	}
	if n < 20 {
		t.Errorf("%d variables are texts", n)
	}
}

// TestLongTextsArrive checks that clients of all versions get the longest texts.
func TestLongTextsArrive(t *testing.T) {
	ts := newTestServer(t, nil)
	old, modern := ts.EnterAs(client06DDNet, ip(1), "old"), ts.Enter(ip(2), "modern")
	admin := ts.Enter(ip(3), "admin").Login("adminpw")
	ts.Idle(10, old, modern, admin)
	old.Chat, modern.Chat = nil, nil
	text := strings.Repeat("\u0436", bridge.MaxText/2)
	admin.Rcon("say " + text)
	ts.Execute("say " + text + text) // as from a file
	ts.Idle(10, old, modern, admin)
	for name, got := range map[string][]string{"0.6": old.Chat, "0.7": modern.Chat} {
		if len(got) != 2 || got[0] != text || got[1] != text {
			t.Errorf("%s: %d lines: %.60q", name, len(got), got)
		}
	}
}

// TestTooManyMaps checks that the log says once that the list of maps is not complete.
func TestTooManyMaps(t *testing.T) {
	files := fstest.MapFS{}
	for i := range server.MaxListedMaps + 1 {
		files[fmt.Sprintf("maps/m%d.map", i)] = &fstest.MapFile{}
	}
	ts := newTestServer(t, files)
	ts.Step(2)
	for range 2 {
		ts.Execute("add_map_votes")
		ts.Step(2)
	}
	if n := strings.Count(ts.Log.String(), "the folder maps has more than 4096 maps"); n != 1 {
		t.Errorf("it is said %d times", n)
	}
}
