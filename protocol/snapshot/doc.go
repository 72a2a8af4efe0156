// Package snapshot holds the state of a Teeworlds world as the wire sees it: a
// sorted list of items, each a key (type and id) and a few 32-bit integers, and
// the delta coding that turns one such list into the next.
//
// The package knows integers and sizes only. What the integers of a type mean is
// the business of the message packages; the one thing a reader needs from them
// is the Sizes table, since items of a listed type travel without their length.
//
// A server fills a Builder, finishes it into a Snapshot, keeps that in a Store
// and sends AppendDelta's bytes, cut into parts (Part, PartCount), in SNAPSINGLE
// or SNAP messages; when nothing changed it sends SNAPEMPTY. A client collects
// the parts in a Joiner, applies them with ApplyDelta to the stored base and
// compares the CRC.
//
// Nothing here allocates once its buffers have grown to the size of the traffic,
// no input panics, and no input costs memory out of proportion to its length.
package snapshot
