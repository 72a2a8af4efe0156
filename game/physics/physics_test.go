package physics

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w, inputs := benchMatch(t, 16)
	tick := 0
	if n := testing.AllocsPerRun(200, func() {
		w.benchTick(inputs[tick%benchTicks])
		tick++
	}); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

func TestTuning(t *testing.T) {
	d := DefaultTuning()
	for i, want := range []struct {
		name  string
		value float32
	}{
		{"ground_control_speed", 10}, {"ground_control_accel", 2}, {"ground_friction", 0.5},
		{"ground_jump_impulse", 13.2}, {"air_jump_impulse", 12}, {"air_control_speed", 5},
		{"air_control_accel", 1.5}, {"air_friction", 0.95}, {"hook_length", 380},
		{"hook_fire_speed", 80}, {"hook_drag_accel", 3}, {"hook_drag_speed", 15}, {"gravity", 0.5},
		{"velramp_start", 550}, {"velramp_range", 2000}, {"velramp_curvature", 1.4},
		{"gun_curvature", 1.25}, {"gun_speed", 2200}, {"gun_lifetime", 2},
		{"shotgun_curvature", 1.25}, {"shotgun_speed", 2750}, {"shotgun_speeddiff", 0.8},
		{"shotgun_lifetime", 0.2}, {"grenade_curvature", 7}, {"grenade_speed", 1000},
		{"grenade_lifetime", 2}, {"laser_reach", 800}, {"laser_bounce_delay", 150},
		{"laser_bounce_num", 1}, {"laser_bounce_cost", 0}, {"player_collision", 1}, {"player_hooking", 1},
	} {
		testenv.Check(t, TuneParamName(i) == want.name && TuneParamIndex(want.name) == i, "%d is %q, want %q", i, TuneParamName(i), want.name)
		if got, err := d.Get(want.name); err != nil || got != want.value {
			t.Errorf("%s is %v (%v), want %v", want.name, got, err, want.value)
		}
		// Setting the defaults to their float values changes nothing.
		var u Tuning
		if err := u.Set(want.name, want.value); err != nil || u[i] != d[i] {
			t.Errorf("%s set to %v is %d (%v), want %d", want.name, want.value, u[i], err, d[i])
		}
	}
	// The product is rounded to float32 before it is truncated: 0.29*100 is 29 there
	// and 28.999999999999996 in double precision.
	if err := d.Set("GRAVITY", 0.29); err != nil || d[Gravity] != 29 {
		t.Errorf("gravity 0.29 is %d (%v)", d[Gravity], err)
	}
	if err := d.Set("gravity", -0.019); err != nil || d[Gravity] != -1 {
		t.Errorf("gravity -0.019 is %d (%v)", d[Gravity], err)
	}
	if err := d.Set("gravity ", 1); !errors.Is(err, ErrTuneParam) {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := d.Get(""); !errors.Is(err, ErrTuneParam) {
		t.Errorf("unknown name: %v", err)
	}
	testenv.Check(t, TuneParamName(-1) == "" && TuneParamName(NumTuneParams) == "" && TuneParamIndex("") == -1, "outside of the list")
}

// grid returns the collision of a grid of tiles.
func grid(t *testing.T, width int, tiles ...uint8) *Collision {
	t.Helper()
	return testenv.Must(NewCollision(width, len(tiles)/width, tiles))
}

func TestCollisionErrors(t *testing.T) {
	for _, c := range []struct{ w, h, n int }{{0, 0, 0}, {1, 0, 0}, {-1, -1, 1}, {2, 2, 3}, {1 << 25, 1, 0}, {math.MaxInt, 2, math.MaxInt - 1}} {
		if _, err := NewCollision(c.w, c.h, make([]uint8, min(c.n, 10))); !errors.Is(err, ErrCollision) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestCollisionTiles(t *testing.T) {
	index := make([]uint8, 256)
	for i := range index {
		index[i] = uint8(i)
	}
	c := grid(t, 256, index...)
	for i := range index {
		want := map[int]TileFlags{1: Solid, 2: Death, 3: Solid | NoHook}[i]
		if got := c.At(float32(i*32), 0); got != want {
			t.Errorf("tile %d has flags %d, want %d", i, got, want)
		}
	}
	// A tile begins half a unit before its edge, and the border is repeated outside.
	for _, at := range []struct {
		x    float32
		want TileFlags
	}{{31.4, 0}, {31.5, Solid}, {63.4, Solid}, {63.5, Death}, {95.5, Solid | NoHook}, {127.5, 0}, {-1e9, 0}, {1e9, 0}} {
		if got := c.At(at.x, -1000); got != at.want {
			t.Errorf("at %v flags %d, want %d", at.x, got, at.want)
		}
	}
}

func TestOutside(t *testing.T) {
	c := grid(t, 10, make([]uint8, 200)...)
	for _, o := range []struct {
		x, y float32
		want bool
	}{
		{0, 0, false}, {-200*32 - 31, 0, false}, {-201 * 32, 0, true}, {210*32 - 1, 0, false}, {210 * 32, 0, true},
		{0, -200*32 - 31, false}, {0, -201 * 32, true}, {0, 220*32 - 1, false}, {0, 220 * 32, true},
	} {
		if got := c.FarOutside(Vec{X: o.x, Y: o.y}); got != o.want {
			t.Errorf("%v,%v outside: %v", o.x, o.y, got)
		}
	}
}

// TestMovePoint reflects a point at a wall to the right of a free tile.
func TestMovePoint(t *testing.T) {
	c := grid(t, 3, 0, 0, 1, 0, 0, 1, 0, 0, 1)
	pos, vel := Vec{X: 60, Y: 40}, Vec{X: 10, Y: 1}
	if n := c.MovePoint(&pos, &vel, 0.5); n != 1 || pos != (Vec{X: 60, Y: 40}) || vel != (Vec{X: -5, Y: 1}) {
		t.Errorf("%d bounces, at %v with %v", n, pos, vel)
	}
	if n := c.MovePoint(&pos, &vel, 0.5); n != 0 || pos != (Vec{X: 55, Y: 41}) {
		t.Errorf("%d bounces, at %v with %v", n, pos, vel)
	}
}

// TestQuantize checks that rounding twice changes nothing, and that a state survives a
// core.
func TestQuantize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.Int32Range(-1<<23, 1<<23)
		s := CoreState{i.Draw(t, "x"), i.Draw(t, "y"), i.Draw(t, "vx"), i.Draw(t, "vy"), i.Draw(t, "angle"),
			i.Draw(t, "direction"), i.Draw(t, "jumped"), i.Draw(t, "hooked"), i.Draw(t, "state"), i.Draw(t, "tick"),
			i.Draw(t, "hx"), i.Draw(t, "hy"), i.Draw(t, "dx"), i.Draw(t, "dy")}
		var c Core
		c.SetState(&s)
		if got := c.State(); got != s {
			t.Fatalf("got %v, want %v", got, s)
		}
		before := c
		c.Quantize()
		testenv.Require(t, c == before, "got %v, want %v", c, before)
	})
}

// TestForeignHook checks that a hook on a missing player is released.
func TestForeignHook(t *testing.T) {
	w := NewWorld(grid(t, 1, 0))
	for _, id := range []int32{-2, 7, 64, math.MaxInt32, math.MinInt32} {
		o := NewCore(w, Vec{})
		w.Cores[3] = o
		o.HookState, o.HookedPlayer = HookGrabbed, id
		o.Tick(nil, false)
		testenv.Check(t, o.HookedPlayer == -1 && o.HookState == HookRetracted, "%d: hook state %d on %d", id, o.HookState, o.HookedPlayer)
	}
}
