package bridge6

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// numLimitedIDs is the number of ids that clients know if they are not DDNet's.
	numLimitedIDs = 16
	// proxyID is the id of a proxy player. The proxy speaks for players without an id.
	proxyID = numLimitedIDs - 1
	// idUpdateTicks is the interval, in ticks, at which ids are assigned again.
	idUpdateTicks = 5
)

// clientIDs are the ids under which one client knows the players.
//
// Some clients know only 16 ids. While players with ids of 16 and above are in the game, ids are
// mapped for such a client: the ids 0 to 14 stand for its own player and the 14 nearest ones, and
// it sees no others. A player keeps an id while among the nearest. At other times ids are not
// mapped.
//
// The zero value is for a client that knows all ids.
type clientIDs struct {
	limited    bool  // whether the client knows only 16 ids
	active     bool  // whether ids are mapped now
	ownID      int32 // the client's id in its own numbering
	updateTick int32 // tick of the last assignment
	byPlayer   [game.MaxPlayers]int8
	byID       [numLimitedIDs]game.PlayerID
}

// id returns the client's id for a player. The result is negative if the client does not know the
// player.
func (m *clientIDs) id(p game.PlayerID) int32 {
	switch {
	case p < 0:
		return -1
	case m.active:
		return int32(m.byPlayer[p])
	case m.limited && p >= numLimitedIDs:
		return -1
	}
	return int32(p)
}

// mapField maps a field that contains a player id, or a negative number with a special meaning.
// Players that the client does not know become -1.
func (m *clientIDs) mapField(p int32) int32 {
	if p < 0 || p >= game.MaxPlayers {
		return p
	}
	return m.id(game.PlayerID(p))
}

// player returns the player with the client's id, or -1.
func (m *clientIDs) player(id int32) game.PlayerID {
	switch {
	case id < 0 || id >= game.MaxPlayers:
		return game.Nobody
	case m.limited && id >= numLimitedIDs:
		return game.Nobody
	case !m.active:
		return game.PlayerID(id)
	}
	return m.byID[id]
}

// reset forgets all players.
func (m *clientIDs) reset() { *m = clientIDs{limited: m.limited} }

// update assigns ids to the nearest players every idUpdateTicks ticks.
func (m *clientIDs) update(v *game.View) {
	n := len(v.Players)
	switch {
	case v.Viewer < numLimitedIDs && (n == 0 || v.Players[n-1].ID < numLimitedIDs):
		m.reset()
		return
	case !m.active:
		m.activate(v)
	case v.Tick >= m.updateTick && v.Tick < m.updateTick+idUpdateTicks:
		return
	}
	m.updateTick = v.Tick

	const noTee float32 = 1e20 // farther than any distance on a map
	var distances [game.MaxPlayers]float32
	for i := range distances {
		distances[i] = noTee
	}
	for i := range v.Characters {
		c := &v.Characters[i]
		d := vec.Vec2{X: c.Pos.X - v.Pos.X, Y: c.Pos.Y - v.Pos.Y}
		distances[c.Player] = float32(d.X*d.X) + float32(d.Y*d.Y)
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.ID == v.Viewer && p.Spectating && p.SpectatorID >= 0 && p.SpectatorID < game.MaxPlayers {
			distances[p.SpectatorID] = -1 // the watched player comes first
		}
	}
	var nearest nearestPlayers
	for i := range v.Players {
		if p := v.Players[i].ID; p != v.Viewer {
			nearest.add(playerDistance{player: p, distance: distances[p]})
		}
	}
	m.assignAll(v.Viewer, nearest.list[:nearest.n])
}

// playerDistance is a player and the square of the distance to it.
type playerDistance struct {
	player   game.PlayerID
	distance float32
}

// nearestPlayers are the nearest of the added players, up to the number of ids left besides the
// client's own.
type nearestPlayers struct {
	list [proxyID - 1]playerDistance // ascending by distance
	n    int
}

// add adds a player. At equal distances, the player added first counts as nearer.
func (l *nearestPlayers) add(d playerDistance) {
	i := l.n
	if i == len(l.list) {
		if i--; d.distance >= l.list[i].distance {
			return
		}
	} else {
		l.n++
	}
	for ; i > 0 && l.list[i-1].distance > d.distance; i-- {
		l.list[i] = l.list[i-1]
	}
	l.list[i] = d
}

// activate starts to map ids. Known players keep the ids that the client has seen so far.
func (m *clientIDs) activate(v *game.View) {
	m.active = true
	for i := range m.byPlayer {
		m.byPlayer[i] = -1
	}
	for i := range m.byID {
		m.byID[i] = game.Nobody
	}
	for i := range v.Players {
		if p := v.Players[i].ID; p < proxyID {
			m.assign(p, int(p))
		}
	}
	m.ownID = 0
	if v.Viewer < proxyID {
		m.ownID = int32(v.Viewer)
	}
	if p := m.byID[m.ownID]; p != game.Nobody {
		m.byPlayer[p] = -1
	}
	m.assign(v.Viewer, int(m.ownID))
}

func (m *clientIDs) assign(p game.PlayerID, id int) { m.byPlayer[p], m.byID[id] = int8(id), p }

// assignAll gives ids to the viewer and the nearest players, and removes the ids of all others.
func (m *clientIDs) assignAll(viewer game.PlayerID, nearest []playerDistance) {
	set := game.MaskOne(viewer)
	for _, d := range nearest {
		set.Add(d.player)
	}
	for id, p := range m.byID {
		if p != game.Nobody && !set.Has(p) {
			m.byPlayer[p], m.byID[id] = -1, game.Nobody
		}
	}
	id := 0
	for _, d := range nearest {
		if m.byPlayer[d.player] >= 0 {
			continue
		}
		for m.byID[id] != game.Nobody {
			id++
		}
		m.assign(d.player, id)
	}
}
