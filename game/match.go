package game

// matchState is what a match is doing.
type matchState uint8

const (
	stateWarmupGame matchState = iota // too few players; endless
	stateWarmupUser                   // asked for; timed or until all are ready
	stateCountdown                    // before a match, a round or the end of a pause
	statePaused                       // timed or endless
	stateRunning
	stateEndMatch // the scoreboard stands
	stateEndRound
)

const (
	endless      int32 = -1 // a state's timer that never ends
	endMatchTime       = 10 // seconds
	endRoundTime       = 5
	balanceCheck int32 = -2 // look at the team sizes in the next tick
	balanceOK    int32 = -1
)

// gameInfo is what clients were last told of the limits.
type gameInfo struct {
	cur, num          int32 // match of so many on this map; num 0: not counted
	scoreLimit, limit int32
}

// match is the state of the match.
type match struct {
	flags     GameFlags
	state     matchState
	timer     int32 // ticks left, or endless
	startTick int32
	count     int32 // matches played on this map
	rounds    int32 // rounds played in this match
	sudden    bool
	wish      bool // an operator wants a new map after this match
	teamScore [2]int32
	teamSize  [2]int32 // connected players count, in or not
	// unbalanced is the tick at which the teams were found uneven, or
	// balanceCheck, balanceOK.
	unbalanced int32
	info       gameInfo
}

// paused tells whether the clocks stand still. They do not while a finished
// match or round is shown, although nothing moves then either.
func (m *match) paused() bool { return m.state == statePaused || m.state == stateCountdown }

func (w *World) initMatch() {
	m := &w.match
	m.unbalanced = balanceOK
	m.state, m.timer = stateRunning, endless
	if w.rules.Warmup != 0 {
		w.userWarmup(w.rules.Warmup)
	} else {
		w.gameWarmup()
	}
	m.info = w.currentInfo()
}

// enoughPlayers tells whether a match makes sense.
func (w *World) enoughPlayers() bool {
	m := &w.match
	if m.flags&GameTeams != 0 {
		return m.teamSize[TeamRed] > 0 && m.teamSize[TeamBlue] > 0
	}
	return m.teamSize[TeamRed] > 1
}

// gameWarmup waits for enough players.
func (w *World) gameWarmup() {
	m := &w.match
	if m.state == stateRunning || m.state == stateWarmupGame || m.state == stateWarmupUser {
		m.state, m.timer = stateWarmupGame, endless
		w.enableRespawn()
	}
}

// leaveGameWarmup starts the match once there are enough players.
func (w *World) leaveGameWarmup() {
	if w.match.state == stateWarmupGame && w.enoughPlayers() {
		w.startMatch()
	}
}

// userWarmup warms up for some seconds, below zero without an end; zero starts
// a match.
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
		m.timer = endless
		if w.rules.ReadyMode {
			w.setAllReady(false)
		}
	} else {
		m.timer = seconds * TickRate
	}
	w.enableRespawn()
	w.paused = false
}

// enableRespawn lets everybody respawn during a survival mode's warmup.
func (w *World) enableRespawn() {
	if w.match.flags&GameSurvival == 0 {
		return
	}
	for i := range w.players {
		if w.players[i].seated {
			w.players[i].respawnDisabled = false
		}
	}
}

// countdown holds the world for some seconds before it runs.
func (w *World) countdown() {
	m := &w.match
	if m.state != stateRunning && m.state != statePaused && m.state != stateCountdown {
		return
	}
	seconds := w.rules.Countdown
	if seconds == 0 && m.flags&GameSurvival != 0 {
		seconds = 3
	}
	if seconds <= 0 {
		w.run()
		return
	}
	m.state, m.timer = stateCountdown, seconds*TickRate
	w.paused = true
}

func (w *World) run() {
	w.match.state, w.match.timer = stateRunning, endless
	w.setAllReady(true)
	w.paused = false
}

// pause holds the world for some seconds, below zero without an end; zero ends
// a pause with a countdown.
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
		m.timer = endless
		w.setAllReady(false)
	} else {
		m.timer = seconds * TickRate
	}
	m.state = statePaused
	w.paused = true
}

func (w *World) endMatch() {
	if w.showEnd(stateEndMatch, endMatchTime) {
		w.emit(Event{Kind: EvMatchEnd, To: Everybody})
	}
}

// endRound ends a round of a survival mode, or the match if that is decided.
func (w *World) endRound() {
	if !w.checkMatch() {
		w.showEnd(stateEndRound, endRoundTime)
	}
}

func (w *World) showEnd(s matchState, seconds int32) bool {
	m := &w.match
	switch m.state {
	case stateRunning, stateEndMatch, stateEndRound, statePaused:
		m.state, m.timer = s, seconds*TickRate
		m.sudden = false
		w.paused = true
		return true
	}
	return false
}

// resetGame has the map reset in the coming tick.
func (w *World) resetGame() {
	w.resetRequested = true
	w.run()
	w.match.startTick = w.tick
	w.match.sudden = false
	w.checkInfo()
	w.balanceTeams()
}

func (w *World) startMatch() {
	w.resetGame()
	w.match.rounds = 0
	w.match.teamScore = [2]int32{}
	w.beginPlay()
}

func (w *World) startRound() {
	w.resetGame()
	w.match.rounds++
	w.beginPlay()
}

func (w *World) beginPlay() {
	if w.enoughPlayers() {
		w.countdown()
	} else {
		w.gameWarmup()
	}
	w.emit(Event{Kind: EvMatchStart, To: Everybody, Value: w.match.rounds})
	w.callReset()
}

// tickMatch is the match's part of a tick.
func (w *World) tickMatch() {
	m := &w.match
	if m.state != stateRunning {
		if m.timer > 0 {
			m.timer--
		}
		if m.timer == 0 {
			w.stateEnds()
		} else {
			switch m.state {
			case stateWarmupUser:
				if !w.rules.ReadyMode && m.timer == endless {
					w.userWarmup(0)
				}
			case stateCountdown, statePaused:
				m.startTick++
			}
		}
	}
	if m.flags&GameTeams != 0 && m.flags&GameSurvival == 0 {
		switch m.unbalanced {
		case balanceCheck:
			w.checkBalance()
		case balanceOK:
		default:
			if w.tick > m.unbalanced+w.rules.TeamBalanceTime*60*TickRate {
				w.balanceTeams()
			}
		}
	}
	w.checkActivity()
	if (m.state == stateRunning || m.state == statePaused) && !w.resetRequested {
		if m.flags&GameSurvival != 0 {
			if w.callRoundOver() {
				w.endRound()
			}
		} else {
			w.checkMatch()
		}
	}
}

// stateEnds is what follows a state whose time is up.
func (w *World) stateEnds() {
	m := &w.match
	switch m.state {
	case stateWarmupUser:
		w.userWarmup(0)
	case stateCountdown:
		w.run()
	case statePaused:
		w.pause(0)
	case stateEndRound:
		w.startRound()
	case stateEndMatch:
		if m.count >= m.info.num-1 && (m.wish || w.rules.MapRotation) {
			m.wish = false
			m.count = 0
			w.emit(Event{Kind: EvMatchEnd, To: Everybody, Flag: true})
		}
		if w.rules.MatchSwap {
			w.swapTeams()
		}
		m.count++
		w.startMatch()
	}
}

// checkMatch asks the mode whether the match is over, and ends it.
func (w *World) checkMatch() bool {
	switch w.callVerdict() {
	case MatchOver:
		w.endMatch()
		return true
	case MatchTied:
		w.match.sudden = true
	}
	return false
}

// requestNewMap ends the match at once, and asks for a new map afterwards.
func (w *World) requestNewMap() {
	w.match.wish = true
	w.match.count = w.match.info.num - 1
	w.run()
	w.endMatch()
}

func (w *World) currentInfo() gameInfo {
	i := gameInfo{cur: w.match.count + 1, scoreLimit: w.rules.ScoreLimit, limit: w.rules.TimeLimit}
	if w.rules.MapRotation {
		i.num = w.rules.MatchesPerMap
	}
	return i
}

// checkInfo tells the clients of changed limits.
func (w *World) checkInfo() {
	if !w.rules.MapRotation || w.rules.MatchesPerMap == 0 {
		w.match.count = 0
	}
	if i := w.currentInfo(); i != w.match.info {
		w.match.info = i
		w.emit(Event{Kind: EvGameInfo, To: Everybody})
	}
}

// readyMode tells whether the match waits for players to get ready.
func (w *World) readyMode() bool {
	m := &w.match
	return w.rules.ReadyMode && m.timer == endless && (m.state == stateWarmupUser || m.state == statePaused)
}

func (w *World) setAllReady(ready bool) {
	for i := range w.players {
		p := &w.players[i]
		if p.seated && p.team != TeamSpectators && (ready || !p.deadSpec) {
			p.ready = ready
		}
	}
}

// checkReady ends a warmup or pause when everybody but one is ready.
func (w *World) checkReady(without PlayerID) {
	s := w.match.state
	if !w.rules.ReadyMode || s != stateWarmupUser && s != statePaused {
		return
	}
	for i := range w.players {
		p := &w.players[i]
		if p.seated && PlayerID(i) != without && p.team != TeamSpectators && !p.ready {
			return
		}
	}
	if s == stateWarmupUser {
		w.userWarmup(0)
	} else {
		w.pause(0)
	}
}

// toggleReady is a player's wish to go on or to pause.
func (w *World) toggleReady(id PlayerID) {
	p := &w.players[id]
	if !w.rules.ReadyMode || p.team == TeamSpectators || p.deadSpec {
		return
	}
	p.ready = !p.ready
	if w.match.state == stateRunning && !p.ready {
		w.pause(endless)
		w.emit(Event{Kind: EvNotice, To: Everybody, Notice: NoticePaused, Player: id, Value: int32(id)})
	}
	w.checkReady(Nobody)
}

// matchJustStarts tells whether the countdown is that of a match or round: its
// start tick moves along with the present one. It does not in the countdown
// after a pause.
func (w *World) matchJustStarts() bool {
	return w.match.state == stateCountdown && w.match.startTick == w.tick
}

// startRespawnDisabled tells whether a newcomer has to wait for the next round.
func (w *World) startRespawnDisabled() bool {
	m := &w.match
	return m.flags&GameSurvival != 0 &&
		m.state != stateWarmupGame && m.state != stateWarmupUser && !w.matchJustStarts()
}
