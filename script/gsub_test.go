package script

import (
	"strings"
	"testing"
)

// TestGsub checks gsub against the manual of Lua, in cases where implementations differ.
func TestGsub(t *testing.T) {
	cases := []struct{ lua, want string }{
		{`("x"):gsub("x", "")`, " 1"},
		{`("xab"):gsub("x", "")`, "ab 1"},
		{`("  ab  "):gsub("^%s+", "")`, "ab   1"},
		{`("  ab  "):gsub("%s+$", "")`, "  ab 1"},
		{`("aaa"):gsub("^a", "b")`, "baa 1"},
		{`("abc"):gsub("^b", "x")`, "abc 0"},
		{`("xyz"):gsub("%w", function() return "" end)`, " 3"},
		{`("xyz"):gsub("%w", {x = "", z = "end"})`, "yend 3"},
		{`("xyz"):gsub("%w", function(c) return c == "y" and "-" end)`, "x-z 3"},
		{`("abc"):gsub("", "-")`, "-a-b-c- 4"},
		{`("abc"):gsub("%w*", "x")`, "x 1"},
		{`("a b"):gsub("%w*", "x")`, "x x 2"},
		{`("hello world"):gsub("(%w+) (%w+)", "%2 %1 %0%%")`, "world hello hello world% 1"},
		{`("abc"):gsub("%w", "%1%1", 2)`, "aabbc 2"},
		{`("abc"):gsub("%w", "x", 0)`, "abc 0"},
		{`("abc"):gsub("%w", "x", -1)`, "abc 0"},
		{`("abc"):gsub("()b", "%1")`, "a2c 1"},
		{`("abc"):gsub("()b", function(at) return at + 1 end)`, "a3c 1"},
		{`("f(a(b)c)d"):gsub("%b()", "")`, "fd 1"},
		{`(12):gsub("1", 3)`, "error"}, // arithmetic on strings is an error here
		{`string.gsub(12, "1", 3)`, "32 1"},
		{`("THE (quick) fox"):gsub("%f[%a]%a+", string.lower)`, "the (quick) fox 3"},
		{`("abc"):gsub("b", "%2")`, "error"},
		{`("abc"):gsub("b", "%")`, "error"},
		{`("abc"):gsub("b", "%x")`, "error"},
		{`("abc"):gsub("(b", "")`, "error"},
		{`("abc"):gsub("b")`, "error"},
		{`("abc"):gsub("b", true)`, "error"},
		{`("abc"):gsub("b", function() return {} end)`, "error"},
		{`("abc"):gsub("b", error)`, "error"},
		{`("abc"):gsub("b", "", {})`, "error"},
		{`("x"):rep(8192):gsub("x", "%0%0%0")`, "error"},
	}
	var calls, want []string
	for _, c := range cases {
		calls = append(calls, "function() return "+c.lua+" end")
		want = append(want, c.want)
	}
	w := newWorld(t, `
function on_chat(m)
  for i, f in ipairs{`+strings.Join(calls, ",\n")+`} do
    local ok, s, n = pcall(f)
    game.say(ok and s .. " " .. n or "error")
  end
end`)
	w.join(1)
	got := strings.Split(w.say("go"), "|")
	if len(w.logs) > 0 || len(got) != len(want) {
		t.Fatalf("%q, %q", got, w.logs)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %q, want %q", cases[i].lua, got[i], want[i])
		}
	}
}
