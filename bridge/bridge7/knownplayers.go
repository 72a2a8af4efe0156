package bridge7

import (
	"strconv"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// toldPlayers are the players in messages to a client, by its ids. While ids are mapped, players
// silently leave and enter as they get and lose ids.
type toldPlayers struct {
	players [msg7.MaxClients]game.PlayerID // plus 1; 0 for none
	changes int                            // of ids, when the client was last told of all players
}

// updateIDs assigns ids for the view, and tells the client of changes.
func (s *serverSide) updateIDs(v *game.View) {
	s.ids.Update(v)
	if s.ids.Changes() == s.told.changes || s.protocol.world == nil {
		return
	}
	s.told.changes = s.ids.Changes()
	var now [msg7.MaxClients]game.PlayerID
	for i := range v.Players {
		if id := s.ids.ID(v.Players[i].ID); id >= 0 {
			now[id] = v.Players[i].ID + 1
		}
	}
	for id, p := range s.told.players {
		if p != 0 && p != now[id] {
			s.dropPlayer(int32(id), "", true)
		}
	}
	for id, p := range now {
		if p != 0 && s.told.players[id] == 0 {
			s.SendClientInfo(s.protocol.world, p-1, p-1 == v.Viewer, true)
		}
	}
}

// dropPlayer removes a player with the client's id.
func (s *serverSide) dropPlayer(id int32, reason string, silent bool) {
	s.told.players[id] = 0
	s.send(&msg7.SvClientDrop{ClientID: id, Reason: []byte(reason), Silent: silent})
}

// sendServerChat sends a line of chat from the server.
func (s *serverSide) sendServerChat(text string) {
	s.send(&msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte(safetext.Truncate(text, bridge.MaxText))})
}

// sendUnknown sends an event of an unknown player: a line of chat, or nothing.
// It returns false if the client knows the players of the event.
func (s *serverSide) sendUnknown(ev *game.Event) bool {
	if ev.Player < 0 || s.ids.ID(ev.Player) >= 0 && (ev.Target < 0 || s.ids.ID(ev.Target) >= 0) {
		return false
	}
	name := s.protocol.lastName(ev.Player)
	var flags game.GameFlags
	if w := s.protocol.world; w != nil {
		flags = w.GameFlags()
	}
	switch {
	case ev.Kind == game.EvChat && ev.Chat == game.ChatWhisper:
		if ev.Player == s.ownID {
			s.sendServerChat("[→ " + s.protocol.lastName(ev.Target) + "] " + ev.Text)
		} else {
			s.sendServerChat("[← " + name + "] " + ev.Text)
		}
	case s.ids.ID(ev.Player) >= 0:
		return false
	case ev.Kind == game.EvChat:
		s.sendServerChat(name + ": " + ev.Text)
	case ev.Kind == game.EvPlayerEntered && !ev.Flag:
		s.sendServerChat(bridge.EnteredText(name, ev.Team, flags))
	case ev.Kind == game.EvPlayerLeft && !ev.Flag:
		s.sendServerChat(bridge.LeftText(name, ev.Text))
	case ev.Kind == game.EvTeamChange && !ev.Flag && flags&game.GameFlagDDRace == 0:
		s.sendServerChat(bridge.JoinedTeamText(name, ev.Team, flags))
	case ev.Kind == game.EvGameMsg && ev.GameMsg == game.GameMsgGamePaused:
		s.sendServerChat("'" + name + "' initiated a pause")
	case ev.Kind == game.EvGameMsg && ev.GameMsg == game.GameMsgCTFCapture:
		s.sendServerChat(bridge.CaptureText(game.Team(ev.Value), name, ev.Extra))
	case ev.Kind == game.EvPlayerEntered, ev.Kind == game.EvPlayerLeft, ev.Kind == game.EvTeamChange,
		ev.Kind == game.EvEmoticon, ev.Kind == game.EvSkinChange, ev.Kind == game.EvProfileChange:
	default:
		return false
	}
	return true
}

// sendKill sends a kill message. If the client does not know the killer, the victim takes the
// killer's place.
func (s *serverSide) sendKill(ev *game.Event) {
	victim := s.ids.ID(ev.Target)
	if ev.Target >= 0 && victim < 0 {
		return
	}
	killer := encodeKillerOrTeam(ev.Player)
	if ev.Player >= 0 {
		if killer = s.ids.ID(ev.Player); killer < 0 {
			killer = victim
		}
	}
	s.send(&msg7.SvKillMsg{Killer: killer, Victim: victim, Weapon: msg7.Weapon(ev.Weapon), ModeSpecial: ev.Value})
}

// votedPlayer returns the value of a vote with the player's id in place of the client's.
func (s *serverSide) votedPlayer(kind event.VoteKind, value string) string {
	if kind == event.VoteOption || !s.ids.IsActive() {
		return value
	}
	id, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		id = -1
	}
	return strconv.Itoa(int(s.ids.Player(int32(id))))
}
