// Package udp sends and receives datagrams over UDP, many at a time.
//
// # Reading in the loop
//
// The loop that handles the datagrams also reads them: [Conn.ReadBatch] tries recvmmsg
// and, if there is nothing, waits in Go's network poller until a datagram arrives or the
// next tick is due. There is no reader goroutine and no channel, since on a game server
// the wake-ups cost more than the work: datagrams are small and come one at a time. The
// queue is the receive buffer of the socket, whose size and overflow the system handles.
//
// Measured with a 50 Hz loop that answers each client once per tick, clients at
// 50 datagrams a second, on a two-core virtual machine where a system call is dear;
// CPU time of the process per received datagram, including answers:
//
//	                                      16 clients   64 clients
//	loop reads, network poller (this)        55 µs        29 µs
//	reader goroutine, channel to the loop    83 µs        41 µs
//	loop blocks in ppoll on its own thread   65 µs        31 µs
//	as this, MinReadInterval 2 ms            77 µs        21 µs
//	as this, MinReadInterval 5 ms            58 µs        25 µs
//
// Runs differ by about 15 %, and all rows became cheaper since with raw system calls.
// MinReadInterval helps full servers at best; package server does not use it
// (docs/performance.md).
//
// On systems other than Linux a goroutine reads into a bounded ring, since there is neither
// recvmmsg nor a portable way to read without blocking. The build tag noudpbatch selects
// this on Linux, too, for tests.
//
// # Runs
//
// Consecutive small datagrams of one size to one peer, such as answers to many requests of
// one address, are passed to the kernel as one and split there (UDP_SEGMENT). That does not
// change what is on the wire, but a capture on the machine itself may show them as one. If
// it fails, they are sent separately.
//
// # Errors
//
// Errors of single datagrams are counted by reason in [transport.Stats] and never returned.
// Sending never blocks.
package udp
