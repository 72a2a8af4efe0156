package bridge

import (
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// NewEventHandler returns a [GameHandler] that turns the reports of a ClientSide into events and
// calls emit with each of them. The function side returns the ClientSide whose players, settings
// and tuning the events refer to.
func NewEventHandler(side func() ClientSide, emit func(event.Event)) GameHandler {
	return &eventHandler{side, emit}
}

type eventHandler struct {
	side func() ClientSide
	emit func(event.Event)
}

// EventPlayer returns the player with the given id as side knows them.
func EventPlayer(side ClientSide, id game.PlayerID) event.Player {
	if id < 0 || id >= game.MaxPlayers {
		return event.Player{ID: game.Nobody}
	}
	info, _ := side.Player(id)
	return event.Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// eventSource looks up in a ClientSide what the game's own events leave out, such as names.
type eventSource struct{ ClientSide }

// EventPlayer implements event.Source.
func (s eventSource) EventPlayer(id game.PlayerID) event.Player { return EventPlayer(s.ClientSide, id) }

// EventProfile implements event.Source.
func (s eventSource) EventProfile(id game.PlayerID) game.Profile {
	info, _ := s.Player(id)
	return info.Profile
}

// EventSelf implements event.Source.
func (s eventSource) EventSelf() game.PlayerID { return s.OwnID() }

// EventSettings implements event.Source.
func (s eventSource) EventSettings() event.Settings { return s.Settings() }

// EventTuning implements event.Source.
func (s eventSource) EventTuning() event.Tuning {
	t := event.Tuning{Params: s.Tuning()}
	t.DDRace, t.NumDDRace = s.DDRaceTuning()
	return t
}

func (h *eventHandler) player(id game.PlayerID) event.Player { return EventPlayer(h.side(), id) }

// OnEvent and the methods below implement GameHandler.
func (h *eventHandler) OnEvent(ev *game.Event) {
	if e := event.FromGame(ev, eventSource{h.side()}); e != nil {
		h.emit(e)
	}
}

// OnServerInfo emits the description of the server.
func (h *eventHandler) OnServerInfo(i *ServerInfo) { h.emit(i.Event()) }

// OnMotd emits the message of the day unless it is empty.
func (h *eventHandler) OnMotd(text string) {
	if text != "" {
		h.emit(event.NewMotd(text))
	}
}

// OnVote emits the beginning or the end of a vote.
func (h *eventHandler) OnVote(v *Vote) { h.emit(v.Event(h.player)) }

// OnVoteStatus emits the vote counts.
func (h *eventHandler) OnVoteStatus(yes, no, pass, total int32) {
	h.emit(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

// OnRconAuthStatus emits a login to the remote console, or its end.
func (h *eventHandler) OnRconAuthStatus(on, commands bool) {
	h.emit(event.RconAuth{On: on, Commands: commands})
}

// OnRconLine emits a line of the remote console.
func (h *eventHandler) OnRconLine(line string) { h.emit(event.RconLine{Text: line}) }

// OnVoteOptions emits one event for each option.
func (h *eventHandler) OnVoteOptions(add []string, clear bool) {
	if clear {
		h.emit(event.VoteOptionsCleared{})
	}
	for _, text := range add {
		h.emit(event.VoteOptionEntry{Option: text})
	}
}

// OnVoteOptionRemoved emits the removed option.
func (h *eventHandler) OnVoteOptionRemoved(text string) {
	h.emit(event.VoteOptionEntry{Option: text, Removed: true})
}

// OnRconCommand emits the added command.
func (h *eventHandler) OnRconCommand(c *CommandInfo) {
	h.emit(event.RconCommand{Name: c.Name, Params: c.Params, Help: c.Help})
}

// OnRconCommandRemoved emits the removed command.
func (h *eventHandler) OnRconCommandRemoved(name string) {
	h.emit(event.RconCommand{Name: name, Removed: true})
}

// OnMapListEntry emits a map that was added to the server's list or removed from it.
func (h *eventHandler) OnMapListEntry(name string, removed bool) {
	h.emit(event.MapEntry{Map: name, Removed: removed})
}

// OnChatCommand emits a chat command that was added or removed.
func (h *eventHandler) OnChatCommand(c *CommandInfo, removed bool) {
	h.emit(event.ChatCommand{Name: c.Name, Params: c.Params, Help: c.Help, Removed: removed})
}

// OnOther emits the event unchanged.
func (h *eventHandler) OnOther(e event.Event) { h.emit(e) }
