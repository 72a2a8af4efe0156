package vote

import (
	"net/netip"

	"github.com/teeyard/teeyard/game"
)

// tally is the result of a count.
type tally struct{ yes, no, total int32 }

// countPersons counts the votes of the clients that are present. A person has one vote. It counts
// if mayVote accepts the person's first client. The choice of a later client of the person replaces
// the one before if replaces accepts it.
func (v *Votes) countPersons(present, mayVote func(*client) bool, replaces func(s, before *seat) bool) (t tally) {
	var clients []client
	v.clients(func(c *client) {
		if !c.Held && present(c) {
			clients = append(clients, *c)
		}
	})
	person := func(c *client) netip.Prefix {
		if !c.InGame {
			return netip.Prefix{}
		}
		return c.person()
	}
	var counted game.PlayerMask
	for i := range clients {
		c := &clients[i]
		if counted.Has(c.id) || !mayVote(c) {
			continue
		}
		vote, whose := *c.seat, person(c)
		for j := range clients[i+1:] {
			if o := &clients[i+1+j]; !counted.Has(o.id) && person(o) == whose {
				counted.Add(o.id)
				if replaces(o.seat, &vote) {
					vote = *o.seat
				}
			}
		}
		t.total++
		switch {
		case vote.choice > 0:
			t.yes++
		case vote.choice < 0:
			t.no++
		}
	}
	return t
}
