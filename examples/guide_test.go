package examples

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
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

// modPages returns the pages for modders in docs/mod, by name without .md.
func modPages() map[string]string {
	pages := map[string]string{}
	for _, path := range testenv.Must(filepath.Glob("../docs/mod/*.md")) {
		pages[strings.TrimSuffix(filepath.Base(path), ".md")] = string(testenv.Must(os.ReadFile(path)))
	}
	return pages
}

// codeBlock matches a code block on a page, with the comment before it that names its file, if any.
var codeBlock = regexp.MustCompile("(?m)(?:^<!-- (\\S+) -->\n)?^```(go|lua)\n((?s:.*?))^```$")

// TestModPages runs all code on the pages for modders. A code block with a file name must be in
// that file, which has its own test. TestModPages plays all other Lua scripts, runs Lua tests with
// the script before them on the page, and adds other Go code to the mod that teeyard mod new
// writes.
func TestModPages(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	files, scripts, tests, goBlocks := 0, 0, 0, 0
	for page, text := range modPages() {
		var last string // last script on the page
		var goCode []string
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			file, language, code := m[1], m[2], m[3]
			isTest := strings.HasPrefix(code, "function test_")
			switch {
			case file != "":
				files++
				source := string(testenv.Must(os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))))
				if strings.HasPrefix(file, "app/newmod/") {
					source = newModFile(file)
				}
				if !strings.Contains(source, strings.TrimSpace(code)) {
					t.Errorf("%s: the code of %s is not in the file:\n%s", page, file, code)
				}
				if language == "lua" && !strings.HasSuffix(file, "_test.lua") {
					last = source
					playScript(t, file, source)
				}
			case language == "go":
				goBlocks++
				goCode = append(goCode, code)
			case isTest:
				tests++
				runScriptTests(t, page, last, code)
			default:
				scripts++
				last = code
				playScript(t, page+".lua", code)
			}
		}
		if len(goCode) > 0 {
			testGoCode(t, page, goCode)
		}
	}
	if files < 12 || scripts < 10 || tests < 2 || goBlocks < 2 {
		t.Errorf("%d blocks from files, %d scripts, %d tests in Lua, %d other blocks in Go", files, scripts, tests, goBlocks)
	}
}

// newModFile returns a file of a new mod with the name hearts.
func newModFile(file string) string {
	return strings.ReplaceAll(string(testenv.Must(os.ReadFile(filepath.Join("..", file)))), "NAME", "hearts")
}

// playScript plays a match with a script, which must replay and log no errors.
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

// runScriptTests runs the Lua tests of a script.
func runScriptTests(t *testing.T, page, mod, source string) {
	t.Helper()
	tests, err := script.NewTests(script.TestConfig{
		Name: "mods/" + page + "_test.lua", Source: source,
		Script: func(name string) (string, string, error) { return "mods/" + name + ".lua", mod, nil },
	})
	if err != nil {
		t.Errorf("%s: %v", page, err)
		return
	}
	for _, name := range tests.Names() {
		if res := tests.Run(name); len(res.Failures) > 0 {
			t.Errorf("%s: %s: %q\n%s", page, name, res.Failures, source)
		}
	}
}

// goPackages are the packages that Go code on the pages uses, by name.
var goPackages = map[string]string{
	"fmt": "fmt", "testing": "testing",
	"game":       "github.com/teeyard/teeyard/game",
	"vec":        "github.com/teeyard/teeyard/game/vec",
	"modtest":    "github.com/teeyard/teeyard/game/modtest",
	"ddrace":     "github.com/teeyard/teeyard/mods/ddrace",
	"server":     "github.com/teeyard/teeyard/server",
	"servertest": "github.com/teeyard/teeyard/server/servertest",
}

// testGoCode adds code to the Go mod that teeyard mod new writes, and runs its tests. One of them
// plays and replays a match with all hooks of the type mod. Outside of CI it only compiles the
// code.
func testGoCode(t *testing.T, page string, blocks []string) {
	t.Helper()
	if testing.Short() {
		return
	}
	dir := t.TempDir()
	files := map[string]string{"main.go": newModFile("app/newmod/main.go.txt"), "main_test.go": newModFile("app/newmod/main_test.go.txt")}
	code := strings.Join(blocks, "\n")
	var imports strings.Builder
	for _, name := range slices.Sorted(maps.Keys(goPackages)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			fmt.Fprintf(&imports, "import %q\n", goPackages[name])
		}
	}
	files["page_test.go"] = "package main\n\n" + imports.String() + "\n" + code
	args := testenv.Amount([]string{"vet"}, []string{"test", "-count=1"})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		testenv.NoError(t, os.WriteFile(path, []byte(files[name]), 0o600))
		args = append(args, path)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s\n%s", page, err, out, code)
	}
}

// TestGoReferenceIsComplete checks that the tables of go.md have every hook, and every type with
// methods that Tx returns.
func TestGoReferenceIsComplete(t *testing.T) {
	text := modPages()["go"]
	for _, h := range game.Hooks() {
		called := []string{game.ModeFirst: "mode first", game.ModsFirst: "mods first", game.OnlyFirst: "one"}[h.Order]
		row := regexp.MustCompile("(?m)^\\| `" + h.Method + `\(.*\| ` + called + ` \|$`)
		if !row.MatchString(text) {
			t.Errorf("the table of hooks lacks %s (%s)", h.Signature, called)
		}
	}
	_, listed, _ := strings.Cut(text, "## The types of the API")
	tx := reflect.TypeFor[*game.Tx]()
	for i := range tx.NumMethod() {
		m := tx.Method(i)
		if m.Type.NumOut() == 0 {
			continue
		}
		typ := m.Type.Out(0)
		isValue := typ.Kind() == reflect.Struct && typ.NumMethod() > 0 && strings.HasSuffix(typ.PkgPath(), "/game")
		if isValue && typ != reflect.TypeFor[game.Storage]() && !strings.Contains(listed, "`ctx."+m.Name+"(") && !strings.Contains(listed, typ.String()) {
			t.Errorf("the table of types lacks %v, which ctx.%s returns", typ, m.Name)
		}
	}
	for _, m := range regexp.MustCompile(`\b(p|ctx)\.([A-Z]\w*)\(`).FindAllStringSubmatch(listed, -1) {
		typ := map[string]reflect.Type{"p": reflect.TypeFor[game.Player](), "ctx": tx}[m[1]]
		_, ok := typ.MethodByName(m[2])
		if _, ofPlayer := reflect.TypeFor[game.Player]().MethodByName(m[2]); !ok && !ofPlayer {
			t.Errorf("there is no method %s.%s", m[1], m[2])
		}
	}
}
