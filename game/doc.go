// Package game is the rules of Teeworlds as a pure function.
//
// A [World] holds one map with everything on it. [World.Step] is the only way
// to change it: it takes the commands of one tick (1/50 s) and returns what
// happened as events. There is no clock, goroutine, lock, logger or global
// state here, and no map iteration: the same commands give the same world, bit
// for bit, on every machine. The log of the commands therefore is the match.
//
// The vocabulary is neutral: [Command] is what players, operators and votes
// can ask for, [Event] is what happened, [Frame] is what there is to see. No
// network version is known here; the bridges translate.
//
// Physics, weapons, spawning and the match follow Teeworlds 0.7.5.
package game
