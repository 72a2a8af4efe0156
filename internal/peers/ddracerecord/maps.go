package ddracerecord

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/teeyard/teeyard/format/twmap"
)

// Kinds are the kinds of tiles that Generate can place.
var Kinds = []string{"death", "freeze", "speedup", "stopper", "through", "switch", "jump", "tele", "weapontele", "tune", "solo", "weapons", "telegun",
	"entities", "switched", "movers", "race"}

// kinds places one tile of a kind, or an entity with its parts.
var kinds = map[string]func(m *maker, x, y int){
	"death": func(m *maker, x, y int) { m.put(x, y, 2, 0) },
	"freeze": func(m *maker, x, y int) {
		index := pick(m, 9, 9, 9, 11, 11, 11, 12, 13, 13, 144, 145, 145)
		if m.IntN(4) == 0 {
			m.putSwitch(x, y, pick(m, 9, 9, 12, 13, 13, 144, 145), pick(m, 0, 0, 1), uint8(m.IntN(5)))
			return
		}
		m.put(x, y, index, 0)
	},
	"speedup": func(m *maker, x, y int) {
		angle := m.IntN(360)
		copy(m.speedup[6*m.at(x, y):], []byte{pick(m, 1, 2, 5, 10, 30, 80, 255), pick(m, 0, 0, 3, 50, 100, 200, 255), 28, 0, byte(angle), byte(angle >> 8)})
	},
	"newspeedup": func(m *maker, x, y int) { // new in DDNet 20
		angle := m.IntN(360)
		copy(m.speedup[6*m.at(x, y):], []byte{pick(m, 1, 2, 5, 10, 30, 80, 255), pick(m, 0, 0, 3, 50, 100, 200, 255), pick(m, 28, 29, 29, 29), 0, byte(angle),
			byte(angle >> 8)})
	},
	"stopper": func(m *maker, x, y int) { m.put(x, y, pick(m, 60, 60, 61, 62), m.rotation()) },
	"through": func(m *maker, x, y int) {
		// Most of these tiles are in front of walls. The others block hooks in the air.
		if m.IntN(3) > 0 {
			m.game.Set(x, y, pick(m, 1, 1, 3), 0)
			m.putFront(x, y, pick(m, 5, 66, 67, 67), m.rotation())
			return
		}
		m.put(x, y, pick(m, 6, 6, 66, 67, 67), m.rotation())
	},
	"switch": func(m *maker, x, y int) {
		switch n := uint8(1 + m.IntN(6)); m.IntN(4) {
		case 0:
			m.entity(x, y, 49, n, true)
		case 1:
			m.putSwitch(x, y, pick(m, 7, 79, 95, 9, 19, 20), pick(m, 0, n), pick(m, 0, 1, 2, 3, 4, 255))
		default:
			m.putSwitch(x, y, pick(m, 22, 23, 24, 25), n, uint8(m.IntN(4)))
		}
	},
	"jump": func(m *maker, x, y int) {
		if m.IntN(5) == 0 {
			m.putSwitch(x, y, 7, 0, pick(m, 0, 1, 2, 3, 5, 255))
			return
		}
		m.put(x, y, pick(m, 16, 16, 32, 32, 17, 18, 89, 105, 90, 106, 106), 0)
	},
	"tele": func(m *maker, x, y int) {
		m.putTele(x, y, pick(m, 26, 26, 10, 27, 27, 29, 30, 31, 63))
	},
	"weapontele": func(m *maker, x, y int) { m.putTele(x, y, pick(m, 14, 14, 15, 15, 27, 27)) },
	"tune": func(m *maker, x, y int) {
		zone := byte(1 + m.IntN(8))
		for dx := range 3 {
			copy(m.tune[2*m.at(min(x+dx, width-2), y):], []byte{zone, 68})
		}
	},
	"solo": func(m *maker, x, y int) {
		if m.IntN(5) == 0 {
			m.putSwitch(x, y, pick(m, 19, 20, 20), 0, pick(m, 0, 2, 3, 4))
			return
		}
		m.put(x, y, pick(m, 21, 22, 22, 88, 104, 104, 91, 107, 107, 19, 20, 20), 0)
	},
	"weapons": func(m *maker, x, y int) {
		m.put(x, y, twmap.EntityOffset+pick(m, 6, 7, 8, 8, 9, 9, 10, 11, 11, 35, 36, 37, 38), 0)
	},
	"telegun": func(m *maker, x, y int) {
		switch m.IntN(3) {
		case 0:
			m.put(x, y, pick(m, 96, 96, 112, 112, 128, 128, 97, 113, 129), 0)
		case 1:
			m.putSwitch(x, y, pick(m, 98, 99), 0, uint8(m.IntN(4)))
		default:
			m.putFront(x, y, pick(m, 98, 99), 0)
		}
	},
	"entities": func(m *maker, x, y int) { m.entity(x, y, m.anyEntity(), 0, false) },
	"switched": func(m *maker, x, y int) {
		n := uint8(m.IntN(6))
		if m.IntN(3) == 0 {
			m.putSwitch(x, y, pick(m, 22, 23, 24, 25), n, uint8(m.IntN(4)))
			return
		}
		m.entity(x, y, pick(m, m.anyEntity(), m.anyEntity(), 49, pick(m, 6, 7, 8, 9, 10, 11)), n, true)
	},
	"movers": func(m *maker, x, y int) {
		rotation := pick(m, 0, 8, 3, 11)
		for dx := range 4 {
			if m.game.At(x+dx, y).Index == 0 {
				m.game.Set(x+dx, y, pick(m, 64, 65), rotation)
			}
		}
	},
	"endless": func(m *maker, x, y int) { m.put(x, y, pick(m, 17, 18), 0) },
	"hits": func(m *maker, x, y int) {
		if m.IntN(3) == 0 {
			m.putSwitch(x, y, pick(m, 19, 20), 0, pick(m, 0, 2, 3, 4))
			return
		}
		m.put(x, y, pick(m, 19, 19, 20), 0)
	},
	"collide": func(m *maker, x, y int) { m.put(x, y, pick(m, 88, 104), 0) },
	"teleguns": func(m *maker, x, y int) {
		switch m.IntN(3) {
		case 0:
			m.put(x, y, pick(m, 96, 97, 112, 113, 128, 129), 0)
		case 1:
			m.putFront(x, y, pick(m, 98, 99), 0)
		default:
			m.putSwitch(x, y, 99, 0, pick(m, 0, 0, 1, 2, 3))
		}
	},
	"unendless": func(m *maker, x, y int) { m.put(x, y, 18, 0) },
	"spawns": func(m *maker, x, y int) {
		if m.game.At(x, y).Index == 0 {
			m.game.Set(x, y, pick(m, twmap.SpawnRed, twmap.SpawnBlue), 0)
		}
	},
	"bluespawns": func(m *maker, x, y int) {
		if m.game.At(x, y).Index == 0 {
			m.game.Set(x, y, twmap.SpawnBlue, 0)
		}
	},
	"pickups": func(m *maker, x, y int) {
		if n := uint8(1 + m.IntN(3)); m.IntN(3) == 0 {
			m.putSwitch(x, y, pick(m, 22, 23, 24, 25), n, 1)
		} else {
			m.putSwitch(x, y, twmap.EntityOffset+pick(m, 6, 8, 9, 10, 11), n, 0)
		}
	},
	"lights": func(m *maker, x, y int) { m.entity(x, y, uint8(12+m.IntN(7)), uint8(m.IntN(3)), m.IntN(2) == 0) },
	// These tiles act on the whole map.
	"wide1": func(m *maker, x, y int) { m.put(x, y, pick(m, 71, 73), 0) },
	"wide2": func(m *maker, x, y int) { m.put(x, y, pick(m, 72, 74, 75), 0) },

	"race": func(m *maker, x, y int) { m.put(x, y, pick(m, 33, 34, 35, 36, 59, 76), 0) },
}

// zones are the tune commands of the tune zones.
var zones = []string{
	"tune_zone 1 gravity 0.1", "tune_zone 1 air_jump_impulse 20", "tune_zone 2 gravity -0.2", "tune_zone 2 hook_length 700",
	"tune_zone 3 ground_control_speed 25", "tune_zone 3 ground_friction 0.95", "tune_zone 3 player_collision 0",
	"tune_zone 4 hook_drag_accel 6", "tune_zone 4 hook_drag_speed 40", "tune_zone 4 hook_fire_speed 30", "tune_zone 4 hook_duration 0.5",
	"tune_zone 5 player_hooking 0", "tune_zone 5 hammer_strength 3", "tune_zone 5 hammer_fire_delay 400", "tune_zone 5 hammer_hit_fire_delay 60",
	"tune_zone 6 shotgun_strength -20", "tune_zone 6 explosion_strength 12", "tune_zone 6 laser_reach 300", "tune_zone 6 laser_bounce_cost 50",
	"tune_zone 6 laser_bounce_num 3", "tune_zone 6 laser_fire_delay 200",
	"tune_zone 7 velramp_start 300", "tune_zone 7 velramp_range 800", "tune_zone 7 velramp_curvature 2", "tune_zone 7 air_control_accel 4",
	"tune_zone 8 jetpack_strength 900", "tune_zone 8 grenade_speed 600", "tune_zone 8 grenade_curvature 20", "tune_zone 8 gun_speed 500",
	"tune_zone 8 grenade_fire_delay 100",
}

const width, height = 50, 30

type maker struct {
	*rand.Rand
	game, front                   *twmap.TileLayer
	tele, speedup, switches, tune []byte
}

// Generate returns a map of 50 by 30 tiles with walls and spawns at random places. share is the
// percentage of tiles of the given kinds. The settings become commands in the map.
func Generate(seed uint64, share int, settings []string, of ...string) []byte {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), game: twmap.NewGameLayer(width, height), front: twmap.NewGameLayer(width, height)}
	m.tele, m.speedup, m.switches, m.tune = make([]byte, 2*width*height), make([]byte, 6*width*height), make([]byte, 4*width*height),
		make([]byte, 2*width*height)
	g := m.game
	g.Fill(0, 0, width, height, twmap.Solid)
	g.Fill(1, 1, width-2, height-2, twmap.Air)
	for range 45 {
		w, h := 1+m.IntN(6), 1
		if m.IntN(3) == 0 {
			w, h = h, w
		}
		g.Fill(1+m.IntN(width-8), 2+m.IntN(height-9), w, h, pick(m, 1, 1, 1, 3))
	}
	g.Fill(1, 1, 1, height-2, twmap.Air)
	for n := 0; n < 24; {
		if x, y := m.IntN(width), m.IntN(height); g.At(x, y).Index == 0 {
			g.Set(x, y, twmap.Spawn, 0)
			n++
		}
	}
	for y := 1; y < height-1; y++ {
		for x := 1; x < width-1; x++ {
			if len(of) > 0 && m.IntN(100) < share {
				kinds[of[m.IntN(len(of))]](m, x, y)
			}
		}
	}
	if slices.Contains(of, "spawns") || slices.Contains(of, "bluespawns") { // red and blue spawns are used only on maps without plain ones
		for i, t := range g.Tiles {
			if t.Index == twmap.Spawn {
				g.Tiles[i].Index = 0
			}
		}
	}
	if slices.Contains(of, "tune") {
		settings = append(slices.Clone(settings), zones...)
	}
	return m.bytes(settings)
}

func (m *maker) bytes(settings []string) []byte {
	group := twmap.NewGroup("Game", 100, 100, m.game)
	for slot, data := range [5][]byte{m.tele, m.speedup, nil, m.switches, m.tune} {
		l := twmap.NewTileLayer("", width, height, twmap.None)
		if slot == 2 {
			for _, t := range m.front.Tiles {
				data = append(data, t.Index, t.Flags, 0, 0)
			}
		}
		if !slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
			continue
		}
		l.Kind = []twmap.TileKind{twmap.KindTele, twmap.KindSpeed, twmap.KindFront, twmap.KindSwitch, twmap.KindTune}[slot]
		l.DDNetData = new([5][]byte)
		l.DDNetData[slot] = data
		group.Layers = append(group.Layers, l)
	}
	file := twmap.Map{Groups: []twmap.Group{group}}
	file.Info.Settings = settings
	b, err := file.Bytes()
	if err != nil {
		panic(fmt.Sprintf("ddracerecord: %v", err)) // only a mistake in this file leads here
	}
	return b
}

// AddSpawns puts 60 more spawns at random empty places of a map, so that players visit all of it.
func AddSpawns(m *twmap.Map, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	g := m.GameLayer()
	for n, tries := 0, 0; n < 60 && tries < 1e6; tries++ {
		if x, y := 5+r.IntN(g.Width-10), 5+r.IntN(g.Height-10); g.At(x, y) == (twmap.Tile{}) {
			g.Set(x, y, twmap.Spawn, 0)
			n++
		}
	}
}

func pick(m *maker, of ...uint8) uint8 { return of[m.IntN(len(of))] }

// at returns the index of a tile in its layer.
func (m *maker) at(x, y int) int { return y*width + x }

// rotation returns a random rotation of a tile, usually one of the four common ones.
func (m *maker) rotation() uint8 {
	return pick(m, 0, 8, 3, 11, 0, 8, 3, 11, 0, 8, 3, 11, 1, 2, 9, 10)
}

// put puts a tile into the game layer or the front layer, wherever the place is empty.
func (m *maker) put(x, y int, index, flags uint8) {
	if m.game.At(x, y).Index == 0 && m.IntN(3) > 0 {
		m.game.Set(x, y, index, flags)
	} else {
		m.putFront(x, y, index, flags)
	}
}

func (m *maker) putFront(x, y int, index, flags uint8) { m.front.Set(x, y, index, flags) }

func (m *maker) putTele(x, y int, kind uint8) {
	copy(m.tele[2*m.at(x, y):], []byte{byte(1 + m.IntN(4)), kind})
}

func (m *maker) putSwitch(x, y int, kind, number, delay uint8) {
	copy(m.switches[4*m.at(x, y):], []byte{number, kind, m.rotation(), delay})
}

// anyEntity returns a random light, dragger, turret or crazy bullet.
func (m *maker) anyEntity() uint8 {
	return pick(m, uint8(12+m.IntN(7)), uint8(42+m.IntN(6)), uint8(29+m.IntN(4)), uint8(33+m.IntN(2)))
}

// entity puts an entity with its parts into the game layer or the switch layer.
func (m *maker) entity(x, y int, kind, number uint8, switched bool) {
	put := func(x, y int, e uint8) {
		if x < 1 || y < 1 || x > width-2 || y > height-2 {
			return
		}
		if switched {
			m.putSwitch(x, y, twmap.EntityOffset+e, number, 0)
		} else if m.game.At(x, y).Index == 0 {
			m.game.Set(x, y, twmap.EntityOffset+e, pick(m, 0, 8, 3, 11))
		}
	}
	put(x, y, kind)
	if kind == 49 || kind >= 12 && kind <= 18 {
		for range 1 + m.IntN(2) {
			dx, dy := m.IntN(3)-1, m.IntN(3)-1
			if dx == 0 && dy == 0 {
				continue
			}
			put(x+dx, y+dy, pick(m, 19, 20, 21))
			if kind != 49 && m.IntN(2) == 0 {
				put(x+2*dx, y+2*dy, uint8(22+m.IntN(6)))
			}
		}
	}
}
