package game

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// A mod that panics is switched off and the match goes on: the function that panicked is as if
// it had returned there, and none of the mod is called again. That is part of the state, and a
// match that is run again comes to it again. A panic of the mode, or of the world itself, ends
// the match.

// owner identifies the mode or a mod: theMode, or the index of the mod plus 1.
type owner int32

const theMode owner = 0

func ownerOf(mod int) owner { return owner(mod + 1) }

// isOff reports whether something is of a mod that is switched off.
func (w *World) isOff(of owner) bool { return of != theMode && w.modsOff[of-1] }

// hookOf is a hook, or another function, with its mode or mod.
type hookOf[H any] struct {
	hook H
	of   owner
}

func (h *hookOf[H]) isSet() bool { return any(h.hook) != nil }

// ownHook returns a function with the mode or mod whose Start runs.
func ownHook[F any](s *Setup, f F) hookOf[F] { return hookOf[F]{f, s.w.running} }

// protect calls a function of the mode or a mod, unless the mod is switched off.
func (w *World) protect(of owner, call func()) {
	if of == theMode {
		caller := w.running
		w.running = theMode
		call()
		w.running = caller
		return
	}
	if !w.modsOff[of-1] {
		w.protectMod(of, call)
	}
}

func (w *World) protectMod(of owner, call func()) {
	defer w.catch(of, w.running, w.hookDepth)
	w.running = of
	call()
}

// catch ends a call of a mod, and its panic if there is one.
func (w *World) catch(of, caller owner, depth int) {
	if w.running != of {
		return // the mode panicked, which was called because of something that the mod did
	}
	w.running = caller
	if p := recover(); p != nil {
		w.hookDepth = depth
		w.panics = append(w.panics, modPanic{of, w.describePanic(of, p)})
		w.switchOff(of)
	}
}

// switchOff switches a mod off and removes its entities, menus, vote and NPCs. Its changes to
// players stay.
func (w *World) switchOff(of owner) {
	w.modsOff[of-1] = true
	w.drawing = Drawing{}
	for i := range w.entities {
		if e := &w.entities[i]; w.entityKinds[e.kind-1].of == of {
			e.tidy(w)
			e.removed = true
		}
	}
	for i := range w.declared.timers {
		if t := &w.declared.timers[i]; t.run.of == of {
			clear(t.due[:])
		}
	}
	for id := range w.people.of {
		s := &w.people.of[id]
		if s.menu != 0 && w.declared.menus[s.menu-1].of == of {
			w.tx.Player(PlayerID(id)).HideMenu()
		}
		s.screenText = "" // perhaps that of another mod, which will change it
	}
	if v := &w.people.vote; v.vote != 0 && w.declared.votes[v.vote-1].of == of {
		*v = modVote{}
	}
	n := &w.npcs
	n.requests = slices.DeleteFunc(n.requests, func(r NPC) bool { return r.of == of })
	for id := range n.of {
		if n.of[id] == of {
			w.tx.Player(PlayerID(id)).RemoveNPC()
		}
	}
	w.hooksChanged()
}

// hooksChanged finds the hooks again.
func (w *World) hooksChanged() {
	if err := w.resolveHooks(); err != nil {
		panic(err) // the methods are those that New checked
	}
	w.decidePlayers()
}

// ModsOff returns the names of the mods that are switched off, in order.
func (w *World) ModsOff() []string {
	var names []string
	for i, off := range w.modsOff {
		if off {
			names = append(names, modName(w.mods[i]))
		}
	}
	return names
}

// modName returns the name that a mod has, or its type.
func modName(mod Mod) string {
	if n, ok := mod.(interface{ Name() string }); ok {
		return n.Name()
	}
	return reflect.TypeOf(mod).String()
}

// HooksChanged is for mods that implement [HookSubset]: the world calls UsesHook again for each
// hook.
func (tx *Tx) HooksChanged() { tx.w.hooksChanged() }

// modPanic is the description of a mod's panic for EvModOff.
type modPanic struct {
	of   owner
	text string
}

func (w *World) tellPanics() {
	for _, p := range w.panics {
		w.addEvent(Event{Kind: EvModOff, Player: Nobody, Target: Nobody, Value: int32(p.of - 1), Text: p.text})
	}
	w.panics = nil
}

// The longest description of a panic.
const (
	maxPanicText   = 200 // bytes of the value
	maxPanicFrames = 8
)

// describePanic returns the text of EvModOff: the mod, its function and the panic, and then the
// calls from the panic to that function. The deferred function that recovered calls it.
func (w *World) describePanic(of owner, value any) string {
	mod := w.mods[of-1]
	name := modName(mod)
	var pcs [128]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	world := reflect.TypeFor[World]().PkgPath() + "."
	var calls []string
	hook, depth, panicked := "", 0, false
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, world) && strings.HasSuffix(f.Function, ".protectMod") {
			break
		}
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			panicked = true // before it are those that recovered
		case panicked:
			calls = append(calls, fmt.Sprintf("  %s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line))
			if !strings.HasPrefix(f.Function, world) {
				hook, depth = f.Function[strings.LastIndexByte(f.Function, '.')+1:], len(calls)
			}
		}
		if !more {
			break
		}
	}
	text := fmt.Sprintf("the mod %s panicked in %s in tick %d and is switched off: %s", name, hook, w.tick,
		cutString(strings.ReplaceAll(fmt.Sprint(value), "\n", " "), maxPanicText))
	if calls = calls[:depth]; len(calls) > maxPanicFrames {
		calls = append(calls[:maxPanicFrames-1], "  ...")
	}
	return strings.Join(append([]string{text}, calls...), "\n")
}

// modsOff visits the mods that are switched off, and the owners of NPCs.
func (v *visitor) modsOff(w *World) {
	n := &w.npcs
	if v.op != hashing && v.extra(44, n.of != [MaxPlayers]owner{} || slices.ContainsFunc(n.requests, func(r NPC) bool { return r.of != theMode })) {
		of := func(o *owner) {
			num(v, o)
			within(v, "mod of an NPC", *o, theMode, owner(len(w.mods)))
		}
		for id := range n.of {
			if n.present.Has(PlayerID(id)) {
				of(&n.of[id])
			}
		}
		for i := range n.requests {
			of(&n.requests[i].of)
		}
	}
	off := slices.Contains(w.modsOff, true)
	if v.op == restoring && off && !(len(v.buf) > 0 && v.buf[0] == 45) {
		v.fail("a mod panicked during Restore")
	}
	if v.extra(45, off) {
		for i := range w.modsOff {
			v.bools(&w.modsOff[i])
		}
		if v.op == restoring && v.err == nil {
			w.hooksChanged()
		}
	}
}
