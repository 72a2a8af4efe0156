package admin

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// maxLogLines is the number of lines kept. A line is at most about a kilobyte long.
const maxLogLines = 4096

// mayRead reports whether operators of a level may read a line. As in the remote console,
// moderators see only lines that all players can read.
func mayRead(l *api.LogLine, admin bool) bool { return admin || l.System == "chat" }

// logBuffer keeps the last lines of the log.
type logBuffer struct {
	wake func() // any goroutine may call it

	mu    sync.Mutex
	next  uint64        // number of the next line
	lines []api.LogLine // at most maxLogLines; a server of few lines needs little memory
}

func (b *logBuffer) add(l api.LogLine) {
	b.mu.Lock()
	l.Seq = b.next
	if len(b.lines) < maxLogLines {
		b.lines = append(b.lines, l)
	} else {
		b.lines[b.next%maxLogLines] = l
	}
	b.next++
	b.mu.Unlock()
	b.wake()
}

// since appends the lines from number from on for which keep returns true. It also returns the
// number of the next line.
func (b *logBuffer) since(dst []api.LogLine, from uint64, keep func(l *api.LogLine) bool) ([]api.LogLine, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next > maxLogLines {
		from = max(from, b.next-maxLogLines)
	}
	for ; from < b.next; from++ {
		if l := &b.lines[from%maxLogLines]; keep(l) {
			dst = append(dst, *l)
		}
	}
	return dst, b.next
}

// logHandler is a slog.Handler that writes to a logBuffer. Its input is safe to show.
type logHandler struct {
	buffer *logBuffer
	system string
}

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	system := h.system
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == logline.SystemKey {
			system = a.Value.String()
		}
		return true
	})
	at := r.Time
	if at.IsZero() {
		at = time.Now()
	}
	h.buffer.add(api.LogLine{Time: at, Level: strings.ToLower(r.Level.String()), System: system, Text: r.Message})
	return nil
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	for _, a := range attrs {
		if a.Key == logline.SystemKey {
			n.system = a.Value.String()
		}
	}
	return &n
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(string) slog.Handler { return h }
