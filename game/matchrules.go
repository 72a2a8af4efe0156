package game

import "slices"

// GameTypeNamer changes the game type that clients and master servers show. [New] calls GameType
// once, after all Start methods: first the mode's, then each mod's. The argument is the name so
// far, beginning with [Mode.Name]. An empty result keeps the name.
type GameTypeNamer interface {
	GameType(name string) string
}

// PurityRule decides whether the world keeps the standard tuning, as in the game types of 0.7.5. If
// so, the world undoes changes of the tuning every tick. [New] calls PureTuning once; the result
// replaces [Rules.PureTuning].
type PurityRule interface {
	PureTuning() bool
}

// UnevenRule is for modes with GameFlagTeams. UnevenTeams reports whether the teams may have any
// sizes. If so, the server does not balance or swap the teams, new players choose their team, and a
// match needs the number of PlayersRule in both teams together. [New] calls it, and the world calls
// it again when a mod is switched off or reloaded.
type UnevenRule interface {
	UnevenTeams() bool
}

// StartRule decides whether a match can start. CanStartMatch is called whenever a match could
// start, and in every tick of the warmup that waits for players. The argument enough reports
// whether there are as many players as [PlayersRule] requires. The warmup continues while the
// result is false.
type StartRule interface {
	CanStartMatch(ctx *Ctx, enough bool) bool
}

// JoinRule decides the teams of players. It is called before a player gets or changes a team,
// except by [Player.SetTeam]. The rule can change the team. If it cancels, the player keeps their
// team, or enters as a spectator. A team that the mode does not have becomes the nearest one that
// the mode has.
type JoinRule interface {
	JoinTeam(ctx *Ctx, r *TeamRequest)
}

// TeamRequest is a requested team change of a player.
type TeamRequest struct {
	Player PlayerID
	From   Team // current team; TeamSpectators with JoinConnect
	Team   Team // new team; rules may change it
	Cause  JoinCause
	// Refusal is the text that the player is sent if the rule cancels, or "" for none. It is not
	// sent with JoinConnect.
	Refusal string
}

// JoinCause is the reason for a team change.
type JoinCause uint8

// The causes of team changes.
const (
	JoinConnect  JoinCause = iota // the player connects; the name is not known yet
	JoinPlayer                    // the player chose the team
	JoinOperator                  // an operator or a vote moved, swapped or shuffled players
	JoinBalance                   // the teams were uneven
	JoinInactive                  // the player was inactive
)

// decisions are the rules that mode and mods decided in New.
type decisions struct {
	minPlayers int32 // of a match, with GameFlagTeams in each team
	uneven     bool  // teams may be of any sizes
	gameType   string
	purity     *bool // nil if the operator's rules count
}

// originalGameTypes are the game types in which clients leave a server with another tuning than the
// standard one. A plus after the name makes it another game type, as for servers with more players
// than 0.7.5 allows.
var originalGameTypes = []string{"DM", "TDM", "CTF", "LMS", "LTS"}

func (w *World) decide() {
	d := &w.decisions
	w.decidePlayers()
	if r := w.hooks.purityRule; r.isSet() {
		pure := w.rules.PureTuning
		w.protect(r.of, func() { pure = r.hook.PureTuning() })
		d.purity = &pure
	}
}

// decideName decides the name of the game type. The name can depend on variables.
func (w *World) decideName() {
	d := &w.decisions
	d.gameType = w.mode.Name()
	for _, n := range w.hooks.namers {
		w.protect(n.of, func() {
			if name := n.hook.GameType(d.gameType); name != "" {
				d.gameType = name
			}
		})
	}
	if d.purity != nil && !*d.purity && slices.Contains(originalGameTypes, d.gameType) {
		d.gameType += "+"
	}
}

// decidePlayers decides how many players a match needs, and whether in each team.
func (w *World) decidePlayers() {
	n := &w.decisions.minPlayers
	*n = 2
	if w.match.flags&GameFlagTeams != 0 {
		*n = 1
	}
	if r := w.hooks.playersRule; r.isSet() {
		w.protect(r.of, func() { *n = r.hook.MinPlayers() })
	}
	uneven := false
	if r := w.hooks.unevenRule; r.isSet() {
		w.protect(r.of, func() { uneven = r.hook.UnevenTeams() })
	}
	w.decisions.uneven = uneven
}

// limitRules limits the operator's rules to their ranges and to the decisions of the mode and mods.
func (w *World) limitRules() { w.rules = w.LimitRules(w.rules) }

// LimitRules returns the rules that are in force if the operator sets r.
func (w *World) LimitRules(r Rules) Rules {
	r.clamp()
	if p := w.decisions.purity; p != nil {
		r.PureTuning = *p
	}
	if w.traits.timesAsScores {
		r.ScoreLimit = 0 // which clients would show beside the times
	}
	return r
}

// canStart reports whether a match can start.
func (w *World) canStart() bool {
	enough := w.hasEnoughPlayers()
	return callRule(w, w.hooks.startRule, enough, func(r StartRule, ctx *Ctx) bool { return r.CanStartMatch(ctx, enough) })
}

// requestJoin asks the JoinRules about a player's new team. It returns the team, and false if the
// player keeps their team.
func (w *World) requestJoin(id PlayerID, t Team, cause JoinCause) (Team, bool) {
	if len(w.hooks.join) == 0 {
		return t, true
	}
	c := w.enterHook()
	if c == nil {
		return t, true
	}
	defer w.exitHook(c)
	from := TeamSpectators
	if cause != JoinConnect {
		from = w.players[id].team
	}
	wanted := w.clampTeam(t)
	c.join = TeamRequest{Player: id, From: from, Team: wanted, Cause: cause}
	for _, h := range w.hooks.join {
		w.protect(h.of, func() { h.hook.JoinTeam(&c.ctx, &c.join) })
		c.join.Player, c.join.From, c.join.Cause = id, from, cause
		if c.ctx.cancelled {
			if c.join.Refusal != "" && cause != JoinConnect {
				c.ctx.Player(id).Say(c.join.Refusal)
			}
			return TeamSpectators, false
		}
	}
	t = w.clampTeam(c.join.Team)
	return t, t == wanted || cause == JoinConnect || w.canJoinTeam(id, t)
}

// moveToTeam is changeTeam if the JoinRules agree. It reports whether they do.
func (w *World) moveToTeam(id PlayerID, t Team, announce bool, cause JoinCause) bool {
	t, ok := w.requestJoin(id, t, cause)
	if ok {
		w.changeTeam(id, t, announce)
	}
	return ok
}
