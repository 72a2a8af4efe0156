package teeverify_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestMemory checks that Verify holds only the last part of a long recording in memory.
func TestMemory(t *testing.T) {
	file := recording(t, 2000)
	for _, noSearch := range []bool{false, true} {
		var before, now runtime.MemStats
		most := uint64(0)
		testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: room(), NoSearch: noSearch,
			OnTick: func(w *ddrace.World, _ []ddrace.Event) error {
				if w.Tick() == 300 || w.Tick() == 1900 {
					runtime.GC()
					runtime.ReadMemStats(&now)
					if w.Tick() == 300 {
						before = now
					} else if now.HeapAlloc > before.HeapAlloc {
						most = now.HeapAlloc - before.HeapAlloc
					}
				}
				return nil
			}}))
		if most > 1<<20 {
			t.Errorf("%d bytes more after 1600 ticks", most)
		}
	}
}
