//go:build peers

// Package clients plays on our server with the real clients of Teeworlds and DDNet.
package clients

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.MainWithScreens(m) }
