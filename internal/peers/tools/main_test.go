//go:build peers

// Package tools runs other programs for game servers: query tools, rcon tools, HTTP proxies, master
// servers.
package tools

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.Main(m) }
