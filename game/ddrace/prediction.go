package ddrace

import (
	"slices"

	"github.com/teeyard/teeyard/game/vec"
)

// StandingPart returns the map without the entities that move, shoot or pull. Clients can predict
// the rest without knowing when those entities started.
func (m *Map) StandingPart() *Map {
	p := *m
	p.Entities = nil
	for _, e := range m.Entities {
		if e.Kind == EntityDoor || e.Kind.isPickup() {
			p.Entities = append(p.Entities, e)
		}
	}
	return &p
}

// ShowTee sets a player's tee to the state t that other clients see after a tick. If the tee is
// where it was expected, it keeps the state that others do not see. ShowTee uses the exported
// fields of t, except PrevPos, Restrictions, Zone and the fields of the race.
func (w *World) ShowTee(id int, team uint8, t *Tee) {
	p, old := &w.players[id], w.tees[id]
	known := p.inWorld && vec.Distance(old.Core.Pos, t.Core.Pos) <= 2
	if !p.inWorld {
		w.seat(id)
		*p = player{inGame: true, hasTee: true, alive: true}
		w.addTee(int8(id))
	}
	p.team = min(team, TeamSuper)
	n := &w.tees[id]
	*n = *t
	n.id, n.Pos = int8(id), t.Core.Pos
	if !known {
		n.PrevPos = n.Pos
		i := w.m.mapIndex(n.Pos)
		n.Restrictions, n.Zone = w.m.restrictions(n.Pos, 18, i, w.doorsFor(n)), w.m.tuneZone(i)
		n.Core.LeftWall = true
		n.input, n.savedInput, n.latestInput, n.latestPrevInput, n.numInputs = old.input, old.savedInput, old.latestInput, old.latestPrevInput, old.numInputs
		n.QueuedWeapon = -1
		n.loaded = n.Weapons
		n.LastCheckpoint = -1
		n.ReloadTimer = w.reloadLeft(n)
		return
	}
	// Everything below is in snapshots.
	shown := *n
	*n = old
	c := shown.Core
	c.HookTeleBase, c.NewHook, c.Colliding, c.LeftWall, c.restrictions = old.Core.HookTeleBase, old.Core.NewHook, old.Core.Colliding,
		old.Core.LeftWall, old.Core.restrictions
	n.Core, n.Pos = c, shown.Pos
	n.FreezeTime, n.FreezeStart, n.Deep, n.Live, n.InFreeze, n.Armor = shown.FreezeTime, shown.FreezeStart, shown.Deep, shown.Live, shown.InFreeze, shown.Armor
	n.Super, n.Invincible, n.EndlessHook, n.AirJumps, n.Jetpack = shown.Super, shown.Invincible, shown.EndlessHook, shown.AirJumps, shown.Jetpack
	n.UnhitHammer, n.UnhitShotgun, n.UnhitGrenade, n.UnhitLaser = shown.UnhitHammer, shown.UnhitShotgun, shown.UnhitGrenade, shown.UnhitLaser
	n.Telegun, n.Telegrenade, n.Telelaser, n.TeleCheckpoint = shown.Telegun, shown.Telegrenade, shown.Telelaser, shown.TeleCheckpoint
	n.Weapons, n.loaded = shown.Weapons, shown.Weapons
	n.Ninja.ActivationTick = shown.Ninja.ActivationTick
	if n.ActiveWeapon != shown.ActiveWeapon {
		n.ActiveWeapon, n.QueuedWeapon = shown.ActiveWeapon, -1
	}
	if n.AttackTick != shown.AttackTick {
		n.AttackTick = shown.AttackTick
		n.ReloadTimer = w.reloadLeft(n)
	}
}

// ShownZone returns the tune zone at the shown position of a player's tee, 0 without a tee.
func (w *World) ShownZone(id int) uint8 {
	if t := w.Tee(id); t != nil {
		return w.m.tuneZone(w.m.mapIndex(t.Core.Pos))
	}
	return 0
}

// LearnTuning sets the tuning of the tune zone of a player's shown tee to the tuning that the
// client received. Parameters that are 0 only because of the tee's states keep their values; see
// [World.SentTuning].
func (w *World) LearnTuning(id int, told *Tuning) {
	t := w.Tee(id)
	if t == nil {
		return
	}
	zone := w.ShownZone(id)
	known, learned := w.settings.tuningIn(zone), *told
	for i := range learned {
		if learned[i] == 0 && t.lacks(i) {
			learned[i] = known[i]
		}
	}
	if learned == *known {
		return
	}
	s := w.settings.Clone()
	if zone != 0 && s.Zones == nil {
		s.Zones = slices.Repeat([]Tuning{zonePreset}, NumZones)
	}
	*s.tuningIn(zone) = learned
	w.SetSettings(s)
}

// reloadLeft returns how long a tee reloads after its last shot.
func (w *World) reloadLeft(t *Tee) int32 {
	if t.AttackTick <= 0 || t.ActiveWeapon < 0 || t.ActiveWeapon >= NumWeapons {
		return 0
	}
	return max(t.AttackTick+w.fireTicks(w.params(t.Zone)[HammerFireDelay+int(t.ActiveWeapon)])-w.tick, 0)
}

// HideTee removes a player's tee without a death.
func (w *World) HideTee(id int) {
	w.removeTee(int8(id))
	w.players[id] = player{}
}

// SetOrder sets the order in which the tees in the world act. Tees that are not in ids come last.
func (w *World) SetOrder(ids []int8) {
	o := &w.order
	n := o.count
	for k := len(ids) - 1; k >= 0; k-- {
		for i := range n {
			if o.ids[i] == ids[k] {
				copy(o.ids[i:], o.ids[i+1:n])
				o.ids[n-1] = ids[k]
				break
			}
		}
	}
}

// SetTick sets the number of the current tick. Moving objects continue from there.
func (w *World) SetTick(tick int32) { w.tick = tick }

// SetSwitches sets the switches that are active for a team.
func (w *World) SetSwitches(team uint8, active SwitchSet) {
	if team < maxTeams {
		w.switches.active[team] = active
	}
}

// CopyFrom makes w a copy of o, a world of the same map. The two share no state that changes.
func (w *World) CopyFrom(o *World) {
	timers, events, way, e := w.switches.timers, w.events[:0], w.way[:0], w.entities
	*w = *o
	w.switches.timers = append(timers[:0], o.switches.timers...)
	w.events, w.way, w.entities = events, way, e
	w.entities.copyFrom(&o.entities)
}
