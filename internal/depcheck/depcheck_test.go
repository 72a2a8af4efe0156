package depcheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModule applies the rules to the whole module.
func TestModule(t *testing.T) {
	pkgs, undocumented, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(pkgs, func(p Package) bool { return p.Path == Module+"/internal/depcheck" }) {
		t.Fatalf("%d packages, this one is not among them", len(pkgs))
	}
	for _, p := range pkgs {
		for _, f := range Check(p) {
			t.Errorf("%s %s", p.Path, f)
		}
		for _, name := range undocumented[p.Path] {
			t.Errorf("%s: %s has no doc comment", p.Path, name)
		}
	}
}

// TestCheck checks each kind of rule with a package that keeps it or breaks it.
func TestCheck(t *testing.T) {
	own := func(s string) string { return Module + "/" + s }
	for _, c := range []struct {
		p    Package
		want string // part of the only fault, "" if none
	}{
		{Package{Path: own("protocol/conn"), Imports: []string{own("protocol/packet"), "time", "crypto/rand"}, Uses: []string{"time.Duration"}}, ""},
		{Package{Path: own("protocol/conn"), Imports: []string{own("transport")}}, "may not"},
		{Package{Path: own("protocol/conn"), Imports: []string{own("game")}}, "may not"},
		{Package{Path: own("protocol/conn"), Imports: []string{"golang.org/x/text/unicode"}}, "standard library only"},
		{Package{Path: own("protocol/conn"), Uses: []string{"time.Now"}}, "time.Now"},
		{Package{Path: own("protocol/conn"), Goroutines: true}, "goroutines"},
		{Package{Path: own("protocol/message/gen"), Command: true, Imports: []string{"os", "log"}}, ""},
		{Package{Path: own("game")}, ""},
		{Package{Path: own("game/mode/dm"), Imports: []string{own("game"), "math", "slices"}, Uses: []string{"math.Sqrt"}}, ""},
		{Package{Path: own("game"), Imports: []string{own("protocol/packer")}}, "may not"},
		{Package{Path: own("game"), Imports: []string{own("bridge/bridge7")}}, "may not"},
		{Package{Path: own("game/vec"), Uses: []string{"math.Sin"}}, "math.Sin"},
		{Package{Path: own("game"), Imports: []string{"math/rand/v2"}}, "pure"},
		{Package{Path: own("game"), Imports: []string{"sync/atomic"}}, "pure"},
		{Package{Path: own("game"), Imports: []string{"time"}}, "pure"},
		{Package{Path: own("gamepad")}, "no room"},
		{Package{Path: own("script"), Imports: []string{own("game"), "github.com/arnodel/golua/runtime"}}, ""},
		{Package{Path: own("script"), Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("mods/zcatch"), Imports: []string{own("game/mode"), own("mods/instagib")}}, ""},
		{Package{Path: own("mods/zcatch"), Imports: []string{own("bridge")}}, "may not"},
		{Package{Path: own("mods/zcatch"), Imports: []string{"time"}}, "pure"},
		{Package{Path: own("server"), Imports: []string{own("mods/zcatch")}}, "may not"},
		{Package{Path: own("script"), Uses: []string{"math.Pow"}}, "math.Pow"},
		{Package{Path: own("server"), Imports: []string{"github.com/arnodel/golua/runtime"}}, "runs Lua"},
		{Package{Path: own("bridge/bridge7"), Imports: []string{own("game/vec"), own("protocol/snapshot")}}, ""},
		{Package{Path: own("bridge/bridge7"), Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("query"), Imports: []string{own("game")}}, "may not"},
		{Package{Path: own("query"), Imports: []string{"net/netip", own("protocol/packet"), own("transport/udp")}}, ""},
		{Package{Path: own("query"), Imports: []string{"net"}}, "sockets"},
		{Package{Path: own("transport/udp"), Imports: []string{"net", "golang.org/x/net/ipv4", own("transport")}}, ""},
		{Package{Path: own("server"), Imports: []string{own("protocol/conn"), own("game"), own("bridge/bridge7"), "log/slog"}}, ""},
		{Package{Path: own("server"), Imports: []string{own("client")}}, "may not"},
		{Package{Path: own("server"), Imports: []string{"net"}}, "sockets"},
		{Package{Path: own("server"), Imports: []string{own("transport"), own("transport/udp")}}, ""},
		{Package{Path: own("server"), Imports: []string{own("transport/ws")}}, "app hands it over"},
		{Package{Path: own("client"), Imports: []string{own("transport/ws")}}, "app hands it over"},
		{Package{Path: own("web"), Imports: []string{own("transport/ws")}}, "app hands it over"},
		{Package{Path: own("app"), Imports: []string{own("transport/ws")}}, ""},
		{Package{Path: own("query/master"), Imports: []string{"net"}}, ""},
		{Package{Path: own("server/internal/econ"), Imports: []string{"net", own("internal/limit")}}, ""},
		{Package{Path: own("server/internal/econ"), Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("client"), Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("format/twmap"), Imports: []string{"log"}}, "do not log"},
		{Package{Path: own("internal/netsim"), Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("internal/peers"), Imports: []string{own("server"), "net"}}, ""},
		{Package{Path: own("app"), Imports: []string{own("server"), own("client"), "net", "log/slog"}}, ""},
		{Package{Path: own("cmd/teeyard"), Command: true, Imports: []string{own("app")}}, ""},
		{Package{Path: own("cmd/teeyard"), Command: true, Imports: []string{own("server")}}, "may not"},
		{Package{Path: own("halflife"), Imports: []string{"testing"}}, "for tests"},
	} {
		faults := Check(c.p)
		if c.want == "" && len(faults) > 0 || c.want != "" && !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%+v: %q, want %q", c.p, faults, c.want)
		}
	}
}

// TestLoad reads a small module.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test\n\ngo 1.26\n",
		"a/a.go": "// Package a has a comment.\npackage a\n\nimport m \"math\"\n\n" +
			"// One has one.\nfunc One() float64 { go One(); return m.Sin(1) }\n\nfunc Two() {}\n\n" +
			"type hidden struct{}\n\nfunc (hidden) Three() {}\n\ntype Four[T any] struct{}\n\nfunc (f *Four[T]) Five() {}\n\n" +
			"// A group.\nconst (\n\tSix = 6\n)\n\nvar (\n\tSeven = 7 // has one\n\tEight = 8\n\n" +
			"\t// Ten and the next.\n\tTen = 10\n\tEleven = 11\n\n\tTwelve = 12\n)\n\n// A group of types.\ntype (\n\tNine int\n)\n" +
			"\n// Pair has two.\ntype Pair interface {\n\t// First has one.\n\tFirst()\n\tSecond()\n}\n\n// Alone has one.\ntype Alone interface{ Do() }\n",
		"a/a_windows.go": "package a\n\nimport \"syscall\"\n\nvar _ = syscall.Errno(0)\n",
		"a/a_plan9.go":   "package a\n\nimport \"os\"\n\nvar _ = os.Args\n",
		"a/a_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		"b/b.go":         "package main\n\nfunc main() {}\n\nfunc Run() {}\n",
		"c/c_test.go":    "package c\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, undocumented, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 2 || pkgs[0].Path != "example.test/a" || pkgs[1].Path != "example.test/b" || !pkgs[1].Command {
		t.Fatalf("packages: %+v", pkgs)
	}
	a := pkgs[0]
	slices.Sort(a.Imports)
	if !slices.Equal(a.Imports, []string{"math", "os", "syscall"}) || !slices.Contains(a.Uses, "math.Sin") || !a.Goroutines {
		t.Errorf("a: %+v", a)
	}
	var names []string
	for _, n := range undocumented["example.test/a"] {
		name, _, _ := strings.Cut(n, " ")
		names = append(names, name)
	}
	if want := []string{"Two", "Four", "Five", "Eight", "Twelve", "Nine", "Second"}; !slices.Equal(names, want) {
		t.Errorf("without comment: %v, want %v", names, want)
	}
	if b := undocumented["example.test/b"]; !slices.Equal(b, []string{"the package"}) {
		t.Errorf("b without comment: %v", b)
	}
}
