package teeverify

import (
	"github.com/teeyard/teeyard/game/ddrace"
)

// pauseKind says how a player left the own tee to look around.
type pauseKind uint8

const (
	notPaused pauseKind = iota
	pausedInPlace
	pausedVanished // as soon as the tee stands still
)

// freeView is whom players watch who watch nobody.
const freeView = -1

// specCommand runs /spec or /pause.
func (t *match) specCommand(id int, args []string, kind pauseKind) {
	c := &t.clients[id]
	switch {
	case c.forcedUntil != 0:
	case len(args) > 0:
		at, found := t.named(args[0])
		if !found {
			at = freeView // its name is in no record
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

// pause lets a player with a tee look around, or play on.
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

// forcePause has a player watch for some seconds.
func (t *match) forcePause(id int, seconds int32) {
	if id < 0 || id >= ddrace.MaxTees || !t.world.InGame(id) {
		return
	}
	t.clients[id].forcedUntil = t.world.Tick() + min(max(seconds, 0), 360)*ddrace.TickRate
	t.world.LookUntil(id, t.clients[id].forcedUntil)
	t.pause(id, pausedVanished, true)
}

// playOn follows the world, which ends a forced pause.
func (t *match) playOn(id int) {
	c := &t.clients[id]
	if c.forcedUntil = 0; c.pause != notPaused {
		c.pause, c.lastPause = notPaused, t.world.Tick()
	}
}

// lookAround ends a tick for those who are paused.
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
