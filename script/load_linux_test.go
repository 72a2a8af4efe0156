//go:build linux

package script

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fill repeats a text until the script has its largest size.
func fill(before, each, after string) string {
	return before + strings.Repeat(each, (MaxSource-len(before)-len(after))/len(each)) + after
}

// largeSources are scripts of the largest size in forms that may take long to load.
var largeSources = map[string]string{
	"comments":    fill("", "-- a comment of some length that says nothing\n", ""),
	"assignments": fill("", "a = 1\n", ""),
	"locals":      fill("do ", "local a ", "end"),
	"upvalues":    fill(strings.Repeat("local a ", 180)+"function f() ", "b=a ", "end"),
	"blocks":      fill("", "do local a end\n", ""),
	"functions":   fill("", "function f() end\n", ""),
	"closures":    fill("local a ", "local function f() return a end\n", ""),
	"table":       fill("t = {", "1,", "}"),
	"fields":      fill("t = {", "a=1,", "}"),
	"strings":     fill("t = {", "'abcdef',", "}"),
	"sums":        fill("a = 1", "+1", ""),
	"calls":       fill("", "type(1)\n", ""),
	"concats":     fill("a = ''", "..''", ""),
	"powers":      fill("a = 1", "^1", ""),
	"ands":        fill("a = 1", " and 1", ""),
	"elseifs":     fill("if nil then ", "elseif nil then ", "end"),
	"gotos":       fill("do ", "goto b ::a:: ", " ::b:: end"),
	"labels":      fill("", "do goto a ::a:: end ", ""),
	"parens":      strings.Repeat("a = "+strings.Repeat("(", 140)+"1"+strings.Repeat(")", 140)+"\n", MaxSource/290),
	"nested":      strings.Repeat("function f() ", 140) + fill("", "a = 1 ", "")[:MaxSource-140*17] + strings.Repeat(" end", 140),
	"long names":  fill("", strings.Repeat("a", 8000)+" = 1\n", ""),
	"minus":       fill("a = ", "- 1 - ", "1"),
	"indexes":     fill("a = {} b = a", ".a", ""),
	"methods":     fill("a = ('')", ":len()", ""),
	"varargs":     fill("function f(...) return ", "..., ", "1 end"),
	"run":         "for i = 1, 1e9 do end",
	"runtables":   "t = {} for i = 1, 1e9 do t[i] = {} end",
	"runmeta":     "t = setmetatable({}, {__index = function(t, k) return k end}) for i = 1, 1e9 do local x = t[i] end",
}

// TestTimeToRead measures how long the largest scripts take to load, which happens inside a tick
// after a change of the file.
func TestTimeToRead(t *testing.T) {
	if os.Getenv("TEEYARD_FULL") == "" {
		t.Log("set TEEYARD_FULL=1 to measure how long scripts take to be read")
		return
	}
	names := []string{}
	for name := range largeSources {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		runtime.LockOSThread()
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		begin := threadTime()
		_, err := New(Config{Name: "mods/test.lua", Source: largeSources[name]})
		took := threadTime() - begin
		runtime.ReadMemStats(&m1)
		runtime.UnlockOSThread()
		fmt.Printf("%-12s %8d bytes %10v %6d KB  %.80v\n", name, len(largeSources[name]), took, (m1.TotalAlloc-m0.TotalAlloc)>>10, err)
	}
}
