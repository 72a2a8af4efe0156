package logline

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"
)

var at = time.Date(2024, 2, 3, 4, 5, 6, 789, time.UTC)

func TestLines(t *testing.T) {
	if got, want := string(AppendLong([]byte("x"), at, "server", "text")), "x[2024-02-03 04:05:06][server]: text"; got != want {
		t.Errorf("long line %q, want %q", got, want)
	}
	if got, want := string(AppendShort(nil, at, "Console", "text")), "[04:05:06][Console]: text"; got != want {
		t.Errorf("short line %q, want %q", got, want)
	}
}

func TestHandler(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(New(&b, slog.LevelInfo))
	l.Debug("hidden")
	l.Info("ready", SystemKey, "game")
	l.Warn("two\nlines\x1b[31m", "k", "v w", "empty", "")
	l.With(SystemKey, "econ", "cid", 3).WithGroup("g").Info("x", SystemKey, "y", slog.Group("h", "n", 1))
	var got []string
	for line := range strings.Lines(b.String()) {
		if _, err := time.Parse("["+time.DateTime+"]", line[:21]); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		got = append(got, line[21:])
	}
	want := []string{
		"[game]: ready\n",
		"[server]: two lines [31m k=\"v w\" empty=\"\"\n",
		"[econ]: x cid=3 g.system=y g.h.n=1\n",
	}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		b.Reset()
		return NewJSON(&b, nil)
	}, func(t *testing.T) map[string]any {
		m := map[string]any{}
		if err := json.Unmarshal(b.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestHandlerDefaults(t *testing.T) {
	var out strings.Builder
	h := New(&out, nil)
	if h.Enabled(t.Context(), slog.LevelDebug) || !h.Enabled(t.Context(), slog.LevelInfo) {
		t.Error("not from slog.LevelInfo on")
	}
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "x", 0)
	r.AddAttrs(slog.Attr{})
	if err := h.Handle(t.Context(), r); err != nil || !strings.HasPrefix(out.String(), time.Now().Format("[2006-")) ||
		!strings.HasSuffix(out.String(), "][server]: x\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "''",
		"plain name":                 "'plain name'",
		"x' cmd='shutdown' force=1":  "'x\u2019 cmd=\u2019shutdown\u2019 force=1'",
		"a\n[2024-02-03][server]: b": "'a [2024-02-03][server]: b'",
		"\u202eb\x1b[2J\u2028c\x85'": "'b [2J c?\u2019'",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %q, want %q", in, got, want)
		}
	}
}
