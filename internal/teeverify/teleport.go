package teeverify

import (
	"strconv"
	"strings"

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
	if t.isHeld(id) || w.SetRescue(id) {
		return
	}
	if w.CanRescue(id) {
		t.pause(id, notPaused, true)
	}
	w.Rescue(id)
}

// isHeld reports whether a forced pause stops a player's commands. On our server it does; on
// DDNet-Server commands end the pause.
func (t *match) isHeld(id int) bool { return t.own && t.clients[id].forcedUntil != 0 }

// practises reports whether a player has a tee and its team is in practice.
func (t *match) practises(id int) bool {
	return t.world.AliveTee(id) != nil && t.world.Practises(t.world.Team(id))
}

// teleportInPractice runs /tp and /tc. With aims set and no argument, the target is the tee's
// crosshair.
func (t *match) teleportInPractice(id int, args []string, aims bool) {
	w := t.world
	if !t.practises(id) {
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
	if len(args) == 0 && aims {
		to = w.Crosshair(id)
	}
	t.clients[id].unplaced = len(args) == 0 && t.looksFreely(id)
	w.TeleportInPractice(id, to)
}

// teleportXY runs /tpxy.
func (t *match) teleportXY(id int, args []string) {
	if !t.practises(id) || len(args) < 2 {
		return
	}
	relative := strings.HasPrefix(args[0], "~") || strings.HasPrefix(args[1], "~")
	if t.world.TeleportXY(id, t.clients[id].view, args[0], args[1]) == "" {
		t.clients[id].unplaced = relative && t.looksFreely(id)
	}
}

// teleportAgain runs /lasttp.
func (t *match) teleportAgain(id int) {
	if t.practises(id) && t.world.CanTeleportAgain(id) && !t.isHeld(id) {
		t.pause(id, notPaused, true)
		t.world.TeleportAgain(id)
	}
}

// goBack runs /back.
func (t *match) goBack(id int) {
	if !t.practises(id) || !t.world.CanGoBack(id) || t.isHeld(id) {
		return
	}
	if t.world.CanRescue(id) {
		t.pause(id, notPaused, true)
	}
	t.world.GoBack(id)
}

// rescueMode runs /rescuemode.
func (t *match) rescueMode(id int, args []string) {
	w := t.world
	if len(args) == 0 || w.Settings().Rescue == 0 && !w.Practises(w.Team(id)) {
		return
	}
	if mode := strings.ToLower(args[0]); mode == "auto" || mode == "manual" {
		w.SetManualRescue(id, mode == "manual")
	}
}

// endPractice runs /unpractice.
func (t *match) endPractice(id int) {
	w, team := t.world, t.world.Team(id)
	if !w.Practises(team) || t.isWaiting(team) || w.Members(team) > int(w.Settings().MaxTeamSize) && w.Locked(team) {
		return
	}
	for i := range ddrace.MaxTees {
		if c := &t.clients[i]; !t.pauseable && w.Team(i) == team && c.pause == pausedVanished && c.forcedUntil == 0 {
			t.pause(i, pausedInPlace, true)
		}
	}
	w.EndPractice(id)
}

// teleport runs the console command tele.
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

// victim returns the player that a console command's first argument names.
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

// looksFreely reports whether a player moves a free camera whose position is not in the file. The
// camera depends on an input that the file has only later, in the tick for which it was meant.
func (t *match) looksFreely(id int) bool {
	c := &t.clients[id]
	return c.pause != notPaused && c.watches == freeView && !t.isViewKnown(id)
}

// isViewKnown reports whether the file has the player's camera in this tick.
func (t *match) isViewKnown(id int) bool {
	return t.world.Tick() > 0 && t.clients[id].viewTick == t.world.Tick()
}

// place handles tees that were teleported to a place that is not in the file. It moves them to
// their recorded position after the coming tick, so that they are off by at most the movement of
// one tick.
func (t *match) place() {
	for id := range ddrace.MaxTees {
		if tee := t.world.AliveTee(id); tee != nil && t.clients[id].unplaced && t.alive[id] {
			put(tee, t.pos[id])
			tee.PrevPos = tee.Pos
		}
	}
}

// placed moves such a tee to its recorded position at the end of the tick.
func (t *match) placed(id int, want *teehistorian.Point) {
	t.clients[id].unplaced = false
	t.res.NotCompared++
	if tee := t.world.AliveTee(id); tee != nil && want != nil {
		put(tee, *want)
	}
}

// maxLed is the longest distance, in units, that put treats as a movement: the most that tees can
// move in a tick.
const maxLed = 16384

// put moves a tee to a recorded position. In the next tick all tiles on the way act on the tee. A
// file could make that way as long as it likes, so a longer one than maxLed is skipped.
func put(tee *ddrace.Tee, at teehistorian.Point) {
	tee.Pos = ddrace.Vec{X: float32(at.X), Y: float32(at.Y)}
	tee.Core.Pos = tee.Pos
	if vec.Distance(tee.PrevPos, tee.Pos) > maxLed {
		tee.PrevPos = tee.Pos
	}
}
