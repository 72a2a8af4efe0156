package game

// matchState is the phase of a match.
type matchState uint8

const (
	stateWarmupGame matchState = iota // waits for enough players
	stateWarmupUser                   // requested; timed or until all are ready
	stateCountdown                    // before a match, before a round or after a pause
	statePaused                       // timed or without end
	stateRunning
	stateEndMatch // the scoreboard is shown
	stateEndRound
)

const (
	timerInfinite    int32 = -1 // timer of a state without end
	endMatchSeconds        = 10 // seconds
	endRoundSeconds        = 5
	teamBalanceCheck int32 = -2 // compare the team sizes in the next tick
	teamBalanceOK    int32 = -1
)

// gameInfo is the limits and match number that clients were last sent.
type gameInfo struct {
	matchCurrent, matchNum int32 // matchNum 0: matches are not counted
	scoreLimit, timeLimit  int32
}

// match is the state of the match.
type match struct {
	flags              GameFlags
	state              matchState
	timer              int32 // ticks left, or timerInfinite
	startTick          int32
	matchesOnMap       int32 // matches played on this map
	roundsInMatch      int32 // rounds played in this match
	suddenDeath        bool
	mapChangeRequested bool // an operator requested another map after this match
	teamScore          [2]int32
	teamSize           [2]int32 // connected players, whether in the game or not
	// unbalancedTick is the tick at which the teams became uneven, or teamBalanceCheck
	// or teamBalanceOK.
	unbalancedTick int32
	sentInfo       gameInfo
}

// isPaused reports whether timers stand still. They run while the end of a match or
// round is shown, although entities do not move then.
func (m *match) isPaused() bool { return m.state == statePaused || m.state == stateCountdown }

func (w *World) initMatch() {
	m := &w.match
	m.unbalancedTick = teamBalanceOK
	m.state, m.timer = stateRunning, timerInfinite
	if w.rules.Warmup != 0 {
		w.userWarmup(w.rules.Warmup)
	} else {
		w.gameWarmup()
	}
	m.sentInfo = w.currentGameInfo()
}

// hasEnoughPlayers reports whether there are enough players for a match.
func (w *World) hasEnoughPlayers() bool {
	m, n := &w.match, w.decisions.minPlayers
	if w.decisions.uneven {
		return m.teamSize[TeamRed]+m.teamSize[TeamBlue] >= n
	}
	return m.teamSize[TeamRed] >= n && (m.flags&GameFlagTeams == 0 || m.teamSize[TeamBlue] >= n)
}

// gameWarmup starts the warmup that waits for enough players.
func (w *World) gameWarmup() {
	m := &w.match
	if m.state == stateRunning || m.state == stateWarmupGame || m.state == stateWarmupUser {
		m.state, m.timer = stateWarmupGame, timerInfinite
		w.enableRespawn()
	}
}

// endGameWarmup starts the match if it can start now.
func (w *World) endGameWarmup() {
	if w.match.state == stateWarmupGame && !w.startingPlay && w.canStart() {
		w.startMatch()
	}
}

// userWarmup starts a warmup of the given seconds, without end if negative. Zero
// starts a match.
func (w *World) userWarmup(seconds int32) {
	m := &w.match
	switch m.state {
	case stateRunning, statePaused, stateWarmupGame, stateWarmupUser:
	default:
		return
	}
	if seconds == 0 {
		w.startMatch()
		return
	}
	m.state = stateWarmupUser
	if seconds < 0 {
		m.timer = timerInfinite
		if w.rules.ReadyMode {
			w.setAllReady(false)
		}
	} else {
		m.timer = seconds * TickRate
	}
	w.enableRespawn()
	w.paused = false
}

// enableRespawn allows all players to respawn during a survival mode's warmup.
func (w *World) enableRespawn() {
	if w.match.flags&GameFlagSurvival == 0 {
		return
	}
	for i := range w.players {
		if w.players[i].connected {
			w.players[i].respawnDisabled = false
		}
	}
}

// countdown starts the countdown before a match, a round or the end of a pause.
func (w *World) countdown() {
	m := &w.match
	if m.state != stateRunning && m.state != statePaused && m.state != stateCountdown {
		return
	}
	seconds := w.rules.Countdown
	if seconds == 0 && m.flags&GameFlagSurvival != 0 {
		seconds = 3
	}
	if seconds <= 0 {
		w.startRunning()
		return
	}
	m.state, m.timer = stateCountdown, seconds*TickRate
	w.paused = true
}

func (w *World) startRunning() {
	w.match.state, w.match.timer = stateRunning, timerInfinite
	w.setAllReady(true)
	w.paused = false
}

// pause pauses the game for the given seconds, without end if negative. Zero ends a
// pause with a countdown.
func (w *World) pause(seconds int32) {
	m := &w.match
	if m.state != stateRunning && m.state != statePaused && m.state != stateWarmupGame {
		return
	}
	if seconds == 0 {
		w.countdown()
		return
	}
	if seconds < 0 {
		m.timer = timerInfinite
		w.setAllReady(false)
	} else {
		m.timer = seconds * TickRate
	}
	m.state = statePaused
	w.paused = true
}

func (w *World) endMatch() {
	if w.setEndState(stateEndMatch, endMatchSeconds) {
		w.addEvent(Event{Kind: EvMatchEnd, To: MaskAll})
	}
}

// endRound ends a round of a survival mode, or the match if it is decided.
func (w *World) endRound() {
	if !w.checkWin() {
		w.setEndState(stateEndRound, endRoundSeconds)
	}
}

func (w *World) setEndState(s matchState, seconds int32) bool {
	m := &w.match
	switch m.state {
	case stateRunning, stateEndMatch, stateEndRound, statePaused:
		m.state, m.timer = s, seconds*TickRate
		m.suddenDeath = false
		w.paused = true
		return true
	}
	return false
}

// resetGame requests a reset of the map in the next tick.
func (w *World) resetGame() {
	w.resetRequested = true
	w.startRunning()
	w.match.startTick = w.tick
	w.match.suddenDeath = false
	w.checkGameInfo()
	w.balanceTeams()
}

func (w *World) startMatch() {
	w.resetGame()
	w.match.roundsInMatch = 0
	w.match.teamScore = [2]int32{}
	w.startPlay()
}

func (w *World) startRound() {
	w.resetGame()
	w.match.roundsInMatch++
	w.startPlay()
}

func (w *World) startPlay() {
	if w.canStart() {
		w.countdown()
	} else {
		w.gameWarmup()
	}
	w.addEvent(Event{Kind: EvRoundStart, To: MaskAll, Value: w.match.roundsInMatch})
	if len(w.hooks.roundStart) == 0 || w.startingPlay {
		return
	}
	w.startingPlay = true
	w.callRoundStart()
	w.startingPlay = false
	if w.match.state == stateWarmupGame && w.canStart() { // a hook brought players in
		w.startRunning()
		w.countdown()
	}
}

// tickMatch runs one tick of the match.
func (w *World) tickMatch() {
	m := &w.match
	if m.state != stateRunning {
		if m.timer > 0 {
			m.timer--
		}
		if m.timer == 0 {
			w.onStateTimerEnd()
		} else {
			switch m.state {
			case stateWarmupUser:
				if !w.rules.ReadyMode && m.timer == timerInfinite {
					w.userWarmup(0)
				}
			case stateWarmupGame:
				if w.hooks.startRule.isSet() {
					w.endGameWarmup()
				}
			case stateCountdown, statePaused:
				m.startTick++
			}
		}
	}
	if m.flags&GameFlagTeams != 0 && m.flags&GameFlagSurvival == 0 {
		switch m.unbalancedTick {
		case teamBalanceCheck:
			w.checkBalance()
		case teamBalanceOK:
		default:
			if w.tick > m.unbalancedTick+w.rules.TeamBalanceTime*60*TickRate {
				w.balanceTeams()
			}
		}
	}
	w.checkActivity()
	if (m.state == stateRunning || m.state == statePaused) && !w.resetRequested {
		if m.flags&GameFlagSurvival != 0 {
			if w.callRoundOver() {
				w.endRound()
			}
		} else {
			w.checkWin()
		}
	}
}

// onStateTimerEnd changes to the state that follows the current one.
func (w *World) onStateTimerEnd() {
	m := &w.match
	switch m.state {
	case stateWarmupUser:
		w.userWarmup(0)
	case stateCountdown:
		w.startRunning()
	case statePaused:
		w.pause(0)
	case stateEndRound:
		w.startRound()
	case stateEndMatch:
		if m.matchesOnMap >= m.sentInfo.matchNum-1 && (m.mapChangeRequested || w.rules.MapRotation) {
			m.mapChangeRequested = false
			m.matchesOnMap = 0
			w.addEvent(Event{Kind: EvMatchEnd, To: MaskAll, Flag: true})
		}
		if w.rules.MatchSwap && !w.decisions.uneven {
			w.swapTeams()
		}
		m.matchesOnMap++
		w.startMatch()
	}
}

// checkWin asks the mode for the result of the match and reports whether it ended the
// match.
func (w *World) checkWin() bool {
	switch w.callCheckWin() {
	case MatchOver:
		w.endMatch()
		return true
	case MatchTied:
		w.match.suddenDeath = true
	}
	return false
}

// requestMapChange ends the match now and requests another map.
func (w *World) requestMapChange() {
	w.match.mapChangeRequested = true
	w.match.matchesOnMap = w.match.sentInfo.matchNum - 1
	w.startRunning()
	w.endMatch()
}

func (w *World) currentGameInfo() gameInfo {
	i := gameInfo{matchCurrent: w.match.matchesOnMap + 1, scoreLimit: w.rules.ScoreLimit, timeLimit: w.rules.TimeLimit}
	if w.rules.MapRotation {
		i.matchNum = w.rules.MatchesPerMap
	}
	return i
}

// checkGameInfo emits an event if the limits or the match number changed.
func (w *World) checkGameInfo() {
	if !w.rules.MapRotation || w.rules.MatchesPerMap == 0 {
		w.match.matchesOnMap = 0
	}
	if i := w.currentGameInfo(); i != w.match.sentInfo {
		w.match.sentInfo = i
		told := w.rules
		w.addEvent(Event{Kind: EvGameInfo, To: MaskAll, Rules: &told, Value: i.matchNum, Extra: i.matchCurrent})
	}
}

// readyMode reports whether the match waits for players to be ready.
func (w *World) readyMode() bool {
	m := &w.match
	return w.rules.ReadyMode && m.timer == timerInfinite && (m.state == stateWarmupUser || m.state == statePaused)
}

func (w *World) setAllReady(ready bool) {
	for i := range w.players {
		p := &w.players[i]
		if p.connected && p.team != TeamSpectators && (ready || !p.deadSpec) {
			p.ready = ready
		}
	}
}

// checkReady ends a warmup or pause if all players are ready, not counting the player
// without.
func (w *World) checkReady(except PlayerID) {
	s := w.match.state
	if !w.rules.ReadyMode || s != stateWarmupUser && s != statePaused {
		return
	}
	for i := range w.players {
		p := &w.players[i]
		if p.connected && PlayerID(i) != except && p.team != TeamSpectators && !p.ready {
			return
		}
	}
	if s == stateWarmupUser {
		w.userWarmup(0)
	} else {
		w.pause(0)
	}
}

// toggleReady handles CmdReady. It can pause a running match.
func (w *World) toggleReady(id PlayerID) {
	p := &w.players[id]
	if !w.rules.ReadyMode || p.team == TeamSpectators || p.deadSpec {
		return
	}
	p.ready = !p.ready
	if w.match.state == stateRunning && !p.ready {
		w.pause(timerInfinite)
		w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, GameMsg: GameMsgGamePaused, Player: id, Value: int32(id)})
	}
	w.checkReady(Nobody)
}

// isStartCountdown reports whether a match or round starts after the countdown, and not the rest of
// a paused match. Only then its start tick moves along.
func (w *World) isStartCountdown() bool {
	return w.match.state == stateCountdown && w.match.startTick == w.tick
}

// startRespawnDisabled reports whether a new player must wait for the next round.
func (w *World) startRespawnDisabled() bool {
	m := &w.match
	return m.flags&GameFlagSurvival != 0 &&
		m.state != stateWarmupGame && m.state != stateWarmupUser && !w.isStartCountdown()
}
