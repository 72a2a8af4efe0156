package bridge6

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// watcher holds a client's messages about its view of the game. The zero value stands for a client
// without such messages.
type watcher struct {
	showDistance vec.Vec2          // size of the displayed area, 0 by default
	camera       msg6.ClCameraInfo // valid with hasCamera
	hasCamera    bool
	counts       *bool // whether the client counts as a spectator; nil if it did not say
}

// defaultShowDistance is the area displayed by a client that did not send its size.
var defaultShowDistance = vec.Vec2{X: 1200, Y: 800}

// isNear reports whether a free view at x, y shows the position pos well within the picture.
func (w *watcher) isNear(x, y int32, pos vec.Vec2) bool {
	d := w.showDistance
	if d == (vec.Vec2{}) {
		d = defaultShowDistance
	}
	dx, dy := float32(x)-pos.X, float32(y)-pos.Y
	return max(dx, -dx) < d.X/2.5 && max(dy, -dy) < d.Y/2.3
}

// shareWatcher makes the client's view known to the snapshots of other clients.
func (s *serverSide) shareWatcher() {
	if s.ownID != game.Nobody {
		s.protocol.snapshot.watchers[s.ownID] = s.watcher
	}
}

// watchItems are the items about spectators for one client.
type watchItems struct {
	hasInfo, hasCount bool
	info              msg6.DDNetSpectatorInfo
	player            game.PlayerID // the client's own player
}

var (
	exDDNetSpectatorInfo = newEx(msg6.TypeDDNetSpectatorInfo)
	exSpectatorCount     = newEx(msg6.TypeSpectatorCount)
)

// Number of items and integers that watchItems take at most. The items that define their types are
// included.
const (
	numWatchItems = 4
	sizeWatch     = 2*msg6.SizeEx + msg6.SizeDDNetSpectatorInfo + msg6.SizeSpectatorCount
)

// watchItemsOf returns the items about spectators for a viewer with a release of DDNet's client.
func (e *snapshotEncoder) watchItemsOf(v *game.View, version int32) (w watchItems) {
	if !msg6.TypeKnownBy(msg6.TypeDDNetSpectatorInfo, version) || v.Viewer == game.Nobody || e.playerIndex[v.Viewer] < 0 {
		return w
	}
	p := &e.frame.Players[e.playerIndex[v.Viewer]]
	w.player, w.hasInfo = p.ID, true
	watched := p.ID
	if p.Spectating && p.SpecMode != game.SpectateFree && p.SpectatorID != game.Nobody {
		watched = p.SpectatorID
	}
	if c := &e.watchers[watched]; c.hasCamera {
		w.info.HasCameraInfo = 1
		w.info.Zoom, w.info.Deadzone, w.info.FollowFactor = max(c.camera.Zoom, 0), max(c.camera.Deadzone, 0), max(c.camera.FollowFactor, 0)
	}
	if own := e.watchers[p.ID].counts; own != nil && *own && !p.Spectating {
		w.hasCount = true
		w.info.SpectatorCount = e.spectatorsOf(p.ID)
	}
	return w
}

// spectatorsOf counts the spectators who follow a player or have a free view near the player's tee.
// Players who are away and clients that do not want to count are left out.
func (e *snapshotEncoder) spectatorsOf(id game.PlayerID) (n int32) {
	c := e.characterIndex[id]
	for i := range e.frame.Players {
		q := &e.frame.Players[i]
		w := &e.watchers[q.ID]
		switch {
		case q.ID == id || !q.Spectating || q.AFK || w.counts != nil && !*w.counts:
		case q.SpecMode != game.SpectateFree && q.SpectatorID == id,
			c >= 0 && w.isNear(q.ViewX, q.ViewY, e.characters[c].Pos):
			n++
		}
	}
	return n
}

// buildWatchTypes adds the items that define the types of the items of buildWatchItems.
func (e *snapshotEncoder) buildWatchTypes(b *snapshot.Builder, w *watchItems) {
	if w.hasCount {
		e.types.add(b, wireTypeSpectatorCount, &exSpectatorCount)
	}
	if w.hasInfo {
		e.types.add(b, wireTypeDDNetSpectatorInfo, &exDDNetSpectatorInfo)
	}
}

// buildWatchItems adds the number of spectators and the camera.
func (e *snapshotEncoder) buildWatchItems(b *snapshot.Builder, w *watchItems, ids *clientids.Map) {
	if w.hasCount {
		if dst := b.Add(wireTypeSpectatorCount, 0, msg6.SizeSpectatorCount); dst != nil {
			(&msg6.SpectatorCount{NumSpectators: w.info.SpectatorCount}).PutInts(dst)
		}
	}
	if w.hasInfo {
		if dst := b.Add(wireTypeDDNetSpectatorInfo, int(max(ids.ID(w.player), 0)), msg6.SizeDDNetSpectatorInfo); dst != nil {
			w.info.PutInts(dst)
		}
	}
}
