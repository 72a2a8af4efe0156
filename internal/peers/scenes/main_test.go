//go:build peers

// Package scenes compares the screens of real clients on our server and on DDNet-Server.
package scenes

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.MainWithScreens(m) }
