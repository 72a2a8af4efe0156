// Package game contains the rules of Teeworlds as a pure function.
//
// A [World] is one map with everything on it. Only [World.Step] changes it: it takes
// the commands of one tick (1/50 s) and returns the events of that tick. The package
// uses no clock, goroutine, lock, logger, global state or map iteration: equal
// commands give equal worlds, bit for bit, on every machine. So a log of the commands
// is a recording of the match.
//
// The types do not depend on a network version: a [Command] is what players, operators
// and votes request, an [Event] is what happened, a [Frame] is what there is to see.
// The bridge packages translate them to messages and snapshots.
//
// Physics, weapons, spawning and the match follow Teeworlds 0.7.5.
package game
