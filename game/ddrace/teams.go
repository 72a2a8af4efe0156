package ddrace

import "slices"

// Teams runs the races of teams: what has to happen in the midst of a tick, such as that a locked team
// dies with one of its tees. The methods must not change the world but by SetTeam, LockTeam, SetPractice,
// StartRace, FinishRace, Kill and Die, and the races of tees.
type Teams interface {
	// Moved follows every [World.SetTeam]: also one into the same team, in which the player begins
	// anew. If from is empty now, its lock and its switches are reset.
	Moved(w *World, id int, from, to uint8)
	// Spawned puts a player who got a tee into its team.
	Spawned(w *World, id int)
	// Died does to the team of a player what the death of its tee means for it: unless it is locked
	// and the weapon is not WeaponGame, the player leaves it.
	Died(w *World, id int, weapon Weapon)
	// Started is called in each tick in which a tee touches the line, unless its race is [RaceCheat].
	// It reports whether the tee may live on.
	Started(w *World, id int) bool
	// Finished is called in each tick in which a tee whose race began touches the line.
	Finished(w *World, id int)
	// Tick is called in each tick after the tees have moved, and before others spawn.
	Tick(w *World)
}

// teamState is what a team is for the world.
type teamState struct {
	used   bool // it has or had members since its switches were reset
	locked bool
}

// SetTeam moves a player to a team, 0 to 63 or TeamSuper. Who comes into an empty or locked team resets
// its switches.
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
		if s := &w.teams[team]; !s.used || s.locked {
			s.used = true
			w.ResetSwitches(team)
		}
	}
	if w.rules != nil {
		w.rules.Moved(w, id, old, team)
	}
}

// removeShots removes what a player fired. In DDNet 20 the tees whose turn is after this one's then have
// none in this tick.
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

// LockTeam says whether the tees of a team, 1 to 63, stay in it when they die.
func (w *World) LockTeam(team uint8, locked bool) {
	if team > 0 && team < maxTeams {
		w.teams[team].locked = locked
	}
}

// Locked reports whether the tees of a team stay in it when they die.
func (w *World) Locked(team uint8) bool { return team < maxTeams && w.teams[team].locked }

// Members counts the players of a team.
func (w *World) Members(team uint8) int {
	n := 0
	for i := range w.players {
		if w.players[i].inGame && w.players[i].team == team {
			n++
		}
	}
	return n
}

// LeaveTeam is what the death of a tee means for its team without [Teams].
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

// JoinAtSpawn puts a player who gets a tee into its team.
func (w *World) JoinAtSpawn(id int) {
	if !w.Locked(w.players[id].team) {
		w.SetTeam(id, w.startTeam(id))
	}
}
