package server

import (
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// eventLog is the server with the log of the game.
type eventLog struct{ *Server }

// write logs an event in the form that operators' tools parse.
func (s eventLog) write(ev *game.Event) {
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
	if !s.output.enabled(console.Standard) && !s.output.enabled(console.Debug) {
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
		s.print(console.Debug, "game", fmt.Sprintf("kill killer=%s victim=%s weapon=%d special=%d",
			logline.Quote(killer), logline.Quote(s.playerTag(ev.Target)), ev.Weapon, ev.Value))
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
		s.flag(ev)
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
func (s eventLog) tellInChat(text string) {
	if s.logs.Dialect().TellsInChat() {
		s.print(console.Info, "chat", "*** "+text)
	}
}

// flag prints a line about a flag.
func (s eventLog) flag(ev *game.Event) {
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
func (s eventLog) playerTag(id game.PlayerID) string {
	team := game.TeamSpectators
	if id >= 0 {
		team = s.seats.teams[id]
	}
	return fmt.Sprintf("%d:%d:%s", id, team, s.playerName(id))
}

// idAndName returns a player as log lines have it: id:name.
func (s eventLog) idAndName(id game.PlayerID) string {
	return fmt.Sprintf("%d:%s", id, s.playerName(id))
}
