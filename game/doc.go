// Package game contains the rules of Teeworlds as a pure function.
//
// A [World] is one map with everything on it. Only [World.Step] changes a world: it applies the
// commands of one tick (1/50 s) and returns the events of that tick. The package uses no clock,
// goroutine, lock, logger, global state or map iteration. Equal commands therefore give equal
// worlds, bit for bit, on every machine, and a log of the commands is a recording of the match.
//
// The types do not depend on a network version. A [Command] is a request of a player, an operator
// or a vote. An [Event] is something that happened. A [Frame] is the visible state. The bridge
// packages translate them to messages and snapshots.
//
// A game mode implements [Mode], a mod implements [Mod]. Both add the hook interfaces that they
// need, such as [DamageHook], and change the world with the methods of [Tx].
//
// Physics, weapons, spawning and the match follow Teeworlds 0.7.5.
package game
