package differential

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets many matches be played at once: the original plays in real
// time, but needs next to no processor for it.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f != nil {
		f.Value.Set("24")
	}
	os.Exit(m.Run())
}
