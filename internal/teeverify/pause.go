package teeverify

import (
	"github.com/teeyard/teeyard/game/ddrace"
)

// pauseKind is how a player left its tee to look around.
type pauseKind uint8

const (
	notPaused pauseKind = iota
	pausedInPlace
	pausedVanished // the tee vanishes as soon as it stands still
)

// freeView is the watched id of a player with a free camera.
const freeView = -1

// specCommand runs /spec or /pause.
func (t *match) specCommand(id int, args []string, kind pauseKind) {
	c := &t.clients[id]
	switch {
	case c.forcedUntil != 0:
	case len(args) > 0:
		at, found := t.named(args[0])
		if !found {
			at = freeView // the recording has no name for this player
		}
		if c.pause == kind && found && at != id && c.watches == at {
			t.pause(id, notPaused, false)
			return
		}
		t.pause(id, kind, false)
		if found && at != id && !(t.own && t.clients[at].spectator) {
			c.watches = at
		}
	case c.pause != notPaused:
		t.pause(id, notPaused, false)
	default:
		t.pause(id, kind, false)
	}
}

// pause makes a player with a tee look around or play on.
func (t *match) pause(id int, kind pauseKind, force bool) {
	c, tee := &t.clients[id], t.world.AliveTee(id)
	if tee == nil || kind == c.pause {
		return
	}
	now := t.world.Tick()
	if kind != pausedVanished && t.world.Tee(id) == nil {
		if !force && c.lastPause != 0 && c.lastPause+t.pauseDelay > now {
			return
		}
		t.world.Pause(id, false)
		c.view = tee.Pos
	}
	c.pause, c.lastPause = kind, now
	t.world.LookAround(id, kind != notPaused, kind == pausedVanished)
}

// forcePause makes a player a spectator for a number of seconds.
func (t *match) forcePause(id int, seconds int32) {
	if id < 0 || id >= ddrace.MaxTees || !t.world.InGame(id) {
		return
	}
	t.clients[id].forcedUntil = t.world.Tick() + min(max(seconds, 0), 360)*ddrace.TickRate
	t.world.LookUntil(id, t.clients[id].forcedUntil)
	t.pause(id, pausedVanished, true)
}

// playOn ends a player's pause when the world has ended a forced one.
func (t *match) playOn(id int) {
	c := &t.clients[id]
	if c.forcedUntil = 0; c.pause != notPaused {
		c.pause, c.lastPause = notPaused, t.world.Tick()
	}
}

// lookAround updates the view of all players at the end of a tick.
func (t *match) lookAround() {
	for id := range ddrace.MaxTees {
		c, tee := &t.clients[id], t.world.AliveTee(id)
		if tee != nil && c.pause == notPaused {
			c.view = tee.Pos
		}
		if c.pause != notPaused && c.watches != freeView {
			if other := t.world.AliveTee(c.watches); other != nil {
				c.view = other.Pos
			}
		}
	}
}

// named returns the player with a name.
func (t *match) named(name string) (int, bool) {
	for id := range ddrace.MaxTees {
		if name != "" && t.clients[id].name == name {
			return id, true
		}
	}
	return 0, false
}

// stepPaused runs a tick of a paused game. The delay until the next change of team does not pass.
func (t *match) stepPaused() []ddrace.Event {
	for id := range t.clients {
		if c := &t.clients[id]; c.lastTeam > 0 {
			c.lastTeam++
		}
	}
	return t.world.StepPaused(t.inputs)
}
