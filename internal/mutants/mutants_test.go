package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestChange changes places that are inside each other or side by side.
func TestChange(t *testing.T) {
	code := "if a < b && f(3) { x = 5 }"
	at := func(text, before, after string, id int) *mutant {
		i := strings.Index(code, text)
		return &mutant{id: id, start: i, end: i + len(text), before: before, after: after}
	}
	got := change(code, []*mutant{
		at("a < b", "pick(%d, ", ", a %% b)", 1),
		at("a < b && f(3)", "(", ") && !on(%d)", 2),
		at("a < b && f(3)", "(", ") || on(%d)", 3),
		at("x = 5", "if !on(%d) { ", " }", 4),
		at("5", "(int(", ")+one(%d))", 5),
		at("f(3)", "((", ") || on(%d))", 6),
	})
	want := "if ((pick(1, a < b, a % b) && ((f(3)) || on(6))) || on(3)) && !on(2) { if !on(4) { x = (int(5)+one(5)) } }"
	if got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
}

// TestMutants tries all mutants of a small module. The test of one function notices all of them,
// the test of another one notices none, and no test reaches the third function.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test\n\ngo 1.26\n",
		"a/a.go": `package a

func Tested(x int, known bool) int {
	n := 0
	if x < 10 && known {
		n = 7
	}
	for i := range x {
		if i == 3 {
			break
		}
		n++
	}
	return n
}

func Called(x int) bool { return x > 3 }

func Alone(x int) int { return x + 1 }
`,
		"a/a_test.go": `package a

import "testing"

func TestTested(t *testing.T) {
	for _, c := range []struct{ x int; known bool; want int }{{0, true, 7}, {9, true, 10}, {10, true, 3}, {11, true, 3}, {2, false, 2}} {
		if n := Tested(c.x, c.known); n != c.want {
			t.Error(c, n)
		}
	}
}

func TestCalled(t *testing.T) { Called(3) }
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	pkgs, err := loadPackages([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	sample := pick(pkgs[0].mutants, 1, 1000)
	for i, m := range sample {
		m.id = i + 1
	}
	overlay, err := writeOverlay(t.TempDir(), pkgs, sample)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := buildTests(t.TempDir(), overlay, 1)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := findTests(programs, t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	tryAll(sample, tests, options{jobs: 1, perMutant: time.Minute}, time.Now().Add(time.Hour))
	want := map[string]outcome{"Tested": killed, "Called": survived, "Alone": unreached}
	kinds := map[string]bool{}
	for _, m := range sample {
		kinds[m.kind] = true
		if m.outcome != want[m.function] {
			t.Errorf("%v: %v, want %v", m, m.outcome, want[m.function])
		}
	}
	for _, kind := range []string{"never", "always", "without", "plus one", "< is <=", "== is !=", "> is >=", "+ is -", "not"} {
		if !kinds[kind] {
			t.Errorf("no mutant %q among %v", kind, sample)
		}
	}
	reasons := map[string]reason{}
	if report(sample, reasons, []string{"a"}) == nil {
		t.Error("survivors without a reason are no error")
	}
	for _, m := range sample {
		if m.outcome != killed {
			reasons[m.name()] = reason{same: true, text: "it is not called"}
		}
	}
	if err := report(sample, reasons, []string{"a"}); err != nil {
		t.Error(err)
	}
}

// TestPick checks that the sample stays the same when code is added.
func TestPick(t *testing.T) {
	var all []*mutant
	for i := range 200 {
		all = append(all, &mutant{file: "f.go", function: "f", kind: "never", text: strings.Repeat("x", i), start: i})
	}
	before := pick(all[:150], 1, 20)
	after := pick(all, 1, 20)
	same := 0
	for _, m := range before {
		if slices.Contains(after, m) {
			same++
		}
	}
	if len(before) != 20 || same < 10 {
		t.Errorf("%d of %d mutants stay", same, len(before))
	}
	if slices.Equal(before, pick(all[:150], 2, 20)) {
		t.Error("another seed picks the same mutants")
	}
}

// TestReasons reads good and bad lists of survivors.
func TestReasons(t *testing.T) {
	reasons, err := parseReasons("s.txt", "# a comment\n\na:F:never:x\n    same: x is never true here\nb:F:not:y\n    accepted: a log line\n")
	if err != nil || len(reasons) != 2 || !reasons["a:F:never:x"].same || reasons["b:F:not:y"] != (reason{false, "a log line"}) {
		t.Errorf("%v, %v", reasons, err)
	}
	for _, text := range []string{"a\n", "a\nb\n    same: x\n", "    same: x\n", "a\n    because\n", "a\n    other: x\n", "a\n    same: \n"} {
		if _, err := parseReasons("s.txt", text); err == nil || !strings.HasPrefix(err.Error(), "s.txt") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
