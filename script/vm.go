package script

import (
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"

	"github.com/arnodel/golua/astcomp"
	"github.com/arnodel/golua/code"
	"github.com/arnodel/golua/ir"
	"github.com/arnodel/golua/ircomp"
	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
)

// The size limits of a script.
const (
	// MaxSource is the size of the largest script, in bytes.
	MaxSource = 64 << 10

	// maxState is the size of the largest saved state, in bytes.
	maxState = 128 << 10
	// maxCalls is how deep calls of hooks can be nested, the same as in package game.
	maxCalls = 16
)

// limits are the steps and the allocated bytes, freed or not, of all hooks of a script in a tick,
// and those for reading the script.
type limits struct {
	tickCPU, drawCPU, tickMemory, loadCPU, loadMemory uint64
	share, loan                                       uint64 // steps: share in every tick, and loan beyond that in total
	millis                                            uint64 // that a tick may take; 0: any
}

// limitsOf returns the limits of each script in a match with some scripts.
func limitsOf(version, scripts int) limits {
	if version == firstCosts {
		return limits{tickCPU: 150_000, drawCPU: 150_000, tickMemory: 2 << 20, loadCPU: 500_000, loadMemory: 8 << 20, millis: 5000}
	}
	n := uint64(max(scripts, 1))
	l := limits{tickMemory: tickMemory, drawCPU: min(drawSteps, allTickSteps/2/n), loadCPU: loadSteps, loadMemory: loadMemory}
	l.tickCPU, l.share = min(tickSteps, allTickSteps/n), allShare/n
	l.loan = 2 * (l.tickCPU - l.share)
	return l
}

// vm is a script that was read, with everything that its functions can reach.
type vm struct {
	name   string
	source string
	print  func(text string)
	meter  meter
	limits limits

	patterns map[string]*pattern     // parsed patterns
	paying   map[*rt.GoFunction]bool // functions that pay, for a test

	r       *rt.Runtime
	thread  *rt.Thread
	env     *rt.Table
	state   *rt.Table
	hooks   [numHooks]rt.Value
	builtin map[*rt.GoFunction]bool
	frozen  map[*rt.Table]*rt.Table // tables of the file and their shadows
	fixed   []upvalue               // variables of the functions of the file
	lines   map[string]int          // lines that set globals
	loaded  bool                    // the file has run

	tests  tester   // of a test file; nil for mods
	tx     *game.Tx // set while a hook runs
	inGame int      // calls into the game that have not returned
	calls  int      // calls of hooks that have not returned
	frames [maxCalls]frame
	// dead means that the script has exceeded a limit: nothing runs any more.
	dead bool

	players [game.MaxPlayers]rt.Value
	metas   map[*kind]*rt.Table
	api     map[string][]string // fields of built-in tables, by table

	budgetTick  int32 // the tick of the current budget
	printSecond int32 // the second whose lines are counted in printed
	printed     int

	drawing    bool // the function draw of an entity is running
	drawBudget bool // the budget is for draw functions
	declared   declared
	variables  map[string]*variable // those of the Mod
	timers     []timer
	usesTimers bool // the file uses the name after
	keys       []rt.Value
}

// frame holds the arguments of one call of a hook.
type frame struct {
	args    [4]rt.Value
	result  *rt.Termination
	damage  eventValue[game.Damage]
	death   eventValue[game.Death]
	chat    eventValue[game.ChatMessage]
	input   eventValue[game.Input]
	join    eventValue[game.TeamRequest]
	finish  eventValue[game.RaceFinish]
	entity  eventValue[game.Entity]
	drawing eventValue[game.Drawing]
	stored  eventValue[game.StoreAnswer]
}

// upvalue is a variable of a function of the file, with its value when the file was read.
type upvalue struct {
	name  string
	fn    *rt.Closure
	index int
	value rt.Value
}

const allSafe = rt.ComplyCpuSafe | rt.ComplyMemSafe | rt.ComplyTimeSafe | rt.ComplyIoSafe

// notePaying makes scripts note which functions pay, for a test.
var notePaying bool

// errDead unwinds a script that has exceeded a limit.
type errDead struct{}

// errNoGame is the error for a call of the game while the file is read.
var errNoGame = errors.New("the game can be used in hooks only, such as on_start")

// load reads a script.
func load(name, source string, version, scripts int, cache Cache, print func(string)) (v *vm, err error) {
	if err := checkCosts(version); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(source) > MaxSource {
		return nil, fmt.Errorf("%s: %d bytes, the limit is %d", name, len(source), MaxSource)
	}
	v = &vm{name: name, source: source, print: print, meter: meter{version: version}, limits: limitsOf(version, scripts)}
	if err := v.load(cache); err != nil {
		return nil, err
	}
	return v, nil
}

// load reads the source of the vm.
func (v *vm) load(cache Cache) (err error) {
	if notePaying {
		v.paying = map[*rt.GoFunction]bool{}
	}
	v.api = map[string][]string{}
	v.r = rt.New(io.Discard)
	v.thread = v.r.MainThread()
	goruntime.SetFinalizer(v.r, nil) // it has nothing to close
	v.r.PushContext(rt.RuntimeContextDef{RequiredFlags: allSafe,
		HardLimits: rt.RuntimeResources{Cpu: v.limits.loadCPU, Memory: v.limits.loadMemory, Millis: v.limits.millis}})
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %s", v.name, describePanic(p))
		}
	}()
	closure, err := v.compile(cache)
	if err != nil {
		return err
	}
	if err := rt.Call(v.thread, rt.FunctionValue(closure), nil, rt.NewTerminationWith(nil, 0, false)); err != nil {
		return errors.New(v.errorText(err))
	}
	if err := v.finish(); err != nil {
		return err
	}
	for i := range v.frames {
		v.openFrame(&v.frames[i])
	}
	v.loaded = true
	v.newBudget(0)
	return nil
}

// compile compiles the source to a function.
func (v *vm) compile(cache Cache) (*rt.Closure, error) {
	v.env = rt.NewTable()
	v.openLibraries()
	// A cached script costs as much as one that must be compiled.
	v.r.LinearRequire(4, uint64(len(v.source)))
	v.r.LinearRequire(4, 2*uint64(len(v.source)))
	c, err := v.compiled(cache)
	if err != nil {
		return nil, err
	}
	v.lines = c.lines
	set(v.env, "state", rt.TableValue(rt.NewTable()))
	return v.r.LoadLuaUnit(c.unit, rt.TableValue(v.env)), nil
}

// compileSource compiles the source without the cache.
func (v *vm) compileSource() (*Compiled, error) {
	c := &Compiled{}
	if err := checkNesting(v.name, []byte(v.source)); err != nil {
		return nil, err
	}
	parser := rt.New(io.Discard)
	goruntime.SetFinalizer(parser, nil)
	chunk, _, err := parser.ParseLuaChunk(v.name, []byte(v.source))
	if err != nil {
		return nil, err
	}
	if c.lines, err = rewrite(v.name, chunk, v.meter.version != firstCosts, v.api); err != nil {
		return nil, err
	}
	index, constants, err := astcomp.CompileLuaChunk(v.name, *chunk)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", v.name, err)
	}
	compiler := ircomp.NewConstantCompiler(ir.FoldConstants(constants, ir.DefaultFold), code.NewBuilder(v.name))
	compiler.QueueConstant(index)
	if c.unit, err = compiler.CompileQueue(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	return c, nil
}

// finish finds the hooks and the state of a file that has run, and makes all else constant.
func (v *vm) finish() error {
	if err := v.findHooks(); err != nil {
		return err
	}
	if err := v.checkRules(); err != nil {
		return err
	}
	v.usesTimers = strings.Contains(v.source, "after")
	x := v.env.Get(rt.StringValue("state"))
	var ok bool
	if v.state, ok = x.TryTable(); !ok {
		return fmt.Errorf("%s: state is %s, want a table", v.name, describe(x))
	}
	_, err := v.appendTable(nil, v.state, "state", 0)
	if err == nil {
		err = v.freeze()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.name, err)
	}
	return nil
}

// newBudget begins the budget of a tick.
func (v *vm) newBudget(tick int32) {
	v.r.PopContext()
	steps := v.limits.tickCPU
	if v.drawing {
		steps = v.limits.drawCPU
	}
	v.r.PushContext(rt.RuntimeContextDef{RequiredFlags: allSafe,
		HardLimits: rt.RuntimeResources{Cpu: steps, Memory: v.limits.tickMemory, Millis: v.limits.millis}})
	v.budgetTick, v.drawBudget = tick, v.drawing
}

// errorText returns the text of an error of the virtual machine, with file and line.
func (v *vm) errorText(err error) string {
	text := err.Error()
	if e, ok := rt.AsError(err); ok {
		text = strings.TrimSuffix(plain(e.Value()), " without __newindex")
	}
	if !strings.HasPrefix(text, v.name+":") {
		text = v.position() + ": " + text // an error in a metamethod has no line
	}
	return text
}

// isTimeLimit reports whether a panic means that a tick took too long with the costs of version 1.
func isTimeLimit(p any) bool {
	e, ok := p.(rt.ContextTerminationError)
	return ok && strings.Contains(e.Error(), "time limit")
}

func describePanic(p any) string {
	if p == errOvertime || p == ErrWork {
		return p.(error).Error()
	}
	if e, ok := p.(rt.ContextTerminationError); ok {
		if strings.Contains(e.Error(), "memory") {
			return "too much memory"
		}
		return "too many steps; a loop without end?"
	}
	return fmt.Sprint("internal error: ", p)
}

// position returns the file and line that is running, for errors without one.
func (v *vm) position() string {
	for c := v.thread.CurrentCont(); c != nil; c = c.Parent() {
		if info := c.DebugInfo(); info != nil && info.CurrentLine > 0 {
			return fmt.Sprintf("%s:%d", info.Source, info.CurrentLine)
		}
	}
	return v.name
}
