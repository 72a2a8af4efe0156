// Package store stores values under keys, and tables of rows with scores, such as best times, for
// game modes and mods. Modes and mods use it through [game.Storage].
//
// A [Journal] keeps everything in memory and appends each change with a checksum to a file. One
// goroutine does all work and reports results through callbacks. Processes that share a file take
// turns by locking a second file next to it, and see each other's changes.
//
// Each change has the id of its writer and a number. A change counts once even if a failing disk
// caused it to be written twice.
package store
