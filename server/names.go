package server

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/lookalike"
	"github.com/teeyard/teeyard/internal/safetext"
)

// cleanProfile makes the name and the clan of a player safe to show. Clients sanitize texts in ways
// of their own; names and clans reach web pages too. An invisible name becomes "".
func cleanProfile(p *game.Profile) {
	p.Name = safetext.TrimBlank(safetext.Line(p.Name))
	p.Clan = safetext.TrimBlank(safetext.Line(p.Clan))
}

// namelessName is the name of the first player without a name. The next are (2), (3) and so on, as
// on DDNet-Server. The original has the same name for all.
const namelessName = "(1)"

// freeName returns a name for a player who asks for one; that may be "". In races, ranks and
// commands go by names. There the result looks like no other player's name, and does not begin like
// a command.
func (s *Server) freeName(id game.PlayerID, name string) string {
	if name != "" && s.world.GameFlags()&game.GameFlagRace == 0 {
		return name
	}
	taken := map[string]bool{}
	for other := range game.PlayerID(game.MaxPlayers) {
		if p, _ := s.world.Player(other); p.Profile.Name != "" && other != id && !s.isLeaving(other) {
			taken[lookalike.Skeleton(p.Profile.Name)] = true
		}
	}
	for i := range s.pendingCommands {
		if c := &s.pendingCommands[i]; c.Kind == game.CmdProfile && c.Player != id {
			taken[lookalike.Skeleton(c.Profile.Name)] = true
		}
	}
	free := name
	for n := 1; free == "" || strings.HasPrefix(free, "/") || taken[lookalike.Skeleton(free)]; n++ {
		free = safetext.Truncate(fmt.Sprintf("(%d)%s", n, name), game.MaxNameLen)
	}
	return free
}

// isLeaving reports whether a player leaves with the next tick.
func (s *Server) isLeaving(id game.PlayerID) bool {
	for i := range s.pendingCommands {
		if c := &s.pendingCommands[i]; c.Kind == game.CmdLeave && c.Player == id {
			return true
		}
	}
	return false
}

// changeProfile reduces a request for another profile to the allowed changes, or to the skin if
// nothing else is new. It returns false if nothing is new. Clients of DDNet repeat the request as
// long as their player has another name.
func (c *session) changeProfile(cmd *game.Command) bool {
	s := c.server
	info, ok := s.world.Player(c.id)
	if !ok || cmd.Profile == nil {
		return false
	}
	p, have := *cmd.Profile, &info.Profile
	cleanProfile(&p)
	if muted, _ := c.mutedFor(); muted > 0 {
		p.Clan = have.Clan
	}
	free := s.freeName(c.id, p.Name)
	if s.access.Names.Find(cmp.Or(p.Name, namelessName)) != nil || free != have.Name && !c.mayRename() { // a new name is told in the chat
		p.Name = have.Name
	} else {
		c.name = cmp.Or(p.Name, namelessName)
		p.Name = free
	}
	c.clan = p.Clan
	cmd.Profile = &p
	switch {
	case p.Name != have.Name || p.Clan != have.Clan || p.Country != have.Country:
		return true
	case p.Skin != have.Skin:
		cmd.Kind = game.CmdSkinChange
		return true
	}
	return false
}
