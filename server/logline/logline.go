// Package logline writes log lines in the format of Teeworlds 0.7.5, because operators' tools parse
// them:
//
//	[2024-02-03 04:05:06][server]: player has entered the game. ClientID=0 addr=1.2.3.4:5
//
// Standard output and files have such lines. The remote and external consoles have the time of day
// without the date. [NewJSON] writes the lines as JSON.
package logline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

// SystemKey is the attribute that names the part of the server that logs a record: the word in
// brackets.
const SystemKey = "system"

const defaultSystem = "server"

// AppendLong appends a line for standard output and files to dst, without a line end.
func AppendLong(dst []byte, at time.Time, system, text string) []byte {
	dst = append(dst, '[')
	dst = at.AppendFormat(dst, time.DateTime)
	return appendRest(dst, system, text)
}

// AppendShort appends a line for the remote console (RCON_LINE) and the external console to dst,
// without a line end.
func AppendShort(dst []byte, at time.Time, system, text string) []byte {
	dst = append(dst, '[')
	dst = at.AppendFormat(dst, time.TimeOnly)
	return appendRest(dst, system, text)
}

func appendRest(dst []byte, system, text string) []byte {
	dst = append(dst, "]["...)
	dst = append(dst, system...)
	dst = append(dst, "]: "...)
	return append(dst, text...)
}

// Quote returns text from a client in single quotation marks, like the names and reasons in log
// lines. Quotation marks in the text become U+2019, so the text cannot end its field and imitate
// others: tools look for the first or the last quotation mark and do not support escapes.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(safetext.Line(text), "'", "\u2019") + "'"
}

// Handler is a [slog.Handler] that writes a long line per record: the attribute SystemKey
// in brackets, and the others after the message as key=value.
type Handler struct {
	out       *output
	level     slog.Leveler
	system    string
	keyPrefix string // of keys, from groups
	attrs     string // formatted
	dialect   *DialectVar
}

type output struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

var _ slog.Handler = (*Handler)(nil)

// New returns a handler that writes records of a level and above to w; nil means
// slog.LevelInfo.
func New(w io.Writer, level slog.Leveler) *Handler {
	if level == nil {
		level = slog.LevelInfo
	}
	return &Handler{out: &output{w: w}, level: level, system: defaultSystem}
}

// NewJSON returns a handler that writes the same records as lines of JSON. A player's name can
// imitate a plain line, but not a line of JSON.
func NewJSON(w io.Writer, level slog.Leveler) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})
}

// Enabled implements [slog.Handler].
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// Handle implements [slog.Handler].
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	system := h.system
	attrs := h.attrs
	r.Attrs(func(a slog.Attr) bool {
		if h.keyPrefix == "" && a.Key == SystemKey {
			system = a.Value.String()
		} else {
			attrs = appendAttr(attrs, h.keyPrefix, a)
		}
		return true
	})
	at := r.Time
	if at.IsZero() {
		at = time.Now()
	}
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.buf = h.dialect.Load().AppendLong(h.out.buf[:0], at, r.Level, safetext.Line(system), safetext.Line(r.Message))
	h.out.buf = append(h.out.buf, attrs...)
	h.out.buf = append(h.out.buf, '\n')
	_, err := h.out.w.Write(h.out.buf)
	return err
}

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	for _, a := range attrs {
		if n.keyPrefix == "" && a.Key == SystemKey {
			n.system = a.Value.String()
		} else {
			n.attrs = appendAttr(n.attrs, n.keyPrefix, a)
		}
	}
	return &n
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	n := *h
	if name != "" {
		n.keyPrefix += name + "."
	}
	return &n
}

func appendAttr(s, prefix string, a slog.Attr) string {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, sub := range v.Group() {
			s = appendAttr(s, prefix, sub)
		}
		return s
	}
	if a.Equal(slog.Attr{}) {
		return s
	}
	text := v.String()
	if text == "" || strings.ContainsAny(text, " \"=") || safetext.Line(text) != text {
		text = fmt.Sprintf("%q", text)
	}
	return s + " " + prefix + a.Key + "=" + text
}
