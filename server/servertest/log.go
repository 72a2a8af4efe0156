package servertest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// Log is the log of a server. Each line has the form "[system]: message", without escapes.
type Log struct {
	mu sync.Mutex
	b  strings.Builder
}

// String returns all lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Reset empties the log.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}

func (l *Log) handler() slog.Handler { return logHandler{l} }

type logHandler struct{ to *Log }

func (logHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h logHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h logHandler) WithGroup(string) slog.Handler          { return h }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	system := ""
	r.Attrs(func(a slog.Attr) bool { system = a.Value.String(); return false })
	h.to.mu.Lock()
	defer h.to.mu.Unlock()
	fmt.Fprintf(&h.to.b, "[%s]: %s\n", system, r.Message)
	return nil
}
