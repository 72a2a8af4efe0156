package script

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDocs compares docs/mod/lua.md with what scripts have, and reads its examples.
func TestDocs(t *testing.T) {
	doc := string(testenv.Must(os.ReadFile("../docs/mod/lua.md")))
	first := ""
	for i, block := range regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		if first == "" {
			first = block[1]
		}
		if strings.HasPrefix(block[1], "function test_") {
			runDocTest(t, first, block[1])
			continue
		}
		cfg := Config{Name: "doc", Source: block[1]}
		_, err := New(cfg)
		if errors.Is(err, errIsMode) {
			_, err = NewMode(cfg)
		}
		if err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
	missing := func(what string, names []string) {
		for _, name := range names {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(doc) {
				t.Errorf("%s %s is not described", what, name)
			}
		}
	}
	missing("hook", hookNames[:])
	missing("member of players", slices.Collect(maps.Keys(playerKind.members)))
	missing("function of game", slices.Collect(maps.Keys(gameFunctions)))
	missing("function of store", slices.Collect(maps.Keys(storeFunctions)))
	missing("function of test", slices.Collect(maps.Keys(testFunctions)))
	for _, m := range regexp.MustCompile(`\btest\.([a-z_]+)[({]`).FindAllStringSubmatch(doc, -1) {
		if _, ok := testFunctions[m[1]]; !ok {
			t.Errorf("test.%s does not exist", m[1])
		}
	}
	missing("flag", flagNames.list)
	missing("weapon", weaponNames.list)
	for _, m := range regexp.MustCompile(`\bgame\.([a-z_]+)`).FindAllStringSubmatch(doc, -1) {
		if _, ok := gameFunctions[m[1]]; !ok && m[1] != "ticks_per_second" && m[1] != "sya" {
			t.Errorf("game.%s does not exist", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\bp:([a-z_]+)`).FindAllStringSubmatch(doc, -1) {
		if playerKind.members[m[1]].method == nil {
			t.Errorf("p:%s does not exist", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`(on_[a-z_]+)").FindAllStringSubmatch(doc, -1) {
		if !slices.Contains(hookNames[:], strings.TrimSpace(m[1])) && m[1] != "on_" {
			t.Errorf("the hook %s does not exist", m[1])
		}
	}
}

// runDocTest runs the test of the mod double, and again with a number that the text says is wrong.
func runDocTest(t *testing.T, mod, source string) {
	for want, source := range map[string]string{"": source, "mods/double_test.lua:5: health of bob: got 4, want 7": strings.Replace(source, "health, 4", "health, 7", 1)} {
		tests := testenv.Must(NewTests(TestConfig{
			Name: "mods/double_test.lua", Source: source,
			Script: func(name string) (string, string, error) { return "mods/" + name + ".lua", mod, nil },
		}))
		res := tests.Run(tests.Names()[0])
		testenv.Check(t, strings.Join(res.Failures, "\n") == want, "%q, want %q", res.Failures, want)
	}
}
