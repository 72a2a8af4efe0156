// Package replay is the flight recorder: the log of a match from which the match
// can be run again, bit for bit.
//
// A world is a pure function of what it was made of and of its commands, so a
// log is a [Header] and the commands of every tick. Twice a second it also
// has [game.World.Hash], by which [Verify] proves that a run went as the recorded
// one did. docs/replay.md has the format byte by byte.
//
// Like all of game the package knows no files and no clocks: a [Recorder] turns
// commands into blocks, a [Encoder] turns blocks into the bytes of a file, and
// they may be used by two goroutines, so that a server's tick does not wait for
// compression or for a disk. [Writer] is both in one. [Reader] reads.
//
// Blocks carry checksums. What is cut off or damaged is found, and what comes
// before it is good.
package replay
