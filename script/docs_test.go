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

// TestDocs compares docs/modding-lua.md with what scripts have, and reads its examples.
func TestDocs(t *testing.T) {
	doc := string(testenv.Must(os.ReadFile("../docs/modding-lua.md")))
	for i, block := range regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(doc, -1) {
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
	missing("flag", flagNames.list)
	missing("weapon", weaponNames.list)
	for _, m := range regexp.MustCompile(`\bgame\.([a-z_]+)`).FindAllStringSubmatch(doc, -1) {
		if _, ok := gameFunctions[m[1]]; !ok && m[1] != "ticks_per_second" {
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
