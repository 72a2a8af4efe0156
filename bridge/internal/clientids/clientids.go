// Package clientids maps the ids of players for clients that know fewer ids than the server has.
package clientids

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	// MaxLimit is the highest limit of a [Map].
	MaxLimit = 64
	// updateTicks is the interval, in ticks, at which ids are assigned again.
	updateTicks = 5
)

// Map holds the ids under which one client knows the players.
//
// Some clients know only the ids below a limit. While players with higher ids are in the game, ids
// are mapped for such a client: the ids up to Spare stand for its own player and the nearest other
// ones, and it sees no others. A player keeps an id while among the nearest. At other times ids
// are not mapped.
//
// The zero value is for a client that knows all ids.
type Map struct {
	limit      int32 // number of ids that the client knows, 0 for all
	keepsOwnID bool
	active     bool  // whether ids are mapped now
	ownID      int32 // the client's id in its own numbering, valid while ids are mapped
	spare      int32 // see Spare
	updateTick int32 // tick of the last assignment
	changes    int
	byPlayer   [game.MaxPlayers]int8
	byID       [MaxLimit]game.PlayerID
}

// New returns a map for a client that knows the ids from 0 to limit-1. A limit above MaxLimit
// stands for all ids. With keepsOwnID, a player whose id is below the limit keeps it when ids begin
// to be mapped. Without it, the player with the highest of these ids gets another.
func New(limit int, keepsOwnID bool) Map {
	if limit > MaxLimit {
		return Map{}
	}
	return Map{limit: int32(limit), spare: int32(limit - 1), keepsOwnID: keepsOwnID}
}

// Limit returns the number of ids that the client knows.
func (m *Map) Limit() int {
	if m.limit == 0 {
		return game.MaxPlayers
	}
	return int(m.limit)
}

// IsActive reports whether ids are mapped.
func (m *Map) IsActive() bool { return m.active }

// Spare returns the id that no player has while ids are mapped.
func (m *Map) Spare() int32 { return m.spare }

// OwnID returns the id of the client's own player while ids are mapped.
func (m *Map) OwnID() int32 { return m.ownID }

// Changes counts the changes of ids.
func (m *Map) Changes() int { return m.changes }

// Players returns the players by id while ids are mapped, with game.Nobody for free ids. The slice
// is valid until the next call of Update.
func (m *Map) Players() []game.PlayerID { return m.byID[:m.limit] }

// ID returns the client's id for a player. The result is negative if the client does not know the
// player.
func (m *Map) ID(p game.PlayerID) int32 {
	switch {
	case p < 0:
		return -1
	case m.active:
		return int32(m.byPlayer[p])
	case m.limit != 0 && int32(p) >= m.limit:
		return -1
	}
	return int32(p)
}

// Field maps a field that contains a player id, or a negative number with a special meaning.
// Players that the client does not know become -1.
func (m *Map) Field(p int32) int32 {
	if p < 0 || p >= game.MaxPlayers {
		return p
	}
	return m.ID(game.PlayerID(p))
}

// Player returns the player with the client's id, or game.Nobody.
func (m *Map) Player(id int32) game.PlayerID {
	switch {
	case id < 0 || id >= int32(m.Limit()):
		return game.Nobody
	case !m.active:
		return game.PlayerID(id)
	}
	return m.byID[id]
}

// Reset forgets all players.
func (m *Map) Reset() {
	*m = Map{limit: m.limit, keepsOwnID: m.keepsOwnID, spare: m.limit - 1, changes: m.changes + 1}
}

// Update assigns ids to the nearest players every updateTicks ticks.
func (m *Map) Update(v *game.View) {
	n := len(v.Players)
	switch {
	case m.limit == 0:
		return
	case int32(v.Viewer) < m.limit && (n == 0 || int32(v.Players[n-1].ID) < m.limit):
		if m.active {
			m.Reset()
		}
		return
	case !m.active:
		m.activate(v)
	case v.Tick >= m.updateTick && v.Tick < m.updateTick+updateTicks:
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
	if m.limit == MaxLimit {
		// The ids reach beyond the screen, so players near the limit need not take turns.
		for id, p := range m.Players() {
			if p != game.Nobody && int32(id) != m.spare {
				distances[p] /= 2
			}
		}
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.ID == v.Viewer && p.Spectating && p.SpectatorID >= 0 && p.SpectatorID < game.MaxPlayers {
			distances[p.SpectatorID] = -1 // the watched player comes first
		}
	}
	nearest := nearestPlayers{max: int(m.limit) - 2}
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

// nearestPlayers are the nearest of the added players, at most max.
type nearestPlayers struct {
	list   [MaxLimit]playerDistance // ascending by distance
	n, max int
}

// add adds a player. At equal distances, the player added first counts as nearer.
func (l *nearestPlayers) add(d playerDistance) {
	i := l.n
	if i == l.max {
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
func (m *Map) activate(v *game.View) {
	m.begin(v.Viewer)
	for i := range v.Players {
		if p := v.Players[i].ID; int32(p) < m.limit && int32(p) != m.spare && m.byID[p] == game.Nobody {
			m.assign(p, int(p))
		}
	}
}

// Begin starts to map ids if the client does not know the id of its own player. Known players keep
// their ids, except for one whose place the client's own player takes.
func (m *Map) Begin(own game.PlayerID) {
	if m.limit == 0 || int32(own) < m.limit || m.active {
		return
	}
	m.begin(own)
	m.updateTick = -updateTicks // the next Update assigns ids
	for id, p := range m.Players() {
		if p == game.Nobody && int32(id) != m.spare {
			m.assign(game.PlayerID(id), id)
		}
	}
}

// begin starts to map ids, with the client's own player as the only one.
func (m *Map) begin(own game.PlayerID) {
	m.active = true
	m.changes++
	for i := range m.byPlayer {
		m.byPlayer[i] = -1
	}
	for i := range m.byID {
		m.byID[i] = game.Nobody
	}
	m.spare = m.limit - 1
	switch {
	case own < 0:
		return
	case int32(own) < m.spare:
		m.ownID = int32(own)
	case int32(own) == m.spare && m.keepsOwnID:
		m.ownID = m.spare
		m.spare--
	default:
		m.ownID = 0
	}
	m.assign(own, int(m.ownID))
}

func (m *Map) assign(p game.PlayerID, id int) { m.byPlayer[p], m.byID[id] = int8(id), p }

// assignAll gives ids to the viewer and the nearest players, and removes the ids of all others.
func (m *Map) assignAll(viewer game.PlayerID, nearest []playerDistance) {
	set := game.MaskOne(viewer)
	for _, d := range nearest {
		set.Add(d.player)
	}
	for id, p := range m.Players() {
		if p != game.Nobody && !set.Has(p) {
			m.byPlayer[p], m.byID[id] = -1, game.Nobody
			m.changes++
		}
	}
	if m.limit == MaxLimit { // snapshots share the items of players with their own ids
		for _, d := range nearest {
			if own := int32(d.player); own < m.spare && m.byPlayer[own] < 0 && m.byID[own] == game.Nobody {
				m.assign(d.player, int(own))
				m.changes++
			}
		}
	}
	id := 0
	for _, d := range nearest {
		if m.byPlayer[d.player] >= 0 {
			continue
		}
		for m.byID[id] != game.Nobody || int32(id) == m.spare {
			id++
		}
		m.assign(d.player, id)
		m.changes++
	}
}
