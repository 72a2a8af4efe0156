package bridge

import (
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// Event returns the vote as an event. Event calls player to look up the players involved.
func (v *Vote) Event(player func(game.PlayerID) event.Player) event.Event {
	what := v.Description
	switch v.Kind {
	case event.VotePassed, event.VoteFailed, event.VoteAborted, event.VoteNone:
		return event.VoteEnd{By: player(v.Caller), Passed: v.Kind == event.VotePassed, Aborted: v.Kind == event.VoteAborted || v.Kind == event.VoteNone}
	case event.VoteKick:
		what = "kick " + what
	case event.VoteSpectate:
		what = "move to spectators " + what
	}
	target := game.Nobody
	if v.Kind == event.VoteKick || v.Kind == event.VoteSpectate {
		target = v.Target
	}
	return event.VoteStart{
		By: player(v.Caller), Kind: v.Kind, Target: player(target), Description: v.Description, What: what,
		Reason: v.Reason, Time: time.Duration(v.Timeout) * time.Second,
	}
}

// Event returns the server's description as an event.
func (i *ServerInfo) Event() event.ServerInfo {
	return event.ServerInfo{
		Version: i.Version, Name: i.Name, Hostname: i.Hostname, Map: i.Map, GameType: i.GameType,
		Password: i.NeedsPassword, TimeScore: i.TimeScore, SkillLevel: int(i.SkillLevel),
		Players: int(i.Players), Slots: int(i.PlayerSlots), Connected: int(i.Clients), Clients: int(i.MaxClients),
	}
}
