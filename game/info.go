package game

// PlayerInfo is what the world knows of a seated player.
type PlayerInfo struct {
	ID       PlayerID
	Profile  Profile
	InGame   bool // false while connecting
	Team     Team
	Score    int32
	Alive    bool
	Ready    bool
	AddrHash uint64
	// Flags are those set by CmdPlayerFlags and the last input's chatting and
	// scoreboard flags.
	Flags PlayerFlags
	// TeamChangeTick is when he may change team again.
	TeamChangeTick int32
	// Silent tells that he comes and goes without a word.
	Silent bool
}

// Player tells about a seated player; false when the seat is free.
func (w *World) Player(id PlayerID) (PlayerInfo, bool) {
	if id < 0 || id >= MaxPlayers || !w.players[id].connected {
		return PlayerInfo{}, false
	}
	p := &w.players[id]
	i := PlayerInfo{
		ID: id, Profile: p.profile, InGame: p.inGame, Team: p.team, Score: p.score,
		Alive: w.isAlive(id), Ready: p.ready, AddrHash: p.addrHash, Flags: p.flags,
		TeamChangeTick: p.teamChangeTick, Silent: w.entersSilently(id),
	}
	if p.admin {
		i.Flags |= PlayerFlagAdmin
	}
	if p.bot {
		i.Flags |= PlayerFlagBot
	}
	return i, true
}

// Tick is the number of the last tick; 0 before the first Step.
func (w *World) Tick() int32 { return w.tick }

// Rules are the rules in force, brought into bounds.
func (w *World) Rules() Rules { return w.rules }

// Tuning is the tuning in force.
func (w *World) Tuning() Tuning { return w.tuning }

// ModeName is what clients show as the game type.
func (w *World) ModeName() string { return w.mode.Name() }

// GameFlags are the mode's features.
func (w *World) GameFlags() GameFlags { return w.match.flags }

// NumPlaying is the number of connected players who are not spectators.
func (w *World) NumPlaying() int {
	return int(w.match.teamSize[TeamRed] + w.match.teamSize[TeamBlue])
}

// NumSpectators is the number of connected spectators.
func (w *World) NumSpectators() int { return int(w.countSpectators()) }

// NumConnected is the number of seated players, those still connecting included.
func (w *World) NumConnected() int {
	n := 0
	for i := range w.players {
		if w.players[i].connected {
			n++
		}
	}
	return n
}

// TeamsLocked reports whether players may only become spectators.
func (w *World) TeamsLocked() bool { return w.teamsLocked }

// MatchNumber is the number of the present match on this map and of how many, which
// is 0 when matches are not counted.
func (w *World) MatchNumber() (cur, num int32) {
	return w.match.info.matchCurrent, w.match.info.matchNum
}

// Paused reports whether nothing moves: in a pause, a countdown or at the end of
// a match.
func (w *World) Paused() bool { return w.paused }

// Running reports whether a match is being played.
func (w *World) Running() bool { return w.match.state == stateRunning }
