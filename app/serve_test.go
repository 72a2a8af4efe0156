package app

import "testing"

// TestOneAtATime: while one call runs, others do not wait for it.
func TestOneAtATime(t *testing.T) {
	began, free, over := make(chan bool), make(chan bool), make(chan bool)
	busy := 0
	f := oneAtATime(func() { began <- true; <-free; close(over) }, func() { busy++ })
	f()
	<-began
	for range 5 {
		f()
	}
	if busy != 5 {
		t.Errorf("%d of 5 calls were told", busy)
	}
	close(free)
	<-over
}
