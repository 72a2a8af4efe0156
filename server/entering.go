package server

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// enterClient lets a client into the game. It tells the client about all players, and the players
// about the client.
func (s *Server) enterClient(now conn.Time, ev *game.Event) {
	c := s.sessions[ev.Player]
	if c == nil || c.state != stateEntering {
		return
	}
	s.votes.Entered(c.id, s.anyInGameBefore(now.Add(-10*time.Second)))
	if c.enteredAt == 0 {
		c.startSpeech(now)
	}
	// DDNet-Server greets those only who were not there before the map changed.
	returns := s.world.IsDDRace() && c.enteredAt != 0
	first := c.enteredAt == 0
	c.state, c.enteredAt = stateInGame, now
	c.version.joined++
	info := s.listing.ServerInfo()
	told := *ev // to the others
	told.Flag = told.Flag || returns
	if c.mayAnnounce() {
		s.seats.quiet.Remove(c.id)
		s.print(console.Standard, "server",
			fmt.Sprintf("player has entered the game. ClientID=%d addr=%s%s", c.id, c.peer, s.logs.InDDNet(" sixup=%d", boolToInt(s.isSeven(c)))))
		s.logJoin(c)
		if first {
			c.note("joined", "")
		}
	} else {
		s.seats.quiet.Add(c.id)
		told.Flag = true
	}
	c.bridge.SendServerInfo(&info)
	for cmd := range s.chat.All {
		if !cmd.Unlisted {
			c.bridge.SendChatCommand(cmd.Info())
		}
	}
	eventLog{s}.write(ev)
	c.bridge.SendGameInfo(s.world)
	for other, o := range s.sessions {
		if o == nil || o == c || o.state != stateInGame {
			continue
		}
		if !c.back {
			o.bridge.SendEvent(s.world, &told)
		}
		c.bridge.SendClientInfo(s.world, game.PlayerID(other), false, false)
	}
	if !c.back { // whom all know
		s.record.Event(&told)
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		if s.bots.IsAnnounced(id) {
			c.bridge.SendClientInfo(s.world, id, false, false)
		}
	}
	c.bridge.SendClientInfo(s.world, c.id, true, ev.Flag || returns)
	c.reclaimSeat()
	if s.settings.Welcome != "" && !c.back && !returns {
		c.reply(s.settings.Welcome)
	}
	if !c.back {
		s.suggestClient(c)
	}
	c.conn.Flush(now)
}
