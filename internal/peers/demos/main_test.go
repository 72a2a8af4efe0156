//go:build peers

// Package demos lets the real clients record demos that we read, and play demos that we make.
package demos

import (
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

func TestMain(m *testing.M) { peers.MainWithScreens(m) }
