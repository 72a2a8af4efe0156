package teeverify

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/protocol/packer"
)

// saving is the snapshot of a team whose save has no answer yet.
type saving struct {
	team  *ddrace.SavedTeam
	ids   []int
	names []string
}

// questions are the commands that ask the ranks. A player who repeats one too soon gets no answer.
var questions = []string{"save", "load", "rank", "teamrank", "rankteam", "top", "top5", "teamtop5", "top5team", "times", "points", "top5points", "mapinfo"}

// mayAsk reports whether the ranks answer a player's command now. If so, it records the time.
func (t *match) mayAsk(id int, name string) bool {
	c, now := &t.clients[id], t.world.Tick()
	if t.own {
		// Our server limits saves and loads alone, and other answers do not change the world.
		if name != "save" && name != "load" {
			return true
		}
		if c.lastAsked > 0 && now < c.lastAsked+ddrace.TickRate || t.isWaiting(t.world.Team(id)) {
			return false
		}
	} else if c.lastAsked+t.askDelay >= now {
		return false
	}
	c.lastAsked = now
	return true
}

// isWaiting reports whether a team is being saved or loaded.
func (t *match) isWaiting(team uint8) bool { return team < ddrace.TeamSuper && t.teams.waiting[team] }

// save runs /save. The team's tees die until the answer shows whether the save succeeded.
func (t *match) save(id int) {
	team := t.world.Team(id)
	if !t.world.RacesTogether(team) || t.teams.race[team] != raceStarted || t.isWaiting(team) {
		return
	}
	if w := t.world; w.BlocksSave(team) || w.Settings().Release >= 20 && w.Practises(team) {
		return
	}
	s, ids, ok := t.world.SaveTeam(team, 0)
	if !ok {
		return
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = t.clients[id].name
		s.Tees[i].Paused = int32(t.clients[id].pause)
	}
	t.saving[team] = saving{&s, ids, names}
	t.teams.waiting[team] = true
	for _, id := range ids {
		t.world.Die(id, ddrace.WeaponSelf)
	}
}

// beginLoad runs /load with a code. A later record has the loaded team.
func (t *match) beginLoad(id int) {
	w, team := t.world, t.world.Team(id)
	if w.RacesTogether(team) && t.teams.race[team] == raceOpen && (w.Settings().Release < 20 || !w.Practises(team)) {
		t.teams.waiting[team] = true
	}
}

// saved handles the answer that a save succeeded or failed.
func (t *match) saved(team uint8, ok bool) {
	s := t.saving[team]
	t.saving[team] = saving{}
	t.teams.waiting[team] = false
	if s.team == nil {
		return
	}
	if ok {
		t.endSaving(team)
		return
	}
	for i, id := range s.ids {
		if t.world.Team(id) != team || t.clients[id].name != s.names[i] {
			s.ids[i] = -1
		}
	}
	t.load(team, s.team, s.ids, true)
}

// endSaving lets a team that is saved start anew.
func (t *match) endSaving(team uint8) {
	if t.world.Settings().ForcedSolo() {
		t.teams.race[team], t.teams.killTick[team] = raceOpen, 0
		return
	}
	for id := range ddrace.MaxTees {
		if t.world.InGame(id) && t.world.Team(id) == team {
			t.world.SetTeam(id, 0)
		}
	}
}

// loaded restores a saved team from the rest of a record.
func (t *match) loaded(team uint8, rest *packer.Unpacker) {
	t.teams.waiting[team] = false
	rest.Raw(16)
	s, err := ddrace.ParseSavedTeam(string(rest.String(packer.SanitizeNone)))
	if rest.Err() != nil || err != nil {
		t.unknown("load")
		return
	}
	ids := make([]int, len(s.Tees))
	for i := range s.Tees {
		id, found := t.named(s.Tees[i].Name)
		if !found || t.world.Team(id) != team {
			t.unknown("load")
			return
		}
		ids[i] = id
	}
	t.load(team, s, ids, false)
}

func (t *match) load(team uint8, s *ddrace.SavedTeam, ids []int, fresh bool) {
	t.world.LoadTeam(team, s, ids, fresh)
	t.teams.race[team] = min(teamRace(max(s.State, 1)-1), raceFinished)
	if t.own && t.teams.race[team] == raceUnfinishable {
		t.teams.killTick[team] = t.world.Tick() + unfinishableTicks
	}
	for i, id := range ids {
		if id >= 0 {
			t.teams.began[id], t.teams.finished[id] = s.Tees[i].Started, s.Tees[i].Finished
			t.pause(id, pauseKind(s.Tees[i].Paused), true)
		}
	}
}

// swap makes two players change places.
func (t *match) swap(a, b int) {
	paused, other := t.clients[a].pause, t.clients[b].pause
	t.pause(a, notPaused, true)
	t.pause(b, notPaused, true)
	t.world.SwapTees(a, b, 0)
	r := &t.teams
	r.began[a], r.began[b], r.finished[a], r.finished[b] = r.began[b], r.began[a], r.finished[b], r.finished[a]
	t.pause(a, other, true)
	t.pause(b, paused, true)
}
