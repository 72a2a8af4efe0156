//go:build !peers

package testenv

// Peers is true in tests that are built with -tags peers.
const Peers = false
