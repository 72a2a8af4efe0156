package ddrace

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/teeyard/teeyard/game/terrain"
)

// wild is a random map with random settings, and random inputs for it.
type wild struct {
	r *rand.Rand
	d *drawing
}

// wildSettings have the absurd numbers that maps can contain.
var wildSettings = []string{
	"tune explosion_strength 2e7", "tune hammer_strength -2e7", "tune jetpack_strength 2e7", "tune shotgun_strength 2e7",
	"tune laser_reach 2e7", "tune laser_bounce_num 2e7", "tune laser_bounce_delay 0", "tune laser_fire_delay 0",
	"tune grenade_speed 2e7", "tune grenade_speed -3", "tune grenade_lifetime 2e7", "tune gun_speed 0", "tune shotgun_speed 2e7",
	"tune shotgun_speed 0", "tune grenade_curvature 2e7", "tune grenade_fire_delay 0", "tune hook_fire_speed 2e7", "tune hook_length 2e7",
	"tune hook_drag_speed 2e7", "tune hook_drag_accel 2e7", "tune gravity -2e7", "tune gravity 1e40", "tune hook_length 1e40",
	"tune grenade_speed 1e40", "tune velramp_range 1e40", "tune air_control_speed 1e40", "tune ground_jump_impulse 2e7", "tune velramp_curvature 0",
	"tune_zone 1 gravity 2e7", "tune_zone 2 laser_reach -5", "tune_zone 1 player_collision 0", "sv_dragger_range 99999", "sv_plasma_range 99999",
	"sv_plasma_per_sec 50",
	"sv_old_laser 1", "sv_hit 0", "sv_old_teleport_weapons 1", "sv_old_teleport_hook 1", "sv_teleport_lose_weapons 1", "sv_destroy_bullets_on_death 0",
	"sv_destroy_lasers_on_death 1", "sv_ddnet_physics 20", "sv_no_weak_hook_and_bounce 1", "sv_deepfly 0", "sv_endless_drag 1",
	"sv_solo_server 1", "sv_team 3", "switch_open 1", "mapbug grenade-doubleexplosion@ddnet.tw",
}

func newWild(seed uint64) *wild {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &wild{r: r, d: room(1+r.IntN(30)+2, 1+r.IntN(30)+2)}
	if r.IntN(4) == 0 { // without walls
		clear(w.d.Tiles)
	}
	n := w.d.Width * w.d.Height
	flags := func() terrain.TileFlags { return terrain.TileFlags(r.IntN(16)) & turnMask }
	index := func() uint8 {
		switch r.IntN(3) {
		case 0:
			return uint8(r.IntN(256))
		case 1:
			return tileEntities - 1 + uint8(r.IntN(50))
		}
		return []uint8{TileFreeze, tileStop, tileStopAll, tileThrough, tileThroughDir, tileMover, tileFastMover, tileWallJump, tileTelelaser,
			tileJetpack, tileSolo, tileTelePoint}[r.IntN(12)]
	}
	if r.IntN(3) == 0 {
		density := r.IntN(n)
		for range density {
			i := r.IntN(n)
			w.d.game(i%w.d.Width, i/w.d.Width, index(), flags())
			i = r.IntN(n)
			w.d.over(i%w.d.Width, i/w.d.Width, index(), flags())
		}
	}
	for range r.IntN(n + 1) {
		x, y := r.IntN(w.d.Width), r.IntN(w.d.Height)
		switch r.IntN(6) {
		case 0:
			w.d.teleport(x, y, uint8(r.IntN(4)), []uint8{10, 14, 15, 26, 27, 29, 30, 31, 63, uint8(r.IntN(256))}[r.IntN(10)])
		case 1:
			layer(w.d, &w.d.Speedup)[w.d.at(x, y)] = terrain.SpeedupTile{Force: uint8(r.IntN(256)), MaxSpeed: uint8(r.IntN(256)), Type: 28,
				Angle: int16(r.IntN(1 << 16))}
		case 2:
			w.d.switchAt(x, y, uint8(r.IntN(4)), index(), flags(), uint8(r.IntN(256)))
		case 3:
			layer(w.d, &w.d.Tune)[w.d.at(x, y)] = terrain.TuneTile{Number: uint8(r.IntN(4)), Type: tuneTile}
		case 4:
			w.d.game(x, y, index(), flags())
		}
	}
	for range 3 {
		w.d.game(r.IntN(w.d.Width), r.IntN(w.d.Height), tileEntities+uint8(r.IntN(3)), 0)
	}
	for range r.IntN(6) {
		w.d.Settings = append(w.d.Settings, wildSettings[r.IntN(len(wildSettings))])
	}
	return w
}

func (w *wild) input() Input {
	r := w.r
	in := Input{
		Direction: int32(r.IntN(3) - 1), TargetX: int32(r.IntN(400) - 200), TargetY: int32(r.IntN(400) - 200), Jump: r.IntN(2) == 0,
		Fire: int32(r.IntN(64)), Hook: r.IntN(2) == 0, WantedWeapon: int32(r.IntN(8)), NextWeapon: int32(r.IntN(64)), PrevWeapon: int32(r.IntN(64)),
	}
	switch r.IntN(50) {
	case 0:
		in.TargetX, in.TargetY, in.WantedWeapon, in.Direction = -1<<31, 1<<31-1, -1<<31, 1<<31-1
	case 1:
		in.TargetX, in.TargetY, in.Flags, in.Fire = 0, 0, -1, -1<<31
	}
	return in
}

// practise runs a command of a player in practice, with any arguments.
func (w *wild) practise(world *World, id int) {
	r := w.r
	word := func() string {
		return []string{"", "~", "~-3", "0x", "1e38", "-2147483648", "2147483647", "99999999999999", "all", "laser", strconv.Itoa(r.IntN(9) - 2)}[r.IntN(11)]
	}
	switch r.IntN(8) {
	case 0:
		world.SetManualRescue(id, r.IntN(2) == 0)
	case 1:
		world.SetRescue(id)
		world.Rescue(id)
	case 2:
		world.GoBack(id)
	case 3:
		world.TeleportAgain(id)
	case 4:
		world.TeleportXY(id, Vec{X: float32(r.IntN(1000)), Y: -1e9}, word(), word())
	case 5:
		world.EndPractice(id)
	default:
		world.SetPractice(world.Team(id), true)
		c := practiceCommands[r.IntN(len(practiceCommands))]
		world.RunPracticeCommand(id, c.Name, []string{word(), word(), word()}[:r.IntN(4)])
	}
}

// play runs a world of the map for some ticks, and checks that its lists stay short.
func (w *wild) play(t testing.TB, ticks int) *World {
	world := New(Config{Map: w.d.load(t), Seed: [2]uint64{w.r.Uint64(), w.r.Uint64()}})
	tees := 1 + w.r.IntN(6)
	for id := range tees {
		world.Enter(id, false)
	}
	var inputs []PlayerInput
	for range ticks {
		inputs = inputs[:0]
		for id := range tees {
			for range w.r.IntN(3) {
				inputs = append(inputs, PlayerInput{Player: id, Input: w.input()})
			}
			switch w.r.IntN(200) {
			case 0:
				world.Kill(id, WeaponSelf, w.r.IntN(2) == 0)
			case 1:
				world.SetTeam(id, uint8(w.r.IntN(70)))
			case 2:
				world.SetSuper(id, w.r.IntN(2) == 0)
			case 3, 4, 5, 6, 7, 8:
				world.GiveWeapon(id, Weapon(w.r.IntN(8)-1), w.r.IntN(4) != 0)
			case 9:
				world.Pause(id, w.r.IntN(2) == 0)
			case 10:
				world.Leave(id)
				world.Enter(id, w.r.IntN(4) == 0)
			case 11:
				world.SetPractice(uint8(w.r.IntN(70)), w.r.IntN(2) == 0)
			case 12:
				world.LookAround(id, w.r.IntN(2) == 0, w.r.IntN(2) == 0)
			case 13:
				world.LookUntil(id, world.Tick()+int32(w.r.IntN(20)))
			case 14, 15, 16, 17, 18, 19:
				w.practise(world, id)
			}
		}
		world.Step(inputs)
		e := &world.entities
		if n := len(e.projectiles); n > maxEntities+maxShots || e.shots > maxShots || e.shots < 0 {
			t.Fatalf("%d projectiles, %d shots", n, e.shots)
		}
	}
	return world
}

// FuzzWorld checks that a world never panics, and that ticks stay short, on any map with any tuning
// and inputs.
func FuzzWorld(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { newWild(seed).play(t, 60) })
}
