package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/chat"
)

// chatHost implements chat.Host.
type chatHost struct{ s *Server }

func (h chatHost) Reply(id game.PlayerID, line string) { h.s.sessions[id].reply(line) }

func (h chatHost) Request(cmd game.Command) { h.s.queueRequest(cmd) }

func (h chatHost) MayShow(id game.PlayerID) bool { return h.s.sessions[id].mayShow() }

func (h chatHost) Announce(cmd *chat.Command, offered bool) {
	for _, c := range h.s.sessions {
		switch {
		case c == nil || c.state != stateInGame || h.s.mods.Starting(): // they get a list with the map
		case offered:
			c.bridge.SendChatCommand(cmd.Info())
		default:
			c.bridge.SendChatCommandRemoved(cmd.Name)
		}
	}
}

// AddChatCommand adds a command to those that players may write into the chat, and offers it to
// them. Without it, mods get the line as chat; see [game.ChatHook].
func (s *Server) AddChatCommand(cmd chat.Command) error { return s.chat.Add(cmd) }

// RemoveChatCommand removes the added command with the name, if any.
func (s *Server) RemoveChatCommand(name string) { s.chat.Remove(name) }
