//go:build peers

// Package ddnet compares our server with DDNet-Server: commands, teams, names, ranks, limits, the
// database.
package ddnet

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.Main(m) }
