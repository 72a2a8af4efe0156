package teeverify

import (
	"strconv"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// rescue runs /r.
func (t *match) rescue(id int) {
	w := t.world
	if w.AliveTee(id) == nil || w.Settings().Rescue == 0 && !w.Practises(w.Team(id)) {
		return
	}
	if t.own && t.clients[id].forcedUntil != 0 {
		return // DDNet-Server lets such players escape
	}
	if w.CanRescue(id) {
		t.pause(id, notPaused, true)
	}
	w.Rescue(id)
}

// teleportInPractice runs /tp.
func (t *match) teleportInPractice(id int, args []string) {
	w := t.world
	tee := w.AliveTee(id)
	if tee == nil || !w.Practises(w.Team(id)) {
		return
	}
	to := t.clients[id].view
	if len(args) > 0 {
		other, found := t.named(args[0])
		if !found {
			return
		}
		at := w.AliveTee(other)
		if at == nil {
			return
		}
		to = at.Pos
	}
	t.clients[id].unplaced = len(args) == 0 && t.looksFreely(id)
	w.Teleport(id, to)
	w.Unfreeze(id)
	tee.Core.Vel = ddrace.Vec{}
}

// teleport runs the console's tele.
func (t *match) teleport(id int, args []string) {
	w, n := t.world, numbers(args)
	who, to := id, id
	if len(n) > 1 {
		who = int(n[0])
	}
	if len(n) > 0 {
		to = int(n[len(n)-1])
	}
	if to < 0 || to >= ddrace.MaxTees || w.AliveTee(who) == nil || w.AliveTee(to) == nil && !t.isViewKnown(to) {
		return
	}
	to = w.TeleView(id, to)
	t.clients[who].unplaced = t.looksFreely(to)
	w.TeleportTo(who, t.clients[to].view, len(n) == 0 && t.clients[id].pause == notPaused)
}

// victim returns the player that a command of the console names.
func victim(id int, args []string) (int, bool) {
	if len(args) == 0 {
		return 0, false
	}
	if args[0] == "me" {
		return id, id >= 0
	}
	n, err := strconv.Atoi(args[0])
	return n, err == nil && n >= 0 && n < ddrace.MaxTees
}

// looksFreely reports whether a player moves the camera, and the file does not say where it is. That depends on an
// input that the file has only later, for the tick that it was for.
func (t *match) looksFreely(id int) bool {
	c := &t.clients[id]
	return c.pause != notPaused && c.watches == freeView && !t.isViewKnown(id)
}

// isViewKnown reports whether the file says what a player sees now.
func (t *match) isViewKnown(id int) bool {
	return t.world.Tick() > 0 && t.clients[id].viewTick == t.world.Tick()
}

// place puts tees that came to a place that is not in the file to where the file has them after the tick. They
// do not move before, so that it is the same one but for the tick's own movement.
func (t *match) place() {
	for id := range ddrace.MaxTees {
		if tee := t.world.AliveTee(id); tee != nil && t.clients[id].unplaced && t.alive[id] {
			put(tee, t.pos[id])
			tee.PrevPos = tee.Pos
		}
	}
}

// placed ends the tick of such a tee.
func (t *match) placed(id int, want *teehistorian.Point) {
	t.clients[id].unplaced = false
	t.res.NotCompared++
	if tee := t.world.AliveTee(id); tee != nil && want != nil {
		put(tee, *want)
	}
}

// maxLed is how far a tee is led in a tick as if it moved, in units: as far as tees can move.
const maxLed = 16384

// put puts a tee to a place of the file. In the next tick all tiles on its way there act on it, so a file could
// make that way as long as it likes.
func put(tee *ddrace.Tee, at teehistorian.Point) {
	tee.Pos = ddrace.Vec{X: float32(at.X), Y: float32(at.Y)}
	tee.Core.Pos = tee.Pos
	if vec.Distance(tee.PrevPos, tee.Pos) > maxLed {
		tee.PrevPos = tee.Pos
	}
}
