package admin

import (
	"context"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestAwait: a request waits until what it asks for has ended, which may be a tick later, and no longer than its
// visitor does.
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
