package server

import (
	"strings"

	"github.com/teeyard/teeyard/game"
)

// suggestClient suggests another client to players without a current client of DDNet.
func (s *Server) suggestClient(c *session) {
	text := ""
	const updaterFixed = 707 // the first version of DDNet's client that updates itself
	switch v := c.clientVersion; {
	case s.isSeven(c), v == 0:
		text = s.settings.ClientSuggestion
	case v >= 15 && v < 100 || v == 502:
		text = s.settings.ClientSuggestionBot
	case v < updaterFixed:
		text = s.settings.ClientSuggestionOld
	}
	if text = strings.ReplaceAll(text, `\n`, "\n"); text != "" {
		ev := game.Event{Kind: game.EvBroadcast, To: game.MaskOne(c.id), Player: game.Nobody, Target: game.Nobody, Text: text}
		c.bridge.SendEvent(s.world, &ev)
		c.modView.Hold(text, s.world.Tick())
	}
}
