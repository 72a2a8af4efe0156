package script

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
)

// testWorld is a world with a script, on a map that is a box with spawn points.
type testWorld struct {
	*game.World
	mod  *Mod
	logs []string
}

func terrain() game.Terrain {
	const w, h = 20, 12
	t := game.Terrain{Width: w, Height: h, Tiles: make([]uint8, w*h)}
	for x := range w {
		for y := range h {
			if x == 0 || y == 0 || x == w-1 || y == h-1 {
				t.Tiles[y*w+x] = 1
			}
		}
	}
	for x := 2; x < w-2; x += 3 {
		t.Tiles[(h-2)*w+x] = 192
	}
	return t
}

func newWorld(t testing.TB, source string) *testWorld {
	t.Helper()
	tw := &testWorld{}
	rules := game.DefaultRules()
	rules.SpamProtection = false
	var err error
	tw.mod, err = New(Config{Name: "mods/test.lua", Source: source, Log: func(s string) { tw.logs = append(tw.logs, s) }})
	if err != nil {
		t.Fatal(err)
	}
	tw.World, err = game.New(game.Config{Terrain: terrain(), Mode: dm.Mode{}, Mods: []game.Mod{tw.mod}, Rules: rules, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return tw
}

// join brings in players.
func (w *testWorld) join(n int) {
	var cmds []game.Command
	for id := range game.PlayerID(n) {
		cmds = append(cmds, game.Command{Kind: game.CmdJoin, Player: id},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: string(rune('a' + id))}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	w.Step(cmds)
}

// run steps the world.
func (w *testWorld) run(ticks int) {
	for range ticks {
		w.Step(nil)
	}
}

// say runs a line of chat and returns what the server says in this tick.
func (w *testWorld) say(text string) string {
	var said []string
	for _, e := range w.Step([]game.Command{{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Target: game.Nobody, Text: text}}) {
		if e.Kind == game.EvChat && e.Player == game.Nobody {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, "|")
}

func TestThin(t *testing.T) {
	w := newWorld(t, `
state.hits = 0
function on_enter(p) game.say("hello " .. p.name) end
function on_chat(m)
  if m.text == "kill" then m.from:kill() return false end
  if m.text == "hurt" then game.say(tostring(m.from.health)); m.from:damage(2); game.say(tostring(m.from.health)) end
  if m.text == "bad" then local x = nil; x.y = 1 end
end
function on_damage(d)
  state.hits = state.hits + 1
  d.amount = d.amount * 2
end
function on_death(d) game.say(d.victim.name .. " died") end
`)
	w.join(2)
	w.run(60)
	t.Log(w.say("hurt"))
	t.Log(w.say("kill"))
	t.Log(w.say("bad"))
	t.Log(w.logs)
	t.Logf("%q", w.mod.AppendState(nil))
}
