package ddrace_test

import (
	"iter"
	"reflect"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// actor runs a function in a tick.
type actor struct {
	do     func(ctx *game.Ctx)
	kind   game.KindID
	moved  int // number of ticks of its entity
	tiles  map[uint8]int
	deaths int
}

func (m *actor) Start(setup *game.Setup) {
	m.tiles = map[uint8]int{}
	m.kind = setup.AddEntityKind(game.EntityKind{Tick: func(*game.Ctx, *game.Entity) { m.moved++ }})
}

func (m *actor) OnTick(ctx *game.Ctx) {
	if do := m.do; do != nil {
		m.do = nil
		do(ctx)
	}
}

func (m *actor) OnTile(_ *game.Ctx, _ game.PlayerID, tile uint8) { m.tiles[tile]++ }
func (m *actor) OnDeath(*game.Ctx, *game.Death)                  { m.deaths++ }

var hall = modtest.ParseMap(tiles,
	"####################",
	"#                  #",
	"#                  #",
	"#                  #",
	"#   S  s           #",
	"####################")

func act(t *testing.T) (*modtest.World, *actor) {
	t.Helper()
	m := &actor{}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{m}, Seed: 3, Terrain: hall})
	w.Play(0, 1)
	return w, m
}

// TestTxOnTees checks that the changes of mods to tees take effect in the simulation.
func TestTxOnTees(t *testing.T) {
	place := vec.Vec2{X: 400, Y: 80}
	state := func(w *modtest.World) game.CharacterState {
		for _, c := range w.Frame().Characters {
			if c.Player == 0 {
				return c
			}
		}
		return game.CharacterState{Player: game.Nobody}
	}
	for name, c := range map[string]struct {
		do   func(ctx *game.Ctx)
		want func(c *game.CharacterState) bool
	}{
		"SetPos": {func(ctx *game.Ctx) { ctx.Player(0).SetPos(place) }, func(c *game.CharacterState) bool { return c.X == 400 && c.Y >= 80 && c.Y < 90 }},
		"SetVel": {func(ctx *game.Ctx) { ctx.Player(0).SetVel(vec.Vec2{Y: -20}) }, func(c *game.CharacterState) bool { return c.Y < 145 && c.VelY < 0 }},
		"Push":   {func(ctx *game.Ctx) { ctx.Player(0).Push(vec.Vec2{X: 10}) }, func(c *game.CharacterState) bool { return c.VelX > 400 }},
		"GiveWeapon": {func(ctx *game.Ctx) { ctx.Player(0).GiveWeapon(game.WeaponGrenade, 10) }, func(c *game.CharacterState) bool {
			return c.Flags&(game.CharacterFlagHasWeapon<<game.WeaponGrenade) != 0
		}},
		"TakeWeapon": {func(ctx *game.Ctx) { ctx.Player(0).TakeWeapon(game.WeaponHammer) },
			func(c *game.CharacterState) bool { return c.Flags&game.CharacterFlagHasWeapon == 0 }},
		"SelectWeapon": {func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(game.WeaponHammer) },
			func(c *game.CharacterState) bool { return c.Weapon == game.WeaponHammer }},
		"Freeze": {func(ctx *game.Ctx) { ctx.Player(0).Freeze(30) }, func(c *game.CharacterState) bool { return c.FreezeEnd > 0 }},
		"FreezeForever": {func(ctx *game.Ctx) { ctx.Player(0).Freeze(game.FreezeForever) }, func(c *game.CharacterState) bool {
			return c.FreezeEnd == game.FreezeForever
		}},
		"AddFlags": {func(ctx *game.Ctx) { ctx.Player(0).AddFlags(game.CharacterFlagSolo) },
			func(c *game.CharacterState) bool { return c.Flags&game.CharacterFlagSolo != 0 }},
		"SetJumps": {func(ctx *game.Ctx) { ctx.Player(0).SetJumps(5) }, func(c *game.CharacterState) bool { return c.Jumps == 5 }},
		"SetVisibleTo": {func(ctx *game.Ctx) { ctx.Player(0).SetVisibleTo(game.MaskOne(0)) },
			func(c *game.CharacterState) bool { return c.NotFor.Has(1) && !c.NotFor.Has(0) }},
		"Kill": {func(ctx *game.Ctx) { ctx.Player(0).Kill(game.WeaponWorld) }, func(c *game.CharacterState) bool { return c.Player == game.Nobody }},
	} {
		w, m := act(t)
		for range 20 {
			w.Game.Step(nil)
		}
		before := state(w)
		testenv.Check(t, before.Player == 0 && !c.want(&before), "%s: before: %+v", name, before)
		m.do = c.do
		w.Game.Step(nil) // the mod acts at the end of this tick
		for range 2 {
			if name != "Kill" {
				w.Game.Step(nil)
			}
		}
		after := state(w)
		testenv.Check(t, c.want(&after), "%s: after: %+v", name, after)
		for range 200 { // the simulation and the world agree on which tees live
			w.Game.Step(nil)
		}
		m.do = func(ctx *game.Ctx) {
			testenv.Check(t, ctx.Player(0).Alive() && ctx.DDRace().Tee(0) != nil, "%s: the tee is not there", name)
		}
		w.Game.Step(nil)
		testenv.Check(t, m.deaths == 1 == (name == "Kill"), "%s: %d deaths", name, m.deaths)
	}
}

// receivers returns a value of each type of the API for mods.
func receivers(ctx *game.Ctx) []any {
	return []any{&ctx.Tx, ctx.Player(0), ctx.Player(0).Camera(), ctx.Map(), ctx.Match(), ctx.Flag(game.TeamRed), ctx.Effects(game.MaskAll)}
}

// TestAllOfTx calls every method of the API for a living tee, for a dead one and for a player
// without one. The world and the simulation must stay in agreement, and the world must be savable.
func TestAllOfTx(t *testing.T) {
	called := 0
	for i := range receivers(new(game.Ctx)) {
		called += testAllOf(t, i)
	}
	testenv.Check(t, called > 100, "%d methods", called)
}

// testAllOf calls the methods of a receiver and returns their number. It leaves out
// SetDDRaceOptions, which the variables of the mode set.
func testAllOf(t *testing.T, receiver int) (called int) {
	typ := reflect.TypeOf(receivers(new(game.Ctx))[receiver])
	for i := range typ.NumMethod() {
		method := typ.Method(i)
		if method.Name == "SetDDRaceOptions" {
			continue
		}
		called++
		w, m := act(t)
		for range 5 {
			w.Game.Step(nil)
		}
		call := func(ctx *game.Ctx) {
			args := []reflect.Value{reflect.ValueOf(receivers(ctx)[receiver])}
			for k := 1; k < method.Type.NumIn(); k++ {
				args = append(args, argument(method.Type.In(k)))
			}
			if method.Type.IsVariadic() {
				args = args[:len(args)-1]
			}
			for _, result := range method.Func.Call(args) {
				if near, ok := result.Interface().(iter.Seq[game.Player]); ok {
					for range near {
					}
				}
			}
		}
		for range 2 {
			m.do = func(ctx *game.Ctx) {
				call(ctx)
				ctx.Player(0).Kill(game.WeaponWorld)
				call(ctx)
			}
			w.Game.Step(nil)
			for range 250 {
				w.Game.Step(nil)
			}
		}
		m.do = func(ctx *game.Ctx) {
			for p := range ctx.Players() {
				if alive := ctx.DDRace().Tee(int(p.ID())) != nil; alive != p.Alive() {
					t.Errorf("%s: player %d lives in the simulation: %v, in the world: %v", method.Name, p.ID(), alive, p.Alive())
				}
			}
		}
		w.Game.Step(nil)
		cfg := game.Config{Mode: ddrace.New(), Mods: []game.Mod{&actor{}}, Terrain: hall}
		if restored, err := game.Restore(cfg, w.Game.AppendState(nil)); err != nil || restored.Hash() != w.Game.Hash() {
			t.Errorf("%s: restored: %v", method.Name, err)
		}
	}
	return called
}

// argument returns a value for a parameter of a method.
func argument(typ reflect.Type) reflect.Value {
	v := reflect.New(typ).Elem()
	switch v.Interface().(type) {
	case vec.Vec2:
		v.Set(reflect.ValueOf(vec.Vec2{X: 200, Y: 100}))
	case game.PlayerID: // player 0
	case game.Input:
		v.Set(reflect.ValueOf(game.Input{Direction: 1, TargetX: 1, Fire: 1}))
	case *vec.Vec2:
		v.Set(reflect.ValueOf(&vec.Vec2{X: 200, Y: 100}))
	case string:
		v.SetString("text")
	case game.Damage:
		v.Set(reflect.ValueOf(game.Damage{Amount: 100, Attacker: 1, Weapon: game.WeaponGun}))
	default:
		switch {
		case v.CanInt():
			v.SetInt(3)
		case v.CanUint():
			v.SetUint(3)
		case v.CanFloat():
			v.SetFloat(3)
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		}
	}
	return v
}

// TestEntitiesAndTiles checks that entities of mods tick and that OnTile is called.
func TestEntitiesAndTiles(t *testing.T) {
	w, m := act(t)
	m.do = func(ctx *game.Ctx) { ctx.SpawnEntity(m.kind, game.Entity{Pos: vec.Vec2{X: 100, Y: 100}}) }
	w.Game.Step(nil)
	for range 40 {
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: 1, TargetX: 1}}})
	}
	testenv.Check(t, m.moved >= 39 && m.tiles[33] > 0, "the entity ticked %d times, tiles %v", m.moved, m.tiles)
}

// TestNPCs checks that NPCs move.
func TestNPCs(t *testing.T) {
	w, m := act(t)
	m.do = func(ctx *game.Ctx) { ctx.AddNPC(game.NPC{Profile: game.Profile{Name: "dummy"}}) }
	for range 20 {
		w.Run(1)
	}
	var id game.PlayerID = game.Nobody
	m.do = func(ctx *game.Ctx) {
		for p := range ctx.Players() {
			if _, ok := p.NPC(); ok {
				id = p.ID()
			}
		}
		ctx.Player(id).SetInput(game.Input{Direction: 1, TargetX: 1})
	}
	w.Run(1)
	testenv.Require(t, id != game.Nobody, "there is no NPC")
	for range 20 {
		w.Run(1)
	}
	for _, c := range w.Frame().Characters {
		if c.Player == id {
			testenv.Check(t, c.VelX > 0, "the NPC: %+v", c)
			return
		}
	}
	t.Error("the NPC has no tee")
}
