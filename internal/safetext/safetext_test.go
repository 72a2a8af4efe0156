package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"plain":                  "plain",
		"häßlich 日本 🎮":           "häßlich 日本 🎮",
		"👩\u200d🔧 می\u200cخواهم": "👩\u200d🔧 می\u200cخواهم",
		"\x1b[31mred":            " [31mred",
		"a\x00b\x7fc":            "a b c",
		"\u009b2J\u0085":         " 2J ",
		"raw \x9b2J":             "raw ?2J",
		"cut off \xe6\x97":       "cut off ??",
		"two\nlines\r\n\tindent": "two lines   indent",
		"a\u2028b\u2029c":        "a b c",
		"\ufeffzero\u200b\u2060": "zero",
		"\U000e0041tag":          "tag",
		"kept \ufffd":            "kept \ufffd",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
		if got := Line([]byte(in)); got != want {
			t.Errorf("Line of the bytes %q = %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                           "plain",
		"two\nlines\r\n\ti\x1b":           "two\nlines\n\ti ",
		"\u202etxt\u2028.exe\n\xff\u200f": "txt .exe\n?",
	} {
		if got := Lines(in); got != want {
			t.Errorf("Lines(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDirection checks that all characters that change the direction of writing are removed.
func TestDirection(t *testing.T) {
	for r := range unicode.MaxRune {
		in := "a" + string(r) + "b"
		if unicode.Is(unicode.Bidi_Control, r) && (Line(in) != "ab" || Lines(in) != "ab") {
			t.Errorf("%U stays: %q, %q", r, Line(in), Lines(in))
		}
		if unicode.IsControl(r) && Line(in) != "a b" {
			t.Errorf("%U stays: %q", r, Line(in))
		}
	}
}

func TestLimit(t *testing.T) {
	const in = "a\u200eß日🎮\x01z"
	whole := Line(in)
	for limit := range len(whole) + 3 {
		got := string(AppendLine([]byte("> "), in, limit))
		got, ok := strings.CutPrefix(got, "> ")
		if !ok || !strings.HasPrefix(whole, got) || len(got) > limit || len(got) < min(limit, len(whole))-utf8.UTFMax+1 || !utf8.ValidString(got) {
			t.Errorf("at most %d bytes of %q: %q", limit, in, got)
		}
	}
	if got := string(AppendLines(nil, "a\nb\nc", 4)); got != "a\nb\n" {
		t.Errorf("at most 4 bytes of lines: %q", got)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 5, "abc"},
		{"abc", 2, "ab"},
		{"日本", 5, "日"},
		{"日本", 2, ""},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80"},
		{"abc", 0, ""},
	} {
		if got := Truncate(test.in, test.limit); got != test.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", test.in, test.limit, got, test.want)
		}
	}
}

func TestTrimBlank(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"plain":                  "plain",
		" a b ":                  "a b",
		"\u00a0\u3164name\u2800": "name",
		"\u3164":                 "",
		"\u2800 \u2800":          "",
		"\u115f\u1160\uffa0":     "",
		"\u00ad\u034f\u180b":     "",
		"\u200b\u200c\u200d":     "",
		"\u3000\u2003\u1680":     "",
		"\ufe0f\U000e0100":       "",
		"\ufeff\ufffc\u2065":     "",
		"\U0001d159\U0001d173":   "",
		"\U00016fe4\u2d7f":       "",
		"\U00013441\U00013442":   "",
		"\U0001107f":             "",
		"\x00\x7f\u0085\t":       "",
		"a\u3164b":               "a\u3164b",
		"❤\ufe0f":                "❤\ufe0f",
		"👩\u200d🔧":               "👩\u200d🔧",
		"한글":                     "한글",
		"\u202e\u2066abc\u2069 ": "abc",
	} {
		if got := TrimBlank(in); got != want {
			t.Errorf("TrimBlank(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	text, dst := "plain text of a line", make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		text = Line(text)
		dst = AppendLine(dst[:0], "héllo\x1b\u202e", 63)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
