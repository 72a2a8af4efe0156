package bot

import (
	"errors"
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// ErrTerrain is returned if the size of a terrain and its number of tiles do not match.
var ErrTerrain = errors.New("bot: bad terrain")

// Limits of a NavGraph. They limit a graph to a few MB and two seconds of work on any map.
const (
	maxNodes          = 4096
	halfManeuversFrom = 1500 // with more nodes, only every second maneuver is simulated
	maxLinks          = 48   // per node
	maxPickupSites    = 64   // pickups
	maxLandmarks      = 24
)

// noNode stands for no node.
const noNode = 0xffff

// unreachable is the time to an unreachable node.
const unreachable = 0xffff

// link is a path between two nodes.
type link struct {
	node     uint16 // other end
	ticks    uint8
	maneuver uint8 // index in maneuvers, or walkLink
}

// walkLink marks a link to a node on the same floor.
const walkLink = 255

// pickupSite is the position of a pickup.
type pickupSite struct {
	pos        vec.Vec2
	kind       game.PickupKind
	approaches []link   // maneuvers that touch it, by start node; walkLink if it is in reach of the node
	times      []uint16 // ticks to this site, by node
}

// landmark is one of several nodes spread over the map.
type landmark struct {
	node  uint16
	times []uint16
}

// NavGraph is the navigation data of a map: the places where a tee can stand, the maneuvers that
// connect them, and the times to the pickups. It is immutable. Any number of bots and goroutines
// can share it.
type NavGraph struct {
	col               *physics.Collision
	tuning            game.Tuning
	width, height     int
	nodeOf            []uint16 // by tile, noNode if a tee cannot stand there
	nodeBelow         []uint16 // by tile, the node onto which a tee falls
	nodePos           []vec.Vec2
	outLinks, inLinks []link // of all nodes, concatenated
	outStart, inStart []uint32
	pickupSites       []pickupSite
	siteAtTile        map[int32]uint8 // pickup sites by tile
	landmarks         []landmark
	spawns            []vec.Vec2
	flagStands        [2]vec.Vec2 // of the red and the blue flag
}

// NewNavGraph builds the graph by simulating maneuvers from every node that is reachable from the
// spawn points. Building a graph takes about 0.5 ms per node and at most about two seconds. A nil
// tuning means the default. The error wraps ErrTerrain.
func NewNavGraph(t game.Terrain, tuning *game.Tuning) (*NavGraph, error) {
	if t.Width <= 0 || t.Height <= 0 || t.Width > 1<<24/t.Height || len(t.Tiles) != t.Width*t.Height {
		return nil, fmt.Errorf("%w: %d tiles for a map of %d x %d", ErrTerrain, len(t.Tiles), t.Width, t.Height)
	}
	n := &NavGraph{width: t.Width, height: t.Height, tuning: physics.DefaultTuning()}
	if tuning != nil {
		n.tuning = *tuning
	}
	if err := n.loadTerrain(t); err != nil {
		return nil, err
	}
	n.buildLinks()
	n.computeTimes()
	return n, nil
}

// loadTerrain computes the nodes and reads the entities of the map.
func (n *NavGraph) loadTerrain(t game.Terrain) error {
	// Treat the spikes of FNG as death, although some only freeze.
	tiles := slices.Clone(t.Tiles)
	for i, tile := range tiles {
		if tile >= 7 && tile <= 10 || tile == 14 || tile == 15 {
			tiles[i] = tileDeath
		}
	}
	var err error
	if n.col, err = physics.NewCollision(t.Width, t.Height, tiles); err != nil {
		return fmt.Errorf("%w: %w", ErrTerrain, err)
	}
	n.placeNodes(t)
	n.computeNodeBelow()
	n.readEntities(t)
	return nil
}

// newWorld returns a world without other tees for simulating maneuvers.
func (n *NavGraph) newWorld() *physics.World {
	w := physics.NewWorld(n.col)
	w.Tuning = n.tuning
	w.Tuning[physics.PlayerCollision] = 0 // no other tees
	return w
}

// tileFlags returns the flags of a tile. Outside the map the border repeats, as in the game.
func (n *NavGraph) tileFlags(x, y int) physics.TileFlags {
	return n.col.At(float32(x*physics.TileSize+physics.TileSize/2), float32(y*physics.TileSize+physics.TileSize/2))
}

// canStand reports whether a tee can stand in a tile.
func (n *NavGraph) canStand(x, y int) bool {
	return y+1 < n.height && n.tileFlags(x, y)&(physics.Solid|physics.Death) == 0 && n.tileFlags(x, y+1)&physics.Solid != 0
}

// placeNodes creates nodes where a tee can stand. On large maps, neighbouring tiles of a floor
// share a node.
func (n *NavGraph) placeNodes(t game.Terrain) {
	n.nodeOf = slices.Repeat([]uint16{noNode}, t.Width*t.Height)
	// pieces divides the floors into pieces of at most maxTiles tiles.
	pieces := func(maxTiles int, piece func(x, end, y int)) {
		for y := range t.Height {
			for x := 0; x < t.Width; x++ {
				end := x
				for end < t.Width && end-x < maxTiles && n.canStand(end, y) {
					end++
				}
				if end > x {
					piece(x, end, y)
					x = end - 1
				}
			}
		}
	}
	maxTiles, count := 0, maxNodes+1
	for count > maxNodes && maxTiles < 6 {
		maxTiles, count = maxTiles+1, 0
		pieces(maxTiles, func(int, int, int) { count++ })
	}
	// If there are still too many pieces, keep an even selection.
	seen := 0
	pieces(maxTiles, func(x, end, y int) {
		seen++
		if seen*maxNodes/count == (seen-1)*maxNodes/count && count > maxNodes {
			return
		}
		for i := x; i < end; i++ {
			n.nodeOf[y*t.Width+i] = uint16(len(n.nodePos))
		}
		n.nodePos = append(n.nodePos, n.standPos(x+(end-x)/2, y))
	})
}

// standPos returns the position of a tee that stands in the middle of a tile.
func (n *NavGraph) standPos(x, y int) vec.Vec2 {
	return vec.Vec2{X: float32(x*physics.TileSize + physics.TileSize/2), Y: float32(y*physics.TileSize + physics.TileSize/2 + 1)}
}

func (n *NavGraph) computeNodeBelow() {
	n.nodeBelow = make([]uint16, n.width*n.height)
	for x := range n.width {
		under := uint16(noNode)
		for y := n.height - 1; y >= 0; y-- {
			i := y*n.width + x
			switch {
			case n.tileFlags(x, y)&(physics.Solid|physics.Death) != 0:
				under = noNode
			case n.nodeOf[i] != noNode:
				under = n.nodeOf[i]
			}
			n.nodeBelow[i] = under
		}
	}
}

// tileIndex returns the index of the tile at a position. A position outside the map gets the
// nearest tile.
func (n *NavGraph) tileIndex(x, y float32) int {
	tx := min(max(int(vec.Round(x))>>5, 0), n.width-1)
	ty := min(max(int(vec.Round(y))>>5, 0), n.height-1)
	return ty*n.width + tx
}

// nodeAt returns the node of a tee that stands at p, perhaps at the edge of a tile.
func (n *NavGraph) nodeAt(p vec.Vec2) uint16 {
	if i := n.nodeOf[n.tileIndex(p.X, p.Y)]; i != noNode {
		return i
	}
	const half = physics.TeeSize / 2
	if i := n.nodeOf[n.tileIndex(p.X-half, p.Y)]; i != noNode {
		return i
	}
	return n.nodeOf[n.tileIndex(p.X+half, p.Y)]
}

// nodeNear returns the node at p or below it.
func (n *NavGraph) nodeNear(p vec.Vec2) uint16 {
	if i := n.nodeAt(p); i != noNode {
		return i
	}
	return n.nodeBelow[n.tileIndex(p.X, p.Y)]
}

// Tiles of the game layer.
const (
	tileDeath     = 2
	tileSpawn     = 192
	tileSpawnBlue = 194
	tileFlagRed   = 195
	tileFlagBlue  = 196
	tileArmor     = 197
	tileLaser     = 202
)

// pickupOfTile maps entity tiles to pickups, beginning with tileArmor.
var pickupOfTile = [...]game.PickupKind{
	game.PickupArmor, game.PickupHealth, game.PickupShotgun, game.PickupGrenade, game.PickupNinja, game.PickupLaser,
}

// readEntities reads the spawn points, pickups and flag stands.
func (n *NavGraph) readEntities(t game.Terrain) {
	n.siteAtTile = make(map[int32]uint8)
	for i, tile := range t.Tiles {
		p := vec.Vec2{
			X: float32(i%t.Width*physics.TileSize + physics.TileSize/2),
			Y: float32(i/t.Width*physics.TileSize + physics.TileSize/2),
		}
		switch {
		case tile >= tileSpawn && tile <= tileSpawnBlue:
			if len(n.spawns) < 4*maxLandmarks {
				n.spawns = append(n.spawns, p)
			}
		case tile == tileFlagRed || tile == tileFlagBlue:
			n.flagStands[tile-tileFlagRed] = p
		case tile >= tileArmor && tile <= tileLaser:
			if len(n.pickupSites) < maxPickupSites {
				n.siteAtTile[int32(i)] = uint8(len(n.pickupSites))
				n.pickupSites = append(n.pickupSites, pickupSite{pos: p, kind: pickupOfTile[tile-tileArmor]})
			}
		}
	}
}
