package game

import "github.com/teeyard/teeyard/game/internal/tee"

// entities visits the things on the map that are not characters.
func (v *visitor) entities(w *World) {
	w.sim.visitThings(v)
	for i := range w.flags {
		v.flag(&w.flags[i])
	}
	num(v, &w.entityIDs.NextUnused)
	within(v, "number of ids", w.entityIDs.NextUnused, 0, tee.MaxIDs)
	length(v, &w.entityIDs.Freed, tee.MaxIDs)
	for i := range w.entityIDs.Freed {
		num(v, &w.entityIDs.Freed[i])
	}
}

// ownEntities visits the entities that modes and mods made, without pickups and shots.
func (v *visitor) ownEntities(w *World) {
	if w.usesEntities = v.extra(1, w.usesEntities); !w.usesEntities {
		if v.op == restoring {
			w.entities = nil
		}
		return
	}
	num(v, &w.lastEntity)
	v.hashed(len(w.entities))
	if length(v, &w.entities, maxEntities); v.op == restoring {
		w.entities = append(make([]Entity, 0, maxEntities), w.entities...)
	}
	last := NoEntity
	for i := range w.entities {
		e := &w.entities[i]
		v.entity(w, e)
		within(v, "entity", e.id, last+1, w.lastEntity)
		if v.err != nil {
			w.entities = nil
			return
		}
		last = e.id
	}
}

func (v *visitor) entity(w *World, e *Entity) {
	pair(v, &e.id, &e.kind)
	within(v, "kind of entity", int(e.kind), 1, len(w.entityKinds))
	v.vec(&e.Pos, limitPos)
	v.vec(&e.Vel, limitPos)
	v.vec(&e.To, limitPos)
	pair(v, &e.Owner, &e.Team)
	within(v, "owner", e.Owner, Nobody, MaxPlayers-1)
	within(v, "team", e.Team, TeamSpectators, TeamBlue)
	for i := range e.Data {
		num(v, &e.Data[i])
	}
	num(v, &e.born)
	v.bools(&e.permanent, &e.removed)
	for i := range e.parts {
		num(v, &e.parts[i])
	}
}

// npcs visits the players without clients and the requests for more.
func (v *visitor) npcs(w *World) {
	n := &w.npcs
	if v.op == restoring {
		*n = npcs{}
	}
	if !v.extra(41, !n.present.IsEmpty() || len(n.requests) > 0) {
		return
	}
	v.mask(&n.present)
	v.mask(&n.leaving)
	n.leaving = n.leaving.And(n.present)
	for id := range PlayerID(MaxPlayers) {
		if n.present.Has(id) {
			pair(v, &n.skill[id], &n.tag[id])
			within(v, "skill", n.skill[id], 0, maxSkill)
			if v.op == restoring && !w.players[id].connected {
				v.fail("NPC %d is not connected", id)
			}
		}
	}
	v.hashed(len(n.requests))
	length(v, &n.requests, MaxPlayers)
	for i := range n.requests {
		r := &n.requests[i]
		v.profile(&r.Profile)
		pair(v, &r.Team, &r.Skill)
		within(v, "team", r.Team, TeamSpectators, TeamBlue)
		within(v, "skill", r.Skill, 0, maxSkill)
		num(v, &r.Tag)
	}
}

func (v *visitor) flag(f *tee.Flag) {
	v.bools(&f.Exists, &f.AtStand)
	v.vec(&f.Pos, limitPos)
	v.vec(&f.Vel, limitPos)
	num(v, &f.Carrier)
	within(v, "carrier of a flag", f.Carrier, tee.Nobody, MaxPlayers-1)
	pair(v, &f.DropTick, &f.GrabTick)
	if v.op != hashing {
		value(v, &f.EntityID)
		v.vec(&f.Stand, limitPos)
	}
	v.end()
}

// race visits the state of races. Without GameFlagRace the state is skipped if it is zero.
func (v *visitor) race(w *World) {
	has := w.match.flags&GameFlagRace != 0 || w.race != RaceState{}
	for i := range w.players {
		has = has || w.players[i].raceStart != 0
	}
	if v.saved(&has); !has {
		return
	}
	pair(v, &w.race.BestTime, &w.race.Precision)
	within(v, "decimals", w.race.Precision, 0, 3)
	num(v, &w.race.Flags)
	for i := range v.seats {
		num(v, &w.players[i].raceStart)
	}
}
