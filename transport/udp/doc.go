// Package udp sends and receives datagrams over UDP, many at a time.
//
// # Reading in the loop
//
// The loop that handles the datagrams also reads them. [Conn.ReadBatch] calls recvmmsg. If nothing
// was received, it waits until a datagram arrives or the next tick is due. There is no reader
// goroutine and no channel. On a game server, datagrams are small and arrive one at a time. Waking
// a goroutine for each would cost more than the work itself. The queue is the socket's receive
// buffer, whose size and overflow the system handles.
//
// ReadBatch waits in Go's network poller, or in ppoll if the socket is dedicated (see Config). The
// poller wakes a thread for every datagram, even while no goroutine waits for one, and often a
// second thread that looks for work. [Conn.Gather] saves time only with a dedicated socket. See
// docs/contribute/performance.md.
//
// Without Linux, there is neither recvmmsg nor a portable way to read without blocking. A goroutine
// then reads into a bounded ring. The build tag noudpbatch selects this on Linux, too, for tests.
//
// # Runs
//
// Consecutive small datagrams of one size to one peer are passed to the kernel in a single message.
// The kernel splits the message (UDP_SEGMENT). For example, the answers to many requests from one
// address are sent that way. The datagrams on the wire are the same, but a capture on this machine
// may show a single one. If the kernel refuses the message, the datagrams are sent separately.
//
// # Errors
//
// Errors of single datagrams are counted by reason in [transport.Stats] and never returned. Sending
// never blocks.
package udp
