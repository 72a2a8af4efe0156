package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/store"
)

type modTestCmd struct {
	Verbose bool     `name:"verbose" short:"v" help:"List all tests, with the output of the tests and mods."`
	Only    string   `name:"run" placeholder:"REGEXP" help:"Run only the tests whose names match."`
	Mods    []string `arg:"" optional:"" name:"mod" help:"Names of mods, test files, or folders with test files. The default is the folder mods."`
}

// Help describes the tests.
func (modTestCmd) Help() string {
	return `Runs the tests of Lua mods. The tests of mods/NAME.lua are the functions in mods/NAME_test.lua whose names
begin with test_. Each test plays its own match, with players that the test controls. It also fails if
the match does not replay from its log. The exit status is 1 if a test fails. docs/mod/testing.md of the
project shows how to write tests.

  teeyard mod test
  teeyard mod test -v --run hit hearts`
}

// testSuffix ends the name of a test file.
const testSuffix = script.TestSuffix + ".lua"

// errTestsFailed is the error if a test fails. The output names the test.
var errTestsFailed = errors.New("tests failed")

// Run runs the tests.
func (c *modTestCmd) Run(p *program) error {
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return usageErrorf("--run: %v", err)
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	run := &testRunner{out: os.Stdout, verbose: c.Verbose, only: only, modes: p.modes}
	for _, file := range files {
		run.file(file)
	}
	switch {
	case run.failed:
		return toldError{errTestsFailed}
	case run.tests == 0:
		return fmt.Errorf("--run %q: no test name matches", c.Only)
	}
	return nil
}

// files returns the test files that the arguments name.
func (c *modTestCmd) files() (files []string, err error) {
	args := c.Mods
	if len(args) == 0 {
		args = []string{"mods/"}
	}
	for _, arg := range args {
		found, err := testFiles(arg)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f = filepath.ToSlash(f); !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, nil
}

// testFiles returns the test files of one argument: a folder, a file or the name of a mod.
func testFiles(arg string) ([]string, error) {
	isFile := strings.HasSuffix(arg, ".lua")
	if info, err := os.Stat(arg); err == nil && info.IsDir() || strings.HasSuffix(arg, "/") {
		files, err := filepath.Glob(filepath.Join(arg, "*"+testSuffix))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: no test files (NAME%s); teeyard mod new --lua NAME writes a mod with a test", strings.TrimSuffix(arg, "/"), testSuffix)
		}
		return files, err
	}
	mod := strings.TrimSuffix(strings.TrimSuffix(arg, ".lua"), script.TestSuffix)
	if !isFile {
		if !isModName(arg) {
			return nil, usageErrorf("%q: not a folder, a test file or the name of a mod", arg)
		}
		mod = scriptPath(mod)[:len(scriptPath(mod))-len(".lua")]
	}
	file := mod + testSuffix
	if _, err := os.Stat(file); err == nil {
		return []string{file}, nil
	}
	if _, err := os.Stat(mod + ".lua"); err == nil {
		return nil, fmt.Errorf("%s.lua: no tests; write them in %s", filepath.ToSlash(mod), filepath.ToSlash(file))
	}
	return nil, fmt.Errorf("no such mod: neither %s nor %s.lua exists", filepath.ToSlash(file), filepath.ToSlash(mod))
}

// testRunner runs test files.
type testRunner struct {
	out     io.Writer
	verbose bool
	only    *regexp.Regexp
	modes   mode.List
	tests   int // number of tests run
	failed  bool
}

// file runs the tests of one file and prints the result.
func (t *testRunner) file(file string) {
	began := time.Now()
	failures := false
	fail := func() { failures, t.failed = true, true }
	tests, storage, err := t.read(file)
	if err != nil {
		fmt.Fprintln(t.out, err)
		fail()
		tests = &script.Tests{}
	}
	ran := 0
	for _, name := range tests.Names() {
		if !t.only.MatchString(name) {
			continue
		}
		ran++
		began := time.Now()
		res, err := storage.run(func() script.TestResult { return tests.Run(name) })
		if err != nil {
			res.Failures = append(res.Failures, err.Error())
		}
		verdict := "PASS"
		if len(res.Failures) > 0 {
			verdict = "FAIL"
			fail()
		}
		if verdict == "PASS" && !t.verbose {
			continue
		}
		fmt.Fprintf(t.out, "--- %s: %s (%.2fs, %d ticks)\n", verdict, name, time.Since(began).Seconds(), res.Ticks)
		for _, line := range slices.Concat(res.Log, slices.Compact(res.Failures)) {
			fmt.Fprintln(t.out, "    "+strings.ReplaceAll(line, "\n", "\n    "))
		}
	}
	t.tests += ran
	verdict, remark := "ok  ", ""
	if failures {
		verdict = "FAIL"
	} else if ran == 0 {
		remark = " [no tests to run]"
	}
	fmt.Fprintf(t.out, "%s\t%s\t%.2fs%s\n", verdict, file, time.Since(began).Seconds(), remark)
}

// read reads a test file.
func (t *testRunner) read(file string) (*script.Tests, *testStorage, error) {
	dir := path.Dir(file)
	here := os.DirFS(filepath.FromSlash(dir))
	source, err := readScript(here, path.Base(file))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	storage := &testStorage{}
	tests, err := script.NewTests(script.TestConfig{
		Name: file, Source: source,
		Script: func(name string) (string, string, error) {
			file := path.Join(dir, name+".lua")
			if !isModName(name) {
				return "", "", fmt.Errorf("mod name %q: use letters, digits, _ and - only, at most 64", name)
			}
			source, err := readScript(here, name+".lua")
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s: no such file", file)
			}
			return file, source, err
		},
		Mode: t.modes.New,
		Args: func(params, line string) ([]string, error) {
			p, err := console.ParseParams(params)
			if err != nil {
				return nil, err
			}
			return p.Parse(line)
		},
		Store: storage.answer,
	})
	return tests, storage, err
}

// testStorage is the storage of one test. It begins empty.
type testStorage struct {
	dir     string
	journal *store.Journal // nil until the first request
	err     error
}

// run runs a test with an empty storage and removes the storage.
func (s *testStorage) run(test func() script.TestResult) (script.TestResult, error) {
	*s = testStorage{}
	res := test()
	if s.journal != nil {
		s.err = errors.Join(s.err, s.journal.Close(), os.RemoveAll(s.dir))
	}
	return res, s.err
}

// answer answers a request. It waits for the storage, so that every run of a test is the same.
func (s *testStorage) answer(r *game.StoreRequest) (game.StoreAnswer, bool) {
	if s.journal == nil {
		if s.dir, s.err = os.MkdirTemp("", "teeyard-mod-test-"); s.err != nil {
			return game.StoreAnswer{}, false
		}
		s.journal = store.New(filepath.Join(s.dir, "storage"), nil)
	}
	answers := make(chan game.StoreAnswer, 1)
	s.journal.Submit(r, func(a game.StoreAnswer) { answers <- a })
	return <-answers, true
}
