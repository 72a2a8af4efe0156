// Package differential has only tests. They make scripted players play on teeworlds-server 0.7.5
// and record every message with the tick in which the server took it. Then they replay the messages
// on our server in virtual time and compare everything that clients see: every object of every
// snapshot, and every game message between two snapshots.
package differential
