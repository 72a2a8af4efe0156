//go:build peers

// Package bench measures our server beside teeworlds-server and DDNet-Server.
package bench

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.Main(m) }
