//go:build peers

// Package original compares our server with teeworlds-server, and joins both with our client.
package original

import (
	"flag"
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

// TestMain runs more tests at the same time than there are cores, because they mostly wait.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8")
	peers.Main(m)
}
