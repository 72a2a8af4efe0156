package admin

import (
	"context"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestAwait checks that a request waits for work that ends ticks later, but not longer than its
// client.
func TestAwait(t *testing.T) {
	c := newWorld(t).console
	ended := false
	err := c.await(t.Context(), func(_ Server, done func()) {
		go func() { ended = true; done() }()
	})
	testenv.Check(t, err == nil && ended, "%v, ended %v", err, ended)
	ctx, cancel := context.WithCancel(t.Context())
	err = c.await(ctx, func(Server, func()) { cancel() })
	testenv.Check(t, err == error(errBusy), "%v", err)
}
