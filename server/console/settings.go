package console

import "fmt"

// Settings holds the variables of a server. Register adds them to a console, with help texts, and
// sets them to their defaults. Afterwards the owner of the console may read and change them.
// Switches are 0 or 1. The comments name the variables; "ours" and "DDNet's" mark names that
// Teeworlds 0.7.5 lacks.
type Settings struct {
	BindAddr string // bindaddr

	Port              int // sv_port
	TimeoutProtection int // conn_timeout_protection, DDNet's
	HighBandwidth     int // sv_high_bandwidth

	Motd                string     // sv_motd
	Welcome             string     // sv_welcome, DDNet's
	ClientSuggestion    string     // sv_client_suggestion, DDNet's
	ClientSuggestionOld string     // sv_client_suggestion_old, DDNet's
	ClientSuggestionBot string     // sv_client_suggestion_bot, DDNet's
	DDRaceRules         int        // sv_ddrace_rules, DDNet's
	ShutdownWhenEmpty   int        // sv_shutdown_when_empty, DDNet's
	ReloadWhenEmpty     int        // sv_reload_when_empty, DDNet's
	IPv4Only            int        // sv_ipv4only, DDNet's
	TuneReset           int        // sv_tune_reset, DDNet's
	DDRaceTuneReset     int        // sv_ddrace_tune_reset, DDNet's
	RulesLines          [10]string // sv_rules_line1 to sv_rules_line10, DDNet's
}

// Register adds the variables to a console and sets them to their defaults.
func (s *Settings) Register(c *Console) error {
	const sv = Server | Save
	for _, v := range []StringVar{
		{"bindaddr", "Address to bind the server to; used when the server starts", sv, &s.BindAddr, "", 128},
		{"sv_motd", "Message of the day, shown to players when they join", sv, &s.Motd, "", 900},
		{"sv_welcome", "Chat line that each player gets on joining", sv, &s.Welcome, "", 64},
		{"sv_client_suggestion", "Text that players see on joining without DDNet's client", sv, &s.ClientSuggestion, "", 128},
		{"sv_client_suggestion_old", "Text that players see on joining with a very old DDNet client", sv, &s.ClientSuggestionOld, "", 128},
		{"sv_client_suggestion_bot", "Text that players see on joining with a known bot client", sv, &s.ClientSuggestionBot, "", 128},
	} {
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for i := range s.RulesLines {
		v := StringVar{fmt.Sprintf("sv_rules_line%d", i+1), fmt.Sprintf("Line %d of the answer to /rules", i+1), sv, &s.RulesLines[i], "", 128}
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []IntVar{
		{"debug", "From Teeworlds 0.7.5; has no effect", Server | Hidden, new(int), 0, 0, 1},
		{"dbg_pref", "From Teeworlds 0.7.5; has no effect", Server | Hidden, new(int), 0, 0, 1},
		{"dbg_hitch", "From Teeworlds 0.7.5; has no effect", Server | Hidden, new(int), 0, 0, 0},
		{"dbg_stress", "From Teeworlds 0.7.5; has no effect", Server | Hidden, new(int), 0, 0, 0},
		{"dbg_stress_network", "From Teeworlds 0.7.5; has no effect", Server | Hidden, new(int), 0, 0, 0},
		{"sv_port", "Port of the server (0 to 65535, 0 = any free port); used when the server starts", sv, &s.Port, 8303, 0, 0},
		{"conn_timeout_protection", "Seconds to keep the seat of a DDNet player who timed out (0 = none)", sv, &s.TimeoutProtection, 180, 0, 10000},
		{"sv_high_bandwidth", "Send a snapshot every tick; doubles the bandwidth", sv, &s.HighBandwidth, 0, 0, 1},
		{"sv_shutdown_when_empty", "Shut down when the last client has left", sv, &s.ShutdownWhenEmpty, 0, 0, 1},
		{"sv_reload_when_empty", "Reload the map when the last client has left (1 = once, 2 = each time)", sv, &s.ReloadWhenEmpty, 0, 0, 2},
		{"sv_ipv4only", "Listen on IPv4 only, if bindaddr is not set; used when the server starts", sv, &s.IPv4Only, 0, 0, 1},
		{"sv_tune_reset", "Reset the tuning at the end of each DDRace map", sv, &s.TuneReset, 1, 0, 1},
		{"sv_ddrace_tune_reset", "Reset sv_hit, sv_team and similar settings to the configuration with each DDRace map", sv, &s.DDRaceTuneReset, 1, 0, 1},
		{"sv_ddrace_rules", "Begin the answer to /rules with the rules of all DDRace servers", sv, &s.DDRaceRules, 1, 0, 1},
	} {
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}
