package app

import (
	"testing"

	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestDefaultsOfDDNet checks that --ddnet sets the defaults of DDNet-Server 16.4, except for
// settings that protect the server.
func TestDefaultsOfDDNet(t *testing.T) {
	var c *console.Console
	servertest.New(t, server.Config{
		DDNet: true, Commands: ddnetServer.defaults(nil), Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
		AddToConsole: func(all *console.Console) error { c = all; return nil },
	})
	for name, want := range map[string]string{
		"sv_register": "1", "sv_max_clients": "64", "sv_player_slots": "64", "sv_rcon_max_tries": "30", "sv_rcon_bantime": "5",
		"sv_inactivekick": "0", "sv_inactivekick_time": "0", "conn_timeout_protection": "1000", "sv_join_vote_delay": "300", "sv_vote_delay": "3",
		"sv_vote_majority": "0", "sv_vote_time": "25", "sv_vote_yes_percentage": "50", "sv_vote_veto_time": "20", "sv_vote_kick": "1",
		"sv_vote_kick_min": "0", "sv_vote_kick_bantime": "5", "sv_info_change_delay": "5",
	} {
		testenv.Check(t, c.Value(name) == want, "%s is %s, not %s", name, c.Value(name), want)
	}
}
