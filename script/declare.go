package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// declared holds the declarations of a file. Start passes them to the world.
type declared struct {
	chat, console []command
	variables     []*variable
	kinds         []*entityKind
	choices       []*choice
	zones         []game.TuneZone
	mode          *modeSpec // nil for a mod
}

// command is a command for players or operators.
type command struct {
	name, params, help string
	run                rt.Value
	private            bool
}

// variable is a variable for operators. Its value is kept in the Mod, because the script can be
// reloaded.
type variable struct {
	name, help string
	isText     bool
	number     int32
	str        string
	min, max   int32
}

func (*variable) kind() *kind    { return variableKind }
func (x *variable) text() string { return "variable " + x.name }

var variableKind = &kind{"variable", map[string]member{"value": {get: variableValue}}}

func init() { kinds = append(kinds, variableKind) }

func (d *declared) kind(name string) *entityKind {
	for _, k := range d.kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

// fields reads the fields of a table argument. Its methods keep the first error.
type fields struct {
	t   *rt.Table
	err error
}

// declaration returns the table argument of a declaration. Fields that are not in known are an
// error.
func (v *vm) declaration(c *rt.GoCont, known ...string) *fields {
	if v.loaded {
		return &fields{err: errors.New("declarations are for the file itself, and not for functions")}
	}
	return v.fields(c, 0, known...)
}

// fields returns argument i, a table. Fields that are not in known are an error.
func (v *vm) fields(c *rt.GoCont, i int, known ...string) *fields {
	t, err := v.readable(c, i)
	if err != nil {
		return &fields{err: err}
	}
	keys, err := v.sortedKeys(t)
	v.payItems(costOf("fields"), len(known))
	for _, k := range keys {
		if s, ok := k.TryString(); !ok || !slices.Contains(known, s) {
			return &fields{err: fmt.Errorf("there is no field %s%s", plain(k), suggest(plain(k), known))}
		}
	}
	return &fields{t, err}
}

// get returns a field, or nil after an error.
func (f *fields) get(name string) rt.Value {
	if f.err != nil {
		return rt.NilValue
	}
	return f.t.Get(rt.StringValue(name))
}

func (f *fields) wrong(name, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s is %s, want %s", name, describe(f.get(name)), want)
	}
}

func (f *fields) text(name string) string {
	x := f.get(name)
	s, ok := x.TryString()
	if !ok && (!x.IsNil() || name == "name") {
		f.wrong(name, "a text")
	}
	return s
}

func (f *fields) number(name string, otherwise int32) int32 {
	x := f.get(name)
	if x.IsNil() {
		return otherwise
	}
	n, ok := rt.ToIntNoString(x)
	if !ok || n != int64(int32(n)) {
		f.wrong(name, "a whole number")
	}
	return int32(n)
}

func (f *fields) function(name string) rt.Value {
	x := f.get(name)
	if _, ok := x.TryClosure(); !ok && !x.IsNil() {
		f.wrong(name, "a function")
	}
	return x
}

func (f *fields) vector(v *vm, name string) (p vec.Vec2) {
	if x := f.get(name); !x.IsNil() {
		var err error
		if p, err = v.vector(0, x); err != nil {
			f.wrong(name, "a position such as {x = 1, y = 2}")
		}
	}
	return p
}

func (f *fields) player(name string) game.PlayerID {
	x := f.get(name)
	id, ok := playerOf(x)
	if !ok && !x.IsNil() {
		f.wrong(name, "a player")
	}
	return id
}

// word returns a field that must be one of the words of n.
func word[T comparable](f *fields, name string, n *names[T], otherwise T) T {
	x := f.get(name)
	if x.IsNil() {
		return otherwise
	}
	t, err := n.parse(0, x)
	if err != nil {
		f.wrong(name, n.what)
	}
	return t
}

// declareCommand returns the functions chat_command and console_command.
func declareCommand(list func(*declared) *[]command) fn {
	return func(v *vm, c *rt.GoCont) error {
		f := v.declaration(c, "name", "params", "help", "run", "private")
		cmd := command{f.text("name"), f.text("params"), f.text("help"), f.function("run"), rt.Truth(f.get("private"))}
		if cmd.run.IsNil() {
			f.wrong("run", "a function")
		}
		l := list(&v.declared)
		*l = append(*l, cmd)
		return f.err
	}
}

// declareVariable is the function variable{name = "laser_damage", default = 5}.
func declareVariable(v *vm, c *rt.GoCont) error {
	f := v.declaration(c, "name", "help", "default", "min", "max")
	x := &variable{name: f.text("name"), help: f.text("help")}
	if x.str, x.isText = f.get("default").TryString(); !x.isText {
		x.number, x.min, x.max = f.number("default", 0), f.number("min", 0), f.number("max", 0)
	}
	if f.err != nil {
		return f.err
	}
	v.declared.variables = append(v.declared.variables, x)
	v.push(c, rt.UserDataValue(rt.NewUserData(x, v.metas[variableKind])))
	return nil
}

func variableValue(v *vm, c *rt.GoCont) error {
	x := value(c, 0).AsUserData().Value().(*variable)
	if stored, ok := v.variables[x.name]; ok {
		if stored.isText != x.isText {
			return fmt.Errorf("the variable %s has another type until the next map", x.name)
		}
		x = stored
	}
	if x.isText {
		result(v, c, x.str)
	} else {
		result(v, c, x.number)
	}
	return nil
}

// names returns the names of variables and commands, in the order of the file.
func (d *declared) names() (names []string) {
	for _, x := range d.variables {
		names = append(names, x.name)
	}
	for _, c := range d.console {
		names = append(names, c.name)
	}
	for _, c := range d.chat {
		names = append(names, "/"+c.name)
	}
	return names
}

// waiting says which names of the current script are declared with the next map, "" for none.
func (m *Mod) waiting() string {
	names := slices.DeleteFunc(m.vm.declared.names(), func(name string) bool { return slices.Contains(m.declared, name) })
	if len(names) == 0 {
		return ""
	}
	return "; from the next map on: " + strings.Join(names, ", ")
}

// declare passes the declarations of the file to the world.
func (m *Mod) declare(setup *game.Setup) {
	d := &m.vm.declared
	m.declared = d.names()
	for _, x := range d.variables {
		m.variables[x.name] = x
		if x.isText {
			setup.TextVar(game.TextVar{Name: x.name, Help: x.help, Value: &x.str, Default: x.str})
		} else {
			setup.IntVar(game.IntVar{Name: x.name, Help: x.help, Value: &x.number, Default: x.number, Min: x.min, Max: x.max})
		}
	}
	for _, c := range d.chat {
		setup.ChatCommand(m.commandSpec(c, func(d *declared) []command { return d.chat }))
	}
	for _, c := range d.console {
		setup.ConsoleCommand(m.commandSpec(c, func(d *declared) []command { return d.console }))
	}
	for _, z := range d.zones {
		setup.TuneZone(z)
	}
	m.addKinds(setup)
	m.addChoices(setup)
}

// commandSpec returns a command that runs the function of the current script, also after a reload.
func (m *Mod) commandSpec(c command, list func(*declared) []command) game.CommandSpec {
	return game.CommandSpec{Name: c.name, Params: c.params, Help: c.help, Private: c.private, Run: func(ctx *game.Ctx, call *game.CommandCall) {
		now := list(&m.vm.declared)
		i := slices.IndexFunc(now, func(x command) bool { return x.name == c.name })
		if i < 0 {
			return
		}
		args := []rt.Value{m.vm.player(call.Player)}
		for n := range call.Args {
			args = append(args, commandArg(c.params, call, n))
		}
		if x, ok := m.callFunction(&ctx.Tx, now[i].run, args...); ok {
			if s, ok := x.TryString(); ok {
				call.Reply(ctx, s)
			}
		}
	}}
}

// commandArg converts argument n to the type of its parameter.
func commandArg(params string, call *game.CommandCall, n int) rt.Value {
	hint, seen := false, 0
	for _, r := range params {
		switch {
		case r == '[' || r == ']':
			hint = r == '['
		case hint || r < 'a' || r > 'z':
		case seen < n:
			seen++
		case r == 'i':
			return rt.IntValue(int64(call.Int(n)))
		case r == 'f':
			return rt.FloatValue(float64(call.Float(n)))
		default:
			return rt.StringValue(call.Arg(n))
		}
	}
	return rt.StringValue(call.Arg(n))
}

// declareTuneZone is tune_zone{tile = 3, tuning = {gravity = 0.3}}.
func declareTuneZone(v *vm, c *rt.GoCont) error {
	f := v.declaration(c, "tile", "tune", "floor", "from", "to", "tuning")
	z := game.TuneZone{From: f.vector(v, "from"), To: f.vector(v, "to"), Floor: rt.Truth(f.get("floor")), Tuning: map[string]float32{}}
	tile, tune := f.number("tile", 0), f.number("tune", 0)
	if f.err != nil {
		return f.err
	}
	if tile != int32(uint8(tile)) || tune != int32(uint8(tune)) {
		return errors.New("tile and tune are from 0 to 255")
	}
	z.Tile, z.Tune = uint8(tile), uint8(tune)
	t, ok := f.get("tuning").TryTable()
	if !ok {
		f.wrong("tuning", "a table such as {gravity = 0.3}")
		return f.err
	}
	keys, err := v.sortedKeys(t)
	if err != nil {
		return err
	}
	var known game.Tuning
	for _, k := range keys {
		name := plain(k)
		x, err := coordinate(1, t.Get(k))
		if err == nil {
			err = known.Set(name, x)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		z.Tuning[name] = x
	}
	v.declared.zones = append(v.declared.zones, z)
	return nil
}
