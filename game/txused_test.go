package game_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestShowsAndSounds tells players things from a mod.
func TestShowsAndSounds(t *testing.T) {
	w := newWorld(t, game.Config{Mode: tdm.Mode{}, Rules: rules(func(r *game.Rules) { r.Warmup = 10 })})
	w.enter(0, 1, 2)
	pos := vec.Vec2{X: 100, Y: 200}
	var sizes [2]int32
	var warmup bool
	var red game.PlayerMask
	w.script.tick = func(ctx *game.Ctx) {
		sizes, warmup, red = [2]int32{ctx.TeamSize(game.TeamRed), ctx.TeamSize(game.TeamBlue)}, ctx.Match().Warmup(), ctx.TeamMask(game.TeamRed)
		ctx.Broadcast("hello")
		ctx.Effects(red).Sound(pos, game.SoundHit)
		ctx.Effects(red).Explosion(pos)
		ctx.Effects(red).HammerHit(pos)
		ctx.Effects(red).Spawn(pos)
		ctx.Match().End()
	}
	evs := w.steps(1)
	testenv.Check(t, sizes == [2]int32{2, 1} && warmup && red == game.MaskOne(0).Or(game.MaskOne(2)), "teams of %v, warmup %v, red is %b", sizes, warmup, red)
	testenv.Check(t, eventsOf(evs, game.EvBroadcast)[0].Text == "hello", "%+v", evs)
	for _, kind := range []game.EventKind{game.EvSound, game.EvExplosion, game.EvHammerHit, game.EvSpawn} {
		e := eventsOf(evs, kind)
		testenv.Check(t, len(e) == 1 && e[0].Pos == pos && e[0].To == red, "kind %d: %+v", kind, e)
	}
	testenv.Check(t, len(eventsOf(evs, game.EvMatchEnd)) == 0, "a warmup cannot end a match")
	w.do(game.Command{Kind: game.CmdRestart, Player: game.Nobody})
	w.wantState(game.StateGameOver)
}

// TestPlayersAllocateNothing uses players and the other values of the API in every tick.
func TestPlayersAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := newWorld(t, game.Config{Mode: tdm.Mode{}})
	w.enter(0, 1, 2, 3)
	w.steps(50)
	used := 0
	w.script.tick = func(ctx *game.Ctx) {
		for p := range ctx.Players() {
			p.Heal(1)
			p.AddScore(1)
			for near := range ctx.PlayersNear(p.Pos(), 1000) {
				near.Push(vec.Vec2{X: 1})
				used++
			}
			if near, ok := ctx.NearestPlayer(p.Pos(), 1000, game.MaskOne(p.ID())); ok && !ctx.Map().WallBetween(p.Pos(), near.Pos()) {
				ctx.Effects(game.MaskOne(near.ID())).Sound(near.Pos(), game.SoundHit)
			}
		}
		ctx.Match().AddTeamScore(ctx.Player(0).Team(), 1)
		ctx.Flag(game.TeamRed).Drop()
		ctx.Player(0).Camera().Watch(1)
	}
	w.steps(10)
	allocs := testing.AllocsPerRun(100, func() { w.Step(nil) })
	testenv.Check(t, allocs == 0 && used > 0, "%v allocations, %d uses", allocs, used)
}

// TestEndlessAmmoIsShown gives weapons with endless ammo. Clients and bots must not take them for
// empty.
func TestEndlessAmmoIsShown(t *testing.T) {
	w := newWorld(t, game.Config{Mods: []game.Mod{&script{spawn: func(ctx *game.Ctx, id game.PlayerID) { ctx.Player(id).GiveWeapon(game.WeaponGrenade, -1) }}}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponGrenade, 100, 0)
	w.shoot(0, 100, 0, 10)
	testenv.Check(t, w.char(0).Ammo == 10, "the grenade shows %d", w.char(0).Ammo)
	w.script.tick = func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, !p.GiveWeapon(game.WeaponGrenade, 3), "a pickup was taken")
		p.TakeWeapon(game.WeaponGrenade)
		p.GiveWeapon(game.WeaponShotgun, 3)
		p.SelectWeapon(game.WeaponShotgun)
	}
	w.steps(1)
	testenv.Check(t, w.char(0).Ammo == 3, "the shotgun shows %d", w.char(0).Ammo)
	w.script.tick = func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(game.WeaponHammer) }
	w.steps(1)
	testenv.Check(t, w.char(0).Ammo == 0, "the hammer shows %d, unlike in the original", w.char(0).Ammo)
}

// TestEveryMethodOfTxIsUsed looks for a call of each method of the API for mods, in a mode, a mod,
// an example or a test: a method without any call may not work.
func TestEveryMethodOfTxIsUsed(t *testing.T) {
	called := map[string]bool{}
	for _, dir := range []string{".", "../mods", "../script", "../examples", "../server", "../bot"} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return nil
			}
			src := testenv.Must(os.ReadFile(path))
			file := testenv.Must(parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution))
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if s, ok := call.Fun.(*ast.SelectorExpr); ok {
						called[s.Sel.Name] = true
					}
				}
				return true
			})
			return nil
		})
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*game.Setup](), reflect.TypeFor[game.Player](), reflect.TypeFor[game.Camera](), reflect.TypeFor[game.Map](),
		reflect.TypeFor[game.Match](), reflect.TypeFor[game.Flag](), reflect.TypeFor[game.Effects](),
	} {
		for i := range typ.NumMethod() {
			if name := typ.Method(i).Name; !called[name] {
				t.Errorf("nothing calls %v.%s: use it in a test, or remove it", typ, name)
			}
		}
	}
}
