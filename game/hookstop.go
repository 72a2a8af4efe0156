package game

import "strconv"

// HookStopper is for modes and mods whose hook calls a clock can stop when they take too long, such
// as scripts. Each stop is part of the match: the log contains its point. A replay has no clock,
// and stops the call at that point. Changes that the call made before it stopped stay.
type HookStopper interface {
	// StopHook sets a point in a tick at which a call must stop.
	StopHook(tick int32, at HookStop)
	// AppendHookStops appends the points at which the clock stopped calls in a tick.
	AppendHookStops(dst []HookStop, tick int32) []HookStop
}

// HookClock measures the time of hook calls in a running match. A replayed match has no clock.
type HookClock interface {
	// Beats returns a counter that increases about a hundred times a second. It increases more
	// slowly when the machine stalls.
	Beats() uint32
	// Busy reports whether the last ticks were slow. If so, every call is measured; otherwise only
	// calls that last longer than a beat.
	Busy() bool
	// Spent returns the processor time of this thread in ns, or 0 if the system does not report it.
	Spent() int64
	// Began returns the value of Spent at the start of the tick.
	Began() int64
}

// HookStop is a point in a hook call at which the call stopped or must stop.
type HookStop struct {
	Call  uint32 // number of the call in the tick, counted for each mode or mod
	Steps uint64 // progress in the call, in the mod's own measure
}

// command returns the command that stops a call of a mod, or with ReloadMode of the mode.
func (s HookStop) command(mod int) Command {
	text := strconv.AppendUint(nil, uint64(s.Call), 10)
	text = strconv.AppendUint(append(text, ' '), s.Steps, 10)
	return Command{Kind: CmdStopHook, Value: int32(mod), Text: string(text)}
}

// parseHookStop is the inverse of command.
func parseHookStop(text string) (s HookStop, ok bool) {
	for i := range len(text) {
		if text[i] == ' ' {
			call, err := strconv.ParseUint(text[:i], 10, 32)
			if err != nil {
				return s, false
			}
			s.Call = uint32(call)
			s.Steps, err = strconv.ParseUint(text[i+1:], 10, 64)
			return s, err == nil
		}
	}
	return s, false
}

// stopHook applies a CmdStopHook.
func (w *World) stopHook(cmd *Command) {
	var m any = w.mode
	if i := int(cmd.Value); i >= 0 && i < len(w.mods) {
		m = w.mods[i]
	} else if i != ReloadMode {
		return
	}
	if at, ok := parseHookStop(cmd.Text); ok {
		if s, ok := m.(HookStopper); ok {
			s.StopHook(w.stepTick, at)
		}
	}
}

// AppendHookStops appends the commands that repeat the last Step exactly, if a clock stopped hook
// calls in it. To repeat the Step, pass them before its other commands.
func (w *World) AppendHookStops(dst []Command) []Command {
	dst = w.appendHookStops(dst, w.mode, ReloadMode)
	for i, m := range w.mods {
		dst = w.appendHookStops(dst, m, i)
	}
	return dst
}

func (w *World) appendHookStops(dst []Command, m any, index int) []Command {
	s, ok := m.(HookStopper)
	if !ok {
		return dst
	}
	w.hookStops = s.AppendHookStops(w.hookStops[:0], w.stepTick)
	for _, at := range w.hookStops {
		dst = append(dst, at.command(index))
	}
	return dst
}

// Sharer is for modes and mods that share a tick's time with others of their kind, such as scripts.
type Sharer interface {
	// Share is called before Start with the number of modes and mods that share the time.
	Share(n int)
}

// shareTime passes the number of Sharers to each of them.
func (w *World) shareTime() {
	var all []Sharer
	if s, ok := w.mode.(Sharer); ok {
		all = append(all, s)
	}
	for _, m := range w.mods {
		if s, ok := m.(Sharer); ok {
			all = append(all, s)
		}
	}
	for _, s := range all {
		s.Share(len(all))
	}
}

// StepTick returns the number of the tick that [World.Step] makes. While the world applies
// commands, Tick still returns the tick before.
func (tx *Tx) StepTick() int32 { return tx.w.stepTick }
