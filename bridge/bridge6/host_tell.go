package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// SendEvent implements [bridge.ServerSide].
func (h *serverSide) SendEvent(w *game.World, ev *game.Event) {
	switch ev.Kind {
	case game.EvPlayerEntered:
		if !ev.Flag {
			h.line(entered(h.v.nameOf(ev.Player), ev.Team, w.GameFlags()))
		}
	case game.EvPlayerLeft:
		if !ev.Flag {
			h.line(left(h.gone(ev.Player), ev.Text))
		}
	case game.EvTeamChange:
		if !ev.Flag {
			h.line(joined(h.v.nameOf(ev.Player), ev.Team, w.GameFlags()))
		}
	case game.EvChat:
		h.chat(ev)
	case game.EvKill:
		h.kill(ev)
	case game.EvPickup:
		if ev.Weapon >= 0 {
			h.say(&msg6.SvWeaponPickup{Weapon: msg6.Weapon(ev.Weapon)})
		}
	case game.EvEmoticon:
		if id := h.ids.id(ev.Player); id >= 0 {
			h.say(&msg6.SvEmoticon{ClientID: id, Emoticon: msg6.Emoticon(ev.Value)})
		}
	case game.EvServerSettings:
		h.SendSettings(w)
	case game.EvTuneParams:
		h.SendTuning(w)
	case game.EvGameMsg:
		h.notice(w, ev)
	case game.EvBroadcast:
		h.broadcast(ev.Text)
	}
}

// SendClientInfo implements [bridge.ServerSide]. Names come with the snapshots, so only the client's
// own coming is worth a word, the one that others get of it.
func (h *serverSide) SendClientInfo(w *game.World, about game.PlayerID, self, silent bool) {
	if !self {
		return
	}
	h.own = about
	h.v.scene.wear(about, h.dressed)
	if p, ok := w.Player(about); ok && !silent {
		h.line(entered(p.Profile.Name, p.Team, w.GameFlags()))
	}
}

// gone is the name of a player who left.
func (h *serverSide) gone(id game.PlayerID) string {
	if id >= 0 && id < game.MaxPlayers && h.v.names[id] != "" {
		return h.v.names[id]
	}
	return h.v.nameOf(id)
}

// line is a line of the server's in the chat.
func (h *serverSide) line(text string) {
	h.say(&msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte(text)})
}

func (h *serverSide) broadcast(text string) { h.say(&msg6.SvBroadcast{Message: []byte(text)}) }

// chat is a line of chat. Only DDNet has whispers; others see a line of the server's.
func (h *serverSide) chat(ev *game.Event) {
	if ev.Player < 0 {
		h.line(ev.Text)
		return
	}
	switch ev.Chat {
	case game.ChatAll:
		h.spoken(msg6.ChatAll, ev.Player, ev.Text)
	case game.ChatTeam:
		h.spoken(msg6.ChatTeam, ev.Player, ev.Text)
	case game.ChatWhisper:
		if ev.Player == h.own {
			if h.version >= msg6.VersionWhisper {
				h.spoken(msg6.ChatWhisperSent, ev.Target, ev.Text)
			} else {
				h.line("[→ " + h.v.nameOf(ev.Target) + "] " + ev.Text)
			}
		}
		if ev.Target == h.own {
			if h.version >= msg6.VersionWhisper {
				h.spoken(msg6.ChatWhisperReceived, ev.Player, ev.Text)
			} else {
				h.line("[← " + h.v.nameOf(ev.Player) + "] " + ev.Text)
			}
		}
	}
}

// spoken is what a player said; whom the client does not know, the spokesman speaks
// for, or the server as long as there is none.
func (h *serverSide) spoken(mode msg6.ChatMode, by game.PlayerID, text string) {
	id := h.ids.id(by)
	if id < 0 {
		text = h.v.nameOf(by) + ": " + text
		if !h.ids.on {
			h.line(text)
			return
		}
		id = spokesman
	}
	h.say(&msg6.SvChat{Mode: mode, ClientID: id, Message: []byte(text)})
}

// kill is a death. One that nobody did, or one who is not there, the victim did.
func (h *serverSide) kill(ev *game.Event) {
	victim := h.ids.id(ev.Target)
	if victim < 0 {
		return
	}
	killer := h.ids.id(ev.Player)
	if killer < 0 {
		killer = victim
	}
	h.say(&msg6.SvKillMsg{Killer: killer, Victim: victim, Weapon: msg6.Weapon(ev.Weapon), ModeSpecial: ev.Value})
}

// notice is what 0.7 clients have words of their own for.
func (h *serverSide) notice(w *game.World, ev *game.Event) {
	switch ev.GameMsg {
	case game.GameMsgTeamSwap:
		h.line("Teams were swapped")
	case game.GameMsgSpecInvalidID:
		h.line("Invalid spectator id used")
	case game.GameMsgTeamShuffle:
		h.line("Teams were shuffled")
	case game.GameMsgTeamBalance:
		h.line("Teams have been balanced")
	case game.GameMsgGamePaused:
		h.line("'" + h.v.nameOf(ev.Player) + "' initiated a pause")
	case game.GameMsgTeamAll:
		h.broadcast("All players were moved to the " + side(game.Team(ev.Value), w.GameFlags()))
	case game.GameMsgTeamBalanceVictim:
		h.broadcast("You were moved to the " + side(game.Team(ev.Value), w.GameFlags()) + " due to team balancing")
	case game.GameMsgCTFDrop:
		h.sound(msg6.SoundCTFDrop)
	case game.GameMsgCTFReturn:
		h.sound(msg6.SoundCTFReturn)
	case game.GameMsgCTFGrab:
		if h.sides(w) == game.Team(ev.Value) {
			h.sound(msg6.SoundCTFGrabEnemy)
		} else {
			h.sound(msg6.SoundCTFGrabOwn)
		}
	case game.GameMsgCTFCapture:
		h.sound(msg6.SoundCTFCapture)
		h.line(captured(game.Team(ev.Value), h.v.nameOf(ev.Player), ev.Extra))
	}
}

func (h *serverSide) sound(s msg6.Sound) { h.say(&msg6.SvSoundGlobal{Sound: s}) }

// sides is the team the client is for: its own, or a spectator's that of whom he
// watches.
func (h *serverSide) sides(w *game.World) game.Team {
	f := w.Frame()
	for i := range f.Players {
		p := &f.Players[i]
		if p.ID != h.own {
			continue
		}
		if p.Team == game.TeamSpectators && p.SpecMode != game.SpectateFree {
			if q, ok := w.Player(p.SpectatorID); ok {
				return q.Team
			}
		}
		return p.Team
	}
	return game.TeamSpectators
}

// SendSettings implements [bridge.ServerSide]. Of them 0.6 has only that teams are locked.
func (h *serverSide) SendSettings(w *game.World) {
	locked := w.TeamsLocked()
	if h.lockKnown && locked != h.locked {
		if locked {
			h.line("Teams were locked")
		} else {
			h.line("Teams were unlocked")
		}
	}
	h.locked, h.lockKnown = locked, true
}

// SendVoteOptionsCleared implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptionsCleared() { h.say(&msg6.SvVoteClearOptions{}) }

// SendVoteOptions implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptions(texts []string) {
	m, size := msg6.SvVoteOptionListAdd{}, 0
	for _, t := range texts {
		if m.Count == msg6.VoteOptionsPerMessage || m.Count > 0 && size+len(t) > maxOptions {
			h.say(&m)
			m, size = msg6.SvVoteOptionListAdd{}, 0
		}
		m.Descriptions[m.Count] = []byte(t)
		m.Count++
		size += len(t)
	}
	if m.Count > 0 {
		h.say(&m)
	}
}

// maxOptions is how many bytes of vote options go into one message. A chunk of 0.6
// holds 1023.
const maxOptions = 960

// SendVoteOption implements [bridge.ServerSide].
func (h *serverSide) SendVoteOption(text string) {
	h.say(&msg6.SvVoteOptionAdd{Description: []byte(text)})
}

// SendVoteOptionRemoved implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptionRemoved(text string) {
	h.say(&msg6.SvVoteOptionRemove{Description: []byte(text)})
}

// SendVote implements [bridge.ServerSide].
func (h *serverSide) SendVote(v *bridge.Vote) {
	switch v.Kind {
	case bridge.VoteOption, bridge.VoteKick, bridge.VoteSpectate:
		if text := called(v, h.v.nameOf(v.Caller)); text != "" {
			h.line(text)
		}
		if v.Timeout > 0 {
			h.say(&msg6.SvVoteSet{
				Timeout:     min(v.Timeout, msg6.MaxVoteTimeout),
				Description: []byte(votedOn(v)), Reason: []byte(v.Reason),
			})
		}
	default:
		h.say(&msg6.SvVoteSet{})
		if text := ended(v); text != "" {
			h.line(text)
		}
	}
}

// SendVoteStatus implements [bridge.ServerSide].
func (h *serverSide) SendVoteStatus(yes, no, pass, total int32) {
	most := int32(msg6.MaxClients)
	if h.ids.few {
		most = msg6.MaxClientsVanilla
	}
	fit := func(n int32) int32 { return min(max(n, 0), most) }
	h.say(&msg6.SvVoteStatus{Yes: fit(yes), No: fit(no), Pass: fit(pass), Total: fit(total)})
}
