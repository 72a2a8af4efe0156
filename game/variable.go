package game

import (
	"fmt"
	"strconv"
	"strings"
)

// IntVar declares a number that operators can set like a setting of the server. See [Setup.IntVar].
type IntVar struct {
	// Name has at most 31 lower-case letters, digits and underscores. Begin it with the mod's name,
	// such as zcatch_color.
	Name string
	// Help is one line that describes the variable, at most 63 bytes.
	Help string
	// Value points to the number. Only the world changes it.
	Value *int32
	// Default is the value if the operator sets none.
	Default int32
	// Min and Max are the limits. If both are 0, the value is not limited. If only Max is 0, only
	// Min limits it.
	Min, Max int32
	// Late is set for variables that a mod got after matches had been recorded or saved with it.
	// Replay logs and saved matches only contain them if they differ from Default.
	Late bool
	// Changed, if set, is called after the value was set in a running match.
	Changed func(ctx *Ctx)
}

// TextVar declares a text that operators can set. See [Setup.TextVar], and [IntVar] for the fields.
type TextVar struct {
	Name, Help string
	Value      *string
	Default    string
	// MaxLen is the maximum length of the value in bytes, 1 to 255; 0 means 255.
	MaxLen  int
	Changed func(ctx *Ctx)
}

// Variable is a variable of a mode or mod with its current value; see [World.Variables].
type Variable struct {
	Name, Help     string
	Value, Default string // numbers in decimal
	Min, Max       int32  // for numbers, as in IntVar
	MaxLen         int    // for texts, 0 for numbers
}

const maxTextVar = 255

// variable is a declared variable, a number or a text.
type variable struct {
	Name    string
	number  *IntVar
	text    *TextVar
	changed hookOf[func(*Ctx)]
}

// IntVar declares a number that operators see and set in the console, and sets it to their
// configured value. Later changes arrive as [CmdSetVariable].
func (s *Setup) IntVar(v IntVar) {
	why := ""
	switch {
	case v.Value == nil:
		why = "Value is nil"
	case v.Default != v.clamp(v.Default):
		why = fmt.Sprintf("the default %d is outside Min and Max", v.Default)
	}
	s.declareVariable(variable{Name: v.Name, number: &v, changed: ownHook(s, v.Changed)}, v.Help, v.formatDefault(), why)
}

// TextVar declares a text that operators see and set in the console; see IntVar.
func (s *Setup) TextVar(v TextVar) {
	why := ""
	if v.MaxLen == 0 {
		v.MaxLen = maxTextVar
	}
	switch {
	case v.Value == nil:
		why = "Value is nil"
	case v.MaxLen < 0 || v.MaxLen > maxTextVar:
		why = fmt.Sprintf("MaxLen must be 0 to %d", maxTextVar)
	case len(v.Default) > v.MaxLen:
		why = fmt.Sprintf("the default is longer than MaxLen, %d bytes", v.MaxLen)
	}
	s.declareVariable(variable{Name: v.Name, text: &v, changed: ownHook(s, v.Changed)}, v.Help, v.Default, why)
}

func (s *Setup) declareVariable(v variable, help, byDefault, why string) {
	d := s.declare("IntVar or TextVar")
	if name := d.check(v.Name, maxNameLen, help); name != "" {
		why = name
	}
	switch {
	case d.inConsole(v.Name):
		why = "the name is already declared"
	case len(d.variables) == MaxVariables:
		why = fmt.Sprintf("at most %d can be declared", MaxVariables)
	}
	if why != "" {
		d.fail("variable", v.Name, why)
		return
	}
	v.set(byDefault)
	if value, ok := d.values[v.Name]; ok {
		v.set(value)
	}
	d.variables = append(d.variables, v)
}

func (v *IntVar) formatDefault() string { return strconv.Itoa(int(v.Default)) }

func (v *IntVar) clamp(x int32) int32 {
	if v.Min != v.Max {
		x = max(x, v.Min)
		if v.Max != 0 {
			x = min(x, v.Max)
		}
	}
	return x
}

// isLate reports whether the variable has [IntVar.Late].
func (v *variable) isLate() bool { return v.number != nil && v.number.Late }

// set sets a variable. A text that is not a number does not change a number.
func (v *variable) set(value string) {
	if v.text != nil {
		*v.text.Value = cutString(value, v.text.MaxLen)
	} else if x, ok := parseInt(value); ok {
		*v.number.Value = v.number.clamp(x)
	}
}

// parseInt parses a number. Numbers that are too large become the largest.
func parseInt(s string) (int32, bool) {
	x, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	return int32(x), err == nil || x != 0
}

// value returns the value as set takes it.
func (v *variable) value() string {
	if v.text != nil {
		return *v.text.Value
	}
	return strconv.Itoa(int(*v.number.Value))
}

// Variables returns the declared variables in order. It leaves out the variables of mods that are
// switched off.
func (w *World) Variables() []Variable {
	var all []Variable
	for i := range w.declared.variables {
		v := &w.declared.variables[i]
		if w.isOff(v.changed.of) {
			continue
		}
		out := Variable{Name: v.Name, Value: v.value()}
		if n := v.number; n != nil {
			out.Help, out.Default, out.Min, out.Max = n.Help, n.formatDefault(), n.Min, n.Max
		} else {
			out.Help, out.Default, out.MaxLen = v.text.Help, v.text.Default, v.text.MaxLen
		}
		all = append(all, out)
	}
	return all
}

// VariableInForce returns the effective value of a variable, and false if it is not declared. In
// DDRace worlds, the map's settings and tiles can override the operator's value.
func (w *World) VariableInForce(name string) (value string, ok bool) {
	for i := range w.declared.variables {
		v := &w.declared.variables[i]
		if v.Name != name || w.isOff(v.changed.of) {
			continue
		}
		if x, isSetting := w.sim.setting(name); isSetting {
			return strconv.Itoa(int(x)), true
		}
		return v.value(), true
	}
	return "", false
}

// SetVariable returns the command that sets a variable of a mode or mod.
func SetVariable(name, value string) Command {
	return Command{Kind: CmdSetVariable, Player: Nobody, Target: Nobody, Text: name + argEnd + value}
}

// applyVariable handles CmdSetVariable.
func (w *World) applyVariable(cmd *Command) {
	name, value, _ := strings.Cut(cmd.Text, argEnd)
	for i := range w.declared.variables {
		v := &w.declared.variables[i]
		if v.Name != name || w.isOff(v.changed.of) {
			continue
		}
		v.set(value)
		if v.changed.hook != nil {
			w.callDeclared(v.changed.of, v.changed.hook)
		}
		return
	}
}
