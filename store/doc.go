// Package store keeps what modes and mods want to find again: values under keys, and tables of rows
// with scores, such as best times. See [game.Storage] for what they see of it.
//
// A [Journal] has everything in memory and a file to which each change is appended, with a
// checksum. A goroutine does all work; who asks is called back. Processes with the same
// file take turns by locking a file next to it, and see each other's changes.
//
// Each change has the number of its writer and one of its own, so that it counts once even if it is
// written twice because the disk failed in between.
package store
