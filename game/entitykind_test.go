package game_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// things is a mod with a kind of entity that counts its ticks in Data and draws a pickup for
// the team of Data[1], or for all.
type things struct {
	kind   game.KindID
	start  func(setup *game.Setup)
	entity func(ctx *game.Ctx, e *game.Entity)
	reset  func(ctx *game.Ctx, e *game.Entity)
	drawn  int
}

func (m *things) Start(setup *game.Setup) {
	m.kind = setup.AddEntityKind(game.EntityKind{
		Tick: func(ctx *game.Ctx, e *game.Entity) {
			e.Data[0]++
			e.Pos = e.Pos.Add(e.Vel)
			if m.entity != nil {
				m.entity(ctx, e)
			}
		},
		Draw: func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
			m.drawn++
			to := game.MaskAll
			if e.Data[1] != 0 {
				to = game.PlayerMask{Low: uint64(e.Data[1])}
			}
			d.Pickup(0, game.PickupHealth, e.Pos, to)
			d.Pickup(1, game.PickupArmor, e.Pos, to) // there is no such part
		},
		Reset: m.reset,
	})
	if m.start != nil {
		m.start(setup)
	}
}

// savedThings returns things of the map that make others, shots and pickups, and go.
func savedThings() *things {
	m := &things{}
	m.start = func(setup *game.Setup) {
		setup.SpawnPickup(game.PickupGun, vec.Vec2{X: 300, Y: 40}, 20)
		setup.AddNPC(game.NPC{Profile: game.Profile{Name: "first"}, Team: game.TeamSpectators, Skill: 1, Tag: 2})
		setup.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 100, Y: 40}, To: vec.Vec2{X: 1.5}})
	}
	m.entity = func(ctx *game.Ctx, e *game.Entity) {
		switch {
		case e.To.X != 0 && e.Data[0] == 30:
			ctx.AddNPC(game.NPC{Profile: game.Profile{Name: "second"}, Team: game.TeamBlue, Skill: 3, Tag: -4})
			ctx.Player(63).RemoveNPC()
		case e.To.X == 0 && e.Data[0] > 110:
			e.Remove()
		case e.To.X != 0 && e.Data[0]%25 == 0:
			owner := game.PlayerID(ctx.Rand(8))
			ctx.SpawnEntity(m.kind, game.Entity{Pos: e.Pos, Vel: vec.Vec2{X: 0.7}, Owner: owner, Team: game.TeamBlue, Data: [8]int32{1: 5}})
			ctx.SpawnPickup(game.PickupKind(ctx.Rand(8)), e.Pos, game.Once)
			ctx.SpawnProjectile(game.Shot{Owner: game.Nobody, Weapon: game.WeaponGun, Pos: e.Pos, Dir: vec.Vec2{X: 1}})
			ctx.SpawnLaser(game.Nobody, e.Pos, vec.Vec2{X: 1, Y: 1})
		}
	}
	return m
}

// pickupIDs returns the ids of the pickups in the frame.
func (w *world) pickupIDs() (ids []uint16) {
	for _, p := range w.Frame().Pickups {
		ids = append(ids, p.ID)
	}
	return ids
}

func boxMap() game.Terrain {
	return bots.ParseMap(
		"##############################",
		"#                            #",
		"#                            #",
		"#   S     -       #      S   #",
		"##############################",
	)
}

func TestEntitiesTickAndAreDrawnUnderTheSameID(t *testing.T) {
	m := &things{}
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{m}})
	w.enter(0, 1)
	var id game.EntityID
	w.inTick(func(ctx *game.Ctx) {
		id = ctx.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 200, Y: 50}, Vel: vec.Vec2{X: 1}, Owner: 0})
	})
	ids := w.pickupIDs()
	testenv.Require(t, id != game.NoEntity && len(ids) == 1, "id %d, drawn as %v", id, ids)
	w.steps(10)
	f := w.Frame()
	testenv.Require(t, slices.Equal(w.pickupIDs(), ids) && f.Pickups[0].X == 210, "after 10 ticks %+v", f.Pickups)
	w.do(game.Command{Kind: game.CmdLeave, Player: 0})
	w.inTick(func(ctx *game.Ctx) {
		e := ctx.Entity(id)
		testenv.Require(t, e != nil && e.Owner == game.Nobody && e.Data[0] == 12, "after its owner left: %+v", e)
		n := 0
		for range ctx.Entities(m.kind) {
			n++
		}
		testenv.Check(t, n == 1 && ctx.Remove(id) && !ctx.Remove(id) && ctx.Entity(id) == nil, "%d, or it cannot be removed once", n)
	})
	testenv.Check(t, len(w.pickupIDs()) == 0, "drawn although it is gone: %v", w.pickupIDs())
}

func TestEntitiesDoNotMoveInAPause(t *testing.T) {
	m := &things{}
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{m}})
	w.enter(0)
	var id game.EntityID
	w.inTick(func(ctx *game.Ctx) { id = ctx.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 200, Y: 50}}) })
	w.do(game.Command{Kind: game.CmdPause, Player: game.Nobody, Value: -1})
	w.steps(20)
	w.inTick(func(ctx *game.Ctx) {
		e := ctx.Entity(id)
		testenv.Check(t, e.Data[0] <= 1 && ctx.Tick()-e.Born() <= 2, "%d ticks, age %d", e.Data[0], ctx.Tick()-e.Born())
	})
	testenv.Check(t, len(w.pickupIDs()) == 1, "not drawn in a pause")
}

func TestResetKeepsEntitiesOfTheMap(t *testing.T) {
	var ofMap, later, back game.EntityID
	m := &things{}
	m.start = func(setup *game.Setup) { ofMap = setup.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 200, Y: 50}}) }
	home := &things{reset: func(_ *game.Ctx, e *game.Entity) { e.Data[7] = 9 }}
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{m, home}})
	w.enter(0)
	ids := w.pickupIDs()
	var pickups [2]game.EntityID
	w.inTick(func(ctx *game.Ctx) {
		later = ctx.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 300, Y: 50}})
		back = ctx.SpawnEntity(home.kind, game.Entity{Pos: vec.Vec2{X: 400, Y: 50}})
		pickups[0] = ctx.SpawnPickup(game.PickupLaser, vec.Vec2{X: 500, Y: 50}, 0)
	})
	w.do(game.Command{Kind: game.CmdRestart, Player: game.Nobody})
	w.steps(60)
	w.inTick(func(ctx *game.Ctx) {
		testenv.Check(t, ctx.Entity(ofMap) != nil, "what was made with the map is gone")
		testenv.Check(t, ctx.Entity(later) == nil && !ctx.Remove(pickups[0]), "what was made later is still there")
		e := ctx.Entity(back)
		testenv.Check(t, e != nil && e.Data[7] == 9, "Reset decides: %+v", e)
	})
	testenv.Check(t, w.pickupIDs()[0] == ids[0], "ids %v, before %v", w.pickupIDs(), ids)
}

// touches is a mod that notes the pickups that are touched.
type touches struct{ ids []game.EntityID }

func (*touches) Start(*game.Setup) {}
func (m *touches) OnPickup(ctx *game.Ctx, _ game.PlayerID, _ game.PickupKind) {
	m.ids = append(m.ids, ctx.Pickup)
}

func TestSpawnedPickups(t *testing.T) {
	var ofMap, again, once game.EntityID
	at := vec.Vec2{X: 4*32 + 16, Y: 3*32 + 16} // the left spawn
	m := &things{start: func(setup *game.Setup) { ofMap = setup.SpawnPickup(game.PickupGrenade, at.Add(vec.Vec2{X: 32}), 0) }}
	touched := &touches{}
	w := newWorld(t, game.Config{Terrain: bots.ParseMap(
		"##############################",
		"#   S                        #",
		"#                            #",
		"#                            #",
		"##############################",
	), Mods: []game.Mod{m, touched}})
	testenv.Check(t, ofMap != game.NoEntity && len(w.Frame().Pickups) == 1, "not there from the first tick on")
	w.enter(0)
	testenv.Check(t, len(w.Frame().Pickups) == 0, "not taken: %+v", w.Frame().Pickups)
	w.inTick(func(ctx *game.Ctx) {
		again = ctx.SpawnPickup(game.PickupShotgun, at, 5)
		once = ctx.SpawnPickup(game.PickupLaser, at, game.Once)
	})
	testenv.Require(t, len(w.pickupIDs()) == 2, "%v", w.Frame().Pickups)
	evs := w.steps(2)
	testenv.Require(t, len(eventsOf(evs, game.EvPickup)) == 2, "not taken: %+v", evs)
	testenv.Check(t, slices.Contains(touched.ids, ofMap) && slices.Contains(touched.ids, again) && slices.Contains(touched.ids, once),
		"OnPickup was told of %v", touched.ids)
	w.inTick(func(ctx *game.Ctx) {
		testenv.Check(t, !ctx.Remove(once), "the one for once is still there")
		ctx.Player(0).TakeWeapon(game.WeaponShotgun)
	})
	evs = w.steps(8)
	testenv.Check(t, len(eventsOf(evs, game.EvPickup)) == 1, "the other came back %d times", len(eventsOf(evs, game.EvPickup)))
	w.inTick(func(ctx *game.Ctx) { testenv.Check(t, ctx.Remove(again), "cannot be removed") })
	w.steps(100)
	testenv.Check(t, len(w.pickupIDs()) == 0, "%v", w.Frame().Pickups)
}

func TestSpawnedShotsHit(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	pos := w.char(1).Pos
	for name, shoot := range map[string]func(*game.Ctx) game.EntityID{
		"gun": func(ctx *game.Ctx) game.EntityID {
			return ctx.SpawnProjectile(game.Shot{Owner: game.Nobody, Weapon: game.WeaponGun, Pos: pos.Sub(vec.Vec2{X: 100}), Dir: vec.Vec2{X: 1}, Damage: 2})
		},
		"grenade": func(ctx *game.Ctx) game.EntityID {
			return ctx.SpawnProjectile(game.Shot{Owner: 0, Weapon: game.WeaponGrenade, Pos: pos.Sub(vec.Vec2{X: 100}), Dir: vec.Vec2{X: 1}})
		},
		"laser": func(ctx *game.Ctx) game.EntityID {
			return ctx.SpawnLaser(game.Nobody, pos.Sub(vec.Vec2{Y: 200}), vec.Vec2{Y: 5})
		},
	} {
		evs := w.inTick(func(ctx *game.Ctx) {
			ctx.Player(1).Heal(10)
			testenv.Check(t, shoot(ctx) != game.NoEntity, "%s: nothing", name)
		})
		evs = append(slices.Clone(evs), w.steps(20)...)
		testenv.Check(t, len(eventsOf(evs, game.EvDamage)) > 0, "%s: hurt nobody", name)
	}
	w.inTick(func(ctx *game.Ctx) {
		shot := ctx.SpawnProjectile(game.Shot{Owner: 0, Weapon: game.WeaponGrenade, Pos: pos.Sub(vec.Vec2{X: 100}), Dir: vec.Vec2{X: 1}})
		testenv.Check(t, ctx.Remove(shot), "cannot be removed")
		for name, id := range map[string]game.EntityID{
			"a hammer":    ctx.SpawnProjectile(game.Shot{Weapon: game.WeaponHammer}),
			"of a nobody": ctx.SpawnProjectile(game.Shot{Owner: 9, Weapon: game.WeaponGun}),
			"too fast":    ctx.SpawnProjectile(game.Shot{Weapon: game.WeaponGun, Dir: vec.Vec2{X: 1e6}}),
			"nowhere":     ctx.SpawnProjectile(game.Shot{Weapon: game.WeaponGun, Pos: vec.Vec2{X: float32(math.NaN())}}),
			"aimless":     ctx.SpawnLaser(0, pos, vec.Vec2{}),
			"unknown":     ctx.SpawnPickup(99, pos, 0),
			"no kind":     ctx.SpawnEntity(7, game.Entity{}),
		} {
			testenv.Check(t, id == game.NoEntity, "%s: made", name)
		}
	})
	testenv.Check(t, len(w.Frame().Projectiles) == 0, "removed, but shown")
}

func TestRaycast(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: boxMap()})
	w.enter(0, 1)
	a, b := w.char(0).Pos, w.char(1).Pos
	if a.X > b.X {
		a, b = b, a
	}
	high := func(p vec.Vec2) vec.Vec2 { return vec.Vec2{X: p.X, Y: 48} }
	w.inTick(func(ctx *game.Ctx) {
		nearA, _ := ctx.NearestPlayer(a, 10, game.PlayerMask{})
		nearB, _ := ctx.NearestPlayer(b, 10, game.PlayerMask{})
		left, right := nearA.ID(), nearB.ID()
		testenv.Require(t, left >= 0 && right == 1-left, "nearest %d and %d", left, right)
		none, ok := ctx.NearestPlayer(a, 10, game.MaskOne(left))
		testenv.Check(t, !ok && none.ID() == game.Nobody, "an exception is found")
		for _, c := range []struct {
			name string
			ray  game.Ray
			want game.RayHit
			ok   bool
		}{
			{"unhookable wall", game.Ray{From: a, To: b}, game.RayHit{Wall: true, Player: game.Nobody}, true},
			{"wall", game.Ray{From: b, To: a}, game.RayHit{Wall: true, Hookable: true, Player: game.Nobody}, true},
			{"free", game.Ray{From: high(a), To: high(b), Tees: true}, game.RayHit{Pos: high(b), Player: game.Nobody}, false},
			{"tee", game.Ray{From: high(a), To: vec.Vec2{X: a.X, Y: a.Y - 10}, Tees: true}, game.RayHit{Player: left}, true},
			{"through walls", game.Ray{From: a, To: b, Tees: true, IgnoreWalls: true, Except: game.MaskOne(left)}, game.RayHit{Player: right}, true},
			{"a point", game.Ray{From: a, To: a, Tees: true}, game.RayHit{Pos: a, Player: left}, true},
		} {
			got, ok := ctx.Map().Raycast(c.ray)
			if c.want.Pos == (vec.Vec2{}) {
				c.want.Pos = got.Pos
			}
			testenv.Check(t, got == c.want && ok == c.ok, "%s: got %+v %v, want %+v", c.name, got, ok, c.want)
		}
		far, ok := ctx.Map().Raycast(game.Ray{From: high(a), To: vec.Vec2{X: -1e7, Y: 48}, IgnoreWalls: true})
		testenv.Check(t, !ok && far.Pos.X > -70000, "looked to %v", far.Pos)
	})
}

func TestMoveBoxBounces(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: boxMap()})
	w.inTick(func(ctx *game.Ctx) {
		pos, vel := vec.Vec2{X: 100, Y: 48}, vec.Vec2{Y: 200}
		ctx.Map().MoveBox(&pos, &vel, vec.Vec2{X: 20, Y: 20}, 0.5)
		testenv.Check(t, pos.Y < 4*32 && vel.Y == -100, "at %v, velocity %v", pos, vel)
		vel = vec.Vec2{X: 1e7}
		ctx.Map().MoveBox(&pos, &vel, vec.Vec2{X: 20, Y: 20}, 0)
		testenv.Check(t, pos.X < 30*32 && vel.X == 0, "at %v, velocity %v", pos, vel)
	})
}

func TestModsCannotFillTheWorld(t *testing.T) {
	made := map[string]int{}
	m := &things{}
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{m}})
	w.inTick(func(ctx *game.Ctx) {
		at := vec.Vec2{X: 400, Y: 48}
		for range 20000 {
			for name, id := range map[string]game.EntityID{
				"entities":    ctx.SpawnEntity(m.kind, game.Entity{Pos: at}),
				"pickups":     ctx.SpawnPickup(game.PickupHealth, at, 0),
				"projectiles": ctx.SpawnProjectile(game.Shot{Owner: game.Nobody, Weapon: game.WeaponGun, Pos: at}),
				"lasers":      ctx.SpawnLaser(game.Nobody, at, vec.Vec2{X: 1}),
			} {
				if id != game.NoEntity {
					made[name]++
				}
			}
		}
	})
	testenv.Check(t, fmt.Sprint(made) == "map[entities:1024 lasers:2048 pickups:2048 projectiles:2048]", "%v", made)
	evs := w.inTick(func(ctx *game.Ctx) {
		for range 100000 {
			ctx.Effects(game.MaskAll).Sound(vec.Vec2{}, game.SoundCry)
			ctx.Explode(vec.Vec2{}, game.Nobody, game.WeaponGrenade, 1)
			ctx.Effects(game.MaskAll).Spawn(vec.Vec2{})
		}
	})
	testenv.Check(t, len(evs) < 5000, "%d events in a tick", len(evs))
	w.enter(0, 1)
}

func TestEntitiesAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	m := &things{}
	m.start = func(setup *game.Setup) {
		for i := range 50 {
			setup.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: float32(i * 10), Y: 40}})
		}
	}
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{m}})
	w.enter(0)
	w.Frame()
	before := m.drawn
	allocs := testing.AllocsPerRun(100, func() {
		w.Step(nil)
		w.Frame()
	})
	testenv.Check(t, allocs == 0 && m.drawn == before+50*101, "%v allocations, drawn %d times", allocs, m.drawn-before)
}

func TestAddEntityKindIsForStart(t *testing.T) {
	var kept *game.Setup
	w := newWorld(t, game.Config{Terrain: boxMap(), Mods: []game.Mod{&things{start: func(setup *game.Setup) { kept = setup }}}})
	w.panics = true
	evs := w.inTick(func(*game.Ctx) { kept.AddEntityKind(game.EntityKind{}) })
	testenv.Check(t, len(eventsOf(evs, game.EvModOff)) == 1, "a kind can be added in a match")
}

// abuse is a mod that spawns and looks up things at random, in every hook.
type abuse struct {
	r    *reader
	kind [2]game.KindID
	ids  []game.EntityID
}

func (m *abuse) Start(setup *game.Setup) {
	for i := range m.kind {
		m.kind[i] = setup.AddEntityKind(game.EntityKind{
			Parts: i * 20,
			Tick:  func(ctx *game.Ctx, e *game.Entity) { m.act(ctx, e) },
			Draw: func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
				to := game.PlayerMask{Low: uint64(m.r.u8()) * 0x0101010101010101}
				d.Laser(int(m.r.small()), e.Pos, m.pos(), to)
				d.Pickup(int(m.r.small()), game.PickupKind(m.r.u8()), e.Pos, to)
				d.Projectile(int(m.r.small()), game.Weapon(m.r.u8()), e.Pos, e.Vel, to)
				m.act(ctx, e)
			},
		})
	}
}
func (m *abuse) OnTick(ctx *game.Ctx)                                     { m.act(ctx, nil) }
func (m *abuse) OnDamage(ctx *game.Ctx, d *game.Damage)                   { m.act(ctx, nil) }
func (m *abuse) OnSpawn(ctx *game.Ctx, id game.PlayerID)                  { m.act(ctx, nil) }
func (m *abuse) OnRoundStart(ctx *game.Ctx)                               { m.act(ctx, nil) }
func (m *abuse) OnPickup(c *game.Ctx, _ game.PlayerID, _ game.PickupKind) { m.act(c, nil) }

// pos returns a position on the map, and sometimes any other.
func (m *abuse) pos() vec.Vec2 {
	if m.r.u8() < 240 {
		return vec.Vec2{X: float32(m.r.u8()) * 4, Y: float32(m.r.u8()) / 2}
	}
	return vec.Vec2{X: math.Float32frombits(uint32(m.r.i32())), Y: math.Float32frombits(uint32(m.r.i32()))}
}

func (m *abuse) act(ctx *game.Ctx, e *game.Entity) {
	if len(m.r.b) == 0 {
		return
	}
	keep := func(id game.EntityID) {
		if id != game.NoEntity {
			m.ids = append(m.ids, id)
		}
	}
	player := game.PlayerID(m.r.small() % 8)
	switch m.r.u8() % 15 {
	case 0, 1:
		keep(ctx.SpawnEntity(m.kind[m.r.u8()%2], game.Entity{Pos: m.pos(), Vel: m.pos(), To: m.pos(), Owner: player}))
	case 2:
		keep(ctx.SpawnPickup(game.PickupKind(m.r.u8()%9), m.pos(), m.r.small()))
	case 3:
		keep(ctx.SpawnProjectile(game.Shot{Owner: player, Weapon: game.Weapon(m.r.u8() % 5), Pos: m.pos(), Dir: m.pos().Mul(0.01),
			Damage: m.r.small(), Ticks: m.r.small()}))
	case 4:
		keep(ctx.SpawnLaser(player, m.pos(), m.pos()))
	case 5, 6:
		if len(m.ids) > 0 {
			ctx.Remove(m.ids[int(m.r.u8())%len(m.ids)])
		}
	case 7:
		ctx.Map().Raycast(game.Ray{From: m.pos(), To: m.pos(), Tees: true, Radius: m.pos().X, IgnoreWalls: m.r.u8()&1 != 0})
		ctx.NearestPlayer(m.pos(), m.pos().X, game.PlayerMask{})
	case 8:
		if e != nil {
			ctx.Map().MoveBox(&e.Pos, &e.Vel, m.pos(), m.pos().X)
		}
	case 9:
		for other := range ctx.Entities(m.kind[0]) {
			other.Vel, other.Owner = m.pos(), player
			if m.r.u8() < 10 {
				other.Remove()
			}
		}
	case 10:
		ctx.Effects(game.MaskAll).Damage(m.pos(), player, m.pos().X, m.r.small())
		ctx.Effects(game.MaskAll).Death(m.pos(), player)
	case 11:
		ctx.Explode(m.pos(), game.Nobody, game.WeaponGrenade, m.r.small())
	case 12:
		ctx.AddNPC(game.NPC{Profile: game.Profile{Name: "npc"}, Team: game.Team(m.r.small()), Skill: m.r.small()})
	case 13:
		ctx.Player(player + 56).RemoveNPC()
		ctx.Player(player + 56).SetNPCSkill(m.r.small())
	case 14:
		ctx.Player(player + 56).SetInput(m.r.input())
	}
}

// playAbuse runs abuse with the choices in data, in two equal worlds, and compares them.
func playAbuse(t *testing.T, data []byte) {
	data = data[:min(len(data), 4000)]
	start := func() *world {
		m := &abuse{r: &reader{b: data}}
		w := newWorld(t, game.Config{Mode: dm.Mode{}, Terrain: bots.Arena(), Rules: bots.Rules(), Mods: []game.Mod{m}})
		w.Step(join(0, 1, 2, 3))
		return w
	}
	a, b := start(), start()
	for range min(len(data)/16, 100) {
		var cmds []game.Command
		if a.Tick() == 40 {
			cmds = []game.Command{{Kind: game.CmdRestart}, {Kind: game.CmdLeave, Player: 2}}
		}
		cmds = a.AppendNPCCommands(cmds)
		a.Step(cmds)
		b.Step(cmds)
		if x, y := a.Hash(), b.Hash(); x != y {
			t.Fatalf("tick %d: hashes %x and %x", a.Tick(), x, y)
		}
		for _, p := range a.Frame().Projectiles {
			if p.Weapon < game.WeaponHammer || p.Weapon > game.WeaponGrenade {
				t.Fatalf("projectile %+v", p)
			}
		}
		for _, p := range a.Frame().Pickups {
			if p.Kind > game.PickupHammer || p.ID >= 16384 {
				t.Fatalf("pickup %+v", p)
			}
		}
	}
}

func FuzzEntities(f *testing.F) {
	for seed := range 8 {
		r := bots.Rand(seed)
		b := make([]byte, 3000)
		for i := range b {
			b[i] = byte(r.Next())
		}
		f.Add(b)
	}
	f.Fuzz(playAbuse)
}
