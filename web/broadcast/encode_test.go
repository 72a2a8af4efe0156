package broadcast

import (
	"math/rand/v2"
	"testing"
)

// TestSmallSegments checks that segments of a server without players need no compressor.
func TestSmallSegments(t *testing.T) {
	var c cutter
	if z := c.zip(make([]byte, minZipped-1)); z != nil || c.zipper != nil {
		t.Errorf("a small segment is compressed to %d bytes; has a compressor: %t", len(z), c.zipper != nil)
	}
	if z := c.zip(make([]byte, minZipped)); z == nil || len(z) > minZipped/2 {
		t.Errorf("a segment of zeros is compressed to %d bytes", len(z))
	}
	noise := make([]byte, 2*minZipped)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	if z := c.zip(noise); z != nil {
		t.Error("noise is compressed")
	}
}
