package server

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// newConsole creates the console with all variables and commands.
func (s *Server) newConsole() error {
	c, err := console.New(console.Config{Output: s.printFor, ReadFile: s.readConfig, WriteFile: s.files.Write,
		AccessChanged: s.sendAccessChange, KeepUnknown: true})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	s.console, s.lines.console = c, c
	type room interface{ Register(*console.Console) error }
	for _, r := range []room{&s.settings, s.logs, s.announcements, s.mods, s.storage, s.record, s.resume.keeper,
		s.access, s.votes, s.listing, s.bots, s.rules, s.maps} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	if err := s.chat.Limits.Register(c, s.cfg.DDNet); err != nil {
		return err
	}
	r := commands{s}
	const open, stored, hidden = console.Server, console.Server | console.Store, console.Server | console.Hidden
	for _, cmd := range slices.Concat([]console.Command{
		// Commands that operators of DDNet know.
		{Name: "pause_game", Help: "Pause/unpause game", Flags: hidden, Run: r.pause},
		{Name: "dump_antibot", Help: "Print that this server has no antibot module", Flags: hidden, Run: func(call *console.Call) {
			call.Print("antibot", "antibot support not compiled in") // as DDNet-Server without its module
		}},
	}, s.ddraceCommands(), []console.Command{
		{Name: "help", Params: "?s[command]", Help: "List the commands, explain one, or list the settings that begin with a word",
			Flags: open | console.Basic, Run: c.Help},
		{Name: "status", Help: "List players", Flags: stored, Run: r.status},
		{Name: "shutdown", Params: "?r[reason]", Help: "Shut down", Flags: open, Run: r.shutDown},
		{Name: "drain", Params: "?s[port|'off']",
			Help:  "Reject new clients and end after the match; a port sends DDNet's clients to another server on this machine",
			Flags: stored, Run: r.drainServer},
		{Name: "show_ips", Params: "?i[show]", Help: "Show IP addresses in your lines of the remote console (1 = on, 0 = off)",
			Flags: open | console.Hidden, Run: r.showAddresses},
		{Name: "logout", Help: "Logout of rcon", Flags: open | console.Basic, Run: r.logout},
		{Name: "kick", Params: "i[id] ?r[reason]", Help: "Kick player with specified id for any reason", Flags: open, Run: r.kick},
		{Name: "sv_spectator_slots", Params: "?i", Help: "Number of slots for spectators only, as in older servers; sets sv_player_slots",
			Flags: open | console.Hidden, Run: r.spectatorSlots},
		{Name: "say", Params: "r[text]", Help: "Say in chat", Flags: open, Run: r.say},
		{Name: "broadcast", Params: "r[text]", Help: "Broadcast message", Flags: open, Run: r.broadcast},
		{Name: "pause", Params: "?i[seconds]", Help: "Pause/unpause game", Flags: stored, Run: r.pause},
		{Name: "restart", Params: "?i[seconds]", Help: "Restart in x seconds (0 = abort)", Flags: stored, Run: r.restart},
		{Name: "set_team", Params: "i[id] i[team] ?i[delay]", Help: "Set team of player to team", Flags: open, Run: r.setTeam},
		{Name: "set_team_all", Params: "i[team]", Help: "Set team of all players to team", Flags: open, Run: r.setTeamAll},
		{Name: "swap_teams", Help: "Swap the current teams", Flags: open, Run: r.teamCommand(game.CmdSwapTeams)},
		{Name: "shuffle_teams", Help: "Shuffle the current teams", Flags: open, Run: r.teamCommand(game.CmdShuffleTeams)},
		{Name: "lock_teams", Help: "Lock/unlock teams", Flags: open, Run: r.worldCommand(game.CmdLockTeams)},
		{Name: "info", Help: "Show what this server is, as DDNet's votes do", Flags: open | console.Hidden, Run: func(call *console.Call) {
			call.Print("server", "this is a teeyard %s server", Version())
		}},
		{Name: "force_teambalance", Help: "Force team balance", Flags: open, Run: r.teamCommand(game.CmdBalanceTeams)},
	}) {
		if err := c.Register(cmd); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	if err := s.econ.Register(c); err != nil { // last: logout there is another command
		return fmt.Errorf("server: %w", err)
	}
	return s.addHooks()
}
