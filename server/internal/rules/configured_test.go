package rules_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/rules"
)

// TestConfigured sets rules, and checks which rules a world gets.
func TestConfigured(t *testing.T) {
	changes := 0
	started := false
	r := rules.New(rules.Config{
		InForce: func() (game.Rules, bool) { return game.Rules{ScoreLimit: 5}, started },
		Changed: func(int32) { changes++ },
	})
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, r.Register(c))
	was := r.For("dm", false, true)
	testenv.Check(t, was.PureTuning && was.MapRotation && !r.For("Race", false, false).PureTuning, "%+v", was)
	testenv.Check(t, was.InactiveTime != 0 && r.For("ddrace", true, false).InactiveTime == 0, "players who rest in a race lose their seat")
	c.Execute("sv_scorelimit 7; sv_max_clients 3; sv_inactivekick_time 4", console.Operator)
	testenv.Check(t, changes == 3 && r.IsInactiveTimeSet(), "%d changes", changes)
	now := r.For("ddrace", true, false)
	testenv.Check(t, now.ScoreLimit == 7 && now.PlayerSlots == 3 && r.PlayerSlots == 3 && now.InactiveTime == 4, "%+v", now)
	testenv.Check(t, c.Value("sv_scorelimit") == "7", "before the start %s counts", c.Value("sv_scorelimit"))
	started = true
	testenv.Check(t, c.Value("sv_scorelimit") == "5" && c.Configured("sv_scorelimit") == "7", "%s counts", c.Value("sv_scorelimit"))
}
