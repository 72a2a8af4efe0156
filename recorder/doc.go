// Package recorder watches a game and makes a demo of it, for files and for whoever
// watches live.
//
// A [Recorder] sees the world tick by tick through the same bridge as clients do, as a
// spectator without a seat who sees all places at once, or through the eyes of a player. It
// makes a [Record] of every second tick: the snapshot, and the messages that came since the one
// before. Anybody may see what it makes: it has nobody's health and ammunition, but for those of the
// player whose view it is, no sounds that are for one player, no messages for one player,
// no chat of teams and no whispers. It is never given what passes between a client and
// the server, such as passwords, addresses and the remote console.
//
// Reading can begin at every keyframe: the players' names and skins, the limits of the match
// and the tuning are in it or follow it.
//
// The package uses no files, clocks or goroutines. A Recorder belongs to whoever steps the
// world. Records can be encoded elsewhere, so that no tick waits for compression or a
// disk.
package recorder
