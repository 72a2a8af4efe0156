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

// TestDocs compares the Lua reference, docs/mod/lua.md, and docs/mod/testing.md with the names that
// scripts have, and reads the examples of the reference.
func TestDocs(t *testing.T) {
	doc := string(testenv.Must(os.ReadFile("../docs/mod/lua.md")))
	testDoc := string(testenv.Must(os.ReadFile("../docs/mod/testing.md")))
	for i, block := range luaBlocks(doc) {
		cfg := Config{Name: "doc", Source: block}
		_, err := New(cfg)
		if errors.Is(err, errIsMode) {
			_, err = NewMode(cfg)
		}
		if err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
	blocks := luaBlocks(testDoc)
	testenv.Require(t, len(blocks) == 2, "%d scripts in testing.md, want a mod and its test", len(blocks))
	runDocTest(t, blocks[0], blocks[1])
	missing := func(doc, what string, names []string) {
		for _, name := range names {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(doc) {
				t.Errorf("%s %s is not described", what, name)
			}
		}
	}
	missing(doc, "hook", hookNames[:])
	missing(doc, "member of players", slices.Collect(maps.Keys(playerKind.members)))
	missing(doc, "function of game", slices.Collect(maps.Keys(gameFunctions)))
	missing(doc, "function of store", slices.Collect(maps.Keys(storeFunctions)))
	missing(testDoc, "function of test", slices.Collect(maps.Keys(testFunctions)))
	for _, m := range regexp.MustCompile(`\btest\.([a-z_]+)[({]`).FindAllStringSubmatch(testDoc, -1) {
		if _, ok := testFunctions[m[1]]; !ok {
			t.Errorf("test.%s does not exist", m[1])
		}
	}
	missing(doc, "flag", flagNames.list)
	missing(doc, "weapon", weaponNames.list)
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

// luaBlocks returns the code in Lua on a page.
func luaBlocks(doc string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// runDocTest runs the test of the mod double as the page has it, and with the change that the page
// says fails.
func runDocTest(t *testing.T, mod, source string) {
	for want, source := range map[string]string{"": source, "mods/double_test.lua:5: health of bob: got 4, want 7": strings.Replace(source, "health, "+
		"4", "health, 7", 1)} {
		tests := testenv.Must(NewTests(TestConfig{
			Name: "mods/double_test.lua", Source: source,
			Script: func(name string) (string, string, error) { return "mods/" + name + ".lua", mod, nil },
		}))
		res := tests.Run(tests.Names()[0])
		testenv.Check(t, strings.Join(res.Failures, "\n") == want, "%q, want %q", res.Failures, want)
	}
}
