package fill

import (
	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
)

// HasBrain reports whether a bot decides its inputs itself.
func (b *Bots) HasBrain(id game.PlayerID) bool { return b.brains[id] != nil }

// HasNav reports whether there is a navigation graph.
func (b *Bots) HasNav() bool { return b.nav != nil }

// Way returns the way through the map, and the channel that is closed when the search ends.
func (b *Bots) Way() (way *route.Way, stop chan struct{}) { return b.ways.way, b.ways.stop }
