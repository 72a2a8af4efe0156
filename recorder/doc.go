// Package recorder records a game as a demo, for files and for live viewers.
//
// A [Recorder] follows the world tick by tick through the same bridge as clients. It records the
// free view of a spectator who sees the whole map, or the view of a player. Every second tick it
// makes a [Record] with a snapshot and the messages since the previous record.
//
// A DemoWriter writes the records of a Recorder into a demo. Export runs a replay log and writes a
// demo of it.
//
// A demo is safe to publish. It contains no team chat and no whispers. The health and ammunition of
// a player, and sounds and messages for that player alone, are only in a demo of that player's
// view. A Recorder never receives passwords, addresses or the remote console.
//
// Readers can begin at any keyframe. The names and skins of the players, the limits of the match
// and the tuning are in the keyframe or follow it.
//
// The package uses no files, clocks or goroutines. Use a Recorder on the goroutine that steps the
// world. Records can be encoded on another goroutine, so that no tick waits for compression or a
// disk.
//
// A view can have more items than a snapshot may contain, for example if a mod draws very much. The
// recorder then leaves out items from the end of this list: the match and the flags, players with
// their names, tees, projectiles, lasers, pickups, effects.
//
// A server records demos in this way: the loop fills records, and a goroutine encodes them in
// batches of ten, because waking it costs more than a record. A full queue of five seconds, or a
// disk that fails, ends the demo.
package recorder
