// Package udp sends and receives datagrams over UDP, many at a time.
//
// # Reading in the loop
//
// The loop that handles the datagrams also reads them: [Conn.ReadBatch] tries recvmmsg
// and, if there is nothing, waits until a datagram arrives or the next tick is due. There
// is no reader goroutine and no channel, since on a game server the wake-ups cost more than
// the work: datagrams are small and come one at a time. The queue is the receive buffer of
// the socket, whose size and overflow the system handles.
//
// It waits in Go's network poller, or in ppoll if the socket is dedicated (see Config): the
// poller wakes a thread for every datagram that arrives, also while nobody waits for it, and
// often a second one that looks for work. Only in this way does [Conn.Gather] save anything.
// See docs/contribute/performance.md.
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
