package game

import "github.com/teeyard/teeyard/game/internal/tee"

// consistent checks values of a restored world that depend on each other.
func (v *visitor) consistent(w *World) {
	v.checkOrder(w)
	v.checkIDs(w)
	for i := range w.players {
		p := &w.players[i]
		if !p.connected {
			continue
		}
		clean := p.profile
		if p.hasProfile {
			clean.sanitize()
		}
		if clean != p.profile || p.inGame && !p.hasProfile {
			v.fail("player %d has an invalid profile with the name %q", i, p.profile.Name)
		}
	}
}

// checkOrder checks the list of the characters in the world.
func (v *visitor) checkOrder(w *World) {
	var listed PlayerMask
	for _, id := range w.tees.Order.IDs[:w.tees.Order.Count] {
		listed.Add(PlayerID(id))
	}
	var inWorld PlayerMask
	n := 0
	for i := range w.tees.All {
		if w.tees.All[i].InWorld {
			inWorld.Add(PlayerID(i))
			n++
		}
		if c := &w.tees.All[i]; c.Alive != (w.tees.Physics.Cores[i] != nil) {
			v.fail("the character of player %d is neither alive nor dead", i)
		}
	}
	if listed != inWorld || n != w.tees.Order.Count {
		v.fail("the order of characters is incomplete")
	}
}

// checkIDs checks that no id of an entity is used twice.
func (v *visitor) checkIDs(w *World) {
	var used [tee.MaxIDs]bool
	use := func(id uint16) {
		if int32(id) >= w.entityIDs.NextUnused || used[id] {
			v.fail("entity id %d is used twice or never used", id)
			return
		}
		used[id] = true
	}
	w.sim.check(v, use)
	for i := range w.flags {
		if w.flags[i].Exists {
			use(w.flags[i].EntityID)
		}
	}
	for i := range w.entities {
		e := &w.entities[i]
		for _, id := range e.parts[:w.entityKinds[e.kind-1].Parts] {
			use(id)
		}
	}
	for i := range w.tees.All {
		if w.tees.All[i].Exists {
			use(w.tees.All[i].EntityID)
		}
	}
	for _, id := range w.entityIDs.Freed {
		use(id)
	}
}
