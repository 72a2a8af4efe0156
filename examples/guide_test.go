package examples

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// guide is docs/mod/guide.md.
func guide() string { return string(testenv.Must(os.ReadFile("../docs/mod/guide.md"))) }

// codeBlock matches code in the guide, after a comment with the file that it is from, if any.
var codeBlock = regexp.MustCompile("(?m)(?:^<!-- (\\S+) -->\n)?^```(go|lua)\n((?s:.*?))^```$")

// TestGuideCode compares code in the guide with the files that it is from, which have tests of
// their own, and plays all other code, which is in Lua.
func TestGuideCode(t *testing.T) {
	files, scripts := 0, 0
	for _, m := range codeBlock.FindAllStringSubmatch(guide(), -1) {
		file, language, code := m[1], m[2], m[3]
		switch {
		case file != "":
			files++
			text := string(testenv.Must(os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))))
			if strings.HasPrefix(file, "app/newmod/") {
				text = strings.ReplaceAll(text, "NAME", "hearts")
			}
			if !strings.Contains(text, strings.TrimSpace(code)) {
				t.Errorf("the code of %s in the guide is not in the file:\n%s", file, code)
			}
			if language == "lua" {
				playScript(t, file, text)
			}
		case language == "lua":
			scripts++
			playScript(t, "guide.lua", code)
		default:
			t.Errorf("there is no file for this code:\n%s", code)
		}
	}
	if files < 8 || scripts < 4 {
		t.Errorf("%d blocks from files, %d scripts", files, scripts)
	}
}

// playScript plays a match with a script, which must replay and have no errors.
func playScript(t *testing.T, name, source string) {
	t.Helper()
	log := func(text string) { t.Errorf("%s\n%s", text, source) }
	if strings.Contains("\n"+source, "\nmode{") {
		modtest.Match{Players: 4, Ticks: 150, Mode: func() game.Mode {
			m, err := script.NewMode(script.Config{Name: name, Source: source, Log: log})
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			return m
		}}.VerifyReplay(t)
		return
	}
	modtest.Match{Players: 4, Ticks: 150, Mods: []func() game.Mod{func() game.Mod {
		m, err := script.New(script.Config{Name: name, Source: source, Log: log})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		return m
	}}}.VerifyReplay(t)
}

// TestGuideIsComplete looks for every hook and every method of Tx in the tables.
func TestGuideIsComplete(t *testing.T) {
	text := guide()
	for _, h := range game.Hooks() {
		called := []string{game.ModeFirst: "mode first", game.ModsFirst: "mods first", game.OnlyFirst: "one"}[h.Order]
		row := regexp.MustCompile("(?m)^\\| `" + h.Method + `\(.*\| ` + called + ` \|$`)
		if !row.MatchString(text) {
			t.Errorf("the table of hooks lacks %s (%s)", h.Signature, called)
		}
	}
	_, methods, _ := strings.Cut(text, "## All of game.Tx")
	methods, _, _ = strings.Cut(methods, "\n## ")
	tx := reflect.TypeFor[*game.Tx]()
	for i := range tx.NumMethod() {
		if name := tx.Method(i).Name; !strings.Contains(methods, "`"+name+"`") {
			t.Errorf("the table of methods lacks %s", name)
		}
	}
	for _, m := range regexp.MustCompile("`([A-Z]\\w*)`").FindAllStringSubmatch(methods, -1) {
		isHook := slices.ContainsFunc(game.Hooks(), func(h game.HookInfo) bool { return h.Method == m[1] })
		if _, ok := tx.MethodByName(m[1]); !ok && !isHook {
			t.Errorf("there is no method or hook %s", m[1])
		}
	}
}
