package modhost

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// variable is a variable of the world in the console. The world has a copy of its value.
type variable struct {
	game.Variable
	number int
	text   string
	// setIn is the number of the world that gets the value with the tick after setAt; see inForce.
	setIn uint64
	setAt int32
}

// isSame reports whether w is the variable, whatever its value.
func (v *variable) isSame(w game.Variable) bool {
	w.Value = v.Value
	return v.Variable == w
}

// set sets the value in the console.
func (v *variable) set(value string) {
	v.text = value
	v.number, _ = strconv.Atoi(value)
}

// Values returns the values of variables for a new world, by name.
func (m *Mods) Values() map[string]string {
	values := maps.Clone(m.commands.values)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, m.console.UnknownValues()) // which the configuration has set later
	return values
}

// Reset gives a variable that the world does not have its value in the configuration, if it has
// one.
func (m *Mods) Reset(name, value string, configured bool) {
	if delete(m.commands.values, name); configured && m.commands.values != nil {
		m.commands.values[name] = value
	}
}

// offerVariable adds a variable with its value in the world.
func (m *Mods) offerVariable(declared game.Variable) error {
	v := &variable{Variable: declared}
	v.Value = ""
	const flags = console.Server | console.Save
	var err error
	if v.MaxLen > 0 {
		err = m.console.RegisterString(console.StringVar{Name: v.Name, Help: v.Help, Flags: flags,
			Value: &v.text, Default: v.Default, Size: v.MaxLen + 1})
	} else {
		number, _ := strconv.Atoi(v.Default)
		err = m.console.RegisterInt(console.IntVar{Name: v.Name, Help: v.Help, Flags: flags,
			Value: &v.number, Default: number, Min: int(v.Min), Max: int(v.Max)})
	}
	if err == nil {
		v.set(declared.Value)
		err = m.console.After(v.Name, func(call *console.Call) { m.setVariable(v, call) })
	}
	if err == nil {
		err = m.console.InForce(v.Name, func() (string, bool) { return m.inForce(v) })
	}
	if err != nil {
		return fmt.Errorf("%w: variable %q: %w", game.ErrDeclared, v.Name, err)
	}
	m.commands.variables = append(m.commands.variables, v)
	m.offered(v.Name)
	if m.commands.resumed { // like other settings, the variable keeps its value in the match
		v.set(declared.Value)
		m.setVariable(v, nil)
	}
	return nil
}

// setVariable tells the world the value of a variable. A call in the console has set it, unless
// call is nil.
func (m *Mods) setVariable(v *variable, call *console.Call) {
	d, name := &m.commands, v.Name
	value := m.console.Configured(name)
	if d.resumed && value != m.inWorld(name) {
		return
	}
	if d.values == nil {
		d.values = map[string]string{}
	}
	d.values[name] = value
	m.host.VariableSet(name, value)
	if d.starting && value == m.inWorld(name) {
		return // the world began with it
	}
	v.setIn, v.setAt = d.world, m.world.Tick()
	if cmd := game.SetVariable(name, value); call != nil {
		m.host.Ask(call, cmd)
	} else {
		m.host.Queue(cmd)
	}
}

// inForce returns the value of a variable that counts. That is the value in the world, unless the
// world gets another one with the next tick. The map or the mod may have changed it.
func (m *Mods) inForce(v *variable) (value string, ok bool) {
	if v.setIn == m.commands.world && v.setAt == m.world.Tick() {
		return "", false
	}
	return m.world.VariableInForce(v.Name)
}

// inWorld returns the value that the world has for a variable.
func (m *Mods) inWorld(name string) string {
	for _, v := range m.world.Variables() {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}
