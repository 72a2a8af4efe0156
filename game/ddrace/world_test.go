package ddrace

import (
	"testing"

	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/testenv"
)

// arena returns a map with platforms, and tiles and entities of all kinds at random.
func arena(t testing.TB, seed splitmix.Rand) *Map {
	d := room(40, 24)
	turns := []terrain.TileFlags{turned0, turned90, turned180, turned270}
	tiles := []uint8{
		tileThrough, TileFreeze, TileUnfreeze, TileUnfreeze, TileDeep, tileUndeep, tileUndeep, tileWallJump, tileEndless, tileUnendless,
		tileHit, tileUnhit, tileUnsolo, tileRefill, TileStart, TileFinish, TileCheckpoint, tileStop, tileStops, tileThroughAll,
		tileThroughDir, tileUncollide, tileCollide, tileUnairjumps, tileAirjumps, tileUnjetpack, tileJetpack, tileTelegun, tileTelegrenade, tileTelelaser,
		tileUnlive, tileTelePoint, tileTeleBlue, tileMover,
	}
	for _, kind := range []EntityKind{
		EntityArmor, EntityHealth, EntityShotgun, EntityGrenade, EntityNinja, EntityLaser, EntityTurretExplosive, EntityTurretFreeze,
		EntityTurretUnfreeze, EntityBulletExplosive, EntityBullet, EntityDragger, EntityDraggerThrough,
	} {
		tiles = append(tiles, uint8(kind-1+tileEntities))
	}
	for y := 1; y < d.Height-1; y++ {
		for x := 1; x < d.Width-1; x++ {
			flags := turns[seed.Intn(len(turns))]
			index := tiles[seed.Intn(len(tiles))]
			switch n := seed.Intn(100); {
			case n < 14:
				d.game(x, y, TileSolid, 0)
			case n < 17:
				d.game(x, y, tileEntities, 0)
			case n < 26:
				d.game(x, y, index, flags)
			case n < 30:
				d.over(x, y, index, flags)
			case n < 33:
				kinds := []uint8{TeleInEvil, teleInWeapon, teleInHook, TeleIn, TeleOut, TeleOut, teleCheck, TeleCheckOut, TeleCheckIn}
				d.teleport(x, y, uint8(1+seed.Intn(2)), kinds[seed.Intn(len(kinds))])
			case n < 36:
				kinds := []uint8{switchJumps, TileFreeze, switchTimedOpen, SwitchTimedClose, switchOpen, SwitchClose, switchAddTime,
					tileEntities + 48, tileEntities + 28}
				d.switchAt(x, y, uint8(seed.Intn(4)), kinds[seed.Intn(len(kinds))], flags, uint8(seed.Intn(5)))
			case n < 38:
				s := &layer(d, &d.Speedup)[d.at(x, y)]
				s.Force, s.MaxSpeed, s.Type, s.Angle = uint8(seed.Intn(30)), uint8(seed.Intn(100)), oldSpeedup, int16(seed.Intn(360))
			case n < 40:
				s := &layer(d, &d.Tune)[d.at(x, y)]
				s.Number, s.Type = uint8(seed.Intn(3)), tuneTile
			}
		}
	}
	d.game(20, 12, uint8(EntityLight-1+tileEntities), 0)
	d.game(21, 12, uint8(entityLength+tileEntities), 0)
	d.game(22, 12, uint8(entityOpening-1+tileEntities), 0)
	d.Settings = []string{"tune_zone 1 gravity 0.2", "tune_zone 2 hook_length 800", "switch_open 2"}
	return d.load(t)
}

// play is a world with players who act at random.
type play struct {
	w      *World
	rand   splitmix.Rand
	inputs []PlayerInput
}

func newPlay(m *Map, tees int) *play {
	p := &play{w: New(Config{Map: m, Seed: [2]uint64{1, 2}}), rand: 5, inputs: make([]PlayerInput, tees)}
	for i := range p.inputs {
		p.w.Enter(i, false)
		p.inputs[i] = PlayerInput{Player: i, Input: Input{TargetX: 100}}
	}
	return p
}

func (p *play) step() []Event {
	for i := range p.inputs {
		in := &p.inputs[i].Input
		switch p.rand.Intn(12) {
		case 0:
			in.Direction = int32(p.rand.Intn(3)) - 1
		case 1:
			in.Jump = !in.Jump
		case 2:
			in.Hook = !in.Hook
		case 3, 4:
			in.Fire = (in.Fire + 1) & 63
		case 5:
			in.WantedWeapon = int32(p.rand.Intn(7))
		case 6:
			in.TargetX, in.TargetY = int32(p.rand.Intn(400))-200, int32(p.rand.Intn(400))-200
		case 7:
			if p.rand.Intn(100) == 0 {
				p.w.Kill(i, WeaponSelf, false)
			}
		}
	}
	return p.w.Step(p.inputs)
}

// armed gives all tees all weapons.
func (p *play) armed() *play {
	for i := range p.inputs {
		for weapon := range WeaponNinja {
			p.w.GiveWeapon(i, weapon, true)
		}
	}
	return p
}

// TestRandomNumbers compares the generator with the first numbers of PCG's own demonstration.
func TestRandomNumbers(t *testing.T) {
	r := newPRNG([2]uint64{42, 54})
	for i, want := range []uint32{0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e} {
		got := r.next()
		testenv.Check(t, got == want, "number %d is %#x, not %#x", i, got, want)
	}
	before := r
	testenv.Check(t, r.choose(1) == 0 && r == before, "a choice of one was drawn")
}

// TestFreeze checks the ticks in which a frozen tee obeys, as measured on DDNet-Server.
func TestFreeze(t *testing.T) {
	d := room(12, 8)
	d.game(3, 6, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	w.Enter(0, false)
	in := []PlayerInput{{Input: Input{Direction: 1, TargetX: 1}}}
	for range 60 {
		w.Step(in)
	}
	w.Freeze(0, 3)
	tee := w.Tee(0)
	var obeyed []int
	for n := 1; n <= 151; n++ {
		w.Step(in)
		if tee.Core.Direction != 0 {
			obeyed = append(obeyed, n)
		}
	}
	testenv.Check(t, len(obeyed) == 2 && obeyed[0] == 150, "it obeyed in ticks %v after the freeze", obeyed)
}

// TestRespawn checks the respawn times, with deaths and times measured on DDNet-Server. A player
// who uses kill respawns at once.
func TestRespawn(t *testing.T) {
	d := room(12, 8)
	d.game(3, 6, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	var back []int32
	for w.Tick() < 500 {
		switch w.Tick() {
		case 65:
			w.Enter(0, false)
		case 109, 236, 281:
			w.die(0, WeaponWorld)
			w.players[0].dieTick++ // as in the coming tick
		case 450:
			w.Kill(0, WeaponSelf, false)
		}
		for _, e := range w.Step(nil) {
			if e.Kind == EventSpawn {
				back = append(back, w.Tick())
			}
		}
	}
	want := []int32{66, 217, 262, 389, 451}
	testenv.Check(t, len(back) == len(want), "spawns in %v", back)
	for i := range min(len(back), len(want)) {
		testenv.Check(t, back[i] == want[i], "spawn %d in tick %d, not %d", i, back[i], want[i])
	}
}

// TestSpawnPlaces lets four tees spawn at one point: on it, left, above and right of it.
func TestSpawnPlaces(t *testing.T) {
	d := room(12, 8)
	d.game(5, 4, tileEntities, 0)
	d.game(9, 4, tileEntities+1, 0) // not used while there are others
	w := New(Config{Map: d.load(t)})
	for i := range 4 {
		w.Enter(i, false)
	}
	w.Step(nil)
	for i, off := range []Vec{{}, {X: -32}, {Y: -32}, {X: 32}} {
		testenv.Check(t, w.Tee(i).Pos == tile(5, 4).Add(off), "tee %d spawned at %v", i, w.Tee(i).Pos)
	}
}

// TestOrder checks the order of acting tees while tees come and go.
func TestOrder(t *testing.T) {
	w := New(Config{Map: arena(t, 1)})
	for i := range 5 {
		w.tees[i].id = int8(i)
		w.addTee(int8(i))
	}
	var seen []int
	for tee := range w.order.walk(w) {
		seen = append(seen, tee.ID())
		switch tee.ID() {
		case 3: // itself, a newer and an older one go, a new one comes
			w.removeTee(3)
			w.removeTee(4)
			w.removeTee(1)
			w.addTee(4)
		}
	}
	testenv.Check(t, len(seen) == 4 && seen[0] == 4 && seen[1] == 3 && seen[2] == 2 && seen[3] == 0, "they acted in the order %v", seen)
}

// TestStepAllocatesNothing checks that ticks with all weapons, tiles and entities do not allocate.
func TestStepAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	p := newPlay(arena(t, 3), 16)
	for range 3000 {
		if p.step(); p.w.Tick()%200 == 0 {
			p.armed()
		}
	}
	n := testing.AllocsPerRun(500, func() { p.step() })
	testenv.Check(t, n == 0, "%v allocations per tick", n)
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(map[int]string{1: "1", 16: "16", 64: "64"}[n], func(b *testing.B) {
			p := newPlay(arena(b, 3), n)
			for range 500 {
				p.step()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				p.step()
			}
		})
	}
}

// TestEventsOfNobody checks that ids outside of the valid range get no events.
func TestEventsOfNobody(t *testing.T) {
	w := New(Config{Map: room(8, 8).load(t)})
	for _, id := range []int{-1, MaxTees} {
		w.TellTuning(id)
	}
	events := w.Step(nil)
	testenv.Check(t, len(events) == 0, "%+v", events)
}

// TestTimeIsLimited checks that tiles that add time cannot move the start of a race into the
// future.
func TestTimeIsLimited(t *testing.T) {
	d := room(20, 10)
	d.switchAt(5, 5, 255, switchAddTime, 0, 255)
	d.game(3, 8, tileEntities, 0)
	w := New(Config{Map: d.load(t)})
	w.Enter(0, false)
	w.Step(nil)
	w.StartRace(0)
	tee := w.Tee(0)
	for range 3000 { // as on a way through that many
		tee.lastPenalty = false
		w.switchTileOn(tee, int32(d.at(5, 5)))
		testenv.Require(t, w.tick-tee.StartTick > 0 && w.tick-tee.StartTick <= maxSavedTime, "the race began in tick %d", tee.StartTick)
	}
}
