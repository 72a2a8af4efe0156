package client

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// player returns the player with an id, for an event.
func (c *Client) player(id game.PlayerID) event.Player { return bridge.EventPlayer(c.session.side, id) }

// gameHandler queues events, and stores the lists and console output of the server.
type gameHandler struct {
	bridge.GameHandler // queues events
	*Client
}

// OnEvent also writes the event to the demo.
func (s *gameHandler) OnEvent(ev *game.Event) {
	s.demo.event(s.Client, ev)
	s.GameHandler.OnEvent(ev)
}

// OnVote also writes the vote to the demo.
func (s *gameHandler) OnVote(v *bridge.Vote) {
	s.demo.vote(s.Client, v)
	s.GameHandler.OnVote(v)
}

// OnVoteStatus also writes the counts to the demo.
func (s *gameHandler) OnVoteStatus(yes, no, pass, total int32) {
	s.demo.voteStatus(s.Client, yes, no, pass, total)
	s.GameHandler.OnVoteStatus(yes, no, pass, total)
}

// OnRconAuthStatus drops the lists of commands and maps when the login ends.
func (s *gameHandler) OnRconAuthStatus(on, commands bool) {
	s.rcon.loggedIn = on
	if !on {
		s.rcon.endRuns(ErrRcon)
		s.lists.commands, s.lists.maps = nil, nil
	}
	s.GameHandler.OnRconAuthStatus(on, commands)
}

// OnRconLine also adds the line to the output of running commands.
func (s *gameHandler) OnRconLine(line string) {
	s.rcon.addLine(line)
	s.GameHandler.OnRconLine(line)
}

// emit queues a game event.
func (s *gameHandler) emit(e event.Event) {
	if joined, ok := e.(event.Joined); ok {
		joined.Known = !s.entered
		e = joined
	}
	s.queueEvent(e)
}

// nopHandler implements bridge.GameHandler and ignores everything.
type nopHandler struct{}

func (nopHandler) OnEvent(*game.Event)                     {}
func (nopHandler) OnServerInfo(*bridge.ServerInfo)         {}
func (nopHandler) OnMotd(string)                           {}
func (nopHandler) OnVote(*bridge.Vote)                     {}
func (nopHandler) OnVoteStatus(int32, int32, int32, int32) {}
func (nopHandler) OnVoteOptions([]string, bool)            {}
func (nopHandler) OnVoteOptionRemoved(string)              {}
func (nopHandler) OnRconAuthStatus(bool, bool)             {}
func (nopHandler) OnRconLine(string)                       {}
func (nopHandler) OnRconCommand(*bridge.CommandInfo)       {}
func (nopHandler) OnRconCommandRemoved(string)             {}
func (nopHandler) OnMapListEntry(string, bool)             {}
func (nopHandler) OnChatCommand(*bridge.CommandInfo, bool) {}
func (nopHandler) OnOther(event.Event)                     {}
