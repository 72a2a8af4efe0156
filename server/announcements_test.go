package server_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/vote"
)

// TestWelcome checks the welcome of new players, and the answer to /rules.
func TestWelcome(t *testing.T) {
	eachKind := map[string]string{`sv_welcome "Hello there"`: "Hello there", "": ""}
	for line, want := range eachKind {
		ct := newChatTest(t, player07, line)
		if got := strings.Join(ct.b.chat[-1], "|"); got != want {
			t.Errorf("%s: told %q", line, got)
		}
		for set, want := range map[string][]string{
			"sv_ddrace_rules 0": {"No Rules Defined, Kill em all!!"},
			"sv_ddrace_rules 1": {"Be nice."},
			`sv_ddrace_rules 0; sv_rules_line2 "no blocking"; sv_rules_line10 last`: {"no blocking", "last"},
		} {
			ct.Execute(set)
			if own, others := ct.write("/rules", false); !slices.Equal(own, want) || len(others) != 0 {
				t.Errorf("%s: %q, and others %q", set, own, others)
			}
			ct.Execute(`sv_rules_line2 ""; sv_rules_line10 ""`)
		}
	}
}

// TestAnnouncements checks that players read announcements in the chat.
func TestAnnouncements(t *testing.T) {
	files := fstest.MapFS{"announcement.txt": {Data: []byte("one\ntwo\n")}}
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Files: files},
		"sv_announcement_interval 1; sv_announcement_random 0; sv_inactivekick_time 0")
	tn.Wait(3 * time.Minute) // without a player
	p := tn.join(1, "a")
	clear(p.chat)
	tn.Wait(3 * time.Minute)
	if got := p.chat[-1]; !slices.Equal(got, []string{"one", "two", "one"}) && !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("said %q", got)
	}
}

// TestAddMapVotes checks that there is an option for each map, at the start in the order of the
// configuration, and later for maps that are new.
func TestAddMapVotes(t *testing.T) {
	files := fstest.MapFS{"maps/a b.map": {}, "maps/sub/c.map": {}}
	options := func(vs []vote.Option) (list []string) {
		for _, o := range vs {
			if !strings.Contains(o.Text, "yard") && !strings.Contains(o.Text, "testbox") {
				list = append(list, o.Text+" = "+o.Command)
			}
		}
		return list
	}
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Files: files}, "add_vote x say x; add_map_votes; add_vote y say y")
	want := []string{"x = say x", `Map: a b = change_map "a b"`, `Map: sub/c = change_map "sub/c"`, "y = say y"}
	if got := options(tn.Votes().Options); !slices.Equal(got, want) {
		t.Errorf("the options are %q", got)
	}
	asDDNet := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, server.Config{Files: files, DDNet: true}, "add_map_votes")
	testenv.Check(t, len(asDDNet.Votes().Options) == 2, "as DDNet-Server there are the options %q", asDDNet.Votes().Options)
	tn.Wait(time.Second)
	files["maps/d.map"] = &fstest.MapFile{}
	tn.Execute("add_map_votes")
	tn.Wait(time.Second)
	if got := options(tn.Votes().Options); !slices.Equal(got, append(want, `Map: d = change_map "d"`)) {
		t.Errorf("the options are %q", got)
	}
}
