// Package snapshot implements snapshots, the state of a Teeworlds world on the wire, and the delta
// coding between them. A snapshot is a sorted list of items. Each item has a key (type and id) and
// some 32-bit integers.
//
// The package knows only integers and sizes. The message packages define the meaning of the
// integers. Their ItemSizes table is needed for reading, because items of a listed type are sent
// without their length.
//
// A server fills a Builder, finishes it into a Snapshot and keeps that in a Store. The server
// computes the delta to an earlier snapshot with AppendDelta, cuts it into parts (Part, PartCount)
// and sends them in SNAPSINGLE or SNAP messages. If nothing changed, it sends SNAPEMPTY. A client
// collects the parts in a PartAssembler, applies the delta with ApplyDelta to the stored base and
// compares the CRC.
//
// Nothing here allocates once the buffers have grown to the size of the traffic. No input panics,
// and no input takes memory out of proportion to its length.
package snapshot
