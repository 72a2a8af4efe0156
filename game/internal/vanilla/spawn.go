package vanilla

import (
	"fmt"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
)

// maxSpawns is the maximum number of spawn points per kind; further ones are ignored.
const maxSpawns = 64

// maxPickups leaves enough ids of entities for tees and projectiles.
const maxPickups = 8192

// The entity tiles by their index in the game layer.
const (
	tileSpawn = 192 + iota
	tileSpawnRed
	tileSpawnBlue
	tileFlagRed
	tileFlagBlue
	tileArmor
	tileHealth
	tileShotgun
	tileGrenade
	tileNinja
	tileLaser
)

// Populate adds the spawn points and pickups of a map. It leaves out the tiles for which handled
// returns true. The error wraps terrain.Err.
func (w *World) Populate(t *terrain.Terrain, handled func(tile uint8, pos vec.Vec2) bool) error {
	for y := 0; y < t.Height; y++ {
		for x, tile := range t.Tiles[y*t.Width : (y+1)*t.Width] {
			if tile < tileSpawn {
				continue
			}
			pos := vec.Vec2{
				X: float32(x*physics.TileSize + physics.TileSize/2),
				Y: float32(y*physics.TileSize + physics.TileSize/2),
			}
			if !handled(tile, pos) {
				w.place(tile, pos)
			}
			if len(w.Pickups) > maxPickups {
				return fmt.Errorf("%w: the map has more than %d pickups", terrain.Err, maxPickups)
			}
		}
	}
	return nil
}

// place adds the thing of an entity tile.
func (w *World) place(tile uint8, pos vec.Vec2) {
	kind := PickupHealth
	switch tile {
	case tileSpawn, tileSpawnRed, tileSpawnBlue:
		if s := &w.spawns[tile-tileSpawn]; len(*s) < maxSpawns {
			*s = append(*s, pos)
		}
		return
	case tileArmor:
		kind = PickupArmor
	case tileHealth:
	case tileShotgun:
		kind = PickupShotgun
	case tileGrenade:
		kind = PickupGrenade
	case tileLaser:
		kind = PickupLaser
	case tileNinja:
		if !w.host.Rules().Powerups {
			return
		}
		kind = PickupNinja
	default:
		return
	}
	if w.host.Rules().Survival {
		return
	}
	if id, ok := w.ids.Alloc(); ok {
		p := Pickup{ID: id, Kind: kind, Pos: pos}
		p.reset(w.Tick)
		w.Pickups = append(w.Pickups, p)
	}
}

// spawnEval is the best spawn position found so far.
type spawnEval struct {
	found        bool
	pos          vec.Vec2
	score        float32
	friendlyTeam Team // team that counts half as dangerous, TeamSpectators for none
	randomScore  bool
}

// FindSpawn returns a free position at a spawn point for a player of a team, and false if there is
// none.
func (w *World) FindSpawn(team Team) (vec.Vec2, bool) {
	r := w.host.Rules()
	s := spawnEval{friendlyTeam: TeamSpectators, randomScore: r.Survival}
	if r.Teams {
		s.friendlyTeam = team
		own, other := 1+team&1, 1+(team+1)&1
		w.evalSpawns(&s, w.spawns[own])
		if !s.found {
			w.evalSpawns(&s, w.spawns[0])
		}
		if !s.found {
			w.evalSpawns(&s, w.spawns[other])
		}
	} else {
		for i := range w.spawns {
			w.evalSpawns(&s, w.spawns[i])
		}
	}
	return s.pos, s.found
}

// spawnOffsets are the positions to try around an occupied spawn point.
var spawnOffsets = [5]vec.Vec2{{}, {X: -32}, {Y: -32}, {X: 32}, {Y: 32}}

// evalSpawns compares the best position so far with those at more spawn points.
func (w *World) evalSpawns(s *spawnEval, points []vec.Vec2) {
	for _, point := range points {
		pos, ok := w.freeSpawnPos(point)
		if !ok {
			continue
		}
		var score float32
		if s.randomScore {
			score = float32(w.rand.Next() >> 33)
		} else {
			score = w.spawnDanger(pos, s.friendlyTeam)
		}
		if !s.found || s.score > score {
			s.found, s.score, s.pos = true, score, pos
		}
	}
}

// freeSpawnPos returns a free position at a spawn point. Walls are only checked when a tee is near.
func (w *World) freeSpawnPos(point vec.Vec2) (vec.Vec2, bool) {
	var near [tee.Max]tee.ID
	found := w.tees.Near(point, 64, &near)
search:
	for _, off := range spawnOffsets {
		pos := point.Add(off)
		for _, id := range found {
			if w.collision.IsSolid(pos) || vec.Distance(w.tees.All[id].Pos, pos) <= tee.ProximityRadius {
				continue search
			}
		}
		return pos, true
	}
	return vec.Vec2{}, false
}

// spawnDanger is higher the closer others are; teammates count half.
func (w *World) spawnDanger(pos vec.Vec2, friendly Team) float32 {
	var score float32
	for _, id := range w.tees.InOrder() {
		weight := float32(1)
		if friendly != TeamSpectators && w.host.Player(id).Team == friendly {
			weight = 0.5
		}
		inverse := float32(1000000000)
		if d := vec.Distance(pos, w.tees.All[id].Pos); d != 0 {
			inverse = 1 / d
		}
		score += float32(weight * inverse)
	}
	return score
}
