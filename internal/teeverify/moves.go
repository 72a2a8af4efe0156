package teeverify

import "slices"

// maxMoves limits the changes of team that a result assumes.
const maxMoves = 1000

// move handles a difference that a change of team may explain: a tee of a player who speaks 0.7 is
// only in the recording, or only in the simulation. It goes back to before the difference and adds
// the change. It reports false if there is no such explanation, or if it has not helped.
func (t *match) move(d *Difference) bool {
	c := &t.clients[d.Client]
	m := Move{Tick: d.Tick, Client: d.Client, Spectates: d.Recorded == nil}
	if !c.version7 || t.own || c.spectator == m.Spectates || (d.Recorded == nil) == (d.Computed == nil) ||
		len(t.res.Moves) >= maxMoves || slices.Contains(t.res.Moves, m) {
		return false
	}
	t.back(t.before(d.Tick))
	t.res.Moves = append(slices.Clone(t.res.Moves), m)
	return true
}

// applyMoves makes the assumed changes of team that come before the next tick.
func (t *match) applyMoves() {
	for _, m := range t.res.Moves {
		if m.Tick == t.world.Tick()+1 {
			t.clients[m.Client].lastTeam = 0 // it happened, so no delay prevented it
			t.spectate(m.Client, m.Spectates)
		}
	}
}
