package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/rules"
)

// newConsole creates the console with all variables and commands.
func (s *Server) newConsole() error {
	c, err := console.New(console.Config{Output: s.printFor, ReadFile: s.readConfig, WriteFile: s.writeFile, AccessChanged: s.sendAccessChange, KeepUnknown: true})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	s.console = c
	type room interface{ Register(*console.Console) error }
	for _, r := range []room{&s.settings, s.record, s.resume.keeper, s.access, s.votes, s.listing} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	if err := rules.Register(c, &s.rules, s.cfg.DDNet); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if err := s.registerSpeech(); err != nil {
		return err
	}
	const open, stored = console.Server, console.Server | console.Store
	for _, cmd := range slices.Concat(s.ddnetCommands(), s.ddraceCommands(), []console.Command{
		{Name: "help", Params: "?s[command]", Help: "List the commands, explain one, or list the settings that begin with a word", Flags: open | console.Basic, Run: c.Help},
		{Name: "status", Help: "List players", Flags: stored, Run: s.cmdStatus},
		{Name: "shutdown", Params: "?r[reason]", Help: "Shut down", Flags: open, Run: s.cmdShutdown},
		{Name: "drain", Params: "?s[port|'off']", Help: "Reject new clients and end after the match; a port sends DDNet's clients to another server on this machine", Flags: stored, Run: s.cmdDrain},
		{Name: "logout", Help: "Logout of rcon", Flags: open | console.Basic, Run: s.cmdLogout},
		{Name: "logout", Help: "Logout of the external console", Flags: console.Econ, Run: s.cmdEconLogout},
		{Name: "kick", Params: "i[id] ?r[reason]", Help: "Kick player with specified id for any reason", Flags: open, Run: s.cmdKick},
		{Name: "sv_spectator_slots", Params: "?i", Help: "Number of slots for spectators only, as in older servers; sets sv_player_slots", Flags: open | console.Hidden, Run: s.cmdSpectatorSlots},
		{Name: "reload", Help: "Reload the map", Flags: open, Run: func(*console.Call) { s.rereadMap() }},
		{Name: "reload_mods", Help: "Reload the scripts of sv_mods whose files changed; the match goes on", Flags: open, Run: func(*console.Call) {
			s.modReload.trouble = later.Trouble{}
			s.readMods(s.now)
		}},
		{Name: "say", Params: "r[text]", Help: "Say in chat", Flags: open, Run: s.cmdSay},
		{Name: "broadcast", Params: "r[text]", Help: "Broadcast message", Flags: open, Run: s.cmdBroadcast},
		{Name: "pause", Params: "?i[seconds]", Help: "Pause/unpause game", Flags: stored, Run: s.cmdPause},
		{Name: "change_map", Params: "?r[map]", Help: "Change map", Flags: stored, Run: s.cmdChangeMap},
		{Name: "restart", Params: "?i[seconds]", Help: "Restart in x seconds (0 = abort)", Flags: stored, Run: s.cmdRestart},
		{Name: "set_team", Params: "i[id] i[team] ?i[delay]", Help: "Set team of player to team", Flags: open, Run: s.cmdSetTeam},
		{Name: "set_team_all", Params: "i[team]", Help: "Set team of all players to team", Flags: open, Run: s.cmdSetTeamAll},
		{Name: "swap_teams", Help: "Swap the current teams", Flags: open, Run: s.teamCommand(game.CmdSwapTeams)},
		{Name: "shuffle_teams", Help: "Shuffle the current teams", Flags: open, Run: s.teamCommand(game.CmdShuffleTeams)},
		{Name: "lock_teams", Help: "Lock/unlock teams", Flags: open, Run: s.worldCommand(game.CmdLockTeams)},
		{Name: "add_map_votes", Help: "Add an option to vote for each map", Flags: open | console.Lasting, Run: s.cmdAddMapVotes},
		{Name: "info", Help: "Show what this server is, as DDNet's votes do", Flags: open | console.Hidden, Run: func(call *console.Call) {
			call.Print("server", "this is a teeyard %s server", Version())
		}},
		{Name: "force_teambalance", Help: "Force team balance", Flags: open, Run: s.teamCommand(game.CmdBalanceTeams)},
	}) {
		if err := c.Register(cmd); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	if err := s.addInForce(); err != nil {
		return err
	}
	return s.addHooks()
}

// withoutEffect are variables that existing configurations set but that do nothing here.
// Setting one to something else than 0 prints that.
var withoutEffect = []string{
	"debug", "dbg_pref", "dbg_hitch", "dbg_stress", "dbg_stress_network",
}

// usedAtStart are variables that are read when the server starts, and not again.
var usedAtStart = []string{"sv_port", "sv_storage", "sv_ranks", "bindaddr", "sv_ipv4only", "ec_port", "ec_bindaddr"}

// addHooks makes variables take effect when they are set.
func (s *Server) addHooks() error {
	if err := s.addRuleHooks(); err != nil { // first, because others read the limited rules
		return err
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
		{whenStarted(func(call *console.Call) {
			call.Print("server", "%s takes effect when the server restarts", call.Name)
		}), usedAtStart},
		{func(*console.Call) { s.setGameType() }, []string{"sv_gametype"}},
		{whenStarted(func(call *console.Call) {
			if s.nextGameTypeErr = s.checkGameType(s.settings.GameType); s.nextGameTypeErr != nil {
				s.reportGameType(call)
				return
			}
			s.reportedGameType = ""
			call.Print("server", "sv_gametype takes effect with the next map, or after reload")
		}), []string{"sv_gametype"}},
		{whenStarted(func(call *console.Call) {
			call.Print("server", "sv_mods takes effect with the next map, or after reload")
		}), []string{"sv_mods"}},
		{whenStarted(func(call *console.Call) {
			if s.settings.Map == s.gameMap.svMap {
				call.Print("server", "map '%s' is already running; reload reads it again", s.settings.Map)
				return
			}
			call.Print("server", "changing to map '%s'", s.settings.Map)
		}), []string{"sv_map"}},
		{func(*console.Call) {
			s.listChatCommand("rules", slices.ContainsFunc(s.settings.RulesLines[:], func(line string) bool { return line != "" }))
		}, rulesLines()},
		{whenStarted(func(*console.Call) { s.announcements.next = 0 }), []string{"sv_announcement_filename", "sv_announcement_interval"}},
		{func(*console.Call) { s.listChatCommand("ready", s.rules.ReadyMode) }, []string{"sv_player_ready_mode"}},
		{s.access.Logins.PasswordsChanged, []string{"sv_rcon_password", "sv_rcon_mod_password", "sv_rcon_helper_password"}},
		{whenStarted(func(*console.Call) { s.queueRules(0) }), []string{"sv_maprotation"}},
		{s.setDialect, []string{"log_dialect"}},
		{whenStarted(func(*console.Call) { s.readMapList() }), []string{"sv_maplist"}},
		{s.checkRotation, []string{"sv_maprotation"}},
		{whenStarted(func(*console.Call) { s.openLogFile() }), []string{"logfile", "logfile_timestamp"}},
		{whenStarted(s.setAuditLog), []string{"sv_audit_log"}},
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

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
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

// queueRules tells the world the settings, which tells the players what tell says.
func (s *Server) queueRules(tell int32) {
	r := s.gameRules()
	s.queueCommand(game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Target: game.Nobody, Rules: &r, Value: tell})
}

// gameRules returns the settings that the world has to know.
func (s *Server) gameRules() game.Rules {
	isDDRace := s.world != nil && s.world.IsDDRace()
	if m := s.gameMap; m != nil {
		return s.gameRulesFor(m.playedGameType(), isDDRace)
	}
	return s.gameRulesFor(s.settings.GameType, isDDRace)
}

// setInactiveTime notes that somebody has set sv_inactivekick_time, which then counts in DDRace, too.
func (s *Server) setInactiveTime() {
	s.inactiveTimeSet = true
	s.console.SaveDefault("sv_inactivekick_time")
}

// isPure reports whether a game type of the server's own has the standard tuning. Modes and mods may
// overrule it.
func isPure(gameType string) bool {
	return !strings.EqualFold(gameType, "mod") && !strings.EqualFold(gameType, "race")
}

// gameRulesFor returns what gameRules does for a world of a game type.
func (s *Server) gameRulesFor(gameType string, isDDRace bool) game.Rules {
	s.rules.PlayerSlots = min(s.rules.PlayerSlots, s.rules.MaxClients)
	r := s.rules
	if isDDRace && !s.inactiveTimeSet {
		r.InactiveTime = 0 // players who wait for a partner, or rest in a race of hours, keep their seat
	}
	r.MapRotation, r.PureTuning = s.settings.MapRotation != "", isPure(gameType)
	return r
}

// worldCommand returns a console command that queues a command of a kind for the world.
func (s *Server) worldCommand(kind game.CommandKind) func(*console.Call) {
	return func(*console.Call) {
		s.queueCommand(game.Command{Kind: kind, Player: game.Nobody, Target: game.Nobody})
	}
}

// teamCommand is worldCommand for a command without an effect in games without teams, where it
// prints nothing, as in the original, unless a vote runs it.
func (s *Server) teamCommand(kind game.CommandKind) func(*console.Call) {
	run := s.worldCommand(kind)
	return func(call *console.Call) {
		if _, decides := s.votes.Deciding(); decides && s.world.GameFlags()&game.GameFlagTeams == 0 {
			call.Warn("server", "%s: %s has no teams", call.Name, s.world.ModeName())
			return
		}
		run(call)
	}
}

func (s *Server) cmdStatus(call *console.Call) {
	for id, c := range s.sessions {
		if s.bots.has(game.PlayerID(id)) {
			info, _ := s.world.Player(game.PlayerID(id))
			call.Print("server", "id=%d addr=%s client=0 name=%s score=%d (Bot)", id, botAddr, logline.Quote(info.Profile.Name), info.Score)
		}
		if c == nil {
			continue
		}
		if c.state != stateInGame {
			call.Print("server", "id=%d addr=%s connecting", id, c.peer)
			continue
		}
		info, _ := s.world.Player(game.PlayerID(id))
		auth := ""
		if c.rcon.authed {
			auth = [...]string{"(Admin)", "(Mod)", "(Helper)"}[c.rcon.level]
		}
		if c.isHeld() {
			auth = "(timed out)"
		}
		if s.dialect == logline.DDNet {
			version := fmt.Sprint(c.clientVersion)
			if s.isSeven(c) {
				version = "0.7:0"
			}
			switch {
			case c.rcon.authed:
				auth = fmt.Sprintf(" key=%s %s", safetext.Line(c.rcon.key), auth)
			case auth != "":
				auth = " " + auth
			}
			call.Print("server", "id=%d addr=%s name=%s client=%s secure=%s flags=0%s", id, c.peer, logline.Quote(info.Profile.Name), version, yesOrNo(c.addrProven), auth)
			continue
		}
		call.Print("server", "id=%d addr=%s client=%s name=%s score=%d %s", id, c.peer, c.clientVersionText(), logline.Quote(info.Profile.Name), info.Score, auth)
	}
	s.within(new(consoleLine), func() { // status did what it says
		for _, text := range s.Problems() {
			call.Warn("server", "%s", text)
		}
	})
}

// cmdSpectatorSlots sets sv_player_slots as the variable of older servers means it: so many clients of
// sv_max_clients may not play.
func (s *Server) cmdSpectatorSlots(call *console.Call) {
	v := &s.rules
	if len(call.Args) > 0 {
		s.console.Execute(fmt.Sprintf("sv_player_slots %d", max(int(v.MaxClients)-max(call.Int(0), 0), 0)), call.Caller)
		return
	}
	call.Print("Console", "Value: %d", v.MaxClients-v.PlayerSlots)
}

func (s *Server) cmdLogout(call *console.Call) {
	if id := call.Caller.ID; id >= 0 {
		s.sessions[id].logout(call.Caller, "")
	}
}

// sessionArg returns the session whose client id is the first argument, nil if there is none.
func (s *Server) sessionArg(call *console.Call) *session {
	id := call.Int(0)
	if id < 0 || id >= len(s.sessions) {
		return nil
	}
	return s.sessions[id]
}

// maxKickReason is the longest reason that clients show, besides "Kicked ()".
const maxKickReason = packet.MaxCloseReason - len("Kicked ()")

func (s *Server) cmdKick(call *console.Call) {
	id, c := call.Int(0), s.sessionArg(call)
	switch who := &call.Caller; {
	case id >= 0 && id < len(s.sessions) && s.bots.has(game.PlayerID(id)):
		call.Warn("server", "client %d is a bot; sv_bots or a mod sets the number of bots", id)
	case c == nil:
		call.Warn("server", "invalid client id to kick")
	case id == who.ID:
		call.Warn("server", "you can't kick yourself")
	case who.IsRemote() && c.rcon.authed && c.rcon.level < who.Level:
		call.Warn("server", "kick command denied")
	case call.Arg(1) != "":
		c.drop("Kicked (" + call.Cut(1, "server", "reason", maxKickReason) + ")")
	default:
		c.drop("Kicked by console")
	}
}

func (s *Server) cmdSay(call *console.Call) {
	text := call.Cut(0, "server", "text", bridge.MaxText)
	if call.Caller.Print != nil {
		call.Caller.Print("*** " + safetext.Line(text)) // others see the chat
	}
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

func (s *Server) cmdBroadcast(call *console.Call) {
	text := call.Cut(0, "server", "text", bridge.MaxText)
	s.queueCommand(game.Command{Kind: game.CmdBroadcast, Player: game.Nobody, Target: game.Nobody, Text: text})
}

// impureTuning is printed when a game type wants the standard tuning.
const impureTuning = "resetting tuning due to pure server"

// setTuning changes the world's tuning. The modes of the original allow standard tuning
// only. Which world there will be is not known before the start.
func (s *Server) setTuning(call *console.Call, t game.Tuning) {
	if pure := physics.DefaultTuning(); t != pure && s.started && s.world.Rules().PureTuning && isPure(s.settings.GameType) {
		call.Warn("server", impureTuning)
		t = pure
	}
	s.tuning = t
	s.queueCommand(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Target: game.Nobody, Tuning: &t})
}

// tuneParamArg returns the index of the tuning parameter that the first argument names. It
// prints what is wrong if it is below 0.
func tuneParamArg(call *console.Call) int {
	i := physics.TuneParamIndex(call.Arg(0))
	if i < 0 {
		call.Warn("tuning", "No such tuning parameter")
		var names []string
		for i := range physics.NumTuneParams {
			names = append(names, physics.TuneParamName(i))
		}
		if name := console.Similar(call.Arg(0), names); name != "" {
			call.Print("tuning", "did you mean %s? tunes lists all parameters", name)
		} else {
			call.Print("tuning", "tunes lists all parameters")
		}
	}
	return i
}

func (s *Server) cmdTune(call *console.Call) {
	if !s.started && physics.TuneParamIndex(call.Arg(0)) < 0 && ddrace.TuneParamIndex(call.Arg(0)) >= 0 {
		return // for maps of DDRace
	}
	i := tuneParamArg(call)
	if i < 0 {
		return
	}
	name := physics.TuneParamName(i)
	if len(call.Args) < 2 {
		t := s.tuningInForce()
		call.Print("tuning", "%s %.2f", name, float64(t[i])/100)
		return
	}
	t := s.tuning
	t.SetAt(i, float32(call.Float(1)))
	call.Print("tuning", "%s changed to %.2f", name, float64(t[i])/100)
	s.setTuning(call, t)
}

func (s *Server) cmdTuneReset(call *console.Call) {
	if call.Arg(0) == "" {
		s.setTuning(call, physics.DefaultTuning())
		call.Print("tuning", "Tuning reset")
		return
	}
	i := tuneParamArg(call)
	if i < 0 {
		return
	}
	t := s.tuning
	t[i] = physics.DefaultTuning()[i]
	call.Print("tuning", "%s reset to %.2f", physics.TuneParamName(i), float64(t[i])/100)
	s.setTuning(call, t)
}

func (s *Server) cmdTunes(call *console.Call) {
	for i, v := range s.tuningInForce() {
		call.Print("tuning", "%s %.2f", physics.TuneParamName(i), float64(v)/100)
	}
}

func (s *Server) cmdPause(call *console.Call) {
	v := game.PauseToggle // what is paused then: other commands may come before this one
	if len(call.Args) > 0 {
		v = int32(min(max(call.Int(0), -1), 1000))
	}
	s.queueCommand(game.Command{Kind: game.CmdPause, Player: game.Nobody, Target: game.Nobody, Value: v})
}

func (s *Server) cmdChangeMap(call *console.Call) {
	if name := call.Arg(0); name != "" {
		if err := s.changeMapAfterMatch(name); err != nil {
			call.Warn("server", "change_map: %v", err)
			return
		}
		if s.world.IsDDRace() {
			s.changeDDRaceMap(call, name)
			return
		}
		call.Print("server", "the match ends now; map '%s' follows in about 10 seconds", name)
		return
	}
	if s.world.IsDDRace() {
		s.changeDDRaceMap(call, cmp.Or(s.nextMap(), s.gameMap.svMap))
		return
	}
	if next := s.nextMap(); next != "" {
		call.Print("server", "the match ends now; map '%s' follows in about 10 seconds", next)
	} else {
		call.Print("server", "the match ends now; another one on this map follows in about 10 seconds (sv_maprotation is empty)")
	}
	s.queueCommand(game.Command{Kind: game.CmdEndMatch, Player: game.Nobody, Target: game.Nobody})
}

// changeDDRaceMap changes to a map at once, as DDNet's servers do: there is no match whose end is shown.
func (s *Server) changeDDRaceMap(call *console.Call, name string) {
	s.mapChange.asked = ""
	if s.settings.Map = name; name == s.gameMap.svMap {
		s.rereadMap()
	}
	call.Print("server", "changing to map '%s'", name)
}

func (s *Server) cmdRestart(call *console.Call) {
	v := int32(0)
	if len(call.Args) > 0 {
		v = int32(min(max(call.Int(0), -1), 1000))
	}
	s.queueCommand(game.Command{Kind: game.CmdRestart, Player: game.Nobody, Target: game.Nobody, Value: v})
}

func (s *Server) cmdSetTeam(call *console.Call) {
	c := s.sessionArg(call)
	if c == nil {
		call.Warn("server", "invalid client id")
		return
	}
	team := game.Team(min(max(call.Int(1), -1), 1))
	call.Print("server", "moved client %d to team %d", c.id, team)
	s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: c.id, Target: game.Nobody, Team: team, Value: int32(min(max(call.Int(2), 0), 1440))})
}

func (s *Server) cmdSetTeamAll(call *console.Call) {
	team := game.Team(min(max(call.Int(0), -1), 1))
	s.queueCommand(game.Command{Kind: game.CmdForceTeam, Player: game.Nobody, Target: game.Nobody, Team: team})
}
