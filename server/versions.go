package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
)

// dialect is a version of the protocol that the server speaks. Which there are is
// this file's business alone.
type dialect struct {
	bridge.Version
	begun bool // in the round of snapshots that is being made
}

// newDialects makes the versions of one server; the first is the one that the
// operator's tools expect to read about.
func newDialects() []*dialect {
	return []*dialect{{Version: bridge7.NewVersion()}}
}
