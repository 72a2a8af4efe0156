package peers

import (
	"runtime"
	"testing"
)

// TestFreePortIsClaimed checks that a port stays claimed by the test that got it, used or not.
func TestFreePortIsClaimed(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // claims need abstract socket names
	}
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	if claimPort(port) == nil {
		t.Errorf("port %d can be claimed twice", port)
	}
}
