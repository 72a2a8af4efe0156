// Package replay records matches in logs that replay them bit for bit.
//
// A world is a pure function of its parameters and commands, so a log is a [Header]
// and the commands of every tick. Twice a second it also contains [game.World.Hash],
// with which [Verify] proves that a run equals the recorded match. docs/reference/formats.md
// describes the format.
//
// Like all of game, the package uses no files and no clocks: a [Recorder] encodes
// commands into blocks, an [Encoder] encodes blocks into the bytes of a file. They can
// run in different goroutines, so that a server's tick does not wait for compression
// or a disk. [Writer] combines both. [Reader] reads logs.
//
// Blocks have checksums. A Reader detects truncation and damage; all blocks before them are valid.
package replay
