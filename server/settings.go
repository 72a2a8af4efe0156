package server

import (
	"fmt"

	"github.com/teeyard/teeyard/server/console"
)

// settings are the variables that belong to no room: the socket, texts for new players, and the end
// of DDRace maps. Switches are 0 or 1. The comments name the variables; "DDNet's" marks names that
// Teeworlds 0.7.5 lacks.
type settings struct {
	BindAddr string // bindaddr

	Port              int // sv_port
	TimeoutProtection int // conn_timeout_protection, DDNet's
	HighBandwidth     int // sv_high_bandwidth
	PreInput          int // sv_preinput, DDNet's
	MaxPreInputs      int // sv_max_preinputs_per_tick, DDNet's

	Motd                string     // sv_motd
	Welcome             string     // sv_welcome, DDNet's
	ClientSuggestion    string     // sv_client_suggestion, DDNet's
	ClientSuggestionOld string     // sv_client_suggestion_old, DDNet's
	ClientSuggestionBot string     // sv_client_suggestion_bot, DDNet's
	DDRaceRules         int        // sv_ddrace_rules, DDNet's
	ShutdownWhenEmpty   int        // sv_shutdown_when_empty, DDNet's
	ReloadWhenEmpty     int        // sv_reload_when_empty, DDNet's
	TermDrain           int        // sv_term_drain, in seconds
	IPv4Only            int        // sv_ipv4only, DDNet's
	TuneReset           int        // sv_tune_reset, DDNet's
	DDRaceTuneReset     int        // sv_ddrace_tune_reset, DDNet's
	RulesLines          [10]string // sv_rules_line1 to sv_rules_line10, DDNet's
}

// Register adds the variables to a console and sets them to their defaults.
func (s *settings) Register(c *console.Console) error {
	const sv, hidden = console.Server | console.Save, console.Server | console.Hidden
	for _, v := range []console.StringVar{
		{Name: "bindaddr", Help: "Address to bind the server to; used when the server starts", Flags: sv, Value: &s.BindAddr, Size: 128},
		{Name: "sv_motd", Help: "Message of the day, shown to players when they join", Flags: sv, Value: &s.Motd, Size: 900},
		{Name: "sv_welcome", Help: "Chat line that each player gets on joining", Flags: sv, Value: &s.Welcome, Size: 64},
		{Name: "sv_client_suggestion", Help: "Text that players see on joining without DDNet's client",
			Flags: sv, Value: &s.ClientSuggestion, Size: 128},
		{Name: "sv_client_suggestion_old", Help: "Text that players see on joining with a very old DDNet client",
			Flags: sv, Value: &s.ClientSuggestionOld, Size: 128},
		{Name: "sv_client_suggestion_bot", Help: "Text that players see on joining with a known bot client",
			Flags: sv, Value: &s.ClientSuggestionBot, Size: 128},
	} {
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for i := range s.RulesLines {
		v := console.StringVar{Name: fmt.Sprintf("sv_rules_line%d", i+1), Help: fmt.Sprintf("Line %d of the answer to /rules", i+1),
			Flags: sv, Value: &s.RulesLines[i], Size: 128}
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	for _, v := range []console.IntVar{
		{Name: "debug", Help: "From Teeworlds 0.7.5; has no effect", Flags: hidden, Value: new(int), Max: 1},
		{Name: "dbg_pref", Help: "From Teeworlds 0.7.5; has no effect", Flags: hidden, Value: new(int), Max: 1},
		{Name: "dbg_hitch", Help: "From Teeworlds 0.7.5; has no effect", Flags: hidden, Value: new(int)},
		{Name: "dbg_stress", Help: "From Teeworlds 0.7.5; has no effect", Flags: hidden, Value: new(int)},
		{Name: "dbg_stress_network", Help: "From Teeworlds 0.7.5; has no effect", Flags: hidden, Value: new(int)},
		{Name: "sv_port", Help: "Port of the server (0 to 65535, 0 = any free port); used when the server starts",
			Flags: sv, Value: &s.Port, Default: 8303},
		{Name: "conn_timeout_protection", Help: "Seconds to keep the seat of a DDNet or browser player who timed out (0 = none)",
			Flags: sv, Value: &s.TimeoutProtection, Default: 180, Max: 10000},
		{Name: "sv_high_bandwidth", Help: "Send a snapshot every tick; doubles the bandwidth", Flags: sv, Value: &s.HighBandwidth, Max: 1},
		{Name: "sv_preinput", Help: "Send inputs to nearby players before their ticks; DDNet 19.4 and later predict with them",
			Flags: sv, Value: &s.PreInput, Default: 1, Max: 1},
		{Name: "sv_max_preinputs_per_tick", Help: "Inputs of a player that are sent ahead in a tick (0 = all)",
			Flags: sv, Value: &s.MaxPreInputs, Default: 8, Max: 1000},
		{Name: "sv_shutdown_when_empty", Help: "Shut down when the last client has left", Flags: sv, Value: &s.ShutdownWhenEmpty, Max: 1},
		{Name: "sv_term_drain", Help: "Seconds that the match may go on after SIGTERM; new players are rejected (0 = end at once)",
			Flags: sv, Value: &s.TermDrain, Max: 86400},
		{Name: "sv_reload_when_empty", Help: "Reload the map when the last client has left (1 = once, 2 = each time)",
			Flags: sv, Value: &s.ReloadWhenEmpty, Max: 2},
		{Name: "sv_ipv4only", Help: "Listen on IPv4 only, if bindaddr is not set; used when the server starts", Flags: sv, Value: &s.IPv4Only, Max: 1},
		{Name: "sv_tune_reset", Help: "Reset the tuning at the end of each DDRace map", Flags: sv, Value: &s.TuneReset, Default: 1, Max: 1},
		{Name: "sv_ddrace_tune_reset", Help: "Reset sv_hit, sv_team and similar settings to the configuration with each DDRace map",
			Flags: sv, Value: &s.DDRaceTuneReset, Default: 1, Max: 1},
		{Name: "sv_ddrace_rules", Help: "Begin the answer to /rules with the rules of all DDRace servers",
			Flags: sv, Value: &s.DDRaceRules, Default: 1, Max: 1},
	} {
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}
