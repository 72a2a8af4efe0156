package ddrace

import "slices"

// Teams runs the races of teams. Its methods are called in the middle of a tick, for example to
// kill a locked team together with one of its tees. They may change the world only through SetTeam,
// LockTeam, SetPractice, StartRace, FinishRace, Kill and Die, and may change the races of tees.
type Teams interface {
	// Moved is called after every [World.SetTeam]. A move into the same team also counts, and
	// restarts the player. If the team from is now empty, Moved resets its lock and switches.
	Moved(w *World, id int, from, to uint8)
	// Spawned puts a player whose tee spawned into its team.
	Spawned(w *World, id int)
	// Died handles the death of a player's tee for the player's team. The player leaves the team,
	// unless the team is locked and the weapon is not WeaponGame.
	Died(w *World, id int, weapon Weapon)
	// Started is called in each tick in which a tee touches the start line, unless its race is
	// [RaceCheat]. It reports whether the tee may live on.
	Started(w *World, id int) bool
	// Finished is called in each tick in which a tee with a started race touches the finish line.
	Finished(w *World, id int)
	// Tick is called in each tick after the tees have moved, and before others spawn.
	Tick(w *World)
}

// teamState is the state of a team in the world.
type teamState struct {
	used   bool // it has or had members since its switches were reset
	locked bool
	asZero bool // its members race alone, as in team 0
}

// SetTeam moves a player to a team, 0 to 63 or [TeamSuper]. A player who enters an empty or locked
// team resets its switches.
func (w *World) SetTeam(id int, team uint8) {
	team = min(team, TeamSuper)
	p := &w.players[id]
	old := p.team
	if old != team && old != TeamSuper && (old != 0 || w.settings.ForcedSolo()) && w.Members(old) <= 1 {
		w.teams[old] = teamState{}
		w.ResetSwitches(old)
	}
	p.team = team
	w.exit.valid = false
	if old != team && w.settings.release20() {
		w.removeShots(int8(id))
	}
	if team != TeamSuper {
		if s := &w.teams[team]; !s.used || s.locked && !s.asZero {
			s.used = true
			w.ResetSwitches(team)
		}
	}
	if w.rules != nil {
		w.rules.Moved(w, id, old, team)
	}
}

// removeShots removes a player's shots. In DDNet 20, the tees that have not yet acted in this tick
// then lose their turn.
func (w *World) removeShots(id int8) {
	e := &w.entities
	e.projectiles = slices.DeleteFunc(e.projectiles, func(p Projectile) bool { return p.Owner == id })
	e.beams = slices.DeleteFunc(e.beams, func(b beam) bool {
		fired := b.kind == beamLaser && b.laser.Owner == id
		if fired {
			e.shots--
		}
		return fired
	})
	w.order.next = -1
}

// Team returns a player's team.
func (w *World) Team(id int) uint8 { return w.players[id].team }

// LockTeam sets whether the tees of a team, 1 to 63, stay in it when they die.
func (w *World) LockTeam(team uint8, locked bool) {
	if team > 0 && team < maxTeams {
		w.teams[team].locked = locked
	}
}

// Locked reports whether the tees of a team stay in it when they die.
func (w *World) Locked(team uint8) bool { return team < maxTeams && w.teams[team].locked }

// SetAsZero sets whether the members of a team, 1 to 63, race alone, as in team 0. This is
// the team 0 mode of DDNet 20. It ends when the team is empty.
func (w *World) SetAsZero(team uint8, on bool) {
	if team > 0 && team < maxTeams {
		w.teams[team].asZero = on
	}
}

// AsZero reports whether the members of a team, 1 to 63, race alone.
func (w *World) AsZero(team uint8) bool { return team < maxTeams && w.teams[team].asZero }

// RacesTogether reports whether the members of a team start and finish together.
func (w *World) RacesTogether(team uint8) bool {
	return team < maxTeams && (w.settings.ForcedSolo() || team != 0 && !w.teams[team].asZero)
}

// Members returns the number of players in a team.
func (w *World) Members(team uint8) int {
	n := 0
	for i := range w.seats {
		if w.players[i].inGame && w.players[i].team == team {
			n++
		}
	}
	return n
}

// LeaveTeam handles the death of a tee for its team, in a world without Teams.
func (w *World) LeaveTeam(id int, weapon Weapon) {
	switch team := w.players[id].team; {
	case team != TeamSuper && w.settings.ForcedSolo():
		w.ResetSwitches(team)
	case w.Locked(team) && weapon != WeaponGame:
		w.SetTeam(id, team)
	default:
		w.SetTeam(id, 0)
	}
}

// JoinAtSpawn puts a player whose tee spawns into its team.
func (w *World) JoinAtSpawn(id int) {
	if !w.Locked(w.players[id].team) {
		w.SetTeam(id, w.startTeam(id))
	}
}
