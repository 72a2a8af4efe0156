// Package snapshot contains the state of a Teeworlds world as it is on the wire: a
// sorted list of items, each with a key (type and id) and some 32-bit integers, and
// the delta coding between such lists.
//
// The package handles integers and sizes only. The message packages define what the
// integers of a type mean. Reading needs their ItemSizes table, since items of a
// listed type are sent without their length.
//
// A server fills a Builder, finishes it into a Snapshot, keeps that in a Store and
// sends the result of AppendDelta, cut into parts (Part, PartCount), in SNAPSINGLE or
// SNAP messages, or SNAPEMPTY when nothing changed. A client collects the parts in a
// PartAssembler, applies them with ApplyDelta to the stored base and compares the
// CRC.
//
// Nothing here allocates once its buffers have grown to the size of the traffic, no
// input panics, and no input takes memory out of proportion to its length.
package snapshot
