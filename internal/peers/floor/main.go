//go:build linux

// Command floor does the minimum that any server of a recorded match must do. It receives the
// datagrams of the clients and sends datagrams of the recorded sizes at the recorded times. Each
// round takes one recvmmsg and one sendmmsg, without other work. Nearly all of its CPU time is the
// system's, so no server can take much less on the same machine. BenchmarkFloor of package peers
// compares the server with it.
//
//	floor PORT CLIENTS FILE
//
// Floor listens on a port of 127.0.0.1. The match begins when each client has sent a datagram,
// whose first byte is the client's number. Each line of the file is a datagram to send: the time
// since the beginning in microseconds, the client and the size in bytes. Lines with the same time
// are a round. Floor ends after the last line.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is struct mmsghdr of sendmmsg(2).
type message struct {
	header unix.Msghdr
	size   uint32
}

// round holds the datagrams to send at one time.
type round struct {
	at       time.Duration
	messages []message
}

const (
	maxDatagram = 1400
	batch       = 256
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: floor PORT CLIENTS FILE")
	}
	port, err := strconv.ParseUint(args[0], 10, 16)
	if err != nil {
		return err
	}
	clients, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	addrs := make([]unix.RawSockaddrInet4, clients)
	rounds, err := readRounds(args[2], addrs)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := awaitClients(fd, addrs); err != nil {
		return err
	}
	received := newMessages(batch)
	var start unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &start); err != nil {
		return err
	}
	for _, r := range rounds {
		sleepUntil(start.Nano() + int64(r.at))
		transfer(unix.SYS_RECVMMSG, fd, received)
		transfer(unix.SYS_SENDMMSG, fd, r.messages)
	}
	return nil
}

// readRounds reads the rounds from the file.
func readRounds(file string, addrs []unix.RawSockaddrInet4) ([]round, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rounds []round
	data := make([]byte, maxDatagram)
	in := bufio.NewScanner(f)
	for in.Scan() {
		var us, client, size int
		if _, err := fmt.Sscan(in.Text(), &us, &client, &size); err != nil || size < 1 || size > maxDatagram || client < 0 || client >= len(addrs) {
			return nil, fmt.Errorf("not a datagram: %q", in.Text())
		}
		at := time.Duration(us) * time.Microsecond
		if len(rounds) == 0 || rounds[len(rounds)-1].at != at {
			rounds = append(rounds, round{at: at})
		}
		r := &rounds[len(rounds)-1]
		iov := &unix.Iovec{Base: &data[0]}
		iov.SetLen(size)
		m := message{header: unix.Msghdr{
			Name:    (*byte)(unsafe.Pointer(&addrs[client])),
			Namelen: unix.SizeofSockaddrInet4,
			Iov:     iov,
		}}
		m.header.SetIovlen(1)
		r.messages = append(r.messages, m)
	}
	return rounds, in.Err()
}

// awaitClients receives datagrams until it has the address of each client.
func awaitClients(fd int, addrs []unix.RawSockaddrInet4) error {
	for known := 0; known < len(addrs); {
		var b [maxDatagram]byte
		n, from, err := unix.Recvfrom(fd, b[:], 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 || int(b[0]) >= len(addrs) || addrs[b[0]].Family != 0 {
			continue
		}
		a := from.(*unix.SockaddrInet4)
		p := [2]byte{byte(a.Port >> 8), byte(a.Port)}
		addrs[b[0]] = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: *(*uint16)(unsafe.Pointer(&p)), Addr: a.Addr}
		known++
	}
	return nil
}

func newMessages(n int) []message {
	messages := make([]message, n)
	for i := range messages {
		iov := &unix.Iovec{Base: &make([]byte, maxDatagram)[0]}
		iov.SetLen(maxDatagram)
		h := &messages[i].header
		h.Name, h.Namelen, h.Iov = (*byte)(unsafe.Pointer(new(unix.RawSockaddrInet4))), unix.SizeofSockaddrInet4, iov
		h.SetIovlen(1)
	}
	return messages
}

// These are raw system calls, so the Go scheduler does not see them. That is safe in a program with
// one thread.

// transfer makes one recvmmsg or sendmmsg call that does not block.
func transfer(call uintptr, fd int, messages []message) {
	if len(messages) > 0 {
		syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(&messages[0])), uintptr(len(messages)), unix.MSG_DONTWAIT, 0, 0)
	}
}

// sleepUntil sleeps until a time of CLOCK_MONOTONIC in ns.
func sleepUntil(t int64) {
	until := unix.NsecToTimespec(t)
	const absolute = 1 // TIMER_ABSTIME
	for {
		_, _, errno := syscall.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, absolute, uintptr(unsafe.Pointer(&until)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}
