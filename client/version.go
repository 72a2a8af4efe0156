package client

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
)

// newGuest chooses the bridge.
func newGuest(line bridge.Line, news bridge.News) bridge.Guest {
	return bridge7.NewGuest(line, news)
}
