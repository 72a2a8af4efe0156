package admin

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestSubjects checks the subjects of settings and their order.
func TestSubjects(t *testing.T) {
	for name, want := range map[string]string{
		"sv_map": "Maps", "sv_map_download_speed": "Maps", "sv_map_vote": "Votes", "sv_maprotation": "Maps",
		"sv_rcon_vote": "Votes", "sv_rcon_password": "Remote consoles", "sv_max_clients": "Server", "sv_max_clients_per_ip": "Limits for clients",
		"sv_replay_max_size": "Recordings", "sv_http_replays": "Web pages", "sv_hl_rcon": "Half-Life", "sv_plasma_range": otherSubject, "": otherSubject,
	} {
		got, known := Subject(name)
		testenv.Check(t, got == want && known == (want != otherSubject), "%s: %q, %v", name, got, known)
	}
	names := strings.Fields("zz sv_rules_line10 aa sv_rules_line2 sv_motd sv_hl sv_vote_kick sv_name sv_rules_line1 sv_scorelimit")
	slices.SortFunc(names, CompareSettings)
	want := "sv_name sv_motd sv_scorelimit sv_rules_line1 sv_rules_line2 sv_rules_line10 sv_vote_kick sv_hl aa zz"
	testenv.Check(t, strings.Join(names, " ") == want, "%q", names)
}

// TestSettingsBySubject checks that the API lists each subject in one piece.
func TestSettingsBySubject(t *testing.T) {
	seen := make(map[string]bool)
	last := ""
	for _, name := range strings.Split(newWorld(t).signedIn("10.9.9.9", "adminpw").expect("GET", "/settings", "", 200, ""), `"subject":"`)[1:] {
		name, _, _ = strings.Cut(name, `"`)
		testenv.Check(t, name == last || !seen[name], "%s again after %s", name, last)
		seen[name], last = true, name
	}
	testenv.Check(t, len(seen) >= 10, "%d subjects", len(seen))
}

// TestLongestTick checks that a sample has the longest tick of its second.
func TestLongestTick(t *testing.T) {
	var s state
	s.init(&Console{})
	s.longest = 63210 * time.Microsecond
	s.addSample(time.Unix(2, 0), time.Second)
	s.addSample(time.Unix(3, 0), time.Second)
	got := s.samples.samples
	testenv.Check(t, got[0].TickMax == 63.21 && got[1].TickMax == 0, "%+v", got)
}
