package game

// PlayerInfo is the state of a connected player.
type PlayerInfo struct {
	ID       PlayerID
	Profile  Profile
	InGame   bool // false while connecting
	Team     Team
	Score    int32
	Alive    bool
	Ready    bool
	AddrHash uint64
	// Flags are the flags of CmdPlayerFlags, and the chatting and scoreboard flags of the player's
	// last input.
	Flags PlayerFlags
	// TeamChangeTick is the first tick in which the player can change team.
	TeamChangeTick int32
	// Silent reports whether other players are not told when the player enters or leaves.
	Silent bool
}

// Player returns the state of a connected player, and false if the player is not connected.
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
	i.Profile.Skin = *w.shownSkin(id)
	if p.admin {
		i.Flags |= PlayerFlagAdmin
	}
	if p.bot {
		i.Flags |= PlayerFlagBot
	}
	return i, true
}

// Tick returns the number of the last tick, or 0 before the first Step.
func (w *World) Tick() int32 { return w.tick }

// Rules returns the current rules, limited to their ranges.
func (w *World) Rules() Rules { return w.rules }

// Tuning returns the current tuning.
func (w *World) Tuning() Tuning { return w.tuning }

// ModeName returns the game type that clients show.
func (w *World) ModeName() string { return w.decisions.gameType }

// GameFlags returns the features of the mode.
func (w *World) GameFlags() GameFlags { return w.match.flags }

// NumPlaying returns the number of connected players who are not spectators.
func (w *World) NumPlaying() int {
	return int(w.match.teamSize[TeamRed] + w.match.teamSize[TeamBlue])
}

// NumSpectators returns the number of connected spectators.
func (w *World) NumSpectators() int { return int(w.countSpectators()) }

// NumConnected returns the number of connected players, including those who have not
// entered the game.
func (w *World) NumConnected() int {
	n := 0
	for i := range w.players {
		if w.players[i].connected {
			n++
		}
	}
	return n
}

// TeamsLocked reports whether the teams are locked: players can then only become spectators.
func (w *World) TeamsLocked() bool { return w.teamsLocked }

// MatchNumber returns the number of the current match on this map, and the number of matches per
// map. The second number is 0 if matches are not counted.
func (w *World) MatchNumber() (cur, num int32) {
	return w.match.sentInfo.matchCurrent, w.match.sentInfo.matchNum
}

// Paused reports whether entities stand still: in a pause or countdown, and at the end of a match.
func (w *World) Paused() bool { return w.paused }

// Running reports whether a match is running.
func (w *World) Running() bool { return w.match.state == stateRunning }
