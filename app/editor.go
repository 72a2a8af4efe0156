package app

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// editor reads lines from the terminal, with history. Output that is written while the user types
// appears above the input line. An input line wider than the window is scrolled.
//
// The package x/term has a similar type. That type treats each character as a single column and
// knows a single form of each key.
type editor struct {
	in    *bufio.Reader
	out   io.Writer
	state *term.State
	size  func() (columns, rows int, err error) // nil for a window of fixed size
	// secretPrefix is the text before a password, "" for none. The editor shows such passwords as
	// stars and keeps their lines out of the history.
	secretPrefix string
	history      []string

	mu      sync.Mutex // guards the fields below: ReadLine and Write may run at once
	prompt  string
	reading bool
	line    []rune
	pos     int // cursor position in line
	columns int // width of the window
}

const (
	maxTyped   = 4096 // characters of a line
	maxHistory = 100  // lines
)

// openEditor puts the terminal into raw mode until close is called. It returns nil if input or
// output is not a terminal.
func openEditor(prompt, secretPrefix string) (*editor, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return nil, nil
	}
	state, err := term.MakeRaw(in)
	if err != nil {
		return nil, err
	}
	e := newEditor(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, prompt, secretPrefix)
	e.state = state
	e.size = func() (int, int, error) { return term.GetSize(int(os.Stdout.Fd())) }
	return e, nil
}

func newEditor(rw io.ReadWriter, prompt, secretPrefix string) *editor {
	return &editor{in: bufio.NewReader(rw), out: rw, prompt: prompt, secretPrefix: secretPrefix, columns: 80}
}

// close removes the prompt and leaves raw mode.
func (e *editor) close() {
	io.WriteString(e.out, "\r\x1b[K")
	term.Restore(int(os.Stdin.Fd()), e.state)
}

// SetPrompt changes the prompt.
func (e *editor) SetPrompt(prompt string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompt = prompt
	e.draw("")
}

// Write prints text above the input line. The text must end with a line break.
func (e *editor) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(b), e.draw(strings.ReplaceAll(string(b), "\n", "\r\n"))
}

// draw prints text and, while a line is being read, the prompt and that line.
func (e *editor) draw(text string) error {
	if !e.reading {
		_, err := io.WriteString(e.out, text)
		return err
	}
	if e.size != nil {
		if w, _, err := e.size(); err == nil && w > 0 {
			e.columns = w
		}
	}
	line, room := e.shown(), max(e.columns-1-textWidth(e.prompt), 1)
	begin, before := e.pos, 0
	for begin > 0 && before+runeWidth(line[begin-1]) <= room {
		begin--
		before += runeWidth(line[begin])
	}
	end, all := e.pos, before
	for end < len(line) && all+runeWidth(line[end]) <= room {
		all += runeWidth(line[end])
		end++
	}
	var b strings.Builder
	if text != "" {
		b.WriteString("\r\x1b[K" + text)
	}
	b.WriteString("\r" + e.prompt + string(line[begin:end]) + "\x1b[K")
	if all > before {
		b.WriteString("\r\x1b[" + strconv.Itoa(textWidth(e.prompt)+before) + "C")
	}
	_, err := io.WriteString(e.out, b.String())
	return err
}

// shown returns the line with its password replaced by stars.
func (e *editor) shown() []rune {
	if !e.isSecret() {
		return e.line
	}
	n := len([]rune(e.secretPrefix))
	return append(slices.Clone(e.line[:n]), []rune(strings.Repeat("*", len(e.line)-n))...)
}

// isSecret reports whether the line contains a password.
func (e *editor) isSecret() bool {
	return e.secretPrefix != "" && strings.HasPrefix(string(e.line), e.secretPrefix)
}

func textWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth returns the number of columns that terminals use for a character.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// ReadLine returns the next line. Ctrl-C and Ctrl-D return io.EOF as well.
func (e *editor) ReadLine() (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reading, e.line, e.pos = true, nil, 0
	defer func() { e.reading = false }()
	recalled, pending := 0, "" // the number of lines back in the history, and the text typed before
	for {
		e.draw("")
		e.mu.Unlock()
		k, r, err := e.readKey()
		e.mu.Lock()
		switch {
		case err != nil:
			return "", err
		case k == keyInterrupt, k == keyDelete && r == ctrlD && len(e.line) == 0:
			return "", io.EOF
		case k == keyEnter:
			return e.enter(), nil
		case k == keyUp && recalled < len(e.history), k == keyDown && recalled > 0:
			if recalled == 0 {
				pending = string(e.line)
			}
			if recalled++; k == keyDown {
				recalled -= 2
			}
			text := pending
			if recalled > 0 {
				text = e.history[len(e.history)-recalled]
			}
			e.line = []rune(text)
			e.pos = len(e.line)
		default:
			e.edit(k, r)
		}
	}
}

// enter ends the line and returns it.
func (e *editor) enter() string {
	line := string(e.line)
	if shown := e.prompt + string(e.shown()); textWidth(shown) >= e.columns {
		io.WriteString(e.out, "\r"+shown) // the whole line, without scrolling
	}
	io.WriteString(e.out, "\r\n")
	if n := len(e.history); line != "" && !e.isSecret() && (n == 0 || e.history[n-1] != line) {
		e.history = append(e.history[max(0, n+1-maxHistory):], line)
	}
	return line
}

// key is the function of a key.
type key int

const (
	keyNone key = iota
	keyText
	keyEnter
	keyInterrupt
	keyUp
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyBackspace
	keyDelete
	keyDeleteWord
	keyDeleteToHome
	keyDeleteToEnd
	keyClear
)

const ctrlD = 4

// controlKeys are keys that send one byte.
var controlKeys = map[rune]key{
	1: keyHome, 2: keyLeft, 3: keyInterrupt, ctrlD: keyDelete, 5: keyEnd, 6: keyRight, 8: keyBackspace, 11: keyDeleteToEnd,
	12: keyClear, '\r': keyEnter, '\n': keyEnter, 14: keyDown, 16: keyUp, 21: keyDeleteToHome, 23: keyDeleteWord, 127: keyBackspace,
}

// sequenceKeys are keys that send ESC [ or ESC O followed by the map's key. Terminals differ in the
// sequence that they send.
var sequenceKeys = map[string]key{
	"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd,
	"1~": keyHome, "7~": keyHome, "4~": keyEnd, "8~": keyEnd, "3~": keyDelete,
	"1;3C": keyWordRight, "1;5C": keyWordRight, "1;3D": keyWordLeft, "1;5D": keyWordLeft,
}

// altKeys are keys that send ESC followed by the map's key.
var altKeys = map[rune]key{'b': keyWordLeft, 'f': keyWordRight, 127: keyDeleteWord}

// readKey reads a key and its character.
func (e *editor) readKey() (key, rune, error) {
	r, n, err := e.in.ReadRune()
	switch {
	case err != nil:
		return keyNone, 0, err
	case r == '\x1b':
		k, err := e.readSequence()
		return k, 0, err
	case r == unicode.ReplacementChar && n == 1: // invalid UTF-8
		return keyNone, 0, nil
	case r == '\r' && e.in.Buffered() > 0: // pasted CR LF is one line break
		if next, _ := e.in.Peek(1); next[0] == '\n' {
			e.in.Discard(1)
		}
	}
	if k, ok := controlKeys[r]; ok || unicode.IsControl(r) {
		return k, r, nil
	}
	return keyText, r, nil
}

// readSequence reads the characters after ESC.
func (e *editor) readSequence() (key, error) {
	r, _, err := e.in.ReadRune()
	if err != nil || r != '[' && r != 'O' {
		return altKeys[r], err
	}
	sequence := ""
	for {
		if r, _, err = e.in.ReadRune(); err != nil {
			return keyNone, err
		}
		if len(sequence) < 8 {
			sequence += string(r)
		}
		// F1 of the Linux console is ESC [ [ A.
		if r >= '@' && r <= '~' && sequence != "[" {
			return sequenceKeys[sequence], nil
		}
	}
}

// edit applies a key to the line.
func (e *editor) edit(k key, r rune) {
	from, to := e.pos, e.pos // range to delete
	switch k {
	case keyText:
		if len(e.line) < maxTyped {
			e.line = slices.Insert(e.line, e.pos, r)
			e.pos++
		}
		return
	case keyLeft:
		e.pos = e.left()
		return
	case keyRight:
		e.pos = e.right()
		return
	case keyHome:
		e.pos = 0
		return
	case keyEnd:
		e.pos = len(e.line)
		return
	case keyWordLeft:
		e.pos = e.wordLeft()
		return
	case keyWordRight:
		for e.pos < len(e.line) && e.line[e.pos] == ' ' {
			e.pos++
		}
		for e.pos < len(e.line) && e.line[e.pos] != ' ' {
			e.pos++
		}
		return
	case keyClear:
		io.WriteString(e.out, "\x1b[H\x1b[2J")
		return
	case keyBackspace:
		from = e.left()
	case keyDelete:
		to = e.right()
	case keyDeleteWord:
		from = e.wordLeft()
	case keyDeleteToHome:
		from = 0
	case keyDeleteToEnd:
		to = len(e.line)
	}
	e.line, e.pos = slices.Delete(e.line, from, to), from
}

// left returns the position left of the cursor. Combining accents stay with their letter.
func (e *editor) left() int {
	i := e.pos
	for i > 0 {
		if i--; runeWidth(e.line[i]) > 0 {
			break
		}
	}
	return i
}

// right returns the position right of the cursor.
func (e *editor) right() int {
	i := min(e.pos+1, len(e.line))
	for i < len(e.line) && runeWidth(e.line[i]) == 0 {
		i++
	}
	return i
}

// wordLeft returns the beginning of the word left of the cursor.
func (e *editor) wordLeft() int {
	i := e.pos
	for i > 0 && e.line[i-1] == ' ' {
		i--
	}
	for i > 0 && e.line[i-1] != ' ' {
		i--
	}
	return i
}
