package ddrace

import "slices"

// Teams is what has to happen in the midst of a tick, for those who run the race: a locked team dies
// with one of its tees. The methods must not change the world but by SetTeam, Kill and the like.
type Teams interface {
	// Died follows the death of a player's tee, which has left its team unless that is locked.
	Died(w *World, id int, weapon Weapon)
	// Started is called in each tick in which a tee touches the line, unless its race is [RaceCheat].
	Started(w *World, id int)
	// Finished is called in each tick in which a tee whose race began touches the line.
	Finished(w *World, id int)
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
	changes := p.team != team
	if old := p.team; old != team && old != TeamSuper && (old != 0 || w.settings.Team == 3) && w.members(old) <= 1 {
		w.teams[old] = teamState{}
		w.ResetSwitches(old)
	}
	p.team = team
	if changes && w.settings.release20() {
		w.removeShots(int8(id))
	}
	if team == TeamSuper {
		return
	}
	if s := &w.teams[team]; !s.used || s.locked {
		s.used = true
		w.ResetSwitches(team)
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

// members counts the players of a team.
func (w *World) members(team uint8) int {
	n := 0
	for i := range w.players {
		if w.players[i].inGame && w.players[i].team == team {
			n++
		}
	}
	return n
}

// leaveTeam is what the death of a tee means for its team.
func (w *World) leaveTeam(id int, weapon Weapon) {
	switch team := w.players[id].team; {
	case team != TeamSuper && w.settings.Team == 3:
		w.ResetSwitches(team)
	case team != TeamSuper && w.teams[team].locked && weapon != WeaponGame:
		w.SetTeam(id, team)
	default:
		w.SetTeam(id, 0)
	}
}

// joinAtSpawn puts a player who gets a tee into its team.
func (w *World) joinAtSpawn(id int) {
	if team := w.players[id].team; team == TeamSuper || !w.teams[team].locked {
		w.SetTeam(id, w.startTeam(id))
	}
}
