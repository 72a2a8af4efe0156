package app

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/query"
)

// expectAnswer checks that a server answers. The answer comes from the game loop.
func expectAnswer(t *testing.T, addr string) {
	t.Helper()
	if _, err := query.AskHost(t.Context(), query.Config{Timeout: time.Minute}, addr); err != nil {
		t.Fatal(err)
	}
}

// TestOneAtATime checks that calls do not wait for a call that is still running.
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
