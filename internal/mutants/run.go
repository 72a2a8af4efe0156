package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// outcome is the result for a mutant.
type outcome int

const (
	notRun outcome = iota
	unreached
	survived
	killed
)

func (o outcome) String() string {
	return [...]string{"not run", "no test reaches it", "survived", "killed"}[o]
}

// program is a compiled test program of a package.
type program struct {
	pkg, dir, file string
	rapid          bool // the program accepts the flags of pgregory.net/rapid
}

// test is one test function.
type test struct {
	program
	name string
	took time.Duration
	hits []int // ids of the mutants that the test reaches
}

// buildTests compiles the tests of all packages that depend on a changed one.
func buildTests(dir, overlay string, jobs int) ([]program, error) {
	var changed struct{ Replace map[string]string }
	if err := readJSON(overlay, &changed); err != nil {
		return nil, err
	}
	dirs := map[string]bool{}
	for f := range changed.Replace {
		dirs[filepath.Dir(f)] = true
	}
	all, err := list("-deps", "-test", "./...")
	if err != nil {
		return nil, err
	}
	isChanged := map[string]bool{}
	for _, p := range all {
		isChanged[p.ImportPath] = dirs[p.Dir] && !strings.Contains(p.ImportPath, " ")
	}
	// A test program depends on the package and on the packages that its test files import.
	depends, rapid := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if pkg, ok := strings.CutSuffix(p.ImportPath, ".test"); ok {
			for _, d := range p.Deps {
				d, _, _ = strings.Cut(d, " ")
				depends[pkg] = depends[pkg] || isChanged[d]
				rapid[pkg] = rapid[pkg] || d == "pgregory.net/rapid"
			}
		}
	}
	var programs []program
	for _, p := range all {
		own := p.Module != nil && p.Module.Main && !strings.Contains(p.ImportPath, " ") && depends[p.ImportPath]
		if !own || strings.Contains(p.ImportPath, "/internal/peers") || strings.HasSuffix(p.ImportPath, "/app") || strings.Contains(p.ImportPath, "/cmd/") {
			continue
		}
		programs = append(programs, program{p.ImportPath, p.Dir, filepath.Join(dir, fmt.Sprintf("%d.test", len(programs))), rapid[p.ImportPath]})
	}
	var failed error
	parallel(jobs, programs, func(p program) {
		// With one compiler for each program, the number of processes stays at jobs.
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", p.file, p.pkg).CombinedOutput()
		if err != nil {
			failed = fmt.Errorf("%s: %w\n%s", p.pkg, err, out)
		}
	})
	return programs, failed
}

// findTests runs each test alone without a mutant, and records the mutants that it reaches.
func findTests(programs []program, dir string, jobs int) ([]*test, error) {
	var tests []*test
	for _, p := range programs {
		cmd := exec.Command(p.file, "-test.list", "^(Test|Fuzz|Example)")
		cmd.Dir = p.dir
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.pkg, err)
		}
		for _, name := range strings.Fields(string(out)) {
			tests = append(tests, &test{program: p, name: name})
		}
	}
	var mu sync.Mutex
	var bad []*test
	parallel(jobs, tests, func(t *test) {
		hits := filepath.Join(dir, strings.TrimSuffix(filepath.Base(t.file), ".test")+t.name+".hits")
		start := time.Now()
		ok, out := t.run([]string{t.name}, 0, 2*time.Minute, "TEEYARD_MUTANT_HITS="+hits)
		t.took = time.Since(start)
		if !ok {
			mu.Lock()
			defer mu.Unlock()
			bad = append(bad, t)
			fmt.Printf("without mutants, %s of %s fails, so it does not count:\n%s", t.name, t.pkg, tail(out, 5))
			return
		}
		text, _ := os.ReadFile(hits) // the file is missing if the test reaches no mutant
		for _, s := range strings.Fields(string(text)) {
			id, _ := strconv.Atoi(s)
			if !slices.Contains(t.hits, id) {
				t.hits = append(t.hits, id)
			}
		}
	})
	if len(bad) > len(tests)/10 {
		return nil, errors.New("more than one in ten tests fail without mutants")
	}
	return slices.DeleteFunc(tests, func(t *test) bool { return slices.Contains(bad, t) }), nil
}

// run runs some tests of a program with a mutant turned on.
func (p program) run(names []string, id int, limit time.Duration, env ...string) (ok bool, out []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"-test.failfast", "-test.run", "^(" + strings.Join(names, "|") + ")$"}
	if p.rapid {
		args = append(args, "-rapid.nofailfile")
	}
	cmd := exec.CommandContext(ctx, p.file, args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), "TEEYARD_FULL=", "TEEYARD_MUTANT="+strconv.Itoa(id)), env...)
	cmd.WaitDelay = time.Second
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{&b, 1 << 20}, &limited{&b, 1 << 20}
	err := cmd.Run()
	if ctx.Err() != nil {
		fmt.Fprintf(&b, "no end after %v\n", limit)
	}
	return err == nil, b.Bytes()
}

// limited keeps only the first bytes written to it.
type limited struct {
	b    *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.b.Write(p[:n])
	l.left -= n
	return len(p), nil
}

// group is a list of tests that run together in one process.
type group struct {
	program
	names []string
	took  time.Duration
}

// groupsFor returns the tests that reach a mutant. Tests that are likely to notice it come first:
// tests of its own package, then of its folder, then others. Within these, tests that are fast and
// reach few mutants come first. The first tests have groups of their own. It stops at the limit of
// test time.
func groupsFor(m *mutant, tests []*test, limit time.Duration) []group {
	var own []*test
	for _, t := range tests {
		if slices.Contains(t.hits, m.id) {
			own = append(own, t)
		}
	}
	far := func(t *test) int {
		switch {
		case t.pkg == m.pkg.path:
			return 0
		case strings.Contains(t.pkg, "/"+m.pkg.folder+"/") || strings.HasSuffix(t.pkg, "/"+m.pkg.folder):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(own, func(a, b *test) int {
		return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a.took*time.Duration(5+len(a.hits)), b.took*time.Duration(5+len(b.hits))))
	})
	var groups []group
	var total time.Duration
	for _, t := range own {
		if total += t.took; total > limit && len(groups) > 0 {
			break
		}
		last := len(groups) - 1
		if last >= 2 && groups[last].file == t.file && groups[last].took < 5*time.Second {
			groups[last].names = append(groups[last].names, t.name)
			groups[last].took += t.took
			continue
		}
		groups = append(groups, group{t.program, []string{t.name}, t.took})
	}
	return groups
}

// try runs a mutant's tests until one fails.
func try(m *mutant, tests []*test, limit time.Duration) (out []byte) {
	groups := groupsFor(m, tests, limit)
	if m.outcome = survived; len(groups) == 0 {
		m.outcome = unreached
	}
	for _, g := range groups {
		most := 10*time.Second + 5*g.took
		ok, out := g.run(g.names, m.id, most)
		if ok {
			continue
		}
		// On a busy machine a test may also fail without the mutant.
		if again, _ := g.run(g.names, 0, most); !again {
			continue
		}
		m.outcome, m.by = killed, strings.TrimPrefix(g.pkg, "github.com/teeyard/teeyard/")+" "+strings.Join(failedIn(out, g.names), " ")
		return out
	}
	return nil
}

// failedIn returns the names of the tests that failed, or all names if the output has none.
func failedIn(out []byte, names []string) []string {
	var failed []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			failed = append(failed, strings.Fields(name)[0])
		}
	}
	if failed == nil {
		return names[:min(3, len(names))]
	}
	return failed
}

// tryAll tries the mutants until the time is up.
func tryAll(sample []*mutant, tests []*test, o options, until time.Time) {
	// If the time is up early, every folder has had some of its mutants tried.
	order := slices.Clone(sample)
	slices.SortStableFunc(order, func(a, b *mutant) int { return cmp.Compare(a.id*7919%1009, b.id*7919%1009) })
	parallel(o.jobs, order, func(m *mutant) {
		if time.Now().Before(until) {
			try(m, tests, o.perMutant)
			if m.outcome != killed {
				fmt.Printf("         %v: %v\n", m.outcome, m)
			}
		}
	})
}

func runOne(m *mutant, tests []*test, o options) error {
	for _, g := range groupsFor(m, tests, o.perMutant) {
		fmt.Printf("%s %s (%v)\n", g.pkg, strings.Join(g.names, " "), g.took.Round(time.Millisecond))
	}
	out := try(m, tests, o.perMutant)
	fmt.Printf("%s%v: %v\n", tail(out, 40), m.outcome, m)
	return nil
}

func tail(out []byte, lines int) string {
	all := strings.SplitAfter(string(out), "\n")
	return strings.Join(all[max(0, len(all)-lines-1):], "")
}

// parallel calls f for all items, at most n at a time.
func parallel[T any](n int, items []T, f func(T)) {
	var wg sync.WaitGroup
	next := make(chan T)
	for range n {
		wg.Go(func() {
			for item := range next {
				f(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wg.Wait()
}
