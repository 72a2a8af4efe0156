package teeverify

import "github.com/teeyard/teeyard/game/ddrace"

// teams has the rules of DDNet's teams that change where tees are: if one of a locked team that
// has started dies, all do.
type teams struct {
	locked, started, saved [ddrace.TeamSuper]bool // saved is a team that dies since it is
}

func (t *match) lockTeam(team uint8, locked bool) {
	if team > 0 && team < ddrace.TeamSuper {
		t.teams.locked[team] = locked
		t.world.LockTeam(team, locked)
	}
}

// Moved implements ddrace.Teams: a team that nobody is in begins anew.
func (t *teams) Moved(w *ddrace.World, _ int, from, _ uint8) {
	if from < ddrace.TeamSuper && w.Members(from) == 0 {
		t.started[from], t.locked[from] = false, false
	}
}

// Spawned implements ddrace.Teams.
func (t *teams) Spawned(w *ddrace.World, id int) { w.JoinAtSpawn(id) }

// Died implements ddrace.Teams.
func (t *teams) Died(w *ddrace.World, id int, weapon ddrace.Weapon) {
	w.LeaveTeam(id, weapon)
	team := w.Team(id)
	if team == 0 || team == ddrace.TeamSuper || !t.locked[team] || !t.started[team] || t.saved[team] || weapon == ddrace.WeaponGame {
		return
	}
	t.started[team] = false
	for i := range ddrace.MaxTees {
		if i == id || w.Team(i) != team {
			continue
		}
		if weapon == ddrace.WeaponSelf {
			w.Kill(i, ddrace.WeaponSelf, true)
		} else {
			w.Die(i, ddrace.WeaponSelf)
		}
	}
}

// Started implements ddrace.Teams.
func (t *teams) Started(w *ddrace.World, id int) bool {
	if team := w.Team(id); team < ddrace.TeamSuper {
		t.started[team] = true
	}
	return true
}

// Finished implements ddrace.Teams. When the others of a team finish does not matter to where tees are.
func (t *teams) Finished(w *ddrace.World, id int) {
	if w.Team(id) == 0 {
		w.FinishRace(id)
	}
}
