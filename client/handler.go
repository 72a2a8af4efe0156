package client

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// player returns the player whom an event is about.
func (c *Client) player(id game.PlayerID) event.Player {
	return eventSource{c.session.side}.EventPlayer(id)
}

// eventSource answers what the game's events leave out.
type eventSource struct{ bridge.ClientSide }

// EventPlayer implements event.Source.
func (s eventSource) EventPlayer(id game.PlayerID) event.Player {
	if id < 0 || id >= game.MaxPlayers {
		return event.Player{ID: game.Nobody}
	}
	info, _ := s.Player(id)
	return event.Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// gameHandler makes events of the messages that a session receives.
type gameHandler struct{ *Client }

// OnServerInfo and the methods below implement bridge.GameHandler.
func (s gameHandler) OnServerInfo(i *bridge.ServerInfo) {
	s.queueEvent(i.Event())
}

func (s gameHandler) OnMotd(text string) {
	if text != "" {
		s.queueEvent(event.NewMotd(text))
	}
}

func (s gameHandler) OnRaceFinish(id game.PlayerID, time, diff int32, record bool) {
	s.queueEvent(event.RaceFinish{Player: s.player(id), Time: time, Diff: diff, Record: record})
}

func (s gameHandler) OnCheckpoint(diff int32) { s.queueEvent(event.Checkpoint{Diff: diff}) }

func (s gameHandler) OnVoteStatus(yes, no, pass, total int32) {
	s.queueEvent(event.VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

func (s gameHandler) OnRconAuthStatus(on bool) {
	s.rcon.loggedIn = on
	if !on {
		s.rcon.endRuns(ErrRcon)
		s.lists.commands, s.lists.maps = nil, nil
	}
	s.queueEvent(event.RconAuth{On: on})
}

func (s gameHandler) OnRconLine(line string) {
	s.rcon.addLine(line)
	s.queueEvent(event.RconLine{Text: line})
}

// OnEvent names whom an event of the game is about.
func (s gameHandler) OnEvent(ev *game.Event) {
	switch e := event.FromGame(ev, eventSource{s.session.side}).(type) {
	case nil:
	case event.Joined:
		e.Known = !s.entered
		s.queueEvent(e)
	default:
		s.queueEvent(e)
	}
}

func (s gameHandler) OnVote(v *bridge.Vote) {
	s.queueEvent(v.Event(s.player(v.Caller)))
}

// nopHandler implements bridge.GameHandler and ignores everything.
type nopHandler struct{}

func (nopHandler) OnEvent(*game.Event)                            {}
func (nopHandler) OnServerInfo(*bridge.ServerInfo)                {}
func (nopHandler) OnMotd(string)                                  {}
func (nopHandler) OnRaceFinish(game.PlayerID, int32, int32, bool) {}
func (nopHandler) OnCheckpoint(int32)                             {}
func (nopHandler) OnVote(*bridge.Vote)                            {}
func (nopHandler) OnVoteStatus(int32, int32, int32, int32)        {}
func (nopHandler) OnVoteOptions([]string, bool)                   {}
func (nopHandler) OnVoteOptionRemoved(string)                     {}
func (nopHandler) OnRconAuthStatus(bool)                          {}
func (nopHandler) OnRconLine(string)                              {}
func (nopHandler) OnRconCommand(*bridge.CommandInfo)              {}
func (nopHandler) OnRconCommandRemoved(string)                    {}
func (nopHandler) OnMapListEntry(string, bool)                    {}
func (nopHandler) OnChatCommand(*bridge.CommandInfo, bool)        {}
