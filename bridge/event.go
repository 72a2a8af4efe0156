package bridge

import (
	"time"

	"github.com/teeyard/teeyard/event"
)

// Event returns the event of a vote that caller called.
func (v *Vote) Event(caller event.Player) event.Event {
	what := v.Description
	switch v.Kind {
	case VotePassed, VoteFailed, VoteAborted, VoteNone:
		return event.VoteEnd{Passed: v.Kind == VotePassed, Aborted: v.Kind == VoteAborted || v.Kind == VoteNone}
	case VoteKick:
		what = "kick " + what
	case VoteSpectate:
		what = "move to spectators " + what
	}
	return event.VoteStart{By: caller, What: what, Reason: v.Reason, Time: time.Duration(v.Timeout) * time.Second}
}

// Event returns the event of a server that says what it is.
func (i *ServerInfo) Event() event.ServerInfo {
	return event.ServerInfo{
		Version: i.Version, Name: i.Name, Map: i.Map, GameType: i.GameType,
		Slots: int(i.PlayerSlots), Clients: int(i.MaxClients),
	}
}
