package console

import (
	"cmp"
	"fmt"
	"strconv"
)

// variable is the part of a variable besides its command.
type variable interface {
	// value returns the current value as text.
	value() string
	// set sets a value that value has returned.
	set(value string)
	// configLine returns the command that sets the current value, and whether that is
	// the default.
	configLine(name string) (line string, isDefault bool)
	// values is [Console.Values].
	values() (allowed, byDefault string)
}

// IntVar is an integer variable.
type IntVar struct {
	// Name, Help and Flags are as in [Command].
	Name, Help string
	Flags      Flag
	// Value points to the value.
	Value *int
	// Default is the initial value.
	Default int
	// Min and Max are the limits of the value: none if both are 0, and no upper one if
	// Max is 0.
	Min, Max int
}

// StringVar is a string variable.
type StringVar struct {
	// Name, Help and Flags are as in [Command].
	Name, Help string
	Flags      Flag
	// Value points to the value.
	Value *string
	// Default is the initial value.
	Default string
	// Size is one more than the most bytes of the value.
	Size int
}

// RegisterInt adds a variable and sets it to its default.
func (c *Console) RegisterInt(v IntVar) error {
	p := v.Value
	if p == nil {
		return fmt.Errorf("%w: %s has no value", ErrCommand, v.Name)
	}
	return c.RegisterIntFunc(v, func() int { return *p }, func(x int) { *p = x })
}

// RegisterIntFunc is like RegisterInt for a value that get and set read and change. It ignores
// Value.
func (c *Console) RegisterIntFunc(v IntVar, get func() int, set func(int)) error {
	if v.Default != v.clamp(v.Default) {
		return fmt.Errorf("%w: default %d of %s is out of range", ErrCommand, v.Default, v.Name)
	}
	p := &intVar{v, get, set}
	_, err := c.register(Command{Name: v.Name, Params: "?i", Help: v.Help, Flags: v.Flags, Run: p.run}, p)
	if err == nil {
		set(v.Default)
	}
	return err
}

// intVar is a registered IntVar.
type intVar struct {
	IntVar
	get func() int
	put func(int)
}

// RegisterString adds a variable and sets it to its default.
func (c *Console) RegisterString(v StringVar) error {
	if v.Value == nil {
		return fmt.Errorf("%w: %s has no value", ErrCommand, v.Name)
	}
	if len(v.Default) >= v.Size {
		return fmt.Errorf("%w: default of %s is too long", ErrCommand, v.Name)
	}
	p := &v
	_, err := c.register(Command{Name: v.Name, Params: "?r", Help: v.Help, Flags: v.Flags, Run: p.run}, p)
	if err == nil {
		*v.Value = v.Default
	}
	return err
}

func (v *IntVar) clamp(x int) int {
	if v.Min != v.Max {
		x = max(x, v.Min)
		if v.Max != 0 {
			x = min(x, v.Max)
		}
	}
	return x
}

func (v *intVar) run(call *Call) {
	x := call.Int(0)
	used := v.clamp(x)
	if v.put(used); used != x {
		call.Warn("config", "%s: %d is out of range (%s); using %d", v.Name, x, v.limits(), used)
	}
}

// limits returns the range of the value, "" if it has none.
func (v *IntVar) limits() string {
	switch {
	case v.Min == v.Max:
		return ""
	case v.Max == 0:
		return fmt.Sprintf("at least %d", v.Min)
	}
	return fmt.Sprintf("%d to %d", v.Min, v.Max)
}

func (v *intVar) values() (allowed, byDefault string) {
	return cmp.Or(v.limits(), "a number"), strconv.Itoa(v.Default)
}

func (v *intVar) value() string { return strconv.Itoa(v.get()) }

func (v *intVar) set(value string) { v.put(parseInt(value)) }

func (v *intVar) configLine(name string) (string, bool) {
	return name + " " + v.value(), v.get() == v.Default
}

func (v *StringVar) run(call *Call) {
	*v.Value = toUTF8(call.Arg(0), v.Size)
	if len(*v.Value) < len(toUTF8(call.Arg(0), 2*MaxCommand+1)) {
		call.Warn("config", "%s: cut to %d bytes", v.Name, len(*v.Value))
	}
}

func (v *StringVar) values() (allowed, byDefault string) {
	return fmt.Sprintf("text of at most %d bytes", v.Size-1), Quote(v.Default)
}

func (v *StringVar) value() string { return *v.Value }

func (v *StringVar) set(value string) { *v.Value = value }

func (v *StringVar) configLine(name string) (string, bool) {
	return name + " " + Quote(lineBreaks.Replace(*v.Value)), *v.Value == v.Default
}
