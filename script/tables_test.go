package script

import (
	"fmt"
	"testing"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestSlots compares slots with the room that golua allocates.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		list, fields, want int
	}{{0, 0, 0}, {100, 0, 101}, {0, 100, 100}, {50, 20, 70}} {
		table := rt.NewTableWithCapacity(c.list, c.fields)
		got := slots(table)
		testenv.Check(t, got >= c.list+c.fields && got <= 2*(c.list+c.fields), "%d and %d: room for %d", c.list, c.fields, got)
	}
	table := rt.NewTable()
	testenv.Check(t, slots(table) == 0, "an empty table has room for %d", slots(table))
	for i := range 1000 {
		table.Set(rt.IntValue(int64(i)), rt.BoolValue(true))
		table.Set(rt.StringValue(fmt.Sprint(i)), rt.BoolValue(true))
	}
	testenv.Check(t, slots(table) >= 2000 && slots(table) <= 4000, "2000 fields have room for %d", slots(table))
}

// TestEmptiedTables iterates tables that were large. The first iteration shrinks them, and their
// fields stay.
func TestEmptiedTables(t *testing.T) {
	for _, walk := range []string{"for k in pairs(t) do end", "next(t)", "next(t, 'k4000')", "setmetatable({}, t)", "table.concat({}, 'x')"} {
		w := newWorld(t, `
state.t, state.a = {}, 0
function on_tick()
  local t, a = state.t, state.a
  state.a = a + 1
  if a < 4 then for i = a * 1000 + 1, a * 1000 + 1000 do t["k" .. i] = i t[i] = i end
  elseif a < 8 then for i = (a - 4) * 1000 + 1, (a - 4) * 1000 + 1000 do t["k" .. i] = nil if i < 4000 then t[i] = nil end end
  elseif a == 8 then t.x = "y" `+walk+` end
end`)
		w.run(8)
		table := w.mod.vm.state.Get(rt.StringValue("t")).AsTable()
		before := slots(table)
		w.mod.checkTick = w.Tick() // so that the next tick does not check the state
		w.run(1)
		testenv.Check(t, w.mod.off == "" && len(w.logs) == 0, "%s: %q %v", walk, w.mod.off, w.logs)
		after := slots(table)
		small := after <= 8
		if walk == "table.concat({}, 'x')" { // this does not iterate the table
			small = after == before
		}
		testenv.Check(t, before >= 8000 && small, "%s: room for %d, then for %d", walk, before, after)
		n := 0
		each(table, func(k, x rt.Value) { n++ })
		testenv.Check(t, n == 2 && table.Get(rt.StringValue("x")).AsString() == "y" && table.Get(rt.IntValue(4000)).AsInt() == 4000, "%s: %d fields", walk, n)
	}
}

// TestEmptiedState saves a state that was large.
func TestEmptiedState(t *testing.T) {
	w := newWorld(t, `
state.t = {}
function on_tick()
  if game.tick() == 2 then for i = 1, 6000 do state.t[i] = i end end
  if game.tick() == 3 then for i = 6000, 2, -1 do state.t[i] = nil end end
end`)
	w.run(4)
	table := w.mod.vm.state.Get(rt.StringValue("t")).AsTable()
	before := slots(table)
	state := w.mod.AppendState(nil)
	testenv.Check(t, w.mod.off == "" && before >= 6000 && slots(table) <= 8, "%q: room for %d, then for %d", w.mod.off, before, slots(table))
	testenv.Check(t, string(state) == string(w.mod.AppendState(nil)), "the state has changed")
}

// TestLastPosition uses the greatest integer as a position of a list. A loop that counts past it
// never ends.
func TestLastPosition(t *testing.T) {
	w := newWorld(t, `
local last = math.maxinteger
local t = {[last - 1] = "a", [last] = "b"}
function on_tick() if state.said then return end state.said = true
  local a, b = table.unpack(t, last - 1, last)
  local none = select("#", table.unpack(t, last, math.mininteger))
  local ok = pcall(table.unpack, t, math.mininteger, last)
  state.text = table.concat(t, "-", last - 1, last) .. a .. b .. none .. tostring(ok)
end`)
	w.run(1)
	testenv.Check(t, w.mod.off == "" && len(w.logs) == 0, "%q %v", w.mod.off, w.logs)
	got := w.mod.vm.state.Get(rt.StringValue("text"))
	testenv.Check(t, got.AsString() == "a-bab0false", "%v", got.Interface())
}
