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

// placeEntities creates spawn points and pickups from the map.
func (v *vanilla) placeEntities(t Terrain) error {
	for y := 0; y < t.Height; y++ {
		for x, tile := range t.Tiles[y*t.Width : (y+1)*t.Width] {
			if tile < tileSpawn {
				continue
			}
			v.placeEntity(tile, tileMiddle(x, y))
			if len(v.pickups) > maxPickups {
				return fmt.Errorf("%w: the map has more than %d pickups", ErrTerrain, maxPickups)
			}
		}
	}
	return nil
}

func (v *vanilla) placeEntity(tile uint8, pos vec.Vec2) {
	w := v.w
	if w.callEntity(tile, pos) {
		return
	}
	kind := PickupHealth
	switch tile {
	case tileSpawn, tileSpawnRed, tileSpawnBlue:
		if s := &v.spawns[tile-tileSpawn]; len(*s) < maxSpawns {
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
		v.addPickup(kind, pos)
	}
}

func (v *vanilla) addPickup(kind PickupKind, pos vec.Vec2) {
	w := v.w
	id, ok := w.entityIDs.alloc()
	if !ok {
		return
	}
	p := pickup{id: id, kind: kind, pos: pos}
	p.reset(w.tick)
	v.pickups = append(v.pickups, p)
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
func (v *vanilla) pickSpawn(id PlayerID) (vec.Vec2, bool) {
	w := v.w
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
		v.evalSpawns(&s, v.spawns[own])
		if !s.found {
			v.evalSpawns(&s, v.spawns[0])
		}
		if !s.found {
			v.evalSpawns(&s, v.spawns[other])
		}
	} else {
		for i := range v.spawns {
			v.evalSpawns(&s, v.spawns[i])
		}
	}
	return s.pos, s.found
}

// spawnOffsets are the positions to try around an occupied spawn point.
var spawnOffsets = [5]vec.Vec2{{}, {X: -32}, {Y: -32}, {X: 32}, {Y: 32}}

func (v *vanilla) evalSpawns(s *spawnEval, points []vec.Vec2) {
	for _, point := range points {
		pos, ok := v.freeSpawnPos(point)
		if !ok {
			continue
		}
		var score float32
		if s.randomScore {
			score = float32(v.w.rand.Next() >> 33)
		} else {
			score = v.spawnDanger(pos, s.friendlyTeam)
		}
		if !s.found || s.score > score {
			s.found, s.score, s.pos = true, score, pos
		}
	}
}

// freeSpawnPos returns a free position at a spawn point. Walls are only checked when a
// character is near.
func (v *vanilla) freeSpawnPos(point vec.Vec2) (vec.Vec2, bool) {
	w := v.w
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
func (v *vanilla) spawnDanger(pos vec.Vec2, friendly Team) float32 {
	w := v.w
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

// spawn creates the player's character if a spawn position is free.
func (v *vanilla) spawn(id PlayerID) {
	w := v.w
	p := &w.players[id]
	pos, ok := v.pickSpawn(id)
	if !ok {
		return
	}
	p.spawning = false
	if !w.spawnCharacter(id, pos) {
		p.spawning = true
		return
	}
	w.addEvent(Event{Kind: EvSpawn, To: MaskAll, Player: id, Pos: pos})
}
