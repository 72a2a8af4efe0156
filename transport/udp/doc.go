// Package udp sends and receives datagrams over UDP, many at a time.
//
// # Who waits
//
// The loop that works on the datagrams also reads them: [Conn.ReadBatch] tries
// recvmmsg and, when there is nothing, parks the goroutine in Go's network poller
// until a datagram arrives or the next tick is due. There is no reader goroutine
// and no channel, because on a game server the wake-ups cost more than the work:
// datagrams are small and come one at a time. The queue between network and loop is
// the receive buffer of the socket, which the system bounds and whose overflow it
// counts.
//
// Measured with a 50 Hz loop that answers each client once per tick, clients at
// 50 datagrams a second, on a two-core virtual machine where a system call is dear;
// CPU time of the process per datagram received, answers included:
//
//	                                      16 clients   64 clients
//	loop reads, network poller (this)        55 µs        29 µs
//	reader goroutine, channel to the loop    83 µs        41 µs
//	loop blocks in ppoll on its own thread   65 µs        31 µs
//	as this, Gather 2 ms                     77 µs        21 µs
//	as this, Gather 5 ms                     58 µs        25 µs
//
// Runs differ by some 15 %, and all rows became cheaper since the calls are raw ones.
// Gathering pays on full servers at best; ours does not gather (docs/performance.md).
//
// Elsewhere than on Linux a goroutine reads into a bounded ring, since there is
// neither recvmmsg nor a portable way to read without waiting. The build tag noudpbatch selects this on
// Linux too, for tests.
//
// # Runs
//
// Small datagrams of one size that follow one another to one peer, as answers to
// many questions of one address are, go into the kernel as one and are cut there
// (UDP_SEGMENT). That is not seen on the wire; a capture on the machine itself may
// show them uncut. Where it fails, now or for an interface, they are sent one by one.
//
// # What the network may do
//
// Errors of single datagrams are counted by reason in [transport.Stats] and never
// returned. Sending never waits.
package udp
