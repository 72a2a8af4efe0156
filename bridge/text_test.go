package bridge

import "testing"

// TestText: nothing that a terminal obeys comes through, and what people write does.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                  "plain",
		"häßlich 日本 🎮":           "häßlich 日本 🎮",
		"\x1b[31mred":            " [31mred",
		"a\x00b\x7fc":            "a b c",
		"\u009b2J":               " 2J",
		"raw \x9b2J":             "raw ?2J",
		"\u202egnp.exe":          "gnp.exe",
		"two\nlines\r\n\tindent": "two lines   indent",
		"":                       "",
	} {
		if got := Text([]byte(in)); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Lines([]byte("two\nlines\r\n\ti\x1b")); got != "two\nlines\n\ti " {
		t.Errorf("Lines gives %q", got)
	}
}
