// Package client is a headless Teeworlds 0.7 client without sockets, clocks or
// goroutines: it is fed datagrams and told the time, and gives datagrams to a
// function. A game loop, a test or a bot drives it.
package client
