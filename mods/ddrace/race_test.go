package ddrace

import (
	"math"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestTimesInMilliseconds checks that a longer race never has a smaller time in ms.
func TestTimesInMilliseconds(t *testing.T) {
	testenv.Check(t, ms(50) == 1000 && ms(100_000_000) == 2_000_000_000, "%d and %d", ms(50), ms(100_000_000))
	testenv.Check(t, ms(math.MaxInt32) > 2_000_000_000, "%d", ms(math.MaxInt32))
}
