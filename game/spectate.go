package game

import "github.com/teeyard/teeyard/game/vec"

// followRadius is the maximum distance between a spectator's click and the selected target.
const followRadius float32 = 6 * 32

// toggleFollow handles a spectator's click: in free view it follows the closest tee or
// flag, otherwise it returns to free view.
func (w *World) toggleFollow(id PlayerID) {
	p := &w.players[id]
	if p.specMode != SpectateFree {
		p.specMode, p.specFlag, p.specID = SpectateFree, TeamSpectators, Nobody
		return
	}
	char := PlayerID(w.tees.Closest(p.viewPos, followRadius))
	flag := w.closestFlag(p.viewPos, followRadius)
	switch {
	case flag >= 0 && (char == Nobody || vec.Distance(p.viewPos, w.flags[flag].Pos) < vec.Distance(p.viewPos, w.tees.All[char].Pos)):
		p.specMode, p.specFlag, p.specID = specModeOfFlag(flag), flag, Nobody
	case char != Nobody:
		p.specMode, p.specFlag, p.specID = SpectatePlayer, TeamSpectators, char
	}
}

// isSpectating reports whether the camera does not follow the player's own tee.
func (p *player) isSpectating() bool {
	return p.team == TeamSpectators || p.deadSpec || p.sight.pause != NotPaused
}

func specModeOfFlag(t Team) SpectateMode {
	if t == TeamRed {
		return SpectateFlagRed
	}
	return SpectateFlagBlue
}

// spectate changes the target of the camera of a spectator or an eliminated player. It reports
// whether the target changed.
func (w *World) spectate(id PlayerID, mode SpectateMode, target PlayerID) bool {
	p := &w.players[id]
	if mode == SpectatePlayer {
		if p.specMode == SpectatePlayer && (target == p.specID || target == id) {
			return false
		}
		if target < 0 || target >= MaxPlayers || !w.players[target].connected {
			return false
		}
	} else if mode == p.specMode {
		return false
	}
	switch {
	case p.team == TeamSpectators || p.sight.pause != NotPaused:
		switch mode {
		case SpectatePlayer:
			if w.players[target].team == TeamSpectators {
				return false
			}
			p.specID = target
			p.specFlag = TeamSpectators
		case SpectateFlagRed, SpectateFlagBlue:
			flag := TeamRed
			if mode == SpectateFlagBlue {
				flag = TeamBlue
			}
			if w.flags[flag].Exists {
				p.specFlag = flag
				p.specID = PlayerID(w.flags[flag].Carrier)
			} else if p.specFlag == TeamSpectators {
				return false // who follows the only flag goes on to, as in the original
			}
		default:
			p.specFlag = TeamSpectators
			p.specID = Nobody
			if target >= 0 && target < MaxPlayers {
				p.specID = target // kept as requested, as in the original
			}
		}
		p.specMode = mode
		return true
	case p.deadSpec && mode == SpectatePlayer && w.deadSpecCanFollow(id, target):
		p.specMode, p.specFlag, p.specID = mode, TeamSpectators, target
		return true
	}
	return false
}

// deadSpecCanFollow reports whether an eliminated player can follow target: a teammate
// who is still in the round.
func (w *World) deadSpecCanFollow(id, target PlayerID) bool {
	t := &w.players[target]
	return (!t.respawnDisabled || w.isAlive(target)) && t.team == w.players[id].team
}

// updateDeadSpec chooses a player to follow for an eliminated player if the current choice is not
// allowed.
func (w *World) updateDeadSpec(id PlayerID) {
	p := &w.players[id]
	if p.specID >= 0 && w.players[p.specID].connected && w.deadSpecCanFollow(id, p.specID) {
		return
	}
	for i := PlayerID(0); i < MaxPlayers; i++ {
		if w.players[i].connected && w.deadSpecCanFollow(id, i) {
			p.specID = i
			return
		}
	}
	p.deadSpec = false
}

// stopFollowing changes the view of the players who follow a leaving player.
func (w *World) stopFollowing(id PlayerID) {
	for i := range w.players {
		p := &w.players[i]
		if !p.connected || p.specMode != SpectatePlayer || p.specID != id {
			continue
		}
		if p.deadSpec {
			w.updateDeadSpec(PlayerID(i))
		} else {
			p.specMode, p.specID = SpectateFree, Nobody
		}
	}
}
