package bridge6

import (
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/texts"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

func (s *serverSide) SendEvent(w *game.World, ev *game.Event) {
	switch ev.Kind {
	case game.EvPlayerEntered:
		if !ev.Flag {
			s.sendServerChat(bridge.EnteredText(s.protocol.playerName(ev.Player), ev.Team, w.GameFlags()))
		}
	case game.EvPlayerLeft:
		if !ev.Flag {
			s.sendServerChat(bridge.LeftText(s.leaverName(ev.Player), ev.Text))
		}
	case game.EvTeamChange:
		if !ev.Flag && w.GameFlags()&game.GameFlagDDRace == 0 { // DDNet-Server writes no line
			s.sendServerChat(bridge.JoinedTeamText(s.protocol.playerName(ev.Player), ev.Team, w.GameFlags()))
		}
	case game.EvChat:
		s.sendChat(ev)
	case game.EvKill, game.EvKillFeed:
		s.sendKill(ev)
	case game.EvPickup:
		if ev.Weapon >= 0 {
			s.send(&msg6.SvWeaponPickup{Weapon: msg6.Weapon(ev.Weapon)})
		}
	case game.EvEmoticon:
		if id := s.ids.ID(ev.Player); id >= 0 {
			s.send(&msg6.SvEmoticon{ClientID: id, Emoticon: msg6.Emoticon(ev.Value)})
		}
	case game.EvServerSettings:
		s.tellTeamsLocked(ev.Flag)
	case game.EvTuneParams:
		if w.IsDDRace() {
			s.SendTuning(w, s.ownID)
			break
		}
		s.sendTuning(ev.Tuning)
	case game.EvPlayerTuning:
		if ev.Flag || !s.knowsStates() {
			s.SendTuning(w, ev.Player)
		}
	case game.EvGameMsg:
		s.sendGameMsg(w, ev)
	case game.EvRaceFinish:
		s.sendRaceFinish(w, ev)
	case game.EvCheckpoint:
		if !s.sendRaceTime(&msg6.SvDDRaceTime{Time: ev.Extra / 10, Check: ev.Value / 10}) {
			s.sendOwnBroadcast(w.Tick(), fmt.Sprintf("Checkpoint | Diff : %+5.2f", float64(ev.Value)/1000))
		}
	case game.EvRaceRecords:
		s.sendRecords(w)
	case game.EvDDRaceTeam:
		s.sendTeams(w)
	case game.EvMotd:
		s.SendMotd(ev.Text)
	case game.EvBroadcast:
		if ev.Flag && w.Tick() < s.ownTextUntil {
			break
		}
		s.sendBroadcast(ev.Text)
		s.ownTextUntil, s.otherTextUntil = 0, w.Tick()+broadcastTicks
		if ev.Text == "" {
			s.otherTextUntil = 0
		}
	}
}

// sendRaceFinish reports a player who finished a race. New releases of DDNet show the message
// themselves, as 0.7 clients do. Other clients get chat lines in the wording of 0.6 servers.
func (s *serverSide) sendRaceFinish(w *game.World, ev *game.Event) {
	if id := s.ids.ID(ev.Player); id >= 0 {
		s.send(&msg6.SvRaceFinish{
			ClientID: id, Time: ev.Value, Diff: ev.Extra,
			RecordPersonal: ev.Record != game.RecordNone, RecordServer: ev.Record == game.RecordOfAll,
		})
	}
	s.sendServerChat(texts.RaceFinish(s.protocol.playerName(ev.Player), ev.Value))
	if text := raceDiffText(ev.Extra); text != "" && (ev.Extra < 0 || ev.Player == s.ownID) {
		s.sendServerChat(text)
	}
	if ev.Player == s.ownID {
		s.sendRaceTime(&msg6.SvDDRaceTime{Time: ev.Value / 10, Check: ev.Extra / 10, Finish: 1})
	}
	if ev.Record == game.RecordOfAll || ev.Record == game.RecordPersonal && ev.Player == s.ownID {
		s.sendRecords(w)
	}
}

// sendRaceTime sends a race time to DDNet's client. sendRaceTime returns false for other clients.
func (s *serverSide) sendRaceTime(m *msg6.SvDDRaceTime) bool {
	return s.send(m) || s.send((*msg6.SvDDRaceTimeLegacy)(m))
}

// sendRecords sends the best times of the server and of the player. DDNet's client can display
// them.
func (s *serverSide) sendRecords(w *game.World) {
	f := w.Frame()
	if !s.isDDNet() || f.Game.Flags&game.GameFlagRace == 0 {
		return
	}
	m := msg6.SvRecord{ServerTimeBest: f.Game.Race.BestTime / 10}
	for i := range f.Players {
		if p := &f.Players[i]; p.ID == s.ownID {
			m.PlayerTimeBest = max(p.Score/10, 0)
		}
	}
	if !s.send(&m) {
		s.send((*msg6.SvRecordLegacy)(&m))
	}
}

// SendClientInfo sends nothing about other players, whose names are in the snapshots. The client
// gets the line about its own arrival that other clients get as an event.
func (s *serverSide) SendClientInfo(w *game.World, id game.PlayerID, self, silent bool) {
	if !self {
		return
	}
	if s.ownID != id { // the player reclaimed an old seat and had another id before
		s.ids.Reset()
	}
	s.ownID = id
	s.protocol.snapshot.skins.set(id, s.skin)
	s.shareWatcher()
	if p, ok := w.Player(id); ok && !silent {
		s.sendServerChat(bridge.EnteredText(p.Profile.Name, p.Team, w.GameFlags()))
	}
	s.sendTeams(w)
	s.sendRecords(w)
}

// leaverName returns the name of a player who left.
func (s *serverSide) leaverName(id game.PlayerID) string {
	if id >= 0 && id < game.MaxPlayers && s.protocol.names[id] != "" {
		return s.protocol.names[id]
	}
	return s.protocol.playerName(id)
}

// sendServerChat sends a line of chat from the server.
func (s *serverSide) sendServerChat(text string) {
	s.send(&msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte(safetext.Truncate(text, bridge.MaxText))})
}

func (s *serverSide) sendBroadcast(text string) {
	s.send(&msg6.SvBroadcast{Message: []byte(safetext.Truncate(text, bridge.MaxText))})
}

// broadcastTicks is the number of ticks for which clients show a broadcast.
const broadcastTicks = 10 * game.TickRate

// sendOwnBroadcast sends a broadcast that only 0.6 needs: other versions have their own messages
// for its content.
func (s *serverSide) sendOwnBroadcast(tick int32, text string) {
	s.ownTextUntil, s.otherTextUntil = tick+broadcastTicks, 0
	s.sendBroadcast(text)
}

// sendChat sends a chat line. Only DDNet's clients support whispers; for other clients, the server
// writes a line.
func (s *serverSide) sendChat(ev *game.Event) {
	if ev.Player < 0 {
		s.sendServerChat(ev.Text)
		return
	}
	switch ev.Chat {
	case game.ChatAll:
		s.sendPlayerChat(msg6.ChatAll, ev.Player, ev.Text)
	case game.ChatTeam:
		s.sendPlayerChat(msg6.ChatTeam, ev.Player, ev.Text)
	case game.ChatWhisper:
		if ev.Player == s.ownID {
			s.sendWhisper(msg6.ChatWhisperSent, "→", ev.Target, ev.Text)
		}
		if ev.Target == s.ownID {
			s.sendWhisper(msg6.ChatWhisperReceived, "←", ev.Player, ev.Text)
		}
	}
}

func (s *serverSide) sendWhisper(mode msg6.ChatMode, arrow string, other game.PlayerID, text string) {
	if !s.sendPlayerChat(mode, other, text) {
		s.sendServerChat("[" + arrow + " " + s.protocol.playerName(other) + "] " + text)
	}
}

// sendPlayerChat sends a player's chat line. The line of a player without an id comes from the
// proxy, or from the server while there is no proxy. If the client does not support the mode,
// sendPlayerChat sends nothing and returns false.
func (s *serverSide) sendPlayerChat(mode msg6.ChatMode, player game.PlayerID, text string) bool {
	id := s.ids.ID(player)
	if id < 0 {
		text = s.protocol.playerName(player) + ": " + text
		if !s.ids.IsActive() && mode.KnownBy(s.ddnetVersion) {
			s.sendServerChat(text)
			return true
		}
		id = s.ids.Spare()
	}
	return s.send(&msg6.SvChat{Mode: mode, ClientID: id, Message: []byte(text)})
}

// sendKill sends a kill message. If the killer has no id, the victim takes the killer's place.
func (s *serverSide) sendKill(ev *game.Event) {
	victim := s.ids.ID(ev.Target)
	if victim < 0 {
		return
	}
	killer := s.ids.ID(ev.Player)
	if killer < 0 {
		killer = victim
	}
	s.send(&msg6.SvKillMsg{Killer: killer, Victim: victim, Weapon: msg6.Weapon(ev.Weapon), ModeSpecial: ev.Value})
}

// sendGameMsg sends a game message as text or sound. 0.7 has Sv_GameMsg instead.
func (s *serverSide) sendGameMsg(w *game.World, ev *game.Event) {
	switch ev.GameMsg {
	case game.GameMsgTeamSwap:
		s.sendServerChat("Teams were swapped")
	case game.GameMsgSpecInvalidID:
		s.sendServerChat("Invalid spectator id used")
	case game.GameMsgTeamShuffle:
		s.sendServerChat("Teams were shuffled")
	case game.GameMsgTeamBalance:
		s.sendServerChat("Teams have been balanced")
	case game.GameMsgGamePaused:
		s.sendServerChat("'" + s.protocol.playerName(ev.Player) + "' initiated a pause")
	case game.GameMsgTeamAll:
		s.sendOwnBroadcast(w.Tick(), "All players were moved to the "+texts.TeamName(game.Team(ev.Value), w.GameFlags()))
	case game.GameMsgTeamBalanceVictim:
		s.sendOwnBroadcast(w.Tick(), "You were moved to the "+texts.TeamName(game.Team(ev.Value), w.GameFlags())+" due to team balancing")
	case game.GameMsgCTFDrop:
		s.sendSound(msg6.SoundCTFDrop)
	case game.GameMsgCTFReturn:
		s.sendSound(msg6.SoundCTFReturn)
	case game.GameMsgCTFGrab:
		if s.supportedTeam(w) == game.Team(ev.Value) {
			s.sendSound(msg6.SoundCTFGrabEnemy)
		} else {
			s.sendSound(msg6.SoundCTFGrabOwn)
		}
	case game.GameMsgCTFCapture:
		s.sendSound(msg6.SoundCTFCapture)
		s.sendServerChat(bridge.CaptureText(game.Team(ev.Value), s.protocol.playerName(ev.Player), ev.Extra))
	}
}

func (s *serverSide) sendSound(sound msg6.Sound) { s.send(&msg6.SvSoundGlobal{Sound: sound}) }

// supportedTeam returns the client's team. For a spectator it is the team of the watched player.
func (s *serverSide) supportedTeam(w *game.World) game.Team {
	f := w.Frame()
	for i := range f.Players {
		p := &f.Players[i]
		if p.ID != s.ownID {
			continue
		}
		if p.Team == game.TeamSpectators && p.SpecMode != game.SpectateFree {
			if watched, ok := w.Player(p.SpectatorID); ok {
				return watched.Team
			}
		}
		return p.Team
	}
	return game.TeamSpectators
}

// announceTimeLeft broadcasts the time left of a pause, or of the countdown after it. The broadcast
// is renewed every second in the last minute, and every ten seconds before that. In a warmup
// without an end, it says what the warmup waits for. Clients show a broadcast for ten seconds.
func (s *serverSide) announceTimeLeft(g *game.GameState, tick int32) {
	const waiting = -1
	left := int32(0)
	switch {
	case isPaused(g, tick) && g.EndTick > tick:
		left = (g.EndTick - tick + game.TickRate - 1) / game.TickRate
	case g.State&game.StateWarmup != 0 && g.EndTick == 0:
		left = waiting
	}
	switch {
	case left == waiting && (tick < s.otherTextUntil || s.sentTimeLeft == waiting && tick-s.sentTimeLeftTick < 9*game.TickRate):
		return
	case left != waiting && left == s.sentTimeLeft, left > 60 && left%10 != 0:
		return
	case left == waiting:
		s.sendBroadcast(waitingText(s.protocol.world)) // less important than any other broadcast
	case left > 0:
		s.sendOwnBroadcast(tick, timeLeftText(left, g.State&game.StateCountdown != 0))
	case tick >= s.otherTextUntil:
		s.sendBroadcast("") // clear the previous broadcast
		s.ownTextUntil = 0
	}
	s.sentTimeLeft, s.sentTimeLeftTick = left, tick
}
