package app

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// screen is the terminal line that contains the cursor. A wide character takes two columns, of
// which the second is 0.
type screen struct {
	columns []rune
	cursor  int
	above   []string // earlier lines
}

var screenPart = regexp.MustCompile("\x1b\\[([0-9]*)([A-Za-z])|(?s:.)")

func (s *screen) Write(b []byte) (int, error) {
	for _, m := range screenPart.FindAllStringSubmatch(string(b), -1) {
		n, _ := strconv.Atoi(m[1])
		switch {
		case m[2] == "K":
			s.columns = s.columns[:min(s.cursor, len(s.columns))]
		case m[2] == "C":
			s.cursor += n
		case m[2] != "":
		case m[0] == "\r":
			s.cursor = 0
		case m[0] == "\n":
			s.above, s.columns = append(s.above, s.text()), nil
		default:
			r := []rune(m[0])[0]
			cells := []rune{r, 0}
			switch {
			case r == '\u0301':
				continue // combines with the letter before
			case strings.ContainsRune("漢字仮名😀", r):
			default:
				cells = cells[:1]
			}
			for _, c := range cells {
				for len(s.columns) <= s.cursor {
					s.columns = append(s.columns, ' ')
				}
				s.columns[s.cursor] = c
				s.cursor++
			}
		}
	}
	return len(b), nil
}

func (s *screen) text() string { return strings.ReplaceAll(string(s.columns), "\x00", "") }

// TestEditorKeys presses keys of various terminals.
func TestEditorKeys(t *testing.T) {
	const left, right, up, down = "\x1b[D", "\x1bOC", "\x1b[A", "\x1bOB"
	for keys, want := range map[string][]string{
		"ab\x1b[1~x\x1b[4~y":                               {"xaby"}, // tmux, screen
		"ab\x1b[7~x\x1b[8~y":                               {"xaby"}, // rxvt
		"ab\x1b[Hx\x1b[Fy":                                 {"xaby"}, // xterm
		"ab\x1bOHx\x1bOFy":                                 {"xaby"}, // xterm in application mode
		"ab\x01x\x05y":                                     {"xaby"},
		"abc\x1b[1~\x1b[3~\x04":                            {"c"},
		"abc" + left + left + "\x7f":                       {"bc"},
		"ab" + left + right + right + "c":                  {"abc"},
		"one two\x17three\x15four\x02\x02\x0b":             {"fo"},
		"one two\x1bb\x7f-\x1b[1;5C!":                      {"one-two!"},
		"漢字x" + left + left + "仮":                          {"漢仮字x"},
		"😀a" + left + left + "\x1b[3~":                     {"a"},
		"e\u0301x" + left + left + "y":                     {"ye\u0301x"},
		"e\u0301x" + left + "\x7f":                         {"x"},
		"e\u0301" + "\x7f":                                 {""},
		"one\r\ntwo\nthree":                                {"one", "two", "three"},
		"one\rtw" + up + down + "o\r" + up + up + "!":      {"one", "two", "one!"},
		"\x1b[[A\x1b[24~\x1b[200~x\xffy\x00\x1bz\x1b[201~": {"xy"}, // F1 of a console, F12, a paste
	} {
		e := newEditor(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(keys + "\r"), new(screen)}, "> ", "")
		for i, line := range want {
			if got, err := e.ReadLine(); err != nil || got != line {
				t.Errorf("%q: line %d is %q, %v, want %q", keys, i, got, err, line)
			}
		}
		if got, err := e.ReadLine(); err != io.EOF {
			t.Errorf("%q: more: %q, %v", keys, got, err)
		}
	}
}

// TestEditorScreen checks the screen and the cursor position.
func TestEditorScreen(t *testing.T) {
	const left = "\x1b[D"
	for _, c := range []struct {
		keys, text string
		cursor     int
	}{
		{"", "> ", 2},
		{"ab", "> ab", 4},
		{"ab" + left, "> ab", 3},
		{"漢字", "> 漢字", 6},
		{"漢字" + left, "> 漢字", 4},
		{"漢字ab" + left + left + left, "> 漢字ab", 4},
		{"漢字\x7f", "> 漢", 4},
		{"e\u0301x" + left, "> e\u0301x", 3},
		{"/rcon s3c\x7f3t", "> /rcon ****", 12},
		{"/rcon s3c" + left, "> /rcon ***", 10},
		// In 20 columns.
		{"12345678901234567", "> 12345678901234567", 19},
		{"123456789012345678", "> 23456789012345678", 19},
		{"1234567890123456漢字", "> 4567890123456漢字", 19},
		{"123456789012345678\x01", "> 12345678901234567", 2},
	} {
		var s screen
		e := newEditor(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(c.keys), &s}, "> ", "/rcon ")
		e.columns = 20
		if _, err := e.ReadLine(); err != io.EOF {
			t.Errorf("%q: %v", c.keys, err)
		}
		if want := strings.ReplaceAll(c.text, "\u0301", ""); s.text() != want || s.cursor != c.cursor {
			t.Errorf("%q: %q with the cursor at %d, want %q and %d", c.keys, s.text(), s.cursor, want, c.cursor)
		}
		// Output of others appears above the input line.
		e.reading = true
		io.WriteString(e, "news\n")
		if want := strings.ReplaceAll(c.text, "\u0301", ""); len(s.above) != 1 || s.above[0] != "news" || s.text() != want || s.cursor != c.cursor {
			t.Errorf("%q: above %q, %q with the cursor at %d", c.keys, s.above, s.text(), s.cursor)
		}
	}
}

// TestEditorSecrets checks that passwords are returned but not kept in the history.
func TestEditorSecrets(t *testing.T) {
	var s screen
	e := newEditor(struct {
		io.Reader
		io.Writer
	}{strings.NewReader("hello\r/rcon s3cret\r\x1b[A\r"), &s}, "> ", "/rcon ")
	for _, want := range []string{"hello", "/rcon s3cret", "hello"} {
		if got, err := e.ReadLine(); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if got := strings.Join(s.above, "|"); got != "> hello|> /rcon ******|> hello" {
		t.Errorf("shown: %q", got)
	}
}
