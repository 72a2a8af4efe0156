package teeverify

import "github.com/teeyard/teeyard/game/ddrace"

// teams implements the rules of DDNet's teams that move tees. For example, when a tee of a locked
// team that has started dies, the whole team dies.
type teams struct {
	waiting         [ddrace.TeamSuper]bool  // the team waits to be saved or loaded
	killTick        [ddrace.TeamSuper]int32 // tick in which a team that cannot finish dies, 0 for never
	race            [ddrace.TeamSuper]teamRace
	began, finished [ddrace.MaxTees]bool
	noTeam0Mode     bool // sv_team0mode 0
	rejoins         bool // players who finish leave an unlocked team
}

// unfinishableTicks is how long a team that cannot finish may play on.
const unfinishableTicks = 60 * ddrace.TickRate

// teamRace is the state of a team's race.
type teamRace uint8

const (
	raceOpen teamRace = iota
	raceStarted
	raceUnfinishable
	raceFinished
)

func (t *match) lockTeam(team uint8, locked bool) {
	if team > 0 && team < ddrace.TeamSuper {
		t.world.LockTeam(team, locked)
	}
}

// Moved implements ddrace.Teams. A team without players may start a new race.
func (t *teams) Moved(w *ddrace.World, id int, from, to uint8) {
	t.began[id], t.finished[id] = false, false
	if from < ddrace.TeamSuper && w.Members(from) == 0 {
		t.race[from], t.killTick[from] = raceOpen, 0
	}
	if from != to {
		t.checkFinished(w, from)
	}
}

// Spawned implements ddrace.Teams.
func (t *teams) Spawned(w *ddrace.World, id int) {
	if team := w.Team(id); team == ddrace.TeamSuper || !t.waiting[team] {
		w.JoinAtSpawn(id)
	}
}

// Died implements ddrace.Teams.
func (t *teams) Died(w *ddrace.World, id int, weapon ddrace.Weapon) {
	team := w.Team(id)
	switch {
	case team == ddrace.TeamSuper:
		w.LeaveTeam(id, weapon)
		return
	case t.waiting[team]:
		return
	case w.Settings().ForcedSolo() && w.Settings().Release >= 20 && w.Practises(team) && weapon == ddrace.WeaponWorld:
		t.race[team] = raceOpen
		return
	case w.Settings().ForcedSolo():
		t.race[team], t.killTick[team] = raceOpen, 0
		w.LeaveTeam(id, weapon)
		return
	case !w.Locked(team) || weapon == ddrace.WeaponGame:
		if t.race[team] == raceStarted && !t.began[id] && !w.AsZero(team) {
			t.race[team], t.killTick[team] = raceUnfinishable, w.Tick()+unfinishableTicks
		}
		w.LeaveTeam(id, weapon)
		return
	}
	w.LeaveTeam(id, weapon)
	if t.race[team] == raceOpen || w.AsZero(team) {
		return
	}
	t.race[team] = raceOpen
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
	team, tee, solo := w.Team(id), w.AliveTee(id), w.Settings().ForcedSolo()
	switch {
	case team != ddrace.TeamSuper && t.waiting[team]:
		return false
	case !w.RacesTogether(team):
		if team != ddrace.TeamSuper && w.AsZero(team) && t.race[team] == raceOpen {
			t.race[team] = raceStarted
		}
		w.StartRace(id)
	case tee.Race == ddrace.RaceFinished || solo && tee.Race == ddrace.RaceStarted:
	case t.waits(w, team):
		tee.Race = ddrace.RaceNone
	default:
		t.began[id] = true
		if t.race[team] != raceOpen {
			break
		}
		t.race[team], t.killTick[team] = raceStarted, 0
		for i := range ddrace.MaxTees {
			if w.Team(i) == team && w.AliveTee(i) != nil {
				w.StartRace(i)
			}
		}
	}
	return true
}

// waits reports whether a member of a team has finished and not started again.
func (t *teams) waits(w *ddrace.World, team uint8) bool {
	for i := range ddrace.MaxTees {
		if tee := w.AliveTee(i); tee != nil && w.Team(i) == team && tee.Race == ddrace.RaceFinished {
			return true
		}
	}
	return false
}

// Finished implements ddrace.Teams.
func (t *teams) Finished(w *ddrace.World, id int) {
	team := w.Team(id)
	if !w.RacesTogether(team) {
		w.FinishRace(id)
		return
	}
	t.finished[id] = t.finished[id] || t.began[id]
	t.checkFinished(w, team)
}

// checkFinished ends a team's race if all its members have finished.
func (t *teams) checkFinished(w *ddrace.World, team uint8) {
	if team >= ddrace.TeamSuper || t.race[team] != raceStarted || w.AsZero(team) {
		return
	}
	for i := range ddrace.MaxTees {
		if w.InGame(i) && w.Team(i) == team && !t.finished[i] {
			return
		}
	}
	t.race[team] = raceFinished
	leaves := t.rejoins && !w.Settings().ForcedSolo() && !w.Locked(team) && !w.Practises(team)
	var finished []int
	for i := range ddrace.MaxTees {
		if w.Team(i) == team && w.AliveTee(i) != nil {
			t.began[i], t.finished[i] = false, false
			w.FinishRace(i)
			finished = append(finished, i)
		}
	}
	for _, i := range finished {
		if leaves {
			w.SetTeam(i, 0)
		}
	}
}

// Tick implements ddrace.Teams. It kills teams that cannot finish.
func (t *teams) Tick(w *ddrace.World) {
	for i, at := range t.killTick {
		team := uint8(i)
		if at == 0 || t.race[team] != raceUnfinishable || w.Tick() < at {
			continue
		}
		if w.Practises(team) {
			t.killTick[team] = 0
			continue
		}
		for id := range ddrace.MaxTees {
			if w.Team(id) == team {
				w.Die(id, ddrace.WeaponSelf)
			}
		}
	}
}
