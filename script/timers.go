package script

import (
	"encoding/binary"
	"errors"
	"fmt"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
)

// timer calls a global function of the file later. It stores the name of the function, because a
// function cannot be saved.
type timer struct {
	due  int32 // tick
	name string
	args []rt.Value
}

// The limits of timers.
const (
	maxTimers    = 256
	maxTimerArgs = 3
)

// after is the function after(ticks, "name", ...).
func after(v *vm, c *rt.GoCont) error {
	ticks, err := arg[int32](v, c, 0)
	if err != nil {
		return err
	}
	name, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	tx, err := v.enter()
	if err != nil {
		return err
	}
	due := tx.Tick() + min(max(ticks, 1), 1<<28)
	v.leave()
	if _, ok := v.global(name).TryClosure(); !ok {
		return fmt.Errorf("unknown function %s; after needs the name of a function that is not local", name)
	}
	if len(v.timers) == maxTimers {
		return fmt.Errorf("there are %d timers already", maxTimers)
	}
	t := timer{due: due, name: name}
	for i, x := range c.Etc() {
		if rank(x) == 0 {
			return badArgument(i+2, "a number, a text, a boolean or a player", x)
		}
		t.args = append(t.args, x)
	}
	if len(t.args) > maxTimerArgs {
		return errors.New("too many arguments for a timer")
	}
	v.timers = append(v.timers, t)
	return nil
}

// global returns a global of the file, or nil.
func (v *vm) global(name string) rt.Value { return v.env.Get(rt.StringValue(name)) }

// runTimers calls the functions of the timers that are due, in the order in which the timers were
// started. Timers stand still while the game does.
func (m *Mod) runTimers(tx *game.Tx) {
	v := m.vm
	if len(v.timers) == 0 {
		return
	}
	if !tx.Match().EntitiesMoving() {
		for i := range v.timers {
			v.timers[i].due++
		}
		return
	}
	all, tick := v.timers, tx.Tick()
	var due []timer
	v.timers = nil
	for _, t := range all {
		if tick >= t.due {
			due = append(due, t)
		} else {
			v.timers = append(v.timers, t)
		}
	}
	for _, t := range due {
		m.callFunction(tx, v.global(t.name), t.args...)
	}
}

func (v *vm) appendTimers(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(v.timers)))
	for _, t := range v.timers {
		dst = appendText(binary.AppendVarint(dst, int64(t.due)), t.name)
		dst = append(dst, byte(len(t.args)))
		for _, x := range t.args {
			dst, _ = v.appendValue(dst, x, "", 0) // after accepts no other values
		}
	}
	return dst
}

func (d *decoder) timers(v *vm) (timers []timer) {
	n := d.uvarint()
	if n > maxTimers {
		d.fail()
		return nil
	}
	for range n {
		t := timer{due: int32(d.varint()), name: d.text()}
		args := d.byte()
		if args > maxTimerArgs {
			d.fail()
		}
		for i := byte(0); i < args && d.err == nil; i++ {
			x := d.value(v, d.byte(), 0)
			if rank(x) == 0 {
				d.fail()
			}
			t.args = append(t.args, x)
		}
		timers = append(timers, t)
	}
	return timers
}
