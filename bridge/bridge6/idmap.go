package bridge6

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// fewIDs is how many ids clients know that are not DDNet's.
	fewIDs = 16
	// spokesman is the id under which those speak who have none.
	spokesman = fewIDs - 1
	// mapTicks is how often it is looked who is near.
	mapTicks = 5
)

// idMap gives the ids 0..14 to the players nearest to a client that knows only 16,
// while there are players with higher ones; all others are not there for it. Who has
// an id keeps it as long as he is among the nearest.
//
// Before it is on, ids are as they are, but those that the client does not know. The
// zero value is for a client that knows all.
type idMap struct {
	few  bool // the client knows only 16 ids
	on   bool
	own  int32 // the client's own id, as it knows it
	tick int32 // of the last look
	ids  [game.MaxPlayers]int8
	back [fewIDs]game.PlayerID
}

// id is how the client knows a player; below zero if it does not, or for nobody.
func (m *idMap) id(p game.PlayerID) int32 {
	switch {
	case p < 0:
		return -1
	case m.on:
		return int32(m.ids[p])
	case m.few && p >= fewIDs:
		return -1
	}
	return int32(p)
}

// field is id for a field that names a player or says below zero what else is the
// case. Players who are not there are -1: nobody is hooked, or the flag is somewhere.
func (m *idMap) field(p int32) int32 {
	if p < 0 || p >= game.MaxPlayers {
		return p
	}
	return m.id(game.PlayerID(p))
}

// player is who has an id; Nobody if none has.
func (m *idMap) player(id int32) game.PlayerID {
	switch {
	case id < 0 || id >= game.MaxPlayers:
		return game.Nobody
	case m.few && id >= fewIDs:
		return game.Nobody
	case !m.on:
		return game.PlayerID(id)
	}
	return m.back[id]
}

// reset forgets everybody.
func (m *idMap) reset() { *m = idMap{few: m.few} }

// distant is a player and the square of how far away he is.
type distant struct {
	player game.PlayerID
	far    float32
}

// Farther away than anything on a map can be.
const (
	noTee float32 = 1e20 // has no tee
)

// look finds out who is near, every mapTicks ticks.
func (m *idMap) look(v *game.View) {
	high := v.Viewer >= fewIDs
	if n := len(v.Players); n > 0 && v.Players[n-1].ID >= fewIDs {
		high = true
	}
	switch {
	case !high:
		m.reset()
		return
	case !m.on:
		m.start(v)
	case v.Tick >= m.tick && v.Tick < m.tick+mapTicks:
		return
	}
	m.tick = v.Tick

	var tees [game.MaxPlayers]float32
	for i := range tees {
		tees[i] = noTee
	}
	for i := range v.Characters {
		c := &v.Characters[i]
		d := vec.Vec2{X: c.Pos.X - v.Pos.X, Y: c.Pos.Y - v.Pos.Y}
		tees[c.Player] = float32(d.X*d.X) + float32(d.Y*d.Y)
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.ID == v.Viewer && p.Spectating && p.SpectatorID >= 0 && p.SpectatorID < game.MaxPlayers {
			tees[p.SpectatorID] = -1 // whom he looks at comes first
		}
	}
	var near nearest
	for i := range v.Players {
		if p := v.Players[i].ID; p != v.Viewer {
			near.add(distant{player: p, far: tees[p]})
		}
	}
	m.keep(v.Viewer, near.list[:near.n])
}

// nearest are the nearest players of those added, as many as have ids beside a client.
type nearest struct {
	list [spokesman - 1]distant // ascending
	n    int
}

// add takes note of a player. Of two equally far away who comes first is nearer.
func (l *nearest) add(d distant) {
	i := l.n
	if i == len(l.list) {
		if i--; d.far >= l.list[i].far {
			return
		}
	} else {
		l.n++
	}
	for ; i > 0 && l.list[i-1].far > d.far; i-- {
		l.list[i] = l.list[i-1]
	}
	l.list[i] = d
}

// start turns the map on, with the ids as the client knows them.
func (m *idMap) start(v *game.View) {
	m.on = true
	for i := range m.ids {
		m.ids[i] = -1
	}
	for i := range m.back {
		m.back[i] = game.Nobody
	}
	for i := range v.Players {
		if p := v.Players[i].ID; p < spokesman {
			m.give(p, int(p))
		}
	}
	m.own = 0
	if v.Viewer < spokesman {
		m.own = int32(v.Viewer)
	}
	if p := m.back[m.own]; p != game.Nobody {
		m.ids[p] = -1
	}
	m.give(v.Viewer, int(m.own))
}

func (m *idMap) give(p game.PlayerID, id int) { m.ids[p], m.back[id] = int8(id), p }

// keep gives ids to the viewer and to those who are near, and to nobody else.
func (m *idMap) keep(viewer game.PlayerID, near []distant) {
	set := game.MaskOne(viewer)
	for _, d := range near {
		set |= game.MaskOne(d.player)
	}
	for id, p := range m.back {
		if p != game.Nobody && !set.Has(p) {
			m.ids[p], m.back[id] = -1, game.Nobody
		}
	}
	id := 0
	for _, d := range near {
		if m.ids[d.player] >= 0 {
			continue
		}
		for m.back[id] != game.Nobody {
			id++
		}
		m.give(d.player, id)
	}
}
