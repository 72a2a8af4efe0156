package client

import (
	"slices"

	"github.com/teeyard/teeyard/game"
)

// earlierSnapshot is what a snapshot showed that another one followed in the same datagram.
type earlierSnapshot struct {
	view    game.View
	frame   game.Frame
	effects []game.Event
}

// maxEarlierSnapshots is how many are kept for OnSnapshot. Servers send a snapshot per datagram, but
// could put some hundred empty ones into one.
const maxEarlierSnapshots = 16

// keepEarlier copies the last snapshot for OnSnapshot, since another one replaces it.
func (c *Client) keepEarlier() {
	if len(c.earlier) == maxEarlierSnapshots {
		c.earlier = slices.Delete(c.earlier, 0, 1)
	}
	v := c.session.side.View()
	e := &earlierSnapshot{view: *v, frame: *v.Frame, effects: slices.Clone(c.session.side.Effects())}
	e.view.Frame = &e.frame
	f := &e.frame
	f.Players, f.Characters, f.Projectiles = slices.Clone(f.Players), slices.Clone(f.Characters), slices.Clone(f.Projectiles)
	f.Lasers, f.Pickups, f.Flags = slices.Clone(f.Lasers), slices.Clone(f.Pickups), slices.Clone(f.Flags)
	f.Switches, f.SpecTees = slices.Clone(f.Switches), slices.Clone(f.SpecTees)
	c.earlier = append(c.earlier, e)
}
