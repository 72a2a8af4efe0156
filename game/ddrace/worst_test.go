package ddrace

import (
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// dragged is a world with the maximum number of draggers, all with unlimited reach, and 64 tees in
// 64 teams.
func dragged(t testing.TB) *World {
	d := room(200, 40)
	for i := range maxSeeing {
		d.game(2+i%190, 2+2*(i/190), tileEntities-1+uint8(EntityDraggerThrough)+uint8(i%3), 0)
	}
	d.game(100, 37, tileEntities, 0)
	d.Settings = []string{"sv_dragger_range 99999", "sv_plasma_range 99999"}
	w := New(Config{Map: d.load(t)})
	for id := range MaxTees {
		w.Enter(id, false)
	}
	w.Step(nil)
	for id := range MaxTees {
		w.SetTeam(id, uint8(id))
	}
	return w
}

// TestWorstMap checks that the looks of entities in a tick are limited, and that draggers let go of
// all tees at once.
func TestWorstMap(t *testing.T) {
	w := dragged(t)
	most, beams := 0, 0
	for range 20 {
		w.Step(nil)
		most, beams = max(most, w.looks), max(beams, len(w.entities.beams))
	}
	testenv.Check(t, most > maxLooks, "%d looks: the map is not the worst", most)
	testenv.Check(t, beams > 0 && beams <= maxLooks, "%d beams", beams)

	w = dragged(t)
	solo := func(solo bool) int {
		for id := range MaxTees {
			w.SetTeam(id, 0)
			w.SetSolo(id, solo)
		}
		for i := range w.entities.draggers {
			for team := range w.entities.draggers[i].targets {
				w.entities.draggers[i].targets[team] = noTee
			}
		}
		for range 20 {
			w.Step(nil)
		}
		return len(w.entities.beams)
	}
	testenv.Check(t, solo(true) > maxSeeing, "%d beams to tees in solo", len(w.entities.beams))
	testenv.Check(t, solo(false) <= maxSeeing, "%d beams to one team", len(w.entities.beams)) // one of each dragger
	for i := range w.entities.beams {
		b := &w.entities.beams[i]
		testenv.Check(t, w.entities.draggers[b.of].beams.Has(int(b.target)), "a beam of dragger %d to tee %d is left", b.of, b.target)
	}
}

// full is a wide room with 64 tees, absurd settings, and tiles from fill.
func full(t testing.TB, fill func(d *drawing, x, y int), settings ...string) *World {
	d := room(1000, 40)
	for y := 1; y < d.Height-1; y++ {
		for x := 1; x < d.Width-1; x++ {
			fill(d, x, y)
		}
	}
	for i := range maxSpawns {
		d.game(2+3*i, d.Height-3, tileEntities, 0)
	}
	d.Settings = settings
	w := New(Config{Map: d.load(t)})
	for id := range MaxTees {
		w.Enter(id, false)
	}
	w.Step(nil)
	for id := range MaxTees {
		w.GiveWeapon(id, WeaponLaser, true)
		w.SelectWeapon(id, WeaponLaser)
	}
	return w
}

// fast are settings that let tees fly through the whole map in a tick.
var fast = []string{
	"tune ground_control_speed 2e7", "tune ground_control_accel 2e7", "tune air_control_speed 2e7", "tune air_control_accel 2e7",
	"tune velramp_start 2e7", "tune gravity 0",
}

var worstMaps = map[string]func(t testing.TB) *World{
	"draggers": func(t testing.TB) *World { return dragged(t) },
	"lasers through teleporters": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) { d.teleport(x, y, 1, TeleIn) },
			"tune laser_reach 2e7", "tune laser_bounce_num 2e7", "tune laser_bounce_delay 0", "tune laser_fire_delay 0")
	},
	"bullets": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) { d.game(x, y, tileEntities-1+uint8(EntityBulletExplosive), turned90) }, "tune shotgun_speed 1e6")
	},
	"hooks through walls": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) {
			d.over(x, y, tileThroughAll, 0)
			d.game(x, y, TileSolid, 0)
		}, "tune hook_length 2e7", "tune hook_fire_speed 2e7")
	},
	"solo parts": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) { d.game(x, y, []uint8{tileSolo, tileUnsolo}[x&1], 0) }, fast...)
	},
	"teleporters to spawn points": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) { d.teleport(x, y, 1, TeleCheckIn) }, fast...)
	},
	"pickups": func(t testing.TB) *World {
		return full(t, func(d *drawing, x, y int) {
			d.game(x, y, tileEntities-1+uint8([]EntityKind{EntityShotgun, EntityNoShotgun}[x&1]), 0)
		})
	},
	"hammers": func(t testing.TB) *World {
		w := full(t, func(d *drawing, x, y int) {}, "tune hammer_fire_delay 0", "tune hammer_hit_fire_delay 0", "tune player_collision 0")
		for id := range MaxTees {
			w.Teleport(id, tile(500, 38))
			w.SelectWeapon(id, WeaponHammer)
		}
		return w
	},
}

// wildly lets all tees run, fire and hook, with four inputs each.
func wildly(w *World, inputs []PlayerInput) []PlayerInput {
	for id := range MaxTees {
		for k := range int32(4) {
			inputs = append(inputs, PlayerInput{id, Input{Direction: 1, TargetX: 300 + int32(id), TargetY: 20*k - 30,
				Fire: (4*w.tick+k)&62 | k&1, Hook: w.tick&1 == 0}})
		}
	}
	return inputs
}

// TestBoundedWork checks that on no map a tick looks at more samples, or reports more events, than
// the limits.
func TestBoundedWork(t *testing.T) {
	testenv.Long(t)
	for name, newWorld := range worstMaps {
		w := newWorld(t)
		const line = 1000 * tileSize // the last one that is looked along
		told := map[EventKind]int{}
		for range 12 {
			now := map[EventKind]int{}
			for _, e := range w.Step(wildly(w, nil)) {
				now[e.Kind]++
				if e.Kind <= EventDeathEffect {
					now[EventSound]++
				}
			}
			for kind, n := range now {
				told[kind] = max(told[kind], n)
			}
			testenv.Require(t, w.looks <= maxLooks+line && w.hooking <= maxLooks+line, "%s: %d and %d looks", name, w.looks, w.hooking)
		}
		testenv.Check(t, told[EventSound] <= 2*maxEffects && told[EventMessage] <= MaxTees*maxMessages && told[EventTuning] <= MaxTees &&
			told[EventPickup] <= 2*MaxTees, "%s: events %v", name, told)
		switch name {
		case "lasers through teleporters", "bullets":
			testenv.Check(t, w.looks >= maxLooks, "%s: %d looks: the map is not the worst", name, w.looks)
		case "solo parts":
			testenv.Check(t, told[EventMessage] > MaxTees*maxMessages/2, "%s: %v: the map is not the worst", name, told)
		}
	}
}

// TestShotsWait checks that waiting shots go on later, and that none is lost.
func TestShotsWait(t *testing.T) {
	w := worstMaps["bullets"](t)
	n := len(w.entities.projectiles)
	before := append([]Projectile(nil), w.entities.projectiles...)
	w.looks = maxLooks
	for i := range w.entities.projectiles {
		w.tick = 1
		w.tickProjectile(&w.entities.projectiles[i])
		p := &w.entities.projectiles[i]
		testenv.Require(t, w.projectileAt(p, w.tick) == w.projectileAt(&before[i], w.tick-1), "bullet %d does not wait", i)
	}
	for range 10 {
		w.Step(nil)
	}
	testenv.Check(t, n == maxEntities && len(w.entities.projectiles) == n, "of %d bullets, %d are left", n, len(w.entities.projectiles))
}

// BenchmarkWorstMap runs ticks of worstMaps.
func BenchmarkWorstMap(b *testing.B) {
	for name, newWorld := range worstMaps {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			var inputs []PlayerInput
			for b.Loop() {
				inputs = wildly(w, inputs[:0])
				w.Step(inputs)
			}
		})
	}
}
