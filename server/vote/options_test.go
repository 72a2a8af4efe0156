package vote_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/vote"
)

// TestOptions checks which options there can be, and that clients get the changes.
func TestOptions(t *testing.T) {
	s := vanilla(t, 1)
	c := s.clients[0]
	testenv.Check(t, slices.Equal(c.options, []string{"fun"}), "the options are %q", c.options)
	for line, added := range map[string]bool{
		`add_vote "  spaces" say a`: true, `add_vote FUN say again`: false, `add_vote bad nonsense`: false, `add_vote bad "say a; nonsense"`: false,
		`add_vote bad "kick"`: false, `add_vote bad ""`: false, `add_vote "" say a`: false, `add_vote "   " say a`: true, // an empty line
		`add_vote ` + strings.Repeat("x", 64) + ` say a`: false, `add_vote ` + strings.Repeat("y", 63) + ` say a`: true,
		`add_vote long say ` + strings.Repeat("x", 508): false, `add_vote parts "say a; say b"`: true,
	} {
		before := len(c.options)
		s.run(line)
		testenv.Check(t, len(c.options) > before == added, "%s: added is %v", line, !added)
	}
	testenv.Check(t, slices.Contains(c.options, "spaces") && s.votes.HasOption("   "), "the options are %q", c.options)
	s.run("remove_vote PARTS; remove_vote nothing")
	testenv.Check(t, !slices.Contains(c.options, "parts") && len(c.options) == 4, "the options are %q", c.options)
	s.run("clear_votes")
	testenv.Check(t, len(c.options) == 0 && len(s.votes.Options()) == 0, "the options are %q", c.options)
}

// TestManyOptions checks that newcomers get long lists bit by bit, and that a list is bounded.
func TestManyOptions(t *testing.T) {
	s := vanilla(t, 1)
	s.run("clear_votes")
	const many = 1000 // DDNet's servers have some 800
	for i := range many {
		s.run(fmt.Sprintf("add_vote option%d say %d", i, i))
	}
	c := s.clients[s.join(2, true)]
	testenv.Check(t, len(c.options) > 128 && len(c.options) < many, "a newcomer gets %d options at once", len(c.options))
	s.run("remove_vote option3; remove_vote option990; add_vote more say x")
	s.wait(2e9)
	for _, c := range []*client{s.clients[0], c} {
		o := c.options
		testenv.Check(t, len(o) == many-1 && o[3] == "option4" && o[many-2] == "more" && o[many-3] == "option999", "a player sees %d options", len(o))
	}
	for i := len(s.votes.Options()); i < vote.MaxOptions; i++ {
		s.run(fmt.Sprintf("add_vote o%d say x", i))
	}
	s.printed = nil
	s.run("add_vote toomuch say x")
	testenv.Check(t, slices.Equal(s.printed, []string{"maximum number of vote options reached"}), "printed %q", s.printed)
}

// TestSameOptions checks which texts are the same option.
func TestSameOptions(t *testing.T) {
	s := vanilla(t, 0)
	s.run(`add_vote "Größe ſk" say x`)
	for text, same := range map[string]bool{"größe SK": true, "GRÖßE s\u212a": true, "GRÖSSE SK": false, "Größe s": false} {
		testenv.Check(t, s.votes.HasOption(text) == same, "%q is the same: %v", text, !same)
	}
}

// TestMapOption checks which option /map chooses.
func TestMapOption(t *testing.T) {
	s := vanilla(t, 0)
	for _, name := range []string{"Adrenaline 3", "Adrenaline 33", "Out of Castle", "adr", "Kobra"} {
		s.run(fmt.Sprintf(`add_vote "Map: %s" "sv_vote_time 9; change_map \"%s\""`, name, name))
	}
	s.run("add_vote same change_map adr; add_vote none say adr4")
	for wanted, want := range map[string]string{
		"adr3": "Map: Adrenaline 3", "ADR": "Map: adr", "%castle": "Map: Out of Castle", "k": "Map: Kobra", "adrenaline 3": "Map: Adrenaline 3",
	} {
		option, answer := s.votes.MapOption(wanted)
		testenv.Check(t, option == want && answer == "", "%q: %q, %q", wanted, option, answer)
	}
	for _, wanted := range []string{"castle", "adr4", ""} {
		option, answer := s.votes.MapOption(wanted)
		testenv.Check(t, option == "" && answer != "", "%q: %q, %q", wanted, option, answer)
	}
	s.run("sv_map_vote 0")
	_, answer := s.votes.MapOption("adr3")
	testenv.Check(t, answer == "/map is disabled", "%q", answer)
	maps := s.votes.Maps()
	testenv.Check(t, slices.Equal(maps, []string{"Adrenaline 3", "Adrenaline 33", "Out of Castle", "adr", "Kobra"}), "maps %q", maps)
}
