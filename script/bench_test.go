package script

import (
	"os"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// BenchmarkLoad loads a script.
func BenchmarkLoad(b *testing.B) {
	source := string(testenv.Must(os.ReadFile("../examples/lua/balls.lua")))
	for b.Loop() {
		testenv.Must(New(Config{Name: "mods/balls.lua", Source: source}))
	}
}

// BenchmarkHook calls an on_damage that reads and changes the damage.
func BenchmarkHook(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"empty", "function on_damage(d) end"},
		{"double", "function on_damage(d) if d.weapon == 'grenade' then d.amount = d.amount * 2 end end"},
		{"count", "state.n = 0 function on_damage(d) state.n = state.n + 1 end"},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b, c.source)
			w.join(2)
			var n int
			hook := &benchHook{run: func(ctx *game.Ctx) {
				d := game.Damage{Victim: 1, Weapon: game.WeaponGrenade, Amount: 1}
				for i := range n {
					if i%100 == 0 {
						w.mod.vm.newBudget(w.Tick())
					}
					w.mod.OnDamage(ctx, &d)
					d.Amount = 1
				}
			}}
			w.World = testenv.Must(game.New(game.Config{Terrain: terrain(), Mode: w.mode, Mods: []game.Mod{w.mod, hook}, Rules: game.DefaultRules()}))
			b.ReportAllocs()
			n = b.N
			b.ResetTimer()
			w.Step(nil)
			if len(w.logs) > 0 {
				b.Fatal(w.logs)
			}
		})
	}
}

// benchHook runs a function in a tick.
type benchHook struct{ run func(*game.Ctx) }

func (*benchHook) Start(*game.Setup)      {}
func (h *benchHook) OnTick(ctx *game.Ctx) { h.run(ctx) }

// BenchmarkTick runs ticks of a world with 64 players, without scripts and with several. The
// largest is a game type of 60 lines that visits all players in every tick.
func BenchmarkTick(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"none", ""},
		{"empty", "function on_tick() end"},
		{"balls", string(testenv.Must(os.ReadFile("../examples/lua/balls.lua")))},
		{"all", `
state.zone = {}
local function inside(x, y) return x > 100 and x < 500 and y > 50 and y < 400 end
function on_tick()
  local best, score = nil, -1
  for p in players() do
    if p.alive then
      local x, y = p.x, p.y
      local was, is = state.zone[p.id], inside(x, y)
      if is ~= was then state.zone[p.id] = is end
      if is and p.health > score then best, score = p, p.health end
    end
  end
  state.best = best
end`},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b, c.source)
			w.join(64)
			w.run(100)
			b.ReportAllocs()
			for b.Loop() {
				w.Step(nil)
			}
			if len(w.logs) > 0 {
				b.Fatal(w.logs)
			}
		})
	}
}
