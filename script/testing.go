package script

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/modtest"
)

// TestSuffix ends the name of a test file: mods/tag_test.lua has the tests of mods/tag.lua.
const TestSuffix = "_test"

// Tests are the tests in a Lua file: its functions whose names begin with test_. Each plays its own
// match with the mods, and replays it from its log.
type Tests struct {
	cfg   TestConfig
	names []string // in the order of the file
}

// TestConfig holds the parameters of a test file.
type TestConfig struct {
	// Name is the name of the test file, such as mods/tag_test.lua. Source is its text.
	Name, Source string
	// Script returns the file name and source of a mod or game type. A test file without test.mods
	// tests the mod of its own name, without _test.
	Script func(name string) (file, source string, err error)
	// Mode returns a new game type that is not a script, and false if it does not know the name. If
	// it is nil, dm, tdm, ctf, lms and lts exist.
	Mode func(name string) (game.Mode, bool)
	// Args splits the arguments of a command according to its parameters.
	Args func(params, line string) ([]string, error)
	// Store answers a request to the storage. If it is nil, requests get no answer.
	Store func(r *game.StoreRequest) (a game.StoreAnswer, ok bool)
}

// TestResult is the result of a test.
type TestResult struct {
	Failures []string // each begins with file and line; empty if the test passed
	Log      []string // lines that the mods and the test printed
	Ticks    int32
}

// NewTests reads a test file. The error begins with file and line.
func NewTests(cfg TestConfig) (*Tests, error) {
	r := &testRun{cfg: cfg}
	if err := r.load(); err != nil {
		return nil, err
	}
	t := &Tests{cfg: cfg}
	line := map[string]int{}
	each(r.vm.env, func(k, x rt.Value) {
		if name, ok := k.TryString(); ok && strings.HasPrefix(name, "test_") {
			if _, ok := x.TryClosure(); ok {
				t.names = append(t.names, name)
				line[name] = r.vm.lines[name]
			}
		}
	})
	slices.SortFunc(t.names, func(a, b string) int { return line[a] - line[b] })
	if len(t.names) == 0 {
		return nil, fmt.Errorf("%s: no function has a name that begins with test_", cfg.Name)
	}
	return t, nil
}

// Names returns the names of the tests, in the order of the file.
func (t *Tests) Names() []string { return slices.Clone(t.names) }

// Run runs the test with the given name.
func (t *Tests) Run(name string) TestResult {
	r := &testRun{cfg: t.cfg, test: name}
	if err := r.load(); err != nil {
		r.failures = append(r.failures, err.Error())
		return r.result()
	}
	v := r.vm
	v.limits = testLimits
	v.newBudget(0)
	text, ok := v.protected(nil, v.env.Get(rt.StringValue(name)), nil, rt.NewTerminationWith(nil, 0, false))
	switch {
	case len(r.failures) > 0:
	case !ok:
		r.failures = append(r.failures, text)
	case r.world == nil:
		r.failures = append(r.failures, fmt.Sprintf("%s:%d: %s does not use the match; begin with test.join", t.cfg.Name, v.lines[name], name))
	default:
		r.replay()
	}
	return r.result()
}

func (r *testRun) result() TestResult {
	res := TestResult{Failures: r.failures, Log: r.log}
	if r.world != nil {
		res.Ticks = r.world.Now()
	}
	return res
}

// The limits of a test. None depends on time, so a test gives the same result on every machine.
var testLimits = limits{tickCPU: 20_000_000, drawCPU: drawSteps, tickMemory: 512 << 20, loadCPU: loadSteps, loadMemory: loadMemory}

// maxTestTicks is the length of the longest match of a test.
const maxTestTicks = 90_000

const tooLong = "the match is longer than %d ticks"

// tester gives a test file the table test, in place of hooks.
type tester interface {
	// open defines the table test.
	open(v *vm)
	// begin makes the world, unless it exists.
	begin() error
	// change runs a function that changes the game.
	change(c *rt.GoCont, f fn) error
}

// testRun is one run of a test.
type testRun struct {
	cfg  TestConfig
	test string // "" while the file is read
	vm   *vm
	setup

	world  *modtest.World // nil until the test first uses it
	pieces []piece
	mode   func() game.Mode // nil if the game type is one of the pieces
	mods   []*Mod           // the scripts of the world
	events []game.Event     // of all ticks

	failures, log []string
	changes       []change
	pending       func(tx *game.Tx) // the change of the current tick
}

// piece is a script in the match.
type piece struct {
	file, source string
	isMode       bool
}

// setup describes the world that the file or a test asks for.
type setup struct {
	modNames []string // nil: the mod of the file's own name
	modeName string   // "": deathmatch, or the game type among modNames
	terrain  game.Terrain
}

// change is a call of the test that changed the game. The replay repeats it.
type change struct {
	f    rt.Value
	args []rt.Value
}

// load reads the test file, with the table test.
func (r *testRun) load() error {
	r.vm = &vm{name: r.cfg.Name, source: r.cfg.Source, print: r.print, meter: meter{version: CostsVersion}, limits: limitsOf(CostsVersion, 1), tests: r}
	if err := r.vm.load(nil); err != nil {
		return err
	}
	d := &r.vm.declared
	if len(d.chat)+len(d.console)+len(d.variables)+len(d.kinds)+len(d.choices)+len(d.zones) > 0 || d.mode != nil {
		return fmt.Errorf("%s: a test file cannot declare commands, variables and the like; declare them in the mod", r.cfg.Name)
	}
	for h, f := range r.vm.hooks {
		if !f.IsNil() {
			return fmt.Errorf("%s:%d: %s is a hook; a test file cannot have hooks", r.cfg.Name, r.vm.lines[hookNames[h]], hookNames[h])
		}
	}
	return nil
}

func (r *testRun) print(text string) { r.log = append(r.log, text) }

// scripts returns the names of the tested scripts.
func (r *testRun) scripts() []string {
	if r.modNames != nil {
		return r.modNames
	}
	name := strings.TrimSuffix(path.Base(r.cfg.Name), path.Ext(r.cfg.Name))
	return []string{strings.TrimSuffix(name, TestSuffix)}
}

// begin makes the world, unless it exists.
func (r *testRun) begin() error {
	switch {
	case r.world != nil:
		return nil
	case r.test == "":
		return errors.New("the match has not begun; call this inside a function whose name begins with test_")
	}
	if err := r.find(); err != nil {
		return err
	}
	terrain := r.terrain
	if terrain.Width == 0 {
		terrain = modtest.ParseMap(nil, testRoom...)
	}
	mode, mods := r.newMode(true), r.newMods(true)
	r.world = modtest.New((*testT)(r), game.Config{Terrain: terrain, Mode: mode, Mods: mods, Rules: modtest.Rules()})
	r.world.Store = r.answer
	r.world.Seen = func(events []game.Event) { r.events = append(r.events, events...) }
	r.world.Check = r.check
	r.world.Record()
	return nil
}

// find reads the scripts and finds the game type.
func (r *testRun) find() error {
	r.pieces, r.mode = nil, func() game.Mode { return dm.Mode{} }
	names := r.scripts()
	if r.modeName != "" && !slices.Contains(names, r.modeName) {
		if m := r.namedMode(r.modeName); m != nil {
			r.mode = func() game.Mode { return r.namedMode(r.modeName) }
		} else {
			names = append(slices.Clip(names), r.modeName)
		}
	}
	for _, name := range names {
		file, source, err := r.cfg.Script(name)
		if err != nil {
			return err
		}
		_, err = New(Config{Name: file, Source: source})
		p := piece{file, source, errors.Is(err, errIsMode)}
		switch {
		case p.isMode && r.mode == nil:
			return fmt.Errorf("%s: a second game type; a test plays one game type", file)
		case p.isMode:
			r.mode = nil
			_, err = NewMode(Config{Name: file, Source: source})
		case name == r.modeName:
			err = fmt.Errorf("%s: %w", file, errNoMode)
		}
		if err != nil {
			return err
		}
		r.pieces = append(r.pieces, p)
	}
	return nil
}

// namedMode returns a new game type that is not a script, or nil if the name is unknown.
func (r *testRun) namedMode(name string) game.Mode {
	if r.cfg.Mode != nil {
		m, _ := r.cfg.Mode(name)
		return m
	}
	return alikes.values[name]
}

// newMode returns a new game type, for the world (live) or for its replay.
func (r *testRun) newMode(live bool) game.Mode {
	if r.mode != nil {
		return r.mode()
	}
	for _, p := range r.pieces {
		if p.isMode {
			m, err := NewMode(r.config(p, live))
			if err != nil {
				panic(err) // find has read it without an error
			}
			r.watch(&m.Mod, live)
			return m
		}
	}
	panic("script: no game type")
}

// newMods returns new mods, for the world (live) or for its replay. The last one is the testMod.
func (r *testRun) newMods(live bool) (mods []game.Mod) {
	for _, p := range r.pieces {
		if !p.isMode {
			m, err := New(r.config(p, live))
			if err != nil {
				panic(err) // find has read it without an error
			}
			r.watch(m, live)
			mods = append(mods, m)
		}
	}
	return append(mods, &testMod{r, live})
}

func (r *testRun) config(p piece, live bool) Config {
	cfg := Config{Name: p.file, Source: p.source}
	if live {
		cfg.Log = r.print
	}
	return cfg
}

// watch makes the errors of a script fail the test.
func (r *testRun) watch(m *Mod, live bool) {
	if live {
		m.onError = func(text string) { r.failures = append(r.failures, text) }
		r.mods = append(r.mods, m)
	}
}

// check is called after each tick.
func (r *testRun) check() {
	if r.world.Now() > maxTestTicks {
		r.failures = append(r.failures, fmt.Sprintf("%s: "+tooLong, r.vm.position(), maxTestTicks))
	}
	if len(r.failures) > 0 {
		panic(errTestFailed)
	}
}

func (r *testRun) answer(q *game.StoreRequest) (game.StoreAnswer, bool) {
	if r.cfg.Store == nil {
		return game.StoreAnswer{}, false
	}
	return r.cfg.Store(q)
}

// replay replays the match from its log and fails the test if it differs.
func (r *testRun) replay() {
	r.vm.newBudget(0)
	mods := r.newMods(false)
	var makers []func() game.Mod
	for _, m := range mods {
		makers = append(makers, func() game.Mod { return m })
	}
	if err := r.world.Replay(func() game.Mode { return r.newMode(false) }, makers...); err != nil {
		r.failures = append(r.failures, fmt.Sprintf("%s: %s: %v", r.cfg.Name, r.test, err))
	}
}

// errTestFailed ends a test after its failure was noted.
var errTestFailed = errors.New("the test has failed")

// fail notes a failure in the current line and returns the error that ends the test.
func (r *testRun) fail(format string, args ...any) error {
	r.failures = append(r.failures, r.vm.position()+": "+fmt.Sprintf(format, args...))
	return errTestFailed
}

// testT is the modtest.T of a test.
type testT testRun

func (t *testT) Helper() {}
func (t *testT) Logf(format string, args ...any) {
	t.log = append(t.log, (*testRun)(t).vm.position()+": "+fmt.Sprintf(format, args...))
}
func (t *testT) Error(args ...any)                 { _ = (*testRun)(t).fail("%s", fmt.Sprint(args...)) }
func (t *testT) Errorf(format string, args ...any) { _ = (*testRun)(t).fail(format, args...) }
func (t *testT) Fatal(args ...any)                 { panic((*testRun)(t).fail("%s", fmt.Sprint(args...))) }
func (t *testT) Fatalf(format string, args ...any) { panic((*testRun)(t).fail(format, args...)) }

// testChange is the console command that carries a change of the game into the log. Its argument is
// the number of the change.
const testChange = "test_change"

// testMod is the mod through which a test reads and changes the game. Each change is a command in
// the log.
type testMod struct {
	r    *testRun
	live bool
}

// Start gives the test access to the world.
func (m *testMod) Start(setup *game.Setup) {
	if m.live {
		m.r.vm.tx = &setup.Tx
	}
	setup.ConsoleCommand(game.CommandSpec{Name: testChange, Params: "i", Run: func(ctx *game.Ctx, call *game.CommandCall) {
		if m.live {
			m.r.pending(&ctx.Tx)
			return
		}
		m.r.changeAgain(&ctx.Tx, int(call.Int(0)))
	}})
}

// change runs a call that changes the game at the beginning of a new tick.
func (r *testRun) change(c *rt.GoCont, f fn) error {
	return r.guard(func() error { return r.changed(c, f) })
}

func (r *testRun) changed(c *rt.GoCont, f fn) (err error) {
	if err := r.begin(); err != nil {
		return err
	}
	args := make([]rt.Value, c.NArgs())
	for i := range args {
		args[i] = r.vm.copied(c.Arg(i), 0)
	}
	again := r.vm.priced("a change", cost{}, len(args), true, f)
	r.changes = append(r.changes, change{again, args})
	r.pending = func(tx *game.Tx) { err = f(r.vm, c) }
	number := fmt.Sprint(len(r.changes) - 1)
	r.world.Run(1, game.ConsoleCommand(game.Nobody, testChange, number))
	return err
}

// changeAgain repeats a change in the replay.
func (r *testRun) changeAgain(tx *game.Tx, i int) {
	if i < 0 || i >= len(r.changes) {
		return
	}
	r.vm.protected(tx, r.changes[i].f, r.changes[i].args, rt.NewTerminationWith(nil, 0, true))
}

// copied returns a deep copy of a value, because functions can change tables later.
func (v *vm) copied(x rt.Value, depth int) rt.Value {
	t, ok := x.TryTable()
	if !ok || depth > maxStateDepth {
		return x
	}
	to := rt.NewTable()
	each(v.contents(t), func(k, x rt.Value) { to.Set(k, v.copied(x, depth+1)) })
	return rt.TableValue(to)
}

// testReads are the functions and methods that only read the game.
var testReads = map[string]bool{
	"player:has_weapon": true, "player:ammo": true, "player:has_flag": true, "player:visible_to": true,
	"player:controls_disabled": true, "player:tuning": true,

	"game.tick": true, "game.match_ticks": true, "game.warmup": true, "game.sudden_death": true, "game.running": true,
	"game.score_limit": true, "game.time_limit": true, "game.team_size": true, "game.team_score": true,
	"game.wall_between": true, "game.players_near": true, "game.nearest_player": true, "game.flag": true,
	"game.tile": true, "game.find_tiles": true, "game.raycast": true, "game.layers": true,
	"game.map_width": true, "game.map_height": true,
}

// changer returns a function of the game for a script. In a test, a function that changes the game
// runs one tick.
func (v *vm) changer(name string, f fn) fn {
	if v.tests == nil || testReads[name] {
		return f
	}
	return v.changing(f)
}

// changing is changer for a function that is known to change the game.
func (v *vm) changing(f fn) fn {
	return func(v *vm, c *rt.GoCont) error {
		return v.tests.change(c, f)
	}
}

// beginTest begins the match of a test. Outside tests it returns errNoGame.
func (v *vm) beginTest() error {
	if v.tests == nil {
		return errNoGame
	}
	return v.tests.begin()
}

// guard calls a function and returns errTestFailed if the test fails in it.
func (r *testRun) guard(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errTestFailed:
			err = errTestFailed
		default:
			panic(p)
		}
	}()
	return f()
}

// testRoom is the map of tests without test.map.
var testRoom = []string{
	"################",
	"#              #",
	"#              #",
	"#              #",
	"#  S  S  S  S  #",
	"################",
}
