package game

// Match is the running match: its time, its phase and the scores of the teams.
type Match struct{ tx *Tx }

// Match returns the running match.
func (tx *Tx) Match() Match { return Match{tx} }

// TeamScore returns a team's score.
func (m Match) TeamScore(t Team) int32 { return m.tx.w.match.teamScore[t&1] }

// AddTeamScore adds n to a team's score.
func (m Match) AddTeamScore(t Team, n int32) { m.tx.w.match.teamScore[t&1] += n }

// Flags returns the features of the mode, such as [GameFlagTeams] and [GameFlagFlags].
func (m Match) Flags() GameFlags { return m.tx.w.match.flags }

// Ticks returns the duration of the match in ticks, without pauses.
func (m Match) Ticks() int32 { return m.tx.w.tick - m.tx.w.match.startTick }

// SuddenDeath reports whether the match is in sudden death.
func (m Match) SuddenDeath() bool { return m.tx.w.match.suddenDeath }

// Warmup reports whether the match is in warmup.
func (m Match) Warmup() bool {
	return m.tx.w.match.state == stateWarmupGame || m.tx.w.match.state == stateWarmupUser
}

// StartWarmup starts a warmup of the given seconds, or without an end if negative. Zero starts a
// match.
func (m Match) StartWarmup(seconds int32) { m.tx.w.userWarmup(min(max(seconds, timerInfinite), 1000)) }

// EntitiesMoving reports whether entities move. They stand still in a pause or countdown, at the
// end of a match, and before a reset of the map.
func (m Match) EntitiesMoving() bool { return !m.tx.w.paused && !m.tx.w.resetRequested }

// End ends the match: the scoreboard appears, and the next match starts after 10 seconds.
func (m Match) End() { m.tx.w.endMatch() }

// CheckWin calls the [WinRule] now and reports whether the match ended. The world does so every
// tick; call it to end the match at once after scoring in OnTick.
func (m Match) CheckWin() bool { return m.tx.w.checkWin() }
