// Package recorder records a game as a demo, for files and for live viewers.
//
// A [Recorder] follows the world tick by tick through the same bridge as clients. It records the
// free view of a spectator who sees the whole map, or the view of a player. Every second tick it
// makes a [Record] with a snapshot and the messages since the previous record.
//
// A demo is safe to publish. It contains no health and ammunition, except of the player whose view
// it is. It contains no team chat, whispers, or sounds and messages for a single player. A Recorder
// never receives passwords, addresses or the remote console.
//
// Readers can begin at any keyframe. The names and skins of the players, the limits of the match
// and the tuning are in the keyframe or follow it.
//
// The package uses no files, clocks or goroutines. Use a Recorder on the goroutine that steps the
// world. Records can be encoded on another goroutine, so that no tick waits for compression or a
// disk.
package recorder
