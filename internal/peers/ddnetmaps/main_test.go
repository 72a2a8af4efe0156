//go:build peers

// Package ddnetmaps runs bots on the DDRace maps of Debian's ddnet-data.
package ddnetmaps

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.Main(m) }
