package server

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
)

// withoutEffect are variables that existing configurations set but that do nothing here.
// Setting one to something else than 0 prints that.
var withoutEffect = []string{
	"debug", "dbg_pref", "dbg_hitch", "dbg_stress", "dbg_stress_network",
}

// usedAtStart are variables that are read when the server starts, and not again.
var usedAtStart = []string{"sv_port", "sv_storage", "sv_ranks", "bindaddr", "sv_ipv4only"}

// addHooks makes variables take effect when they are set.
func (s *Server) addHooks() error {
	if err := s.console.UsedAtStart(usedAtStart...); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	whenStarted := func(f func(*console.Call)) func(*console.Call) {
		return func(call *console.Call) {
			if s.started {
				f(call)
			}
		}
	}
	for _, hook := range []struct {
		run       func(*console.Call)
		variables []string
	}{
		{func(call *console.Call) {
			if call.Int(0) != 0 {
				call.Print("server", "%s is accepted but has no effect", call.Name)
			}
		}, withoutEffect},
		{func(*console.Call) {
			s.chat.List("rules", slices.ContainsFunc(s.settings.RulesLines[:], func(line string) bool { return line != "" }))
		}, rulesLines()},
		{func(*console.Call) { s.chat.List("ready", s.rules.ReadyMode) }, []string{"sv_player_ready_mode"}},
		{s.access.Logins.PasswordsChanged, []string{"sv_rcon_password", "sv_rcon_mod_password", "sv_rcon_helper_password"}},
		{whenStarted(func(*console.Call) { s.queueRules(0) }), []string{"sv_maprotation"}},
		{whenStarted(func(*console.Call) { s.sendServerInfo() }), []string{"sv_name", "password", "sv_max_clients"}},
		{whenStarted(func(*console.Call) {
			if motd := safetext.Lines(s.settings.Motd); motd != "" {
				s.observe(event.NewMotd(motd))
			}
			s.sendMotd()
		}), []string{"sv_motd"}},
	} {
		for _, name := range hook.variables {
			if err := s.console.After(name, hook.run); err != nil {
				return fmt.Errorf("server: %w", err)
			}
		}
	}
	return nil
}

// sendMotd shows the message of the day again.
func (s *Server) sendMotd() {
	s.forEachInGame(func(c *session) { c.bridge.SendMotd(s.settings.Motd) })
	s.record.Each(func(to *recorder.Recorder, _ bool) { to.SendMotd(s.settings.Motd) })
}

// sendServerInfo sends all clients the description of the server.
func (s *Server) sendServerInfo() {
	info := s.listing.ServerInfo()
	s.observe(info.Event())
	for _, c := range s.sessions {
		if c != nil && c.state > stateAuth {
			c.bridge.SendServerInfo(&info)
		}
	}
}

// rulesLines returns the names of the variables with the rules of the server.
func rulesLines() (names []string) {
	for i := range len(settings{}.RulesLines) {
		names = append(names, fmt.Sprintf("sv_rules_line%d", i+1))
	}
	return names
}
