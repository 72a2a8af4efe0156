package bridge

import (
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// EventHandler is a [GameHandler] that turns the reports of a ClientSide into events.
type EventHandler struct {
	// Side returns the ClientSide whose players, settings and tuning the events refer to.
	Side func() ClientSide
	// Emit is called with each event.
	Emit func(event.Event)
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

func (h *EventHandler) player(id game.PlayerID) event.Player { return EventPlayer(h.Side(), id) }

// OnEvent and the methods below implement GameHandler.
func (h *EventHandler) OnEvent(ev *game.Event) {
	if e := event.FromGame(ev, eventSource{h.Side()}); e != nil {
		h.Emit(e)
	}
}

// OnServerInfo emits the description of the server.
func (h *EventHandler) OnServerInfo(i *ServerInfo) { h.Emit(i.Event()) }

// OnMotd emits the message of the day unless it is empty.
func (h *EventHandler) OnMotd(text string) {
	if text != "" {
		h.Emit(event.NewMotd(text))
	}
}

// OnVote emits the beginning or the end of a vote.
func (h *EventHandler) OnVote(v *Vote) { h.Emit(v.Event(h.player)) }

// OnVoteStatus emits the vote counts.
func (h *EventHandler) OnVoteStatus(yes, no, pass, total int32) {
	h.Emit(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

// OnRconAuthStatus emits a login to the remote console, or its end.
func (h *EventHandler) OnRconAuthStatus(on, commands bool) {
	h.Emit(event.RconAuth{On: on, Commands: commands})
}

// OnRconLine emits a line of the remote console.
func (h *EventHandler) OnRconLine(line string) { h.Emit(event.RconLine{Text: line}) }

// OnVoteOptions emits one event for each option.
func (h *EventHandler) OnVoteOptions(add []string, clear bool) {
	if clear {
		h.Emit(event.VoteOptionsCleared{})
	}
	for _, text := range add {
		h.Emit(event.VoteOptionEntry{Option: text})
	}
}

// OnVoteOptionRemoved emits the removed option.
func (h *EventHandler) OnVoteOptionRemoved(text string) {
	h.Emit(event.VoteOptionEntry{Option: text, Removed: true})
}

// OnRconCommand emits the added command.
func (h *EventHandler) OnRconCommand(c *CommandInfo) {
	h.Emit(event.RconCommand{Name: c.Name, Params: c.Params, Help: c.Help})
}

// OnRconCommandRemoved emits the removed command.
func (h *EventHandler) OnRconCommandRemoved(name string) {
	h.Emit(event.RconCommand{Name: name, Removed: true})
}

// OnMapListEntry emits a map that was added to the server's list or removed from it.
func (h *EventHandler) OnMapListEntry(name string, removed bool) {
	h.Emit(event.MapEntry{Map: name, Removed: removed})
}

// OnChatCommand emits a chat command that was added or removed.
func (h *EventHandler) OnChatCommand(c *CommandInfo, removed bool) {
	h.Emit(event.ChatCommand{Name: c.Name, Params: c.Params, Help: c.Help, Removed: removed})
}

// OnOther emits the event unchanged.
func (h *EventHandler) OnOther(e event.Event) { h.Emit(e) }
