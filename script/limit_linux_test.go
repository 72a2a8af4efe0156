//go:build linux

package script

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/arnodel/golua/runtime"
	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/internal/testenv"
)

// limitOps are operations that a script repeats until its limits end it. The part before the bar
// runs once in a call, the part after it in a loop.
var limitOps = map[string]string{
	"badfield":       `local p = player(0) | pcall(function() return p.sya end)`,
	"find class":     `local s = ("a"):rep(8192) | s:find("[b-z]")`,
	"eq":             `local s, t = ("a"):rep(8191) .. "b", ("a"):rep(8191) .. "b" | local x = s == t`,
	"eq new":         `local s = ("a"):rep(8191) | local x = s .. "b" == s .. "c"`,
	"players":        `| for p in players() do end`,
	"print":          `| print("x")`,
	"gmatch":         `local s = ("a"):rep(8192) | for w in s:gmatch("a") do end`,
	"bigkeys":        `local s = ("a"):rep(8180) | local t = {} t[s .. #s] = 1`,
	"sin":            `| local x = math.sin(1e9)`,
	"say":            `| game.say("hello")`,
	"store":          `| store.put("k", "v")`,
	"format many":    `| string.format("%d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)`,
	"format a":       `| string.format("%a", 1e308)`,
	"gsub none":      `local s = ("a"):rep(8192) | s:gsub("b", "c")`,
	"undefined":      `| pcall(function() return undefinedd end)`,
	"undefined long": `| pcall(function() return aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa end)`,
	"idiv":           `| local x = 7.5 // 2`,
	"raycast nowall": `| game.raycast({x = 0, y = 0}, {x = 1e6, y = 1e6}, {ignore_walls = true, tees = true})`,
	"wall":           `local a, b = {x = 40, y = 40}, {x = 300, y = 41} | game.wall_between(a, b)`,
	"wall long":      `local a, b = {x = -4e6, y = -4e6}, {x = -1, y = -4e6} | game.wall_between(a, b)`,
	"tuning":         `local p = player(0) | p:set_tuning{gravity = 0.3}`,
	"newkey":         `local t, i = {}, 0 | i = i + 1 t["k" .. i] = i`,
	"newkey int":     `local t, i = {}, 0 | i = i + 1 t[i * 7919] = i`,
	"newkey list":    `local t, i = {}, 0 | i = i + 1 t[i] = i`,
	"tonumber b":     `local s = ("1"):rep(8192) | tonumber(s, 2)`,
	"len holes":      `local t = {} for i = 1, 500 do t[i] = i end t[500] = nil | local x = #t`,
	"sound":          `| game.sound({x = 100, y = 100}, "jump")`,
	"nothing":        `|`,
	"varargs2":       `local t = {} for i = 1, 240 do t[i] = i end local function f(...) local a = {...} end | f(table.unpack(t))`,
	"format pad":     `| string.format("%99d", 1)`,
	"frontier":       `local s = ("a"):rep(8192) | s:find("%f[b]")`,
	"gsub tab":       `local s, t = ("a"):rep(8192), {a = "b"} | s:gsub("a", t)`,
	"pow2":           `| local x = 2.5 ^ 1023`,
	"prop":           `local p = player(0) | local x = p.health`,
	"setpos":         `local p = player(0) local v = {x = 100, y = 100} | p.pos = v`,
	"nearest":        `local v = {x = 100, y = 100} | game.nearest_player(v, 1000)`,
	"npc":            `| game.add_npc{name = "n"}`,
	"tconcat":        `local t = {} for i = 1, 60 do t[i] = ("x"):rep(100) end | table.concat(t, ",")`,
	"closure":        `| local f = function() end`,
	"closure up":     `local a, b, c = 1, 2, 3 | local f = function() return a, b, c end`,
	"pow":            `| local x = 2.5 ^ 1.5`,
	"exp":            `| local x = math.exp(1.5)`,
	"string.char":    `local t = {} for i = 1, 240 do t[i] = 65 end | string.char(table.unpack(t))`,
	"upper":          `local s = ("ä"):rep(4096) | s:upper()`,
	"lower ascii":    `local s = ("A"):rep(8192) | s:lower()`,
	"lower bad":      `local s = ("\xff"):rep(2048) | s:lower()`,
	"tonumber hex":   `local s = "0x" .. ("f"):rep(8000) | tonumber(s)`,
	"newtable":       `| local t = {}`,
	"newtable 8":     `| local t = {1, 2, 3, 4, x = 1, y = 2, z = 3, w = 4}`,
	"pairs mixed":    `local t = {} for i = 1, 100 do t[i] = i t["k" .. i] = i end | for k in pairs(t) do end`,
	"tointeger":      `| math.tointeger(3.0)`,
	"kill":           `local p = player(0) | p:kill()`,
	"insert front":   `local t = {} for i = 1, 2000 do t[i] = i end | table.insert(t, 1, 0)`,
	"gettuning":      `local p = player(0) | p:tuning("gravity")`,
	"find plain2":    `local s, t = ("a"):rep(8192), ("a"):rep(4095) .. "b" | s:find(t, 1, true)`,
	"find":           `local s = ("a"):rep(8192) | s:find("b")`,
	"find star":      `local s, p = ("a"):rep(8192), ("b*"):rep(150) .. "c" | s:find(p)`,
	"find stars":     `local s, p = ("a"):rep(30), ("a*"):rep(20) .. "b" | s:find(p)`,
	"find opt":       `local s, p = ("a"):rep(100), ("a?"):rep(100) .. ("a"):rep(100) | s:find(p)`,
	"find backref":   `local s = ("a"):rep(8192) | s:find("(a*)%1b")`,
	"find .-x":       `local s = ("a"):rep(8192) | s:find(".-x")`,
	"match caps":     `local s = "a1b2c3d4e5" | s:match("(%a)(%d)(%a)(%d)(%a)(%d)(%a)(%d)")`,
	"match many":     `local i = 0 | i = i + 1 ("x"):match("x" .. i)`,
	"sort fn": `local t = {} for i = 1, 200 do t[i] = (i * 7919) % 200 end | local u = {table.unpack(t)} table.sort(u, function(a, b) return` +
		` a < b end)`,
	"pairs str":     `local t, s = {}, ("a"):rep(1000) for i = 1, 200 do t[s .. i] = i end | pairs(t)`,
	"pairs long":    `local t, s = {}, ("a"):rep(8100) for i = 1, 40 do t[s .. i] = i end | pairs(t)`,
	"hashgrow":      `| local t = {} for i = 1, 65 do t["k" .. i] = i end`,
	"concat":        `local s = ("a"):rep(4000) | local x = s .. s`,
	"concat small":  `local a, b = "a", "b" | local x = a .. b .. a .. b`,
	"concat float":  `| local x = 1e300 / 3 .. ""`,
	"find plain":    `local s = ("a"):rep(8192) | s:find("b", 1, true)`,
	"badtable":      `| pcall(function() local x = nil; return x.y end)`,
	"bcast":         `| game.broadcast("hello")`,
	"printS":        `local s = ("a"):rep(8192) | print(s)`,
	"score":         `local p = player(0) | p.score = 1`,
	"pairs":         `local t = {} for i = 1, 500 do t[i] = i end | for k, v in pairs(t) do end`,
	"emote":         `local p = player(0) | p:emote("happy", 10)`,
	"damage":        `local p = player(0) | p:damage(1)`,
	"cmp":           `local s, t = ("a"):rep(8191) .. "b", ("a"):rep(8191) .. "c" | local x = s < t`,
	"key":           `local s, t = ("a"):rep(8192), {} for i = 1, 20 do t[i .. "x"] = 1 end | local x = t[s]`,
	"key set":       `local s, t = ("a"):rep(8192), {} for i = 1, 20 do t[i .. "x"] = 1 end | t[s] = 1`,
	"gsub empty":    `local s = ("a"):rep(4096) | s:gsub("", "x")`,
	"fmod":          `| math.fmod(1e308, 3.1)`,
	"rep sep":       `| ("a"):rep(4096, "b")`,
	"rep":           `| ("ab"):rep(4096)`,
	"gsub":          `local s = ("a"):rep(8192) | s:gsub("a", "b")`,
	"tile":          `local v = {x = 100, y = 100} | game.tile(v)`,
	"find bigclass": `local p = "[" .. ("b"):rep(8000) .. "]" | ("a"):find(p)`,
	"setflag":       `local p = player(0) | p:set_flag("solo", true)`,
	"tonumber":      `local s = ("1"):rep(8192) | tonumber(s)`,
	"format f":      `| string.format("%.99f", 1e308)`,
	"format e":      `| string.format("%.99e", 1e308)`,
	"format g":      `| string.format("%.99g", 5e-324)`,
	"format s":      `local s = ("a"):rep(8000) | string.format("%s", s)`,
	"gmatch anchor": `local s = ("a"):rep(8192) | for w in s:gmatch("^b") do end`,
	"find_tiles":    `| game.find_tiles(1)`,
	"find_tiles0":   `| game.find_tiles(0)`,
	"motd":          `local p = player(0) | p:motd("hello")`,
	"explode":       `| game.explode({x = 100, y = 100})`,
	"laser":         `local p = player(0) | game.spawn_laser(p, {x = 100, y = 100}, {x = 1, y = 0})`,
	"endm":          `| game.end_match()`,
	"log":           `| math.log(1.5)`,
	"pickup":        `| game.spawn_pickup("health", {x = 100, y = 100})`,
	"string.byte":   `local s = ("a"):rep(240) | s:byte(1, 240)`,
	"sub":           `local s = ("a"):rep(8192) | s:sub(2)`,
	"tostring S":    `local s = ("a"):rep(8192) | tostring(s)`,
	"sort":          `local t = {} for i = 1, 60 do t[i] = (i * 7919) % 60 end | table.sort({table.unpack(t)})`,
	"next":          `local t = {} for i = 1, 500 do t[i] = i end | next(t, 1)`,
	"near":          `local v = {x = 100, y = 100} | game.players_near(v, 1000)`,
	"rep0sep":       `| (""):rep(100000, "")`,
	"rep0":          `| (""):rep(100000)`,
	"mod":           `| local x = 1e308 % 3.1`,
	"mod int":       `| local x = 12345 % 7`,
	"pos":           `local p = player(0) | local x = p.pos`,
	"sayS":          `local s = ("a"):rep(1000) | game.say(s)`,
	"varargs":       `local t = {} for i = 1, 240 do t[i] = i end local function f(...) return ... end | f(table.unpack(t))`,
	"state":         `state.x = 1 | state.x = 2`,
	"rep empties":   `| (""):rep(8000, "a")`,
	"remove front":  `local t = {} for i = 1, 2000 do t[i] = i end | table.remove(t, 1)`,
	"chkwin":        `| game.check_win()`,
	"state tab":     `| state.t = {x = 1}`,
	"goto":          `| goto a ::a::`,
	"find .-":       `local s = ("a"):rep(8192) | s:find(".-.-.-b")`,
	"tostring f":    `| tostring(1e300 / 3)`,
	"proj":          `| game.spawn_projectile{weapon = "grenade", pos = {x = 100, y = 100}, dir = {x = 1, y = 0}}`,
	"respawn":       `local p = player(0) | p:respawn()`,
	"reverse":       `local s = ("a"):rep(8192) | s:reverse()`,
	"len":           `local s = ("a"):rep(8192) | local x = #s`,
	"random":        `| math.random(10)`,
	"match":         `local s = ("a"):rep(8192) | s:match("a*a*a*b")`,
	"gsub fn":       `local s = ("a"):rep(8192) | s:gsub("a", function(x) return "b" end)`,
	"tconcat big":   `local t = {} for i = 1, 200 do t[i] = ("x"):rep(8000) end | pcall(table.concat, t)`,
	"pack":          `local t = {} for i = 1, 240 do t[i] = i end | table.pack(table.unpack(t))`,
	"raycast":       `| game.raycast({x = 40, y = 40}, {x = 600, y = 40}, {tees = true})`,
	"arith str":     `| pcall(function() return "1" + 1 end)`,
	"pcall":         `local function f() end | pcall(f)`,
	"pcall err":     `| pcall(error, "x")`,
	"error table":   `| pcall(error, {})`,
	"format q":      `local s = ("\1"):rep(1000) | string.format("%q", s)`,
	"tconcat nums":  `local t = {} for i = 1, 200 do t[i] = i / 3 end | table.concat(t, ",")`,
	"bal":           `local s = ("("):rep(8192) | s:find("%b()")`,
	"sort T": `local m = {__lt = function(a, b) return a.v < b.v end} local t = {} for i = 1, 60 do t[i] = setmetatable({v = (i * 7919) %` +
		` 60}, m) end | table.sort({table.unpack(t)})`,
	"sort bad":        `local t = {} for i = 1, 200 do t[i] = i end | local u = {table.unpack(t)} table.sort(u, function(a, b) return true end)`,
	"sort strings":    `local t, s = {}, ("a"):rep(8000) for i = 1, 30 do t[i] = s .. (i * 7919) % 30 end | local u = {table.unpack(t)} table.sort(u)`,
	"select n":        `local t = {} for i = 1, 240 do t[i] = i end | select("#", table.unpack(t))`,
	"setmetatable":    `local m = {} for i = 1, 2000 do m[i] = i end | setmetatable({}, m)`,
	"metatable new":   `| setmetatable({}, {__index = function() end, __newindex = function() end})`,
	"index chain":     `local t = {} for i = 1, 90 do t = setmetatable({}, {__index = t}) end | local x = t.y`,
	"recursion":       `local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end | f(200)`,
	"tostring meta":   `local t = setmetatable({}, {__tostring = function() return "x" end}) | tostring(t)`,
	"layers":          `| game.layers({x = 100, y = 100})`,
	"color":           `local p = player(0) | p:set_color(255)`,
	"after":           `| pcall(after, 1, "f")`,
	"type":            `| type(1)`,
	"select":          `| select(2, 1, 2, 3)`,
	"rawset":          `local t = {} | rawset(t, "x", 1)`,
	"min max":         `| math.max(1, 2, 3, 4, 5, 6, 7, 8)`,
	"method":          `local s = "abc" | s:len()`,
	"flag":            `| game.flag("red")`,
	"aim":             `local p = player(0) | local x = p.aim`,
	"give":            `local p = player(0) | p:give_weapon("gun")`,
	"float loop":      `| for i = 1, 100 do end`,
	"index":           `local t = {x = 1} | local x = t.x + t.x + t.x + t.x`,
	"call":            `local function f() end | f() f() f() f()`,
	"frozen":          `| local x = fixed.x`,
	"deep frozen":     `| local x = fixed.y.z`,
	"index recursion": `local m = {} local t = setmetatable({}, m) m.__index = function(t, k) return t[k] end | local x = t.y`,
	"add recursion":   `local m = {} local t = setmetatable({}, m) m.__add = function(a, b) return a + b end | local x = t + t`,
	"deep recursion":  `local function f(n) return 1 + f(n + 1) end | f(1)`,
	"pcall recursion": `local function f() return pcall(f) end | f()`,
	"sort recursion":  `local function f() table.sort({1, 2}, f) end | f()`,
	"gsub recursion":  `local function f() local x = ("a"):gsub("a", f) end | f()`,
	"tail calls":      `local function f() return f() end | f()`,
	"error recursion": `local function f() error("x") end | pcall(pcall, pcall, f)`,
	"long error":      `local s = ("x"):rep(8000) | pcall(error, s)`,
	"nested errors":   `local s = ("x"):rep(4000) | pcall(function() local t = nil; t[s] = 1 end)`,
	"concat table":    `local m = {__concat = function(a, b) return "x" end} local t = setmetatable({}, m) | local x = t .. t .. t`,
	"eq meta":         `local m = {__eq = function() return true end} local a, b = setmetatable({}, m), setmetatable({}, m) | local x = a == b`,
	"call chain":      `local t = setmetatable({}, {__call = function() end}) | t() pcall(t)`,
	"float key":       `local t = {} for i = 1, 100 do t[i] = i end | local x = t[50.0]`,
	"remove list":     `local t = {} for i = 1, 300 do t[i] = i end | while #t > 0 do table.remove(t) end for i = 1, 300 do t[i] = i end`,
	"rehash":          `local t = {} for i = 1, 1000 do t["k" .. i] = i end | for i = 1, 1000 do t["k" .. i] = nil end for i = 1, 1000 do t["j" .. i] = 1 end`,
	"grow list":       `local t = {} for i = 1, 4096 do t[i] = i end local i = 4096 | t[i * 2] = 1 t[i * 2] = nil i = i + 1`,
	"tonumber float":  `local s = "1e300" | local x = tonumber(s)`,
	"tonumber digits": `local s = "1.2345678901234567e298" | local x = tonumber(s)`,
	"float text":      `local i = 0 | i = i + 1 local x = tonumber((1e300 / i) .. "")`,
	"call vararg": `local t = {} for i = 1, 240 do t[i] = i end local function h() end local function g(...) h((...)) h((...)) h((...)) h((...))` +
		` end | g(table.unpack(t))`,
	"late add":      `local m = {} local t = setmetatable({}, m) m.__add = function() return 1 end | local x = t + t`,
	"late index":    `local m = {} local t = setmetatable({}, m) m.__index = function() end | local x = t.y`,
	"late eq":       `local m = {} local t, u = setmetatable({}, m), setmetatable({}, m) m.__eq = function() end | local x = t == u`,
	"late call":     `local m = {} local t = setmetatable({}, m) m.__call = function() end | t()`,
	"pairs emptied": `local t = {} for i = 1, 3000 do t[i * 7919] = i end for i = 1, 3000 do t[i * 7919] = nil end | pairs(t)`,
	"next emptied":  `local t = {} for i = 1, 3000 do t[i * 7919] = i end for i = 1, 3000 do t[i * 7919] = nil end | next(t)`,
	"meta emptied":  `local t = {} for i = 1, 3000 do t[i * 7919] = i end for i = 1, 3000 do t[i * 7919] = nil end | setmetatable({}, t)`,
	"pairs last":    `local t = {} for i = 1, 4097 do t[i] = i end for i = 1, 4096 do t[i] = nil end | pairs(t)`,
	"list end":      `local t, w = {} for i = 1, 4097 do t[i] = i end | t[8192] = 1 t[8192] = w`,
	"write frozen":  `| pcall(function() fixed.x = 2 end)`,
}

// timeAtLimit runs an operation until its script is switched off. It returns the time of the tick,
// the shortest of three, and the number of operations in it.
func timeAtLimit(t *testing.T, op string) (took time.Duration, n int64, why string) {
	once, loop, _ := strings.Cut(op, "|")
	for range 3 {
		w := newWorld(t, "fixed = {x = 1, y = {z = 1}} function f() end state.n = 0 function on_tick() if game.tick() == 5 then "+once+" while true "+
			"do\n "+loop+" state.n = state.n + 1 end end end")
		w.join(4)
		for w.Tick() < 4 {
			w.run(1)
		}
		runtime.LockOSThread()
		start := threadTime()
		w.World.Step(nil)
		d := threadTime() - start
		runtime.UnlockOSThread()
		if took == 0 || d < took {
			took = d
		}
		n = w.mod.vm.state.Get(nKey).AsInt()
		why = w.mod.off
		if why == "" && len(w.logs) > 0 {
			why = "error: " + w.logs[len(w.logs)-1]
		}
	}
	return took, n, why
}

// TestTimeAtLimit measures the time that each operation takes until the limits end it.
func TestTimeAtLimit(t *testing.T) {
	if os.Getenv("TEEYARD_FULL") == "" {
		t.Log("set TEEYARD_FULL=1 to measure what operations take at the limit of steps")
		return
	}
	names := make([]string, 0, len(limitOps))
	for name := range limitOps {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		took, n, why := timeAtLimit(t, limitOps[name])
		mark := ""
		if took > 5*time.Millisecond {
			mark = " <<< OVER"
		}
		fmt.Printf("%-16s %8d/tick %12v%s  %s\n", name, n, took.Round(time.Microsecond), mark, why)
	}
}

var nKey = rt.StringValue("n")

// threadTime returns the processor time of this thread, which other programs do not affect.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// maxAllocated is the most memory that the game may allocate for a script at its limits in a tick.
// The limit of scripts counts their data, but not the memory that the virtual machine needs itself.
const maxAllocated = 48 << 20

// FuzzCosts repeats arbitrary code until the limits end it. It must not take memory or time that
// the limits do not count.
func FuzzCosts(f *testing.F) {
	testenv.OneGoroutine(f)
	testenv.Long(f)
	for _, op := range limitOps {
		once, loop, _ := strings.Cut(op, "|")
		f.Add(once, loop)
	}
	f.Fuzz(func(t *testing.T, once, loop string) {
		source := "fixed = {x = 1, y = {z = 1}} function f() end state.n = 0 function on_tick() if game.tick() == 5 then " + once + "\n while true do " +
			"" + loop + "\n state.n = state.n + 1 end end end"
		if _, err := New(Config{Name: "mods/test.lua", Source: source}); err != nil {
			return
		}
		w := newWorld(t, source)
		w.join(4)
		for w.Tick() < 4 {
			w.run(1)
		}
		var before, after runtime.MemStats
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		runtime.ReadMemStats(&before)
		start := threadTime()
		w.World.Step(nil)
		took := threadTime() - start
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > maxAllocated {
			t.Errorf("%d bytes allocated (%q)", n, w.mod.off)
		}
		if os.Getenv("TEEYARD_FULL") != "" && took > 50*time.Millisecond {
			t.Errorf("%v (%q)", took, w.mod.off)
		}
	})
}
