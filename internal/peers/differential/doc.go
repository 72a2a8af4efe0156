// Package differential has no code but its tests. They let scripted players
// play on teeworlds-server 0.7.5, write down what was sent and in which tick
// the server took it, replay the same on our server in virtual time, and
// compare everything that clients see: every object of every snapshot, and
// every game message between two snapshots.
package differential
