package vote

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// ddnet is the rules of DDNet-Server 16.4, for DDRace worlds. Its texts are in ddnettexts.go.
type ddnet struct{ *Votes }

// kickWait is how long a client gets no answer after a refused vote to kick.
const kickWait = 5 * time.Second

func (r ddnet) mayCall(c *client) (answer string, ok bool) {
	now := int64(r.now())
	switch {
	case r.OperatorsOnly != 0 && !c.Operator:
		return "You can only vote after logging in.", false
	case r.host.Rules().SpamProtection && (r.tried.Has(now, c.person()) || c.triedRecently(r.now())):
		return "", false
	}
	r.tried.Add(now, c.person())
	c.triedAt = r.now()
	switch {
	case r.Running():
		return "Wait for current vote to end before calling a new one.", false
	case r.now() < c.mayVoteFrom:
		return r.firstVoteWait(c), false
	case r.recentCallers().Has(now, c.person()):
		left := time.Duration(r.calledDelay) * time.Second
		if own := c.calledAt.Add(left).Sub(r.now()); c.calledAt != 0 && own > 0 {
			left = own // of this player, and not of another player of the person
		}
		return fmt.Sprintf("You must wait %d seconds before making another vote.", left/time.Second+1), false
	}
	barred := r.barred(c)
	return barred, barred == ""
}

// triedRecently reports whether the player called a vote or voted a moment ago.
func (s *seat) triedRecently(now conn.Time) bool {
	return s.triedAt != 0 && now < s.triedAt.Add(retryTime)
}

func (r ddnet) resolve(c *client, b *vote, value string) (answer string, ok bool) {
	switch b.kind {
	case event.VoteOption:
		if refusal := r.resolveOption(b, value); refusal != "" {
			return refusal, false
		}
		return "", !strings.EqualFold(b.command, "info") // such an option is a line to read
	case event.VoteKick:
		return r.resolveKick(c, b, value)
	case event.VoteSpectate:
		return r.resolveMove(c, b, value)
	}
	return "", false
}

// resolveKick is resolve for a vote that bans or kicks a player, or moves a mate out of the team.
func (r ddnet) resolveKick(c *client, b *vote, value string) (answer string, ok bool) {
	if !c.Operator && c.kickAt != 0 && r.now() < c.kickAt.Add(kickWait) {
		return "", false
	}
	refuse := func(why string) (string, bool) {
		c.kickAt = r.now()
		return why, false
	}
	if !c.Operator {
		if wait := r.wait(c, b); wait != "" {
			return refuse(wait)
		}
		if !r.host.Rules().VoteKick {
			return refuse("Server does not allow voting to kick players")
		}
	}
	team, _ := r.ddraceTeam(c.id)
	if least := int(r.host.Rules().VoteKickMin); least > 0 && team == 0 && r.personsOutsideTeams() < least {
		return fmt.Sprintf("Kick voting requires %d players", least), false
	}
	o, answer := r.target(value, "Invalid client id to kick")
	switch {
	case answer != "":
		return answer, false
	case o.id == c.id:
		return "You can't kick yourself", false
	case o.Operator && (!c.Operator || o.Level < c.Level):
		r.electorate.Reply(o.id, fmt.Sprintf("'%s' called for vote to kick you", r.electorate.Name(c.id)))
		return refuse("You can't kick authorized players")
	case !r.areMates(c.id, o.id):
		return refuse("You can kick only your team member")
	}
	b.target, b.subject = o.id, r.electorate.Name(o.id)
	b.line = fmt.Sprintf("'%s' called for vote to kick '%s' (%s)", r.electorate.Name(c.id), b.subject, b.shownReason())
	switch {
	case team != 0:
		b.bar = fmt.Sprintf("Move '%s' to team 0", b.subject)
		b.command = fmt.Sprintf("uninvite %d %d; set_team_ddr %d 0", o.id, team, o.id)
	case r.KickBanTime == 0:
		b.bar = fmt.Sprintf("Kick '%s'", b.subject)
		b.command = kickCommand(o.id)
	default:
		b.bar = fmt.Sprintf("Ban '%s'", b.subject)
		b.command = r.banCommand(&o)
	}
	return "", true
}

// resolveMove is resolve for a vote that pauses a player or moves them to the spectators.
func (r ddnet) resolveMove(c *client, b *vote, value string) (answer string, ok bool) {
	if !r.host.Rules().VoteSpectate {
		return "Server does not allow voting to move players to spectators", false
	}
	const invalid = "Invalid client id to move"
	o, answer := r.target(value, invalid)
	switch {
	case answer != "":
		return answer, false
	case r.team(o.id) == game.TeamSpectators:
		return invalid, false
	case o.id == c.id:
		return "You can't move yourself", false
	case !r.areMates(c.id, o.id):
		return "You can only move your team member to spectators", false
	}
	b.target, b.subject = o.id, r.electorate.Name(o.id)
	caller := r.electorate.Name(c.id)
	if command := fmt.Sprintf("force_pause %d %d", o.id, r.PauseTime); r.canPause(command) {
		b.line = fmt.Sprintf("'%s' called for vote to pause '%s' for %d seconds (%s)", caller, b.subject, r.PauseTime, b.shownReason())
		b.bar = fmt.Sprintf("Pause '%s' (%ds)", b.subject, r.PauseTime)
		b.command = command
	} else {
		b.line = fmt.Sprintf("'%s' called for vote to move '%s' to spectators (%s)", caller, b.subject, b.shownReason())
		b.bar = fmt.Sprintf("Move '%s' to spectators", b.subject)
		b.command = r.moveCommand(o.id)
	}
	if team, _ := r.ddraceTeam(o.id); team != 0 {
		b.command = fmt.Sprintf("uninvite %d %d; %s", o.id, team, b.command)
	}
	return "", true
}

// target returns the client that a vote is about, or an answer.
func (r ddnet) target(value, invalid string) (c client, answer string) {
	id, ok := parseID(value)
	switch {
	case !ok:
		return c, invalid
	case r.electorate.IsBot(id):
		return c, r.botRefusal(id)
	}
	if c, ok = r.client(id); !ok || !c.Seated || c.Leaving {
		return c, invalid
	}
	return c, ""
}

// canPause reports whether votes pause players with a command. Not all modes have it.
func (r ddnet) canPause(command string) bool {
	settings, _ := r.world.DDRaceSettings()
	return r.Pause != 0 && settings.Pauseable != 0 && r.console.Check(command, console.Operator) == nil
}

// personsOutsideTeams returns the number of persons with a player in no team, without spectators.
func (r ddnet) personsOutsideTeams() int {
	persons := map[netip.Prefix]bool{}
	r.clients(func(c *client) {
		if !c.Seated || r.team(c.id) == game.TeamSpectators {
			return
		}
		if team, _ := r.ddraceTeam(c.id); team == 0 {
			persons[c.person()] = true
		}
	})
	return len(persons)
}

// cast sets the choice of a player, in place of an earlier one.
func (r ddnet) cast(c *client, choice int32) {
	if r.host.Rules().SpamProtection && c.triedRecently(r.now()) {
		return
	}
	if c.triedAt = r.now(); choice != 0 {
		r.choose(c, choice)
	}
}

// count counts the votes. Spectators count in votes for options. In votes about players, only the
// caller's mates count. Players who are away count once they vote. A person has one vote, the last
// that a player of theirs casts.
func (r ddnet) count() tally {
	b := &r.current
	callerTeam, callerHasTee := r.ddraceTeam(b.caller)
	return r.countPersons(
		func(c *client) bool { return c.InGame },
		func(c *client) bool {
			if b.isAboutPlayer() {
				team, hasTee := r.ddraceTeam(c.id)
				if r.team(c.id) == game.TeamSpectators || r.now() < c.mayVoteFrom || hasTee && callerHasTee && team != callerTeam {
					return false
				}
			}
			p := r.player(c.id)
			return p == nil || !p.AFK || c.id == b.caller || c.choice != 0
		},
		func(s, before *seat) bool { return s.order > before.order },
	)
}

// vetoes looks for players who have been in the game, or in a race, for longer than
// sv_vote_veto_time.
func (r ddnet) vetoes(b *vote) (waits, vetoed bool) {
	minutes := r.VetoTime
	if minutes == 0 || b.kind != event.VoteOption || b.mod != 0 {
		return false, false
	}
	f := r.world.Frame()
	for i := range f.Players {
		p := &f.Players[i]
		c, ok := r.client(p.ID)
		if !ok || !c.InGame || c.Held || p.Team == game.TeamSpectators || p.AFK {
			continue
		}
		raced := p.RaceStart != 0 && (f.Tick-p.RaceStart)/(60*game.TickRate) > int32(minutes)
		if !raced && r.now().Sub(c.EnteredAt) < time.Duration(minutes+1)*time.Minute {
			continue
		}
		switch choice := r.lastChoice(&c); {
		case choice == 0:
			waits = true
		case choice < 0:
			vetoed = true
		}
	}
	return waits, vetoed
}

// lastChoice returns the last choice of the person behind a client.
func (r ddnet) lastChoice(c *client) (choice int32) {
	order, person := 0, c.person()
	r.clients(func(o *client) {
		if o.InGame && o.choice != 0 && o.order > order && o.person() == person {
			choice, order = o.choice, o.order
		}
	})
	return choice
}

// passed lets the caller call the next vote at once, if players passed it for an option.
func (r ddnet) passed(b *vote) {
	if b.kind == event.VoteOption && b.forced == 0 {
		r.recentCallers().Remove(b.person)
	}
}

func (ddnet) targetWatches(*vote) {}

// ddraceTeam returns the DDRace team of a player, and whether they have a tee, even one that they
// left for a pause.
func (r ddnet) ddraceTeam(id game.PlayerID) (team int32, hasTee bool) {
	info, ok := r.world.Player(id)
	if !ok || info.Team == game.TeamSpectators {
		return 0, false
	}
	if p := r.player(id); p != nil {
		team = p.DDRaceTeam
	}
	return team, info.Alive
}

// areMates reports whether two players have tees in the same team.
func (r ddnet) areMates(a, b game.PlayerID) bool {
	teamA, hasTeeA := r.ddraceTeam(a)
	teamB, hasTeeB := r.ddraceTeam(b)
	return hasTeeA && hasTeeB && teamA == teamB
}

// player returns the state of a player in the game, or nil.
func (r ddnet) player(id game.PlayerID) *game.PlayerState {
	f := r.world.Frame()
	for i := range f.Players {
		if f.Players[i].ID == id {
			return &f.Players[i]
		}
	}
	return nil
}
