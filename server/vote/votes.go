package vote

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/logline"
)

const (
	// cancelTime is how long the caller can call a vote off.
	cancelTime = 10 * time.Second
	// retryTime is the time between two tries of a person to call a vote.
	retryTime = 3 * time.Second

	callersTracked = 1024
	maxReason      = 15 // bytes of a reason that clients show
)

// Votes is the options and the running vote of a server. One goroutine at a time may use it.
type Votes struct {
	Settings

	electorate Electorate
	audience   Audience
	host       Host
	now        func() conn.Time
	console    *console.Console

	world *game.World // nil before the first one
	rules rules
	seats [game.MaxPlayers]seat

	options options
	current vote
	// tried holds the persons who tried to call a vote within retryTime. called holds those whose
	// vote started within calledDelay, the value of sv_vote_delay. Neither other players of the
	// person nor a reconnect help.
	tried, called *limit.RecentSet
	calledDelay   int
	// results are to be announced when the effect of the decision is complete.
	results []news
	// ineffective reports whether to tell the players that a decision had no effect.
	ineffective bool
	// mapAt is when the last vote about a map was called, or 0.
	mapAt conn.Time
	// lastMod is the number of the last vote of a mode or mod in this world.
	lastMod int32
	// mutes are of persons who may not call votes.
	mutes access.Mutes
	// moderated reports whether an operator moderates the votes about players.
	moderated bool
	// deciding reports whether the console runs a decision. The vote was called by decidedBy.
	deciding  bool
	decidedBy game.PlayerID
}

// vote is a running vote.
type vote struct {
	kind        event.VoteKind // VoteNone: no vote runs
	caller      game.PlayerID
	person      netip.Prefix // the caller
	target      game.PlayerID
	subject     string
	reason      string
	command     string
	ends        conn.Time
	cancelUntil conn.Time // by the caller
	recount     bool      // the choices or the voters have changed
	aborted     bool
	forced      int32  // 1 yes, -1 no
	mod         int32  // game.ModVote.Number for a vote of a mode or mod, otherwise 0
	choices     int    // number of choices so far
	bar, line   string // DDNet's texts, see news
}

// isAboutPlayer reports whether the vote is to kick or move a player.
func (b *vote) isAboutPlayer() bool {
	return b.kind == event.VoteKick || b.kind == event.VoteSpectate
}

// shownReason returns the part of the reason that clients show.
func (b *vote) shownReason() string { return safetext.Truncate(b.reason, maxReason) }

const noReason = "No reason given"

var kindNames = [...]string{event.VoteOption: "option", event.VoteKick: "kick", event.VoteSpectate: "spectate"}

// seat is the state of the client in a seat.
type seat struct {
	choice      int32     // in the running vote: 1 yes, -1 no, 0 none yet
	order       int       // of the choice: 1 for the first one of all clients, 2 for the second
	triedAt     conn.Time // when a DDRace player last called a vote or voted, or 0
	calledAt    conn.Time // when a vote of the client last started, or 0
	kickAt      conn.Time // when the client last called a vote to kick, or 0
	mayVoteFrom conn.Time // earlier, the client cannot call votes or vote about players
	offered     bool      // the client has a list of options
	shown       int       // the number of options in it, the first ones
	moderates   bool
}

// reset resets the part of the state that belongs to a map.
func (s *seat) reset() { *s = seat{kickAt: s.kickAt, moderates: s.moderates} }

// client is a client with its seat.
type client struct {
	Voter
	*seat
	id game.PlayerID
}

// New returns votes without options. Call Register and Begin next.
func New(cfg Config) *Votes {
	v := &Votes{
		electorate: cfg.Electorate, audience: cfg.Audience, host: cfg.Host, now: cfg.Now,
		options: newOptions(), tried: limit.NewRecentSet(callersTracked, retryTime),
	}
	v.rules = vanilla{v}
	return v
}

// Begin ends the vote without a message, and chooses the rules for the votes in a new world.
func (v *Votes) Begin(w *game.World) {
	v.world, v.rules = w, vanilla{v}
	if w.IsDDRace() {
		v.rules = ddnet{v}
	}
	v.current, v.lastMod, v.called = vote{}, 0, nil
	v.tried.Clear()
	clear(v.results)
	v.results = v.results[:0]
	for i := range v.seats {
		v.seats[i].reset()
	}
}

// Join prepares a seat for a new client.
func (v *Votes) Join(id game.PlayerID) { v.seats[id] = seat{} }

// SwapSeats moves two clients to the seats of each other.
func (v *Votes) SwapSeats(a, b game.PlayerID) { v.seats[a], v.seats[b] = v.seats[b], v.seats[a] }

// Entered makes a client that joins others wait for sv_join_vote_delay.
func (v *Votes) Entered(id game.PlayerID, joinsOthers bool) {
	if delay := time.Duration(v.JoinDelay) * time.Second; delay > 0 && joinsOthers {
		v.seats[id].mayVoteFrom = v.now().Add(delay)
	}
}

// Recount makes the next tick count the votes again, because the voters have changed.
func (v *Votes) Recount() { v.current.recount = true }

// Left ends a vote about a client that leaves. A ban does not need the client, so a vote about one
// goes on, unless the client has been banned already.
func (v *Votes) Left(id game.PlayerID) {
	b := &v.current
	b.recount = true
	if b.target != id || !b.isAboutPlayer() {
		return
	}
	c, _ := v.electorate.Voter(id)
	if !strings.HasPrefix(b.command, "ban ") || v.electorate.IsBanned(c.Addr) {
		b.aborted = true
	}
}

// ChangedTeam notes that a player has a new team.
func (v *Votes) ChangedTeam(id game.PlayerID, team game.Team) {
	b := &v.current
	b.recount = true
	if b.kind == event.VoteSpectate && b.target == id && team == game.TeamSpectators {
		v.rules.targetWatches(b)
	}
}

// Running reports whether a vote runs or settles.
func (v *Votes) Running() bool { return v.current.kind != event.VoteNone || len(v.results) > 0 }

// Target returns the player whom the running vote is about, or -1.
func (v *Votes) Target() game.PlayerID {
	if !v.current.isAboutPlayer() {
		return game.Nobody
	}
	return v.current.target
}

// IsAccuser reports whether a player has called the running vote, and it is about a player.
func (v *Votes) IsAccuser(id game.PlayerID) bool {
	return v.current.caller == id && v.current.isAboutPlayer()
}

// Deciding reports whether the console runs the decision of a vote, and returns its caller.
func (v *Votes) Deciding() (caller game.PlayerID, ok bool) { return v.decidedBy, v.deciding }

// HadNoEffect makes the next tick tell players that the last decision had no effect.
func (v *Votes) HadNoEffect() { v.ineffective = true }

// ForgetMapVote ends the delay of sv_vote_map_delay.
func (v *Votes) ForgetMapVote() { v.mapAt = 0 }

// State is the options and the running vote, for remote consoles. Commands contain no passwords.
type State struct {
	Options []Option
	// Running is the subject of the running vote, "" without a vote.
	Running, Reason string
	// Command is the console line of the running vote.
	Command string
	// Caller called the vote. It is -1 for a vote of the server.
	Caller game.PlayerID
	// Yes and No are the numbers of votes so far, of Total voters.
	Yes, No, Total int
	// Left is the remaining time of the vote.
	Left time.Duration
}

// State returns the state at a time.
func (v *Votes) State(now conn.Time) State {
	n := v.rules.count()
	s := State{Caller: game.Nobody, Yes: int(n.yes), No: int(n.no), Total: int(n.total)}
	for _, o := range v.options.list {
		s.Options = append(s.Options, Option{safetext.Line(o.Text), v.console.Redact(o.Command)})
	}
	b := &v.current
	if b.kind == event.VoteNone {
		return s
	}
	s.Running, s.Reason, s.Command, s.Caller = safetext.Line(b.subject), safetext.Line(b.reason), v.console.Redact(b.command), b.caller
	if b.isAboutPlayer() {
		s.Running = kindNames[b.kind] + " " + s.Running
	}
	s.Left = max(b.ends.Sub(now), 0)
	return s
}

// Call handles a client's request for a vote. Value is the text of an option or the id of a player.
// Force carries the vote out at once, if the client is an operator.
func (v *Votes) Call(id game.PlayerID, kind event.VoteKind, value, reason string, force bool) {
	c, ok := v.client(id)
	if !ok || force && !c.Operator {
		return
	}
	refuse := func(answer string) {
		if answer != "" {
			v.electorate.Reply(id, answer)
		}
	}
	if !force {
		if answer, ok := v.rules.mayCall(&c); !ok {
			refuse(answer)
			return
		}
	}
	b := vote{kind: kind, caller: id, person: c.person(), target: game.Nobody, reason: cmp.Or(reason, noReason)}
	if force {
		if refusal := v.resolve(&b, value); refusal != "" {
			refuse(refusal)
			return
		}
	} else if answer, ok := v.rules.resolve(&c, &b, value); !ok {
		refuse(answer)
		return
	}
	if !force && !c.Operator {
		if wait := v.wait(&c, &b); wait != "" {
			refuse(wait)
			return
		}
	}
	b.reason = b.shownReason()
	v.logCall(&b, force)
	if force {
		v.force(&b, console.Caller{Level: c.Level, Flags: console.Operator.Flags, ID: int(id), Addr: c.Addr})
		return
	}
	v.recentCallers().Add(int64(v.now()), b.person)
	c.calledAt = v.now()
	switch {
	case kind == event.VoteKick:
		c.kickAt = v.now()
	case changesMap(b.command):
		v.mapAt = v.now()
	}
	v.start(b)
}

// logCall logs that a client has called a vote.
func (v *Votes) logCall(b *vote, force bool) {
	idAndName := func(id game.PlayerID) string { return fmt.Sprintf("%d:%s", id, v.electorate.Name(id)) }
	name := b.subject
	if b.target != game.Nobody {
		name = idAndName(b.target)
	}
	v.host.Print(console.Operator, console.Standard, fmt.Sprintf("%s voted %s %s reason=%s cmd='%s' force=%d",
		logline.Quote(idAndName(b.caller)), kindNames[b.kind], logline.Quote(name), logline.Quote(b.reason), b.command, number(force)))
}

// number returns 1 for true and 0 for false.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wait returns why a player has to wait with a vote, "" if they need not.
func (v *Votes) wait(c *client, b *vote) string {
	left := func(since conn.Time, seconds int) int {
		if since == 0 {
			return 0
		}
		return v.secondsUntil(since.Add(time.Duration(seconds) * time.Second))
	}
	if n := left(c.kickAt, v.KickDelay); b.kind == event.VoteKick && n > 0 {
		return fmt.Sprintf("There's a %d second wait time between kick votes for each player please wait %d second(s)", v.KickDelay, n)
	}
	if n := left(v.mapAt, v.MapDelay); b.kind == event.VoteOption && changesMap(b.command) && n > 0 {
		return fmt.Sprintf("There's a %d second delay between map-votes, please wait %d seconds.", v.MapDelay, n)
	}
	return ""
}

// firstVoteWait is the answer to a client that waits for sv_join_vote_delay.
func (v *Votes) firstVoteWait(c *client) string {
	return fmt.Sprintf("You must wait %d seconds before making your first vote.", v.secondsUntil(c.mayVoteFrom))
}

// secondsUntil returns the time until then in seconds, rounded up, or 0 if it has passed.
func (v *Votes) secondsUntil(then conn.Time) int {
	return int(max(then.Sub(v.now())+time.Second-1, 0) / time.Second)
}

// recentCallers returns the persons who called a vote within sv_vote_delay.
func (v *Votes) recentCallers() *limit.RecentSet {
	if v.called == nil || v.calledDelay != v.Delay {
		v.calledDelay = v.Delay
		v.called = limit.NewRecentSet(callersTracked, time.Duration(v.Delay)*time.Second)
	}
	return v.called
}

// start starts a vote, with a yes of its caller.
func (v *Votes) start(b vote) {
	now := v.now()
	b.ends, b.cancelUntil = now.Add(time.Duration(v.Time)*time.Second), now.Add(cancelTime)
	b.recount, b.choices = true, 1
	v.rules.describe(&b)
	v.current = b
	for i := range v.seats {
		v.seats[i].choice, v.seats[i].order = 0, 0
	}
	if b.caller >= 0 {
		v.seats[b.caller].choice, v.seats[b.caller].order = 1, 1
	}
	n := v.rules.begins(&b)
	v.announce(&n)
}

// force executes the console line of a vote at once, with the rights of an operator.
func (v *Votes) force(b *vote, who console.Caller) {
	if err := v.console.Check(b.command, who); err != nil {
		v.host.Print(who, console.Warning, fmt.Sprintf("vote not forced: %v", err))
		return
	}
	if b.caller != game.Nobody { // the audit log has the command of the console already
		v.host.Audit(Decision{Forced: true, Caller: b.caller, Command: b.command})
	}
	n, early := v.rules.forced(b)
	told := b.kind != event.VoteKick
	if told && early {
		v.announce(&n)
	}
	v.console.Execute(b.command, who)
	if told && !early {
		v.results = append(v.results, n)
	}
}

// Cast handles the choice of a client in the running vote: 1 is yes, -1 is no, 0 is neither.
func (v *Votes) Cast(id game.PlayerID, choice int32) {
	if c, ok := v.client(id); ok && v.current.kind != event.VoteNone {
		v.rules.cast(&c, choice)
	}
}

// choose sets the choice of a client.
func (v *Votes) choose(c *client, choice int32) {
	v.current.choices++
	v.current.recount = true
	c.choice, c.order = max(min(choice, 1), -1), v.current.choices
}

// client returns the client in a seat.
func (v *Votes) client(id game.PlayerID) (c client, ok bool) {
	if c.Voter, ok = v.electorate.Voter(id); ok {
		c.seat, c.id = &v.seats[id], id
	}
	return c, ok
}

// clients calls f for every client, in the order of their seats.
func (v *Votes) clients(f func(c *client)) {
	for id := range game.PlayerID(game.MaxPlayers) {
		if c, ok := v.client(id); ok {
			f(&c)
		}
	}
}

// team returns the team of a player; spectators for a seat without a player.
func (v *Votes) team(id game.PlayerID) game.Team {
	if p, ok := v.world.Player(id); ok {
		return p.Team
	}
	return game.TeamSpectators
}
