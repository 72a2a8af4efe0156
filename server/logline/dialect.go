package logline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

// Dialect is a format of log lines. Each log tool parses one of the dialects.
type Dialect int32

// The dialects.
const (
	TW07  Dialect = iota // of Teeworlds 0.7.5
	TW06                 // of the Teeworlds releases before, with decimal client ids
	DDNet                // of DDNet's server
	JSON                 // one object per line, which names of players cannot forge
)

var dialectNames = []string{"tw07", "tw06", "ddnet", "json"}

// String returns the dialect's name, as for [ParseDialect].
func (d Dialect) String() string { return dialectNames[d] }

// ParseDialect returns the dialect with the given name: tw07, tw06, ddnet or json.
func ParseDialect(name string) (Dialect, error) {
	for i, n := range dialectNames {
		if strings.EqualFold(n, name) {
			return Dialect(i), nil
		}
	}
	return TW07, fmt.Errorf("%q is not a log dialect; use one of %s", name, strings.Join(dialectNames, ", "))
}

// DialectVar is a dialect that can change while other goroutines use it. The zero value is [TW07].
type DialectVar struct{ v atomic.Int32 }

// Load returns the dialect. A nil variable has [TW07].
func (v *DialectVar) Load() Dialect {
	if v == nil {
		return TW07
	}
	return Dialect(v.v.Load())
}

// Set changes the dialect.
func (v *DialectVar) Set(d Dialect) { v.v.Store(int32(d)) }

// AppendLong converts a line of [TW07] to the dialect and appends it for standard output and files
// to dst, without a line end.
func (d Dialect) AppendLong(dst []byte, at time.Time, level slog.Level, system, text string) []byte {
	if d == TW06 {
		return appendRest(fmt.Appendf(dst, "[%08x", uint32(at.Unix())), system06(system, text), d.translate(system, text))
	}
	if d == TW07 {
		return AppendLong(dst, at, system, text)
	}
	return d.AppendShort(dst, at, level, system, text)
}

// AppendShort converts a line of [TW07] to the dialect and appends it for the external console to
// dst, without a line end.
func (d Dialect) AppendShort(dst []byte, at time.Time, level slog.Level, system, text string) []byte {
	switch d {
	case TW06:
		dst = append(append(append(dst, '['), system06(system, text)...), "]: "...)
		return append(dst, d.translate(system, text)...)
	case DDNet:
		letter := 'I'
		if level >= slog.LevelWarn {
			letter = 'W'
		}
		return fmt.Appendf(dst, "%s %c %s: %s", at.Format(time.DateTime), letter, system, d.translate(system, text))
	case JSON:
		b, err := json.Marshal(jsonLine{at, level.String(), text, system})
		if err != nil {
			return dst // strings and times can be encoded
		}
		return append(dst, b...)
	}
	return AppendShort(dst, at, system, text)
}

// jsonLine has the keys of [slog.JSONHandler].
type jsonLine struct {
	Time   time.Time `json:"time"`
	Level  string    `json:"level"`
	Msg    string    `json:"msg"`
	System string    `json:"system"`
}

// system06 returns what TW06 has in brackets: the lines of status are from "Server".
func system06(system, text string) string {
	if system == "server" && strings.HasPrefix(text, "id=") {
		return "Server"
	}
	return system
}

// TellsInChat reports whether the server also announces in the chat when players join, leave,
// change teams or capture a flag. In some dialects, programs read these events from the chat.
func (d Dialect) TellsInChat() bool { return d == TW06 || d == DDNet }

// translate returns a line of TW07 in the words of TW06 or DDNet. Other lines stay as they are.
func (d Dialect) translate(system, text string) string {
	switch system {
	case "chat", "teamchat":
		return translateChat(text)
	case "game":
		return translateGame(text)
	case "server":
		return d.translateServer(text)
	}
	return text
}

// translateChat changes mode:id:name and mode:team:id:name to id:-2:name and id:team:name.
func translateChat(text string) string {
	switch mode, rest, _ := strings.Cut(text, ":"); mode {
	case "1":
		if id, said, ok := strings.Cut(rest, ":"); ok {
			return id + ":-2:" + said
		}
	case "2":
		team, said, _ := strings.Cut(rest, ":")
		if id, said, ok := strings.Cut(said, ":"); ok {
			return id + ":" + team + ":" + said
		}
	}
	return text
}

func translateGame(text string) string {
	event, rest, _ := strings.Cut(text, " ")
	switch event {
	case "team_join":
		if i := strings.LastIndex(rest, "' team="); i >= 0 {
			if _, to, changed := strings.Cut(rest[i:], "->"); changed {
				return event + " " + rest[:i] + "' m_Team=" + to
			}
		}
	case "kill":
		return event + " " + withoutTeam(withoutTeam(rest, "killer='"), "victim='")
	case "pickup":
		return text + "/0" // of what kind the item is
	case "flag_grab", "flag_capture", "flag_return":
		if i := strings.LastIndex(text, "' team="); i >= 0 {
			return text[:i+1]
		}
	case "start":
		if match, ok := strings.CutPrefix(rest, "match "); ok {
			return "start round " + match
		}
	}
	return text
}

// withoutTeam changes id:team:name after a key to id:name.
func withoutTeam(text, key string) string {
	before, after, ok := strings.Cut(text, key)
	id, after, ok1 := strings.Cut(after, ":")
	_, name, ok2 := strings.Cut(after, ":")
	if !ok || !ok1 || !ok2 {
		return text
	}
	return before + key + id + ":" + name
}

func (d Dialect) translateServer(text string) string {
	isStatus := strings.HasPrefix(text, "id=")
	if before, after, ok := strings.Cut(text, " client="); isStatus && ok && d == TW06 {
		_, name, _ := strings.Cut(after, " ")
		return before + " " + name
	}
	if d != DDNet {
		// A server of two versions announces each; programs take "version" for the dialect.
		if rest, ok := strings.CutPrefix(text, "netversion "); ok {
			return "version " + rest
		}
		if rest, ok := strings.CutPrefix(text, "version "); ok {
			return "netversion " + rest
		}
		return text
	}
	if strings.HasPrefix(text, "ClientID=") {
		return withKey(text)
	}
	begins := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
	if !isStatus && !begins("player ") && !begins("client dropped.") {
		return text
	}
	if before, after, ok := strings.Cut(text, " addr="); ok {
		addr, rest, more := strings.Cut(after, " ")
		text = before + " addr=<{" + addr + "}>"
		if more {
			text += " " + rest
		}
	}
	return text
}

// withKey names the login in lines about those who log in and out, as DDNet does.
func withKey(text string) string {
	before, key, _ := strings.Cut(text, " key='")
	key = strings.TrimSuffix(key, "'")
	for _, what := range []string{" authed (", " logged out"} {
		who, rest, ok := strings.Cut(before, what)
		if !ok || strings.Contains(who, " ") {
			continue
		}
		if what == " authed (" {
			if key == "" {
				key = defaultKeys[rest]
			}
			return who + " authed with key=" + key + " (" + rest
		}
		if key != "" {
			return who + " with key=" + key + what + rest
		}
	}
	return text
}

// defaultKeys are what DDNet calls the logins with the passwords of the levels.
var defaultKeys = map[string]string{"admin)": "default_admin", "moderator)": "default_mod", "helper)": "default_helper"}

// NewDialect returns a handler that writes records of a level and above to w, each in the current
// dialect of d.
func NewDialect(w io.Writer, level slog.Leveler, d *DialectVar) slog.Handler {
	plain := New(w, level)
	plain.dialect = d
	return &dialectHandler{d, plain, NewJSON(w, level)}
}

type dialectHandler struct {
	dialect     *DialectVar
	plain, json slog.Handler
}

func (h *dialectHandler) current() slog.Handler {
	if h.dialect.Load() == JSON {
		return h.json
	}
	return h.plain
}

// Enabled implements [slog.Handler].
func (h *dialectHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return h.plain.Enabled(ctx, l)
}

// Handle implements [slog.Handler].
func (h *dialectHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.current().Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *dialectHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &dialectHandler{h.dialect, h.plain.WithAttrs(attrs), h.json.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h *dialectHandler) WithGroup(name string) slog.Handler {
	return &dialectHandler{h.dialect, h.plain.WithGroup(name), h.json.WithGroup(name)}
}
