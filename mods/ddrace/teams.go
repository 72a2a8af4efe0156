package ddrace

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/ranks"
)

// numTeams is the number of teams. Team 0 counts, but means that a player has no team.
const numTeams = ddrace.TeamSuper

// teamState is the state of a team's race.
type teamState uint8

// The states of teams.
const (
	teamEmpty        teamState = iota
	teamOpen                   // players can join
	teamStarted                // racing
	teamUnfinishable           // racing, but a member has left before the start
	teamFinished
)

const (
	// unfinishableTicks is how long a team may play on after it has become unfinishable.
	unfinishableTicks = 60 * game.TickRate
	// warningTicks is the time between two warnings on the start line. waitTicks is the time
	// between two hints that a player waits for another one; it is the default of sv_chat_delay.
	warningTicks = 3 * game.TickRate
	waitTicks    = game.TickRate + 1
)

// teams is the state of all teams and their members. Ticks are those of the simulation.
type teams struct {
	State    [numTeams]teamState
	KillTick [numTeams]int32           // for unfinishable teams; -1 for none
	Invited  [numTeams]game.PlayerMask // may join a locked team
	Started  game.PlayerMask           // have passed the start since they joined their team
	Finished game.PlayerMask
	Voted    game.PlayerMask // for practice
	Changed  [game.MaxPlayers]int32
	Asked    [game.MaxPlayers]int32 // tick of the player's last invitation
	Warned   [game.MaxPlayers]int32
	Hinted   [game.MaxPlayers]int32
}

// forget removes the data of a player who leaves.
func (t *teams) forget(id int) {
	t.Changed[id], t.Asked[id], t.Warned[id], t.Hinted[id] = 0, 0, 0, 0
	for i := range t.Invited {
		t.Invited[i].Remove(game.PlayerID(id))
	}
}

// members returns the players in a team.
func members(w *ddrace.World, team uint8) (mask game.PlayerMask) {
	for id := range ddrace.MaxTees {
		if w.InGame(id) && w.Team(id) == team {
			mask.Add(game.PlayerID(id))
		}
	}
	return mask
}

// each calls f for each player of a mask, in ascending order.
func each(mask game.PlayerMask, f func(id int)) {
	for id := range mask.All() {
		f(int(id))
	}
}

// names returns the names of players, separated by commas.
func (m *Mode) names(mask game.PlayerMask) string {
	var b strings.Builder
	each(mask, func(id int) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m.tx.Player(game.PlayerID(id)).Name())
	})
	return b.String()
}

// sayTo sends a chat line to the players of a mask.
func (m *Mode) sayTo(to game.PlayerMask, text string) {
	each(to, func(id int) { m.tx.Player(game.PlayerID(id)).Say(text) })
}

// sayToTeam sends a chat line to a team.
func (m *Mode) sayToTeam(team uint8, format string, args ...any) {
	m.sayTo(members(m.tx.DDRace(), team), fmt.Sprintf(format, args...))
}

// teamRace implements ddrace.Teams for a Mode.
type teamRace Mode

var _ ddrace.Teams = (*teamRace)(nil)

// Moved updates the state after a player has changed team.
func (r *teamRace) Moved(w *ddrace.World, id int, from, to uint8) {
	m, s := (*Mode)(r), &r.state.Teams
	player := game.PlayerID(id)
	s.Started.Remove(player)
	s.Finished.Remove(player)
	if from != to {
		s.Voted.Remove(player)
		r.state.Saves.SwapWith[id] = 0
		if w.RacesTogether(from) && w.Members(from) == 0 {
			s.State[from] = teamEmpty
			m.resetRound(w, from)
		}
	}
	if to < numTeams && s.State[to] == teamEmpty && !w.Locked(to) {
		s.State[to] = teamOpen
	}
	if from != to {
		m.checkFinished(w, from)
	}
}

// resetRound resets the data that lasts until a team is empty.
func (m *Mode) resetRound(w *ddrace.World, team uint8) {
	s := &m.state.Teams
	s.Invited[team], s.KillTick[team] = game.PlayerMask{}, -1
	s.Voted = s.Voted.Without(members(w, team))
	m.state.Saves.LastSwap[team] = 0
	each(members(w, team), func(id int) { m.state.Saves.SwapWith[id] = 0 })
	if !m.practiceByDefault(w) {
		w.SetPractice(team, false)
	}
}

// Spawned puts a new tee into its team.
func (r *teamRace) Spawned(w *ddrace.World, id int) {
	r.state.Teams.Warned[id] = 0
	if t := w.AliveTee(id); t != nil {
		t.NinjaJetpack = r.state.Players[id].NinjaJetpack
	}
	m := (*Mode)(r)
	if !m.isSaving(w.Team(id)) {
		w.JoinAtSpawn(id)
	}
	if w.Settings().Team == 2 && w.Team(id) == 0 {
		m.warn(w, id, "Please join a team before you start")
	}
}

// Died applies the consequences of a tee's death for its team.
func (r *teamRace) Died(w *ddrace.World, id int, weapon ddrace.Weapon) {
	m, s := (*Mode)(r), &r.state.Teams
	team := w.Team(id)
	switch {
	case m.isSaving(team):
	case team >= numTeams:
		w.SetTeam(id, 0)
	case w.Settings().ForcedSolo() && is20(w) && w.Practises(team) && weapon == ddrace.WeaponWorld:
		s.State[team] = teamOpen
		m.sayToTeam(team, "You died, but will stay in practice until you use kill.")
	case w.Settings().ForcedSolo():
		s.State[team] = teamOpen
		m.resetRound(w, team)
		w.ResetSwitches(team)
	case w.Locked(team) && weapon != ddrace.WeaponGame:
		w.SetTeam(id, team)
		if s.State[team] == teamOpen || w.AsZero(team) {
			break
		}
		s.State[team] = teamOpen
		if !m.practiceByDefault(w) {
			w.SetPractice(team, false)
		}
		strong, what := -1, "died"
		if weapon == ddrace.WeaponSelf {
			strong, what = id, "killed"
		}
		m.killTeam(w, team, strong, id)
		if w.Members(team) > 1 {
			m.sayToTeam(team, "Everyone in your locked team was killed because '%s' %s.", m.tx.Player(game.PlayerID(id)).Name(), what)
		}
	default:
		if s.State[team] == teamStarted && !w.AsZero(team) && !s.Started.Has(game.PlayerID(id)) {
			m.sayToTeam(team, "This team cannot finish anymore because '%s' left the team before hitting the start", m.tx.Player(game.PlayerID(id)).Name())
			m.sayToTeam(team, "Enter /practice mode or restart to avoid the entire team being killed in 60 seconds")
			s.State[team], s.KillTick[team] = teamUnfinishable, w.Tick()+unfinishableTicks
		}
		w.SetTeam(id, 0)
	}
}

// killTeam kills all tees of a team except one. If strong is a player, the others respawn at once,
// after that player, who therefore has strong hook over them.
func (m *Mode) killTeam(w *ddrace.World, team uint8, strong, except int) {
	all := members(w, team)
	m.state.Teams.Voted = m.state.Teams.Voted.Without(all)
	each(all, func(id int) {
		switch {
		case id == except:
		case strong >= 0:
			w.Kill(id, ddrace.WeaponSelf, id != strong)
		default:
			w.Die(id, ddrace.WeaponSelf)
		}
	})
}

// Started handles a tee on the start line. It returns false if the tee may not start.
func (r *teamRace) Started(w *ddrace.World, id int) bool {
	m, s, set := (*Mode)(r), &r.state.Teams, w.Settings()
	team, t := w.Team(id), w.AliveTee(id)
	switch n := w.Members(team); {
	case m.isSaving(team):
		m.warn(w, id, "You can't start while loading/saving of team is in progress")
		return false
	case set.Team == 2 && (team == 0 || n <= 1):
		m.warn(w, id, "You have to be in a team with other tees to start")
		return false
	case set.Team != 3 && w.RacesTogether(team) && n < int(set.MinTeamSize):
		m.warn(w, id, fmt.Sprintf("Your team has fewer than %d players, so your team rank won't count", set.MinTeamSize))
	}
	player := game.PlayerID(id)
	switch {
	case !w.RacesTogether(team):
		if w.AsZero(team) && s.State[team] < teamStarted {
			s.State[team] = teamStarted
		}
		s.Started.Add(player)
		w.StartRace(id)
	case t.Race == ddrace.RaceFinished || set.Team == 3 && t.Race == ddrace.RaceStarted:
	case m.waits(w, id, team):
		t.Race = ddrace.RaceNone
	default:
		s.Started.Add(player)
		if s.State[team] < teamStarted {
			m.startTeam(w, team)
		}
	}
	return true
}

// startTeam begins the race of a team.
func (m *Mode) startTeam(w *ddrace.World, team uint8) {
	s, set := &m.state.Teams, w.Settings()
	s.State[team], s.KillTick[team] = teamStarted, -1
	var racing game.PlayerMask
	each(members(w, team), func(id int) {
		alive := w.AliveTee(id) != nil
		if alive {
			w.StartRace(id)
		}
		if alive || w.Locked(team) {
			racing.Add(game.PlayerID(id))
		}
	})
	if set.Team == 3 || set.MaxTeamSize == 2 || set.Pauseable == 0 {
		return
	}
	plural := "s"
	if w.Members(team) == 1 {
		plural = ""
	}
	m.sayTo(racing, fmt.Sprintf("Team %d started with %d player%s: %s", team, w.Members(team), plural, m.names(racing)))
}

// waits reports whether a tee on the start line has to wait for a member of its team who has
// finished and not started again.
func (m *Mode) waits(w *ddrace.World, id int, team uint8) (waiting bool) {
	s := &m.state.Teams
	hint := func(to, about int, format string) {
		if s.Hinted[to]+waitTicks < w.Tick() {
			m.tx.Player(game.PlayerID(to)).Say(fmt.Sprintf(format, m.tx.Player(game.PlayerID(about)).Name()))
			s.Hinted[to] = w.Tick()
		}
	}
	each(members(w, team), func(other int) {
		if t := w.AliveTee(other); t != nil && t.Race == ddrace.RaceFinished {
			waiting = true
			hint(id, other, "%s has finished and didn't go through start yet, wait for him or join another team.")
			hint(other, id, "%s wants to start a new round, kill or walk to start.")
		}
	})
	return waiting
}

// warn sends a player a warning about the start, at most one in warningTicks.
func (m *Mode) warn(w *ddrace.World, id int, text string) {
	if warned := &m.state.Teams.Warned[id]; *warned < w.Tick()-warningTicks {
		m.tx.Player(game.PlayerID(id)).Say(text)
		*warned = w.Tick()
	}
}

// Finished handles a tee on the finish line.
func (r *teamRace) Finished(w *ddrace.World, id int) {
	m, s, team := (*Mode)(r), &r.state.Teams, w.Team(id)
	if !w.RacesTogether(team) {
		if ticks := w.Tick() - w.AliveTee(id).StartTick; ticks > 0 {
			m.finish(w, id, ticks)
		}
		return
	}
	if player := game.PlayerID(id); s.Started.Has(player) {
		s.Finished.Add(player)
	}
	m.checkFinished(w, team)
}

// checkFinished ends the race of a team when all its members have finished.
func (m *Mode) checkFinished(w *ddrace.World, team uint8) {
	s, tx := &m.state.Teams, m.tx
	if team >= numTeams || s.State[team] != teamStarted || w.AsZero(team) {
		return
	}
	all := members(w, team)
	if !all.Without(s.Finished).IsEmpty() {
		return
	}
	var racing game.PlayerMask
	var players []string
	ticks, began, counts := int32(0), tx.Tick(), true
	each(all, func(id int) {
		t := w.AliveTee(id)
		if t == nil {
			return
		}
		if racing.IsEmpty() {
			ticks = w.Tick() - t.StartTick
		}
		racing.Add(game.PlayerID(id))
		began = min(began, m.state.Began[id])
		counts = counts && ranks.Counts(tx, game.PlayerID(id), m.vars.RankBots)
		players = append(players, tx.Player(game.PlayerID(id)).Name())
	})
	s.Started = s.Started.Without(racing)
	s.Finished = s.Finished.Without(racing)
	if ticks <= 0 {
		return
	}
	s.State[team] = teamFinished
	if w.Practises(team) {
		m.sayToTeam(team, "Your team would've finished in: %d minute(s) %5.2f second(s). Since you had practice mode enabled your rank doesn't count.",
			ms(ticks)/60_000, float64(ms(ticks)%60_000)/1000)
		each(racing, func(id int) { w.AliveTee(id).Race = ddrace.RaceFinished })
		return
	}
	each(racing, func(id int) { m.finish(w, id, ticks) })
	if m.vars.RejoinTeam0 != 0 && !w.Settings().ForcedSolo() && !w.Locked(team) {
		each(racing, func(id int) {
			w.SetTeam(id, 0)
			tx.Say(fmt.Sprintf("%s joined team 0", tx.Player(game.PlayerID(id)).Name()))
		})
	}
	if counts && len(players) >= int(w.Settings().MinTeamSize) {
		tx.Rank(game.RankRequest{
			Op: game.RankFinish, By: game.Nobody, Team: true, Names: players, Time: ms(ticks), Begin: began, End: tx.Tick(),
		})
	}
}

// Tick kills teams that cannot finish, and tells teams which members have not started.
func (r *teamRace) Tick(w *ddrace.World) {
	const every, offset = 60 * game.TickRate, 30 * game.TickRate
	m, s := (*Mode)(r), &r.state.Teams
	now := w.Tick()
	var remind uint64
	for id := range ddrace.MaxTees {
		team := w.Team(id)
		if t := w.AliveTee(id); t != nil && team != 0 && team < numTeams && !w.AsZero(team) &&
			s.State[team] == teamStarted && !s.Started.Has(game.PlayerID(id)) &&
			!w.Practises(team) && (now-t.StartTick)%every == offset {
			remind |= 1 << team
		}
	}
	for team := range uint8(numTeams) {
		if s.State[team] == teamUnfinishable && s.KillTick[team] != -1 && now >= s.KillTick[team] {
			if w.Practises(team) {
				s.KillTick[team] = -1
				continue
			}
			m.sayToTeam(team, "Your team was killed because it couldn't finish anymore and hasn't entered /practice mode")
			m.killTeam(w, team, -1, -1)
		}
		if remind>>team&1 == 0 || w.Members(team) <= 1 {
			continue
		}
		all := members(w, team)
		missing := all.Without(s.Started)
		players := "players that have"
		if missing.Count() == 1 {
			players = "player that has"
		}
		m.sayTo(all, fmt.Sprintf("Your team has %d %s not started yet, they need to touch the start before this team can finish: %s",
			missing.Count(), players, m.names(missing)))
	}
}
