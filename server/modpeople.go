package server

import (
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// modView is what a client was last sent of what mods show its player.
type modView struct {
	text     string // on the screen
	textTick int32  // when it was sent, 0 if it has to be sent again
	// heldUntil is the tick until which a broadcast is shown instead of text.
	heldUntil int32

	menu     int32 // its version, see game.World.MenuLines; menuStale for one to be sent again
	menuTick int32 // when it was sent
}

const (
	menuStale = -1
	// modViewTicks is the fewest ticks between two changes that a client is sent, however
	// often a mod makes some.
	modViewTicks = game.TickRate / 5
	// broadcastTicks is how long clients show a broadcast. Those that are to stay are sent
	// again before that; a version has texts of its own there, after which they come back.
	broadcastTicks = 10 * game.TickRate
	textTicks      = broadcastTicks / 2
)

// holdText keeps the text of a mod from the screen while a broadcast is there.
func (v *modView) holdText(ev *game.Event, tick int32) {
	v.textTick = 0
	if v.heldUntil = tick + broadcastTicks; ev.Text == "" {
		v.heldUntil = 0
	}
}

// sendModViews sends what mods show players, where it has changed.
func (s *Server) sendModViews() {
	tick := s.world.Tick()
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame || c.isHeld() {
			continue
		}
		v := &c.modView
		if lines, version := s.world.MenuLines(c.id); v.menu != version && tick >= v.menuTick+modViewTicks {
			v.menu, v.menuTick = version, tick
			s.votes.Offer(c.id, lines)
		} else if s.votes.HasMore(c.id) && c.hasRoom() {
			s.votes.OfferMore(c.id)
		}
		text := s.world.ScreenText(c.id)
		again := int32(textTicks)
		if text != v.text {
			again = modViewTicks
		}
		if text == "" && v.text == "" || tick < v.heldUntil || v.textTick != 0 && tick < v.textTick+again {
			continue
		}
		v.text, v.textTick = text, tick
		c.bridge.SendEvent(s.world, &game.Event{Kind: game.EvBroadcast, To: game.MaskOne(c.id), Text: text, Flag: true})
	}
}

// takesText reports whether a client is sent an event: not what is said to all if it wants to be left
// alone, and of texts that nobody said, which a mode or mod
// can make without end, those are left out that the client would be dropped for.
func (c *session) takesText(ev *game.Event) bool {
	switch ev.Kind {
	case game.EvChat:
		switch {
		case c.doNotDisturb && ev.Chat == game.ChatAll && ev.To != game.MaskOne(c.id):
			return false
		case ev.Player != game.Nobody:
			return true
		}
	case game.EvBroadcast, game.EvMotd, game.EvKillFeed:
	default:
		return true
	}
	if c.hasRoom() {
		return true
	}
	c.server.countDrop(dropTexts)
	return false
}

// hasRoom reports whether a client can be sent something that could be left out.
func (c *session) hasRoom() bool {
	n, _ := c.conn.Unacked()
	return n < conn.MaxUnacked*3/4 && c.conn.FreeResendBuffer() > resendBuffer/4
}

// hasMenuLine reports whether a player has a line in a menu of a mod.
func (s *Server) hasMenuLine(id game.PlayerID, text string) bool {
	lines, _ := s.world.MenuLines(id)
	return slices.Contains(lines, text)
}

// menusStale makes menus be sent again, with the options for votes that come after them.
func (s *Server) menusStale() {
	s.forEachInGame(func(c *session) {
		if lines, _ := s.world.MenuLines(c.id); len(lines) > 0 {
			c.modView.menu = menuStale
		}
	})
}
