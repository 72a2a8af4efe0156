package bridge

import (
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// EventHandler is a [GameHandler] that makes events of what a ClientSide reports. The lists
// that a server sends are not events; it ignores them.
type EventHandler struct {
	// Side returns the ClientSide, which knows whom the events are about.
	Side func() ClientSide
	// Emit is called with each event.
	Emit func(event.Event)
}

// EventPlayer returns the player whom an event is about, as side knows them.
func EventPlayer(side ClientSide, id game.PlayerID) event.Player {
	if id < 0 || id >= game.MaxPlayers {
		return event.Player{ID: game.Nobody}
	}
	info, _ := side.Player(id)
	return event.Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// eventSource answers what the game's events leave out.
type eventSource struct{ ClientSide }

// EventPlayer implements event.Source.
func (s eventSource) EventPlayer(id game.PlayerID) event.Player { return EventPlayer(s.ClientSide, id) }

func (h *EventHandler) player(id game.PlayerID) event.Player { return EventPlayer(h.Side(), id) }

// OnEvent and the methods below implement GameHandler.
func (h *EventHandler) OnEvent(ev *game.Event) {
	if e := event.FromGame(ev, eventSource{h.Side()}); e != nil {
		h.Emit(e)
	}
}

// OnServerInfo emits the description of the server.
func (h *EventHandler) OnServerInfo(i *ServerInfo) { h.Emit(i.Event()) }

// OnMotd emits the message of the day, if it is not empty.
func (h *EventHandler) OnMotd(text string) {
	if text != "" {
		h.Emit(event.NewMotd(text))
	}
}

// OnVote emits the beginning or the end of a vote.
func (h *EventHandler) OnVote(v *Vote) { h.Emit(v.Event(h.player(v.Caller))) }

// OnVoteStatus emits the number of votes.
func (h *EventHandler) OnVoteStatus(yes, no, pass, total int32) {
	h.Emit(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

// OnRconAuthStatus emits a login to the remote console, or its end.
func (h *EventHandler) OnRconAuthStatus(on bool) { h.Emit(event.RconAuth{On: on}) }

// OnRconLine emits a line of the remote console.
func (h *EventHandler) OnRconLine(line string) { h.Emit(event.RconLine{Text: line}) }

// OnVoteOptions and the methods below ignore the lists.
func (*EventHandler) OnVoteOptions([]string, bool) {}

// OnVoteOptionRemoved does nothing.
func (*EventHandler) OnVoteOptionRemoved(string) {}

// OnRconCommand does nothing.
func (*EventHandler) OnRconCommand(*CommandInfo) {}

// OnRconCommandRemoved does nothing.
func (*EventHandler) OnRconCommandRemoved(string) {}

// OnMapListEntry does nothing.
func (*EventHandler) OnMapListEntry(string, bool) {}

// OnChatCommand does nothing.
func (*EventHandler) OnChatCommand(*CommandInfo, bool) {}
