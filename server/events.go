package server

import (
	"fmt"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// deliverEvent logs an event and sends it to the clients that it is for.
func (s *Server) deliverEvent(now conn.Time, ev *game.Event) {
	if ev.Kind.IsEffect() {
		return
	}
	if ev.Kind == game.EvRoundStart && ev.Value == 0 {
		s.record.BeginRound()
		s.beginBroadcast()
	}
	if ev.Kind == game.EvPlayerLeft && s.isQuiet(ev.Player) {
		silent := *ev
		silent.Flag = true
		ev = &silent
	}
	switch ev.Kind {
	case game.EvTeamChange, game.EvPickup: // the original logs these after sending them
		defer s.logEvent(ev)
	case game.EvPlayerEntered:
	default:
		s.logEvent(ev)
	}
	switch ev.Kind {
	case game.EvTeamChange:
		s.votes.ChangedTeam(ev.Player, ev.Team)
	case game.EvPlayerEntered:
		s.votes.Recount()
		if s.bots.has(ev.Player) {
			s.bots.announced |= game.MaskOne(ev.Player)
			s.print(console.Standard, "server", fmt.Sprintf("player has entered the game. ClientID=%d addr=%s%s", ev.Player, botAddr, s.inDDNet(" sixup=%d", 0)))
			s.logEvent(ev)
			break
		}
		s.enterClient(now, ev)
		return
	case game.EvKick:
		if c := s.sessions[ev.Player]; c != nil {
			c.drop(ev.Text)
		}
		s.removeBot(ev.Player, ev.Text)
		return
	case game.EvPlayerLeft:
		s.bots.announced &^= game.MaskOne(ev.Player)
		s.seats.quiet &^= game.MaskOne(ev.Player)
	case game.EvMatchEnd:
		s.drain.observe(ev)
		if ev.Flag {
			s.rotateMap()
		} else {
			s.prepareRotation()
		}
		return
	case game.EvRoundStart:
		s.drain.observe(ev)
		s.mapChange.likely = ""
	}
	for id, c := range s.sessions {
		if c != nil && c.state == stateInGame && ev.To.Has(game.PlayerID(id)) && c.takesText(ev) {
			c.bridge.SendEvent(s.world, ev)
			if ev.Kind == game.EvBroadcast {
				c.modView.holdText(ev, s.world.Tick())
			}
		}
	}
	s.record.Event(ev)
}

// enterClient lets a client into the game: it is told about everybody, and everybody
// about it.
func (s *Server) enterClient(now conn.Time, ev *game.Event) {
	c := s.sessions[ev.Player]
	if c == nil || c.state != stateEntering {
		return
	}
	s.votes.Entered(c.id, s.anyInGameBefore(now.Add(-10*time.Second)))
	if c.enteredAt == 0 {
		c.startSpeech(now)
	}
	// DDNet-Server greets those only who were not there before the map changed.
	returns := s.world.IsDDRace() && c.enteredAt != 0
	c.state, c.enteredAt = stateInGame, now
	c.version.joined++
	info := s.listing.ServerInfo()
	told := *ev // to the others
	told.Flag = told.Flag || returns
	if c.mayAnnounce() {
		s.seats.quiet &^= game.MaskOne(c.id)
		s.print(console.Standard, "server", fmt.Sprintf("player has entered the game. ClientID=%d addr=%s%s", c.id, c.peer, s.inDDNet(" sixup=%d", boolToInt(s.isSeven(c)))))
		s.logJoin(c)
	} else {
		s.seats.quiet |= game.MaskOne(c.id)
		told.Flag = true
	}
	c.bridge.SendServerInfo(&info)
	c.sendChatCommands()
	s.logEvent(ev)
	c.bridge.SendGameInfo(s.world)
	for other, o := range s.sessions {
		if o == nil || o == c || o.state != stateInGame {
			continue
		}
		if !c.back {
			o.bridge.SendEvent(s.world, &told)
		}
		c.bridge.SendClientInfo(s.world, game.PlayerID(other), false, false)
	}
	if !c.back { // whom all know
		s.record.Event(&told)
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		if s.bots.announced.Has(id) {
			c.bridge.SendClientInfo(s.world, id, false, false)
		}
	}
	c.bridge.SendClientInfo(s.world, c.id, true, ev.Flag || returns)
	c.reclaimSeat()
	if s.settings.Welcome != "" && !c.back && !returns {
		c.reply(s.settings.Welcome)
	}
	if !c.back {
		s.suggestClient(c)
	}
	c.conn.Flush(now)
}

// anyInGameBefore reports whether a client is in the game since then.
func (s *Server) anyInGameBefore(then conn.Time) bool {
	return slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil && c.state == stateInGame && c.enteredAt < then })
}

// logEvent logs an event in the form that operators' tools parse.
func (s *Server) logEvent(ev *game.Event) {
	oldTeam := game.TeamSpectators
	switch ev.Kind {
	case game.EvPlayerEntered:
		s.seats.teams[ev.Player] = s.teamOf(ev.Player)
	case game.EvTeamChange:
		oldTeam, s.seats.teams[ev.Player] = s.seats.teams[ev.Player], ev.Team
	}
	switch {
	case ev.Kind == game.EvKill && ev.Weapon == game.WeaponGame:
		s.logFarewell(ev.Target) // who dies of leaving
	case ev.Kind == game.EvPlayerLeft:
		s.logFarewell(ev.Player)
	}
	if !s.logEnabled(console.Standard) && !s.logEnabled(console.Debug) {
		return
	}
	if ev.Kind != game.EvChat && s.isQuiet(ev.Player) || ev.Kind == game.EvKill && s.isQuiet(ev.Target) {
		return
	}
	switch ev.Kind {
	case game.EvChat:
		if ev.Player == game.Nobody {
			if ev.To == game.MaskAll { // and no reply to one player
				s.print(console.Info, "chat", "*** "+ev.Text)
			}
			return
		}
		switch ev.Chat {
		case game.ChatAll:
			s.print(console.Info, "chat", fmt.Sprintf("%d:%d:%s: %s", ev.Chat, ev.Player, s.playerName(ev.Player), ev.Text))
		case game.ChatTeam:
			s.print(console.Info, "teamchat", fmt.Sprintf("%d:%d:%d:%s: %s", ev.Chat, s.teamOf(ev.Player), ev.Player, s.playerName(ev.Player), ev.Text))
		}
	case game.EvKill:
		killer := s.playerTag(ev.Player)
		if team := ev.Player; team < 0 {
			if team < game.Nobody {
				team++ // a player who left: -1 of the red team, -2 of the blue one
			}
			killer = fmt.Sprintf("%d:%d:", team, -1-team)
		}
		s.print(console.Debug, "game", fmt.Sprintf("kill killer=%s victim=%s weapon=%d special=%d", logline.Quote(killer), logline.Quote(s.playerTag(ev.Target)), ev.Weapon, ev.Value))
	case game.EvPickup:
		s.print(console.Debug, "game", fmt.Sprintf("pickup player=%s item=%d", logline.Quote(s.idAndName(ev.Player)), ev.Pickup))
	case game.EvPlayerEntered:
		s.tellInChat(bridge.EnteredText(s.playerName(ev.Player), s.teamOf(ev.Player), s.world.GameFlags()))
		s.print(console.Debug, "game", fmt.Sprintf("team_join player=%s team=%d", logline.Quote(s.idAndName(ev.Player)), s.teamOf(ev.Player)))
	case game.EvTeamChange:
		s.tellInChat(bridge.JoinedTeamText(s.playerName(ev.Player), ev.Team, s.world.GameFlags()))
		s.print(console.Debug, "game", fmt.Sprintf("team_join player=%s team=%d->%d", logline.Quote(s.idAndName(ev.Player)), oldTeam, ev.Team))
	case game.EvPlayerLeft:
		s.tellInChat(bridge.LeftText(s.playerName(ev.Player), ev.Text))
		s.print(console.Standard, "game", fmt.Sprintf("leave player=%s", logline.Quote(s.idAndName(ev.Player))))
	case game.EvRaceFinish:
		s.print(console.Debug, "game", fmt.Sprintf("race_finish player=%s time=%.3f", logline.Quote(s.idAndName(ev.Player)), float64(ev.Value)/1000))
	case game.EvGameMsg:
		s.logFlag(ev)
	case game.EvTeamSizes:
		text := fmt.Sprintf("Teams are balanced (red=%d blue=%d)", ev.Value, ev.Extra)
		if ev.Flag {
			text = "Balancing teams"
		} else if diff := ev.Value - ev.Extra; max(diff, -diff) >= 2 {
			text = fmt.Sprintf("Teams are NOT balanced (red=%d blue=%d)", ev.Value, ev.Extra)
		}
		s.print(console.Debug, "game", text)
	case game.EvRoundStart:
		if ev.Value > 0 {
			return // another round of the match
		}
		teamplay := boolToInt(s.world.Frame().Game.Flags&game.GameFlagTeams != 0)
		s.print(console.Debug, "game", fmt.Sprintf("start match type='%s' teamplay='%d'", s.world.ModeName(), teamplay))
	}
}

// tellInChat prints a line that many servers write into the chat, if the dialect has such lines.
func (s *Server) tellInChat(text string) {
	if s.dialect.TellsInChat() {
		s.print(console.Info, "chat", "*** "+text)
	}
}

// logFlag prints what happened to a flag.
func (s *Server) logFlag(ev *game.Event) {
	var line string
	switch ev.GameMsg {
	case game.GameMsgCTFGrab:
		line = "flag_grab"
	case game.GameMsgCTFReturn:
		line = "flag_return"
	case game.GameMsgCTFCapture:
		line = "flag_capture"
	default:
		return
	}
	if ev.Player >= 0 {
		line += fmt.Sprintf(" player=%s team=%d", logline.Quote(s.idAndName(ev.Player)), s.teamOf(ev.Player))
	}
	if ev.GameMsg == game.GameMsgCTFCapture {
		line += fmt.Sprintf(" time=%.2f", float32(ev.Extra)/game.TickRate)
	}
	s.print(console.Debug, "game", line)
	if ev.GameMsg == game.GameMsgCTFCapture {
		s.tellInChat(bridge.CaptureText(game.Team(ev.Value), s.playerName(ev.Player), ev.Extra))
	}
}

// playerTag returns a player as log lines have it: id:team:name. A player who dies of a
// change of team still has the old team.
func (s *Server) playerTag(id game.PlayerID) string {
	team := game.TeamSpectators
	if id >= 0 {
		team = s.seats.teams[id]
	}
	return fmt.Sprintf("%d:%d:%s", id, team, s.playerName(id))
}

// idAndName returns a player as log lines have it: id:name.
func (s *Server) idAndName(id game.PlayerID) string {
	return fmt.Sprintf("%d:%s", id, s.playerName(id))
}

// playerName returns a player's name, or that of the last who had the seat.
func (s *Server) playerName(id game.PlayerID) string {
	if id < 0 {
		return ""
	}
	if p, _ := s.world.Player(id); p.Profile.Name != "" {
		return p.Profile.Name
	}
	if c := s.sessions[id]; c != nil {
		return c.name
	}
	return s.seats.names[id]
}

// teamOf returns a player's team; spectators for one who is not in the world.
func (s *Server) teamOf(id game.PlayerID) game.Team {
	p, ok := s.world.Player(id)
	if !ok {
		return game.TeamSpectators
	}
	return p.Team
}
