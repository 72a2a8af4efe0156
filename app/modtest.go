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
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/store"
)

type modTestCmd struct {
	Verbose bool     `name:"verbose" short:"v" help:"List all tests, and what they and the mods print."`
	Only    string   `name:"run" placeholder:"REGEXP" help:"Run the tests whose names match, and no others."`
	Mods    []string `arg:"" optional:"" name:"mod" help:"Names of mods, files with tests, or folders with them; mods if left out."`
}

// Help explains where tests are.
func (modTestCmd) Help() string {
	return `Runs the tests of mods in Lua: those of mods/NAME.lua are the functions in mods/NAME_test.lua whose names begin
with test_. Each plays a match of its own with players who do what it says, and the match must be
the same when it is played again from its log. The exit status is 1 if a test fails.
docs/mod/lua.md of the project shows how to write them.

  teeyard mod test
  teeyard mod test -v --run hit hearts`
}

// testSuffix ends the names of files with tests.
const testSuffix = script.TestSuffix + ".lua"

// errTestsFailed is the error if a test fails. The output says which.
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
		return fmt.Errorf("--run %q: no test has such a name", c.Only)
	}
	return nil
}

// files returns the files with tests.
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

// testFiles returns the files with tests that an argument means.
func testFiles(arg string) ([]string, error) {
	isFile := strings.HasSuffix(arg, ".lua")
	if info, err := os.Stat(arg); err == nil && info.IsDir() || strings.HasSuffix(arg, "/") {
		files, err := filepath.Glob(filepath.Join(arg, "*"+testSuffix))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s has no file with tests, NAME%s; teeyard mod new --lua NAME makes a mod with one", strings.TrimSuffix(arg, "/"), testSuffix)
		}
		return files, err
	}
	mod := strings.TrimSuffix(strings.TrimSuffix(arg, ".lua"), script.TestSuffix)
	if !isFile {
		if !modName.MatchString(arg) {
			return nil, usageErrorf("%q is neither a folder, a file with tests, nor the name of a mod", arg)
		}
		mod = scriptPath(mod)[:len(scriptPath(mod))-len(".lua")]
	}
	file := mod + testSuffix
	if _, err := os.Stat(file); err == nil {
		return []string{file}, nil
	}
	if _, err := os.Stat(mod + ".lua"); err == nil {
		return nil, fmt.Errorf("%s.lua has no tests, which are in %s", filepath.ToSlash(mod), filepath.ToSlash(file))
	}
	return nil, fmt.Errorf("there is neither a file %s nor %s.lua", filepath.ToSlash(file), filepath.ToSlash(mod))
}

// testRunner runs files with tests.
type testRunner struct {
	out     io.Writer
	verbose bool
	only    *regexp.Regexp
	modes   server.Modes
	tests   int // that have run
	failed  bool
}

// file runs the tests of a file.
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

// read reads a file with tests.
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
			if !modName.MatchString(name) {
				return "", "", fmt.Errorf("%q cannot be the name of a mod", name)
			}
			source, err := readScript(here, name+".lua")
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("there is no file %s", file)
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

// testStorage is the storage of a test, which begins without anything in it.
type testStorage struct {
	dir     string
	journal *store.Journal // nil until it is used
	err     error
}

// run runs a test.
func (s *testStorage) run(test func() script.TestResult) (script.TestResult, error) {
	*s = testStorage{}
	res := test()
	if s.journal != nil {
		s.err = errors.Join(s.err, s.journal.Close(), os.RemoveAll(s.dir))
	}
	return res, s.err
}

// answer waits for the answer of the storage, so that a test is the same each time.
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
