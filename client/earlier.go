package client

import (
	"slices"

	"github.com/teeyard/teeyard/game"
)

// earlierSnapshot is the content of a snapshot that another snapshot in the same datagram replaced.
type earlierSnapshot struct {
	view    game.View
	frame   game.Frame
	effects []game.Event
}

// maxEarlierSnapshots limits the snapshots kept for OnSnapshot. Servers send one snapshot per
// datagram, but a datagram could contain hundreds of empty ones.
const maxEarlierSnapshots = 16

// keepEarlier copies the last snapshot for OnSnapshot before another one replaces it.
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
