package script

import (
	"cmp"
	"encoding/binary"
	"fmt"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
)

var (
	_ game.StateSaver = (*Mod)(nil)
	_ game.HookSubset = (*Mod)(nil)
	_ game.Reloader   = (*Mod)(nil)
	_ replay.Sourcer  = (*Mod)(nil)

	_ game.HookStopper = (*Mod)(nil)
	_ game.Sharer      = (*Mod)(nil)
)

// Config holds the parameters of a script.
type Config struct {
	// Name is the name of the file, such as mods/tag.lua. Errors begin with it.
	Name string
	// Source is the text of the file.
	Source string
	// Costs is the version of the table of costs; 0 means [CostsVersion]. A replay log names the
	// version of its match.
	Costs int
	// Cache, if set, keeps compiled scripts.
	Cache Cache
	// Nanoseconds is a clock for scripts of logs. A log whose script takes longer than the match
	// did is not run further; see [Mod.Fault]. With nil it can take any time.
	Nanoseconds func() int64
	// Log receives errors and the lines that the script prints. It must not block. With nil they
	// are dropped.
	Log func(text string)
}

// Mod is a mod written in Lua.
type Mod struct {
	cfg Config
	vm  *vm
	off string // reason why the script is switched off, "" while it runs

	isMode  bool              // part of a Mode
	onError func(text string) // set by a test

	// errors is the number of errors since errorTick.
	errors    int32
	errorTick int32
	checkTick int32 // of the last check of the state

	scripts   int      // number of scripts that share a tick
	owes      uint64   // steps used beyond the share
	declared  []string // names that the world has; see waiting
	used      uint64   // steps in the last tick with hooks, without those of the current budget
	allocated uint64   // bytes since the last check of the state

	reloads    int // since reloadTick
	reloadTick int32

	stops stops
	fault error // ends the run of a log

	hookTime  int64 // nanoseconds of all calls, by Config.Nanoseconds
	hookTicks int64 // ticks with calls

	variables map[string]*variable
	kinds     map[string]game.KindID // of entities
	choices   map[string]int32       // menus and votes
}

// The number of errors that switch a script off, and the ticks in which they count.
const (
	maxErrors   = 10
	errorTicks  = 10 * game.TickRate
	checkTicks  = game.TickRate
	checkMemory = 1 << 20 // bytes allocated since the last check that cause another one
)

// New reads a mod. The error begins with file and line.
func New(cfg Config) (*Mod, error) {
	m := newMod(cfg)
	var err error
	m.vm, err = m.load(cfg.Source)
	return &m, err
}

func newMod(cfg Config) Mod {
	cfg.Costs = cmp.Or(cfg.Costs, CostsVersion)
	return Mod{cfg: cfg, variables: map[string]*variable{}, kinds: map[string]game.KindID{}, choices: map[string]int32{}}
}

// load reads a source as a new vm of this mod.
func (m *Mod) load(source string) (*vm, error) {
	v, err := load(m.cfg.Name, source, m.cfg.Costs, m.scripts, m.cfg.Cache, m.log)
	if err != nil {
		return nil, err
	}
	switch isMode := v.declared.mode != nil; {
	case isMode && !m.isMode:
		return nil, fmt.Errorf("%s: %w", m.cfg.Name, errIsMode)
	case !isMode && m.isMode:
		return nil, fmt.Errorf("%s: %w", m.cfg.Name, errNoMode)
	}
	v.variables = m.variables
	for _, k := range v.declared.kinds {
		k.id = m.kinds[k.name]
	}
	for _, c := range v.declared.choices {
		c.id = m.choices[c.k.name+" "+c.name]
	}
	return v, nil
}

// Name returns the name of the file.
func (m *Mod) Name() string { return m.cfg.Name }

// Source returns the source from which New made the script; see [replay.Sourcer].
func (m *Mod) Source() []byte { return []byte(m.cfg.Source) }

// SetLog sets Config.Log.
func (m *Mod) SetLog(log func(text string)) { m.cfg.Log = log }

// Off returns why the script is switched off, or "".
func (m *Mod) Off() string { return m.off }

func (m *Mod) log(text string) {
	if m.cfg.Log != nil {
		m.cfg.Log(text)
	}
}

// call calls a hook and returns its first result. It returns false if the hook does not exist or
// fails.
func (m *Mod) call(tx *game.Tx, h hookID, args ...rt.Value) (rt.Value, bool) {
	f := m.vm.hooks[h]
	if f.IsNil() {
		return f, false
	}
	return m.callFunction(tx, f, args...)
}

// callFunction calls a function of the script.
func (m *Mod) callFunction(tx *game.Tx, f rt.Value, args ...rt.Value) (rt.Value, bool) {
	v := m.vm
	if m.off != "" || f.IsNil() || v.calls == maxCalls {
		return rt.NilValue, false
	}
	if v.calls == 0 {
		m.stops.begin(&v.meter, tx.StepTick(), m.scripts) // beginTick takes time, too
		m.beginTick(tx)
		if m.off != "" {
			return rt.NilValue, false
		}
	}
	fr := &v.frames[v.calls]
	list := fr.args[:0]
	list = append(list, args...) // in the frame, unless there are many
	fr.result.Reset()
	began := m.beginTimed()
	text, ok := v.protected(tx, f, list, fr.result)
	m.endTimed(began)
	clear(fr.args[:])
	switch {
	case v.dead && m.off == "":
		m.stops.note(&v.meter)
		if v.meter.fault != nil {
			m.fault = v.meter.fault
		}
		m.switchOff(tx, text)
	case !ok && m.off == "":
		m.failed(tx, text)
	}
	if v.calls == 0 && m.off == "" && m.stops.end(&v.meter) {
		m.switchOff(tx, overtimeText(v.name, m.scripts))
	}
	return fr.result.Get(0), ok
}

// protected calls a function and returns the text of its error.
func (v *vm) protected(tx *game.Tx, f rt.Value, args []rt.Value, res *rt.Termination) (text string, ok bool) {
	callerTx, inGame := v.tx, v.inGame
	v.tx = tx
	v.calls++
	defer func() {
		v.tx = callerTx
		v.calls--
		p := recover()
		if p == nil {
			return
		}
		own := false
		switch p.(type) {
		case errDead, rt.ContextTerminationError:
			own = true
		case error:
			own = p == errOvertime || p == ErrWork
		}
		if v.inGame != inGame && !own {
			panic(p) // a fault of the game, not of the script
		}
		text = fmt.Sprintf("%s: %s", v.position(), describePanic(p))
		if p == ErrWork || v.meter.version == firstCosts && isTimeLimit(p) {
			v.meter.fault = fmt.Errorf("%w: %s", ErrWork, v.position())
		}
		v.inGame, v.dead, ok = inGame, true, false
	}()
	if err := rt.Call(v.thread, f, args, res); err != nil {
		return v.errorText(err), false
	}
	return "", true
}

// failed counts and logs an error.
func (m *Mod) failed(tx *game.Tx, text string) {
	if tick := tx.Tick(); tick-m.errorTick >= errorTicks {
		m.errors, m.errorTick = 0, tick
	}
	m.errors++
	if m.onError != nil {
		m.onError(text)
	}
	if m.errors >= maxErrors {
		m.switchOff(tx, fmt.Sprintf("%s (%d errors in %d seconds)", text, m.errors, errorTicks/game.TickRate))
		return
	}
	m.log(text)
}

// switchOff switches the script off. It has no hooks and rules until it is reloaded.
func (m *Mod) switchOff(tx *game.Tx, text string) {
	m.off = text
	if m.onError != nil {
		m.onError("switched off: " + text)
	}
	m.log("switched off: " + text)
	tx.HooksChanged()
}

// beginTick begins the budget of a tick. From time to time it checks the state.
func (m *Mod) beginTick(tx *game.Tx) {
	v, tick := m.vm, m.tick(tx)
	if tick == v.budgetTick && v.drawing == v.drawBudget {
		return
	}
	resources := v.r.UsedResources()
	if !v.drawBudget { // a restored world draws again
		m.used += resources.Cpu
		m.allocated += resources.Memory
	}
	if v.drawing {
		v.newBudget(tick)
		return
	}
	m.hookTicks++
	memory := m.allocated
	if m.cfg.Costs == firstCosts {
		memory = resources.Memory
	} else if !m.repay(tx, tick) {
		return
	}
	if tick-m.checkTick >= checkTicks || memory >= checkMemory {
		m.checkTick, m.allocated = tick, 0
		err := v.checkFixed()
		if err == nil {
			_, err = v.appendTable(nil, v.state, "state", 0)
			if err != nil {
				err = fmt.Errorf("%s: %w", v.name, err)
			}
		}
		if err != nil {
			m.switchOff(tx, err.Error())
			return
		}
	}
	v.newBudget(tick)
}

// tick returns the tick that budgets count by.
func (m *Mod) tick(tx *game.Tx) int32 {
	if m.cfg.Costs == firstCosts {
		return tx.Tick()
	}
	return tx.StepTick()
}

// Costs returns the version of the table of costs; see [Config].
func (m *Mod) Costs() int { return m.cfg.Costs }

// Share sets the number of scripts that share the time of a tick; see [game.Sharer].
func (m *Mod) Share(n int) {
	m.scripts = n
	m.vm.limits = limitsOf(m.cfg.Costs, n)
	m.vm.newBudget(m.vm.budgetTick)
}

// SetClock sets the clock that measures hooks. The clock stops a call that takes too long. It
// switches the script off when its hooks have taken too long for some ticks. The log contains both.
// In a replay there is no clock, and only the log stops calls.
func (m *Mod) SetClock(clock game.HookClock) { m.stops.clock = clock }

// StopHook stops a call at the point that the log names; see [game.HookStopper].
func (m *Mod) StopHook(tick int32, at game.HookStop) { m.stops.stopAt(tick, at) }

// AppendHookStops appends the points at which the clock stopped calls in a tick; see
// [game.HookStopper].
func (m *Mod) AppendHookStops(dst []game.HookStop, tick int32) []game.HookStop {
	return m.stops.append(dst, tick)
}

// Fault returns why a log with the script cannot be run further, or nil. It is an [ErrWork].
func (m *Mod) Fault() error { return m.fault }

// repay pays for the steps of the last tick from the share of the ticks since then. If the script
// owes too many steps, repay switches it off and returns false.
func (m *Mod) repay(tx *game.Tx, tick int32) bool {
	v := m.vm
	back := uint64(max(tick-v.budgetTick, 0)) * v.limits.share
	m.owes += m.used
	m.owes -= min(back, m.owes)
	m.used = 0
	if m.owes <= v.limits.loan {
		return true
	}
	m.owes = 0
	m.switchOff(tx, fmt.Sprintf("%s: it uses more than %d steps in every tick", v.name, v.limits.share))
	return false
}

// AppendState appends the state of the script; see [game.StateSaver].
func (m *Mod) AppendState(dst []byte) []byte {
	v := m.vm
	if m.cfg.Costs != firstCosts {
		dst = binary.AppendUvarint(dst, stateVersion|uint64(m.cfg.Costs))
		steps, memory := m.used, m.allocated
		if !v.drawBudget {
			steps += v.r.UsedResources().Cpu
			memory += v.r.UsedResources().Memory
		}
		for _, x := range [...]uint64{m.owes, steps, memory} {
			if m.off != "" {
				x = 0 // a reload resets it
			}
			dst = binary.AppendUvarint(dst, x)
		}
	}
	source := ""
	if v.source != m.cfg.Source {
		source = v.source // after a reload
	}
	used := v.r.UsedResources()
	if v.drawBudget || m.cfg.Costs != firstCosts {
		used = rt.RuntimeResources{} // a restored world draws again
	}
	dst = appendText(dst, source)
	dst = appendText(dst, m.off)
	for _, x := range []int32{m.errors, m.errorTick, m.checkTick, v.budgetTick} {
		dst = binary.AppendVarint(dst, int64(x))
	}
	dst = binary.AppendUvarint(dst, used.Cpu)
	dst = binary.AppendUvarint(dst, used.Memory)
	dst = append(dst, byte(b2i(v.drawBudget)))
	dst = v.appendTimers(dst)
	start := len(dst)
	dst, err := v.appendTable(dst, v.state, "state", 0)
	if err != nil {
		dst = append(dst[:start], tagEnd) // the next check switches the script off for it
	}
	return dst
}

// Reload replaces the source and keeps the state; see [game.Reloader]. It adds the fields of state
// that only the new source sets. A script that was switched off runs again.
func (m *Mod) Reload(tx *game.Tx, source string) error {
	if err := m.countReload(tx.StepTick()); err != nil {
		return err
	}
	began := m.beginTimed()
	v, err := m.load(source)
	m.endTimed(began)
	if err != nil {
		m.log("not reloaded: " + err.Error())
		return err
	}
	if b, err := m.vm.appendTable(nil, m.vm.state, "state", 0); err != nil {
		m.log(fmt.Sprintf("%s: the state is lost: %v", m.cfg.Name, err))
	} else {
		d := decoder{b: b}
		d.table(v, v.state, 0)
		d = decoder{b: m.vm.appendTimers(nil)}
		v.timers = d.timers(v)
	}
	m.vm, m.off = v, ""
	m.errors, m.errorTick, m.checkTick = 0, tx.Tick(), tx.Tick()
	v.budgetTick = m.tick(tx)
	m.owes, m.used, m.allocated = 0, 0, 0
	m.log(m.cfg.Name + ": reloaded" + m.waiting())
	m.call(tx, hookReload)
	return nil
}

// maxReloads is how often a log can reload a script in errorTicks. A server looks for changes once
// a second.
const maxReloads = 64

func (m *Mod) countReload(tick int32) error {
	if tick-m.reloadTick >= errorTicks {
		m.reloads, m.reloadTick = 0, tick
	}
	if m.reloads++; m.reloads > maxReloads {
		m.fault = fmt.Errorf("%w: %s is reloaded more than %d times in %d seconds", ErrWork, m.cfg.Name, maxReloads, errorTicks/game.TickRate)
		return m.fault
	}
	return nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// RestoreState replaces the state; see [game.StateSaver].
func (m *Mod) RestoreState(b []byte) error {
	d := decoder{b: b}
	var spent [3]uint64
	if m.cfg.Costs != firstCosts && d.version(m.cfg.Costs) {
		for i := range spent {
			spent[i] = d.uvarint()
		}
	}
	source := d.text()
	off := d.text()
	var numbers [4]int32
	for i := range numbers {
		numbers[i] = int32(d.varint())
	}
	used := rt.RuntimeResources{Cpu: d.uvarint(), Memory: d.uvarint()}
	drawBudget := d.byte()
	if m.cfg.Costs != firstCosts { // version 1 counts differently
		used = rt.RuntimeResources{}
	}
	const most = 1 << 40 // keeps sums in range
	if d.err != nil || drawBudget > 1 || used.Cpu > m.vm.limits.tickCPU || used.Memory > m.vm.limits.tickMemory || max(spent[0], spent[1], spent[2]) > most {
		return errState
	}
	v := m.vm
	if source != "" || v.source != m.cfg.Source {
		if source == "" {
			source = m.cfg.Source
		}
		var err error
		if v, err = m.load(source); err != nil {
			return err
		}
	}
	timers := d.timers(v)
	state := rt.NewTable()
	d.table(v, state, 0)
	if d.err != nil || len(d.b) != 0 {
		return errState
	}
	clearTable(v.state)
	each(state, func(k, x rt.Value) { v.state.Set(k, x) })
	m.vm, m.off = v, off
	v.timers = timers
	m.errors, m.errorTick, m.checkTick = numbers[0], numbers[1], numbers[2]
	v.newBudget(numbers[3])
	v.drawBudget = drawBudget == 1
	v.r.RequireCPU(used.Cpu)
	v.r.RequireMem(used.Memory)
	m.owes, m.used, m.allocated = spent[0], spent[1], spent[2]
	return nil
}
