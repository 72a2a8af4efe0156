package app

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestDefaultsOfDDNet checks that --ddnet sets the defaults of DDNet-Server 16.4, except for
// settings that protect the server.
func TestDefaultsOfDDNet(t *testing.T) {
	c := testenv.Must(console.New(console.Config{}))
	settings := console.Settings{DDNet: true}
	testenv.NoError(t, settings.Register(c))
	for _, line := range ddnetServer.defaults(nil) {
		c.Execute(line, console.Operator)
	}
	for name, want := range map[string]string{
		"sv_register": "1", "sv_max_clients": "64", "sv_player_slots": "64", "sv_rcon_max_tries": "30", "sv_rcon_bantime": "5",
		"sv_inactivekick": "0", "sv_inactivekick_time": "0", "conn_timeout_protection": "1000", "sv_join_vote_delay": "300", "sv_vote_delay": "3",
		"sv_vote_majority": "0", "sv_vote_time": "25", "sv_vote_yes_percentage": "50", "sv_vote_veto_time": "20", "sv_vote_kick": "1",
		"sv_vote_kick_min": "0", "sv_vote_kick_bantime": "5", "sv_info_change_delay": "5", "sv_max_clients_per_ip": "4",
	} {
		testenv.Check(t, c.Value(name) == want, "%s is %s, not %s", name, c.Value(name), want)
	}
}
