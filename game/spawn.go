package game

import (
	"fmt"

	"github.com/teeyard/teeyard/game/vec"
)

// maxSpawns is the maximum number of spawn points per kind; further ones are ignored.
const maxSpawns = 64

// maxPickups leaves enough entity ids for characters and projectiles.
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

type spawnPoint = vec.Vec2

// placeEntities creates spawn points and pickups from the map.
func (w *World) placeEntities(t Terrain) error {
	for y := 0; y < t.Height; y++ {
		for x, tile := range t.Tiles[y*t.Width : (y+1)*t.Width] {
			if tile < tileSpawn {
				continue
			}
			w.placeEntity(tile, tileMiddle(x, y))
			if len(w.pickups) > maxPickups {
				return fmt.Errorf("%w: the map has more than %d pickups", ErrTerrain, maxPickups)
			}
		}
	}
	return nil
}

func (w *World) placeEntity(tile uint8, pos vec.Vec2) {
	if w.callEntity(tile, pos) {
		return
	}
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
		if !w.rules.Powerups {
			return
		}
		kind = PickupNinja
	default:
		return
	}
	if w.match.flags&GameFlagSurvival == 0 {
		w.addPickup(kind, pos)
	}
}

func (w *World) addPickup(kind PickupKind, pos vec.Vec2) {
	id, ok := w.entityIDs.alloc()
	if !ok {
		return
	}
	p := pickup{id: id, kind: kind, pos: pos}
	p.reset(w.tick)
	w.pickups = append(w.pickups, p)
}

// spawnEval is the best spawn position found so far.
type spawnEval struct {
	found        bool
	pos          vec.Vec2
	score        float32
	friendlyTeam Team // team that counts half as dangerous, TeamSpectators for none
	randomScore  bool
}

// pickSpawn returns a position for a player's next character, if the player can have
// one now.
func (w *World) pickSpawn(id PlayerID) (vec.Vec2, bool) {
	team := w.players[id].team
	if team == TeamSpectators || w.paused || w.resetRequested {
		return vec.Vec2{}, false
	}
	if pos, ok := w.callPickSpawn(id); ok {
		return pos, true
	}
	s := spawnEval{friendlyTeam: TeamSpectators, randomScore: w.match.flags&GameFlagSurvival != 0}
	if w.match.flags&GameFlagTeams != 0 {
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

func (w *World) evalSpawns(s *spawnEval, points []spawnPoint) {
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

// freeSpawnPos returns a free position at a spawn point. Walls are only checked when a
// character is near.
func (w *World) freeSpawnPos(point vec.Vec2) (vec.Vec2, bool) {
	var near [MaxPlayers]PlayerID
	n := w.findCharacters(point, 64, &near)
search:
	for _, off := range spawnOffsets {
		pos := point.Add(off)
		for _, id := range near[:n] {
			if w.collision.IsSolid(pos) || vec.Distance(w.characters[id].pos, pos) <= proximityRadius {
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
	for i := 0; i < w.charOrder.count; i++ {
		id := w.charOrder.ids[i]
		weight := float32(1)
		if friendly != TeamSpectators && w.players[id].team == friendly {
			weight = 0.5
		}
		inverse := float32(1000000000)
		if d := vec.Distance(pos, w.characters[id].pos); d != 0 {
			inverse = 1 / d
		}
		score += float32(weight * inverse)
	}
	return score
}
