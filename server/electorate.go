package server

import (
	"net/netip"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/vote"
)

// electorate implements vote.Electorate.
type electorate struct{ s *Server }

func (e electorate) Voter(id game.PlayerID) (v vote.Voter, ok bool) {
	c := e.s.sessions[id]
	if c == nil {
		return vote.Voter{}, false
	}
	unacked, _ := c.conn.Unacked()
	return vote.Voter{
		Addr: c.peer.Addr(), Seated: c.state >= stateReady, InGame: c.state == stateInGame,
		Held: c.isHeld(), Leaving: c.dropping, Operator: c.rcon.authed, Level: c.rcon.level,
		EnteredAt: c.enteredAt, Unacked: unacked, Menu: c.bridge,
	}, true
}

func (e electorate) Name(id game.PlayerID) string { return e.s.playerName(id) }

func (e electorate) IsBot(id game.PlayerID) bool { return e.s.bots.Has(id) }

func (e electorate) MutedFor(id game.PlayerID) int {
	seconds, _ := e.s.sessions[id].mutedFor()
	return seconds
}

func (e electorate) IsBanned(a netip.Addr) bool {
	b, banned := e.s.access.Bans.Find(a)
	return banned && !b.Temporary
}

func (e electorate) Reply(id game.PlayerID, line string) { e.s.sessions[id].reply(line) }
