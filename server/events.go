package server

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/fill"
)

// deliverEvent logs an event and sends it to the clients that it is for.
func (s *Server) deliverEvent(now conn.Time, ev *game.Event) {
	if ev.Kind.IsEffect() {
		return
	}
	if ev.Kind == game.EvRoundStart && ev.Value == 0 {
		s.record.BeginRound()
		s.beginBroadcast()
	}
	if ev.Kind == game.EvPlayerLeft && s.isQuiet(ev.Player) {
		silent := *ev
		silent.Flag = true
		ev = &silent
	}
	switch ev.Kind {
	case game.EvTeamChange, game.EvPickup: // the original logs these after sending them
		defer eventLog{s}.write(ev)
	case game.EvPlayerEntered:
	default:
		eventLog{s}.write(ev)
	}
	switch ev.Kind {
	case game.EvTeamChange:
		s.votes.ChangedTeam(ev.Player, ev.Team)
	case game.EvPlayerEntered:
		s.votes.Recount()
		if s.bots.Has(ev.Player) {
			s.bots.Entered(ev.Player)
			s.print(console.Standard, "server",
				fmt.Sprintf("player has entered the game. ClientID=%d addr=%s%s", ev.Player, fill.Addr, s.logs.InDDNet(" sixup=%d", 0)))
			eventLog{s}.write(ev)
			break
		}
		s.enterClient(now, ev)
		return
	case game.EvKick:
		if c := s.sessions[ev.Player]; c != nil {
			c.drop(ev.Text)
		}
		s.bots.Remove(ev.Player, ev.Text)
		return
	case game.EvPlayerLeft:
		s.bots.Left(ev.Player)
		s.seats.quiet.Remove(ev.Player)
	case game.EvMatchEnd:
		s.drain.observe(ev)
		if ev.Flag {
			s.maps.Rotate()
		} else {
			s.maps.ReadAhead()
		}
		return
	case game.EvRoundStart:
		s.drain.observe(ev)
		s.maps.MatchBegan()
	}
	for id, c := range s.sessions {
		if c != nil && c.state == stateInGame && ev.To.Has(game.PlayerID(id)) && c.takesText(ev) {
			c.bridge.SendEvent(s.world, ev)
			if ev.Kind == game.EvBroadcast {
				c.modView.Hold(ev.Text, s.world.Tick())
			}
		}
	}
	s.record.Event(ev)
}

// takesText reports whether a client is sent an event. A client that is not to be disturbed gets no
// chat with all. Modes and mods can make texts without end, so they are left out before the client
// would be dropped for them.
func (c *session) takesText(ev *game.Event) bool {
	switch ev.Kind {
	case game.EvChat:
		switch {
		case c.doNotDisturb && ev.Chat == game.ChatAll && ev.To != game.MaskOne(c.id):
			return false
		case c.noWhispers && ev.Chat == game.ChatWhisper && ev.Target == c.id && ev.Player != c.id && ev.Player >= 0:
			if from := c.server.sessions[ev.Player]; from != nil {
				from.reply("This person has disabled receiving whispers")
			}
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
